"""Errors of kebab for everything that goes wrong with a model server; clients of such servers raise them."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from kebab_core import (
    ConfigInvalidError,
    ContextOverflowError,
    KebabError,
    Message,
    ModelNotPulledError,
    ModelUnreachableError,
    Remedy,
)

from kebab_runtime.reply_limits import Limit, ReplyLimits

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SHOWN = 200
"""Most characters of a server's own words."""
_OVERFLOW = (
    "context length",
    "context_length",
    "context size",
    "maximum context",
    "too long",
    "too large",
    "max_tokens",
    "input length",
)
"""Parts of what servers say about a text that does not fit; they share no code for it."""
_ABSENT = ("not found", "not_found", "does not exist", "no models loaded", "failed to load model")
"""Parts of what they say, beside the word `model`, where they do not have it."""
_REFUSED_INPUT = frozenset({400, 413, 422, 500})
_REFUSED_CALLER = frozenset({401, 403})
_NOT_FOUND = 404
_BUSY = frozenset({429, 503})
_SERVER_FAULT = 500
CHECK_LOAD = Remedy(advice=Message("check whether the server is busy"))
"""Remedy for a server that takes too long."""


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
    limits: ReplyLimits = ReplyLimits()
    """Limits of one reply."""

    @property
    def is_local(self) -> bool:
        """True for this machine: a proxy of the environment must not see requests to it."""
        return urlsplit(self.address).hostname in _LOOPBACK

    @property
    def shown_address(self) -> str:
        """The address without user and password."""
        parts = urlsplit(self.address)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    def require_http(self) -> None:
        """Check the address.

        Raises:
            ConfigInvalidError: It is no HTTP address.
        """
        parts = urlsplit(self.address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigInvalidError(
                "{setting}.endpoint: {address!r} is no address of a server",
                remedy=Remedy(advice=Message("write it as {value}", value="http://host:port")),
                key=f"{self.setting}.endpoint",
                _setting=self.setting,
                _address=self.address,
            )


class ServerErrors:
    """The errors of one server.

    Args:
        endpoint: The server and the model.
    """

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self.name = Message("{server} at {address}", server=endpoint.server, address=endpoint.shown_address)

    def unreachable(self, reason: str) -> KebabError:
        """The error for a server that does not answer."""
        return ModelUnreachableError(
            "{name} cannot be asked for {product}",
            remedy=Remedy(advice=Message("start it"), otherwise=self._check("endpoint")),
            endpoint=self._endpoint.shown_address,
            reason=reason[:_SHOWN],
            _name=self.name,
            _product=self._endpoint.product,
        )

    def unexpected(self, reason: str) -> KebabError:
        """The error for a reply that has not the shape it should have."""
        return ModelUnreachableError(
            "{name} replied with something other than {product}: {reason}",
            remedy=self._check("endpoint"),
            endpoint=self._endpoint.shown_address,
            _name=self.name,
            _product=self._endpoint.product,
            _reason=reason,
        )

    def broken_off(self, reason: str) -> KebabError:
        """The error for a reply that ends before its end."""
        return ModelUnreachableError(
            "{name} stopped in the middle of a reply",
            remedy=Remedy(kind="retry", otherwise=Remedy(advice=Message("check whether the server is busy"))),
            endpoint=self._endpoint.shown_address,
            reason=reason[:_SHOWN],
            _name=self.name,
        )

    def passed(self, limit: Limit) -> KebabError:
        """The error for a reply that passed a limit."""
        return self._endpoint.limits.error(limit, name=self.name, check=CHECK_LOAD)

    def overflow(self, reason: str) -> KebabError:
        """The error for a text that is longer than the model reads."""
        setting = self._endpoint.setting
        role = setting.rpartition(".")[2]
        return ContextOverflowError(
            "a text is longer than the {role} model reads",
            remedy=Remedy(
                advice=Message("increase the context window of {name}", name=self._endpoint.server),
                otherwise=Remedy(kind="change_setting", setting=f"{setting}.model"),
            ),
            reason=reason[:_SHOWN],
            _role=role,
        )

    def absent(self) -> KebabError:
        """The error for a server that does not have the model."""
        return ModelNotPulledError(
            "{server} does not have the model {model!r}",
            remedy=self._endpoint.remedy,
            model=self._endpoint.model,
            _server=self._endpoint.server,
        )

    def refused(self, status_code: int, text: str) -> KebabError:
        """The error for a reply with another status than 2xx.

        Args:
            status_code: The status; 500 for an error inside of a stream.
            text: What the server says about it.
        """
        said = text.lower()
        if status_code in _REFUSED_INPUT and any(part in said for part in _OVERFLOW):
            return self.overflow(text)
        if status_code in _REFUSED_CALLER:
            return ModelUnreachableError(
                "{name} refuses kebab (HTTP {status_code})",
                remedy=Remedy(
                    advice=Message(
                        "put the server's key into the environment variable that {setting} names",
                        setting=f"{self._endpoint.setting}.api_key_env",
                    )
                ),
                endpoint=self._endpoint.shown_address,
                _name=self.name,
                _status_code=status_code,
            )
        is_absent = status_code == _NOT_FOUND or any(part in said for part in _ABSENT)
        if "model" in said and is_absent and status_code in {_NOT_FOUND, *_REFUSED_INPUT}:
            return self.absent()
        if status_code in _BUSY:
            return ModelUnreachableError(
                "{name} takes no more requests now (HTTP {status_code})",
                remedy=Remedy(advice=Message("try again in a moment")),
                endpoint=self._endpoint.shown_address,
                reason=text[:_SHOWN],
                _name=self.name,
                _status_code=status_code,
            )
        return ModelUnreachableError(
            "{name} refuses the request (HTTP {status_code}): {reason}",
            remedy=Remedy(advice=Message("check whether the server is busy"))
            if status_code >= _SERVER_FAULT
            else self._check("endpoint"),
            endpoint=self._endpoint.shown_address,
            _name=self.name,
            _status_code=status_code,
            _reason=text[:_SHOWN],
        )

    def _check(self, key: str) -> Remedy:
        return Remedy(kind="check_setting", setting=f"{self._endpoint.setting}.{key}")
