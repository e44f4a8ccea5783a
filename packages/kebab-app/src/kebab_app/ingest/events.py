"""Handing events to whoever watches, and keeping them coming when work is slow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kebab_core import AssetStarted, Clock, Heartbeat, IngestEvent

TICK_SECONDS = 0.9
"""A tick after which nothing was said beats. An event just after a tick is followed by silence for almost two of
them, and nobody waits longer than 2 s for a sign of life."""

EventSink = Callable[[IngestEvent], None]


class EventStream:
    """Passes events on one at a time, from any thread, and adds heartbeats in silent stretches."""

    def __init__(self, sink: EventSink, *, clock: Clock) -> None:
        self._sink = sink
        self._clock = clock
        self._lock = threading.Lock()
        self._spoke = False
        self._stop = threading.Event()
        self._last: AssetStarted | None = None
        self._failure: Exception | None = None
        self.phase = "scan"

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
            if isinstance(event, AssetStarted):
                self._last = event
            self._sink(event)

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
        last = self._last
        return Heartbeat(
            ts=self._clock.now(),
            phase=self.phase,
            idx=last.idx if last else 0,
            total=last.total if last else 0,
            path=last.path if last else None,
        )
