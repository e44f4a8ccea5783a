"""OpenDocument spreadsheets (ODS): sheets with the texts of their cells as they are shown, read as a stream."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from kebab_core import Cells

from kebab_parse_office.archive import read_integer
from kebab_parse_office.open_document_namespaces import DC, OFFICE, STYLE, TABLE, TEXT
from kebab_parse_office.open_document_text import plain_text, raised_styles
from kebab_parse_office.rich_text import join_line
from kebab_parse_office.sheets import Figure, Sheet, add_comment

if TYPE_CHECKING:
    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive

_FIGURES = {"float", "currency", "percentage", "date", "time"}
_MOST_REPEATED = 10_000
"""Most copies of one row or cell with something in it; more are of fills, not of a table."""
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384


def read_open_sheets(archive: OfficeArchive) -> Iterator[Sheet]:
    """Yield the sheets of `content.xml` in order.

    Raises:
        DocumentDamagedError: The file is damaged.
    """
    hidden: set[str] = set()
    raised: set[str] = set()
    sheet, number = None, 0
    for element in archive.iterate("content.xml", (STYLE + "style", TABLE + "table-row", TABLE + "table")):
        if element.tag == STYLE + "style":
            properties = element.find(STYLE + "table-properties")
            if properties is not None and properties.get(TABLE + "display") == "false":
                hidden.add(element.get(STYLE + "name", ""))
            raised |= raised_styles(element)
        elif element.tag == TABLE + "table":
            if sheet is not None and not _is_inside(element):
                yield sheet
                sheet, number = None, 0
        elif (table := _table_of(element)) is not None and not _is_inside(table):
            if sheet is None:
                style = table.get(TABLE + "style-name", "")
                sheet = Sheet(name=join_line(table.get(TABLE + "name", "")), is_hidden=style in hidden)
            repeated = _count(element, "number-rows-repeated")
            cells = _read_row(element, number + 1, sheet, raised)
            if cells:
                for copy in range(min(repeated, _MOST_REPEATED, _MOST_ROWS - number)):
                    sheet.rows[number + 1 + copy] = dict(cells)
            number += repeated


def _read_row(row: _Element, number: int, sheet: Sheet, raised: Container[str]) -> dict[int, str]:
    """Return the cells of a row; those that it merges are added to the sheet."""
    cells: dict[int, str] = {}
    column = 1
    for cell in row:
        if cell.tag not in {TABLE + "table-cell", TABLE + "covered-table-cell"}:
            continue
        repeated = _count(cell, "number-columns-repeated")
        if len(cell) and column <= _MOST_COLUMNS:
            text = join_line("\n".join(plain_text(each, raised) for each in cell.iterfind(TEXT + "p")))
            if text:
                kind = Figure if cell.get(OFFICE + "value-type") in _FIGURES else str
                cells |= {
                    column + copy: kind(text)
                    for copy in range(min(repeated, _MOST_REPEATED, _MOST_COLUMNS - column + 1))
                }
            for remark in cell.iterfind(OFFICE + "annotation"):
                said = join_line("\n".join(plain_text(each) for each in remark.iterfind(TEXT + "p")))
                if said:
                    add_comment(
                        cells, column, author=join_line(remark.findtext(DC + "creator") or ""), text=said
                    )
            over, down = _count(cell, "number-columns-spanned"), _count(cell, "number-rows-spanned")
            if over * down > 1:
                sheet.merged.append(Cells(number, column, number + down - 1, column + over - 1))
        column += repeated
    return cells


def _count(element: _Element, name: str) -> int:
    text = element.get(TABLE + name, "1")
    return max(read_integer(text, default=1, most=_MOST_ROWS), 1)


def _table_of(row: _Element) -> _Element | None:
    parent = row.getparent()
    while parent is not None and parent.tag != TABLE + "table":
        parent = parent.getparent()
    return parent


def _is_inside(table: _Element) -> bool:
    """Whether a table is not a sheet: it stands in a cell or a shape, or keeps what a link brought."""
    parent = table.getparent()
    return parent is not None and parent.tag != OFFICE + "spreadsheet"
