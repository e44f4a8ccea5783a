"""Every provider keeps the laws of `LanguageModel`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_core import LanguageModel, LlmSettings
from kebab_llm_local import build_chat_model
from kebab_testing.laws.language_model import LanguageModelLaws

from tests.frame_server import OLLAMA, OPENAI


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
