"""OpenDocument spreadsheets (ODS): sheets with the texts of their cells as they are shown, read as a stream."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from kebab_core import Cells, Message

from kebab_parse_office.archive import read_integer
from kebab_parse_office.open_document_namespaces import DC, DRAW, OFFICE, STYLE, SVG, TABLE, TEXT
from kebab_parse_office.open_document_objects import read_object
from kebab_parse_office.open_document_text import RUNNING_PARTS
from kebab_parse_office.open_document_words import plain_text, raised_styles, without_fields
from kebab_parse_office.rich_text import join_line
from kebab_parse_office.sheets import (
    MOST_COLUMNS,
    MOST_ROWS,
    OUTSIDE_LEFT_OUT,
    Figure,
    Sheet,
    add_comment,
    is_page_label,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive

_FIRST_CELL = Cells(1, 1, 1, 1)
_USUAL_PAGE = "Default"
"""Master page of sheets that name none."""
_FIGURES = {"float", "currency", "percentage", "date", "time"}
_MOST_REPEATED = 10_000
"""Most copies of one row or cell with something in it; more are of fills, not of a table."""
_COPIES_LEFT_OUT = Message(
    "of a row that is repeated more than {copies:,} times only so many were read", copies=_MOST_REPEATED
)


def read_open_sheets(archive: OfficeArchive) -> Iterator[Sheet]:
    """Yield the sheets of `content.xml` in order.

    Raises:
        DocumentDamagedError: The file is damaged.
    """
    hidden: set[str] = set()
    raised: set[str] = set()
    running = _read_running(archive)
    pages: dict[str, str] = {}
    sheet, number = None, 0
    tags = (STYLE + "style", TABLE + "table-row", TABLE + "shapes", TABLE + "table")
    for element in archive.iterate("content.xml", tags):
        if element.tag == STYLE + "style":
            properties = element.find(STYLE + "table-properties")
            if properties is not None and properties.get(TABLE + "display") == "false":
                hidden.add(element.get(STYLE + "name", ""))
            pages[element.get(STYLE + "name", "")] = element.get(STYLE + "master-page-name", "")
            raised |= raised_styles(element)
        elif element.tag == TABLE + "table":
            if sheet is not None and not _is_inside(element):
                yield sheet
                sheet, number = None, 0
        elif (table := _table_of(element)) is not None and not _is_inside(table):
            if sheet is None:
                style = table.get(TABLE + "style-name", "")
                sheet = Sheet(name=join_line(table.get(TABLE + "name", "")), is_hidden=style in hidden)
                sheet.running += running.get(pages.get(style) or _USUAL_PAGE, ())
            sheet.drawn += _read_drawn(element, number + 1, archive)
            cells = _read_row(element, number + 1, sheet, raised)
            repeated = 0 if element.tag == TABLE + "shapes" else _count(element, "number-rows-repeated")
            if cells:
                _copy_row(cells, range(number + 1, number + repeated + 1), sheet, archive)
            number += repeated
    if sheet is not None:  # the file ends inside of it
        yield sheet


def _read_running(archive: OfficeArchive) -> dict[str, list[str]]:
    """Read the lines of headers and footers by the names of master pages, without fields; lines that only number pages are none."""
    root = archive.parse_optional("styles.xml")
    found: dict[str, list[str]] = {}
    for page in () if root is None else root.iter(STYLE + "master-page"):
        lines = found.setdefault(page.get(STYLE + "name", ""), [])
        for part in page:
            if part.tag in RUNNING_PARTS and part.get(STYLE + "display", "true") != "false":
                lines += filter(None, map(_running_line, part.iter(TEXT + "p", TEXT + "h")))
    return found


def _running_line(paragraph: _Element) -> str:
    words = join_line(plain_text(without_fields(paragraph)))
    numbers = sum(1 for _ in paragraph.iter(TEXT + "page-number", TEXT + "page-count"))
    is_label = bool(numbers) and is_page_label(words, numbers)
    return words if any(map(str.isalnum, words)) and not is_label else ""


def _copy_row(cells: dict[int, str], numbers: range, sheet: Sheet, archive: OfficeArchive) -> None:
    """Write a row as often as it is repeated, within the bounds of a sheet."""
    if len(numbers) > _MOST_REPEATED:
        archive.warn(_COPIES_LEFT_OUT)
    if numbers[0] > MOST_ROWS or max(cells) > MOST_COLUMNS:
        archive.warn(OUTSIDE_LEFT_OUT)
    shown = {column: text for column, text in cells.items() if column <= MOST_COLUMNS}
    for number in numbers[:_MOST_REPEATED] if shown else ():
        if number <= MOST_ROWS:
            sheet.rows[number] = dict(shown)


def _read_drawn(row: _Element, number: int, archive: OfficeArchive) -> Iterator[tuple[Cells, str]]:
    """Yield the texts of the shapes and charts that stand at the cells of a row, or on the sheet as a whole."""
    if row.tag == TABLE + "shapes":
        yield from ((_FIRST_CELL, text) for text in _drawn_texts(row, archive))
        return
    column = 1
    for cell in row:
        if any(isinstance(child.tag, str) and child.tag.startswith(DRAW) for child in cell):
            place = Cells(min(number, MOST_ROWS), column, min(number, MOST_ROWS), column)
            yield from ((place, text) for text in _drawn_texts(cell, archive))
        column = min(column + _count(cell, "number-columns-repeated"), MOST_COLUMNS)


def _drawn_texts(parent: _Element, archive: OfficeArchive) -> Iterator[str]:
    """Yield the text of each shape and the titles of each chart below an element; values of charts stand in cells."""
    for shape in parent:
        if not (isinstance(shape.tag, str) and shape.tag.startswith(DRAW)):
            continue
        words = "\n".join(plain_text(each) for each in shape.iter(TEXT + "p")).strip()
        if shape.tag == DRAW + "frame":
            words = "\n".join(filter(None, (words, (shape.findtext(SVG + "desc") or "").strip())))
        if words:
            yield words
        for each in shape.iter(DRAW + "object"):
            yield from (text for text in read_object(archive, each) if isinstance(text, str))


def _read_row(row: _Element, number: int, sheet: Sheet, raised: Container[str]) -> dict[int, str]:
    """Return the cells of a row; those that it merges are added to the sheet."""
    cells: dict[int, str] = {}
    column = 1
    for cell in row:
        if cell.tag not in {TABLE + "table-cell", TABLE + "covered-table-cell"}:
            continue
        repeated = _count(cell, "number-columns-repeated")
        if len(cell):
            text = join_line("\n".join(plain_text(each, raised) for each in cell.iterfind(TEXT + "p")))
            if text:
                kind = Figure if cell.get(OFFICE + "value-type") in _FIGURES else str
                cells |= {
                    column + copy: kind(text)
                    for copy in range(min(repeated, max(MOST_COLUMNS - column + 1, 1)))
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
    return max(read_integer(text, default=1, most=MOST_ROWS), 1)


def _table_of(row: _Element) -> _Element | None:
    parent = row.getparent()
    while parent is not None and parent.tag != TABLE + "table":
        parent = parent.getparent()
    return parent


def _is_inside(table: _Element) -> bool:
    """Whether a table is not a sheet: it stands in a cell or a shape, or keeps what a link brought."""
    parent = table.getparent()
    return parent is not None and parent.tag != OFFICE + "spreadsheet"
