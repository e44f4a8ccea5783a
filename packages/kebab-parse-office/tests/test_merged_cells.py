"""Merged cells: in every format a value stands in each row and column where a reader sees it."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import openpyxl
import pytest
from kebab_core import CanonicalDocument, OfficeFormat, TableBlock
from kebab_testing.office_files import open_document, paragraph, slide_file, word_file

Read = Callable[[bytes, OfficeFormat], CanonicalDocument]

# What each place shows; `<` and `^` are covered by the cell to the left or above.
GRID = (
    ("지점", "오전", "오후", "값"),
    ("서울", "휴무", "<", "1"),
    ("^", "^", "<", "2"),
    ("참고", "<", "<", "<"),
)
SHOWN = (
    ("서울", "휴무", "휴무", "1"),
    ("서울", "휴무", "휴무", "2"),
    ("참고", "", "", ""),
)


def _extent(row: int, column: int) -> tuple[int, int]:
    """Return the rows and columns that the cell at a place covers."""
    over = next((at for at in range(column + 1, 4) if GRID[row][at] != "<"), 4) - column
    down = next((at for at in range(row + 1, 4) if GRID[at][column] != "^"), 4) - row
    return down, over


def _word() -> bytes:
    rows = ""
    for at, row in enumerate(GRID):
        rows += "<w:tr>"
        for column, text in enumerate(row):
            if text != "<":
                down, over = _extent(at, column)
                merge = "<w:vMerge/>" if text == "^" else '<w:vMerge w:val="restart"/>' if down > 1 else ""
                shown = paragraph("" if text == "^" else text)
                rows += f'<w:tc><w:tcPr><w:gridSpan w:val="{over}"/>{merge}</w:tcPr>{shown}</w:tc>'
        rows += "</w:tr>"
    return word_file(f"<w:tbl>{rows}</w:tbl>")


def _open_table() -> str:
    rows = ""
    for at, row in enumerate(GRID):
        rows += "<table:table-row>"
        for column, text in enumerate(row):
            down, over = _extent(at, column)
            spans = f'table:number-rows-spanned="{down}" table:number-columns-spanned="{over}"'
            cell = f'<table:table-cell office:value-type="string" {spans}><text:p>{text}</text:p></table:table-cell>'
            rows += "<table:covered-table-cell/>" if text in "<^" else cell
        rows += "</table:table-row>"
    return f'<table:table table:name="표">{rows}</table:table>'


def _slide() -> bytes:
    rows = ""
    for row in GRID:
        rows += "<a:tr>"
        for column, text in enumerate(row):
            flags = 'hMerge="1"' * (text == "<") + ' vMerge="1"' * (text == "^")
            flags += ' vMerge="1"' * (text == "<" and row[column - 1] == "^")
            shown = "" if text in "<^" else text
            rows += f"<a:tc {flags}><a:txBody><a:p><a:r><a:t>{shown}</a:t></a:r></a:p></a:txBody></a:tc>"
        rows += "</a:tr>"
    table = f"<a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic>"
    return slide_file(f"<p:graphicFrame>{table}</p:graphicFrame>")


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    for at, row in enumerate(GRID):
        for column, text in enumerate(row):
            if text not in "<^":
                book.active.cell(at + 1, column + 1, int(text) if text.isdigit() else text)
    for cells in ("A2:A3", "B2:C3", "A4:D4"):
        book.active.merge_cells(cells)
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _open_slide() -> bytes:
    return open_document("presentation", f"<draw:page><draw:frame>{_open_table()}</draw:frame></draw:page>")


def _spreadsheet_xml() -> bytes:
    rows = ""
    for at, row in enumerate(GRID):
        rows += f'<Row ss:Index="{at + 1}">'
        for column, text in enumerate(row):
            if text not in {"<", "^"}:
                down, over = _extent(at, column)
                merge = f'ss:MergeAcross="{over - 1}" ss:MergeDown="{down - 1}"'
                rows += f'<Cell ss:Index="{column + 1}" {merge}><Data ss:Type="String">{text}</Data></Cell>'
        rows += "</Row>"
    space = 'xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
    return (
        f'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook {space} '
        f'{space.replace("xmlns", "xmlns:ss")}><Worksheet ss:Name="표"><Table>{rows}</Table></Worksheet></Workbook>'
    ).encode()


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("docx", _word()),
        ("odt", open_document("text", _open_table())),
        ("ods", open_document("spreadsheet", _open_table())),
        ("xlsx", _workbook()),
        ("xls", _spreadsheet_xml()),
        ("pptx", _slide()),
        ("odp", _open_slide()),
    ],
)
def test_a_merged_cell_is_in_each_row_and_column_that_shows_it(
    read: Read, form: OfficeFormat, content: bytes
) -> None:
    (table,) = (block for block in read(content, form).blocks if isinstance(block, TableBlock))
    assert (table.headers, table.rows) == (GRID[0], SHOWN)
