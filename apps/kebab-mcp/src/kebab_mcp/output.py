"""Standard output, which belongs to the protocol: written without a thread where the client keeps reading."""

from __future__ import annotations

import fcntl
import os
import select

import anyio.to_thread

_FIRST_FREE = 3
"""Descriptors below are standard ones, whatever they are."""


class Output:
    """Where messages go.

    A thread for each message would be two more turns to wait for on a busy machine.

    Args:
        descriptor: Open for writing; may block.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._waiting = b""

    async def write(self, text: str) -> None:
        """Take text, to be written by `flush`."""
        self._waiting += text.encode()

    async def flush(self) -> None:
        """Write what was taken; where the client is slow to read, a thread waits for it.

        Raises:
            OSError: Nobody reads any more.
        """
        content, self._waiting = self._waiting, b""
        while content and self._takes_more():
            # So much of a pipe is free whenever any is.
            content = content[os.write(self.descriptor, content[: select.PIPE_BUF]) :]
        if content:
            await anyio.to_thread.run_sync(self._write_all, content, abandon_on_cancel=True)

    def _takes_more(self) -> bool:
        return bool(self._poll.poll(0))

    def _write_all(self, content: bytes) -> None:
        while content:
            content = content[os.write(self.descriptor, content) :]


def take_output() -> Output:
    """Return standard output, and let whatever else is printed from now on go to standard error."""
    output = Output(fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE))
    try:
        os.dup2(2, 1)
    except OSError:  # it is closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    return output
