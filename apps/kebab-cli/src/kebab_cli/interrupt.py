"""Ctrl-C during long work: the first asks to stop, the second stops."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from kebab_cli.exit_codes import INTERRUPTED

if TYPE_CHECKING:
    from kebab_app import CancelToken


@contextmanager
def cancel_on_interrupt(cancel: CancelToken) -> Iterator[None]:
    """Inside the block, turn the first SIGINT into a cancel; a second one ends the process at once.

    Yields:
        Nothing.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if cancel.is_cancelled:
            os._exit(INTERRUPTED)
        cancel.cancel()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
