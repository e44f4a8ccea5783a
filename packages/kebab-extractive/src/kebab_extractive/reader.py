"""`ExtractiveReader`: answers by quoting spans of the passages.

Steps: read question and passages, quote code if it is asked for (`source_code`), else describe the spans
(`span_features`), weigh them (`span_model`) and choose (`selection`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import Analyzer, AnswerReading, Embedder, LexicalIndex, ModelRef, Passage, PassageQuote

from kebab_extractive.list_item import find_place, quote_item
from kebab_extractive.passage import read_passage
from kebab_extractive.question import read_question
from kebab_extractive.selection import choose_answer, choose_nearest, printed_positions
from kebab_extractive.source_code import choose_code
from kebab_extractive.span_features import find_spans
from kebab_extractive.span_model import weigh

if TYPE_CHECKING:
    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.quotes import Quote
    from kebab_extractive.span_features import Span

_NAME = "extractive"
_MAX_PASSAGES = 14
"""Most passages that are read; lower ranks hardly ever answer and would only cost time."""
_MAX_BYTES = 4096
"""Most bytes of UTF-8 of all quotes together. A quote that would exceed them is left out whole, with all after it."""


class ExtractiveReader:
    """Chooses the spans of passages that answer a question. Implements `AnswerReader`.

    If none answers, those that come nearest are chosen, with `answers` false. Equal questions over equal passages give
    equal quotes. Thread-safe if its parts are.

    Args:
        analyzer: The analyser of the index.
        index: Gives the document frequencies of terms.
        embedder: Compares spans with the question. With None, or if its model is missing, only words count.
    """

    def __init__(self, *, analyzer: Analyzer, index: LexicalIndex, embedder: Embedder | None = None) -> None:
        self._analyzer = analyzer
        self._index = index
        self._embedder = embedder

    def model_ref(self) -> ModelRef:
        """Return the name `extractive`; the reader has no versions and no files."""
        return ModelRef(id=_NAME, provider=_NAME)

    def find_spans(self, question: str, passages: Sequence[Passage]) -> list[tuple[Span, str]]:
        """Return the spans that may answer, in the order of the evidence, each with what is printed if it is the answer."""
        read = [read_passage(passage, self._analyzer) for passage in passages[:_MAX_PASSAGES]]
        asked = read_question(question, analyzer=self._analyzer, index=self._index)
        return [
            (
                span,
                "\n".join(
                    quoted.text(at) for at in sorted(set(printed_positions(asked, quoted, span.position)))
                ),
            )
            for span in find_spans(asked, read, embedder=self._embedder)
            for quoted in (read[span.rank],)
        ]

    def read(self, question: str, passages: Sequence[Passage]) -> AnswerReading:
        """Return the quotes that answer a question, else the nearest ones, else none."""
        read = [read_passage(passage, self._analyzer) for passage in passages[:_MAX_PASSAGES]]
        asked = read_question(question, analyzer=self._analyzer, index=self._index)
        code = choose_code(asked, read)
        if code:
            return _reading(code, answers=True)
        if (place := find_place(question)) and (
            item := quote_item(self._answer(place.question, read), read, place.at)
        ):
            return _reading([item], answers=True)
        spans = weigh(find_spans(asked, read, embedder=self._embedder))
        if code is None and (quotes := choose_answer(asked, read, spans)):
            return _reading(quotes, answers=True)
        return _reading(choose_nearest(asked, read, spans), answers=False)

    def _answer(self, question: str, passages: Sequence[ReadPassage]) -> list[Quote]:
        asked = read_question(question, analyzer=self._analyzer, index=self._index)
        spans = weigh(find_spans(asked, passages, embedder=self._embedder))
        return choose_answer(asked, passages, spans)


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
