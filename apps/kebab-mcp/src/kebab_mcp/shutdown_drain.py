"""Drain at shutdown: requests that were sent before the end of the input are still answered."""

from __future__ import annotations

import select
from collections import deque
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream


StreamT = TypeVar("StreamT", bound="ReadStream[SessionMessage | Exception] | WriteStream[SessionMessage]")

_LOOK_S = 0.2
"""Seconds between two checks that the output is still read, while requests are pending."""
_ENDLESS = "subscriptions/listen"
"""A request that lasts as long as the connection."""


class PendingRequests:
    """The requests without an answer.

    Args:
        output: Descriptor that answers are written to; stays open.
        within_s: Seconds to wait for answers, at most.
    """

    def __init__(self, output: int, *, within_s: float) -> None:
        self._within_s = within_s
        self._poll = select.poll()
        self._poll.register(output, 0)
        self._waiting: set[str] = set()
        self._none_left = anyio.Event()

    def note_received(self, item: SessionMessage | Exception) -> None:
        """Record a message of the client."""
        message = None if isinstance(item, Exception) else item.message
        if isinstance(message, JSONRPCRequest) and message.method != _ENDLESS:
            self._waiting.add(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    def note_sent(self, item: SessionMessage) -> None:
        """Record a message to the client."""
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._settle(item.message.id)

    async def wait(self) -> None:
        """Wait until every request is answered, the output is no longer read, or the time is over."""
        with anyio.move_on_after(self._within_s):
            while self._waiting and not self._poll.poll(0):
                with anyio.move_on_after(_LOOK_S):
                    await self._none_left.wait()

    def _settle(self, request: object) -> None:
        self._waiting.discard(str(request))
        if not self._waiting:
            self._none_left.set()
            self._none_left = anyio.Event()


class _TrackedStream(Generic[StreamT]):
    """One end of the connection; records its messages."""

    def __init__(self, stream: StreamT, pending: PendingRequests) -> None:
        self._stream = stream
        self._pending = pending

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class TrackedInput(_TrackedStream["ReadStream[SessionMessage | Exception]"]):
    """Messages of the client; ends when the input has ended and its requests are answered.

    Args:
        stream: Messages and errors of the SDK.
        pending: Records them.
        lines: The line of each message or error, in order.
        outgoing: Receives errors about lines that are no messages.
    """

    def __init__(
        self,
        stream: ReadStream[SessionMessage | Exception],
        pending: PendingRequests,
        lines: deque[str],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
        super().__init__(stream, pending)
        self._lines = lines
        self._outgoing = outgoing

    async def receive(self) -> SessionMessage | Exception:
        """Receive the next message.

        Raises:
            EndOfStream: There is none, and all requests are answered.
        """
        try:
            item = await self._stream.receive()
        except anyio.EndOfStream:
            await self._pending.wait()
            raise
        item = await self._repair_or_refuse(item, self._lines.popleft())
        self._pending.note_received(item)
        return item

    async def _repair_or_refuse(
        self, item: SessionMessage | Exception, line: str
    ) -> SessionMessage | Exception:
        """Message of a line, repaired where that is possible; else answer the line with errors and return one."""
        from kebab_mcp.stdio import has_unusable_id, refuse, repair

        if isinstance(item, Exception):
            message = repair(line)
            if message is not None:
                return message
        elif not (isinstance(item.message, JSONRPCNotification) and has_unusable_id(line)):
            return item
        for refusal in refuse(line):
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                await self._outgoing.send(SessionMessage(refusal))
        return item if isinstance(item, Exception) else ValueError("the id cannot be answered under")

    def __aiter__(self) -> Self:
        """Iterate over the messages."""
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        """Receive the next message.

        Raises:
            StopAsyncIteration: There is none.
        """
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class TrackedOutput(_TrackedStream["WriteStream[SessionMessage]"]):
    """Messages to the client."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        await self._stream.send(item)
        self._pending.note_sent(item)


def track_streams(
    incoming: ReadStream[SessionMessage | Exception],
    outgoing: WriteStream[SessionMessage],
    *,
    lines: deque[str],
    output: int,
    within_s: float,
) -> tuple[TrackedInput, TrackedOutput]:
    """Wrap both ends of a connection, so that the input ends only when all requests are answered.

    Args:
        incoming: Messages of the client.
        outgoing: Messages to the client.
        lines: The lines that `incoming` was read from.
        output: Descriptor that answers are written to in the end; stays open.
        within_s: Seconds that answers may take after the end of the input.
    """
    pending = PendingRequests(output, within_s=within_s)
    return TrackedInput(incoming, pending, lines, outgoing), TrackedOutput(outgoing, pending)
