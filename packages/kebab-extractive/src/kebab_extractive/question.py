"""A question made ready: its telling words, and what it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kebab_core import Analyzer, LexicalIndex, TermKind

from kebab_extractive.answer_constraints import AnswerConstraints, asked_types, read_constraints
from kebab_extractive.answer_patterns import (
    ASKS_FOR_CODE,
    ASKS_FOR_LINK,
    NUMBER_WITH_UNIT,
    STOPWORDS,
    WEAK_WORDS,
    AnswerType,
)
from kebab_extractive.query_terms import QueryTerm, weigh_terms
from kebab_extractive.spoofed_markers import blank_spoofed_markers

_EVENTS = frozenset({AnswerType.TIME, AnswerType.PERSON})


@dataclass(frozen=True)
class Question:
    """A question made ready.

    Attributes:
        text: As asked.
        words: Its telling words.
        terms: All its terms.
        answer_types: What it may be asking for.
        numbers: What it names in digits, which the passage must name, too.
        constraints: What a sentence must hold beside words.
        asks_for_code: Whether it asks for a command or the like.
        asks_for_link: Whether it asks where on the net something is.
        is_small_corpus: Whether there are so few chunks that how rare a word is says little.
        needed: Share of the telling words that the best sentence must hold.
    """

    text: str
    query_terms: Sequence[QueryTerm]
    terms: frozenset[str]
    answer_types: tuple[AnswerType, ...]
    numbers: tuple[str, ...]
    constraints: AnswerConstraints
    asks_for_code: bool
    asks_for_link: bool
    is_small_corpus: bool
    needed_coverage: float


def read_question(text: str, *, analyzer: Analyzer, index: LexicalIndex) -> Question:
    """Return a question made ready; what reads like a marker in it is not looked for."""
    text = blank_spoofed_markers(text)
    constraints = read_constraints(text)
    terms = analyzer.analyze_query(text)
    empty = {term.start for term in terms if term.text in STOPWORDS and term.kind is not TermKind.PART}
    full = [term for term in terms if term.start not in empty]
    telling = [term for term in full if not constraints.state(term.start)] or full
    words = [
        word if word.wholes.isdisjoint(WEAK_WORDS) else word._replace(weight=word.weight / 2)
        for word in weigh_terms(text, telling, index)
    ]
    return Question(
        text=text,
        query_terms=words,
        terms=frozenset(term.text for term in analyzer.analyze(text)),
        answer_types=asked_types(text),
        numbers=tuple(NUMBER_WITH_UNIT.findall(text)),
        constraints=constraints,
        asks_for_code=ASKS_FOR_CODE.search(text) is not None,
        asks_for_link=ASKS_FOR_LINK.search(text) is not None,
        is_small_corpus=index.corpus_size() < SMALL_CORPUS,
        needed_coverage=needed_coverage(
            words,
            corpus_size=index.corpus_size(),
            is_of_event=not _EVENTS.isdisjoint(asked_types(text)),
        ),
    )


LEAST_COVERAGE = 0.2
"""Share of the telling words below which a sentence says nothing about the question."""
NEVER = 2.0
"""More than any sentence can hold."""
_ENOUGH = 0.4
_ENOUGH_FOR_UNKNOWN = 0.55
_UNKNOWN_SHARE = 0.4
SMALL_CORPUS = 200
"""Chunks below which how rare a word is says little."""
_ENOUGH_IN_FEW = (0.6, 0.5, 0.4)
_ENOUGH_IN_FEW_FOR_UNKNOWN = (0.7, 0.55, 0.5)
"""For up to three words, four, and more: of two words both are needed, of three two, and all three where one of them
names a thing that no note has."""
_SHORT = 3


def needed_coverage(words: Sequence[QueryTerm], *, corpus_size: int, is_of_event: bool = False) -> float:
    """Return the share of the telling words that the best sentence must hold.

    A question with a name, a number or a thing that no chunk holds, or most of whose weight is on such words, most
    likely is about something else; then what is left of it must weigh the more. What happens to it may be said in
    other words. A question without telling words asks for nothing: `NEVER`.

    Args:
        words: Those of the question.
        corpus_size: How many chunks there are.
        is_of_event: Whether a question asks who did something or when it happened; then that it happened must be
            known, too.
    """
    if not words:
        return NEVER
    unknown = [word for word in words if not word.is_known]
    if corpus_size < SMALL_CORPUS:
        is_thing = any(is_of_event or not word.is_predicate for word in unknown)
        return (_ENOUGH_IN_FEW_FOR_UNKNOWN if is_thing else _ENOUGH_IN_FEW)[
            min(max(len(words) - _SHORT, 0), 2)
        ]
    if any(word.is_name for word in unknown):
        return _ENOUGH_FOR_UNKNOWN
    share = sum(word.weight for word in unknown) / (sum(word.weight for word in words) or 1.0)
    return _ENOUGH_FOR_UNKNOWN if share > _UNKNOWN_SHARE else _ENOUGH


_HANGUL = ("가", "힣")
_KOREAN_SHARE = 0.2


def is_korean(text: str) -> bool:
    """Return whether a fifth of the letters of a text are Korean: Latin words stand in Korean all the time."""
    letters = [char for char in text if char.isalpha()]
    korean = sum(_HANGUL[0] <= char <= _HANGUL[1] for char in letters)
    return korean > 0 and korean >= _KOREAN_SHARE * len(letters)
