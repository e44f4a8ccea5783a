"""Handing events to whoever watches, and keeping them coming when work is slow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from kebab_core import (
    AssetStarted,
    Clock,
    EmbedBatchFinished,
    EmbedBatchStarted,
    Heartbeat,
    IngestEvent,
    WorkspacePath,
)

TICK_SECONDS = 0.9
"""A tick after which nothing was said beats. An event just after a tick is followed by silence for almost two of
them, and nobody waits longer than 2 s for a sign of life."""

EventSink = Callable[[IngestEvent], None]


class _Place(NamedTuple):
    """How far a phase is; what a heartbeat repeats."""

    idx: int = 0
    total: int = 0
    path: WorkspacePath | None = None


class EventStream:
    """Passes events on one at a time, from any thread, and adds heartbeats in silent stretches."""

    def __init__(self, sink: EventSink, *, clock: Clock) -> None:
        self._sink = sink
        self._clock = clock
        self._lock = threading.Lock()
        self._spoke = False
        self._stop = threading.Event()
        self._place = _Place()
        self._failure: Exception | None = None
        self._phase = "scan"

    def enter(self, phase: str) -> None:
        """Begin another phase; heartbeats name it."""
        with self._lock:
            self._phase, self._place = phase, _Place()

    def emit(self, event: IngestEvent) -> None:
        """Pass one event on.

        Raises:
            Exception: Whoever watches failed, now or on a heartbeat before.
        """
        with self._lock:
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            self._spoke = True
            self._note_place(event)
            self._sink(event)

    def _note_place(self, event: IngestEvent) -> None:
        match event:
            case AssetStarted():
                self._place = _Place(event.idx, event.total, event.path)
            case EmbedBatchStarted() | EmbedBatchFinished():
                self._place = _Place(event.done, event.total)

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Emit heartbeats inside the block whenever nothing else was said for a while.

        Yields:
            Nothing.
        """
        thread = threading.Thread(target=self._beat, name="kebab-heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(TICK_SECONDS):
            with self._lock:
                if not self._spoke and self._failure is None:
                    self._try_beat()
                self._spoke = False

    def _try_beat(self) -> None:
        try:
            self._sink(self._heartbeat())
        except Exception as error:  # noqa: BLE001 - nobody hears this thread; the next event hands it on
            self._failure = error

    def _heartbeat(self) -> Heartbeat:
        return Heartbeat(ts=self._clock.now(), phase=self._phase, **self._place._asdict())
