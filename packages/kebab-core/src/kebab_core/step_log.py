"""Debug lines of the steps of a piece of work: one line a step, with a trace id, milliseconds, ids and counts.

Search, answers and ingest write them with their loggers; nothing is measured where those are not on. Lines never hold
text of documents, queries or answers.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from kebab_core.ids import hash_canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kebab_core.protocols.source import Clock

MAX_LOGGED_IDS = 5
"""Maximum number of ids in a debug line of a step that meets any number of chunks."""
_DEBUG = 10
_TRACE_ID: ContextVar[str | None] = ContextVar("kebab_trace_id", default=None)


class StepLogger(Protocol):
    """The part of `logging.Logger` that is used."""

    def isEnabledFor(self, level: int, /) -> bool:  # noqa: N802 - logging's name
        """True if lines of the level are written."""
        ...

    def debug(self, message: str, /, *, extra: Mapping[str, object]) -> None:
        """Write a line with fields."""
        ...


class StepLog:
    """The steps of one piece of work. Belongs to one thread.

    Args:
        logger: Writes the lines: the name of the step, and in `fields` what belongs to it.
        clock: Measures the steps.
    """

    def __init__(self, logger: StepLogger, clock: Clock) -> None:
        self._logger = logger
        self._clock = clock
        self._last_ms = 0
        self.is_on = logger.isEnabledFor(_DEBUG)
        """False: `step` does nothing. Ask it before anything is computed for a line alone."""
        self.trace_id = _TRACE_ID.get() or ""
        """Id that the lines of one search, question or run share."""
        if self.is_on:
            self._last_ms = clock.monotonic_ms()
            self.trace_id = self.trace_id or _new_trace_id(clock)

    def step(self, name: str, *, ms: int | None = None, **fields: object) -> None:
        """Write that a step has ended.

        Args:
            name: Of the step.
            ms: Milliseconds that it took elsewhere; None: those since the step before.
            fields: Its ids and counts.
        """
        if not self.is_on:
            return
        if ms is None:
            now_ms = self._clock.monotonic_ms()
            ms, self._last_ms = now_ms - self._last_ms, now_ms
        self._logger.debug(name, extra={"fields": {"trace_id": self.trace_id, "ms": ms, **fields}})

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
