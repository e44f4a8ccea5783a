"""The batches of an embedding pass: the next pending passages, their vectors of the model, and their commit.

It can be killed anywhere: the next pass goes on with what is not stored. No transaction is open while the model works.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from kebab_core import (
    CancelToken,
    DocumentId,
    EmbedBatchFinished,
    EmbedBatchStarted,
    ExternalError,
    KebabError,
    PendingEmbedding,
    StepLog,
    TextHash,
)

if TYPE_CHECKING:
    from kebab_ingest.embedding_cache import CachedEmbedder
    from kebab_ingest.progress import EventStream
    from kebab_ingest.resources import EmbeddingResources

_LOG = logging.getLogger("kebab.embedding")
FIRST_BATCH, MIN_BATCH, MAX_BATCH = 32, 16, 512
"""Chunks in a batch: few enough that progress moves and Ctrl-C is heard, enough to be worth a commit."""
TARGET_MS = 4_000
"""Milliseconds that a batch should take."""


class EmbeddingBatches:
    """Embeds pending passages, batch by batch.

    Args:
        resources: Vectors, clock and locks.
        embedder: The model.
        events: Gets the events of batches.
        cancel: Ends the pass after the batch in hand.
        within: Documents whose passages are embedded; None is all.
        time_limit_s: Seconds after which no further batch begins; None is no limit.
    """

    def __init__(
        self,
        resources: EmbeddingResources,
        embedder: CachedEmbedder,
        *,
        events: EventStream,
        cancel: CancelToken,
        within: Collection[DocumentId] | None,
        time_limit_s: float | None,
    ) -> None:
        self._repo, self._clock, self._locks = resources.repo, resources.clock, resources.locks
        self._embedder = embedder
        self._events = events
        self._cancel = cancel
        self._within = within
        self._batch_size = FIRST_BATCH
        self._total = 0
        self._time_limit_ms = None if time_limit_s is None else round(time_limit_s * 1000)
        self._started_ms: int | None = None
        self._is_stuck = False
        self.done = 0
        """Passages that have their vectors by this pass."""
        self.computed = 0
        """Passages in `done` that the model was asked about."""
        self.failure: KebabError | None = None
        """Why the pass ended early; what it had stored stays, and the next pass does the rest."""
        self.is_time_over = False
        """Whether the time limit has ended the pass."""

    @property
    def is_stopped(self) -> bool:
        """Whether a failure, a cancel, the time limit or vectors that cannot be stored have ended the pass."""
        is_over = self.is_time_over or self._is_stuck
        return is_over or self.failure is not None or self._cancel.is_cancelled

    def fail(self, error: KebabError) -> None:
        """End the pass with an error; the rest stays pending. Of several errors the first counts."""
        self.failure = self.failure or error

    def count_pending(self) -> int:
        """Count the passages that wait for their vectors."""
        return self._repo.count_pending(self._embedder.identity, within=self._within)

    def run(self) -> Iterator[None]:
        """Embed what is pending, and yield between two batches; a model that fails ends the pass.

        Passages are read anew for each batch: other processes may have added some, and removed others.

        Raises:
            LockedError: Another process did not stop writing.
            StorageError: A vector cannot be stored.
        """
        if self._started_ms is None:
            self._started_ms = self._clock.monotonic_ms()
        batch: Sequence[PendingEmbedding] = ()
        while not self.is_stopped:
            before = batch
            batch = self._repo.pending(self._embedder.identity, limit=self._batch_size, within=self._within)
            if not batch:
                return
            if batch == before:  # damage keeps their vectors from being stored
                self._is_stuck = True
                return
            if self._exceeds_time_limit(self._started_ms):
                self.is_time_over = True
                return
            left = self.count_pending()
            self._total = self.done + left
            try:
                self._carry_out(batch)
            except ExternalError as error:
                self.fail(error)
                return
            if left > len(batch):
                if not self._cancel.is_cancelled:
                    yield
                # a batch whose vectors are all known has not let anybody write
                with self._locks.unlocked() if self._locks else nullcontext():
                    pass

    def _exceeds_time_limit(self, started_ms: int) -> bool:
        limit = self._time_limit_ms
        return limit is not None and self._clock.monotonic_ms() - started_ms >= limit

    def _carry_out(self, batch: Sequence[PendingEmbedding]) -> None:
        started_ms = self._clock.monotonic_ms()
        n_chunks = len(batch)
        self._events.emit(
            EmbedBatchStarted(ts=self._clock.now(), n_chunks=n_chunks, done=self.done, total=self._total)
        )
        steps = StepLog(self._clock, is_on=_LOG.isEnabledFor(logging.DEBUG))
        made = self._embedder.compute({passage.text_hash: passage.text for passage in batch})
        _LOG.debug("embed", extra=steps.extra(chunks=n_chunks, computed=len(made)))
        stored = self._store(batch, made)
        took_ms = self._clock.monotonic_ms() - started_ms
        self.done += max(n_chunks, stored)
        self.computed += len(made)
        self._adapt_batch_size(passages=n_chunks, ms=took_ms)
        self._events.emit(
            EmbedBatchFinished(
                ts=self._clock.now(),
                n_chunks=n_chunks,
                ms=took_ms,
                done=self.done,
                reused=self.done - self.computed,
                total=self._total,
            )
        )

    def _store(self, batch: Sequence[PendingEmbedding], made: dict[TextHash, bytes]) -> int:
        """Store vectors, in one transaction; return the number of passages with these texts, 0 within documents.

        Other processes may have removed documents while the model worked: vectors of their texts are not kept.
        """
        steps = StepLog(self._clock, is_on=_LOG.isEnabledFor(logging.DEBUG))
        identity, documents = self._embedder.identity, {passage.doc_id for passage in batch}
        pending = self._repo.pending(identity, limit=len(batch), within=documents)
        wanted = {passage.text_hash for passage in pending}
        passages = self._repo.put(
            identity, {text_hash: vector for text_hash, vector in made.items() if text_hash in wanted}
        )
        if steps.is_on:
            _LOG.debug(
                "commit",
                extra=steps.extra(
                    chunks=len(batch),
                    doc_ids=sorted({str(passage.doc_id) for passage in batch}),
                    chunk_ids=[str(passage.chunk_id) for passage in batch],
                ),
            )
        return passages if self._within is None else 0

    def _adapt_batch_size(self, *, passages: int, ms: int) -> None:
        """Follow the speed of the batches so far; the size at most doubles."""
        fitting = passages * TARGET_MS // ms if ms > 0 else MAX_BATCH
        self._batch_size = max(MIN_BATCH, min(fitting, 2 * self._batch_size, MAX_BATCH))
