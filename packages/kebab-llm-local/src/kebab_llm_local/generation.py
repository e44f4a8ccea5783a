"""Text and end of one generation, whatever the dialect of the server: reasoning left out, tokens counted."""

from __future__ import annotations

from collections.abc import Iterator

from kebab_core import FinishReason, GenerationDone, TokenDelta, TokenUsage

_OPENING, _CLOSING = "<think>", "</think>"
"""Marks around the reasoning of models that write it into their text."""


class Generation:
    """State of one stream: what the model has written, as a sequence of `TokenChunk`.

    Args:
        max_tokens: Limit of the request, for servers that do not keep it.

    Attributes:
        usage: Tokens as the server counts them; None until it says.
    """

    def __init__(self, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._pieces = 0
        self._held = ""
        self._is_reasoning: bool | None = None
        self.usage: TokenUsage | None = None

    @property
    def is_over_limit(self) -> bool:
        """Whether the server has sent more pieces than the request allows tokens."""
        return self._pieces > self._max_tokens

    def text(self, piece: str) -> Iterator[TokenDelta]:
        """Yield what of the next piece is part of the answer: not what a model thinks before it."""
        if not piece:
            return
        self._pieces += 1
        if self.is_over_limit:
            return
        if self._is_reasoning is False:
            yield TokenDelta(text=piece)
            return
        self._held += piece
        start = self._held.lstrip()
        if not start or _OPENING.startswith(start):
            return
        if not start.startswith(_OPENING):
            yield from self._release(self._held)
        elif _CLOSING in start:
            yield from self._release(start.partition(_CLOSING)[2].lstrip())

    def done(
        self, reason: FinishReason, *, error: str | None = None
    ) -> Iterator[TokenDelta | GenerationDone]:
        """Yield text that is still held, and the end."""
        if self._is_reasoning is None and not self._held.lstrip().startswith(_OPENING):
            yield from self._release(self._held)
        usage = self.usage or TokenUsage(completion_tokens=min(self._pieces, self._max_tokens))
        if self.is_over_limit:
            reason = FinishReason.LENGTH
        yield GenerationDone(finish_reason=reason, usage=usage, error=error)

    def _release(self, text: str) -> Iterator[TokenDelta]:
        self._is_reasoning, self._held = False, ""
        if text:
            yield TokenDelta(text=text)
