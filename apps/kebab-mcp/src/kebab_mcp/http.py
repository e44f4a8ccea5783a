"""Streamable HTTP: the server on a port, for hosts that connect by URL; every request needs the token of its owner.

Listens on this machine alone. On another address it refuses to start unless the configuration names the https address
of a proxy in front (`mcp.http_public_url`), since the token would go over the network in the clear.
Of too many sessions, the one that was idle for longest makes room for a new host.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kebab_runtime import bind_port, build_http_server, own_authorities
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.routing import Route

if TYPE_CHECKING:
    from kebab_core import McpSettings
    from mcp.server import Server

PATH = "/mcp"
TOKEN_FILE = "mcp-token"  # noqa: S105 - a file's name
"""In the state folder."""
MAX_BODY = 4 << 20
"""Bytes of a request; a larger one gets 413."""
_TOKEN_BYTES = 32
_MAX_CONNECTIONS = 128
"""More get 503."""
MAX_SESSIONS = 64
"""Hosts at once; of more the one that was idle for longest has to begin anew."""
_PRIVATE = 0o600

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


class _TokenVerifier:
    """Accepts one token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access that a token gives, None for a wrong one."""
        if not hmac.compare_digest(token.encode(), self._token):
            return None
        return AccessToken(token=token, client_id="owner", scopes=[])


class HttpServer:
    """A bound port and the token that opens it.

    Args:
        settings: The address that it listens on, and that of a proxy in front of it.
        socket: The bound port.
        port: Its number.
        token_path: File of the token.

    Raises:
        StorageError: The file cannot be used.
    """

    def __init__(self, settings: McpSettings, socket: Any, *, port: int, token_path: Path) -> None:
        self._public_url = settings.http_public_url
        self._token_path = token_path
        self._token = read_token(token_path)
        self._port = port
        self._socket = socket
        name = f"[{settings.http_host}]" if ":" in settings.http_host else settings.http_host
        self._authority = f"{name}:{self._port}"

    @property
    def url(self) -> str:
        """The address that clients connect to."""
        return f"{self._public_url.rstrip('/') or f'http://{self._authority}'}{PATH}"

    async def serve(self, server: Server, *, start_line: str) -> None:
        """Serve requests until a signal asks to end; running calls have a moment to answer.

        Args:
            server: Answers the requests.
            start_line: Is printed first, with `{url}` and `{path}` of the token's file filled in.
        """
        line = start_line.replace("{url}", self.url).replace("{path}", str(self._token_path))
        print(line, file=sys.stderr)  # noqa: T201 - whoever started the server reads it
        http = build_http_server(
            self._build_app(server),
            is_allowed=self._has_token,
            max_connections=_MAX_CONNECTIONS,
            lifespan=True,
        )
        await http.serve(sockets=[self._socket])

    def _has_token(self, scope: MutableMapping[str, Any]) -> bool:
        given: bytes = dict(scope["headers"]).get(b"authorization", b"")
        return given[:7].lower() == b"bearer " and hmac.compare_digest(given[7:], self._token.encode())

    def _build_app(self, server: Server) -> Starlette:
        """Build the application: the token is checked before a body is read, then host and origin."""
        own = own_authorities(self._port)
        hosts, origins = [*own, self._authority], [f"http://{authority}" for authority in own]
        if self._public_url:
            public = urlsplit(self._public_url)
            hosts.append(public.netloc)
            origins.append(f"{public.scheme}://{public.netloc}")
        manager = StreamableHTTPSessionManager(
            server,
            security_settings=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
            max_request_body_size=MAX_BODY,
            max_sessions=MAX_SESSIONS,
        )
        sessions = IdleSessions(StreamableHTTPASGIApp(manager), most=MAX_SESSIONS)
        app = Starlette(
            routes=[Route(PATH, endpoint=RequireAuthMiddleware(sessions, []))],
            middleware=[
                Middleware(AuthenticationMiddleware, backend=BearerAuthBackend(_TokenVerifier(self._token))),
                Middleware(AuthContextMiddleware),
            ],
            lifespan=lambda _app: manager.run(),
        )
        app.router.redirect_slashes = False
        return app


async def bind_http(settings: McpSettings, *, port: int, state_dir: Path) -> HttpServer:
    """Bind a port, so that requests can be served.

    Args:
        settings: The address to listen on, and that of a proxy in front of it.
        port: 0 takes a free one.
        state_dir: Folder of the token's file.

    Raises:
        ConfigInvalidError: The address is not of this machine alone, and no https address is configured.
        StorageError: The port is taken, or the token's file cannot be used.
    """
    require_safe_address(settings)
    socket, bound = await bind_port(settings.http_host, port)
    return HttpServer(settings, socket, port=bound, token_path=state_dir / TOKEN_FILE)


def require_safe_address(settings: McpSettings) -> None:
    """Refuse an address that other machines reach, unless a proxy with TLS is said to stand in front.

    Raises:
        ConfigInvalidError: It is one, and `mcp.http_public_url` is no https address.
    """
    from kebab_core import ConfigInvalidError

    public = settings.http_public_url
    if public and (urlsplit(public).scheme != "https" or not urlsplit(public).netloc):
        raise ConfigInvalidError(
            "mcp.http_public_url: {url!r} is no https address",
            hint="write it like https://notes.example.org",
            key="mcp.http_public_url",
            _url=public,
        )
    try:
        is_own = ipaddress.ip_address(settings.http_host).is_loopback
    except ValueError as error:
        raise ConfigInvalidError(
            "mcp.http_host: {host!r} is no IP address",
            hint="127.0.0.1 is this machine",
            key="mcp.http_host",
            _host=settings.http_host,
        ) from error
    if not is_own and not public:
        raise ConfigInvalidError(
            "mcp.http_host: other machines reach {host}, and would send the token in the clear",
            hint="listen on 127.0.0.1, or set mcp.http_public_url to the https address of the proxy in front",
            key="mcp.http_host",
            _host=settings.http_host,
        )


def read_token(path: Path) -> str:
    """Read the token of a file; one that does not exist is made first.

    Raises:
        StorageError: It cannot be read or made, is empty, or others may read it.
    """
    from kebab_core import StorageError

    try:
        if not path.exists():
            _make_token(path)
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise StorageError(
                "{path}: other users may read the token",
                hint=f"delete the file: a new token is made at the next start, for {PATH} and your hosts",
                _path=str(path),
            )
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(
            "{path}: the token cannot be read or made",
            hint="check the permissions of the folder and the space on the disk",
            _path=str(path),
        ) from error
    if not token:
        raise StorageError(
            "{path}: the token is empty",
            hint="delete the file: a new one is made at the next start",
            _path=str(path),
        )
    return token


def _make_token(path: Path) -> None:
    """Make the file of a new token, whole or not at all; where another process is faster, that one's stays."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE), "w") as file:
            file.write(secrets.token_urlsafe(_TOKEN_BYTES) + "\n")
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)


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
