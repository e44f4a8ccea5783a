"""HTTP client for model servers: JSON in, JSON or a stream out, with every failure mapped to an error of kebab.

Adapters for embeddings and chat share it; each brings the paths and shapes of its server's dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from kebab_core import Message, Remedy

from kebab_runtime.reply_limits import ReplyLimits, ReplyWatch
from kebab_runtime.server_errors import CHECK_LOAD, ModelEndpoint, ServerErrors

if TYPE_CHECKING:
    import httpx2

_COMMENT = b":"
"""Begins a line of a stream of events that says nothing, such as one that keeps a connection open."""
_MAX_LINE_BYTES = 4 * 1024 * 1024
"""Most bytes of one line of a stream; the frames of servers have hundreds."""

_ERROR_BYTES = 64 * 1024
"""Bytes that are read of a reply without success, which is enough to say why."""
_BOTH_WAYS = 2
"""`socket.SHUT_RDWR`; httpx alone opens sockets."""
_CONNECTED = ("connect_tcp.complete", "start_tls.complete")
"""Ends of the events of httpcore that hand out a connection."""


class ModelServer:
    """Client of one model server. Nothing is opened before the first request, and nothing stays open after one.

    Attributes:
        errors: The errors of this server, for what its dialect says in a reply.

    Args:
        endpoint: The server and the model.
        api_key: Sent as a bearer token; None sends none.
        transport: Replaces the network in tests.

    Raises:
        ConfigInvalidError: The address is no HTTP address.
    """

    def __init__(
        self,
        endpoint: ModelEndpoint,
        *,
        api_key: str | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        endpoint.require_http()
        self.errors = ServerErrors(endpoint)
        self._endpoint = endpoint
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._transport = transport

    def get(self, path: str) -> Any:
        """JSON of a GET request, which asks no model. Raises like `post`."""
        return self._request("GET", path, None, self._endpoint.limits.facts_only())

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        """JSON of a POST request with a JSON body.

        Raises:
            ModelUnreachableError: The server does not answer, or not as such a server does.
            ModelNotPulledError: It does not have the model.
            ContextOverflowError: A text is longer than the model reads.
            OperationTimeoutError: It takes too long, or sends too much.
        """
        return self._request("POST", path, body, self._endpoint.limits)

    def stream(self, path: str, body: Mapping[str, object]) -> Generator[bytes, None, None]:
        """Yield the lines of the reply to a POST request as they arrive, without their ends.

        The request begins with the first line that is asked for. Closing the generator ends it. Raises like `post`, also
        between two lines.
        """
        with (
            self._watched(self._endpoint.limits, is_framed=True) as reply,
            self._mapped_errors(reply),
            self._client(reply) as client,
            client.stream("POST", self._url(path), json=body) as response,
        ):
            if not response.is_success:
                response.read()
            self._require_success(response)
            for line in self._split(response.iter_bytes()):
                reply.has_begun = True
                if line and not line.startswith(_COMMENT):
                    reply.note_part()
                yield line

    def _request(self, method: str, path: str, body: Mapping[str, object] | None, limits: ReplyLimits) -> Any:
        with self._watched(limits) as reply, self._mapped_errors(reply):
            with self._client(reply) as client:
                response = client.request(method, self._url(path), json=body)
            self._require_success(response)
            try:
                return response.json()
            except ValueError as error:
                raise self.errors.unexpected("no JSON") from error

    def _watched(self, limits: ReplyLimits, *, is_framed: bool = False) -> WatchedReply:
        import httpx2

        return WatchedReply(
            limits, name=self.errors.name, check=CHECK_LOAD, library=httpx2, is_framed=is_framed
        )

    def _client(self, reply: WatchedReply) -> httpx2.Client:
        import httpx2

        endpoint = self._endpoint
        return httpx2.Client(
            timeout=httpx2.Timeout(endpoint.limits.silence_s, connect=endpoint.limits.connect_s),
            headers=self._headers,
            event_hooks=reply.event_hooks,
            trust_env=not endpoint.is_local,
            verify=self._authorities,
            transport=self._transport,
        )

    @cached_property
    def _authorities(self) -> Any:
        """Certificates that are trusted; made once, since they take 20 ms to load (2026-11-28).

        False where no request is encrypted: HTTP to this machine, where no proxy is asked and no redirect followed.
        """
        import httpx2

        if self._endpoint.is_local and urlsplit(self._endpoint.address).scheme == "http":
            return False
        return httpx2.create_ssl_context(trust_env=not self._endpoint.is_local)

    def _url(self, path: str) -> str:
        return self._endpoint.address.rstrip("/") + path

    def _require_success(self, response: httpx2.Response) -> None:
        if not response.is_success:
            raise self.errors.refused(response.status_code, response.text[:500])

    @contextmanager
    def _mapped_errors(self, reply: WatchedReply) -> Iterator[None]:
        import httpx2

        try:
            yield
        except httpx2.ConnectTimeout as error:
            raise self.errors.unreachable(str(error) or "no answer") from error
        except httpx2.TimeoutException as error:
            raise self.errors.passed("silence") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, httpx2.CookieConflict) as error:
            reply.raise_if_passed()
            fail = self.errors.broken_off if reply.has_begun else self.errors.unreachable
            raise fail(str(error)) from error

    def _split(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        rest = b""
        for part in parts:
            *lines, rest = (rest + part).split(b"\n")
            if len(rest) > _MAX_LINE_BYTES:
                raise self.errors.unexpected("a line without an end")
            yield from (line.removesuffix(b"\r") for line in lines)
        if rest:
            yield rest


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
