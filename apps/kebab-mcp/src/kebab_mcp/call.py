"""One call of a tool, as the thread that works on it sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import SearchHit

_IN_HAND: ContextVar[Call | None] = ContextVar("_IN_HAND", default=None)

Report = Callable[[float, float | None, str], None]
"""Tells how far a call is: progress, which only rises, total where it is known, and a word. From any thread."""


class CallCancelledError(Exception):
    """Nobody waits for the result any more.

    None of `kebab_core`, so that nothing on the way takes it for a failure of its own and goes on without.
    """


class Call:
    """The knowledge base for one call, whether it is still wanted, and how to tell how far it is.

    Args:
        open_app: Returns the knowledge base; raises what is wrong with its configuration.
        report: Tells how far the call is; None where nobody asked.
    """

    def __init__(self, open_app: Callable[[], App], *, report: Report | None = None) -> None:
        self._open_app = open_app
        self._report = report
        self._guard = threading.Lock()
        self._on_cancel: list[Callable[[], None]] = []
        self._cancelled = False
        self._done = threading.Event()

    @property
    def app(self) -> App:
        """The knowledge base, opened now where it is not yet."""
        return self._open_app()

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for the result any more."""
        return self._cancelled

    def require_wanted(self) -> None:
        """Do nothing while somebody waits for the result.

        Raises:
            CallCancelledError: Nobody does.
        """
        if self._cancelled:
            raise CallCancelledError

    @contextmanager
    def in_hand(self) -> Iterator[None]:
        """Have what works in this thread meanwhile notice, in places, that nobody waits for the result any more.

        Raises:
            CallCancelledError: Nobody does already.
        """
        self.require_wanted()
        token = _IN_HAND.set(self)
        try:
            yield
        finally:
            _IN_HAND.reset(token)

    def on_cancel(self, stop: Callable[[], None]) -> None:
        """Have work stopped when the call is cancelled; at once where it is already."""
        with self._guard:
            if not self._cancelled:
                self._on_cancel.append(stop)
                return
        stop()

    def cancel(self) -> None:
        """Ask the work to stop; from any thread, more than once."""
        with self._guard:
            self._cancelled = True
            waiting, self._on_cancel = self._on_cancel, []
        for stop in waiting:
            stop()

    def report(self, progress: float, total: float | None, message: str) -> None:
        """Tell how far the call is, where anybody asked and still waits."""
        if self._report is not None and not self._cancelled:
            self._report(progress, total, message)

    def finish(self) -> None:
        """Note that the thread is through with it."""
        self._done.set()

    def wait(self, timeout_s: float) -> bool:
        """Return whether the thread is through with it, after waiting at most so long."""
        return self._done.wait(timeout_s)


def count_wanted_hit(hit: SearchHit) -> int:
    """Return what a hit in brief costs of a budget; a search does so hit by hit, and stops here where it is cancelled.

    Raises:
        CallCancelledError: Nobody waits for what the call in hand finds.
    """
    from kebab_app import count_brief_hit

    call = _IN_HAND.get()
    if call is not None:
        call.require_wanted()
    return count_brief_hit(hit)
