"""Tables of any format: merged cells, one header of several header rows, and which rows are the header where no file says it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_VALUE = re.compile(r"(?:\D{0,40}\d){5}|[^\s@]{1,64}@[^\s@]{1,255}\.")
"""Dates, telephone numbers, amounts and addresses of mails."""
_FIELD_END = (":", "：")
_MOST_REPEATED_CHARS = 2_000_000
"""Most code points that the merged cells of one table repeat; further ones stand where they begin."""


@dataclass(slots=True)
class TableCell:
    """A cell by its upper left corner, with the rows and columns that it covers."""

    row: int
    """From 0, as is the column."""
    column: int
    text: str
    rows: int = 1
    columns: int = 1


def spread_cells(cells: Iterable[TableCell]) -> list[list[str]]:
    """Return the texts of a table row by row. A merged cell stands in every row and column that it covers.

    One that covers the whole width names no column, and stands once in each of its rows. Rows and columns in which no cell
    begins are left out, since they say nothing of their own. Cells that begin at the same place are joined.

    Args:
        cells: In reading order. Cells that others cover are absent.

    Returns:
        Rows, each as long as its last cell reaches.
    """
    placed = list(cells)
    rows = sorted({cell.row for cell in placed})
    columns = sorted({cell.column for cell in placed})
    grid: list[list[str | None]] = [[] for _ in rows]
    for cell in placed:
        row, at = grid[bisect_left(rows, cell.row)], bisect_left(columns, cell.column)
        row += [None] * (at + 1 - len(row))
        row[at] = f"{row[at] or ''} {cell.text}".strip()
    left = _MOST_REPEATED_CHARS
    for cell in placed:
        left = _repeat(cell, grid, (rows, columns), left) if cell.rows > 1 or cell.columns > 1 else left
    return [[text or "" for text in row] for row in grid]


def _repeat(
    cell: TableCell, grid: Sequence[list[str | None]], numbers: tuple[Sequence[int], Sequence[int]], left: int
) -> int:
    """Write a merged cell into all places that it covers and no other cell has; return how many code points are left."""
    rows, columns = numbers
    first, end = bisect_left(columns, cell.column), bisect_left(columns, cell.column + max(cell.columns, 1))
    last = first + 1 if end - first == len(columns) else end
    for row in grid[bisect_left(rows, cell.row) : bisect_left(rows, cell.row + max(cell.rows, 1))]:
        row += [None] * (end - len(row))
        for at in range(first, last):
            if row[at] is None and left > len(cell.text):
                row[at] = cell.text
                left -= len(cell.text) + 1
    return left


def join_headers(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return one header of several rows: for each column its texts from the top, equal ones once, with blanks between.

    It is as long as the longest row; short rows count as filled up with empty cells.
    """
    width = max(map(len, rows), default=0)
    columns = [dict.fromkeys(row[at] for row in rows if at < len(row)) for at in range(width)]
    return [" ".join(filter(None, column)) for column in columns]


def split_header(
    rows: Sequence[Sequence[str]], *, marked: int = 0
) -> tuple[list[str], Sequence[Sequence[str]]]:
    """Part the header of a table from its other rows.

    A form has a name and its value side by side, and no header. Its first row shows it: the name ends with a colon, values
    are missing, or some cells are dates, numbers or addresses and others are not.

    Args:
        rows: All rows.
        marked: Number of header rows that the file marks as such; 0 where it marks none, or all.

    Returns:
        The header, of empty cells where there is none, and the rows without it. A single row is the header.
    """
    if 0 < marked < len(rows):
        return join_headers(rows[:marked]), rows[marked:]
    if len(rows) > 1 and _is_record(rows[0]):
        return [""] * len(rows[0]), rows
    return join_headers(rows[:1]), rows[1:]


def _is_record(row: Sequence[str]) -> bool:
    """Return True if a row holds names and values, not names of columns alone."""
    first, *others = row or ("",)
    if not first:  # the corner between names of rows and of columns
        return False
    named = [text for text in others if text]
    values = sum(bool(_VALUE.match(text)) for text in named)
    is_partly_values = 0 < values < len(named) or (values == len(others) == 1)
    return first.endswith(_FIELD_END) or len(named) * 2 < len(others) or is_partly_values
