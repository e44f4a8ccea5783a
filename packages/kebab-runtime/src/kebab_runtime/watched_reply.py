"""`WatchedReply`: the replies that one client of httpx or httpx2 gets, held to limits whatever reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import ModuleType, TracebackType
from typing import Any, Self

from kebab_core import Message, Remedy

from kebab_runtime.reply_limits import ReplyLimits, ReplyWatch

_ERROR_BYTES = 64 * 1024
"""Bytes that are read of a reply without success, which is enough to say why."""
_BOTH_WAYS = 2
"""`socket.SHUT_RDWR`; httpx alone opens sockets."""
_CONNECTED = ("connect_tcp.complete", "start_tls.complete")
"""Ends of the events of httpcore that hand out a connection."""


class WatchedReply:
    """Holds the reply to one request to limits; a context manager around the request.

    A limit of time shuts the connection down, so that a server that sends a byte now and then, or never ends its headers,
    ends nothing later than one that is silent.

    Args:
        limits: The limits.
        name: Whose reply it is.
        check: What to look at where a limit was passed.
        library: `httpx` or `httpx2`, whose client is given `event_hooks`.
        is_framed: Whether only parts that `note_part` is told of end a silence; else any bytes do.
    """

    def __init__(
        self,
        limits: ReplyLimits,
        *,
        name: Message,
        check: Remedy,
        library: ModuleType,
        is_framed: bool = False,
    ) -> None:
        self._watch = ReplyWatch(limits, self._shut_down)
        self._limits = limits
        self._name = name
        self._check = check
        self.has_begun = False
        """Set by the reader when a part of the reply has come."""
        self._library = library
        self._is_framed = is_framed
        self._sockets: list[Any] = []
        self._is_shut = False

    def __enter__(self) -> Self:
        self._watch.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.__exit__(kind, error, trace)

    @property
    def event_hooks(self) -> dict[str, list[Callable[..., Any]]]:
        """Hooks that the client needs."""
        return {"request": [self._prepare], "response": [self._measure]}

    def note_part(self) -> None:
        """Record a part of the reply: it is not silent."""
        self._watch.note_part()

    def raise_if_passed(self) -> None:
        """Raise the error of the limit that was passed, if one was."""
        if self._watch.passed is not None:
            raise self._limits.error(self._watch.passed, name=self._name, check=self._check)

    def _prepare(self, request: Any) -> None:
        request.extensions["trace"] = self._note_event
        request.headers["Accept-Encoding"] = "identity"  # bytes are counted as they are sent

    def _note_event(self, name: str, info: Mapping[str, Any]) -> None:
        if name.endswith(_CONNECTED):
            self._sockets.append(info["return_value"].get_extra_info("socket"))
            if self._is_shut:
                self._shut_down()

    def _shut_down(self) -> None:
        self._is_shut = True
        for each in tuple(self._sockets):
            with suppress(OSError):
                each.shutdown(_BOTH_WAYS)

    def _measure(self, response: Any) -> None:
        """Count what the stream of a reply yields, from now on."""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise self._library.DecodingError("a compressed reply", request=response.request)
        read, inner = self._read, response.stream
        is_success = response.is_success

        class Measured(self._library.SyncByteStream):  # type: ignore[name-defined,misc]  # of either library
            def __iter__(self) -> Iterator[bytes]:
                return read(inner, is_success=is_success)

            def close(self) -> None:
                inner.close()

        response.stream = Measured()

    def _read(self, stream: Iterator[bytes], *, is_success: bool) -> Iterator[bytes]:
        left = _ERROR_BYTES
        for part in stream:
            self._watch.note_bytes(len(part))
            if not self._is_framed:
                self._watch.note_part()
            self.raise_if_passed()
            yield part if is_success else part[:left]
            left -= len(part)
            if not is_success and left <= 0:
                return
        self.raise_if_passed()  # a connection that was shut down may look like an orderly end
