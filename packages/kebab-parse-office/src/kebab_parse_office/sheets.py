"""Sheets with the texts of their cells, and the tables that the cells form."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kebab_core import Cells, Message
from kebab_parse import join_headers

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""Size of a sheet in every program."""
OUTSIDE_LEFT_OUT = Message("cells outside of the largest sheet were left out")
_MOST_REPEATED_CHARS = 2_000_000
"""Most code points that the merged cells of a sheet repeat in further rows; further ones stand where they begin."""
_MERGED_HEADER_ROWS = 2
_NEXT_TABLE = 2
"""Rows from the end of a table to the next one that one empty row parts from it."""
_TITLE_SHARE = 2
"""A row with more than one cell is a title where the table has this many times as many columns."""


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
    running: list[str] = field(default_factory=list)
    """Lines of the headers and footers of its printed pages, without fields such as the number of a page."""
    drawn: list[tuple[Cells, str]] = field(default_factory=list)
    """Texts of shapes and charts with the cells that they lie on, lines with ends."""
    wide: dict[int, list[Cells]] = field(default_factory=dict)
    """By row, the merged cells over several columns; as `fill_merged` sets it."""

    def fill_merged(self) -> None:
        """Give every row of a merged cell its text, so that each row says what it shows. Its columns are filled with the table."""
        numbers = sorted(self.rows)
        left = _MOST_REPEATED_CHARS
        for merged in self.merged:
            text = self.rows.get(merged.top, {}).get(merged.left)
            if not text:
                continue
            for number in numbers[bisect_left(numbers, merged.top) : bisect_right(numbers, merged.bottom)]:
                left -= len(text) + 1
                if left < 0:
                    return
                self.rows[number].setdefault(merged.left, text)
                if merged.right > merged.left:
                    self.wide.setdefault(number, []).append(merged)


def is_page_label(text: str, numbers: int) -> bool:
    """Return True if a text beside numbers of pages has no more words than there are numbers, as in `Page 1 of 3` or `3쪽`."""
    return sum(any(map(str.isalnum, word)) for word in text.split()) <= numbers


def lost_sheet(name: str) -> Message:
    """Return the warning of a sheet that cannot be read."""
    return Message("the sheet {sheet!r} is damaged and was left out", sheet=name)


def add_comment(cells: dict[int, str], column: int, *, author: str, text: str) -> None:
    """Put a remark behind the text of its cell."""
    before = cells.get(column, "")
    lead = f"Comment ({author})" if author else "Comment"
    cells[column] = type(before)(f"{before} [{lead}: {text}]".lstrip())


class Table(NamedTuple):
    """Rows without an empty one between them. Columns that are empty in all of them are left out."""

    captions: list[tuple[Cells, str]]
    """The cells of the rows above the header that have far fewer than the table, each with its text."""
    cells: Cells
    """Header and rows."""
    headers: tuple[str, ...]
    """Names of the columns, those of the table above where it continues it; empty where nothing tells them."""
    rows: list[tuple[str, ...]]
    """One for every row of cells below the first row of the header, or for all without a header of its own."""
    header_cells: Cells | None = None
    """The header row of the table above of the same columns, from which an empty row parts this one without a header of its own."""


def find_tables(sheet: Sheet) -> Iterator[Table]:
    """Yield the tables of a sheet from the top. Tables beside each other are one."""
    runs: list[list[int]] = []
    for number in sorted(sheet.rows):
        if not runs or number > runs[-1][-1] + 1:
            runs.append([])
        runs[-1].append(number)
    above: tuple[Table, list[int]] | None = None
    for run in runs:
        used = sorted({column for number in run for column in sheet.rows[number]})
        table = _build_table(sheet, run, used)
        if (
            above is not None
            and len(used) > 1  # lines of text in one column are no table
            and above[1] == used
            and run[0] == above[0].cells.bottom + _NEXT_TABLE
            and _continues(table, above[0])
        ):
            rows = [table.headers, *table.rows] if table.headers else table.rows
            head = above[0].header_cells or above[0].cells._replace(bottom=above[0].cells.top)
            table = table._replace(headers=above[0].headers, rows=rows, header_cells=head)
        yield table
        above = table, used


def _continues(table: Table, above: Table) -> bool:
    """Return True if the first row of a table is no header, but a row like those of a table above of the same columns."""
    if not above.headers or table.captions or table.headers == above.headers:
        return False
    if not table.headers:
        return True
    is_joined = not any(table.rows[0])
    return not (is_joined or _has_figures(table) or _has_figures(above))


def _has_figures(table: Table) -> bool:
    return any(isinstance(text, Figure) for row in table.rows for text in row)


def _build_table(sheet: Sheet, numbers: Sequence[int], used: Sequence[int]) -> Table:
    captions: list[tuple[Cells, str]] = []
    titles = 0
    while len(used) > 1 and titles + 1 < len(numbers) and _is_title(sheet, numbers[titles:], used):
        number = numbers[titles]
        row = sheet.rows[number]
        captions += ((Cells(number, column, number, column), row[column]) for column in sorted(row))
        titles += 1
    top = numbers[titles]
    rows = [
        _spread_merged(sheet, number, used, tuple(map(sheet.rows[number].get, used, [""] * len(used))))
        for number in numbers[titles:]
    ]
    cells = Cells(top, used[0], numbers[-1], used[-1])
    most = len(used) // 2 + 1
    if (
        sheet.wide.get(top)
        and len(rows) > _MERGED_HEADER_ROWS
        and _names_columns(rows[0], most)
        and _names_columns(rows[1], 1)
    ):
        return Table(captions, cells, tuple(join_headers(rows[:2])), [("",) * len(used), *rows[2:]])
    if len(rows) > 1 and _names_columns(rows[0], most):
        return Table(captions, cells, rows[0], rows[1:])
    return Table(captions, cells, (), rows)


def _is_title(sheet: Sheet, numbers: Sequence[int], used: Sequence[int]) -> bool:
    """Return True if the first row is a title: it has one cell, or few cells, none over columns, above a header."""
    row, below = sheet.rows[numbers[0]], sheet.rows[numbers[1]]
    if len(row) == 1:
        return True
    is_merged = numbers[0] in sheet.wide
    is_short = len(row) * _TITLE_SHARE <= len(used) and _names_columns(list(row.values()), 1)
    return is_short and not is_merged and _names_columns(list(below.values()), len(used) // 2 + 1)


def _names_columns(row: Sequence[str], least: int) -> bool:
    """Return True if a row has no numbers or dates, and words in enough columns."""
    return not any(isinstance(text, Figure) for text in row) and sum(map(bool, row)) >= least


def _spread_merged(sheet: Sheet, number: int, used: Sequence[int], row: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row with the text of each merged cell in all columns that it covers; one over the whole width stays as it is."""
    if number not in sheet.wide:
        return row
    texts = dict(zip(used, row, strict=True))
    for merged in sheet.wide[number]:
        covered = used[bisect_left(used, merged.left) : bisect_right(used, merged.right)]
        if len(covered) < len(used) and (text := texts.get(merged.left)):
            texts |= {column: texts[column] or text for column in covered}
    return tuple(texts[column] for column in used)
