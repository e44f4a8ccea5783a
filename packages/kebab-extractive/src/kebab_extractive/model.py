"""The language model that answers by quoting."""

from __future__ import annotations

from collections.abc import Iterator

from kebab_core import (
    NOT_IN_EVIDENCE,
    Analyzer,
    Embedder,
    FinishReason,
    GenerateRequest,
    GenerationDone,
    LexicalIndex,
    ModelRef,
    TokenChunk,
    TokenDelta,
    TokenUsage,
)

from kebab_extractive.cross_lingual import choose_cross_lingual
from kebab_extractive.passage import ReadPassage, read_passage
from kebab_extractive.question import is_korean, read_question
from kebab_extractive.quotes import Quote
from kebab_extractive.scoring import score_sentences
from kebab_extractive.selection import choose_quotes
from kebab_extractive.semantic_rerank import rerank_by_meaning

_NAME = "extractive"
_CONTEXT_TOKENS = 1_000_000
_MAX_PASSAGES = 12
"""Passages that are read: what ranks lower cannot win any more, and would only cost time."""
_BYTES_PER_TOKEN = 4
_HANGUL = ("가", "힣")
_KOREAN = "ko"


class ExtractiveModel:
    """Quotes the sentences of the evidence that answer the question. Implements `LanguageModel`.

    Reads `question`, `evidence`, `stop` and `max_tokens` of a request and nothing else. Every quote is a slice of its
    passage followed by ` [#n]`; quotes are parted by line ends. Where no sentence answers, the text is one of
    `NOT_IN_EVIDENCE`. The same request gives the same text; thread-safe where its parts are. A token is four bytes
    of UTF-8.

    Args:
        analyzer: The one the index was made with.
        index: Says how much each word tells.
        embedder: Tells sentences apart by meaning, and alone those in another language than the question's; None, or one
            whose model is not there: words alone tell.
    """

    def __init__(self, *, analyzer: Analyzer, index: LexicalIndex, embedder: Embedder | None = None) -> None:
        self._analyzer = analyzer
        self._index = index
        self._embedder = embedder

    def model_ref(self) -> ModelRef:
        """Return its name; there is nothing else to tell models of this kind apart."""
        return ModelRef(id=_NAME, provider=_NAME)

    def context_tokens(self) -> int:
        """Return more than any evidence has."""
        return _CONTEXT_TOKENS

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield the answer sentence by sentence, then `GenerationDone`.

        A quote that would pass `max_tokens` is left out whole, and what comes after it too; the reason is `LENGTH`.

        Yields:
            Text, then the end. The latency is 0: the model knows no clock.
        """
        quotes = self._choose(request)
        pieces = _printed(quotes) if quotes else [[refusal_for(request.question)]]
        spent, reason = 0, FinishReason.STOP
        for quote in pieces:
            cost = _count_tokens("".join(quote))
            if spent + cost > request.max_tokens:
                reason = FinishReason.LENGTH
                break
            spent += cost
            for piece in quote:
                yield TokenDelta(text=piece)
        prompt = _count_tokens(request.question) + sum(_count_tokens(each.text) for each in request.evidence)
        usage = TokenUsage(prompt_tokens=prompt, completion_tokens=spent)
        yield GenerationDone(finish_reason=reason, usage=usage)

    def _choose(self, request: GenerateRequest) -> list[Quote]:
        question = read_question(request.question, analyzer=self._analyzer, index=self._index)
        passages = [read_passage(passage, self._analyzer) for passage in request.evidence[:_MAX_PASSAGES]]
        candidates = [
            candidate
            for rank, read in enumerate(passages)
            for candidate in score_sentences(question, read, rank=rank)
        ]
        if self._embedder is None:
            return choose_quotes(question, passages, candidates, stop=request.stop)
        candidates = rerank_by_meaning(question.text, passages, candidates, self._embedder)
        same_language = [
            each for each in candidates if _is_same_language(passages[each.rank], request.question)
        ]
        quotes = choose_quotes(question, passages, same_language, stop=request.stop) or choose_quotes(
            question, passages, candidates, stop=request.stop
        )
        return quotes or choose_cross_lingual(question, passages, self._embedder, stop=request.stop)


def refusal_for(question: str) -> str:
    """Return the sentence for "not in the evidence" in the language of a question: Korean if it has a syllable of it."""
    is_korean = any(_HANGUL[0] <= char <= _HANGUL[1] for char in question)
    return NOT_IN_EVIDENCE["ko" if is_korean else "en"]


def _is_same_language(read: ReadPassage, question: str) -> bool:
    """Return whether a passage is in the language of the question: who asks in Korean reads a Korean answer first."""
    return (read.passage.lang == _KOREAN) is is_korean(question)


def _printed(quotes: list[Quote]) -> list[list[str]]:
    """Return the pieces of each quote; each but the first begins with a line end."""
    printed = [run for quote in quotes for run in quote.runs()]
    return [printed[0], *(["\n" + pieces[0], *pieces[1:]] for pieces in printed[1:])]


def _count_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
