"""Debug lines of the steps of a piece of work: one line a step, with a trace id, milliseconds, ids and counts.

Search, answers and ingest write them with their loggers, `_LOG.debug("gate", extra=steps.extra(passed=True))`; nothing is measured
where those are not on. Lines never hold text of documents, queries or answers.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from kebab_core.ids import hash_canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_core.protocols.source import Clock

MAX_LOGGED_IDS = 5
"""Maximum number of ids in a debug line of a step that meets any number of chunks."""
_TRACE_ID: ContextVar[str | None] = ContextVar("kebab_trace_id", default=None)


class StepLog:
    """The steps of one piece of work. Belongs to one thread.

    Args:
        clock: Measures the steps.
        is_on: Whether debug lines are written.
    """

    def __init__(self, clock: Clock, *, is_on: bool) -> None:
        self._clock = clock
        self._last_ms = 0
        self.is_on = is_on
        """False: nothing is measured. Ask it before anything is computed for a line alone."""
        self.trace_id = _TRACE_ID.get() or ""
        """Id that the lines of one search, question or run share."""
        if self.is_on:
            self._last_ms = clock.monotonic_ms()
            self.trace_id = self.trace_id or _new_trace_id(clock)

    def extra(self, *, ms: int | None = None, **fields: object) -> dict[str, object]:
        """End a step, and return what its line has besides its name, as `logging` takes it; empty where nothing is measured.

        Args:
            ms: Milliseconds that it took elsewhere; None: those since the step before.
            fields: Its ids and counts.
        """
        if not self.is_on:
            return {}
        if ms is None:
            now_ms = self._clock.monotonic_ms()
            ms, self._last_ms = now_ms - self._last_ms, now_ms
        return {"fields": {"trace_id": self.trace_id, "ms": ms, **fields}}

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """Give this trace id to the work that is begun in the block."""
        token = _TRACE_ID.set(self.trace_id or None)
        try:
            yield
        finally:
            _TRACE_ID.reset(token)


def _new_trace_id(clock: Clock) -> str:
    return hash_canonical([clock.now().isoformat(), str(clock.monotonic_ms())])[:16]
