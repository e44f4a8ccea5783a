"""Chunks of OpenAI's chat API as `TokenChunk`s; servers send them as events, llama.cpp in process as values."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from kebab_core import (
    ChatMessage,
    ContextOverflowError,
    FinishReason,
    GenerateRequest,
    KebabError,
    ModelUnreachableError,
    Remedy,
    TokenChunk,
    TokenUsage,
)

from kebab_llm_local.generation import Generation

if TYPE_CHECKING:
    from kebab_runtime import ServerErrors


_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}
_SERVER_FAULT = 500


class ModelErrors:
    """The errors of a model that runs in this process."""

    def __init__(self, model: str) -> None:
        self._model = model

    def refused(self, _status_code: int, reason: str) -> KebabError:
        """The error for a request that llama.cpp refuses."""
        if "context size" in reason:
            return ContextOverflowError(
                "a text is longer than the {role} model reads",
                remedy=Remedy(
                    kind="raise_setting",
                    setting="models.llm.context_tokens",
                    otherwise=Remedy(kind="change_setting", setting="models.llm.model"),
                ),
                reason=reason[:200],
                _role="llm",
            )
        return self.broken_off(reason)

    def unexpected(self, reason: str) -> KebabError:
        """The error for a chunk of another shape."""
        return self.broken_off(reason)

    def broken_off(self, reason: str) -> KebabError:
        """The error for a reply that ends before its end."""
        return ModelUnreachableError(
            "the model {model!r} stopped: {reason}",
            remedy=Remedy(kind="doctor"),
            _model=self._model,
            _reason=reason[:200],
        )


def build_body(request: GenerateRequest, model: str) -> dict[str, object]:
    """Return the body of a streamed chat request."""
    body: dict[str, object] = {
        "model": model,
        "messages": [{"role": each.role, "content": _content(each)} for each in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if request.stop:
        body["stop"] = list(request.stop)
    if request.json_schema is not None:
        # Servers that are strict take only schemas that forbid other properties.
        is_closed = request.json_schema.get("additionalProperties") is False
        schema = {"name": "answer", "schema": request.json_schema, "strict": is_closed}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _content(message: ChatMessage) -> str | list[dict[str, object]]:
    if message.picture is None:
        return message.text
    address = f"data:image/png;base64,{b64encode(message.picture).decode()}"
    return [
        {"type": "text", "text": message.text},
        {"type": "image_url", "image_url": {"url": address}},
    ]


def read_chunks(
    chunks: Iterable[Any], errors: ServerErrors | ModelErrors, *, max_tokens: int
) -> Iterator[TokenChunk]:
    """Yield the text of chunks, then the end.

    Args:
        chunks: Decoded JSON, in order.
        errors: Those of the server or of the model in this process.
        max_tokens: Limit of the request.

    Raises:
        KebabError: The server reports an error, a chunk has another shape, or the last one is missing; of `errors`.
    """
    generation, reason, has_begun = Generation(max_tokens), "", False
    for chunk in chunks:
        has_begun = True
        try:
            text, ended_by, usage = _read(chunk, errors)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise errors.unexpected("a chunk of another shape") from error
        yield from generation.text(text)
        reason, generation.usage = ended_by or reason, usage or generation.usage
        if generation.is_over_limit:
            break
    if not has_begun:  # a page, say, that is no stream of events
        raise errors.unexpected("no event")
    if not reason and not generation.is_over_limit:
        raise errors.broken_off("no finish_reason")
    if reason in _REASONS or generation.is_over_limit:
        yield from generation.done(_REASONS.get(reason, FinishReason.LENGTH))
    else:
        yield from generation.done(FinishReason.ERROR, error=reason)


def _read(chunk: Any, errors: ServerErrors | ModelErrors) -> tuple[str, str, TokenUsage | None]:
    """Return text, finish reason and usage of a chunk; empty and None where it has none."""
    if failure := chunk.get("error"):
        said = failure if isinstance(failure, dict) else {"message": str(failure)}
        code = said.get("code")
        raise errors.refused(
            code if isinstance(code, int) else _SERVER_FAULT, str(said.get("message") or failure)
        )
    text = reason = ""
    if choices := chunk.get("choices"):
        text = (choices[0].get("delta") or {}).get("content") or ""
        reason = choices[0].get("finish_reason") or ""
        if not isinstance(text, str) or not isinstance(reason, str):
            raise errors.unexpected("a chunk of another shape")
    usage = chunk.get("usage")
    if usage is None:
        return text, reason, None
    prompt, completion = usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    return text, reason, TokenUsage(prompt_tokens=prompt, completion_tokens=completion)
