"""Tables in texts and on slides of OpenDocument: their cells with the rows and columns that they cover."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kebab_parse import TableCell

from kebab_parse_office.archive import read_integer
from kebab_parse_office.open_document_namespaces import TABLE

if TYPE_CHECKING:
    from lxml.etree import _Element

_CELL, _COVERED = TABLE + "table-cell", TABLE + "covered-table-cell"
_MOST = 1000
"""Most rows or columns that one cell covers or is repeated in."""


def list_boxes(table: _Element) -> list[_Element]:
    """Return the cells of a table of one column, which is a box around text; none for every other."""
    lines = [list(row.iterchildren(_CELL, _COVERED)) for row, _ in _rows(table)]
    return [cell for line in lines for cell in line] if max(map(len, lines), default=0) == 1 else []


def place_cells(table: _Element, text_of: Callable[[_Element], str]) -> tuple[list[TableCell], int]:
    """Return the cells of a table that no other covers, and the number of rows with such cells that are its header.

    Args:
        table: The element.
        text_of: Gives the text of a cell on one line.
    """
    placed: list[TableCell] = []
    heads: set[int] = set()
    for number, (row, is_header) in enumerate(_rows(table)):
        column = 0
        for cell in row.iterchildren(_CELL, _COVERED):
            repeated = _count(cell, "number-columns-repeated")
            if cell.tag == _CELL:
                over, down = _count(cell, "number-columns-spanned"), _count(cell, "number-rows-spanned")
                text = text_of(cell)
                placed += (TableCell(number, column + copy, text, down, over) for copy in range(repeated))
                heads |= {number} if is_header else set()
            column += repeated
    return placed, len(heads)


def _rows(table: _Element, *, is_header: bool = False) -> Iterator[tuple[_Element, bool]]:
    """Yield the rows of a table, each with True if it is of the header."""
    for child in table:
        if child.tag == TABLE + "table-row":
            yield child, is_header
        elif child.tag == TABLE + "table-header-rows":
            yield from _rows(child, is_header=True)
        elif child.tag in {TABLE + "table-rows", TABLE + "table-row-group"}:
            yield from _rows(child, is_header=is_header)


def _count(cell: _Element, name: str) -> int:
    return max(read_integer(cell.get(TABLE + name, "1"), default=1, most=_MOST), 1)
