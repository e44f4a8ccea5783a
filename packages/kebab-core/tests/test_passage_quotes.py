"""Quotes that a reader may give: ranges that are ascending, apart and not empty, and no answer without one."""

import pytest
from kebab_core import AnswerReading, PassageQuote
from kebab_testing.tables import walk
from pydantic import ValidationError


@walk("ranges", [[(0, 1)], [(2, 5), (5, 6)], [(0, 3), (9, 12), (40, 41)]])
def test_ranges_of_a_quote_are_ascending_and_apart(ranges: list[tuple[int, int]]) -> None:
    assert PassageQuote(marker=1, ranges=tuple(ranges)).ranges == tuple(ranges)


@walk("ranges", [[], [(3, 3)], [(4, 2)], [(-1, 2)], [(5, 8), (0, 3)], [(0, 4), (3, 6)]])
def test_other_ranges_are_refused(ranges: list[tuple[int, int]]) -> None:
    with pytest.raises(ValidationError):
        PassageQuote(marker=1, ranges=tuple(ranges))


def test_an_answer_has_a_quote() -> None:
    assert AnswerReading(answers=False).quotes == ()
    with pytest.raises(ValidationError):
        AnswerReading(answers=True)
