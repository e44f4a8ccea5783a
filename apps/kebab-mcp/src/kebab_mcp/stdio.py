"""Input and output as streams of the protocol, from the first request to the last answer.

Requests that were sent before the end of the input are still answered, but for those that wait for a model. A line with half a character is repaired; any
other line that is no message is answered with an error.
"""

from __future__ import annotations

import json
import re
import select
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.types import RequestId

    from kebab_mcp.opening import Opening
    from kebab_mcp.process_io import Output

    Streams = tuple[
        MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
    ]

_LOOK_S = 0.02
"""Seconds between two checks at the end of the input for pending requests, and whether the output is still read."""
_ENDLESS = "subscriptions/listen"
"""A request that lasts as long as the connection."""
_HALF = re.compile("[\ud800-\udfff]")
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@asynccontextmanager
async def open_streams(
    opening: Opening, output: Output, *, within_s: float, on_end: Callable[[], None]
) -> AsyncIterator[Streams]:
    """Read and write messages for the block.

    Args:
        opening: The input, and what was read of it; what it has answered is not answered again.
        output: The output.
        within_s: Seconds that answers may take after the end of the input.
        on_end: Called at the end of the input.

    Yields:
        Messages of the client, which end only when the input has ended and its requests are answered, and messages to
        the client.
    """
    pending = _PendingRequests(output.descriptor)
    received, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, sent = anyio.create_memory_object_stream[SessionMessage](0)
    refusals = outgoing.clone()

    async def read() -> None:
        async with received, refusals:
            async for line in _all_lines(opening):
                message = _parse(line)
                if message is not None:
                    pending.note_received(message)
                    await received.send(SessionMessage(message))
                    continue
                for refusal in _refuse(line):
                    await refusals.send(SessionMessage(refusal))
            on_end()
            with anyio.move_on_after(within_s):
                await pending.wait()

    async def write() -> None:
        async with sent:
            async for item in sent:
                if not opening.has_answered(item.message):
                    await output.write(item.message.model_dump_json(by_alias=True, exclude_unset=True) + "\n")
                pending.note_sent(item.message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        yield incoming, outgoing


async def _all_lines(opening: Opening) -> AsyncIterator[str]:
    for line in opening.read:
        yield line
    # Left open: a thread may wait in it when everything else has ended.
    async for line in anyio.wrap_file(opening.lines):
        yield line


class _PendingRequests:
    """The requests without an answer.

    Args:
        output: Descriptor that answers are written to; stays open.
    """

    def __init__(self, output: int) -> None:
        self._poll = select.poll()
        self._poll.register(output, 0)
        self._waiting: set[str] = set()

    def note_received(self, message: JSONRPCMessage) -> None:
        """Record a message of the client."""
        if isinstance(message, JSONRPCRequest) and message.method != _ENDLESS:
            self._waiting.add(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._waiting.discard(str((message.params or {}).get("requestId")))

    def note_sent(self, message: JSONRPCMessage) -> None:
        """Record a message to the client."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._waiting.discard(str(message.id))

    async def wait(self) -> None:
        """Wait until every request is answered, or the output is no longer read."""
        while self._waiting and not self._poll.poll(0):
            await anyio.sleep(_LOOK_S)


def _parse(line: str) -> JSONRPCMessage | None:
    """Parse a line; None where it is no message.

    A half character, such as the first half of an emoji that was cut, becomes the replacement character.
    """
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _parse_with_half(line) if _HALF_ESCAPED.search(line) else None
    return None if isinstance(message, JSONRPCNotification) and _has_unusable_id(line) else message


def _parse_with_half(line: str) -> JSONRPCMessage | None:
    try:
        whole = json.dumps(json.loads(line), ensure_ascii=False)
        return jsonrpc_message_adapter.validate_json(_HALF.sub(_REPLACEMENT, whole), by_name=False)
    except (ValueError, RecursionError):
        return None


def _has_unusable_id(line: str) -> bool:
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


def _refuse(line: str) -> Iterator[JSONRPCError]:
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
