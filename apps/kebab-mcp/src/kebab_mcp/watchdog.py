"""A second process that ends the server where the server does not end itself.

A thread that is deep in a library and holds Python's global lock keeps every other from running, signal handlers
included. What is written to the wakeup descriptor is written by the interpreter's handler in C, which needs no lock, so
this process hears of a signal in any case. Nothing is lost: what kebab stores survives a kill at any moment.
"""

from __future__ import annotations

import math
import os
import select
import signal
import time
from contextlib import suppress

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that ask the server to end."""
_GRACE_S = 4.0
"""Seconds that the server has to end by itself: more than it gives the calls at work."""
_LOOK_S = 2.0
"""Seconds between two looks for the parent process."""
_INPUT, _OUTPUT = 0, 1
_MOST_SIGNALS = 64
_MOST_DESCRIPTORS = 1 << 16


def start_watchdog(*, last_answers_s: float) -> None:
    """Fork the process that watches this one; to be called in the main thread, before there are others.

    From now on the process is killed soon after a signal that asks it to end, the end of its parent, or, later, the end
    of its input, where it has not ended by then.

    Args:
        last_answers_s: How long the server may go on after the end of its input.
    """
    server, parent = os.getpid(), os.getppid()
    heard, wakeup = os.pipe()
    if os.fork() == 0:
        try:
            _prepare(keep=heard)
            _watch(server, parent, heard, last_answers_s=last_answers_s)
        finally:
            os._exit(0)
    os.close(heard)
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)


def _prepare(*, keep: int) -> None:
    """Close what is the server's, but for its two ends of the connection, and leave signals of a group to it."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.close(2)
    os.closerange(3, keep)
    os.closerange(keep + 1, _MOST_DESCRIPTORS)


def _watch(server: int, parent: int, heard: int, *, last_answers_s: float) -> None:
    """Wait for the server to end, and kill it where it is to end and does not."""
    poll = select.poll()
    poll.register(heard, select.POLLIN)
    poll.register(_INPUT, 0)  # for its end alone
    os.set_blocking(heard, False)
    deadline = math.inf
    while (left := deadline - time.monotonic()) > 0 and os.getppid() == server:
        events = dict(poll.poll(min(left, _LOOK_S) * 1000))
        if heard in events and not os.read(heard, _MOST_SIGNALS):
            return  # the server has ended
        if heard in events or _OUTPUT in events or not _is_alive(parent):
            deadline = min(deadline, time.monotonic() + _GRACE_S)
        if _INPUT in events:
            deadline = min(deadline, time.monotonic() + last_answers_s + _GRACE_S)
            poll.register(_OUTPUT, 0)  # for the end of whoever reads answers
        for descriptor in events.keys() - {heard}:
            poll.unregister(descriptor)
    if os.getppid() == server:
        os.kill(server, signal.SIGKILL)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is somebody else's
        return True
    return True
