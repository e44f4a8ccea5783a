"""Standard input and output, taken over so that nothing but messages of the protocol passes through them."""

from __future__ import annotations

import fcntl
import os
import select
from typing import TextIO

_FIRST_FREE = 3
"""Lower descriptors are the standard ones."""


def take_input() -> TextIO:
    """Take over standard input; any other reader finds it empty from now on."""
    nothing = os.open(os.devnull, os.O_RDONLY)  # is 0 itself where that is closed
    descriptor = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    if nothing:
        os.dup2(nothing, 0)
        os.close(nothing)
    # A thread may wait in it when everything else has ended, which closing would wait for.
    return open(descriptor, encoding="utf-8", errors="replace", closefd=False)


class Output:
    """The output of messages, written without a thread while the client keeps reading.

    A thread for each message would wait twice for the scheduler of a busy machine.

    Args:
        descriptor: Open for writing; may block.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)

    async def write(self, text: str) -> None:
        """Write text; where the client is slow to read, a thread waits for it.

        Raises:
            OSError: Nobody reads any more.
        """
        content = text.encode()
        while content and self._poll.poll(0):
            # So much of a pipe is free whenever any is.
            content = content[os.write(self.descriptor, content[: select.PIPE_BUF]) :]
        if content:
            import anyio.to_thread

            await anyio.to_thread.run_sync(self.write_all, content, abandon_on_cancel=True)

    def write_all(self, content: bytes) -> None:
        """Write bytes, and wait for the client to read.

        Raises:
            OSError: Nobody reads any more.
        """
        while content:
            content = content[os.write(self.descriptor, content) :]


def take_output() -> Output:
    """Take over standard output; other output goes to standard error from now on."""
    output = Output(fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE))
    try:
        os.dup2(2, 1)
    except OSError:  # it is closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    return output
