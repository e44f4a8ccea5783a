import json
import ssl
from collections.abc import Callable
from itertools import repeat
from pathlib import Path

import httpx2
import numpy as np
import pytest
from kebab_core import (
    ConfigInvalidError,
    ContextOverflowError,
    Embedder,
    EmbeddingKind,
    EmbeddingSettings,
    ModelCorruptError,
    ModelNotPulledError,
    ModelUnreachableError,
    OperationTimeoutError,
    Remedy,
)
from kebab_embed_local import build_embedder
from kebab_embed_local.providers import EmbedderResources
from kebab_embed_local.server_embedder import ollama_embedder, openai_embedder
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.laws.embedder import EmbedderLaws

DOCUMENT, QUERY = EmbeddingKind.DOCUMENT, EmbeddingKind.QUERY
DIMENSIONS = 128
Handler = Callable[[httpx2.Request], httpx2.Response]


class Server:
    """Answers as Ollama and as OpenAI do, with vectors of a bag of words, and keeps what it was asked."""

    def __init__(self, *, window: int = 1_000_000, dimensions: int = DIMENSIONS) -> None:
        self.requests: list[httpx2.Request] = []
        self.told: list[list[str]] = []
        self._window = window
        self._model = BagOfWordsEmbedder(dimensions)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        if request.url.path == "/api/tags":
            return httpx2.Response(200, json={"models": [{"name": "e5-test:latest", "digest": "ab" * 32}]})
        body = json.loads(request.content)
        self.told.append(body["input"])
        if any(len(text) > self._window for text in body["input"]):
            return httpx2.Response(400, json={"error": "the input length exceeds the context length"})
        # servers do not give unit vectors, and their numbers come as text
        rows = [[3 * value for value in row] for row in self._model.embed(body["input"], DOCUMENT).tolist()]
        if request.url.path == "/api/embed":
            return httpx2.Response(200, json={"model": body["model"], "embeddings": rows})
        data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
        return httpx2.Response(200, json={"object": "list", "data": data[::-1]})


def _embedder(provider: str, handler: Handler, *, api_key: str | None = None, **changes: object) -> Embedder:
    values = {"model": "e5-test", "dimensions": DIMENSIONS, "endpoint": "http://127.0.0.1:1/v1", **changes}
    if provider == "ollama" and "endpoint" not in changes:
        del values["endpoint"]
    settings = EmbeddingSettings.model_validate({"provider": provider, **values})
    build = ollama_embedder if provider == "ollama" else openai_embedder
    around = EmbedderResources(Path("models"), api_key=api_key)
    return build(settings, around, transport=httpx2.MockTransport(handler))


def _embed(handler: Handler, provider: str) -> None:
    _embedder(provider, handler).embed(["cat"], DOCUMENT)


providers = pytest.mark.parametrize("provider", ["ollama", "openai"])


@providers
def test_a_reply_without_an_end_is_a_timeout(provider: str) -> None:
    def endless(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, content=repeat(b" " * 1_000_000))

    with pytest.raises(OperationTimeoutError, match="64 MB"):
        _embed(endless, provider)


class TestOllama(EmbedderLaws):
    def make_embedder(self) -> Embedder:
        return _embedder("ollama", Server())


class TestOpenAi(EmbedderLaws):
    def make_embedder(self) -> Embedder:
        return _embedder("openai", Server())


class TestServerWithAShortWindow(EmbedderLaws):
    def make_embedder(self) -> Embedder:
        return _embedder("ollama", Server(window=120))


@providers
def test_texts_are_told_with_the_prefix_of_the_family(provider: str) -> None:
    server = Server()
    embedder = _embedder(provider, server)
    embedder.embed(["cat"], DOCUMENT)
    embedder.embed(["cat"], QUERY)
    assert server.told == [["passage: cat"], ["query: cat"]]


@providers
def test_requests_are_bounded_by_texts_and_by_characters(provider: str) -> None:
    server = Server()
    texts = [*["cat"] * 50, *["x" * 30_000] * 5]
    assert _embedder(provider, server).embed(texts, DOCUMENT).shape == (55, DIMENSIONS)
    assert max(map(len, server.told)) <= 32
    assert max(sum(map(len, told)) for told in server.told) <= 65_536
    assert sum(map(len, server.told)) == 55


@providers
def test_text_that_does_not_fit_is_halved_and_the_others_are_not(provider: str) -> None:
    server = Server(window=500)
    long, short = "index night " * 100, "cat fish"
    matrix = np.asarray(_embedder(provider, server, model="bge-m3").embed([short, long], DOCUMENT))
    alone = np.asarray(_embedder(provider, Server(), model="bge-m3").embed([short, "index night"], DOCUMENT))
    assert matrix[0] == pytest.approx(alone[0], abs=1e-6)
    assert matrix[1] @ alone[1] > 0.99
    assert ["cat fish"] in server.told


def test_server_that_takes_not_even_short_texts_is_an_error() -> None:
    with pytest.raises(ContextOverflowError):
        _embedder("ollama", Server(window=1)).embed(["cat"], DOCUMENT)


@providers
def test_nothing_is_asked_before_it_is_needed(provider: str) -> None:
    server = Server()
    embedder = _embedder(provider, server)
    assert embedder.embed([], DOCUMENT).nbytes == 0
    assert server.requests == []


def test_identity_of_ollama_follows_what_it_has_pulled() -> None:
    def other(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json={"models": [{"name": "e5-test:latest", "digest": "cd" * 32}]})

    first, again, second = (_embedder("ollama", handler).identity for handler in (Server(), Server(), other))
    assert first == again != second
    assert first.model_id == "e5-test"
    assert first.model_version.startswith("v1+")


def test_identity_of_ollama_is_asked_once() -> None:
    server = Server()
    embedder = _embedder("ollama", server)
    assert embedder.identity == embedder.identity
    assert len(server.requests) == 1


def test_identity_of_other_servers_is_the_name() -> None:
    server = Server()
    assert _embedder("openai", server).identity != _embedder("openai", server, model="other").identity
    assert server.requests == []


@providers
def test_vectors_of_another_length_name_the_key_and_the_number(provider: str) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        _embed(Server(dimensions=96), provider)
    assert caught.value.remedy == Remedy(kind="set", setting="models.embedding.dimensions", value=96)


@providers
@pytest.mark.parametrize("endpoint", ["localhost:11434", "ftp://x", "http://", "nonsense"])
def test_address_that_is_none_is_refused(provider: str, endpoint: str) -> None:
    with pytest.raises(ConfigInvalidError):
        _embedder(provider, Server(), endpoint=endpoint)


def test_openai_has_no_default_address() -> None:
    settings = EmbeddingSettings(provider="openai")
    with pytest.raises(ConfigInvalidError):
        build_embedder(settings, models_dir=Path("models"))


def test_ollama_on_this_machine_is_the_default() -> None:
    server = Server()
    _embedder("ollama", server).embed(["cat"], DOCUMENT)
    assert str(server.requests[0].url) == "http://127.0.0.1:11434/api/embed"


@providers
def test_key_is_told_and_only_if_there_is_one(provider: str) -> None:
    server = Server()
    _embedder(provider, server, api_key="secret").embed(["cat"], DOCUMENT)
    _embedder(provider, server).embed(["cat"], DOCUMENT)
    assert server.requests[0].headers["authorization"] == "Bearer secret"
    assert "authorization" not in server.requests[1].headers


FAULTS = {
    httpx2.ConnectError: ModelUnreachableError,
    httpx2.ConnectTimeout: ModelUnreachableError,
    httpx2.ReadTimeout: OperationTimeoutError,
    httpx2.WriteTimeout: OperationTimeoutError,
    httpx2.PoolTimeout: OperationTimeoutError,
    httpx2.ReadError: ModelUnreachableError,
    httpx2.WriteError: ModelUnreachableError,
    httpx2.CloseError: ModelUnreachableError,
    httpx2.RemoteProtocolError: ModelUnreachableError,
    httpx2.LocalProtocolError: ModelUnreachableError,
    httpx2.ProxyError: ModelUnreachableError,
    httpx2.UnsupportedProtocol: ModelUnreachableError,
    httpx2.DecodingError: ModelUnreachableError,
    httpx2.TooManyRedirects: ModelUnreachableError,
}


@providers
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_of_the_network_is_one_of_kebabs_errors(
    provider: str, fault: type[httpx2.RequestError]
) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise fault("broken", request=request)

    with pytest.raises(FAULTS[fault]) as caught:
        _embed(fail, provider)
    assert caught.value.remedy


def test_every_fault_of_a_request_is_in_the_table() -> None:
    leaves = {httpx2.RequestError}
    while grown := {sub for kind in leaves for sub in kind.__subclasses__()} - leaves:
        leaves |= grown
    public = {
        kind for kind in leaves if not kind.__subclasses__() and getattr(httpx2, kind.__name__, None) is kind
    }
    assert public - FAULTS.keys() <= {getattr(httpx2, "SSEError", None)}


@providers
@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (404, '{"error": "model \\"e5-test\\" not found, try pulling it first"}', ModelNotPulledError),
        (
            404,
            '{"error": {"code": "model_not_found", "message": "The model does not exist"}}',
            ModelNotPulledError,
        ),
        (404, "page not found", ModelUnreachableError),
        (401, "who are you", ModelUnreachableError),
        (500, "out of memory", ModelUnreachableError),
        (302, "", ModelUnreachableError),
        (200, "<html>", ModelUnreachableError),
        (200, "[]", ModelUnreachableError),
        (200, "null", ModelUnreachableError),
        (200, '{"embeddings": [], "data": []}', ModelUnreachableError),
        (200, '{"embeddings": [["a"]], "data": [{"index": 0, "embedding": ["a"]}]}', ModelUnreachableError),
        (200, '{"embeddings": [null], "data": [null]}', ModelUnreachableError),
    ],
)
def test_answer_that_is_none_is_one_of_kebabs_errors(
    provider: str, status: int, text: str, expected: type[Exception]
) -> None:
    with pytest.raises(expected):
        _embed(lambda request: httpx2.Response(status, text=text), provider)


@providers
@pytest.mark.parametrize("bad", ["0.0", "1e999"])
def test_vector_without_a_direction_is_refused(provider: str, bad: str) -> None:
    row = "[" + ",".join([bad] * DIMENSIONS) + "]"
    text = f'{{"embeddings": [{row}], "data": [{{"index": 0, "embedding": {row}}}]}}'
    with pytest.raises(ModelCorruptError):
        _embed(lambda request: httpx2.Response(200, text=text), provider)


def test_model_that_ollama_does_not_have_comes_with_the_command() -> None:
    embedder = _embedder("ollama", Server(), model="bge-m3")
    with pytest.raises(ModelNotPulledError) as caught:
        _ = embedder.identity
    assert caught.value.remedy == Remedy(kind="pull_served_model", name="bge-m3")


@pytest.mark.enable_socket
@pytest.mark.parametrize(("scheme", "times"), [("http", 0), ("https", 1)])
def test_certificates_are_loaded_once_for_all_requests_and_not_for_http_on_this_machine(
    scheme: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loaded = ssl.SSLContext.load_verify_locations, []

    def note(context: ssl.SSLContext, *arguments: object, **options: object) -> None:
        loaded.append(context)
        load(context, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", note)
    settings = EmbeddingSettings.model_validate({
        "provider": "openai",
        "model": "e5-test",
        "dimensions": DIMENSIONS,
        "endpoint": f"{scheme}://127.0.0.1:1/v1",
    })
    embedder = openai_embedder(settings, EmbedderResources(Path("models")))
    for _ in range(3):
        with pytest.raises(ModelUnreachableError):
            embedder.embed(["cat"], DOCUMENT)
    assert len(set(map(id, loaded))) == times
