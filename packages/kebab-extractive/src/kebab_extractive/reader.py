"""`ExtractiveReader`: answers by quoting spans of the passages.

Steps: read question and passages, quote code if it is asked for (`source_code`), else describe the spans
(`span_features`), weigh them (`weigh`) and choose (`selection`). A follow-up question that asks for one item of a list by its place
("and the second one?") reaches the reader behind the question that it goes on from.

The trees that weigh are read from `span_model.json`; one set is for spans that were compared by meaning, one for words alone.
`bench/span_model.py` fits them on `bench/questions` and public sets; `docs/quality.md` has the figures.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import AnswerReading, ModelRef
from kebab_text import ITEM_MARKER, SentenceKind

from kebab_extractive.passage import read_passage
from kebab_extractive.question import read_question
from kebab_extractive.quotes import Quote, is_quotable
from kebab_extractive.selection import choose_answer, choose_nearest, printed_positions
from kebab_extractive.source_code import choose_code
from kebab_extractive.span_features import find_spans

if TYPE_CHECKING:
    from kebab_core import Analyzer, Embedder, LexicalIndex, Passage, PassageQuote
    from kebab_text import Script

    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.span_features import Span

_NAME = "extractive"
_MAX_PASSAGES = 14
"""Most passages that are read; lower ranks hardly ever answer and would only cost time."""
_MAX_BYTES = 4096
"""Most bytes of UTF-8 of all quotes together. A quote that would exceed them is left out whole, with all after it."""

_KOREAN = ("첫", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열")
_ENGLISH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NOUNS = r"(?:step|item|point|rule|stage|entry|thing|part|task|section|condition|reason|option)"
_KOREAN_NOUNS = r"(?:단계|항목|규칙|조건|이유|방법|순서|절차|원칙|할\s?일)"
_ORDINAL = re.compile(
    rf"(?:(?:그럼|그러면|그리고)\s)?(?:(?P<ko>{'|'.join(_KOREAN)})\s?번째|마지막)(?:(?:은|는|것은|건)?(?=\s?\?|$)|\s?(?={_KOREAN_NOUNS}))"
    rf"|(?:\b(?:and|but|so|what about|how about)\s)?\bthe\s(?:(?P<en>{'|'.join(_ENGLISH)})|last)(?:\sone)?(?:\s(?={_NOUNS}\b)|(?=\s?\?|$))",
    re.IGNORECASE,
)
"""The place of an item that is named without a kind, or with that of an item; not "the second largest", "the last day"."""
_ANY_PLACE = re.compile(
    rf"(?:{'|'.join(_KOREAN)})\s?번째|마지막|\b(?:{'|'.join(_ENGLISH)}|last)\b", re.IGNORECASE
)
_LAST = -1


class ExtractiveReader:
    """Chooses the spans of passages that answer a question. Implements `AnswerReader`.

    If none answers, those that come nearest are chosen, with `answers` false. Equal questions over equal passages give
    equal quotes. Thread-safe if its parts are.

    Args:
        analyzer: The analyser of the index.
        index: Gives the document frequencies of terms.
        embedder: Compares spans with the question. With None, or if its model is missing, only words count.
        centroids: Mean vectors of questions of the index, by script; without them answers in another script are found less often.
    """

    def __init__(
        self,
        *,
        analyzer: Analyzer,
        index: LexicalIndex,
        embedder: Embedder | None = None,
        centroids: Mapping[Script, Sequence[float]] | None = None,
    ) -> None:
        self._analyzer = analyzer
        self._index = index
        self._embedder = embedder
        self._centroids = centroids

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
            for span in find_spans(asked, read, embedder=self._embedder, centroids=self._centroids)
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
        spans = weigh(find_spans(asked, read, embedder=self._embedder, centroids=self._centroids))
        if code is None and (quotes := choose_answer(asked, read, spans)):
            return _reading(quotes, answers=True)
        return _reading(choose_nearest(asked, read, spans), answers=False)

    def _answer(self, question: str, passages: Sequence[ReadPassage]) -> list[Quote]:
        asked = read_question(question, analyzer=self._analyzer, index=self._index)
        spans = weigh(find_spans(asked, passages, embedder=self._embedder, centroids=self._centroids))
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


class Place(NamedTuple):
    """The place of an item in a list that a question asks for."""

    at: int
    """Its position from 0; -1 for the last one."""
    question: str
    """The question without the place, which asks for the list."""


def find_place(question: str) -> Place | None:
    """Return the place of the item that a question asks for; None if it asks for none, or for several."""
    match = _ORDINAL.search(question)
    if match is None or len(_ANY_PLACE.findall(question)) > 1:
        return None
    named = match["ko"] or (match["en"] or "").lower()
    at = _LAST if not named else (_KOREAN if match["ko"] else _ENGLISH).index(named)
    return Place(at, f"{question[: match.start()]}{question[match.end() :]}".strip())


def quote_item(quotes: Iterable[Quote], passages: Sequence[ReadPassage], at: int) -> Quote | None:
    """Return the quote of one item of the first list that is quoted; None if no list is, or it is shorter.

    Args:
        quotes: Of the answer to the question for the list.
        passages: That they are cut from.
        at: Position in the list from 0, or -1.
    """
    for quote in quotes:
        read = next(each for each in passages if each.passage is quote.passage)
        quoted = {sentence for stretch in quote.stretches for sentence in stretch}
        listed = [
            n for n, each in enumerate(read.sentences) if each in quoted and each.kind is SentenceKind.ITEM
        ]
        if listed:
            items = _find_items(read, listed[0])
            if not -1 <= at < len(items):
                return None
            first, last = items[at]
            text = read.passage.text[read.sentences[first].start : read.sentences[last].end]
            sentences = read.sentences[first : last + 1]
            return Quote(read.passage, (sentences,)) if is_quotable(text) else None
    return None


def _find_items(read: ReadPassage, inside: int) -> list[tuple[int, int]]:
    """Return the first and last position of each item of the list around a position, without those of lists in it."""
    first = last = inside
    while first and read.sentences[first - 1].kind is SentenceKind.ITEM:
        first -= 1
    while last + 1 < len(read.sentences) and read.sentences[last + 1].kind is SentenceKind.ITEM:
        last += 1
    indents = {n: indent for n in range(first, last + 1) if (indent := _indent(read, n)) is not None}
    starts = [n for n, indent in indents.items() if indent == min(indents.values())]
    return [(start, end - 1) for start, end in zip(starts, [*starts[1:], last + 1], strict=True)]


def _indent(read: ReadPassage, position: int) -> int | None:
    """Return the columns before the marker of an item; None for one of its further sentences."""
    text, start = read.passage.text, read.sentences[position].start
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip() or not ITEM_MARKER.match(text, line):
        return None
    return len(text[line:]) - len(text[line:].lstrip())


class Tree(NamedTuple):
    """A tree: at each inner node a feature is compared with a threshold; not greater goes left.

    A child below 0 is a leaf, `-1 - child` its index in `values`.
    """

    features: Sequence[int]
    thresholds: Sequence[float]
    left: Sequence[int]
    right: Sequence[int]
    values: Sequence[float]

    def value(self, features: Sequence[float]) -> float:
        """Return the value of the leaf that features lead to."""
        node = 0 if self.features else -1
        while node >= 0:
            is_left = features[self.features[node]] <= self.thresholds[node]
            node = self.left[node] if is_left else self.right[node]
        return self.values[-1 - node]


@cache
def _read_trees() -> Mapping[bool, tuple[Tree, ...]]:
    """Return the trees, by whether they are of spans with cosines."""
    model = json.loads(files("kebab_extractive").joinpath("span_model.json").read_text("utf-8"))
    return {
        is_compared: tuple(Tree(**each) for each in model[name])
        for is_compared, name in ((True, "by_meaning"), (False, "by_words"))
    }


def weigh(spans: Iterable[Span]) -> list[Span]:
    """Return the spans with their probabilities, the most probable first; equal ones keep their order."""
    trees = _read_trees()
    odds = [(each, sum(tree.value(each.features) for tree in trees[each.is_compared])) for each in spans]
    weighed = [replace(each, probability=1 / (1 + math.exp(-value))) for each, value in odds]
    return sorted(weighed, key=lambda each: -each.probability)
