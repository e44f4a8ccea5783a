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
    ASKS_FOR_CIRCUMSTANCE,
    ASKS_FOR_DEFINITION,
    BY_AGENT,
    CONSTRAINTS,
    COPULA_FORMS,
    COUNT_OF_UNIT,
    COUNTED_UNIT,
    CURRENCY,
    DEFINES_EN,
    DEFINES_KO,
    DIGITS,
    LETTER_WORD,
    MONEY_COLUMNS,
    NAMES_PERSON,
    NO_AMOUNT,
    NO_PERSON_WORDS,
    PASSWORD,
    PERSON_COLUMNS,
    TYPE_EXPRESSIONS,
    TYPE_QUESTIONS,
    UNIT_SYNONYMS,
    VERB_ENDING,
    VERB_FORMS,
    WHO_DOES,
    WORD,
    AnswerConstraint,
    AnswerType,
)

_MAX_TERM_WORDS = 4
"""Most words of a term to define; a longer phrase describes something rather than naming it."""
_MAX_DEFINITION_QUESTION = 120
"""Most characters of a question for a definition."""
_MIN_VERB_STEM = 3


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
        return all(self._is_met(constraint, text, lead=lead) for constraint in self.constraints)

    def names_subject(self, text: str, *, lead: str = "") -> bool:
        """Return True if the question asks who does something, and a sentence plainly says who.

        That is a person before the verb, or after the verb and "by", whom the question does not name. In a row of a
        table it is a person below a head for persons.
        """
        if not any(constraint.holds is NAMES_PERSON for constraint in self.constraints):
            return False
        asked = {word.lower() for word in LETTER_WORD.findall(self.question)}
        if " | " in text and PERSON_COLUMNS.search(lead) is not None:
            return _names_person(text, asked)
        verb = WHO_DOES.match(self.question)
        found = re.search(_verb_pattern(verb["verb"].lower()), text, re.IGNORECASE) if verb else None
        if found is None:
            return False
        by = BY_AGENT.match(text, found.end())
        return _names_person(by["who"] if by else text[: found.start()], asked)

    def _is_met(self, constraint: AnswerConstraint, text: str, *, lead: str) -> bool:
        is_row = " | " in text and " | " in lead
        if constraint.is_headed and is_row and not MONEY_COLUMNS.search(lead) and not CURRENCY.search(text):
            return False  # a bare number in a column of other things than money
        if constraint.holds is NAMES_PERSON and self.names_subject(text, lead=lead):
            return True
        searched = text if constraint.is_name or constraint.is_figure else f"{lead}\n{text}"
        return _holds(constraint, searched, question=self.question)


def read_constraints(question: str) -> AnswerConstraints:
    """Return the constraints that a question puts on its answer."""
    asks_otherwise = ASKS_FOR_CIRCUMSTANCE.search(question) is not None
    possible = [each for each in CONSTRAINTS if each.asks is not PASSWORD or not asks_otherwise]
    stated = [
        (constraint, match.span()) for constraint in possible for match in constraint.asks.finditer(question)
    ]
    constraints = dict.fromkeys(constraint for constraint, _ in stated if constraint.holds is not None)
    if counted := COUNTED_UNIT.search(question):
        constraints[AnswerConstraint(COUNTED_UNIT, _count_pattern(counted[1]), is_figure=True)] = None
    # A page that compares two things need not say "difference".
    compared = (match.span() for match in TYPE_QUESTIONS[AnswerType.COMPARISON].finditer(question))
    return AnswerConstraints(question, tuple(constraints), (*(span for _, span in stated), *compared))


def asked_types(question: str) -> tuple[AnswerType, ...]:
    """Return the types of thing that a question may ask for; empty if no pattern applies."""
    types = tuple(type_ for type_, pattern in TYPE_QUESTIONS.items() if pattern.search(question))
    return types if defined_term(question) is None else (*types, AnswerType.DEFINITION)


def holds_type(type_: AnswerType, sentence: str, *, question: str) -> bool:
    """Return True if a sentence holds something of a type that the question does not hold itself."""
    if type_ is AnswerType.DEFINITION:
        return defines(sentence, defined_term(question) or question)
    known = set(DIGITS.findall(question))
    if type_ not in TYPE_EXPRESSIONS:
        return False
    text = _without_labels(sentence) if type_ is AnswerType.NUMBER else sentence
    for match in TYPE_EXPRESSIONS[type_].finditer(text):
        digits = DIGITS.findall(match[0])
        if not digits or not known.issuperset(digits):
            return True
    return False


def defined_term(question: str) -> str | None:
    """Return the term that a question wants defined; None if it asks for something else."""
    asked = question.strip()
    found = ASKS_FOR_DEFINITION.match(asked) if len(asked) <= _MAX_DEFINITION_QUESTION else None
    term = next((group for group in found.groups() if group), "").strip() if found else ""
    return term if term and len(term.split()) <= _MAX_TERM_WORDS else None


def defines(sentence: str, term: str) -> bool:
    """Return True if a sentence says what a term is."""
    name = r"\s+".join(re.escape(word) for word in term.split())
    pattern = rf"(?:^|\W){name}(?:{DEFINES_EN}|{DEFINES_KO})"
    return re.search(pattern, sentence, re.IGNORECASE | re.DOTALL) is not None


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
        asked = set(WORD.findall(question.lower()))
        return any(not asked.issuperset(WORD.findall(each.lower())) for each in found)
    return any(True for _ in found)


def _without_labels(text: str) -> str:
    """Return a text without the numbers that count nothing: of items, versions and dates."""
    return "\n".join(
        NO_AMOUNT.sub(" ", line[marker.end() :] if (marker := ITEM_MARKER.match(line)) else line)
        for line in text.splitlines()
    )


def _verb_pattern(verb: str) -> str:
    if verb in COPULA_FORMS:
        return rf"\b(?:{'|'.join(sorted(COPULA_FORMS))})\b"
    stem = VERB_ENDING.sub("", verb)
    stem = stem if len(stem) >= _MIN_VERB_STEM else verb
    others = "".join(f"|{form}" for form in sorted(VERB_FORMS.get(verb, ())))
    return rf"\b(?:{re.escape(stem)}\w{{0,4}}{others})\b"


def _names_person(text: str, asked: set[str]) -> bool:
    return any(word.lower() not in asked | NO_PERSON_WORDS for word in LETTER_WORD.findall(text))
