"""Sheets with the texts of their cells, and the tables that the cells form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kebab_core import Cells
from kebab_parse import join_headers

_MOST_FILLED = 100_000
"""Most rows that one merged cell may fill."""
_MERGED_HEADER_ROWS = 2


class Figure(str):
    """Text of a cell that is a number or a date."""

    __slots__ = ()


@dataclass(slots=True)
class Sheet:
    """A sheet with its cells that are not empty."""

    name: str
    is_hidden: bool = False
    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    """By row, then by column, both from 1; each text on one line, those of numbers and dates are `Figure`s."""
    merged: list[Cells] = field(default_factory=list)

    def fill_merged(self) -> None:
        """Give every row of a merged cell its text, so that each row says what it shows."""
        for merged in self.merged:
            text = self.rows.get(merged.top, {}).get(merged.left)
            if text and merged.bottom - merged.top <= _MOST_FILLED:
                for number in range(merged.top + 1, merged.bottom + 1):
                    if number in self.rows:
                        self.rows[number].setdefault(merged.left, text)


def add_comment(cells: dict[int, str], column: int, *, author: str, text: str) -> None:
    """Put a remark behind the text of its cell."""
    before = cells.get(column, "")
    lead = f"Comment ({author})" if author else "Comment"
    cells[column] = type(before)(f"{before} [{lead}: {text}]".lstrip())


class Table(NamedTuple):
    """Rows without an empty one between them. Columns that are empty in all of them are left out."""

    captions: list[tuple[Cells, str]]
    """The rows above the header that have one cell only, each with its text."""
    cells: Cells
    """Header and rows."""
    headers: tuple[str, ...]
    """Names of the columns; empty where nothing tells that the first row names them."""
    rows: list[tuple[str, ...]]
    """One for every row of cells below the first row of the header, or for all without a header."""


def find_tables(sheet: Sheet) -> Iterator[Table]:
    """Yield the tables of a sheet from the top. Tables beside each other are one."""
    run: list[int] = []
    for number in sorted(sheet.rows):
        if run and number > run[-1] + 1:
            yield _build_table(sheet, run)
            run = []
        run.append(number)
    if run:
        yield _build_table(sheet, run)


def _build_table(sheet: Sheet, numbers: Sequence[int]) -> Table:
    used = sorted({column for number in numbers for column in sheet.rows[number]})
    captions: list[tuple[Cells, str]] = []
    while (
        len(used) > 1
        and len(captions) + 1 < len(numbers)
        and len(row := sheet.rows[numbers[len(captions)]]) == 1
    ):
        ((column, text),) = row.items()
        number = numbers[len(captions)]
        captions.append((Cells(number, column, number, column), text))
    top = numbers[len(captions)]
    rows = [tuple(map(sheet.rows[number].get, used, [""] * len(used))) for number in numbers[len(captions) :]]
    cells = Cells(top, used[0], numbers[-1], used[-1])
    spread = _spread_merged(sheet, top, used, rows[0])
    most = len(used) // 2 + 1
    if (
        spread != rows[0]
        and len(rows) > _MERGED_HEADER_ROWS
        and _names_columns(spread, most)
        and _names_columns(rows[1], 1)
    ):
        return Table(captions, cells, tuple(join_headers([spread, rows[1]])), [("",) * len(used), *rows[2:]])
    if len(rows) > 1 and _names_columns(rows[0], most):
        return Table(captions, cells, rows[0], rows[1:])
    return Table(captions, cells, (), rows)


def _names_columns(row: Sequence[str], least: int) -> bool:
    """Return True if a row has no numbers or dates, and words in enough columns."""
    return not any(isinstance(text, Figure) for text in row) and sum(map(bool, row)) >= least


def _spread_merged(sheet: Sheet, number: int, used: Sequence[int], row: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row with the text of each cell that is merged over columns in all of them."""
    texts = dict(zip(used, row, strict=True))
    for merged in sheet.merged:
        if merged.top == number and (text := texts.get(merged.left)):
            texts |= {column: text for column in used if merged.left < column <= merged.right}
    return tuple(texts[column] for column in used)
