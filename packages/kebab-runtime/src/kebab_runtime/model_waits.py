"""Waits for models: who runs many calls at once is told of each, and can end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

WaitGuard = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Is entered before a wait for a model, with what ends the wait from another thread, and left after it. May raise an
error of kebab instead, which is that of the call."""

_GUARD: ContextVar[WaitGuard | None] = ContextVar("_GUARD", default=None)


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
