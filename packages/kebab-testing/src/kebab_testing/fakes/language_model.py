"""A language model that says what a test tells it to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kebab_core import (
    FinishReason,
    GenerateRequest,
    GenerationDone,
    ModelRef,
    TokenChunk,
    TokenDelta,
    TokenUsage,
)


class ScriptedModel:
    """Implements `LanguageModel`: streams the given tokens, whatever it is asked, and keeps what it was asked.

    Args:
        tokens: What it says, piece by piece; each counts as one token.
        context_tokens: How much it claims to read.
        finish_reason: How it ends where `max_tokens` does not end it.
        error: The error it reports at its end.

    Attributes:
        requests: Every request whose stream was begun, in order.
        closed_early: How many streams ended before their last item was taken.
    """

    def __init__(
        self,
        tokens: Sequence[str] = (),
        *,
        context_tokens: int = 8192,
        finish_reason: FinishReason = FinishReason.STOP,
        error: str | None = None,
    ) -> None:
        self._tokens = [token for token in tokens if token]
        self._context_tokens = context_tokens
        self._finish_reason = finish_reason
        self._error = error
        self.requests: list[GenerateRequest] = []
        self.closed_early = 0

    def model_ref(self) -> ModelRef:
        """Return the name that every scripted model has."""
        return ModelRef(id="scripted", provider="testing")

    def context_tokens(self) -> int:
        """Return what it was made with."""
        return self._context_tokens

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield the tokens, at most `max_tokens` of them, then the end."""
        self.requests.append(request)
        said = self._tokens[: request.max_tokens]
        is_cut = len(said) < len(self._tokens)
        finished = False
        try:
            for token in said:
                yield TokenDelta(text=token)
            finished = True
            yield GenerationDone(
                finish_reason=FinishReason.LENGTH if is_cut else self._finish_reason,
                usage=TokenUsage(completion_tokens=len(said)),
                error=self._error,
            )
        finally:
            self.closed_early += not finished
