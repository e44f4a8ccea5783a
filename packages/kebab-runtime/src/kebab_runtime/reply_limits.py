"""Limits of one reply of a model: time of the whole, bytes, and silence. `ReplyWatch` holds any model to them.

Who runs many calls at once is told of each wait for a model, and can end it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from threading import Event, Thread
from types import TracebackType
from typing import Literal, NamedTuple, Self

from kebab_core import KebabError, LlmSettings, Message, OperationTimeoutError, Remedy

_BYTES_PER_MB = 1024 * 1024

Limit = Literal["silence", "total", "bytes"]
_SETTINGS: Mapping[Limit, str] = {
    "silence": "read_timeout_s",
    "total": "total_timeout_s",
    "bytes": "max_reply_mb",
}

WaitGuard = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Is entered before a wait for a model, with what ends the wait from another thread, and left after it. May raise an
error of kebab instead, which is that of the call."""

_GUARD: ContextVar[WaitGuard | None] = ContextVar("_GUARD", default=None)


class ReplyLimits(NamedTuple):
    """Limits of one reply, and the section of the settings that has them."""

    connect_s: float = 5.0
    """Seconds to wait for a connection."""
    silence_s: float = 120.0
    """Seconds without a part of the reply; a server may load its model before the first one."""
    total_s: float = 600.0
    """Seconds until its end."""
    max_mb: int = 64
    """MiB of all that is sent."""
    section: str | None = None
    """Section with `read_timeout_s`, `total_timeout_s` and `max_reply_mb`; None where the limits are fixed."""

    @classmethod
    def of_settings(cls, settings: LlmSettings) -> ReplyLimits:
        """Limits of the replies of a chat model."""
        return cls(
            connect_s=settings.connect_timeout_s,
            silence_s=settings.read_timeout_s,
            total_s=settings.total_timeout_s,
            max_mb=settings.max_reply_mb,
            section="models.llm",
        )

    def facts_only(self) -> ReplyLimits:
        """The limits where a server tells about its models, which takes it no model."""
        return self._replace(total_s=min(self.silence_s, 60.0), max_mb=8, section=None)

    def error(self, passed: Limit, *, name: Message, check: Remedy) -> KebabError:
        """Build the error of a reply that passed a limit.

        Args:
            passed: The limit.
            name: Whose reply it is.
            check: What to look at besides the setting.
        """
        errors = {
            "silence": OperationTimeoutError(
                "{name} sent no part of a reply for {timeout_s:g} s", timeout_s=self.silence_s, _name=name
            ),
            "total": OperationTimeoutError(
                "{name} was not done with a reply after {timeout_s:g} s", timeout_s=self.total_s, _name=name
            ),
            "bytes": OperationTimeoutError(
                "{name} sent more than {max_mb} MB in one reply", max_mb=self.max_mb, _name=name
            ),
        }
        error = errors[passed]
        if self.section is not None:
            raise_setting = Remedy(kind="raise_setting", setting=f"{self.section}.{_SETTINGS[passed]}")
            check = check.model_copy(update={"otherwise": raise_setting})
        error.remedy = check
        return error


class ReplyWatch:
    """Holds one reply to its limits; a context manager around the wait for it.

    Args:
        limits: The limits.
        stop: Ends the wait, from another thread: the reader then fails, or finds the end.

    Attributes:
        passed: The limit that was passed; None as long as there is none.
    """

    def __init__(self, limits: ReplyLimits, stop: Callable[[], None]) -> None:
        self.limits = limits
        self.passed: Limit | None = None
        self._stop_reading = stop
        self._bytes = 0
        self._is_over = Event()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(waiting_for_model(self._stop_reading))
        self._started = self._last_part = time.monotonic()
        Thread(target=self._watch, name="reply-watch", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._stack.close()

    def note_part(self) -> None:
        """Record a part of the reply: it is not silent."""
        self._last_part = time.monotonic()

    def note_bytes(self, count: int) -> None:
        """Record bytes that were received; too many pass the limit."""
        self._bytes += count
        if self._bytes > self.limits.max_mb * _BYTES_PER_MB:
            self.passed = self.passed or "bytes"

    def _watch(self) -> None:
        while self.passed is None:
            now = time.monotonic()
            left = {
                "total": self._started + self.limits.total_s - now,
                "silence": self._last_part + self.limits.silence_s - now,
            }
            due = min(left.values())
            if due <= 0:
                self.passed = "total" if left["total"] <= 0 else "silence"
                self._stop_reading()
            elif self._is_over.wait(None if math.isinf(due) else due):
                return


@contextmanager
def guard_model_waits(guard: WaitGuard) -> Iterator[None]:
    """Inside the block, a guard stands around each wait of this thread for a model."""
    token = _GUARD.set(guard)
    try:
        yield
    finally:
        _GUARD.reset(token)


def waiting_for_model(stop: Callable[[], None]) -> AbstractContextManager[None]:
    """Stand around a wait for a model.

    Args:
        stop: Ends the wait; called from another thread, more than once, also after its end.
    """
    guard = _GUARD.get()
    return nullcontext() if guard is None else guard(stop)
