"""Chunks of OpenAI's chat API as `TokenChunk`s; servers send them as events, llama.cpp in process as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kebab_core import FinishReason, GenerateRequest, TokenChunk, TokenUsage

from kebab_llm_local.generation import Generation

_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}
_SERVER_FAULT = 500


class ChunkErrors:
    """Errors for what is wrong with chunks.

    Args:
        refused: Makes the error for an error that the server reports, of its status and its words.
        unexpected: Makes the error for a chunk of another shape.
        broken_off: Makes the error for a stream without an end.
    """

    def __init__(
        self,
        *,
        refused: Callable[[int, str], Exception],
        unexpected: Callable[[str], Exception],
        broken_off: Callable[[str], Exception],
    ) -> None:
        self.refused = refused
        self.unexpected = unexpected
        self.broken_off = broken_off


def build_body(request: GenerateRequest, model: str) -> dict[str, object]:
    """Return the body of a streamed chat request; pictures of the request are not sent."""
    body: dict[str, object] = {
        "model": model,
        "messages": [{"role": each.role, "content": each.text} for each in request.messages],
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


def read_chunks(chunks: Iterable[Any], errors: ChunkErrors, *, max_tokens: int) -> Iterator[TokenChunk]:
    """Yield the text of chunks, then the end.

    Args:
        chunks: Decoded JSON, in order.
        errors: Makes the errors.
        max_tokens: Limit of the request.

    Raises:
        Exception: The server reports an error, a chunk has another shape, or the last one is missing; of `errors`.
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


def _read(chunk: Any, errors: ChunkErrors) -> tuple[str, str, TokenUsage | None]:
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
