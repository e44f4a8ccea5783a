"""Workbooks of Excel 2003 as XML, which other programs write under the extension of older workbooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_core import Cells
from kebab_parse import parse_xml

from kebab_parse_office.archive import read_integer
from kebab_parse_office.rich_text import join_line
from kebab_parse_office.sheets import MOST_COLUMNS, MOST_ROWS, OUTSIDE_LEFT_OUT, Figure, Sheet, add_comment

if TYPE_CHECKING:
    from kebab_core import Message
    from lxml.etree import _Element

SPREADSHEET_XML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,200}<\?xml.{0,2000}?<(?:\w{1,20}:)?Workbook\b.{0,2000}?urn:schemas-microsoft-com:office:spreadsheet",
    re.DOTALL,
)
"""Beginning of such a file."""
_SS = "{urn:schemas-microsoft-com:office:spreadsheet}"
_FIGURES = frozenset({"Number", "DateTime"})
_MIDNIGHT = re.compile(r"T00:00:00(?:\.0{1,9})?$|\.0{1,9}$")


def read_spreadsheet_xml(content: bytes, warnings: list[Message]) -> Iterator[Sheet]:
    """Yield the worksheets in order.

    Raises:
        DocumentDamagedError: It is no XML.
    """
    root = parse_xml(content, "Workbook", warnings)
    for worksheet in root.iter(f"{_SS}Worksheet"):
        sheet = Sheet(name=join_line(worksheet.get(f"{_SS}Name", "")))
        number = 0
        for row in worksheet.iterfind(f"{_SS}Table/{_SS}Row"):
            number = max(read_integer(row.get(f"{_SS}Index"), most=MOST_ROWS + 1), number + 1)
            if number > MOST_ROWS:
                warnings.append(OUTSIDE_LEFT_OUT)
                break
            if cells := _read_row(row, number, sheet):
                sheet.rows[number] = cells
        yield sheet


def _read_row(row: _Element, number: int, sheet: Sheet) -> dict[int, str]:
    cells: dict[int, str] = {}
    column = 0
    for cell in row.iterfind(f"{_SS}Cell"):
        column = max(read_integer(cell.get(f"{_SS}Index")), column + 1)
        across, down = (read_integer(cell.get(f"{_SS}Merge{way}")) for way in ("Across", "Down"))
        last, bottom = column + across, min(number + down, MOST_ROWS)
        if last > MOST_COLUMNS:
            break
        data, comment = cell.find(f"{_SS}Data"), cell.find(f"{_SS}Comment")
        if text := _text_of(data):
            is_figure = data is not None and data.get(f"{_SS}Type") in _FIGURES
            cells[column] = Figure(_MIDNIGHT.sub("", text)) if is_figure else text
        if comment is not None and (said := _text_of(comment)):
            add_comment(cells, column, author=comment.get(f"{_SS}Author", ""), text=said)
        if (last, bottom) != (column, number):
            sheet.merged.append(Cells(number, column, bottom, last))
        column = last
    return cells


def _text_of(element: _Element | None) -> str:
    return "" if element is None else join_line("".join(map(str, element.itertext())))
