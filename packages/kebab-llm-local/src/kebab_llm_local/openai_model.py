"""`OpenAiModel`: a chat model on any server with OpenAI's API: llama.cpp, vLLM, LM Studio and others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from kebab_core import (
    ConfigInvalidError,
    ExternalError,
    GenerateRequest,
    LlmSettings,
    Message,
    ModelRef,
    Remedy,
    TokenChunk,
)
from kebab_runtime import ModelEndpoint, ModelServer, ReplyLimits

from kebab_llm_local.openai_chunks import build_body, read_chunks
from kebab_llm_local.providers import ChatModelResources

if TYPE_CHECKING:
    import httpx2

_EVENT = b"data:"
_END = b"[DONE]"
_LLAMA_CPP = "llamacpp"
"""Owner of the models of a llama.cpp server, which has one model and takes any name for it."""


class OpenAiModel:
    """Implements `LanguageModel` by a server with OpenAI's API. Thread-safe.

    Roles, temperature, seed, stop sequences, `max_tokens`, pictures and a schema of the reply are sent.

    Args:
        settings: Name of the model, and limits.
        server: The server.
    """

    def __init__(self, settings: LlmSettings, server: ModelServer) -> None:
        self._settings = settings
        self._server = server
        self._window: int | None = None

    def model_ref(self) -> ModelRef:
        """Return the name of the settings."""
        return ModelRef(id=self._settings.model, provider=self._settings.provider)

    def context_tokens(self) -> int:
        """Return the size of the window: that of the settings, or that of the server where it tells a smaller one."""
        if self._window is None:
            try:
                self.verify()
            except (
                ExternalError
            ):  # not every server lists its models; the request itself then says what is wrong
                return self._settings.context_tokens
        return min(self._settings.context_tokens, self._window or self._settings.context_tokens)

    def verify(self) -> None:
        """Look the model up in the list of the server.

        Raises:
            ModelUnreachableError: The server does not answer, or has no list of models.
            ModelNotPulledError: The model is not in its list.
        """
        self._window = _window_of(self._find_entry()) or self._settings.context_tokens

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield text as it arrives, then the end. See `LanguageModel`."""
        body, errors = build_body(request, self._settings.model), self._server.errors
        with closing(self._server.stream("/chat/completions", body)) as lines:
            yield from read_chunks(
                self._events(lines),
                errors,
                max_tokens=request.max_tokens,
            )

    def _events(self, lines: Iterator[bytes]) -> Iterator[Any]:
        """Yield the JSON of server-sent events up to `[DONE]`; comments and other fields say nothing."""
        for line in lines:
            if line.startswith(b"{"):  # an error of some servers comes without the frame of an event
                line = _EVENT + line
            if not line.startswith(_EVENT):
                continue
            content = line[len(_EVENT) :].strip()
            if content == _END:
                return
            try:
                yield json.loads(content)
            except ValueError as error:
                raise self._server.errors.unexpected("an event that is no JSON") from error

    def _find_entry(self) -> dict[str, Any]:
        for entry in list_entries(self._server):
            if entry.get("id") == self._settings.model or entry.get("owned_by") == _LLAMA_CPP:
                return entry
        raise self._server.errors.absent()


def list_entries(server: ModelServer) -> list[dict[str, Any]]:
    """Return the entries of the server's list of models.

    Raises:
        ModelUnreachableError: It does not answer, or has no list.
    """
    reply = server.get("/models")
    entries = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise server.errors.unexpected("no list of models")
    return entries


def _window_of(entry: dict[str, Any]) -> int | None:
    """Window of a model as vLLM or llama.cpp tells it; None for servers that do not."""
    meta = entry.get("meta")
    found = entry.get("max_model_len") or (meta.get("n_ctx") if isinstance(meta, dict) else None)
    return found if isinstance(found, int) and found > 0 else None


def open_server(
    settings: LlmSettings, api_key: str | None, *, transport: httpx2.BaseTransport | None = None
) -> ModelServer:
    """Return the client of the server that the settings name.

    Raises:
        ConfigInvalidError: They name none, or what is no address.
    """
    if not settings.endpoint:
        raise ConfigInvalidError(
            "models.llm.endpoint is not set, and the provider `openai` has no default",
            remedy=Remedy(
                advice=Message(
                    "set {setting} to the server's address, such as {value}",
                    setting="models.llm.endpoint",
                    value="http://127.0.0.1:1234/v1",
                )
            ),
            key="models.llm.endpoint",
        )
    endpoint = ModelEndpoint(
        server=Message("the model server"),
        address=settings.endpoint,
        model=settings.model,
        setting="models.llm",
        product=Message("answers"),
        remedy=Remedy(
            advice=Message("load the model {name} there", name=settings.model),
            otherwise=Remedy(kind="change_setting", setting="models.llm.model"),
        ),
        limits=ReplyLimits.of_settings(settings),
    )
    return ModelServer(endpoint, api_key=api_key, transport=transport)


def openai_model(settings: LlmSettings, resources: ChatModelResources) -> OpenAiModel:
    """A model of the server that the settings name; without a default, so that nothing leaves by chance.

    Raises:
        ConfigInvalidError: They name none, or what is no address.
    """
    return OpenAiModel(settings, open_server(settings, resources.api_key))
