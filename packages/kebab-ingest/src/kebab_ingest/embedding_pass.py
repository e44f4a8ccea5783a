"""The embedding pass: every pending passage is embedded and its vector stored, batch by batch.

It runs after the commit of all documents, or alone. It can be killed anywhere: a batch of vectors is one transaction, and
what has no vector afterwards is pending. The batches are those of `embedding_batches`; here is what goes with them: the
files that searches read, and the query centroids of the model.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from kebab_core import (
    CancelToken,
    DatabaseCorruptError,
    DocumentId,
    EmbeddingFailure,
    EmbeddingKind,
    EmbeddingSummary,
    ExternalError,
    KebabError,
    LockedError,
    StepLog,
    StorageError,
    VectorMatrix,
)

from kebab_ingest.embedding_batches import FIRST_BATCH, EmbeddingBatches
from kebab_ingest.embedding_cache import CachedEmbedder
from kebab_ingest.resources import EmbeddingResources, ReadyModel, describe_failure

if TYPE_CHECKING:
    from kebab_ingest.progress import EventStream

_LOG = logging.getLogger("kebab.embedding")
PHASE = "embed"
"""Phase of the events of a pass."""


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
    with StepLog(resources.clock, is_on=_LOG.isEnabledFor(logging.DEBUG)).tracing():
        summary, error = embedding.run()
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
            locks=resources.locks,
        )
        self._batches = EmbeddingBatches(
            resources, self._embedder, events=events, cancel=cancel, within=within, time_limit_s=time_limit_s
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
                self._batches.fail(error)
        except StorageError as error:
            if not _is_about_files(error):
                raise
            self._batches.fail(error)
        done = self._batches
        if done.failure is not None:
            _LOG.warning("vectors could not be made: %s", done.failure.message)
        return EmbeddingSummary(
            identity=self._identity,
            computed=done.computed,
            reused=done.done - done.computed + self._reused,
            removed=self._removed,
            pending=self._count_remaining(),
            time_limit_reached=self._batches.is_time_over,
            failure=None if done.failure is None else describe_failure(done.failure),
        ), done.failure

    def _embed(self) -> None:
        repo = self._resources.repo
        pending = self._request()
        with self._claim(pending):
            while True:
                done = self._batches.done
                self._embed_pending(pending)
                # another process may have left what it committed meanwhile to this one
                if pending:
                    pending = 0 if self._batches.is_stopped else self._request()
                if not pending or self._batches.done == done:
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
        locks = self._resources.locks
        with ExitStack() as held:
            if locks is not None and self._within is None and pending:
                held.enter_context(locks.pass_lock())
            elif locks is not None and pending > FIRST_BATCH:
                with locks.pass_lock():
                    pass
            yield

    def _embed_pending(self, pending: int) -> None:
        repo = self._resources.repo
        if pending:
            for _ in self._batches.run():
                self._prepare_searches()
        if not self._batches.is_stopped:
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
        return self._batches.count_pending()

    def _count_remaining(self) -> int:
        """Count all passages without a vector; a run after which none is left does not look at every passage."""
        repo = self._resources.repo
        return repo.counts(self._identity).pending if repo.pending_documents(self._identity) else 0

    def _update_centroids(self) -> None:
        """Compute the query centroids of the model where they are unknown or of other passages, and keep them."""
        repo = self._resources.repo
        version = repo.content_version()
        is_current = repo.query_centroids_version(self._identity) == version
        if is_current or self._identity not in repo.embedded_models():
            return
        try:
            content = self._resources.compute_query_centroids(
                self._embed_queries, self._resources.documents.list_titles()
            )
            repo.save_query_centroids(self._identity, content, content_version=version)
        except ExternalError as error:
            self._batches.fail(error)

    def _embed_queries(self, texts: Sequence[str]) -> VectorMatrix:
        return self._embedder.embed(texts, EmbeddingKind.QUERY)
