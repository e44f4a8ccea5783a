"""`IdleSessions`: of too many sessions on a port, the one that was idle for longest makes room for a new host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

_HEADER = MCP_SESSION_ID_HEADER.encode("ascii")
_VERSION = b"mcp-protocol-version"
_OLDEST = HANDSHAKE_PROTOCOL_VERSIONS[0].encode("ascii")
_KEPT = frozenset({b"host", b"origin", b"authorization"})
"""Headers of a host's request that the one in its name has too."""
_SUCCESS = range(200, 300)


class IdleSessions:
    """ASGI application that ends idle sessions, by the request with which hosts end theirs.

    A session is idle while none of its calls is being answered; one that holds a stream open for notices goes after those
    that do not. A host whose session has ended gets 404 and begins another, as the protocol has it.

    Args:
        app: Serves the sessions.
        most: Sessions at once.
    """

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self._app = app
        self._most = most
        self._opening = 0
        self._posts: dict[str, int] = {}
        """Requests being answered by session, the one that was used last at the end."""
        self._streams: dict[str, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        headers = dict(scope["headers"])
        session = headers.get(_HEADER, b"").decode("latin-1")
        has_handshake = headers.get(_VERSION, _OLDEST).decode("latin-1") in HANDSHAKE_PROTOCOL_VERSIONS
        if session:
            await self._serve(session, scope, receive, send)
        elif scope["method"] == "POST" and has_handshake:
            await self._open(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _serve(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        if session not in self._posts:
            await self._app(scope, receive, send)
            return
        counts = self._streams if scope["method"] == "GET" else self._posts
        self._posts[session] = self._posts.pop(session)
        counts[session] = counts.get(session, 0) + 1
        try:
            await self._app(scope, receive, send)
        finally:
            if scope["method"] == "DELETE":
                self._forget(session)
            elif session in self._posts:
                counts[session] -= 1
                self._posts[session] = self._posts.pop(session)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in _SUCCESS:
                opened = dict(message["headers"]).get(_HEADER)
                if opened:
                    self._posts[opened.decode("latin-1")] = 0
            await send(message)

        self._opening += 1
        try:
            while len(self._posts) + self._opening > self._most and (oldest := self._oldest_idle()):
                await self._end(oldest, scope)
            await self._app(scope, receive, note)
        finally:
            self._opening -= 1

    def _oldest_idle(self) -> str | None:
        idle = [session for session, count in self._posts.items() if not count]
        return min(idle, key=lambda session: self._streams.get(session, 0) > 0, default=None)

    async def _end(self, session: str, scope: Scope) -> None:
        """End a session in the name of the host that needs the room; all have the same owner."""
        self._forget(session)
        headers = [(name, value) for name, value in scope["headers"] if name in _KEPT]
        request = {**scope, "method": "DELETE", "headers": [*headers, (_HEADER, session.encode("latin-1"))]}

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_message: Message) -> None:
            return

        await self._app(request, receive, send)

    def _forget(self, session: str) -> None:
        self._posts.pop(session, None)
        self._streams.pop(session, None)
