"""What the match tables ask of the analyser."""

from collections.abc import Callable

import pytest
from kebab_analysis import KoreanEnglishAnalyzer

ANALYZER = KoreanEnglishAnalyzer()


def _shared_terms(query: str, text: str) -> bool:
    return not {term.text for term in ANALYZER.analyze_query(query)}.isdisjoint(
        term.text for term in ANALYZER.analyze(text)
    )


def _covered(query: str, text: str) -> bool:
    held = {term.text for term in ANALYZER.analyze(text)}
    terms = ANALYZER.analyze_query(query)
    asked = {at for term in terms for at in range(term.start, term.end)}
    return asked == {at for term in terms if term.text in held for at in range(term.start, term.end)}


@pytest.fixture
def finds() -> Callable[[str, str], bool]:
    """Return whether a text holds a term of the query."""
    return _shared_terms


@pytest.fixture
def finds_every_letter() -> Callable[[str, str], bool]:
    """Return whether the query's terms that a text holds cover all that the query's terms cover."""
    return _covered
