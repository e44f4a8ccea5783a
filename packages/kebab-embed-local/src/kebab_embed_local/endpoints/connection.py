"""Questions to a model server, and what can go wrong with them."""

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
)

if TYPE_CHECKING:
    import httpx2

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 120.0
"""A server may load its model before it answers for the first time."""
_NOT_FOUND = 404
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_OVERFLOW = (
    "context length",
    "context_length",
    "maximum context",
    "too long",
    "too large",
    "max_tokens",
    "input length",
)
"""What servers say of a text that does not fit; there is no code that they share."""


class Place(NamedTuple):
    """Which model on which server."""

    server: str
    """Its kind, as errors name it."""
    address: str
    model: str
    pull_hint: str
    """What helps where it does not have the model."""


class Connection:
    """One model server. Nothing is opened before the first question, and nothing stays open after one.

    Args:
        place: Whom to ask.
        api_key: Told as a bearer token; None tells none.
        transport: Stands for the network in tests.
    """

    def __init__(
        self, place: Place, *, api_key: str | None = None, transport: httpx2.BaseTransport | None = None
    ) -> None:
        self._place = place
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._transport = transport
        _check_address(place.address)

    def get(self, path: str) -> Any:
        """Return the JSON at a path.

        Raises:
            ModelUnreachableError: The server does not answer, or not as such a server does.
            OperationTimeoutError: It takes too long.
        """
        return self._ask("GET", path, None)

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        """Return the JSON that answers a question.

        Raises:
            ModelUnreachableError: The server does not answer, or not as such a server does.
            ModelNotPulledError: It does not have the model.
            ContextOverflowError: A text is longer than the model reads.
            OperationTimeoutError: It takes too long.
        """
        return self._ask("POST", path, body)

    def unexpected(self, reason: str) -> KebabError:
        """Return the error for an answer that is not one."""
        return ModelUnreachableError(
            f"{self._place.server} at {self._place.address} answers something else than vectors: {reason}",
            hint="check models.embedding.endpoint",
            endpoint=self._place.address,
        )

    def _ask(self, method: str, path: str, body: Mapping[str, object] | None) -> Any:
        import httpx2

        timeout = httpx2.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        is_local = urlsplit(self._place.address).hostname in _LOOPBACK
        try:
            # A proxy of the environment must not see what is told to this machine's own server.
            with httpx2.Client(
                timeout=timeout, headers=self._headers, trust_env=not is_local, transport=self._transport
            ) as client:
                response = client.request(method, self._place.address.rstrip("/") + path, json=body)
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
        said = response.text[:500]
        if response.status_code in {400, 413, 422, 500} and any(part in said.lower() for part in _OVERFLOW):
            raise ContextOverflowError(
                "a text is longer than the embedding model reads",
                hint=f"let {self._place.server} read more at once, or set models.embedding.model to one that does",
                reason=said[:200],
            )
        if response.status_code in {401, 403}:
            raise ModelUnreachableError(
                f"{self._place.server} at {self._place.address} refuses kebab (HTTP {response.status_code})",
                hint="put the server's key into the environment variable that models.embedding.api_key_env names",
                endpoint=self._place.address,
            )
        if response.status_code == _NOT_FOUND and "model" in said.lower():
            raise ModelNotPulledError(
                f"{self._place.server} does not have the model {self._place.model!r}",
                hint=self._place.pull_hint,
                model=self._place.model,
            )
        raise self._unreachable(f"HTTP {response.status_code}: {said[:200]}")

    def _unreachable(self, reason: str) -> KebabError:
        return ModelUnreachableError(
            f"{self._place.server} at {self._place.address} cannot be asked for vectors",
            hint="start it, or check models.embedding.endpoint",
            endpoint=self._place.address,
            reason=reason,
        )

    def _timed_out(self, error: Exception, *, is_connecting: bool) -> KebabError:
        if is_connecting:
            return self._unreachable(str(error) or "no answer")
        return OperationTimeoutError(
            f"{self._place.server} at {self._place.address} took longer than {READ_TIMEOUT_S:.0f} s",
            hint="check whether the server is busy",
            timeout_s=READ_TIMEOUT_S,
        )


def _check_address(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigInvalidError(
            f"models.embedding.endpoint: {address!r} is no address of a server",
            hint="write it as http://host:port",
            key="models.embedding.endpoint",
        )
