"""Turns of calls: few work at once, and a call that waits for a model gives its turn to another.

So that calls whose model never answers keep no search waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_mcp.call import Call

WORKING = 4
"""Calls that work at once; each thread has a connection to the database of its own."""
WAITING = 16
"""Calls that wait for a model at once, at most."""


class Turns:
    """Hands out turns, from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._working = 0
        self._waiting: set[Call] = set()
        self._is_closed = False

    @contextmanager
    def turn(self, call: Call) -> Iterator[None]:
        """Wait for a turn, and keep it for the block but for its waits for a model.

        Raises:
            WorkCancelledError: The call was cancelled before its turn.
        """
        call.on_cancel(self._wake)
        with self._changed:
            self._changed.wait_for(lambda: call.is_cancelled or self._working < WORKING)
            call.raise_if_cancelled()
            self._working += 1
        try:
            yield
        finally:
            self._give_back()

    @contextmanager
    def model_wait(self, call: Call, stop: Callable[[], None], *, has_turn: bool) -> Iterator[None]:
        """Give the turn of a call to another while it waits for a model; afterwards it goes on at once.

        It does not wait for its turn again: it may hold a lock that those who have one wait for.

        Args:
            call: The call; its cancellation ends the wait.
            stop: Ends the wait.
            has_turn: Whether it has one.

        Raises:
            WorkCancelledError: The call was cancelled, or no call waits for a model any more.
            LockedError: Too many calls wait for models.
        """
        from kebab_core import LockedError

        with self._changed:
            if self._is_closed:
                call.cancel()
            call.raise_if_cancelled()
            if call in self._waiting:  # a wait within another, such as for the vector of a claim
                is_first = False
            elif len(self._waiting) >= WAITING:
                raise LockedError(
                    "{count} calls wait for a model already",
                    hint="call again when one of them is answered; `search` in mode lexical, `fetch` and `list` need none",
                    _count=WAITING,
                )
            else:
                is_first = True
                self._waiting.add(call)
        call.on_cancel(stop)
        if is_first and has_turn:
            self._give_back()
        try:
            yield
        finally:
            if is_first:
                with self._changed:
                    self._waiting.discard(call)
                    self._working += has_turn

    def end_model_waits(self) -> None:
        """Cancel every call that waits for a model, now or later."""
        with self._changed:
            self._is_closed = True
            waiting = tuple(self._waiting)
        for call in waiting:
            call.cancel()

    def _give_back(self) -> None:
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
