"""Header rows of tables, and numerals of numbered paragraphs."""

from __future__ import annotations

import pytest
from kebab_parse import join_headers, roman_numeral


def test_header_rows_are_joined_by_column_with_equal_texts_once() -> None:
    assert join_headers([["예산", "예산", ""], ["본예산", "추경", "비고"], ["", "", "비고"]]) == [
        "예산 본예산",
        "예산 추경",
        "비고",
    ]


def test_short_and_missing_header_rows_are_empty_cells() -> None:
    assert join_headers([["a"], ["", "b"]]) == ["a", "b"]
    assert join_headers([]) == []


@pytest.mark.parametrize(
    ("number", "shown"), [(1, "I"), (4, "IV"), (19, "XIX"), (2026, "MMXXVI"), (4000, "MMMM")]
)
def test_numbers_are_roman_numerals(number: int, shown: str) -> None:
    assert roman_numeral(number) == shown
