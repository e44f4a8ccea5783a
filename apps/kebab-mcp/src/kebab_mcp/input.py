"""Standard input, which belongs to the protocol: read line by line, and each line kept until its message is dealt with."""

from __future__ import annotations

import fcntl
import os
from collections import deque
from collections.abc import AsyncIterator

import anyio

_FIRST_FREE = 3
"""Descriptors below are standard ones, whatever they are."""


class Input:
    """The input that messages are read from, line by line.

    Args:
        descriptor: Open for reading.
    """

    def __init__(self, descriptor: int) -> None:
        # Left open: a thread may wait in it when everything else has ended.
        file = open(descriptor, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        self._file = anyio.wrap_file(file)
        self.lines: deque[str] = deque()
        """Lines that were read, for whoever takes the messages to take away."""

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines."""
        async for line in self._file:
            self.lines.append(line)
            yield line


def take_input() -> Input:
    """Return standard input, and let whoever else reads it from now on find it empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        descriptor = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    except OSError:  # it is closed
        return Input(nothing)
    os.dup2(nothing, 0)
    os.close(nothing)
    return Input(descriptor)
