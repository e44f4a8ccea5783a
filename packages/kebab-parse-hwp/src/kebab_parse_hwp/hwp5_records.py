"""Records of HWP 5 streams: tags, trees of records, and the shapes in `DocInfo`."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from kebab_core import DocumentDamagedError, Message
from kebab_parse import cut_member

from kebab_parse_hwp.content import PLAIN, ParagraphShape
from kebab_parse_hwp.numbering import FORMATS, NumberLevel

_MAX_DEPTH = 100
"""Maximum nesting of records. A table in a cell takes two levels."""
_LONG_SIZE = 0xFFF
_KINDS = ("", "outline", "number", "bullet")
_NUMBERING_LEVELS = 7


class Tag(IntEnum):
    """Tags of the records that are read."""

    CHAR_SHAPE = 21
    NUMBERING = 23
    PARA_SHAPE = 25
    PARA_HEADER = 66
    PARA_TEXT = 67
    PARA_CHAR_SHAPE = 68
    CTRL_HEADER = 71
    LIST_HEADER = 72
    TABLE = 77
    PICTURE = 85
    EQUATION = 88
    WORD_ART = 90
    FORM_OBJECT = 91
    MEMO_LIST = 93


_CHAR_FLAGS_AT = 46
_SUPERSCRIPT = 1 << 15
"""Place and bit of the property of a shape of characters that puts them above the line."""


@dataclass(slots=True)
class Record:
    """A record with the records below it."""

    tag: int
    level: int
    data: memoryview
    children: list[Record] = field(default_factory=list)

    def number(self, offset: int, size: int) -> int:
        """Return the unsigned number of `size` bytes at an offset; 0 beyond the end."""
        return int.from_bytes(self.data[offset : offset + size], "little")

    def text(self, offset: int) -> tuple[str, int]:
        """Return the counted text at an offset, and the offset after it; what is beyond the end is left out."""
        end = offset + 2 + 2 * self.number(offset, 2)
        return decode_units(self.data[offset + 2 : end]), end


def decode_units(data: memoryview | bytes) -> str:
    """Decode UTF-16; half characters become U+FFFD."""
    return bytes(data[: len(data) // 2 * 2]).decode("utf-16-le", "replace")


def read_records(stream: bytes, name: str, warnings: list[Message]) -> Iterator[Record]:
    """Yield the records of the lowest level in their order, each with all below it.

    A stream that ends inside a record, or whose records are nested too deep, is read up to there.

    Args:
        stream: Unpacked.
        name: Its name, for messages.
        warnings: Gets one where text can be lost.

    Raises:
        DocumentDamagedError: There is no whole record in it.
    """
    data = memoryview(stream)
    path: list[Record] = []
    for record in _flat_records(data, name, warnings):
        while path and path[-1].level >= record.level:
            last = path.pop()
            if not path:
                yield last
        if len(path) >= _MAX_DEPTH:
            warnings.append(
                Message("{member} is read down to {levels} levels only", member=name, levels=_MAX_DEPTH)
            )
            break
        if path:
            path[-1].children.append(record)
        path.append(record)
    if path:
        yield path[0]


def _flat_records(data: memoryview, name: str, warnings: list[Message]) -> Iterator[Record]:
    position = 0
    while position + 4 <= len(data):
        (header,) = struct.unpack_from("<I", data, position)
        start, size = position + 4, header >> 20
        if size == _LONG_SIZE:
            size = int.from_bytes(data[start : start + 4], "little") if start + 4 <= len(data) else len(data)
            start += 4
        if start + size > len(data):
            if not position:
                raise DocumentDamagedError("{member} in it ends too early", member=name)
            if cut_member(name) not in warnings:
                warnings.append(cut_member(name))
            return
        yield Record(header & 0x3FF, header >> 10 & 0x3FF, data[start : start + size])
        position = start + size


@dataclass(frozen=True, slots=True)
class Hwp5Styles:
    """Shapes of paragraphs in their order, and numberings by id."""

    shapes: Sequence[ParagraphShape]
    numberings: Mapping[int, Sequence[NumberLevel]]
    raised: Collection[int] = ()
    """Numbers of the shapes of characters above the line."""

    def shape(self, index: int) -> ParagraphShape:
        """Return a shape by its number."""
        return self.shapes[index] if index < len(self.shapes) else PLAIN


def read_styles(stream: bytes, warnings: list[Message]) -> Hwp5Styles:
    """Read the stream `DocInfo`; arguments and errors as of `read_records`."""
    shapes: list[ParagraphShape] = []
    numberings: dict[int, Sequence[NumberLevel]] = {}
    char_shapes: list[int] = []
    waiting = [*read_records(stream, "DocInfo", warnings)][::-1]
    while waiting:
        record = waiting.pop()
        waiting += record.children[::-1]
        if record.tag == Tag.PARA_SHAPE:
            flags = record.number(0, 4)
            shapes.append(
                ParagraphShape(
                    kind=_KINDS[flags >> 23 & 3], level=flags >> 25 & 7, numbering=record.number(30, 2)
                )
            )
        elif record.tag == Tag.CHAR_SHAPE:
            char_shapes.append(record.number(_CHAR_FLAGS_AT, 4))
        elif record.tag == Tag.NUMBERING:
            numberings[len(numberings) + 1] = _read_numbering(record)
    raised = {number for number, flags in enumerate(char_shapes) if flags & _SUPERSCRIPT}
    return Hwp5Styles(shapes, numberings, raised)


def _read_numbering(record: Record) -> list[NumberLevel]:
    formats, offset = [], 0
    for _ in range(_NUMBERING_LEVELS):
        flags = record.number(offset, 4)
        template, offset = record.text(offset + 12)
        formats.append((template, FORMATS[min(flags >> 5 & 15, len(FORMATS) - 1)]))
    # The start of all levels, and since 5.0.2.5 that of each.
    starts = [record.number(offset + 2 + 4 * level, 4) for level in range(_NUMBERING_LEVELS)]
    first = record.number(offset, 2)
    return [
        NumberLevel(template, number_format, start or (first if level == 0 else 0) or 1)
        for level, ((template, number_format), start) in enumerate(zip(formats, starts, strict=True))
    ]
