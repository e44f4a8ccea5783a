"""`Question`: the query terms of a question, its numbers, and the types of thing that it asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kebab_core import TermKind
from kebab_text import find_dates, fold

from kebab_extractive.answer_types import NUMERALS, asked_types
from kebab_extractive.query_terms import MIN_STRENGTH, weigh_terms
from kebab_extractive.spoofed_markers import blank_spoofed_markers

if TYPE_CHECKING:
    from kebab_core import Analyzer, LexicalIndex, Term

    from kebab_extractive.answer_types import AnswerType
    from kebab_extractive.query_terms import QueryTerm

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?:[가-힣](?<![은는이가을를의에로와과도만]))?")
"""A number, with its unit where no blank stands between."""
_COUNTED = re.compile(r"몇\s*(개월|시간|가지|마리|[가-힣])|\bhow many ([a-z]+)", re.IGNORECASE)
"""A question for a number of a unit."""
_STOPWORDS = frozenset(
    """
    a an the of in on at to for from by with and or but not is are was were be been am do does did has have had it its this
    that these those there here what which who whom whose when where why how i you he she we they me my your can could will
    would shall should may might must about as if so than then up out off much many only just one any some 되 하 있 없 어떤 모든 그것
    이것 저것 그 이 저 것 무엇 뭐 누구 어디 언제 왜
    """.split()  # noqa: SIM905  # a text is read more easily
)
"""Articles, pronouns, prepositions, auxiliary and question words, also those that the analyser keeps."""


@dataclass(frozen=True)
class Question:
    """A question, analysed.

    Attributes:
        text: The question without spoofed markers.
        query_terms: Its content words with their weights, heaviest first.
        terms: All terms of the analyser.
        asked: Types of thing that it may ask for.
        numbers: Its numbers, folded, without dates.
        chunks: Number of passages in the index.
    """

    text: str
    query_terms: Sequence[QueryTerm]
    terms: frozenset[str]
    asked: frozenset[AnswerType]
    numbers: tuple[str, ...]
    chunks: int

    @cached_property
    def names(self) -> tuple[QueryTerm, ...]:
        """Query terms that look like names."""
        return tuple(word for word in self.query_terms if word.is_name and not word.is_number)

    @cached_property
    def unit(self) -> re.Pattern[str] | None:
        """Pattern of a number with the unit of which a number is asked for ("how many days", "몇 명"); None without one."""
        asked = _COUNTED.search(self.text)
        if asked is None:
            return None
        unit = re.escape((asked[1] or asked[2]).lower().removesuffix("s"))
        return re.compile(rf"(?:\d[\d.,]{{0,20}}|{NUMERALS})[\s-]?{unit}", re.IGNORECASE)

    def coverage(self, *sources: frozenset[str], surface: str = "") -> float:
        """Return the share of the query terms, by weight, that one of some sets of terms or a surface text holds."""
        total = sum(word.weight for word in self.query_terms)
        held = sum(
            word.weight * max(word.strength(terms, surface) for terms in sources) for word in self.query_terms
        )
        return held / total if total else 0.0

    def missing(self, *sources: frozenset[str], surface: str = "") -> float:
        """Return the weight of the heaviest query term that no set of terms and no surface text holds, as share of all; 0 if all are held."""
        total = sum(word.weight for word in self.query_terms)
        lacking = (
            word.weight
            for word in self.query_terms
            if all(word.strength(terms, surface) < MIN_STRENGTH for terms in sources)
        )
        return max(lacking, default=0.0) / total if total else 0.0


def read_question(text: str, *, analyzer: Analyzer, index: LexicalIndex) -> Question:
    """Return a question, analysed. Spoofed markers in it are ignored.

    Args:
        text: The question.
        analyzer: The analyser of the index.
        index: Gives the document frequencies of terms.
    """
    text = blank_spoofed_markers(text)
    folded = fold(text)
    for date in reversed(list(find_dates(folded))):
        folded = f"{folded[: date.start]} {folded[date.end :]}"
    return Question(
        text=text,
        query_terms=weigh_terms(text, _content_terms(text, analyzer), index),
        terms=frozenset(term.text for term in analyzer.analyze(text)),
        asked=asked_types(text),
        numbers=tuple(_NUMBER.findall(folded)),
        chunks=index.corpus_size(),
    )


def _content_terms(text: str, analyzer: Analyzer) -> list[Term]:
    """Return the terms of a question without stopwords."""
    terms = analyzer.analyze_query(text)
    starts = {term.start for term in terms if term.text in _STOPWORDS and term.kind is not TermKind.PART}
    return [term for term in terms if term.start not in starts]
