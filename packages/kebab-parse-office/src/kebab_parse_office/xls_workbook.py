"""Workbooks of Excel 97-2003 and older (XLS), read by xlrd: sheets with the texts of their cells as they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from struct import Struct
from typing import TYPE_CHECKING, Any

from kebab_core import Cells, DocumentDamagedError, DocumentEncryptedError, Message
from kebab_parse import COMPOUND_FILE, cut_member

from kebab_parse_office.archive import UNPROTECTED
from kebab_parse_office.excel_workbook import running_lines
from kebab_parse_office.number_format import BUILT_IN, format_value
from kebab_parse_office.rich_text import join_line
from kebab_parse_office.sheets import Figure, Sheet, add_comment, lost_sheet
from kebab_parse_office.xls_records import BesideCells, list_records, read_beside_cells

if TYPE_CHECKING:
    from xlrd.book import Book
    from xlrd.sheet import Sheet as XlsSheet

_KIND = Struct("<H")
_EMPTY_CELLS = frozenset({0x00BE, 0x0201})
"""Records MULBLANK and BLANK of [MS-XLS]: formatted cells without a value."""
_UNKNOWN = 0xFFFF
"""Kind of record that xlrd passes over."""


class XlsWorkbook:
    """An older Excel workbook.

    Args:
        content: The bytes of the file.

    Raises:
        DocumentEncryptedError: It is locked with a password.
        DocumentDamagedError: It cannot be read.
    """

    def __init__(self, content: bytes) -> None:
        self.warnings: list[Message] = []
        """A container that is damaged, but could be read."""
        self._book, stream = self._open(content)
        self._beside = read_beside_cells(
            stream, version=self._book.biff_version, encoding=self._book.encoding
        )
        self._since_1904 = bool(self._book.datemode)
        self._codes = [self._code_of(style.format_key) for style in self._book.xf_list]

    def sheets(self) -> Iterator[Sheet]:
        """Yield the worksheets in order; sheets that are charts or macros are left out, and those that cannot be read, with a warning.

        Raises:
            DocumentDamagedError: No sheet can be read.
        """
        damage: DocumentDamagedError | None = None
        for number, name in enumerate(self._book.sheet_names()):
            try:
                with _errors_mapped():
                    sheet = self._read_sheet(self._book.sheet_by_index(number))
                    beside = self._beside.get(self._book._sh_abs_posn[number], BesideCells())  # noqa: SLF001 - its place
                    sheet.running += (line for text in beside.running for line in running_lines(text))
                    sheet.drawn += beside.drawn
                    self._book.unload_sheet(number)
            except DocumentDamagedError as error:
                damage = error
                self.warnings.append(lost_sheet(name))
                continue
            yield sheet
        if damage is not None and len(self.warnings) >= self._book.nsheets:
            raise damage

    def _open(self, content: bytes) -> tuple[Book, bytes]:
        from xlrd.compdoc import CompDocError

        try:
            with _errors_mapped():
                return _open_book(content)
        except DocumentDamagedError as error:
            if not isinstance(error.__cause__, CompDocError):
                raise
        self.warnings.append(cut_member("Workbook"))
        with _errors_mapped():
            return _open_book(content, ignore_workbook_corruption=True)

    def _code_of(self, key: int) -> str:
        # the codes of numbers that a country chooses are ours, as in newer workbooks
        found = self._book.format_map.get(key)
        code = BUILT_IN.get(key) or (found.format_str if found is not None else "")
        return "" if code.casefold() == "general" else code

    def _read_sheet(self, read: XlsSheet) -> Sheet:
        sheet = Sheet(name=join_line(read.name), is_hidden=read.visibility != 0)
        for number in range(read.nrows):
            kinds, styles = read.row_types(number), read._cell_xf_indexes[number]  # noqa: SLF001 - a call a cell else
            cells = {
                column: text
                for column, (kind, value, style) in enumerate(
                    zip(kinds, read.row_values(number), styles, strict=True), 1
                )
                if (text := self._show(kind, value, style))
            }
            if cells:
                sheet.rows[number + 1] = cells
        sheet.merged = [
            Cells(top + 1, left + 1, bottom, right) for top, bottom, left, right in read.merged_cells
        ]
        for (row, column), note in sorted(read.cell_note_map.items()):
            if text := join_line(note.text):
                author = join_line(note.author)
                add_comment(sheet.rows.setdefault(row + 1, {}), column + 1, author=author, text=text)
        return sheet

    def _show(self, kind: int, value: Any, style: int) -> str:
        from xlrd.biffh import error_text_from_code

        match kind:
            case 1:
                return join_line(value)
            case 2 | 3:
                return Figure(format_value(value, self._codes[style], since_1904=self._since_1904))
            case 4:
                return "TRUE" if value else "FALSE"
            case 5:
                return str(error_text_from_code.get(value, ""))
        return ""


def _open_book(content: bytes, *, ignore_workbook_corruption: bool = False) -> tuple[Book, bytes]:
    """Open a workbook, and return it with its records."""
    import xlrd

    stream = _workbook_stream(content, ignore_workbook_corruption=ignore_workbook_corruption)
    book = xlrd.open_workbook(
        file_contents=_without_empty_cells(stream),
        logfile=StringIO(),
        formatting_info=True,
        on_demand=True,
        ragged_rows=True,
        ignore_workbook_corruption=ignore_workbook_corruption,
    )
    return book, stream


def _workbook_stream(content: bytes, *, ignore_workbook_corruption: bool) -> bytes:
    """Return the records of a workbook from the compound file around them; the content itself where there is none."""
    from xlrd.compdoc import CompDoc

    if not content.startswith(COMPOUND_FILE):
        return content
    container = CompDoc(content, logfile=StringIO(), ignore_workbook_corruption=ignore_workbook_corruption)
    for name in ("Workbook", "Book"):
        memory, start, size = container.locate_named_stream(name)
        if memory:
            return bytes(memory[start : start + size])
    return content


def _without_empty_cells(stream: bytes) -> bytes:
    """Return the records with those of empty cells marked as unknown ones.

    A sheet may be formatted to its last row and column, and xlrd takes 2 µs for each of 16 million cells.
    """
    records = bytearray(stream)
    for record in list_records(stream):
        if record.kind in _EMPTY_CELLS:
            _KIND.pack_into(records, record.at, _UNKNOWN)
    return bytes(records)


@contextmanager
def _errors_mapped() -> Iterator[None]:
    from xlrd import XLRDError

    try:
        yield
    except (
        Exception
    ) as error:  # in damaged records xlrd meets whatever it meets: wrong indexes, types, lengths
        if isinstance(error, XLRDError) and "encrypted" in str(error):
            raise DocumentEncryptedError("it is locked with a password", remedy=UNPROTECTED) from error
        raise DocumentDamagedError("it is no workbook, or a damaged one") from error
