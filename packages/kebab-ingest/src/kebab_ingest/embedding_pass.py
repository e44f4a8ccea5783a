"""The embedding pass: every pending chunk is embedded, its vector stored and then committed, batch by batch.

It runs after the commit of all documents, or alone. It can be killed anywhere: results of the model are kept in the cache
before they are stored, what is stored is committed afterwards, and the next pass begins by comparing the two. The batches
are those of a `kebab_ingest.derivation.DerivationPass`; here is what is particular to vectors: an index of its own that may
be lost or damaged, and the query centroids of the model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from kebab_core import (
    DatabaseCorruptError,
    DocumentId,
    EmbedBatchFinished,
    EmbedBatchStarted,
    EmbeddingFailure,
    EmbeddingKind,
    EmbeddingSummary,
    ExternalError,
    IndexId,
    IndexModelMismatchError,
    IngestEvent,
    KebabError,
    PendingEmbedding,
    StepLog,
    StorageError,
    VectorKey,
    vector_index_of,
)

from kebab_ingest.derivation import BatchProgress, BatchSizes, DerivationPass, Derived
from kebab_ingest.embedding_cache import CachedEmbedder, join_rows, passage_text, verify_once
from kebab_ingest.progress import EventStream
from kebab_ingest.request import CancelToken
from kebab_ingest.resources import EmbeddingResources, ReadyModel, describe_failure
from kebab_ingest.vector_reconciliation import VectorReconciliation, purge_deleted

_LOG = logging.getLogger("kebab.embedding")
PHASE = "embed"
"""Phase of the events of a pass."""

FIRST_BATCH, MIN_BATCH, MAX_BATCH = 32, 16, 512
"""Chunks in a batch: few enough that progress moves and Ctrl-C is heard, enough to be worth a commit."""


def run_embedding_pass(
    resources: EmbeddingResources,
    events: EventStream,
    cancel: CancelToken,
    *,
    within: Collection[DocumentId] | None = None,
) -> tuple[EmbeddingSummary, KebabError | None]:
    """Give every chunk its vector, and delete vectors whose chunks are gone.

    A model that cannot be used, or fails on the way, leaves the rest pending and is reported in the summary; so are
    vectors that cannot be stored.

    Args:
        resources: What the pass works with.
        events: Gets the events of batches.
        cancel: Ends the pass after the batch in hand.
        within: Documents whose chunks are embedded; those of all others stay pending. None is all.

    Returns:
        The summary of the pass, and the error that ended it early or None.

    Raises:
        StorageError: The rows of vectors cannot be stored.
    """
    events.enter(PHASE)
    if isinstance(resources.model, EmbeddingFailure):
        return _purge_without_model(resources, resources.model), None
    embedding = _ModelPass(resources, resources.model, events=events, cancel=cancel, within=within)
    with StepLog(_LOG, resources.clock).tracing():
        summary, error = embedding.run()
    resources.cache.evict(max_bytes=resources.max_cache_bytes)
    return summary, error


def _purge_without_model(resources: EmbeddingResources, failure: EmbeddingFailure) -> EmbeddingSummary:
    """Delete the vectors of chunks that are gone, if that is possible.

    Raises:
        StorageError: The rows of vectors cannot be stored.
    """
    removed = 0
    try:
        removed = purge_deleted(resources.repo, resources.store)
    except StorageError as error:
        if not _is_about_vectors(error):
            raise
        _LOG.warning("vectors could not be removed: %s", error.message)
    return EmbeddingSummary(removed=removed, pending=resources.count_waiting(), failure=failure)


def _is_about_vectors(error: StorageError) -> bool:
    """Whether an error comes from the vector store, which names its index, and not from the database."""
    return "index_id" in error.details


class _ModelPass:
    """A pass with a model that can be used."""

    def __init__(
        self,
        resources: EmbeddingResources,
        model: ReadyModel,
        *,
        events: EventStream,
        cancel: CancelToken,
        within: Collection[DocumentId] | None,
    ) -> None:
        self._resources = resources
        self._within = within
        self._identity = model.identity
        self._index_id = vector_index_of(model.identity)
        self._reconciliation = VectorReconciliation(
            repo=resources.repo, store=resources.store, identity=model.identity
        )
        self._embedder = CachedEmbedder(
            embedder=model.embedder,
            identity=model.identity,
            cache=resources.cache,
            clock=resources.clock,
            verify=verify_once(model.embedder),
        )
        self._pass = DerivationPass(
            _PassageVectors(
                resources, self._embedder, within=within, checkpoint=self._reconciliation.checkpoint
            ),
            clock=resources.clock,
            events=events,
            cancel=cancel,
            sizes=BatchSizes(first=FIRST_BATCH, least=MIN_BATCH, most=MAX_BATCH),
        )
        self._removed = 0

    def run(self) -> tuple[EmbeddingSummary, KebabError | None]:
        """Embed what is pending; an index that is damaged or of another model is made anew first.

        Returns:
            The summary of the pass, and the error that ended it early or None.

        Raises:
            StorageError: The rows of vectors cannot be stored.
        """
        try:
            self._update_or_rebuild()
        except StorageError as error:
            if not _is_about_vectors(error):
                raise
            self._pass.fail(error)
        summary = self._pass.summary
        if summary.failure is not None:
            _LOG.warning("vectors could not be made: %s", summary.failure.message)
        return EmbeddingSummary(
            identity=self._identity,
            computed=summary.computed,
            reused=summary.reused,
            removed=self._removed,
            pending=self._resources.repo.counts(self._identity).pending,
            failure=None if summary.failure is None else describe_failure(summary.failure),
        ), summary.failure

    def _update_or_rebuild(self) -> None:
        dropped: set[str] = set()
        while True:
            try:
                self._update()
                break
            except (DatabaseCorruptError, IndexModelMismatchError) as error:
                damaged = str(error.details.get("index_id", self._index_id))
                if damaged in dropped:
                    raise
                _LOG.warning("the vector index %s is made anew: %s", damaged, error.message)
                dropped.add(damaged)
                self._reconciliation.start_over(IndexId(damaged))

    def _update(self) -> None:
        repo = self._resources.repo
        self._removed += purge_deleted(repo, self._resources.store)
        repo.withdraw(keep=self._identity)
        repo.request(self._identity)
        self._reconciliation.reopen_lost()
        pending = self._count_pending()
        if pending:
            self._resources.store.ensure_table(self._index_id, self._identity)
            # searches need centroids before the last batch is done
            self._pass.run(pending=pending, between=self._update_centroids)
        if not self._pass.is_stopped and (self._within is None or not repo.counts(self._identity).pending):
            self._removed += self._reconciliation.delete_unknown()
            self._reconciliation.drop_empty()
        self._resources.store.maintain(self._index_id)
        self._reconciliation.checkpoint()
        if not self._pass.is_stopped:
            self._update_centroids(is_new=bool(pending))

    def _count_pending(self) -> int:
        repo = self._resources.repo
        if self._within is None:
            return repo.counts(self._identity).pending
        return repo.count_pending(self._identity, within=self._within)

    def _update_centroids(self, *, is_new: bool = False) -> None:
        """Compute the query centroids of the model where they are unknown or may have changed, and keep them."""
        repo = self._resources.repo
        if (
            not (is_new or repo.query_centroids(self._identity) is None)
            or not repo.counts(self._identity).committed
        ):
            return
        queries = replace(self._embedder, kind=EmbeddingKind.QUERY)
        try:
            content = self._resources.compute_query_centroids(queries.embed, self._resources.titles())
            if repo.query_centroids(self._identity) != content:
                repo.save_query_centroids(self._identity, content)
        except ExternalError as error:
            self._pass.fail(error)


class _PassageVectors:
    """Implements `Derivation`: vectors of chunks, stored in the index of their model and then committed.

    `checkpoint` is called after each commit.
    """

    def __init__(
        self,
        resources: EmbeddingResources,
        embedder: CachedEmbedder,
        *,
        within: Collection[DocumentId] | None,
        checkpoint: Callable[[], None],
    ) -> None:
        self._repo, self._store, self._clock = resources.repo, resources.store, resources.clock
        self._embedder = embedder
        self._identity = embedder.identity
        self._index_id = vector_index_of(embedder.identity)
        self._within = within
        self._checkpoint = checkpoint

    def pending(self, limit: int) -> list[PendingEmbedding]:
        """Return the next chunks without a vector."""
        return self._repo.pending(self._identity, limit=limit, within=self._within)

    def answer(self, batch: Sequence[PendingEmbedding]) -> Derived:
        """Return their vectors, as the bytes of rows."""
        steps = StepLog(_LOG, self._clock)
        derived = self._embedder.answer([_text_of(chunk) for chunk in batch])
        steps.step("embed", chunks=len(batch), computed=derived.computed)
        return derived

    def store(self, batch: Sequence[PendingEmbedding], payloads: Sequence[bytes]) -> None:
        """Store vectors, then commit their rows."""
        steps = StepLog(_LOG, self._clock)
        keys = [VectorKey(chunk.chunk_id, chunk.doc_id, chunk.lang) for chunk in batch]
        vectors = join_rows(payloads, dimensions=self._identity.dimensions)
        self._store.upsert(self._index_id, keys, vectors)
        self._repo.commit(self._identity, [chunk.chunk_id for chunk in batch], table=str(self._index_id))
        self._checkpoint()
        if steps.is_on:
            steps.step(
                "commit",
                chunks=len(batch),
                doc_ids=sorted({str(chunk.doc_id) for chunk in batch}),
                chunk_ids=[str(chunk.chunk_id) for chunk in batch],
            )

    def event_of(self, progress: BatchProgress) -> IngestEvent:
        """Return `embed_batch_started` or `embed_batch_finished`."""
        chunks, done, reused, total, ms = progress
        now = self._clock.now()
        if ms is None:
            return EmbedBatchStarted(ts=now, n_chunks=chunks, done=done, total=total)
        return EmbedBatchFinished(ts=now, n_chunks=chunks, ms=ms, done=done, reused=reused, total=total)


def _text_of(chunk: PendingEmbedding) -> str:
    return passage_text(title=chunk.title, heading_path=chunk.heading_path, text=chunk.text)
