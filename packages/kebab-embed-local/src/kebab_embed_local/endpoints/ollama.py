"""Ollama's own dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core import EmbeddingSettings, ModelNotPulledError

from kebab_embed_local.build import Surroundings
from kebab_embed_local.endpoints.connection import Connection, Place
from kebab_embed_local.endpoints.embedder import ServerEmbedder
from kebab_embed_local.identity import digest_of_text

if TYPE_CHECKING:
    import httpx2

_DEFAULT_ADDRESS = "http://127.0.0.1:11434"


def ollama_embedder(
    settings: EmbeddingSettings,
    surroundings: Surroundings,
    *,
    transport: httpx2.BaseTransport | None = None,
) -> ServerEmbedder:
    """Return an embedder that asks Ollama, on this machine if the settings name no other.

    Raises:
        ConfigInvalidError: The address is none.
    """
    place = Place(
        "Ollama", settings.endpoint or _DEFAULT_ADDRESS, settings.model, f"ollama pull {settings.model}"
    )
    connection = Connection(place, api_key=surroundings.api_key, transport=transport)
    return ServerEmbedder(settings, _Ollama(settings.model, connection, place.pull_hint))


class _Ollama:
    def __init__(self, model: str, connection: Connection, pull_hint: str) -> None:
        self._model = model
        self._connection = connection
        self._pull_hint = pull_hint

    def digest(self, usage: str) -> str:
        names = {self._model, f"{self._model}:latest"}
        try:
            models = self._connection.get("/api/tags")["models"]
            found = next((str(model["digest"]) for model in models if model["name"] in names), None)
        except (KeyError, TypeError) as error:
            raise self._connection.unexpected("no list of models") from error
        if found is None:
            raise ModelNotPulledError(
                f"Ollama does not have the model {self._model!r}", hint=self._pull_hint, model=self._model
            )
        return digest_of_text(f"{found.removeprefix('sha256:')} {usage}")

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        # Left to itself, Ollama cuts what is too long and says nothing.
        answer = self._connection.post(
            "/api/embed", {"model": self._model, "input": list(texts), "truncate": False}
        )
        try:
            rows = [list(map(float, row)) for row in answer["embeddings"]]
        except (KeyError, TypeError, ValueError) as error:
            raise self._connection.unexpected("no embeddings") from error
        if len(rows) != len(texts):
            raise self._connection.unexpected(f"{len(rows)} vectors for {len(texts)} texts")
        return rows
