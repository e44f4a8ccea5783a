"""Reader of HWP 5: the sections of a compound file as content."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from kebab_core import DocumentDamagedError, Message
from kebab_parse import lost_member, mark_power

from kebab_parse_hwp.content import (
    Cell,
    Comment,
    Content,
    Link,
    Note,
    Paragraph,
    Picture,
    RunningText,
    Table,
    describe_picture,
)
from kebab_parse_hwp.hwp5_container import Hwp5Container
from kebab_parse_hwp.hwp5_records import Hwp5Styles, Record, Tag, read_records, read_styles
from kebab_parse_hwp.hwpx import clean_href
from kebab_parse_hwp.numbering import NumberCounter

_CONTROL = re.compile(r"[\x01-\x09\x0b\x0c\x0e-\x17].{7}|[\x00-\x1f]", re.DOTALL)
"""In the code units of a paragraph: controls of eight units, and of one."""
_WITH_RECORD = "\x01\x02\x03\x0b\x0c\x0e\x0f\x10\x11\x12\x15\x16\x17"
"""Controls that have a record; they stand in the same order."""
_SIGNS = {"\x09": "\t", "\x0a": "\n", "\x18": "-", "\x1e": "\u00a0", "\x1f": " "}
_FIELD_END = "\x04"
_COUNTED = {3, 4, 5}
"""Kinds of automatic numbers that are text: of pictures, tables and equations."""
_CAPTION_OF_FORM = re.compile(r"Caption:wstring:(\d+):")


class Hwp5Document:
    """One HWP 5 document.

    Args:
        content: The file.

    Raises:
        DocumentDamagedError: It is no readable HWP 5; reading its content raises it where nothing of it can be read.
        DocumentTooLargeError: It unpacks to more than is read; reading its content raises it too.
        DocumentEncryptedError: It is protected.
    """

    def __init__(self, content: bytes) -> None:
        self._container = Hwp5Container(content)
        self.warnings: list[Message] = self._container.warnings
        """Streams that were damaged; complete when all content was read."""
        self._sections = self._container.section_names()
        if not self._sections:
            raise DocumentDamagedError("it has no section")

    def facts(self) -> dict[str, str]:
        """Return title, author and so on, by name; times as ISO 8601."""
        return self._container.facts()

    def content(self) -> Iterator[Content]:
        """Yield the content of all sections."""
        reader = _SectionReader(self._read_styles())
        errors: list[DocumentDamagedError] = []
        is_read = False
        for path in self._sections:
            name = path[-1]
            try:
                for record in read_records(self._container.read(*path), name, self.warnings):
                    yield from reader.read_list([record])
                    is_read = True
            except DocumentDamagedError as error:
                errors.append(error)
                self.warnings.append(lost_member(name))
        if errors and not is_read:
            raise errors[0]

    def _read_styles(self) -> Hwp5Styles:
        try:
            return read_styles(self._container.read("DocInfo"), self.warnings)
        except DocumentDamagedError:
            self.warnings.append(lost_member("DocInfo"))
            return Hwp5Styles((), {})


class _SectionReader:
    """Turns records of sections into content. Numbers count on from paragraph to paragraph."""

    def __init__(self, styles: Hwp5Styles) -> None:
        self._styles = styles
        self.counter = NumberCounter(styles.numberings)
        self._notes = {"[^": 0, "[^e": 0}

    def read_list(self, records: Sequence[Record]) -> list[Content]:
        """Return the content of records: of the paragraphs among them, and of those anywhere below others."""
        items: list[Content] = []
        for record in records:
            if record.tag == Tag.PARA_HEADER:
                items += self._read_paragraph(record)
            else:
                items += self.read_list(record.children)
        return items

    def raised_bounds(self, paragraph: Record) -> list[int]:
        """Return where characters above the line begin and end in the code units of a paragraph, by turns."""
        bounds: list[int] = []
        for record in paragraph.children if self._styles.raised else ():
            if record.tag == Tag.PARA_CHAR_SHAPE:
                for at in range(0, len(record.data) - 7, 8):
                    start, is_raised = record.number(at, 4), record.number(at + 4, 4) in self._styles.raised
                    if is_raised != len(bounds) % 2 and (not bounds or start >= bounds[-1]):
                        bounds.append(start)
        return bounds

    def next_note(self, prefix: str) -> str:
        """Return the mark of the next footnote or endnote."""
        self._notes[prefix] += 1
        return f"{prefix}{self._notes[prefix]}]"

    def _read_paragraph(self, record: Record) -> list[Content]:
        reader = _ParagraphReader(self, record)
        shape = self._styles.shape(record.number(8, 2))
        label = self.counter.label(shape) if reader.text.strip() else ""
        return [Paragraph(reader.text, reader.links, shape, label), *reader.after]


class _ParagraphReader:
    """Text of one paragraph with its links, and what is anchored in it."""

    def __init__(self, section: _SectionReader, record: Record) -> None:
        self._section = section
        self._length = 0
        self._fields: list[tuple[int, str]] = []
        self.links: list[Link] = []
        self.after: list[Content] = []
        self._pieces: list[str] = []
        self._bounds = section.raised_bounds(record)
        self._position = 0
        controls = [child for child in record.children if child.tag == Tag.CTRL_HEADER]
        texts = [child.data for child in record.children if child.tag == Tag.PARA_TEXT]
        for data in texts:
            controls = self._read_text(data, controls)
        for control in controls:  # more than the text has places for
            self._read_control(control)
        self._read_memos([child for child in record.children if child.tag != Tag.CTRL_HEADER])
        self.text = "".join(self._pieces)

    def _read_text(self, data: memoryview, controls: list[Record]) -> list[Record]:
        """Take in the code units of the text; return the controls that it did not name."""
        # One character for each unit: what controls hold may look like halves of characters.
        units = "".join(map(chr, data[: len(data) // 2 * 2].cast("H")))
        position, left = 0, list(reversed(controls))
        for match in _CONTROL.finditer(units):
            self._add_units(units[position : match.start()], at=position)
            position = match.end()
            sign = match[0][0]
            if sign in _WITH_RECORD:
                if left:
                    self._read_control(left.pop())
            elif sign == _FIELD_END:
                self._end_field()
            else:
                self._add(_SIGNS.get(sign, ""))
        self._add_units(units[position:], at=position)
        self._position += len(units)
        return left[::-1]

    def _add_units(self, units: str, *, at: int) -> None:
        """Take in code units from a place of the text on; those above the line are told from what is before them."""
        first = self._position + at
        cuts = [0, *(bound - first for bound in self._bounds if 0 < bound - first < len(units)), len(units)]
        for start, end in pairwise(cuts):
            text = units[start:end].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            is_raised = bisect_right(self._bounds, first + start) % 2 == 1
            self._add(mark_power(self._pieces[-1], text) if is_raised and self._pieces else text)

    def _add(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._length += len(text)

    def _end_field(self) -> None:
        start, href = self._fields.pop() if self._fields else (self._length, "")
        if href and start < self._length:
            self.links.append(Link(start, self._length, href))

    def _read_memos(self, records: Sequence[Record]) -> None:
        """Take in lists below the paragraph itself: the last one of a document holds all memos."""
        lists = [record for record in records if record.tag != Tag.PARA_TEXT]
        if any(record.tag == Tag.MEMO_LIST for record in lists):
            self.after += [Comment("", self._section.read_list(each)) for each in _split_lists(lists)]
        else:
            self.after += self._section.read_list(lists)

    def _read_control(self, record: Record) -> None:
        name = bytes(record.data[:4])[::-1].decode("latin-1")
        if name.startswith("%"):
            href = clean_href(record.text(9)[0]) if name == "%hlk" else ""
            self._fields.append((self._length, href))
        handle = _HANDLERS.get(name)
        if handle is not None:
            handle(self, record)
        else:
            self.after += self._section.read_list(record.children)

    def read_section(self, record: Record) -> None:
        """Take in the definition of a section: the numbering of its headings."""
        self._section.counter.outline = record.number(18, 2) or 1
        self.after += self._section.read_list(record.children)

    def read_footnote(self, record: Record) -> None:
        """Take in a footnote, and mark its place."""
        self._read_note(record, "[^")

    def read_endnote(self, record: Record) -> None:
        """Take in an endnote, and mark its place."""
        self._read_note(record, "[^e")

    def _read_note(self, record: Record, prefix: str) -> None:
        label = self._section.next_note(prefix)
        self._add(label)
        self.after.append(Note(label, self._section.read_list(record.children)))

    def read_running(self, record: Record) -> None:
        """Take in a header or footer."""
        self.after.append(RunningText(self._section.read_list(record.children)))

    def read_hidden(self, record: Record) -> None:
        """Take in a hidden remark."""
        self.after.append(Comment("", self._section.read_list(record.children)))

    def read_number(self, record: Record) -> None:
        """Take in the number of a table, picture or equation."""
        if record.number(4, 4) & 15 in _COUNTED:
            self._add(str(record.number(8, 2)))

    def read_ruby(self, record: Record) -> None:
        """Take in words with others above them."""
        words, offset = record.text(4)
        above, _ = record.text(offset)
        self._add(f"{words}({above})" if above else words)

    def read_letters(self, record: Record) -> None:
        """Take in letters that are drawn over each other."""
        self._add(record.text(4)[0])

    def read_equation(self, record: Record) -> None:
        """Take in the script of an equation, as the author wrote it."""
        scripts = [child.text(4)[0] for child in record.children if child.tag == Tag.EQUATION]
        text = " ".join(" ".join(scripts).split())
        gap = " " if self._length and not self._pieces[-1][-1:].isspace() else ""
        self._add(f"{gap}{text} " if text else "")
        self.after += self._section.read_list(record.children)

    def read_form(self, record: Record) -> None:
        """Take in the words on a field of a form."""
        for child in record.children:
            if child.tag == Tag.FORM_OBJECT:
                words = bytes(child.data[: len(child.data) // 2 * 2]).decode("utf-16-le", "replace")
                for match in _CAPTION_OF_FORM.finditer(words):
                    self._add(words[match.end() : match.end() + min(int(match[1][:6]), len(words))])
        self.after += self._section.read_list(record.children)

    def read_table(self, record: Record) -> None:
        """Take in a table: lists before its own record are the caption, lists after it the cells."""
        position = next((n for n, each in enumerate(record.children) if each.tag == Tag.TABLE), 0)
        table = Table([], caption=self._section.read_list(record.children[:position]))
        for cell in _split_lists(record.children[position + 1 :]):
            head = cell[0]
            table.cells.append(
                Cell(
                    row=head.number(10, 2),
                    column=head.number(8, 2),
                    content=self._section.read_list([*head.children, *cell[1:]]),
                    rows=head.number(14, 2),
                    columns=head.number(12, 2),
                )
            )
        self.after.append(table)

    def read_drawing(self, record: Record) -> None:
        """Take in a picture, text box, group or decorated words."""
        alt = describe_picture(_description(record))
        waiting = [record]
        while waiting:
            each = waiting.pop()
            waiting += each.children[::-1] if each.tag != Tag.PARA_HEADER else []
            if each.tag == Tag.PICTURE:
                self.after.append(Picture(alt))
                alt = ""
            elif each.tag == Tag.WORD_ART:
                self.after.append(Paragraph(each.text(32)[0]))
        self.after += self._section.read_list(record.children)


_HANDLERS: dict[str, Callable[[_ParagraphReader, Record], None]] = {
    "secd": _ParagraphReader.read_section,
    "fn  ": _ParagraphReader.read_footnote,
    "en  ": _ParagraphReader.read_endnote,
    "head": _ParagraphReader.read_running,
    "foot": _ParagraphReader.read_running,
    "tcmt": _ParagraphReader.read_hidden,
    "atno": _ParagraphReader.read_number,
    "tdut": _ParagraphReader.read_ruby,
    "tcps": _ParagraphReader.read_letters,
    "eqed": _ParagraphReader.read_equation,
    "form": _ParagraphReader.read_form,
    "tbl ": _ParagraphReader.read_table,
    "gso ": _ParagraphReader.read_drawing,
}
"""By name of the control; the paragraphs of every other are read too."""


def _split_lists(records: Sequence[Record]) -> list[list[Record]]:
    """Return the runs of records that begin with a list header, it included."""
    lists: list[list[Record]] = []
    for record in records:
        if record.tag == Tag.LIST_HEADER:
            lists.append([record])
        elif lists:
            lists[-1].append(record)
    return lists


def _description(record: Record) -> str:
    """Return the description of an object: the text that ends its header."""
    for offset in (44, 42, 40):  # newer programs write two or four bytes more before it
        text, end = record.text(offset)
        if text and end == len(record.data):
            return text
    return ""
