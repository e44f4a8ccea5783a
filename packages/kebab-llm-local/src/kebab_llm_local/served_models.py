"""The chat models that a server or the models folder has, and the pull of one by Ollama."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from kebab_core import (
    ByteProgress,
    ByteSink,
    ChatModelEntry,
    InvalidInputError,
    LlmSettings,
    Message,
    ModelNotPulledError,
    Remedy,
)
from kebab_runtime import ReplyLimits

from kebab_llm_local.ollama_model import OllamaServer
from kebab_llm_local.openai_model import list_entries, open_server

_PULL = ReplyLimits(silence_s=600.0, total_s=7 * 86_400.0, max_mb=1024)
"""Limits of the reports of a pull, which lasts as long as the network takes; a large file is checked in silence."""


def list_chat_models(
    settings: LlmSettings, *, models_dir: Path, api_key: str | None = None
) -> tuple[ChatModelEntry, ...]:
    """List the models of the configured provider, in the order of its server; none for other providers.

    Raises:
        ConfigInvalidError: The address is not set, or is none.
        ModelUnreachableError: The server does not answer, or has no list.
        OperationTimeoutError: It takes too long.
    """
    if settings.provider == "ollama":
        listed = OllamaServer(settings, api_key=api_key).call(lambda client: client.list()).models
        return tuple(
            ChatModelEntry(
                name=each.model or "",
                in_use=each.model in {settings.model, f"{settings.model}:latest"},
                size_bytes=each.size,
                kind=" ".join(
                    filter(None, (each.details.parameter_size, each.details.quantization_level))
                    if each.details
                    else ()
                ),
            )
            for each in listed
        )
    if settings.provider == "openai":
        entries = list_entries(open_server(settings, api_key))
        names = [str(each.get("id", "")) for each in entries]
        return tuple(ChatModelEntry(name=each, in_use=each == settings.model) for each in names)
    if settings.provider == "llama-cpp":
        files = sorted(models_dir.glob("*.gguf"))
        return tuple(
            ChatModelEntry(name=each.name, in_use=each.name == settings.model, size_bytes=each.stat().st_size)
            for each in files
        )
    return ()


def pull_chat_model(
    settings: LlmSettings, name: str, *, api_key: str | None = None, progress: ByteSink
) -> ChatModelEntry:
    """Have Ollama fetch a model from its library, unless it has it.

    Args:
        settings: The section `models.llm`.
        name: Name in the library of Ollama.
        api_key: Sent as a bearer token; None sends none.
        progress: Gets every report of Ollama: bytes of the part in hand, and their number.

    Raises:
        InvalidInputError: Another provider is configured: its server has no library.
        ModelNotPulledError: The library has no such model.
        ModelUnreachableError: Ollama does not answer, or cannot reach its library.
        OperationTimeoutError: It falls silent.
    """
    if settings.provider != "ollama":
        raise InvalidInputError(
            "the provider `{provider}` fetches no models",
            remedy=Remedy(advice=Message("load the model {name} there", name=name)),
            _provider=settings.provider,
        )
    wanted = settings.model_copy(update={"model": name})
    server, last = OllamaServer(wanted, api_key=api_key), ""
    try:
        reports_of_pull = server.stream(lambda client: client.pull(name, stream=True), limits=_PULL)
        with closing(reports_of_pull) as reports:
            for report in reports:
                last = report.status or last
                progress(ByteProgress(f"{name} {last}", report.completed or 0, report.total))
    except ModelNotPulledError as error:
        raise ModelNotPulledError(
            "Ollama's library has no model {model!r}",
            remedy=Remedy(advice=Message("check how it is spelled")),
            model=name,
        ) from error
    if last != "success":
        raise server.errors.broken_off(last)
    here = list_chat_models(wanted, models_dir=Path(), api_key=api_key)
    return next((each for each in here if each.in_use), ChatModelEntry(name=name, in_use=True))
