"""HTTP client for model servers: JSON in, JSON out, with every failure mapped to an error of kebab.

Adapters for embeddings and chat share it; each brings the paths and shapes of its server's dialect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from kebab_core import (
    ConfigInvalidError,
    ContextOverflowError,
    KebabError,
    ModelNotPulledError,
    ModelUnreachableError,
    OperationTimeoutError,
    Remedy,
)

if TYPE_CHECKING:
    import httpx2

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 120.0
"""A server may load its model before its first answer."""
_NOT_FOUND = 404
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_OVERFLOW_MESSAGES = (
    "context length",
    "context_length",
    "maximum context",
    "too long",
    "too large",
    "max_tokens",
    "input length",
)
"""Parts of what servers say about a text that does not fit; they share no code for it."""


class ModelEndpoint(NamedTuple):
    """One model on one server, with the words that messages need."""

    server: str
    """Kind of server, such as `Ollama`."""
    address: str
    """`http://host:port`, with a path where the server wants one."""
    model: str
    setting: str
    """Section of the settings that names it, such as `models.embedding`."""
    product: str
    """Content of its replies, such as `vectors`."""
    remedy: Remedy
    """Remedy for a server that does not have the model."""
    connect_timeout_s: float = CONNECT_TIMEOUT_S
    read_timeout_s: float = READ_TIMEOUT_S


class ModelServer:
    """Client of one model server. Nothing is opened before the first request, and nothing stays open after one.

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
        self._endpoint = endpoint
        self._name = f"{endpoint.server} at {endpoint.address}"
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._transport = transport
        parts = urlsplit(endpoint.address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigInvalidError(
                "{setting}.endpoint: {address!r} is no address of a server",
                remedy=Remedy(kind="write_as", value="http://host:port"),
                key=f"{endpoint.setting}.endpoint",
                _setting=endpoint.setting,
                _address=endpoint.address,
            )
        self._is_local = parts.hostname in _LOOPBACK

    def get(self, path: str) -> Any:
        """JSON of a GET request. Raises like `post`."""
        return self._request("GET", path, None)

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        """JSON of a POST request with a JSON body.

        Raises:
            ModelUnreachableError: The server does not answer, or not as such a server does.
            ModelNotPulledError: It does not have the model.
            ContextOverflowError: A text is longer than the model reads.
            OperationTimeoutError: It takes too long.
        """
        return self._request("POST", path, body)

    def unexpected(self, reason: str) -> KebabError:
        """The error for a reply that has not the shape it should have."""
        return ModelUnreachableError(
            "{name} answers something else than {product}: {reason}",
            remedy=Remedy(kind="check_setting", setting=f"{self._endpoint.setting}.endpoint"),
            endpoint=self._endpoint.address,
            _name=self._name,
            _product=self._endpoint.product,
            _reason=reason,
        )

    def _request(self, method: str, path: str, body: Mapping[str, object] | None) -> Any:
        import httpx2

        timeout = httpx2.Timeout(self._endpoint.read_timeout_s, connect=self._endpoint.connect_timeout_s)
        try:
            # A proxy of the environment must not see requests to this machine's own server.
            with httpx2.Client(
                timeout=timeout,
                headers=self._headers,
                trust_env=not self._is_local,
                transport=self._transport,
            ) as client:
                response = client.request(method, self._endpoint.address.rstrip("/") + path, json=body)
            self._check(response)
            return response.json()
        except httpx2.TimeoutException as error:
            raise self._timed_out(error, is_connecting=isinstance(error, httpx2.ConnectTimeout)) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise self._unreachable(str(error)) from error
        except ValueError as error:
            raise self.unexpected("no JSON") from error

    def _check(self, response: httpx2.Response) -> None:
        if response.is_success:
            return
        endpoint, text = self._endpoint, response.text[:500]
        if response.status_code in {400, 413, 422, 500} and any(
            part in text.lower() for part in _OVERFLOW_MESSAGES
        ):
            role = endpoint.setting.rpartition(".")[2]
            raise ContextOverflowError(
                "a text is longer than the {role} model reads",
                remedy=Remedy(
                    kind="raise_context",
                    name=endpoint.server,
                    otherwise=Remedy(kind="change_setting", setting=f"{endpoint.setting}.model"),
                ),
                reason=text[:200],
                _role=role,
            )
        if response.status_code in {401, 403}:
            raise ModelUnreachableError(
                "{name} refuses kebab (HTTP {status_code})",
                remedy=Remedy(kind="set_api_key", setting=f"{endpoint.setting}.api_key_env"),
                endpoint=endpoint.address,
                _name=self._name,
                _status_code=response.status_code,
            )
        if response.status_code == _NOT_FOUND and "model" in text.lower():
            raise ModelNotPulledError(
                "{server} does not have the model {model!r}",
                remedy=endpoint.remedy,
                model=endpoint.model,
                _server=endpoint.server,
            )
        raise self._unreachable(f"HTTP {response.status_code}: {text[:200]}")

    def _unreachable(self, reason: str) -> KebabError:
        return ModelUnreachableError(
            "{name} cannot be asked for {product}",
            remedy=Remedy(
                kind="start_server",
                otherwise=Remedy(kind="check_setting", setting=f"{self._endpoint.setting}.endpoint"),
            ),
            endpoint=self._endpoint.address,
            reason=reason,
            _name=self._name,
            _product=self._endpoint.product,
        )

    def _timed_out(self, error: Exception, *, is_connecting: bool) -> KebabError:
        if is_connecting:
            return self._unreachable(str(error) or "no answer")
        return OperationTimeoutError(
            "{name} took longer than {timeout_s:.0f} s",
            remedy=Remedy(kind="check_server"),
            timeout_s=self._endpoint.read_timeout_s,
            _name=self._name,
        )
