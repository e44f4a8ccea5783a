"""Numbers and dates as spreadsheets show them."""

from __future__ import annotations

from io import BytesIO

import openpyxl
import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import OfficeMedia, TableBlock
from kebab_parse_office import SheetExtractor
from kebab_testing.documents import make_context
from kebab_testing.families import examples
from kebab_testing.tables import walk
from openpyxl.utils.datetime import CALENDAR_MAC_1904


def show(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return what the only cell of a workbook shows."""
    book, buffer = openpyxl.Workbook(), BytesIO()
    if since_1904:
        book.epoch = CALENDAR_MAC_1904
    book.active["A1"] = value
    book.active["A1"].number_format = code
    book.save(buffer)
    content = buffer.getvalue()
    context = make_context(content, path="표.xlsx", media_type=OfficeMedia(format="xlsx"))
    blocks = SheetExtractor().extract(context, content).blocks
    return "".join(
        cell for block in blocks if isinstance(block, TableBlock) for row in block.rows for cell in row
    )


@walk(
    ("value", "code", "shown"),
    [
        (1234567, "#,##0", "1,234,567"),
        (0.125, "0.0%", "12.5%"),
        (-1234.5, "#,##0.00;[Red]-#,##0.00", "-1,234.50"),
        (1234.5, '_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-', "1,235"),
        (0, '_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-', "-"),
        (1234567, '#,##0,"천원"', "1,235천원"),
        (1234.5, "[$₩-412]#,##0", "₩1,235"),
        (12, '"제"0"조"', "제12조"),
        (1012345678, "000-0000-0000", "010-1234-5678"),
        (12345.678, "0.00E+00", "1.23E+04"),
        (0.5, "# ?/?", "0.5"),
        (45292, "yyyy-mm-dd", "2024-01-01"),
        (45292.5, 'yyyy"년" m"월" d"일" h:mm', "2024년 1월 1일 12:00"),
        (45292.25, "mmm d, yyyy", "Jan 1, 2024"),
        (45292, "dddd, mmmm d", "Monday, January 1"),
        (45292, "[$-412]mmm d (ddd)", "1월 1 (월)"),
        (45292, "[$-ko-KR]yyyy.mm.dd aaaa", "2024.01.01 월요일"),
        (45292, "aaa", "월"),
        (45292, "[$-411]dddd", "月曜日"),
        (45292, "[$-407]dddd", "Monday"),
        (0.75, "h:mm AM/PM", "6:00 PM"),
        (0.75, "[$-1000412]AM/PM h:mm", "오후 6:00"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (0.1 + 0.2, "General", "0.3"),
    ],
)
def test_values_are_shown_by_their_code(value: float, code: str, shown: str) -> None:
    assert show(value, code) == shown


def test_days_of_workbooks_from_1904() -> None:
    assert show(0, "yyyy-mm-dd", since_1904=True) == "1904-01-01"


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.text('0#?.,%;E+-ymdhs/[]$_*\\"@ 가', max_size=16))
def test_any_code_shows_something_without_an_error(value: float, code: str) -> None:
    show(value, code)
