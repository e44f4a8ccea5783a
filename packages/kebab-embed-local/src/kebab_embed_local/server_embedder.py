"""Embedders that ask a model server: Ollama, or any server that speaks OpenAI's dialect.

Only the address in the settings is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from kebab_core import (
    ConfigInvalidError,
    ContextOverflowError,
    EmbeddingIdentity,
    EmbeddingKind,
    EmbeddingSettings,
    Message,
    Remedy,
    VectorMatrix,
)
from kebab_runtime import ModelEndpoint, ModelServer

from kebab_embed_local.embedder import readable, unit_rows
from kebab_embed_local.families import family_of
from kebab_embed_local.identity import digest_of_text, embedding_identity
from kebab_embed_local.providers import EmbedderResources

if TYPE_CHECKING:
    import httpx2
    import numpy as np
    from numpy.typing import NDArray

_MOST_TEXTS = 32
_MOST_CHARACTERS = 65_536
"""Limits of one request; a single text may be longer."""
_SMALLEST_HALF = 64
"""Characters of a text that is not halved any more."""
_OLLAMA_ADDRESS = "http://127.0.0.1:11434"
_SETTING = "models.embedding"
_PRODUCT = Message("vectors")


class ServerEmbedder:
    """Implements `Embedder` by a model server.

    The server is asked when a text is embedded, and, where it can tell which model it has, when `identity` is first
    read. A text that is too long for the model is halved until it fits; its vector is the mean of its parts', weighted
    by characters.

    Args:
        settings: Name, version and dimensions of the model.
        dialect: The server, asked in its own paths and shapes.
    """

    def __init__(self, settings: EmbeddingSettings, dialect: _Ollama | _OpenAi) -> None:
        self._settings = settings
        self._dialect = dialect
        self._family = family_of(settings.model)
        self._identity: EmbeddingIdentity | None = None

    @property
    def identity(self) -> EmbeddingIdentity:
        """Return the exact model, as far as the server tells.

        Raises:
            ModelUnreachableError: The server does not answer.
            ModelNotPulledError: It does not have the model.
        """
        if (
            self._identity is None
        ):  # no cached_property: until Python 3.12 all who read it wait for one server
            usage = f"{self._family.query_prefix!r} {self._family.passage_prefix!r}"
            self._identity = embedding_identity(
                self._settings, self._settings.model, self._dialect.digest(usage)
            )
        return self._identity

    def verify(self) -> None:
        """Ask for one vector.

        Raises:
            ModelUnreachableError: The server does not answer.
            ModelNotPulledError: It does not have the model.
            ConfigInvalidError: Its vectors have other dimensions than the settings say.
        """
        self.embed(["kebab"], EmbeddingKind.QUERY)

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return one unit vector for each text, in order.

        Raises:
            ModelUnreachableError: The server does not answer.
            ModelNotPulledError: It does not have the model.
            OperationTimeoutError: It takes too long.
            ConfigInvalidError: Its vectors have other dimensions than the settings say.
            ModelCorruptError: Its vectors are zero or not numbers.
        """
        if not texts:
            return memoryview(b"").cast("f")
        import numpy as np

        prefix = self._family.prefix(kind)
        told = [readable(prefix + text) or " " for text in texts]
        matrix = np.concatenate([self._fitting(batch) for batch in _batches(told)])
        matrix.flags.writeable = False
        return cast("VectorMatrix", matrix.data)

    def _fitting(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        try:
            return unit_rows(self._checked(self._dialect.vectors(texts)))
        except ContextOverflowError:
            if len(texts) > 1:
                return np.concatenate([self._fitting([text]) for text in texts])
            if len(texts[0]) < 2 * _SMALLEST_HALF:
                raise
        halves = _halves(texts[0])
        vectors = np.concatenate([self._fitting([half]) for half in halves])
        weights = np.array([[len(half)] for half in halves], dtype=np.float32)
        return unit_rows((vectors * weights).sum(axis=0, keepdims=True))

    def _checked(self, rows: list[list[float]]) -> NDArray[np.float32]:
        import numpy as np

        found = next((len(row) for row in rows if len(row) != self._settings.dimensions), None)
        if found is not None:
            raise ConfigInvalidError(
                "models.embedding.dimensions is {dimensions}, but the model's vectors have {found}",
                remedy=Remedy(kind="set", setting="models.embedding.dimensions", value=found),
                key="models.embedding.dimensions",
                _dimensions=self._settings.dimensions,
                _found=found,
            )
        return np.array(rows, dtype=np.float32)


def _batches(texts: list[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        if batch and (len(batch) == _MOST_TEXTS or sum(map(len, batch)) + len(text) > _MOST_CHARACTERS):
            yield batch
            batch = []
        batch.append(text)
    yield batch


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    space = text.rfind(" ", middle - _SMALLEST_HALF // 2, middle) + 1
    return text[: space or middle], text[space or middle :]


def ollama_embedder(
    settings: EmbeddingSettings,
    resources: EmbedderResources,
    *,
    transport: httpx2.BaseTransport | None = None,
) -> ServerEmbedder:
    """An embedder that asks Ollama, on this machine if the settings name no other address.

    Raises:
        ConfigInvalidError: The address is none.
    """
    pull = Remedy(kind="pull_served_model", name=settings.model)
    endpoint = ModelEndpoint(
        "Ollama", settings.endpoint or _OLLAMA_ADDRESS, settings.model, _SETTING, _PRODUCT, pull
    )
    server = ModelServer(endpoint, api_key=resources.api_key, transport=transport)
    return ServerEmbedder(settings, _Ollama(settings.model, server))


class _Ollama:
    def __init__(self, model: str, server: ModelServer) -> None:
        self._model = model
        self._server = server

    def digest(self, usage: str) -> str:
        names = {self._model, f"{self._model}:latest"}
        try:
            models = self._server.get("/api/tags")["models"]
            found = next((str(model["digest"]) for model in models if model["name"] in names), None)
        except (KeyError, TypeError) as error:
            raise self._server.errors.unexpected("no list of models") from error
        if found is None:
            raise self._server.errors.absent()
        return digest_of_text(f"{found.removeprefix('sha256:')} {usage}")

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        # Left to itself, Ollama cuts what is too long and says nothing.
        answer = self._server.post(
            "/api/embed", {"model": self._model, "input": list(texts), "truncate": False}
        )
        try:
            rows = [list(map(float, row)) for row in answer["embeddings"]]
        except (KeyError, TypeError, ValueError) as error:
            raise self._server.errors.unexpected("no embeddings") from error
        if len(rows) != len(texts):
            raise self._server.errors.unexpected(f"{len(rows)} vectors for {len(texts)} texts")
        return rows


def openai_embedder(
    settings: EmbeddingSettings,
    resources: EmbedderResources,
    *,
    transport: httpx2.BaseTransport | None = None,
) -> ServerEmbedder:
    """An embedder that asks the server the settings name; without a default, so that nothing leaves by chance.

    Raises:
        ConfigInvalidError: They name none, or what is no address.
    """
    if not settings.endpoint:
        raise ConfigInvalidError(
            "models.embedding.endpoint is not set, and the provider `openai` has no default",
            remedy=Remedy(
                advice=Message(
                    "set {setting} to the server's address, such as {value}",
                    setting="models.embedding.endpoint",
                    value="http://127.0.0.1:8000/v1",
                )
            ),
            key="models.embedding.endpoint",
        )
    remedy = Remedy(
        advice=Message("load the model {name} there", name=settings.model),
        otherwise=Remedy(kind="change_setting", setting="models.embedding.model"),
    )
    endpoint = ModelEndpoint(
        "the model server", settings.endpoint, settings.model, _SETTING, _PRODUCT, remedy
    )
    server = ModelServer(endpoint, api_key=resources.api_key, transport=transport)
    return ServerEmbedder(settings, _OpenAi(settings.model, server))


class _OpenAi:
    def __init__(self, model: str, server: ModelServer) -> None:
        self._model = model
        self._server = server

    def digest(self, usage: str) -> str:
        """Hash of the name: such servers do not tell which weights they have."""
        return digest_of_text(f"{self._model} {usage}")

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        answer = self._server.post("/embeddings", body)
        try:
            rows = {int(item["index"]): list(map(float, item["embedding"])) for item in answer["data"]}
            return [rows[position] for position in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise self._server.errors.unexpected("no embeddings") from error
