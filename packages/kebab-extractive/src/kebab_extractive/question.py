"""`Question`: the query terms of a question, its answer types and constraints, and the coverage that an answer needs.

`model` reads one for each request. The needed coverage was measured behind a gate of 0.30 (2026-11);
`docs/decisions/0029` has the reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kebab_core import Analyzer, LexicalIndex, Term, TermKind
from kebab_text import DateMention, find_dates, fold

from kebab_extractive.answer_constraints import AnswerConstraints, asked_types, read_constraints
from kebab_extractive.answer_patterns import (
    ASKS_FOR_CODE,
    ASKS_FOR_LINK,
    NUMBER_WITH_UNIT,
    STOPWORDS,
    AnswerType,
)
from kebab_extractive.query_terms import QueryTerm, weigh_terms
from kebab_extractive.spoofed_markers import blank_spoofed_markers

_EVENTS = frozenset({AnswerType.TIME, AnswerType.PERSON})
MIN_COVERAGE = 0.2
"""Coverage of the query terms below which a sentence is not about the question."""
NEVER = 2.0
"""A coverage that no sentence can reach."""
SMALL_CORPUS = 200
"""Number of chunks below which the rarity of a term says little; the smallness of such an index is 0.5 or more."""
_NEEDED_IN_SMALL_CORPUS = (0.6, 0.5, 0.4)
_NEEDED_IN_SMALL_CORPUS_WITH_UNKNOWN = (0.7, 0.55, 0.5)
"""Needed coverage for up to three query terms, for four, and for more.

Of two terms both are needed. Of three two are needed, or all three if one of them names a thing that no chunk holds.
"""
_FEW_TERMS = 3


@dataclass(frozen=True)
class Question:
    """A question, analysed.

    Attributes:
        text: The question without spoofed markers.
        query_terms: Its content words with their weights.
        terms: All terms of the analyser.
        answer_types: Types of thing that it may ask for.
        numbers: Its numbers, folded, without dates. A passage must hold all of them.
        dates: The terms of each date of which a passage must hold one.
        constraints: Constraints that an answer must meet.
        asks_for_code: Whether it asks for a command or code.
        asks_for_link: Whether it asks for an address on the net.
        smallness: `SMALL_CORPUS` over itself and the number of chunks, in (0, 1]: 1 without chunks, near 0 with many.
        is_by_coverage: Whether coverage alone decides what answers: without cosines, in an index of fewer chunks than
            `SMALL_CORPUS`.
        needed_coverage: Coverage of the query terms that the best sentence must reach.
    """

    text: str
    query_terms: Sequence[QueryTerm]
    terms: frozenset[str]
    answer_types: tuple[AnswerType, ...]
    numbers: tuple[str, ...]
    dates: tuple[frozenset[str], ...]
    constraints: AnswerConstraints
    asks_for_code: bool
    asks_for_link: bool
    smallness: float
    is_by_coverage: bool
    needed_coverage: float


def read_question(text: str, *, analyzer: Analyzer, index: LexicalIndex, by_words: bool = True) -> Question:
    """Return a question, analysed. Spoofed markers in it are ignored.

    Args:
        text: The question.
        analyzer: The analyser of the index.
        index: Gives the document frequencies of terms.
        by_words: Whether sentences are compared without cosines.
    """
    text = blank_spoofed_markers(text)
    constraints = read_constraints(text)
    content = content_terms(text, analyzer)
    content = [term for term in content if not constraints.state(term.start)] or content
    query_terms = weigh_terms(text, content, index)
    folded = fold(text)
    dates = list(find_dates(folded))
    chunks = index.corpus_size()
    is_by_coverage = by_words and chunks < SMALL_CORPUS
    return Question(
        text=text,
        query_terms=query_terms,
        terms=frozenset(term.text for term in analyzer.analyze(text)),
        answer_types=asked_types(text),
        numbers=tuple(NUMBER_WITH_UNIT.findall(_without(folded, dates))),
        dates=tuple(map(_terms_of_date, dates)),
        constraints=constraints,
        asks_for_code=ASKS_FOR_CODE.search(text) is not None,
        asks_for_link=ASKS_FOR_LINK.search(text) is not None,
        smallness=SMALL_CORPUS / (chunks + SMALL_CORPUS),
        is_by_coverage=is_by_coverage,
        needed_coverage=needed_coverage(
            query_terms,
            is_by_coverage=is_by_coverage,
            is_of_event=not _EVENTS.isdisjoint(asked_types(text)),
        ),
    )


def _terms_of_date(date: DateMention) -> frozenset[str]:
    return frozenset((date.canonical, date.yearless) if date.year else (date.day_of_year,))


def _without(text: str, dates: Sequence[DateMention]) -> str:
    for date in reversed(dates):
        text = f"{text[: date.start]} {text[date.end :]}"
    return text


def content_terms(text: str, analyzer: Analyzer) -> list[Term]:
    """Return the terms of a question without those that have no content."""
    terms = analyzer.analyze_query(text)
    stopword_starts = {
        term.start for term in terms if term.text in STOPWORDS and term.kind is not TermKind.PART
    }
    return [term for term in terms if term.start not in stopword_starts]


def needed_coverage(
    query_terms: Sequence[QueryTerm], *, is_by_coverage: bool, is_of_event: bool = False
) -> float:
    """Return the coverage of the query terms that the best sentence must reach, or `NEVER` without query terms.

    With cosines or among many chunks the curve of `selection` decides, and little is needed here. By words among few, more
    is needed where no chunk holds a name or a thing of the question: it is likely about something else. Unknown predicates
    do not count, since they have many wordings.

    Args:
        query_terms: The query terms of the question.
        is_by_coverage: As in `Question`.
        is_of_event: Whether the question asks who did something or when it happened. Then its predicate counts too.
    """
    if not query_terms:
        return NEVER
    if not is_by_coverage:
        return MIN_COVERAGE
    is_unknown = any((is_of_event or not term.is_predicate) and not term.is_known for term in query_terms)
    return (_NEEDED_IN_SMALL_CORPUS_WITH_UNKNOWN if is_unknown else _NEEDED_IN_SMALL_CORPUS)[
        min(max(len(query_terms) - _FEW_TERMS, 0), 2)
    ]
