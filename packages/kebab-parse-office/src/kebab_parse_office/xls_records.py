"""Records of older Excel workbooks ([MS-XLS]) that xlrd passes over: headers and footers, text boxes, titles of charts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

from kebab_core import Cells

from kebab_parse_office.sheets import MOST_COLUMNS, MOST_ROWS

_HEAD = Struct("<HH")
"""Kind and size of a record."""
_BEGIN, _END = frozenset({0x0009, 0x0209, 0x0409, 0x0809}), 0x000A
_HEADER, _FOOTER, _CONTINUE, _OBJECT, _DRAWING, _TEXT, _CHART_TEXT = (
    0x14,
    0x15,
    0x3C,
    0x5D,
    0xEC,
    0x1B6,
    0x100D,
)
_READ = _BEGIN | {_END, _HEADER, _FOOTER, _OBJECT, _DRAWING, _TEXT, _CHART_TEXT}
_ANCHOR = b"\x00\x00\x10\xf0\x12\x00\x00\x00"
"""Head of the record in a drawing that names its cells (OfficeArtClientAnchorSheet)."""
_CORNERS = Struct("<2xH2xH2xH2xH")
"""Column and row of the first corner, then of the last, each with a place in the cell behind it."""
_NOTE = 0x19
"""Kind of an object that is the remark on a cell, which xlrd reads."""
_LENGTH_AT = 10
_UNICODE_VERSION = 80


class Record(NamedTuple):
    """A record of a workbook."""

    at: int
    kind: int
    size: int

    @property
    def start(self) -> int:
        """Offset of its content."""
        return self.at + _HEAD.size


@dataclass(slots=True)
class BesideCells:
    """What a sheet shows beside its cells."""

    running: list[str] = field(default_factory=list)
    """Headers and footers with their codes."""
    drawn: list[tuple[Cells, str]] = field(default_factory=list)
    """Text of each text box and chart, with the cells that it lies on."""


def list_records(stream: bytes) -> Iterator[Record]:
    """Yield the records of a workbook in order."""
    at, end = 0, len(stream) - _HEAD.size
    while at <= end:
        kind, size = _HEAD.unpack_from(stream, at)
        yield Record(at, kind, size)
        at += _HEAD.size + size


def read_beside_cells(stream: bytes, *, version: int, encoding: str) -> dict[int, BesideCells]:
    """Read what sheets show beside their cells, by the offset at which each begins.

    Args:
        stream: The records of the workbook.
        version: Of the format, as xlrd numbers it.
        encoding: That of texts before version 80.
    """
    return _Reader(stream, "" if version >= _UNICODE_VERSION else encoding).read()


class _Reader:
    def __init__(self, stream: bytes, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        """Empty where texts are Unicode."""
        self._sheet = BesideCells()
        self._depth = 0
        self._place = Cells(1, 1, 1, 1)
        self._object = 0
        self._chart: list[str] = []

    def read(self) -> dict[int, BesideCells]:
        found: dict[int, BesideCells] = {}
        records = list_records(self._stream)
        for record in records:
            if record.kind not in _READ:
                continue
            if record.kind in _BEGIN:
                self._depth += 1
                if self._depth == 1:
                    self._sheet = found[record.at] = BesideCells()
            elif record.kind == _END:
                self._depth = max(self._depth - 1, 0)
                if self._chart:
                    self._sheet.drawn.append((self._place, "\n".join(dict.fromkeys(self._chart))))
                    self._chart = []
            elif record.kind == _TEXT:
                self._read_box(record, records)
            else:
                self._read_content(record)
        return found

    def _read_content(self, record: Record) -> None:
        content = self._stream[record.start : record.start + record.size]
        if record.kind in {_HEADER, _FOOTER}:
            if text := self._string(content, length_bytes=1 if self._encoding else 2):
                self._sheet.running.append(text)
        elif record.kind == _CHART_TEXT:
            if text := self._string(content[2:], length_bytes=1).strip():
                self._chart.append(text)
        elif record.kind == _OBJECT:
            self._object = int.from_bytes(content[4:6], "little")
        elif (at := content.rfind(_ANCHOR)) >= 0 and len(content) >= at + len(_ANCHOR) + 18:
            left, top, right, bottom = _CORNERS.unpack_from(content, at + len(_ANCHOR))
            row, column = min(top + 1, MOST_ROWS), min(left + 1, MOST_COLUMNS)
            self._place = Cells(row, column, max(bottom + 1, row), min(max(right + 1, column), MOST_COLUMNS))

    def _read_box(self, record: Record, records: Iterator[Record]) -> None:
        """Read the text of a box, which stands in the records behind it, each with a byte that says how it is spelt."""
        length = int.from_bytes(
            self._stream[record.start + _LENGTH_AT : record.start + _LENGTH_AT + 2], "little"
        )
        text = ""
        while len(text) < length and (more := next(records, None)) and more.kind == _CONTINUE:
            text += _spell(self._stream[more.start : more.start + more.size])
        if self._object != _NOTE and (shown := text[:length].strip()):
            self._sheet.drawn.append((self._place, shown))

    def _string(self, content: bytes, *, length_bytes: int) -> str:
        length, rest = int.from_bytes(content[:length_bytes], "little"), content[length_bytes:]
        if self._encoding:
            return rest[:length].decode(self._encoding, errors="replace")
        return _spell(rest)[:length]


def _spell(content: bytes) -> str:
    """Return a text in UTF-16, or in its low bytes alone, as its first byte says."""
    if not content:
        return ""
    if content[0] & 1:
        return content[1:].decode("utf-16-le", errors="replace")
    return content[1:].decode("latin-1")
