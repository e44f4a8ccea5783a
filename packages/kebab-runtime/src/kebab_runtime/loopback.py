"""HTTP on a port of this machine: connections that are slow, or that do not authenticate, cannot take the place of others.

    server = build_http_server(app, is_allowed=lambda scope: True, max_connections=64)
    await server.serve(sockets=[bound])

`app` is an ASGI application. uvicorn alone waits for ever for a request, and counts connections of strangers like those of the user.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import uvicorn
from anyio.abc import SocketAttribute
from kebab_core import Message, StorageError
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

IsAllowed = Callable[[Any], bool]
"""Whether the ASGI scope of a request carries what authenticates the user."""

_MAX_WAITING = 32
"""Connections that have not authenticated; of more the oldest is closed."""
_REQUEST_S = 20.0
"""Seconds in which a request must have arrived whole; a slower connection is closed."""
_FIRST_REQUEST_S = 10.0
"""The same for a connection that has not authenticated yet."""
_IPPROTO_TCP, _TCP_NODELAY = 6, 1
_GRACE_S = 2
"""Seconds that running requests may take to answer after a signal."""


def build_http_server(
    app: Any, *, is_allowed: IsAllowed, max_connections: int, lifespan: bool = False
) -> uvicorn.Server:
    """Build a server for bound sockets; it writes no log and takes no WebSocket.

    Args:
        app: The ASGI application; it refuses what is not allowed.
        is_allowed: Tells connections that may stay from those that make room.
        max_connections: Of more, a request gets 503.
        lifespan: Whether the application is told of start and end.
    """
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())  # else errors go to stderr
    config = uvicorn.Config(
        app,
        http=partial(_Connection, waiting=_WaitingConnections(is_allowed)),  # type: ignore[arg-type]  # a factory does
        ws="none",
        lifespan="on" if lifespan else "off",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=max_connections,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(config)


async def bind_port(host: str, port: int) -> tuple[Any, int]:
    """Bind a port for `uvicorn.Server.serve`.

    Args:
        host: Address of this machine.
        port: 0 takes a free one.

    Returns:
        The socket and the port.

    Raises:
        StorageError: The port cannot be used.
    """
    try:
        listeners = await anyio.create_tcp_listener(local_host=host, local_port=port)
    except OSError as error:
        raise StorageError(
            "port {port} of {host} cannot be used: {reason}",
            hint=Message("choose another port; 0 takes a free one"),
            _port=port,
            _host=host,
            _reason=os.strerror(error.errno) if error.errno else str(error),
        ) from error
    (listener,) = listeners.listeners
    return listener.extra(SocketAttribute.raw_socket), listener.extra(SocketAttribute.local_port)  # noqa: S610 - of anyio, not of Django


def own_authorities(port: int) -> list[str]:
    """List the values of the `Host` header that name a port of this machine."""
    return [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]


class _WaitingConnections:
    """Connections that have not authenticated yet, oldest first: of too many the oldest is closed.

    So they cannot take the places of those that have, however many another program opens.
    """

    def __init__(self, is_allowed: IsAllowed) -> None:
        self._is_allowed = is_allowed
        self._waiting: dict[_Connection, None] = {}

    def add(self, connection: _Connection) -> None:
        """Add a new connection."""
        self._waiting[connection] = None
        if len(self._waiting) > _MAX_WAITING:
            oldest = next(iter(self._waiting))
            self.remove(oldest)
            oldest.transport.abort()

    def remove(self, connection: _Connection) -> None:
        """Remove a connection that is closed or has authenticated."""
        self._waiting.pop(connection, None)

    def remove_if_allowed(self, connection: _Connection) -> None:
        """Remove a connection if its last request authenticates."""
        if connection not in self._waiting or connection.scope is None:
            return
        if self._is_allowed(connection.scope):
            self.remove(connection)

    def __contains__(self, connection: _Connection) -> bool:
        return connection in self._waiting


class _Connection(H11Protocol):
    """A connection that is closed where a request takes too long to arrive; uvicorn itself waits for ever."""

    _timer: Any = None
    """Handle of the event loop; None while no request is awaited."""

    def __init__(self, *arguments: Any, waiting: _WaitingConnections, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._waiting = waiting

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # asyncio does it for sockets of its own only; without it the body of a reply waits 40 ms for an acknowledgement
        transport.get_extra_info("socket").setsockopt(_IPPROTO_TCP, _TCP_NODELAY, 1)
        self._waiting.add(self)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        if self._timer is None and not _is_busy(self.cycle):
            self._start_timer()
        super().data_received(data)
        self._waiting.remove_if_allowed(self)
        if _is_busy(self.cycle) and not self.cycle.more_body:
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._waiting.remove(self)
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        seconds = _FIRST_REQUEST_S if self in self._waiting else _REQUEST_S
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _is_busy(cycle: RequestResponseCycle | None) -> bool:
    """True if the last request of a connection, None before the first, is not answered yet."""
    return cycle is not None and not cycle.response_complete
