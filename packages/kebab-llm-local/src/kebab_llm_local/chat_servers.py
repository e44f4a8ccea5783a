"""Model servers that run on this machine, at the ports that they have by default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kebab_core import ChatServer, ExternalError, Message, Remedy
from kebab_runtime import ModelEndpoint, ModelServer, ReplyLimits

_TIMEOUT_S = 0.5
"""A server that runs on this machine answers in milliseconds."""
_EMBEDDERS = ("embed", "bge-", "bert")
"""Parts of the names and families of models that write nothing."""


class ServerPlace(NamedTuple):
    """One kind of server, and where it is by default."""

    server: str
    provider: str
    """Value of `models.llm.provider` for it."""
    address: str
    list_path: str
    endpoint: str | None
    """Value of `models.llm.endpoint` for it; None where the provider has it as its default."""


PLACES: Sequence[ServerPlace] = (
    ServerPlace("Ollama", "ollama", "http://127.0.0.1:11434", "/api/tags", None),
    ServerPlace("LM Studio", "openai", "http://127.0.0.1:1234/v1", "/models", "http://127.0.0.1:1234/v1"),
)


def find_chat_servers(places: Sequence[ServerPlace] | None = None) -> tuple[ChatServer, ...]:
    """Ask each place once, on this machine alone, whether a server runs there; half a second at most.

    A server may have no chat model yet; models are in the order of their server.

    Args:
        places: Places to ask; None is `PLACES`.
    """
    found = []
    for place in PLACES if places is None else places:
        endpoint = ModelEndpoint(
            server=place.server,
            address=place.address,
            model="",
            setting="models.llm",
            product=Message("answers"),
            remedy=Remedy(advice=Message("start it")),
            limits=ReplyLimits(connect_s=_TIMEOUT_S, silence_s=_TIMEOUT_S),
        )
        try:
            models = _list_names(ModelServer(endpoint).get(place.list_path))
        except ExternalError:
            continue
        if models is not None:
            found.append(
                ChatServer(
                    server=place.server, provider=place.provider, endpoint=place.endpoint, models=models
                )
            )
    return tuple(found)


def _list_names(reply: Any) -> tuple[str, ...] | None:
    """Names of the chat models of a list, of Ollama or OpenAI; None for something else."""
    entries = (reply.get("models") or reply.get("data") or []) if isinstance(reply, dict) else None
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        return None
    names = []
    for entry in entries:
        name, details = entry.get("name") or entry.get("id"), entry.get("details")
        family = details.get("family") if isinstance(details, dict) else ""
        said = f"{name} {family}".lower()
        if isinstance(name, str) and not any(part in said for part in _EMBEDDERS):
            names.append(name)
    return tuple(names)
