"""A second process that ends the server where it does not end by itself."""

from __future__ import annotations

import math
import os
import select
import signal
import time
from contextlib import suppress

GRACE_S = 1.5
"""Seconds that cancelled work may take to stop; clients kill a server after 2 s."""
LAST_ANSWERS_S = 30.0
"""Seconds that pending requests may take after the end of the input, while the output is still read; none waits for a model."""
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that ask the server to end."""
SIGNAL_EXIT = 128
"""Exit code after a signal, less the number of the signal."""
LOOK_S = 2.0
"""Seconds between two checks of the parent process, whose death ends the input too unless another process holds it open."""
_KILL_AFTER_S = 4.0
"""Seconds that the server has to end by itself; more than it gives running calls."""
_INPUT, _OUTPUT = 0, 1
_MOST_SIGNALS = 64
_MOST_DESCRIPTORS = 1 << 16


def start_watchdog() -> None:
    """Fork the watchdog of this process; to be called in the main thread, before there are others.

    The watchdog kills this process where it has not ended soon after a signal, after the end of its parent, or, later,
    after the end of its input. A thread that is deep in a library and holds Python's global lock keeps every other thread
    from running, signal handlers included; the wakeup descriptor is written by the interpreter's handler in C, which needs
    no lock. Nothing is lost: what kebab stores survives a kill at any moment.
    """
    server, parent = os.getpid(), os.getppid()
    heard, wakeup = os.pipe()
    if os.fork() == 0:
        try:
            _prepare(keep=heard)
            _watch(server, parent, heard)
        finally:
            os._exit(0)
    os.close(heard)
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)


def _prepare(*, keep: int) -> None:
    """Close descriptors of the server, except input and output, and ignore signals that are sent to the group."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.close(2)
    os.closerange(3, keep)
    os.closerange(keep + 1, _MOST_DESCRIPTORS)


def _watch(server: int, parent: int, heard: int) -> None:
    """Wait for the server to end, and kill it where it should have ended."""
    poll = select.poll()
    poll.register(heard, select.POLLIN)
    poll.register(_INPUT, 0)  # for its end alone
    os.set_blocking(heard, False)
    deadline = math.inf
    while (left := deadline - time.monotonic()) > 0 and os.getppid() == server:
        events = dict(poll.poll(min(left, LOOK_S) * 1000))
        if heard in events and not os.read(heard, _MOST_SIGNALS):
            return  # the server has ended
        if heard in events or _OUTPUT in events or not _is_alive(parent):
            deadline = min(deadline, time.monotonic() + _KILL_AFTER_S)
        if _INPUT in events:
            deadline = min(deadline, time.monotonic() + LAST_ANSWERS_S + GRACE_S + _KILL_AFTER_S)
            poll.register(_OUTPUT, 0)  # for the end of the reader
        for descriptor in events.keys() - {heard}:
            poll.unregister(descriptor)
    if os.getppid() == server:
        os.kill(server, signal.SIGKILL)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True
