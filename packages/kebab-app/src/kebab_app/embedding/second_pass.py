"""One pass that gives chunks their vectors: what is pending is embedded, stored and committed, batch by batch.

It can be killed anywhere: what the model made is kept before it is stored, what is stored is committed afterwards, and
the next pass begins by comparing the two. No transaction is open while the model works.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from kebab_core import (
    Clock,
    DatabaseCorruptError,
    DerivationCache,
    DocumentId,
    EmbedBatchFinished,
    EmbedBatchStarted,
    EmbeddingFailure,
    EmbeddingKind,
    EmbeddingRepo,
    EmbeddingSummary,
    ExternalError,
    IndexId,
    IndexModelMismatchError,
    KebabError,
    PendingEmbedding,
    StorageError,
    VectorKey,
    VectorStore,
)

from kebab_app.embedding.anchors import keep_anchors
from kebab_app.embedding.cached_embedder import CachedEmbedder
from kebab_app.embedding.checked_embedder import CheckedEmbedder
from kebab_app.embedding.found_model import FoundModel, ReadyModel, describe_failure
from kebab_app.embedding.pace import Pace
from kebab_app.embedding.passage_text import passage_text
from kebab_app.embedding.reconciliation import Reconciliation, bury_tombstones
from kebab_app.ingest.events import EventStream
from kebab_app.ingest.request import CancelToken
from kebab_app.vector_index import vector_index_of

_LOG = logging.getLogger("kebab.embedding")
PHASE = "embed"


@dataclass(frozen=True, kw_only=True)
class EmbeddingParts:
    """What a pass works with."""

    model: FoundModel
    repo: EmbeddingRepo
    store: VectorStore
    cache: DerivationCache
    clock: Clock
    max_cache_bytes: int
    """What the cache may hold when the pass is over."""
    count_waiting: Callable[[], int | None] = lambda: None
    """Gives how many chunks have no vector of a model that cannot be asked who it is; None where nobody knows."""
    on_failure: Callable[[KebabError], None] = lambda _: None
    """Gets what kept the pass from giving every chunk its vector, before the summary tells it."""
    titles: Callable[[], Iterable[str]] = tuple
    """Gives the titles of all documents."""


def run_second_pass(
    parts: EmbeddingParts,
    events: EventStream,
    cancel: CancelToken,
    *,
    within: Collection[DocumentId] | None = None,
) -> EmbeddingSummary:
    """Give every chunk its vector, and let go of vectors whose chunks are gone.

    A model that cannot be used, or fails on the way, leaves the rest pending and is told in the summary; so are vectors
    that cannot be stored.

    Args:
        parts: What to work with.
        events: Gets the batches.
        cancel: Ends the pass after the batch in hand.
        within: The documents whose chunks are meant; those of all others stay pending. None is all.

    Returns:
        What was done.

    Raises:
        StorageError: What is known of vectors cannot be stored.
    """
    events.enter(PHASE)
    if isinstance(parts.model, EmbeddingFailure):
        return _do_without_model(parts, parts.model)
    summary = _ModelPass(parts, parts.model, events=events, cancel=cancel, within=within).run()
    parts.cache.evict(max_bytes=parts.max_cache_bytes)
    return summary


def _do_without_model(parts: EmbeddingParts, failure: EmbeddingFailure) -> EmbeddingSummary:
    """Return what was done without the model: vectors of chunks that are gone went, if they can be removed.

    Raises:
        StorageError: What is known of vectors cannot be stored.
    """
    removed = 0
    try:
        removed = bury_tombstones(parts.repo, parts.store)
    except StorageError as error:
        if not is_about_vectors(error):
            raise
        _LOG.warning("vectors could not be removed: %s", error.message)
    return EmbeddingSummary(removed=removed, pending=parts.count_waiting(), failure=failure)


def is_about_vectors(error: StorageError) -> bool:
    """Return whether an error is of the vectors, which name their index, and not of the database."""
    return "index_id" in error.details


class _ModelPass:
    """The part of a pass that needs the model."""

    def __init__(
        self,
        parts: EmbeddingParts,
        model: ReadyModel,
        *,
        events: EventStream,
        cancel: CancelToken,
        within: Collection[DocumentId] | None,
    ) -> None:
        self._parts = parts
        self._within = within
        self._identity = model.identity
        self._index_id = vector_index_of(model.identity)
        self._events = events
        self._cancel = cancel
        self._reconciliation = Reconciliation(repo=parts.repo, store=parts.store, identity=model.identity)
        self._embedder = CachedEmbedder(
            embedder=CheckedEmbedder(model.embedder),
            identity=model.identity,
            cache=parts.cache,
            clock=parts.clock,
        )
        self._pace = Pace()
        self._done = 0
        self._total = 0
        self._computed = 0
        self._removed = 0
        self._failure: EmbeddingFailure | None = None

    def run(self) -> EmbeddingSummary:
        """Drain what is pending; an index that is damaged or of another model is made anew first.

        Returns:
            What was done.

        Raises:
            StorageError: What is known of vectors cannot be stored.
        """
        try:
            self._mend_and_bring_up_to_date()
        except StorageError as error:
            if not is_about_vectors(error):
                raise
            self._fail(error)
        return EmbeddingSummary(
            identity=self._identity,
            computed=self._computed,
            reused=self._done - self._computed,
            removed=self._removed,
            pending=self._parts.repo.counts(self._identity).pending,
            failure=self._failure,
        )

    def _fail(self, error: KebabError) -> None:
        _LOG.warning("vectors could not be made: %s", error.message)
        self._failure = describe_failure(error)
        self._parts.on_failure(error)

    def _mend_and_bring_up_to_date(self) -> None:
        dropped: set[str] = set()
        while True:
            try:
                self._bring_up_to_date()
                break
            except (DatabaseCorruptError, IndexModelMismatchError) as error:
                damaged = str(error.details.get("index_id", self._index_id))
                if damaged in dropped:
                    raise
                _LOG.warning("the vector index %s is made anew: %s", damaged, error.message)
                dropped.add(damaged)
                self._reconciliation.start_over(IndexId(damaged))

    def _bring_up_to_date(self) -> None:
        repo = self._parts.repo
        self._removed += bury_tombstones(repo, self._parts.store)
        repo.withdraw(keep=self._identity)
        repo.request(self._identity)
        self._reconciliation.reopen_lost()
        pending = self._count_pending()
        self._total = self._done + pending
        if pending:
            self._parts.store.ensure_table(self._index_id, self._identity)
            self._drain()
        is_drained = not (self._failure or self._cancel.is_cancelled)
        if is_drained and (self._within is None or not repo.counts(self._identity).pending):
            self._removed += self._reconciliation.delete_unknown()
            self._reconciliation.drop_empty()
        self._parts.store.maintain(self._index_id)
        self._reconciliation.seal()
        if not (self._failure or self._cancel.is_cancelled):
            self._measure(is_new=bool(pending))

    def _count_pending(self) -> int:
        repo = self._parts.repo
        if self._within is None:
            return repo.counts(self._identity).pending
        return repo.count_pending(self._identity, within=self._within)

    def _measure(self, *, is_new: bool = False) -> None:
        """Measure where queries lie in the space of the model, where that is unknown or may have changed."""
        repo = self._parts.repo
        if not (is_new or repo.anchors(self._identity) is None) or not repo.counts(self._identity).committed:
            return
        queries = replace(self._embedder, kind=EmbeddingKind.QUERY)
        try:
            keep_anchors(repo, queries, titles=self._parts.titles())
        except ExternalError as error:
            self._fail(error)

    def _drain(self) -> None:
        while not (self._failure or self._cancel.is_cancelled):
            batch = self._parts.repo.pending(self._identity, limit=self._pace.size, within=self._within)
            if not batch:
                return
            try:
                self._take(batch)
            except ExternalError as error:
                self._fail(error)
                return
            if not self._cancel.is_cancelled:
                self._measure()  # searches that come before the last batch rest on it

    def _take(self, batch: list[PendingEmbedding]) -> None:
        clock = self._parts.clock
        started_ms = clock.monotonic_ms()
        self._events.emit(
            EmbedBatchStarted(ts=clock.now(), n_chunks=len(batch), done=self._done, total=self._total)
        )
        embedded = self._embedder.embed([_text_of(chunk) for chunk in batch])
        keys = [VectorKey(chunk.chunk_id, chunk.doc_id, chunk.lang) for chunk in batch]
        self._parts.store.upsert(self._index_id, keys, embedded.vectors)
        self._parts.repo.commit(
            self._identity, [chunk.chunk_id for chunk in batch], table=str(self._index_id)
        )
        self._reconciliation.seal()
        took_ms = clock.monotonic_ms() - started_ms
        self._done += len(batch)
        self._computed += embedded.computed
        self._pace.note(chunks=len(batch), ms=took_ms)
        self._events.emit(
            EmbedBatchFinished(
                ts=clock.now(),
                n_chunks=len(batch),
                ms=took_ms,
                done=self._done,
                reused=self._done - self._computed,
                total=self._total,
            )
        )


def _text_of(chunk: PendingEmbedding) -> str:
    return passage_text(title=chunk.title, heading_path=chunk.heading_path, text=chunk.text)
