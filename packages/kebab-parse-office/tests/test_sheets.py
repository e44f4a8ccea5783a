"""Sheets: which cells become which rows, what they show, and that spans name exactly those cells."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, time
from io import BytesIO
from struct import pack as pack_fields
from typing import Any

import openpyxl
import pytest
from kebab_core import (
    CanonicalDocument,
    CellSpan,
    OfficeFormat,
    ParagraphBlock,
    TableBlock,
)
from kebab_testing.office_files import open_document, pack, relationships, xls_workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment

Read = Callable[[bytes, OfficeFormat], CanonicalDocument]


def workbook(fill: Callable[[Any], None]) -> bytes:
    """Return a workbook whose first sheet is filled by a function."""
    book = openpyxl.Workbook()
    fill(book.active)
    return saved(book)


def saved(book: openpyxl.Workbook) -> bytes:
    buffer = BytesIO()
    book.properties.creator = None
    book.save(buffer)
    return buffer.getvalue()


def table_of(document: CanonicalDocument) -> TableBlock:
    (table,) = (block for block in document.blocks if isinstance(block, TableBlock))
    return table


def test_table_with_caption_header_and_formats(read: Read) -> None:
    def fill(sheet: Any) -> None:
        sheet.title = "예산"
        sheet["B2"] = "2024년 예산"
        for column, text in zip("BCDE", ("항목", "금액", "비율", "지급일"), strict=True):
            sheet[f"{column}3"] = text
        sheet["B4"], sheet["C4"], sheet["D4"], sheet["E4"] = "인건비", 1234567, 0.125, date(2024, 3, 1)
        sheet["C4"].number_format, sheet["D4"].number_format = '#,##0"원"', "0.0%"
        sheet["E4"].number_format = 'yyyy"년" m"월" d"일"'
        sheet["B5"], sheet["C5"], sheet["D5"], sheet["E5"] = "운영비", 1000, 0.5, time(9, 30)

    document = read(workbook(fill), "xlsx")
    caption, table = document.blocks
    assert isinstance(caption, ParagraphBlock)
    assert isinstance(table, TableBlock)
    assert caption.source_span == CellSpan(sheet="예산", cells="B2")
    assert table.source_span == CellSpan(sheet="예산", cells="B3:E5")
    assert table.headers == ("항목", "금액", "비율", "지급일")
    assert table.rows == (
        ("인건비", "1,234,567원", "12.5%", "2024년 3월 1일"),
        ("운영비", "1000", "0.5", "9:30:00"),
    )
    assert table.heading_path == ("예산",)
    assert document.lang == "ko"


def test_tables_come_apart_at_empty_rows(read: Read) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"], sheet["B1"], sheet["A2"], sheet["B2"] = "가", "나", 1, 2
        sheet["C9"], sheet["D9"], sheet["C10"], sheet["D10"] = "다", "라", 3, 4

    tables = read(workbook(fill), "xlsx").blocks
    assert [block.source_span.cells for block in tables if isinstance(block.source_span, CellSpan)] == [
        "A1:B2",
        "C9:D10",
    ]


def test_far_cells_cost_nothing(read: Read) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"], sheet["XFD1048576"] = "처음", "끝"

    document = read(workbook(fill), "xlsx")
    assert [getattr(block, "rows", None) for block in document.blocks] == [(("처음",),), (("끝",),)]
    assert document.blocks[-1].source_span == CellSpan(sheet="Sheet", cells="XFD1048576")


def test_merged_cells_are_in_each_row_and_over_headers(read: Read) -> None:
    def fill(sheet: Any) -> None:
        for row in (
            ("부서", "상반기", None),
            (None, "계획", "실적"),
            ("연구", "가", "나"),
            (None, "다", "라"),
        ):
            sheet.append(row)
        sheet.merge_cells("B1:C1")
        sheet.merge_cells("A3:A4")

    table = table_of(read(workbook(fill), "xlsx"))
    assert table.headers == ("부서", "상반기 계획", "상반기 실적")
    assert table.rows == (("", "", ""), ("연구", "가", "나"), ("연구", "다", "라"))


def test_hidden_sheets_are_read_and_said(read: Read) -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "보임"
    secret = book.create_sheet("비밀")
    secret["A1"], secret.sheet_state = "숨은 값", "hidden"
    document = read(saved(book), "xlsx")
    assert document.text is not None
    assert "숨은 값" in document.text.text
    assert [str(note) for note in document.provenance.warnings] == ["hidden sheets were read, too: 비밀"]


def test_comments_stand_in_their_cell(read: Read) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"], sheet["B1"] = "금액", 100
        sheet["B1"].comment = Comment("확인 필요", "김철수")

    assert table_of(read(workbook(fill), "xlsx")).rows == (("금액", "100 [Comment (김철수): 확인 필요]"),)


def test_formulas_without_a_result_are_shown(read: Read) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"], sheet["B1"] = "합계", "=SUM(C1:C3)"

    assert table_of(read(workbook(fill), "xlsx")).rows == (("합계", "=SUM(C1:C3)"),)


@pytest.mark.parametrize(
    ("content", "form", "rows"),
    [
        ("이름,나이\n홍길동,30\n", "csv", (("홍길동", "30"),)),
        ('이름;메모\n홍길동;"가;나\n다"\n', "csv", (("홍길동", "가;나 다"),)),
        ("이름\t나이\n홍길동\t30\n", "tsv", (("홍길동", "30"),)),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "utf-8-sig", "utf-16"])
def test_delimited_text_of_any_encoding(
    read: Read, content: str, form: OfficeFormat, *, rows: tuple[tuple[str, ...]], encoding: str
) -> None:
    table = table_of(read(content.encode(encoding), form))
    assert (table.headers[0], table.rows) == ("이름", rows)
    assert table.source_span == CellSpan(sheet="파일", cells="A1:B2")


def test_times_that_a_program_counted_are_shown_beside_their_count(read: Read) -> None:
    rows = "time_added,dateAdded,phone\n1773382865,13417856465000000,1012345678\n,1773382865000,\n"
    assert table_of(read(rows.encode(), "csv")).rows == (
        ("1773382865 (2026-03-13 06:21 UTC)", "13417856465000000 (2026-03-13 06:21 UTC)", "1012345678"),
        ("", "1773382865000 (2026-03-13 06:21 UTC)", ""),
    )


def test_open_sheets_show_what_their_cells_show(read: Read) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<table:table-cell {properties}><text:p>{text}</text:p></table:table-cell>"

    body = (
        '<table:table table:name="판매" table:style-name="ta1"><table:table-row>'
        f"{cell('품목')}{cell('값')}</table:table-row>"
        '<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="1024"/>'
        f'</table:table-row><table:table-row><table:table-cell table:number-columns-repeated="2"/>{cell("1,200원")}'
        '</table:table-row><table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'
        "</table:table>"
    )
    styles = '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>'
    document = read(open_document("spreadsheet", body, styles=styles), "ods")
    assert [block.source_span for block in document.blocks] == [
        CellSpan(sheet="판매", cells="A1:B1"),
        CellSpan(sheet="판매", cells="C5"),
    ]
    assert [str(note) for note in document.provenance.warnings] == ["hidden sheets were read, too: 판매"]


def test_a_table_goes_on_after_an_empty_row_under_the_same_header(read: Read) -> None:
    def fill(sheet: Any) -> None:
        for row in (
            ["이름", "부서"], ["김", "연구"], [], ["이", "운영"], ["박", "연구"], [],
            ["이름", "부서"], ["최", "운영"],
        ):  # fmt: skip
            sheet.append(row)

    document = read(workbook(fill), "xlsx")
    tables = [block for block in document.blocks if isinstance(block, TableBlock)]
    assert [table.headers for table in tables] == [("이름", "부서")] * 3
    assert [table.rows for table in tables] == [
        (("김", "연구"),),
        (("이", "운영"), ("박", "연구")),
        (("최", "운영"),),
    ]
    assert tables[1].source_span == CellSpan(sheet="Sheet", cells="A4:B5")
    assert document.text is not None
    cited = {
        document.text.text[part.start : part.end].strip(): part.source_span for part in document.text.parts
    }
    assert cited["이 | 운영"] == CellSpan(sheet="Sheet", cells="A4:B4")


def test_figures_after_an_empty_row_have_the_header_above_and_other_headers_stay(read: Read) -> None:
    def fill(sheet: Any) -> None:
        for row in (["품목", "값"], ["빵", 3], [], ["물", 1], ["차", 2], [], ["이름", "나이"], ["김", 30]):
            sheet.append(row)

    tables = [block for block in read(workbook(fill), "xlsx").blocks if isinstance(block, TableBlock)]
    assert [(table.headers, table.rows) for table in tables] == [
        (("품목", "값"), (("빵", "3"),)),
        (("품목", "값"), (("물", "1"), ("차", "2"))),
        (("이름", "나이"), (("김", "30"),)),
    ]


def test_a_title_with_its_unit_is_above_the_header(read: Read) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"], sheet["E1"] = "2024년 예산", "(단위: 천원)"
        sheet.append(["항목", "1분기", "2분기", "3분기", "4분기"])
        sheet.append(["인건비", 1, 2, 3, 4])

    title, unit, table = read(workbook(fill), "xlsx").blocks
    assert [getattr(block, "text", "") for block in (title, unit)] == ["2024년 예산", "(단위: 천원)"]
    assert [block.source_span for block in (title, unit)] == [
        CellSpan(sheet="Sheet", cells="A1"),
        CellSpan(sheet="Sheet", cells="E1"),
    ]
    assert isinstance(table, TableBlock)
    assert (table.headers, table.rows) == (
        ("항목", "1분기", "2분기", "3분기", "4분기"),
        (("인건비", "1", "2", "3", "4"),),
    )


def test_lines_of_text_in_one_column_get_no_header_from_above(read: Read) -> None:
    def fill(sheet: Any) -> None:
        for row in (["안내"], ["첫 줄"], [], ["다른 줄"]):
            sheet.append(row)

    last = read(workbook(fill), "xlsx").blocks[-1]
    assert isinstance(last, TableBlock)
    assert (last.headers, last.rows) == ((), (("다른 줄",),))


def test_older_workbooks_show_numbers_dates_and_weekdays_by_their_formats(read: Read) -> None:
    content = xls_workbook(
        [
            ["항목", "금액", "비율", "지급일", "요일"],
            [
                "인건비",
                (1234567, '#,##0"원"'),
                (0.125, "0.0%"),
                (45292, 'yyyy"년" m"월" d"일"'),
                (45292, "[$-412]dddd"),
            ],
            ["", (1000, "#,##0"), (0.5, "General"), (45293, "yyyy-mm-dd"), (45293, "aaa")],
        ],
        name="예산",
        is_hidden=True,
        merged=[(1, 2, 0, 0)],
    )
    document = read(content, "xls")
    table = table_of(document)
    assert table.source_span == CellSpan(sheet="예산", cells="A1:E3")
    assert table.headers == ("항목", "금액", "비율", "지급일", "요일")
    assert table.rows == (
        ("인건비", "1,234,567원", "12.5%", "2024년 1월 1일", "월요일"),
        ("인건비", "1,000", "0.5", "2024-01-02", "화"),
    )
    assert [str(note) for note in document.provenance.warnings] == ["hidden sheets were read, too: 예산"]


def test_a_power_is_no_digit_of_the_number_before_it(read: Read) -> None:
    def fill(sheet: Any) -> None:
        sheet["A1"] = CellRichText("10", TextBlock(InlineFont(vertAlign="superscript"), "6"), " m")

    assert table_of(read(workbook(fill), "xlsx")).rows == (("10^6 m",),)

    styles = (
        '<style:style style:name="T1" style:family="text"><style:text-properties'
        ' style:text-position="super 58%"/></style:style>'
    )
    words = '<text:p>10<text:span text:style-name="T1">6</text:span> m</text:p>'
    row = f"<table:table-row><table:table-cell>{words}</table:table-cell></table:table-row>"
    sheet = f'<table:table table:name="a">{row}</table:table>'
    assert table_of(read(open_document("spreadsheet", sheet, styles=styles), "ods")).rows == (("10^6 m",),)


def _raw_workbook(sheet: str) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    book = f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets><sheet name="표" r:id="s"/></sheets></workbook>'
    return pack({
        "_rels/.rels": relationships(("main", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": relationships(("s", "worksheet", "worksheets/sheet1.xml")),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
    })


@pytest.mark.parametrize(
    ("sheet", "cells"),
    [
        (
            '<row r="2" s="1"><c r="A2" s="1"/><c r="B2"><v>7</v></c><c r="C2" s="1"></c></row>'
            '<row r="3" s="1"/><row r="4" s="1"> <c r="A4" s="1"/></row><row r="5"><c r="C5"><v>8</v></c></row>',
            ["B2", "C5"],
        ),
        (
            '<row r="2"><c/><c><v>7</v></c></row><row/><row><c s="1"/><c s="1"/><c><v>8</v></c></row>',
            ["B2", "C4"],
        ),
        ('<row r="2"><c r="A2" s="1"/><c><v>7</v></c></row>', ["B2"]),
    ],
)
def test_cells_that_only_have_a_format_take_their_place_and_no_more(
    read: Read, sheet: str, cells: list[str]
) -> None:
    document = read(_raw_workbook(sheet), "xlsx")
    spans = [block.source_span for block in document.blocks]
    assert [span.cells for span in spans if isinstance(span, CellSpan)] == cells


def test_a_formula_that_shows_nothing_is_an_empty_cell(read: Read) -> None:
    cells = '<c r="A1" t="str"><f>IF(B1="","",B1)</f><v></v></c><c r="B1"><f>1+1</f></c>'
    document = read(_raw_workbook(f'<row r="1">{cells}</row>'), "xlsx")
    assert document.text is not None
    assert document.text.text == "# 표\n\n=1+1\n"


@pytest.mark.parametrize("form", ["xlsx", "ods", "csv"])
def test_a_sheet_that_is_formatted_to_its_last_row_is_read_at_once(read: Read, form: OfficeFormat) -> None:
    empty = "".join(
        f'<row r="{at}"><c r="A{at}" s="1"/><c r="B{at}" s="1"/></row>' for at in range(2, 300_000)
    )
    first, last = (
        '<row r="1"><c r="A1"><v>1</v></c></row>',
        '<row r="1048576"><c r="A1048576"><v>2</v></c></row>',
    )
    cell = '<table:table-cell office:value-type="float"><text:p>{}</text:p></table:table-cell>'
    row = "<table:table-row>{}</table:table-row>"
    rest = '<table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    files = {
        "xlsx": _raw_workbook(first + empty + last),
        "ods": open_document(
            "spreadsheet",
            f'<table:table table:name="표">{row.format(cell.format(1))}{rest}{row.format(cell.format(2))}</table:table>',
        ),
        "csv": b"1\n" + b",,\n" * 300_000 + b"2\n",
    }
    document = read(files[form], form)
    assert [
        span.cells for span in (block.source_span for block in document.blocks) if isinstance(span, CellSpan)
    ] == [
        "A1",
        "A300002" if form == "csv" else "A1048576",
    ]


def test_empty_cells_of_an_older_workbook_are_no_rows(read: Read) -> None:
    from kebab_parse_office.xls_workbook import XlsWorkbook

    content = xls_workbook([["Name", "Value"], ["a", (1.0, "0")]])
    empty = pack_fields("<7H", 0xBE, 10, 65_535, 0, 0, 0, 1) + pack_fields("<5H", 0x201, 6, 60_000, 3, 0)
    formatted = content[:-4] + empty + content[-4:]
    book = XlsWorkbook(formatted)._book
    assert book.sheet_by_index(0).nrows == 2
    assert read(formatted, "xls").text == read(content, "xls").text


def test_headers_and_footers_of_a_workbook_are_read_once_without_fields(read: Read) -> None:
    book = openpyxl.Workbook()
    first, second, third = book.active, book.create_sheet("둘"), book.create_sheet("셋")
    for sheet in (first, second):
        sheet.append(["품목", "금액"])
        sheet.append(["종이", 300])
        sheet.oddHeader.left.text = '&"맑은 고딕,Bold"&14 R&&D 본부\n2026년 정산'
        sheet.oddHeader.right.text = "&D &T"
        sheet.oddFooter.center.text = "Page &P of &N"
        sheet.oddFooter.right.text = "&A, 담당 김하늘 &P"
    third.firstFooter.left.text = "빈 시트"
    document = read(saved(book), "xlsx")
    found = [(each.text, each.source_span) for each in document.blocks if isinstance(each, ParagraphBlock)]
    place = CellSpan(sheet="Sheet", cells="A2:B2")
    assert found == [
        ("R&D 본부", place),
        ("2026년 정산", place),
        (", 담당 김하늘", place),
        ("빈 시트", CellSpan(sheet="셋", cells="A1")),
    ]


def test_headers_and_footers_of_open_sheets_are_those_of_the_pages_of_each(read: Read) -> None:
    def page(name: str, text: str) -> str:
        header = (
            f"<style:header><style:region-left><text:p>{text} <text:sheet-name>???</text:sheet-name></text:p>"
        )
        footer = "<text:p>Page <text:page-number>1</text:page-number></text:p>"
        return (
            f'<style:master-page style:name="{name}">{header}</style:region-left></style:header>'
            f"<style:footer>{footer}</style:footer></style:master-page>"
        )

    def sheet(name: str) -> str:
        cell = "<table:table-cell><text:p>책</text:p></table:table-cell>"
        row = f"<table:table-row>{cell}</table:table-row>"
        return f'<table:table table:name="{name}" table:style-name="ta">{row}</table:table>'

    used = '<style:style style:name="ta" style:family="table" style:master-page-name="M"/>'
    pages = page("M", "마포 도서관") + page("N", "안 쓰임")
    content = open_document("spreadsheet", sheet("하나") + sheet("둘"), styles=used, pages=pages)
    found = [each.text for each in read(content, "ods").blocks if isinstance(each, ParagraphBlock)]
    assert found == ["마포 도서관"]
