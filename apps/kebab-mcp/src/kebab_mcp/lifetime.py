"""When the server ends by itself: with its input, with its parent, on a signal. It never outlives whom it serves."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

import anyio

from kebab_mcp.watchdog import SIGNALS

_LOOK_S = 2.0
"""Seconds between two looks for the parent process: its death ends the input too, unless another process holds the other end."""
_SIGNAL_EXIT = 128
"""A process that a signal ended is known by this and the signal's number."""

Leave = Callable[[int], None]
"""Tidies up and ends the process with an exit code."""


def end_process(code: int) -> None:
    """End the process now: a thread that waits for input or for a model would keep it otherwise."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)


def leave_on_signal(leave: Leave) -> None:
    """From now on leave when a signal asks to end; to be called in the main thread."""
    for number in SIGNALS:
        signal.signal(number, lambda number, _frame: leave(_SIGNAL_EXIT + number))


async def leave_without_parent(leave: Leave) -> None:
    """Wait for the parent to end, and end too; where the parent is the system's first process, never."""
    parent = os.getppid()
    while parent != 1:
        await anyio.sleep(_LOOK_S)
        if os.getppid() != parent:
            leave(0)
