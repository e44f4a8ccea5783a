"""Standard input and output as streams of the protocol, and lines of the input that are not messages.

A line with half a character is repaired; any other line that is no message is answered with an error.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

if TYPE_CHECKING:
    from mcp.types import RequestId


_FIRST_FREE = 3
"""Lower descriptors are the standard ones."""
_HALF = re.compile("[\ud800-\udfff]")
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Input:
    """The input of messages, line by line; each line is kept until its message is handled.

    Args:
        descriptor: Open for reading.
    """

    def __init__(self, descriptor: int) -> None:
        # Left open: a thread may wait in it when everything else has ended.
        file = open(descriptor, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        self._file = anyio.wrap_file(file)
        self.lines: deque[str] = deque()
        """Lines that were read; the consumer of messages removes them."""

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines."""
        async for line in self._file:
            self.lines.append(line)
            yield line


def take_input() -> Input:
    """Take over standard input; any other reader finds it empty from now on."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        descriptor = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    except OSError:  # it is closed
        return Input(nothing)
    os.dup2(nothing, 0)
    os.close(nothing)
    return Input(descriptor)


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
        self._waiting = b""

    async def write(self, text: str) -> None:
        """Buffer text for `flush`."""
        self._waiting += text.encode()

    async def flush(self) -> None:
        """Write the buffer; where the client is slow to read, a thread waits for it.

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
    """Take over standard output; other output goes to standard error from now on."""
    output = Output(fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE))
    try:
        os.dup2(2, 1)
    except OSError:  # it is closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    return output


def repair(line: str) -> SessionMessage | None:
    """Repair a line with half a character in it, such as the first half of an emoji that was cut.

    The half becomes the replacement character. Any other line gives None.
    """
    if not _HALF_ESCAPED.search(line):
        return None
    try:
        whole = json.dumps(json.loads(line), ensure_ascii=False)
        return SessionMessage(
            jsonrpc_message_adapter.validate_json(_HALF.sub(_REPLACEMENT, whole), by_name=False)
        )
    except (ValueError, RecursionError):
        return None


def has_unusable_id(line: str) -> bool:
    """True if a request has an id of a kind that the protocol does not know; the SDK takes it for a notification.

    A null id counts as absent: some clients write it so.
    """
    if '"id"' not in line and "\\u" not in line:
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # such as a number of thousands of digits
        return True
    return isinstance(value, dict) and value.get("id") is not None


def refuse(line: str) -> Iterator[JSONRPCError]:
    """Yield an error for each request of a line that is no message; none where no answer is expected.

    Args:
        line: Not a message of the protocol.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        if line.strip():
            yield _refusal(None, PARSE_ERROR, "the line is not JSON")
        return
    if isinstance(value, list):
        said = "batches are not taken: send each request on a line of its own"
        ids = [
            each["id"]
            for each in value
            if isinstance(each, dict) and "method" in each and _is_id(each.get("id"))
        ]
        for request in ids or [None]:
            yield _refusal(request, INVALID_REQUEST, said)
    elif not isinstance(value, dict) or _expects_answer(value):
        request = value.get("id") if isinstance(value, dict) else None
        said = (
            "the line is no request: it needs jsonrpc, an id that is text or a whole number, method and, where there "
            "are any, params as an object"
        )
        yield _refusal(request if _is_id(request) else None, INVALID_REQUEST, said)


def _expects_answer(value: dict[str, Any]) -> bool:
    return "id" in value and ("method" in value or not {"result", "error"} & value.keys())


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _refusal(request: RequestId | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=message))
