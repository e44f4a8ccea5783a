"""Binary workbooks of newer Excel (XLSB), read by calamine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import TYPE_CHECKING

from kebab_core import Cells, DocumentDamagedError, DocumentEncryptedError, Message

from kebab_parse_office.archive import UNPROTECTED
from kebab_parse_office.number_format import format_plain
from kebab_parse_office.rich_text import join_line
from kebab_parse_office.sheets import Figure, Sheet, lost_sheet

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook, SheetMetadata

_PANICS = "pyo3_runtime"
"""Module of the exception that a bug of calamine is, which is no `Exception`; damaged files bring some to light."""


def read_xlsb_workbook(content: bytes, warnings: list[Message]) -> Iterator[Sheet]:
    """Yield the worksheets in order. Numbers have no format of their own; dates and times are as ISO 8601 writes them.

    Args:
        content: The bytes of the file.
        warnings: Gets one for each sheet that cannot be read.

    Raises:
        DocumentEncryptedError: The file is locked with a password.
        DocumentDamagedError: It cannot be read, or none of its sheets.
    """
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    with _errors_mapped():
        workbook = CalamineWorkbook.from_filelike(BytesIO(content))
        listed = [each for each in workbook.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    damage: DocumentDamagedError | None = None
    lost = 0
    for about in listed:
        try:
            with _errors_mapped():
                sheet = _read_sheet(workbook, about)
        except DocumentDamagedError as error:
            damage, lost = error, lost + 1
            warnings.append(lost_sheet(join_line(about.name)))
            continue
        yield sheet
    if damage is not None and lost == len(listed):
        raise damage


def _read_sheet(workbook: CalamineWorkbook, about: SheetMetadata) -> Sheet:
    from python_calamine import SheetVisibleEnum

    read = workbook.get_sheet_by_name(about.name)
    sheet = Sheet(name=join_line(about.name), is_hidden=about.visible != SheetVisibleEnum.Visible)
    left = read.start[1] + 1 if read.start else 1
    for number, row in enumerate(read.iter_rows() if read.start else (), 1):
        cells = {column: text for column, value in enumerate(row, left) if (text := _show(value))}
        if cells:
            sheet.rows[number] = cells
    sheet.merged = [
        Cells(first[0] + 1, first[1] + 1, last[0] + 1, last[1] + 1)
        for first, last in read.merged_cell_ranges or ()
    ]
    return sheet


@contextmanager
def _errors_mapped() -> Iterator[None]:
    from python_calamine import CalamineError, PasswordError

    try:
        yield
    except PasswordError as error:
        raise DocumentEncryptedError("it is locked with a password", remedy=UNPROTECTED) from error
    except (CalamineError, OSError, ValueError) as error:
        raise DocumentDamagedError("it is no workbook, or a damaged one") from error
    except BaseException as error:
        if type(error).__module__ != _PANICS:
            raise
        raise DocumentDamagedError("it is no workbook, or a damaged one") from error


def _show(value: object) -> str:
    match value:
        case bool():
            return str(value).upper()
        case int() | float():
            return Figure(format_plain(value))
        case datetime():
            shown = value.isoformat(" ", "seconds")
            return Figure(shown.removesuffix(" 00:00:00"))
        case date() | time():
            return Figure(value.isoformat())
        case timedelta():
            return Figure(str(value))
    return join_line(str(value))
