"""Every provider keeps the laws of `LanguageModel`, and so does the fake one."""

from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

import pytest
from kebab_core import (
    GenerateRequest,
    GenerationDone,
    LanguageModel,
    LlmSettings,
    TokenChunk,
    TokenDelta,
)
from kebab_llm_local import build_chat_model
from kebab_testing.fakes.language_model import ScriptedModel
from kebab_testing.passages import build_request

from tests.frame_server import OLLAMA, OPENAI

_REQUESTS = {
    "english": build_request(
        "What is kept in the index?", "The index keeps terms of chunks.", "Nothing else."
    ),
    "korean": build_request("색인은 언제 만드나요?", "색인은 매일 밤에 만든다.", "답은 여기 없다."),
    "no evidence": build_request("What is kept in the index?"),
    "no question": build_request("", "The index keeps terms of chunks."),
}
_every_request = pytest.mark.parametrize("request_name", _REQUESTS)


class LanguageModelLaws:
    """Subclass it as `Test…` and return a model that says the same to the same request."""

    def make_model(self) -> LanguageModel:
        """Return the model under test; it may be the same object each time."""
        raise NotImplementedError

    def test_model_has_a_name_and_a_provider(self) -> None:
        ref = self.make_model().model_ref()
        assert ref.id
        assert ref.provider
        assert ref == self.make_model().model_ref()

    def test_model_reads_at_least_one_token(self) -> None:
        assert self.make_model().context_tokens() >= 1

    @_every_request
    def test_stream_is_text_and_then_its_only_end(self, request_name: str) -> None:
        *texts, done = self.make_model().generate_stream(_REQUESTS[request_name])
        assert isinstance(done, GenerationDone)
        assert all(isinstance(chunk, TokenDelta) and chunk.text for chunk in texts)

    @_every_request
    def test_same_request_gives_the_same_text(self, request_name: str) -> None:
        model, request = self.make_model(), _REQUESTS[request_name]
        assert _text(model, request) == _text(model, request) == _text(self.make_model(), request)

    def test_limit_of_tokens_is_kept(self) -> None:
        for limit in (1, 2, 10):
            request = _REQUESTS["english"].model_copy(update={"max_tokens": limit})
            *_, done = self.make_model().generate_stream(request)
            assert isinstance(done, GenerationDone)
            assert done.usage.completion_tokens <= limit

    def test_closed_stream_is_over_and_leaves_the_model_usable(self) -> None:
        model = self.make_model()
        expected = _text(model, _REQUESTS["english"])
        stream = model.generate_stream(_REQUESTS["english"])
        next(stream)
        assert isinstance(stream, Generator), "a stream that cannot be closed cannot be stopped"
        stream.close()
        assert list(stream) == []
        assert _text(model, _REQUESTS["english"]) == expected

    def test_streams_read_in_turns_do_not_disturb_each_other(self) -> None:
        model = self.make_model()
        streams = [model.generate_stream(request) for request in _REQUESTS.values()]
        turns = list(zip_longest(*streams))
        for position, request in enumerate(_REQUESTS.values()):
            assert _joined(turn[position] for turn in turns if turn[position]) == _text(model, request)

    def test_several_threads_may_ask_at_once(self) -> None:
        model = self.make_model()
        requests = list(_REQUESTS.values())
        with ThreadPoolExecutor(4) as pool:
            said = list(pool.map(lambda request: _text(model, request), requests * 2))
        assert said == [_text(model, request) for request in requests] * 2


def _text(model: LanguageModel, request: GenerateRequest) -> str:
    return _joined(model.generate_stream(request))


def _joined(chunks: Iterable[TokenChunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TokenDelta))


@pytest.mark.enable_socket
class TestOllama(LanguageModelLaws):
    @pytest.fixture(autouse=True)
    def _served(self, make_model) -> None:
        self.model, _ = make_model(OLLAMA)

    def make_model(self) -> LanguageModel:
        return self.model


@pytest.mark.enable_socket
class TestOpenAi(LanguageModelLaws):
    @pytest.fixture(autouse=True)
    def _served(self, make_model) -> None:
        self.model, _ = make_model(OPENAI)

    def make_model(self) -> LanguageModel:
        return self.model


class TestLlamaCpp(LanguageModelLaws):
    @pytest.fixture(autouse=True)
    def _file(self, tiny_gguf: Path) -> Iterator[None]:
        self.path = tiny_gguf
        return

    def make_model(self) -> LanguageModel:
        settings = LlmSettings(provider="llama-cpp", model=str(self.path), threads=1)
        return build_chat_model(settings, models_dir=Path())


class TestScriptedModel(LanguageModelLaws):
    def make_model(self) -> LanguageModel:
        return ScriptedModel(["The index ", "keeps terms. ", "[#1]"])
