"""The end of the input: what was asked before it is still answered, as long as somebody reads."""

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
"""How often to look whether anybody still reads, while there is something to answer behind the end of the input."""
_ENDLESS = "subscriptions/listen"
"""A request that is answered by its end alone."""


class Unanswered:
    """Knows the requests without an answer.

    Args:
        output: Descriptor that answers are written to; stays open.
        within_s: How long to wait for answers at most.
    """

    def __init__(self, output: int, *, within_s: float) -> None:
        self._within_s = within_s
        self._poll = select.poll()
        self._poll.register(output, 0)
        self._waiting: set[str] = set()
        self._none_left = anyio.Event()

    def note_received(self, item: SessionMessage | Exception) -> None:
        """Take note of what the client sends."""
        message = None if isinstance(item, Exception) else item.message
        if isinstance(message, JSONRPCRequest) and message.method != _ENDLESS:
            self._waiting.add(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    def note_sent(self, item: SessionMessage) -> None:
        """Take note of what the client is sent."""
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._settle(item.message.id)

    async def wait(self) -> None:
        """Return when every request is answered, when nobody reads answers any more, or when it takes too long."""
        with anyio.move_on_after(self._within_s):
            while self._waiting and not self._poll.poll(0):
                with anyio.move_on_after(_LOOK_S):
                    await self._none_left.wait()

    def _settle(self, request: object) -> None:
        self._waiting.discard(str(request))
        if not self._waiting:
            self._none_left.set()
            self._none_left = anyio.Event()


class _Watched(Generic[StreamT]):
    """One end of a connection, watched."""

    def __init__(self, stream: StreamT, unanswered: Unanswered) -> None:
        self._stream = stream
        self._unanswered = unanswered

    async def aclose(self) -> None:
        """Close it."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class WatchedInput(_Watched["ReadStream[SessionMessage | Exception]"]):
    """What the client sends; ends when it has sent all and was answered.

    Args:
        stream: What it sends.
        unanswered: Is told of it.
        lines: The lines that it was read from, one for each message or error, in order.
        outgoing: Takes what lines that are no messages are answered with.
    """

    def __init__(
        self,
        stream: ReadStream[SessionMessage | Exception],
        unanswered: Unanswered,
        lines: deque[str],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
        super().__init__(stream, unanswered)
        self._lines = lines
        self._outgoing = outgoing

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message.

        Raises:
            EndOfStream: There is none, and all before were answered.
        """
        try:
            item = await self._stream.receive()
        except anyio.EndOfStream:
            await self._unanswered.wait()
            raise
        item = await self._mend_or_refuse(item, self._lines.popleft())
        self._unanswered.note_received(item)
        return item

    async def _mend_or_refuse(
        self, item: SessionMessage | Exception, line: str
    ) -> SessionMessage | Exception:
        """Return the message of a line, mended where that is possible; answer one that is none, and return an error."""
        from kebab_mcp.malformed import has_unusable_id, mend, refuse

        if isinstance(item, Exception):
            message = mend(line)
            if message is not None:
                return message
        elif not (isinstance(item.message, JSONRPCNotification) and has_unusable_id(line)):
            return item
        for refusal in refuse(line):
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                await self._outgoing.send(SessionMessage(refusal))
        return item if isinstance(item, Exception) else ValueError("the id cannot be answered under")

    def __aiter__(self) -> Self:
        """Return itself."""
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        """Return the next message.

        Raises:
            StopAsyncIteration: There is none.
        """
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class WatchedOutput(_Watched["WriteStream[SessionMessage]"]):
    """What the client is sent."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        await self._stream.send(item)
        self._unanswered.note_sent(item)


def watch_streams(
    incoming: ReadStream[SessionMessage | Exception],
    outgoing: WriteStream[SessionMessage],
    *,
    lines: deque[str],
    output: int,
    within_s: float,
) -> tuple[WatchedInput, WatchedOutput]:
    """Return both ends of a connection, the first of which ends only when all requests are answered.

    Args:
        incoming: What the client sends.
        outgoing: What the client is sent.
        lines: The lines that `incoming` was read from.
        output: Descriptor that answers are written to in the end; stays open.
        within_s: How long answers may take once the client has sent all.
    """
    unanswered = Unanswered(output, within_s=within_s)
    return WatchedInput(incoming, unanswered, lines, outgoing), WatchedOutput(outgoing, unanswered)
