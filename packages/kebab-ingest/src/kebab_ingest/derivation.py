"""Derivations: what a model makes of what is committed, such as vectors of chunks or the text of a picture.

A document is committed first, and what it still needs of a model is a pending request. A `DerivationPass` takes requests
batch by batch: the model, then the store, which ends the request in the same commit. It can be killed anywhere: the next
pass goes on with what is not stored. No transaction is open while the model works. Results that the store does not keep by
content, such as the text of a picture, go by way of a `CachedModel`, so that no model is asked twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from kebab_core import Clock, DerivationCache, ExternalError, IngestEvent, KebabError

from kebab_ingest.progress import EventStream
from kebab_ingest.request import CancelToken

TARGET_MS = 4_000
"""Milliseconds that a batch should take."""

Request = TypeVar("Request")


class Derived(NamedTuple):
    """Results of a model and their cost."""

    payloads: list[bytes]
    """One for each request, in their order."""
    computed: int
    """Number of requests that the model was asked about, without repeats."""


@dataclass(frozen=True, kw_only=True)
class CachedModel(Generic[Request]):
    """A model behind the derivation cache. What it makes is kept before it is returned."""

    kind: str
    """Of the entries in the cache."""
    key_of: Callable[[Request], str]
    """Hash of a request's content and of everything of the model that shapes its result."""
    compute: Callable[[Sequence[Request]], Sequence[bytes]]
    """Asks the model; one result for each request, in their order."""
    cache: DerivationCache
    clock: Clock
    unlocked: Callable[[], AbstractContextManager[None]] = nullcontext
    """Lets other processes write inside the block; the model is asked there."""
    is_intact: Callable[[bytes], bool] = lambda _: True
    """Whether a result from the cache can be used."""

    def answer(self, requests: Sequence[Request]) -> Derived:
        """Look results up, and ask the model for those that are missing, once for each key.

        Raises:
            ExternalError: The model is not there or does not answer.
            StorageError: The cache cannot be written.
        """
        keys = [self.key_of(request) for request in requests]
        known = self.cache.get_many(self.kind, list(dict.fromkeys(keys)), at=self.clock.now())
        found = {key: payload for key, payload in known.items() if self.is_intact(payload)}
        missing = {key: request for key, request in zip(keys, requests, strict=True) if key not in found}
        if missing:
            with self.unlocked():
                results = self.compute(list(missing.values()))
            made = dict(zip(missing, results, strict=True))
            self.cache.put_many(self.kind, made, at=self.clock.now())
            found.update(made)
        return Derived([found[key] for key in keys], len(missing))


class BatchProgress(NamedTuple):
    """A batch that begins or is over, and the requests of the pass so far."""

    requests: int
    """Requests of the batch, at least 1."""
    done: int
    """Requests of the pass that are carried out, the batch included once it is over."""
    reused: int
    """Number in `done` that no model was asked about."""
    total: int
    """Requests of the pass."""
    ms: int | None = None
    """Milliseconds that the batch took; None at its beginning."""


class Derivation(Protocol[Request]):
    """One kind of result that a model makes."""

    def pending(self, limit: int) -> Sequence[Request]:
        """Return the next requests that are not carried out, at most `limit`; none once all are."""
        ...

    def answer(self, batch: Sequence[Request]) -> Derived:
        """Return the results of requests.

        Raises:
            ExternalError: The model is not there or does not answer.
        """
        ...

    def store(self, batch: Sequence[Request], payloads: Sequence[bytes]) -> int | None:
        """Store results and commit that their requests are carried out, such as by replacing documents.

        Storing the same results again, after a kill before the commit, changes nothing.

        Returns:
            The number of requests that are carried out, where the results answer others as well; None for the batch.
        """
        ...

    def event_of(self, progress: BatchProgress) -> IngestEvent:
        """Return the event of a batch that begins (`ms` is None) or is over."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchSizes:
    """Sizes of batches, in requests."""

    first: int
    least: int
    most: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DerivationSummary:
    """Results of a pass, in requests."""

    computed: int
    """Computed by the model."""
    reused: int
    """Taken from an earlier result of the same content."""
    failure: KebabError | None
    """Why the pass ended early; what it had stored stays, and the next pass does the rest."""


class DerivationPass(Generic[Request]):
    """Carries requests out, batch by batch.

    Args:
        derivation: The requests, their model and their store.
        clock: Measures batches.
        events: Gets the events of batches.
        cancel: Ends the pass after the batch in hand.
        sizes: The first batch, and the bounds of those after it, which follow the speed of the batches so far.
        time_limit_s: Seconds after which no further batch begins; None is no limit.
        unlocked: Lets other processes write inside the block; entered between batches.
    """

    def __init__(
        self,
        derivation: Derivation[Request],
        *,
        clock: Clock,
        events: EventStream,
        cancel: CancelToken,
        sizes: BatchSizes,
        time_limit_s: float | None = None,
        unlocked: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._derivation = derivation
        self._clock = clock
        self._events = events
        self._cancel = cancel
        self._sizes = sizes
        self._batch_size = sizes.first
        self._done = 0
        self._total = 0
        self._computed = 0
        self._failure: KebabError | None = None
        self._time_limit_ms = None if time_limit_s is None else round(time_limit_s * 1000)
        self._started_ms: int | None = None
        self._unlocked = unlocked
        self._is_stuck = False
        self.is_time_over = False
        """Whether the time limit has ended the pass."""

    @property
    def is_stopped(self) -> bool:
        """Whether a failure, a cancel, the time limit or results that cannot be stored have ended the pass."""
        is_over = self.is_time_over or self._is_stuck
        return is_over or self._failure is not None or self._cancel.is_cancelled

    @property
    def done(self) -> int:
        """Number of requests that have a result."""
        return self._done

    @property
    def summary(self) -> DerivationSummary:
        """Results so far."""
        return DerivationSummary(
            computed=self._computed, reused=self._done - self._computed, failure=self._failure
        )

    def fail(self, error: KebabError) -> None:
        """End the pass with an error; the rest stays pending. Of several errors the first counts."""
        self._failure = self._failure or error

    def run(self, *, count_pending: Callable[[], int], between: Callable[[], None] = lambda: None) -> None:
        """Carry out what is pending; a model that fails ends the pass and is in the summary.

        Requests are read anew for each batch: other processes may have added some, and removed others.

        Args:
            count_pending: Counts the requests, for the events.
            between: Called between batches, unless the pass is cancelled.

        Raises:
            LockedError: Another process did not stop writing.
            StorageError: A result cannot be stored.
        """
        if self._started_ms is None:
            self._started_ms = self._clock.monotonic_ms()
        batch: Sequence[Request] = ()
        while not self.is_stopped:
            before, batch = batch, self._derivation.pending(self._batch_size)
            if not batch:
                return
            if batch == before:  # damage keeps their results from being stored
                self._is_stuck = True
                return
            if self._exceeds_time_limit():
                self.is_time_over = True
                return
            left = count_pending()
            self._total = self._done + left
            try:
                self._carry_out(batch)
            except ExternalError as error:
                self.fail(error)
                return
            if left > len(batch):
                if not self._cancel.is_cancelled:
                    between()
                with self._unlocked():  # a batch whose results are all known has not let anybody write
                    pass

    def _exceeds_time_limit(self) -> bool:
        limit, started_ms = self._time_limit_ms, self._started_ms or 0
        return limit is not None and self._clock.monotonic_ms() - started_ms >= limit

    def _carry_out(self, batch: Sequence[Request]) -> None:
        started_ms = self._clock.monotonic_ms()
        self._emit(len(batch))
        derived = self._derivation.answer(batch)
        stored = self._derivation.store(batch, derived.payloads)
        took_ms = self._clock.monotonic_ms() - started_ms
        self._done += max(len(batch), stored or 0)
        self._computed += derived.computed
        self._adapt_batch_size(requests=len(batch), ms=took_ms)
        self._emit(len(batch), ms=took_ms)

    def _emit(self, requests: int, *, ms: int | None = None) -> None:
        progress = BatchProgress(requests, self._done, self._done - self._computed, self._total, ms)
        self._events.emit(self._derivation.event_of(progress))

    def _adapt_batch_size(self, *, requests: int, ms: int) -> None:
        """Follow the speed of the batches so far; the size at most doubles."""
        sizes = self._sizes
        fitting = requests * TARGET_MS // ms if ms > 0 else sizes.most
        self._batch_size = max(sizes.least, min(fitting, 2 * self._batch_size, sizes.most))
