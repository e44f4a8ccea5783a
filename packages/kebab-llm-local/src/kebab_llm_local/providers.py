"""`build_chat_model`: the chat model of the provider that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast

from kebab_core import ConfigInvalidError, LanguageModel, LanguageModelServices, LlmSettings, Remedy


class ChatModelResources(NamedTuple):
    """Folder and key that a chat model may need beside its settings."""

    models_dir: Path
    """Folder of model files; relative names start here."""
    api_key: str | None = None
    """Sent to a model server as a bearer token."""


_PROVIDERS = {
    "llama-cpp": "kebab_llm_local.llama_cpp_model:llama_cpp_model",
    "ollama": "kebab_llm_local.ollama_model:ollama_model",
    "openai": "kebab_llm_local.openai_model:openai_model",
}
PROVIDERS = tuple(_PROVIDERS)
"""Values of `models.llm.provider` that `build_chat_model` takes."""
_UNSET = LlmSettings().model


def build_chat_model(settings: LlmSettings, *, models_dir: Path, api_key: str | None = None) -> LanguageModel:
    """Return the chat model that the settings ask for.

    Cheap: no weights are loaded, no server is asked and no client is imported before the first request.

    Args:
        settings: The section `models.llm`.
        models_dir: Where relative names of model files lead.
        api_key: Sent to a model server as a bearer token; None sends none.

    Raises:
        ConfigInvalidError: There is no such provider, the model or an address that is needed is not set, or the address
            is none.
        DependencyMissingError: A library that this provider needs is not installed.
    """
    if settings.provider not in _PROVIDERS:
        raise ConfigInvalidError(
            "models.llm.provider: there is no {provider!r}; known are {providers}",
            key="models.llm.provider",
            _provider=settings.provider,
            _providers=", ".join(PROVIDERS),
        )
    if settings.model in {"", _UNSET}:
        raise ConfigInvalidError(
            "models.llm.model is not set, and the provider `{provider}` has no default",
            remedy=Remedy(
                kind="set", setting="models.llm.model", otherwise=Remedy(kind="list_stored", name="models")
            ),
            key="models.llm.model",
            _provider=settings.provider,
        )
    module, _, name = _PROVIDERS[settings.provider].partition(":")
    builder = cast(
        "Callable[[LlmSettings, ChatModelResources], LanguageModel]", getattr(import_module(module), name)
    )
    return builder(settings, ChatModelResources(models_dir, api_key))


def build_language_model(settings: LlmSettings, services: LanguageModelServices) -> LanguageModel:
    """Return the chat model that the settings ask for. Implements `LanguageModelFactory`; see `build_chat_model`."""
    return build_chat_model(settings, models_dir=Path(services.models_dir), api_key=services.api_key)
