"""Cancellation of work: a token that whoever asks for work keeps, and that the work looks at."""

from __future__ import annotations


class WorkCancelledError(Exception):
    """The work was cancelled.

    Not a `KebabError`, so that no code on the way handles it as a failure of its own and goes on.
    """


class CancelToken:
    """Asks work to stop after the file, batch or hit in hand; from any thread."""

    def __init__(self) -> None:
        self._is_cancelled = False

    def cancel(self) -> None:
        """Ask; may be called from a signal handler, and more than once."""
        self._is_cancelled = True

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._is_cancelled

    def raise_if_cancelled(self) -> None:
        """Stop cancelled work.

        Raises:
            WorkCancelledError: `cancel` was called.
        """
        if self._is_cancelled:
            raise WorkCancelledError
