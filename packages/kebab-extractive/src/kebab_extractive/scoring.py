"""Scoring: score and coverage of each sentence of the evidence, and the test for sentences about another thing.

The score is linear. Its weights were fitted on one half of 1,300 Korean and English questions with marked answers, and
rounded (2026-11). On the other half, the share of answers among the best two sentences of eight passages rose over idf
coverage alone: from .87 to .91 for Korean questions that copy the text, from .61 to .77 for those that do not, from .66
to .83 for English ones. Distance between words, length, and the sentence after added nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_text import SentenceKind

from kebab_extractive.answer_constraints import holds_type
from kebab_extractive.answer_patterns import AnswerType
from kebab_extractive.query_terms import MIN_STRENGTH, QueryTerm
from kebab_extractive.sentence_forms import is_question, leads_on, refers_back

if TYPE_CHECKING:
    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.question import Question

_CONTEXT_WEIGHT = 0.9
_BEFORE_WEIGHT = 0.4
_RANK_PENALTY = 0.08
_FIRST_BONUS = 0.15
_TYPE_WEIGHT = 0.5
"""Weight of holding something of the type that is asked for; the weight of full coverage is 1."""
_FULL_COVERAGE = 0.99
_LIST_FOLLOWS = 0.3
_UNREFERRED_BEFORE = 0.5
"""Weight in coverage of words that only the sentence before holds, if nothing in the sentence refers to it."""
_MIN_TERMS = 4
"""Least terms of a sentence without query terms of its own; fewer are a greeting or the like."""
_UNASKED_CODE_PENALTY = 0.3
"""Penalty of code that was not asked for. Not measured: the sets with marked answers hold no code."""
_FEW_THINGS = 3
"""Up to this many things asked for, an answer must contain all of them."""


class Candidate(NamedTuple):
    """A sentence that may be quoted.

    Attributes:
        rank: Position of the passage in the evidence, from 0.
        position: Position of the sentence in the passage.
        score: Score of the sentence as an answer; comparable within one question.
        coverage: Share of the query terms, by weight, that it, its headings or the text before it hold, in [0, 1]; 0 for
            a fragment without query terms.
        is_sufficient: Whether it reaches the needed coverage and meets all constraints.
        cosine: Cosine between the question and what is quoted for it; None if it was not compared.
    """

    rank: int
    position: int
    score: float
    coverage: float
    is_sufficient: bool = False
    cosine: float | None = None


def score_sentences(question: Question, read: ReadPassage, *, rank: int) -> list[Candidate]:
    """Return the sentences of a passage as candidates, in order.

    Headings are left out, and label fields that the question does not name. So are the header fields of a mail, whose
    dates and numbers answer no question about what it says; `mail_header` quotes them.
    """
    places = [
        n
        for n, sentence in enumerate(read.sentences)
        if sentence.kind is not SentenceKind.HEADING
        and n not in read.header_fields
        and not read.is_unasked_label(n, question.text)
    ]
    candidates = [_score(question, read, rank=rank, position=position) for position in places]
    return [
        each._replace(score=each.score - _RANK_PENALTY * rank + _FIRST_BONUS * (each.position == places[0]))
        for each in candidates
    ]


def _score(question: Question, read: ReadPassage, *, rank: int, position: int) -> Candidate:
    own, before, text = read.terms[position], read.terms_before(position), read.text(position)
    surface = read.surface(position)
    covered = _covered(question.query_terms, [own], surface)
    with_context = _covered(question.query_terms, [own, read.context], surface)
    with_before = _covered(question.query_terms, [own, read.context, before], surface)
    score = (
        covered + _CONTEXT_WEIGHT * (with_context - covered) + _BEFORE_WEIGHT * (with_before - with_context)
    )
    types = [type_ for type_ in question.answer_types if holds_type(type_, text, question=question.text)]
    score += _TYPE_WEIGHT * len(types)
    if read.sentences[position].kind is SentenceKind.CODE and not question.asks_for_code:
        score -= _UNASKED_CODE_PENALTY
    if AnswerType.LIST in question.answer_types and position + 1 in read.list_starts:
        score += _LIST_FOLLOWS
    is_answer = _answers_its_lead(read, position) or (
        read.sentences[position].kind is SentenceKind.ITEM
        and with_context >= _FULL_COVERAGE
        and len(question.query_terms) > 1
    )
    is_informative = covered > 0 or bool(types) or len(own) >= _MIN_TERMS or is_answer
    has_lead = read.has_lead(position) or refers_back(text)
    coverage = with_before if has_lead else with_context + _UNREFERRED_BEFORE * (with_before - with_context)
    coverage = coverage if is_informative else 0.0
    return Candidate(
        rank, position, score, coverage, _is_sufficient(question, read, position, coverage=coverage)
    )


def _answers_its_lead(read: ReadPassage, position: int) -> bool:
    """Return True for code below a question or below a lead-in."""
    lead = read.leads[position]
    if lead is None or read.sentences[position].kind is not SentenceKind.CODE:
        return False
    text = read.text(lead)
    return is_question(text) or leads_on(text)


def _is_sufficient(question: Question, read: ReadPassage, position: int, *, coverage: float) -> bool:
    return (
        coverage >= question.needed_coverage
        and question.constraints.are_met(read.unmarked(position), lead=read.lead_text(position))
        and all(read.holds_number(number) for number in question.numbers)
        and not any(date.isdisjoint(read.held_terms) for date in question.dates)
    )


def _covered(words: Sequence[QueryTerm], sources: Sequence[frozenset[str]], surface: str = "") -> float:
    """Return the share of the words, by weight, that one of the sources or the surface text holds."""
    total = sum(word.weight for word in words)
    held = sum(word.weight * max(word.strength(terms, surface) for terms in sources) for word in words)
    return held / total if total else 0.0


def is_contrasted(question: Question, passages: Sequence[ReadPassage], place: tuple[int, int]) -> bool:
    """Return True if a sentence is about another thing of the same kind than the question.

    "The Berlin office opens at 9" shares most words with a question about the Paris office and does not answer it. Of a
    question with few things, a sentence must hold every thing that the evidence holds. Title, headings and the sentence
    that it continues count too. Predicates may be missing.

    Args:
        question: The question.
        passages: The evidence.
        place: Rank of the sentence's passage, and its position.
    """
    rank, at = place
    read = passages[rank]
    things = [word for word in question.query_terms if word.is_known and not word.is_predicate]
    lacking = [word for word in things if not _holds(read, at, word)]
    return len(things) <= _FEW_THINGS and any(
        word.strength(each.terms[position], each.surface(position)) >= MIN_STRENGTH
        for word in lacking
        for each in passages
        for position in range(len(each.sentences))
    )


def _holds(read: ReadPassage, position: int, word: QueryTerm) -> bool:
    """Return True if a sentence, its headings, or the sentence that it continues holds a word."""
    continues = read.has_lead(position) or read.continues(position)
    before = read.terms_before(position) if continues else frozenset[str]()
    held = read.terms[position] | read.context | before
    return word.strength(held, read.surface(position)) >= MIN_STRENGTH
