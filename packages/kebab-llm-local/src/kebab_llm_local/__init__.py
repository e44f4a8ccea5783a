"""Chat models: Ollama, servers with OpenAI's API, and GGUF files that llama.cpp runs in this process.

They send the prompt that they are given to the model that the settings name, and nothing anywhere else. What a prompt
says, and whether an answer can be trusted, is the caller's.

    from kebab_llm_local import build_chat_model

    settings = LlmSettings(provider="ollama", model="qwen3:4b")
    for chunk in build_chat_model(settings, models_dir=Path()).generate_stream(request): ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_llm_local.chat_servers import (
        ServerPlace as ServerPlace,
        find_chat_servers as find_chat_servers,
    )
    from kebab_llm_local.providers import (
        PROVIDERS as PROVIDERS,
        build_chat_model as build_chat_model,
        build_language_model as build_language_model,
    )
    from kebab_llm_local.served_models import (
        list_chat_models as list_chat_models,
        pull_chat_model as pull_chat_model,
    )

__getattr__, __dir__ = lazy_exports(__name__)
