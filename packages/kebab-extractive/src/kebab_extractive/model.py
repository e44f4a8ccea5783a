"""`ExtractiveModel`: the language model that answers by quoting sentences of the evidence.

Steps: read question and passages, quote the header fields of a mail if they are asked for (`mail_header`), or code
(`source_code`), else score the sentences (`scoring`), rerank them by meaning if there is an embedder
(`semantic_rerank`), choose quotes (`selection`, else `cross_lingual`), print them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kebab_core import (
    NOT_IN_EVIDENCE,
    WEAK_EVIDENCE,
    Analyzer,
    Embedder,
    FinishReason,
    GenerateRequest,
    GenerationDone,
    LanguageModelServices,
    LexicalIndex,
    LlmSettings,
    ModelRef,
    TokenChunk,
    TokenDelta,
    TokenUsage,
)
from kebab_text import has_hangul, is_korean

from kebab_extractive.asked_part import Place, find_place, of_asked_kind, quote_item
from kebab_extractive.cross_lingual import choose_cross_lingual
from kebab_extractive.mail_header import choose_header_fields
from kebab_extractive.passage import ReadPassage, read_passage
from kebab_extractive.question import Question, read_question
from kebab_extractive.quotes import Quote
from kebab_extractive.scoring import Candidate, score_sentences
from kebab_extractive.selection import MAX_NEAR, choose_nearest, choose_quotes
from kebab_extractive.semantic_rerank import rerank_by_meaning
from kebab_extractive.source_code import choose_code

_NAME = "extractive"
_CONTEXT_TOKENS = 1_000_000
_MAX_PASSAGES = 12
"""Most passages that are read; lower ranks cannot win and would only cost time."""
_BYTES_PER_TOKEN = 4
_KOREAN = "ko"


class ExtractiveModel:
    """Quotes the sentences of the evidence that answer the question. Implements `LanguageModel`.

    Reads `question`, `evidence`, `stop` and `max_tokens` of a request and nothing else. Every quote is a slice of its
    passage followed by ` [#n]`, and line ends separate quotes. If no sentence answers, the nearest ones are quoted below a
    line of `WEAK_EVIDENCE`; without such, the text is one of `NOT_IN_EVIDENCE`. Equal requests give equal texts. Thread-safe if its parts are. A token is four bytes of UTF-8.

    Args:
        analyzer: The analyser of the index.
        index: Gives the document frequencies of terms.
        embedder: Reranks sentences, and finds answers in another language than the question's. With None, or if its
            model is missing, only words count.
    """

    def __init__(self, *, analyzer: Analyzer, index: LexicalIndex, embedder: Embedder | None = None) -> None:
        self._analyzer = analyzer
        self._index = index
        self._embedder = embedder

    def model_ref(self) -> ModelRef:
        """Return the name `extractive`; the model has no versions and no files."""
        return ModelRef(id=_NAME, provider=_NAME)

    def context_tokens(self) -> int:
        """Return a number that is larger than any evidence."""
        return _CONTEXT_TOKENS

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield the answer sentence by sentence, then `GenerationDone`.

        A quote that would exceed `max_tokens` is left out whole, with all after it, and the finish reason is `LENGTH`.

        Yields:
            Text, then the end. The latency is 0, since the model has no clock.
        """
        pieces = self._write(request)
        spent, reason = 0, FinishReason.STOP
        for number, run in enumerate(pieces):
            run = ["\n" + run[0], *run[1:]] if number else run
            cost = _count_tokens("".join(run))
            if spent + cost > request.max_tokens:
                reason = FinishReason.LENGTH
                break
            spent += cost
            for piece in run:
                yield TokenDelta(text=piece)
        prompt = _count_tokens(request.question) + sum(_count_tokens(each.text) for each in request.evidence)
        usage = TokenUsage(prompt_tokens=prompt, completion_tokens=spent)
        yield GenerationDone(finish_reason=reason, usage=usage)

    def _write(self, request: GenerateRequest) -> list[list[str]]:
        """Return the printed runs: quotes that answer, else the nearest ones below a line that says so, else a refusal."""
        question = self._read(request.question)
        passages = [read_passage(passage, self._analyzer) for passage in request.evidence[:_MAX_PASSAGES]]
        if fields := choose_header_fields(
            question.text, passages, analyzer=self._analyzer, index=self._index, stop=request.stop
        ):
            return [run for quote in fields for run in quote.runs()]
        lang = _KOREAN if has_hangul(request.question) else "en"
        if (code := choose_code(question, passages, stop=request.stop)) is not None:
            return [run for quote in code for run in quote.runs()] or [[NOT_IN_EVIDENCE[lang]]]
        candidates = [
            candidate
            for rank, read in enumerate(passages)
            for candidate in score_sentences(question, read, rank=rank)
        ]
        asked = of_asked_kind(question.text, candidates, passages)
        candidates = candidates if asked is None else asked
        if (place := find_place(question.text)) and (item := self._quote_item(request, passages, place)):
            return [*item.runs()]
        if quotes := self._choose(question, passages, candidates, stop=request.stop):
            return [run for quote in quotes for run in quote.runs()]
        nearest = choose_nearest(question, passages, candidates, stop=request.stop)
        if self._embedder is not None:
            others = choose_cross_lingual(question, passages, self._embedder, stop=request.stop)
            read = {other.passage.marker for other in others}
            nearest = [*others, *(each for each in nearest if each.passage.marker not in read)][:MAX_NEAR]
        if nearest:
            return [[WEAK_EVIDENCE[lang]], *(run for quote in nearest for run in quote.runs())]
        return [[NOT_IN_EVIDENCE[lang]]]

    def _read(self, text: str) -> Question:
        return read_question(
            text, analyzer=self._analyzer, index=self._index, by_words=self._embedder is None
        )

    def _quote_item(
        self, request: GenerateRequest, passages: Sequence[ReadPassage], place: Place
    ) -> Quote | None:
        """Return the item of a list that is asked for by its place, where the question for the list is answered by one."""
        question = self._read(place.question)
        candidates = [
            each for rank, read in enumerate(passages) for each in score_sentences(question, read, rank=rank)
        ]
        quotes = self._choose(question, passages, candidates, stop=request.stop)
        return quote_item(quotes, passages, place.at, stop=request.stop)

    def _choose(
        self,
        question: Question,
        passages: Sequence[ReadPassage],
        candidates: list[Candidate],
        *,
        stop: Sequence[str],
    ) -> list[Quote]:
        if self._embedder is None:
            return choose_quotes(question, passages, candidates, stop=stop)
        candidates = rerank_by_meaning(question, passages, candidates, self._embedder, stop=stop)
        is_asked_in_korean = is_korean(question.text)
        # Passages in the script of the question are preferred.
        same_script = [
            each for each in candidates if (passages[each.rank].passage.lang == _KOREAN) is is_asked_in_korean
        ]
        return choose_quotes(question, passages, same_script, stop=stop) or choose_quotes(
            question, passages, candidates, stop=stop
        )


def build_extractive_model(_settings: LlmSettings, services: LanguageModelServices) -> ExtractiveModel:
    """Build the model. Implements `LanguageModelFactory`; it has no settings."""
    return ExtractiveModel(analyzer=services.analyzer, index=services.index, embedder=services.embedder)


def _count_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
