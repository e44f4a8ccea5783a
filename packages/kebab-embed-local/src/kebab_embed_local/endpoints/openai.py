"""The dialect of OpenAI, which many servers speak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core import ConfigInvalidError, EmbeddingSettings

from kebab_embed_local.build import Surroundings
from kebab_embed_local.endpoints.connection import Connection, Place
from kebab_embed_local.endpoints.embedder import ServerEmbedder
from kebab_embed_local.identity import digest_of_text

if TYPE_CHECKING:
    import httpx2


def openai_embedder(
    settings: EmbeddingSettings,
    surroundings: Surroundings,
    *,
    transport: httpx2.BaseTransport | None = None,
) -> ServerEmbedder:
    """Return an embedder that asks the server that the settings name; there is no default, nothing leaves by chance.

    Raises:
        ConfigInvalidError: They name none, or what is no address.
    """
    if not settings.endpoint:
        raise ConfigInvalidError(
            "models.embedding.endpoint is not set, and the provider `openai` has no default",
            hint="set models.embedding.endpoint to the server's address, such as http://127.0.0.1:8000/v1",
            key="models.embedding.endpoint",
        )
    hint = f"load the model {settings.model} there, or set models.embedding.model"
    place = Place("the model server", settings.endpoint, settings.model, hint)
    connection = Connection(place, api_key=surroundings.api_key, transport=transport)
    return ServerEmbedder(settings, _OpenAi(settings.model, connection))


class _OpenAi:
    def __init__(self, model: str, connection: Connection) -> None:
        self._model = model
        self._connection = connection

    def digest(self, usage: str) -> str:
        """Return the hash of the name: such servers do not tell which weights they have."""
        return digest_of_text(f"{self._model} {usage}")

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        answer = self._connection.post("/embeddings", body)
        try:
            rows = {int(item["index"]): list(map(float, item["embedding"])) for item in answer["data"]}
            return [rows[position] for position in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise self._connection.unexpected("no embeddings") from error
