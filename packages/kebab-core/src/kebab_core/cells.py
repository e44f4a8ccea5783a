"""Ranges of cells of a sheet in the notation of spreadsheets: `B4`, `B4:D9`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, NamedTuple

from pydantic import Field

_PATTERN = r"[A-Z]{1,3}[1-9][0-9]{0,6}(:[A-Z]{1,3}[1-9][0-9]{0,6})?"
_RANGE = re.compile(_PATTERN)
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_LETTERS = 26

CellRange = Annotated[str, Field(pattern=f"^{_PATTERN}$")]
"""A cell or a range from its first to its last, columns as letters and rows from 1."""


class Cells(NamedTuple):
    """A range of cells by numbers, both ends included."""

    top: int
    """First row, from 1."""
    left: int
    """First column, from 1 (`A`)."""
    bottom: int
    right: int

    def __str__(self) -> str:
        first, last = f"{_letters(self.left)}{self.top}", f"{_letters(self.right)}{self.bottom}"
        return first if first == last else f"{first}:{last}"

    def is_apart(self, other: Cells) -> bool:
        """Whether the two have no cell in common."""
        return (
            self.bottom < other.top
            or other.bottom < self.top
            or self.right < other.left
            or other.right < self.left
        )


def parse_cells(text: CellRange) -> Cells:
    """Return a range by numbers, with its corners in order.

    Raises:
        ValueError: It is no range of cells.
    """
    if not _RANGE.fullmatch(text):
        raise ValueError(text)
    corners = [(int(row), _number(column)) for column, row in _CELL.findall(text)]
    rows, columns = [row for row, _ in corners], [column for _, column in corners]
    return Cells(min(rows), min(columns), max(rows), max(columns))


def cover_cells(ranges: Iterable[Cells]) -> Cells:
    """Return the smallest range that holds all of these, of which there is one at least."""
    tops, lefts, bottoms, rights = zip(*ranges, strict=True)
    return Cells(min(tops), min(lefts), max(bottoms), max(rights))


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * _LETTERS + ord(letter) - ord("A") + 1
    return number


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, _LETTERS)
        letters = chr(ord("A") + rest) + letters
    return letters
