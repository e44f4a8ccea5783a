"""`ExtractiveReader`: answers by quoting sentences of the passages.

Steps: read question and passages, quote the header fields of a mail if they are asked for (`mail_header`), or code
(`source_code`), else score the sentences (`scoring`), rerank them by meaning if there is an embedder
(`semantic_rerank`), choose quotes (`selection`, else `cross_lingual`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import Analyzer, AnswerReading, Embedder, LexicalIndex, ModelRef, Passage, PassageQuote
from kebab_text import is_korean

from kebab_extractive.asked_part import Place, find_place, of_asked_kind, quote_item
from kebab_extractive.cross_lingual import choose_cross_lingual
from kebab_extractive.mail_header import choose_header_fields
from kebab_extractive.passage import ReadPassage, read_passage
from kebab_extractive.question import Question, read_question
from kebab_extractive.scoring import Candidate, score_sentences
from kebab_extractive.selection import MAX_NEAR, choose_nearest, choose_quotes
from kebab_extractive.semantic_rerank import rerank_by_meaning
from kebab_extractive.source_code import choose_code

if TYPE_CHECKING:
    from kebab_extractive.quotes import Quote

_NAME = "extractive"
_MAX_PASSAGES = 12
"""Most passages that are read; lower ranks cannot win and would only cost time."""
_MAX_BYTES = 4096
"""Most bytes of UTF-8 of all quotes together. A quote that would exceed them is left out whole, with all after it."""
_KOREAN = "ko"


class ExtractiveReader:
    """Chooses the sentences of passages that answer a question. Implements `AnswerReader`.

    If none answers, those that come nearest are chosen, with `answers` false. Equal questions over equal passages give
    equal quotes. Thread-safe if its parts are.

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
        """Return the name `extractive`; the reader has no versions and no files."""
        return ModelRef(id=_NAME, provider=_NAME)

    def read(self, question: str, passages: Sequence[Passage]) -> AnswerReading:
        """Return the quotes that answer a question, else the nearest ones, else none."""
        asked = self._read_question(question)
        read = [read_passage(passage, self._analyzer) for passage in passages[:_MAX_PASSAGES]]
        if fields := choose_header_fields(asked.text, read, analyzer=self._analyzer, index=self._index):
            return _reading(fields, answers=True)
        if (code := choose_code(asked, read)) is not None:
            return _reading(code, answers=True)
        candidates = _score(asked, read)
        of_kind = of_asked_kind(asked.text, candidates, read)
        candidates = candidates if of_kind is None else of_kind
        if (place := find_place(question)) and (item := self._quote_item(read, place)):
            return _reading([item], answers=True)
        if quotes := self._choose(asked, read, candidates):
            return _reading(quotes, answers=True)
        return _reading(self._choose_nearest(asked, read, candidates), answers=False)

    def _read_question(self, text: str) -> Question:
        return read_question(
            text, analyzer=self._analyzer, index=self._index, by_words=self._embedder is None
        )

    def _quote_item(self, passages: Sequence[ReadPassage], place: Place) -> Quote | None:
        """Return the item of a list that is asked for by its place, where the question for the list is answered by one."""
        question = self._read_question(place.question)
        return quote_item(self._choose(question, passages, _score(question, passages)), passages, place.at)

    def _choose(
        self, question: Question, passages: Sequence[ReadPassage], candidates: list[Candidate]
    ) -> list[Quote]:
        if self._embedder is None:
            return choose_quotes(question, passages, candidates)
        candidates = rerank_by_meaning(question, passages, candidates, self._embedder)
        is_asked_in_korean = is_korean(question.text)
        # Passages in the script of the question are preferred.
        same_script = [
            each for each in candidates if (passages[each.rank].passage.lang == _KOREAN) is is_asked_in_korean
        ]
        return choose_quotes(question, passages, same_script) or choose_quotes(question, passages, candidates)

    def _choose_nearest(
        self, question: Question, passages: Sequence[ReadPassage], candidates: list[Candidate]
    ) -> list[Quote]:
        nearest = choose_nearest(question, passages, candidates)
        if self._embedder is None:
            return nearest
        others = choose_cross_lingual(question, passages, self._embedder)
        read = {other.passage.marker for other in others}
        return [*others, *(each for each in nearest if each.passage.marker not in read)][:MAX_NEAR]


def _score(question: Question, passages: Sequence[ReadPassage]) -> list[Candidate]:
    return [each for rank, read in enumerate(passages) for each in score_sentences(question, read, rank=rank)]


def _reading(quotes: Iterable[Quote], *, answers: bool) -> AnswerReading:
    chosen: list[PassageQuote] = []
    size = 0
    for quote in quotes:
        for each in quote.passage_quotes():
            size += sum(
                len(quote.passage.text[low:high].encode("utf-8", "surrogatepass"))
                for low, high in each.ranges
            )
            if size > _MAX_BYTES:
                return AnswerReading(answers=answers and bool(chosen), quotes=tuple(chosen))
            chosen.append(each)
    return AnswerReading(answers=answers and bool(chosen), quotes=tuple(chosen))
