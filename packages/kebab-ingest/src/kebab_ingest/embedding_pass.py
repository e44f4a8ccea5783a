"""The embedding pass: every pending passage is embedded and its vector stored, batch by batch.

It runs after the commit of all documents, or alone. It can be killed anywhere: a batch of vectors is one transaction, and
what has no vector afterwards is pending. The batches are those of a `kebab_ingest.derivation.DerivationPass`; here is what
is particular to vectors: the files that searches read, and the query centroids of the model.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from kebab_core import (
    DatabaseCorruptError,
    DocumentId,
    EmbedBatchFinished,
    EmbedBatchStarted,
    EmbeddingFailure,
    EmbeddingKind,
    EmbeddingSummary,
    ExternalError,
    IngestEvent,
    KebabError,
    LockedError,
    PendingEmbedding,
    StepLog,
    StorageError,
    VectorMatrix,
)

from kebab_ingest.derivation import BatchProgress, BatchSizes, DerivationPass, Derived
from kebab_ingest.embedding_cache import CachedEmbedder, verify_once
from kebab_ingest.progress import EventStream
from kebab_ingest.request import CancelToken
from kebab_ingest.resources import EmbeddingResources, ReadyModel, describe_failure

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
    time_limit_s: float | None = None,
) -> tuple[EmbeddingSummary, KebabError | None]:
    """Give every passage its vector.

    The caller holds the writer lock, which is released while the model works and between batches. Where another process
    embeds passages already, all that is pending is left to it, and the summary says so. A model that cannot be used, or
    fails on the way, leaves the rest pending and is reported in the summary; so are vectors that cannot be stored.

    Args:
        resources: What the pass works with.
        events: Gets the events of batches.
        cancel: Ends the pass after the batch in hand.
        within: Documents whose chunks are embedded; those of all others stay pending. None is all.
        time_limit_s: Seconds after which no further batch begins; None is no limit.

    Returns:
        The summary of the pass, and the error that ended it early or None.

    Raises:
        StorageError: Vectors cannot be stored.
    """
    events.enter(PHASE)
    if isinstance(resources.model, EmbeddingFailure):
        return EmbeddingSummary(pending=resources.count_waiting(), failure=resources.model), None
    embedding = _ModelPass(
        resources, resources.model, events=events, cancel=cancel, within=within, time_limit_s=time_limit_s
    )
    with StepLog(_LOG, resources.clock).tracing():
        summary, error = embedding.run()
    resources.cache.evict(max_bytes=resources.max_cache_bytes)
    return summary, error


def _is_about_files(error: StorageError) -> bool:
    """Whether an error comes from the files of the vector store, which names its model, and not from the database."""
    return "model" in error.details


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
        time_limit_s: float | None,
    ) -> None:
        self._resources = resources
        self._cancel = cancel
        self._within = within
        self._identity = model.identity
        self._embedder = CachedEmbedder(
            embedder=model.embedder,
            identity=model.identity,
            repo=resources.repo,
            unlocked=resources.unlocked,
            verify=verify_once(model.embedder),
        )
        self._pass = DerivationPass(
            _PassageVectors(resources, self._embedder, within=within),
            clock=resources.clock,
            events=events,
            cancel=cancel,
            sizes=BatchSizes(first=FIRST_BATCH, least=MIN_BATCH, most=MAX_BATCH),
            time_limit_s=time_limit_s,
            unlocked=resources.unlocked,
        )
        self._reused = 0
        self._removed = 0

    def run(self) -> tuple[EmbeddingSummary, KebabError | None]:
        """Embed what is pending, and bring the files of the vector store up to date.

        Returns:
            The summary of the pass, and the error that ended it early or None.

        Raises:
            StorageError: Vectors cannot be stored.
        """
        try:
            self._embed()
            if self._update_files(complete=self._within is None):
                self._embed()
                self._resources.store.update(self._identity)
        except LockedError as error:
            if not self._cancel.is_cancelled:
                self._pass.fail(error)
        except StorageError as error:
            if not _is_about_files(error):
                raise
            self._pass.fail(error)
        summary = self._pass.summary
        if summary.failure is not None:
            _LOG.warning("vectors could not be made: %s", summary.failure.message)
        return EmbeddingSummary(
            identity=self._identity,
            computed=summary.computed,
            reused=summary.reused + self._reused,
            removed=self._removed,
            pending=self._count_remaining(),
            time_limit_reached=self._pass.is_time_over,
            failure=None if summary.failure is None else describe_failure(summary.failure),
        ), summary.failure

    def _embed(self) -> None:
        repo = self._resources.repo
        pending = self._request()
        with self._claim(pending):
            while True:
                done = self._pass.done
                self._embed_pending(pending)
                # another process may have left what it committed meanwhile to this one
                if pending:
                    pending = 0 if self._pass.is_stopped else self._request()
                if not pending or self._pass.done == done:
                    break
        self._removed += repo.evict(max_bytes=self._resources.max_cache_bytes)

    @contextmanager
    def _claim(self, pending: int) -> Iterator[None]:
        """Hold the lock of passes inside the block, where there is enough to embed.

        The few passages of a note are embedded beside the pass of another process, so that the note is found by meaning at
        once; a whole book would be embedded twice.

        Raises:
            LockedError: Another process embeds passages.
        """
        with ExitStack() as held:
            if self._within is None and pending:
                held.enter_context(self._resources.pass_lock())
            elif pending > FIRST_BATCH:
                with self._resources.pass_lock():
                    pass
            yield

    def _embed_pending(self, pending: int) -> None:
        repo = self._resources.repo
        if pending:
            self._pass.run(count_pending=self._count_pending, between=self._prepare_searches)
        if not self._pass.is_stopped:
            if self._resources.activates and not repo.pending_documents(self._identity):
                repo.activate(self._identity, self._resources.settings_json)
            self._update_centroids()

    def _prepare_searches(self) -> None:
        """Make what searches need before the last batch is done; the end of the pass reports errors of the files.

        Raises:
            StorageError: The database cannot be read or written.
        """
        if self._resources.repo.query_centroids(self._identity) is None:
            self._update_centroids()
        try:
            self._update_files(complete=False)
        except StorageError as error:
            if not _is_about_files(error):
                raise

    def _update_files(self, *, complete: bool) -> bool:
        """Bring the files of the vector store up to date; damaged vectors are deleted, and so pending again.

        Returns:
            True if there were damaged vectors.

        Raises:
            DatabaseCorruptError: The files are damaged in another way.
        """
        store = self._resources.store
        try:
            store.update(self._identity, complete=complete)
        except DatabaseCorruptError as error:
            damaged = store.find_damaged(self._identity)
            if not damaged:
                raise
            _LOG.warning("%d vectors are made anew: %s", len(damaged), error.message)
            self._resources.repo.delete(damaged)
            return True
        return False

    def _request(self) -> int:
        """Put the model in force, and count the passages that this pass embeds."""
        self._reused += self._resources.repo.request(self._identity)
        return self._count_pending()

    def _count_remaining(self) -> int:
        """Count all passages without a vector; a run after which none is left does not look at every passage."""
        repo = self._resources.repo
        return repo.counts(self._identity).pending if repo.pending_documents(self._identity) else 0

    def _count_pending(self) -> int:
        return self._resources.repo.count_pending(self._identity, within=self._within)

    def _update_centroids(self) -> None:
        """Compute the query centroids of the model where they are unknown or of other passages, and keep them."""
        repo = self._resources.repo
        version = repo.content_version()
        is_current = repo.query_centroids_version(self._identity) == version
        if is_current or self._identity not in repo.embedded_models():
            return
        try:
            content = self._resources.compute_query_centroids(self._embed_queries, self._resources.titles())
            repo.save_query_centroids(self._identity, content, content_version=version)
        except ExternalError as error:
            self._pass.fail(error)

    def _embed_queries(self, texts: Sequence[str]) -> VectorMatrix:
        return self._embedder.embed(texts, EmbeddingKind.QUERY)


class _PassageVectors:
    """Implements `Derivation`: vectors of passages."""

    def __init__(
        self,
        resources: EmbeddingResources,
        embedder: CachedEmbedder,
        *,
        within: Collection[DocumentId] | None,
    ) -> None:
        self._repo, self._clock = resources.repo, resources.clock
        self._embedder = embedder
        self._within = within

    def pending(self, limit: int) -> list[PendingEmbedding]:
        """Return the next passages without a vector."""
        return self._repo.pending(self._embedder.identity, limit=limit, within=self._within)

    def answer(self, batch: Sequence[PendingEmbedding]) -> Derived:
        """Return their vectors; equal texts are embedded once."""
        steps = StepLog(_LOG, self._clock)
        made = self._embedder.compute({passage.text_hash: passage.text for passage in batch})
        steps.step("embed", chunks=len(batch), computed=len(made))
        return Derived([made[passage.text_hash] for passage in batch], len(made))

    def store(self, batch: Sequence[PendingEmbedding], payloads: Sequence[bytes]) -> int | None:
        """Store vectors, in one transaction; return the number of passages with these texts, None within documents.

        Other processes may have removed documents while the model worked: vectors of their texts are not kept.
        """
        steps = StepLog(_LOG, self._clock)
        identity, documents = self._embedder.identity, {passage.doc_id for passage in batch}
        pending = self._repo.pending(identity, limit=len(batch), within=documents)
        wanted = {passage.text_hash for passage in pending}
        made = {
            passage.text_hash: vector
            for passage, vector in zip(batch, payloads, strict=True)
            if passage.text_hash in wanted
        }
        passages = self._repo.put(identity, made)
        if steps.is_on:
            steps.step(
                "commit",
                chunks=len(batch),
                doc_ids=sorted({str(passage.doc_id) for passage in batch}),
                chunk_ids=[str(passage.chunk_id) for passage in batch],
            )
        return passages if self._within is None else None

    def event_of(self, progress: BatchProgress) -> IngestEvent:
        """Return `embed_batch_started` or `embed_batch_finished`."""
        chunks, done, reused, total, ms = progress
        now = self._clock.now()
        if ms is None:
            return EmbedBatchStarted(ts=now, n_chunks=chunks, done=done, total=total)
        return EmbedBatchFinished(ts=now, n_chunks=chunks, ms=ms, done=done, reused=reused, total=total)
