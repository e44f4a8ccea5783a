"""Type of thing that a question asks for, and the constraints that an answer must meet whatever words it shares.

A question for a price is not answered by a sentence without one. The words that ask for the price need not be in the
sentence. The patterns are in `answer_patterns`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from kebab_text import ITEM_MARKER

from kebab_extractive.answer_patterns import (
    CONSTRAINTS,
    COUNT_OF_UNIT,
    COUNTED_UNIT,
    DIGITS,
    NO_AMOUNT,
    NO_NAMES,
    TYPE_EXPRESSIONS,
    TYPE_QUESTIONS,
    UNIT_SYNONYMS,
    WORD,
    AnswerConstraint,
    AnswerType,
)


class AnswerConstraints(NamedTuple):
    """The constraints that a question puts on its answer."""

    question: str
    constraints: tuple[AnswerConstraint, ...]
    ranges: tuple[tuple[int, int], ...]
    """Ranges of the question that state its constraints: code points, half open."""

    def state(self, start: int) -> bool:
        """Return True if the word of the question that begins at `start` only states a constraint."""
        return any(low <= start < high for low, high in self.ranges)

    def are_met(self, text: str, *, lead: str = "") -> bool:
        """Return True if a sentence, or the line that leads to it, meets all constraints.

        Names and figures must be in the sentence itself.
        """
        return all(
            _holds(
                each, text if each.is_name or each.is_figure else f"{lead}\n{text}", question=self.question
            )
            for each in self.constraints
        )


def read_constraints(question: str) -> AnswerConstraints:
    """Return the constraints that a question puts on its answer."""
    stated = [
        (constraint, match.span())
        for constraint in CONSTRAINTS
        for match in constraint.asks.finditer(question)
    ]
    constraints = dict.fromkeys(constraint for constraint, _ in stated if constraint.holds is not None)
    if counted := COUNTED_UNIT.search(question):
        constraints[AnswerConstraint(COUNTED_UNIT, _count_pattern(counted[1]), is_figure=True)] = None
    # A page that compares two things need not say "difference".
    compared = (match.span() for match in TYPE_QUESTIONS[AnswerType.COMPARISON].finditer(question))
    return AnswerConstraints(question, tuple(constraints), (*(span for _, span in stated), *compared))


def asked_types(question: str) -> tuple[AnswerType, ...]:
    """Return the types of thing that a question may ask for; empty if no pattern applies."""
    return tuple(type_ for type_, pattern in TYPE_QUESTIONS.items() if pattern.search(question))


def holds_type(type_: AnswerType, sentence: str, *, question: str) -> bool:
    """Return True if a sentence holds something of a type that the question does not hold itself."""
    if type_ not in TYPE_EXPRESSIONS:
        return False
    known = set(DIGITS.findall(question))
    text = _without_labels(sentence) if type_ is AnswerType.NUMBER else sentence
    found = (DIGITS.findall(match[0]) for match in TYPE_EXPRESSIONS[type_].finditer(text))
    return any(not digits or not known.issuperset(digits) for digits in found)


@cache
def _count_pattern(unit: str) -> re.Pattern[str]:
    """Return the pattern of a number with a Korean unit, such as `명` or `시`."""
    pattern = COUNT_OF_UNIT.replace("UNIT", UNIT_SYNONYMS.get(unit, unit))
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


def _holds(constraint: AnswerConstraint, text: str, *, question: str) -> bool:
    if constraint.holds is None or (constraint.unless is not None and constraint.unless.search(text)):
        return constraint.holds is None
    text = _without_labels(text) if constraint.is_amount else text
    found = (match[0] for match in constraint.holds.finditer(text))
    if constraint.is_figure:
        known = set(DIGITS.findall(question))
        return any(not known.issuperset(DIGITS.findall(each) or [each]) for each in found)
    if constraint.is_name or constraint.is_new:
        asked = set(WORD.findall(question.lower())).union(NO_NAMES if constraint.is_name else ())
        return any(not asked.issuperset(WORD.findall(each.lower())) for each in found)
    return any(True for _ in found)


def _without_labels(text: str) -> str:
    """Return a text without the numbers that count nothing: of items, versions and dates."""
    return "\n".join(
        NO_AMOUNT.sub(" ", line[marker.end() :] if (marker := ITEM_MARKER.match(line)) else line)
        for line in text.splitlines()
    )
