"""Reader of HWPX (KS X 6101, OWPML): the sections of a package as content, and the facts in its summary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kebab_core import DocumentDamagedError, Message
from kebab_parse import lost_member, mark_power

from kebab_parse_hwp.content import (
    PLAIN,
    Cell,
    Comment,
    Content,
    Link,
    Note,
    Paragraph,
    ParagraphShape,
    Picture,
    RunningText,
    Table,
    describe_picture,
    plain_text,
)
from kebab_parse_hwp.hwpx_package import open_package, parse_children, parse_part, part_names
from kebab_parse_hwp.numbering import NumberCounter, NumberLevel

if TYPE_CHECKING:
    from lxml.etree import _Element

_SECTION = re.compile(r"Contents/section\d+\.xml", re.IGNORECASE)
_MASTER_PAGE = re.compile(r"Contents/masterpage\d+\.xml", re.IGNORECASE)
_SUMMARY = "Contents/content.hpf"
_HEADER = "Contents/header.xml"
_SIGNS = {"lineBreak": "\n", "tab": "\t", "nbSpace": "\u00a0", "fwSpace": " ", "hyphen": "-"}
_COUNTED = {"PICTURE", "TABLE", "EQUATION"}
_FACTS = {
    "creator": "author",
    "subject": "subject",
    "description": "description",
    "keyword": "keywords",
    "lastsaveby": "last_modified_by",
    "CreatedDate": "created",
    "ModifiedDate": "modified",
}

_KINDS = {"OUTLINE": "outline", "NUMBER": "number", "BULLET": "bullet"}


class HwpxDocument:
    """One HWPX.

    Args:
        content: The file.

    Raises:
        DocumentDamagedError: It is no readable HWPX; reading its content raises it where nothing of it can be read.
        DocumentTooLargeError: It unpacks to more than is read; reading its content raises it too.
        DocumentEncryptedError: It is protected by a password.
    """

    def __init__(self, content: bytes) -> None:
        self.warnings: list[Message] = []
        """Parts that were missing or damaged; complete when all content was read."""
        self._members = open_package(content)
        self.warnings += self._members.warnings
        self._sections = part_names(self._members, _SECTION)
        if not self._sections:
            raise DocumentDamagedError("it has no section")
        present = {name.casefold() for name in self._sections}
        summary = self._parse_optional(_SUMMARY)
        self._facts = {} if summary is None else _read_facts(summary)
        listed = () if summary is None else _listed_sections(summary)
        for name in [*listed, *_gaps(self._sections)]:
            if name.casefold() not in present:
                present.add(name.casefold())
                self.warnings.append(Message("{member} is missing in it", member=name))

    def _parse_optional(self, name: str) -> _Element | None:
        """Parse a part whole; None where there is none, or where it cannot be read: a warning."""
        try:
            return parse_part(self._members, name, self.warnings) if name in self._members else None
        except DocumentDamagedError:
            self.warnings.append(lost_member(name))
            return None

    def facts(self) -> dict[str, str]:
        """Return title, author and so on, by name; times as ISO 8601."""
        return self._facts

    def content(self) -> Iterator[Content]:
        """Yield the content of all sections, then that of page backgrounds."""
        header = self._parse_optional(_HEADER)
        reader = _SectionReader(HwpxStyles() if header is None else read_styles(header))
        comments: set[str] = set()
        lost: list[DocumentDamagedError] = []
        for name in self._sections:
            try:
                yield from self._read_section(name, reader, comments)
            except DocumentDamagedError as error:
                lost.append(error)
                self.warnings.append(lost_member(name))
        if len(lost) == len(self._sections):
            raise lost[0]
        for name in part_names(self._members, _MASTER_PAGE):
            if (page := self._parse_optional(name)) is not None:
                yield RunningText(reader.read(page))

    def _read_section(self, name: str, reader: _SectionReader, comments: set[str]) -> Iterator[Content]:
        for element in parse_children(self._members, name, "p", self.warnings):
            for item in reader.read(element):
                if isinstance(item, Comment):
                    comments.add(plain_text(item.content))
                # What is left below the root are memos, most of them again.
                if element.getparent() is not None or plain_text([item]) not in comments:
                    yield item


def _listed_sections(summary: _Element) -> list[str]:
    places = (item.get("href", "") for item in summary.iter("{*}item"))
    names = (place if "/" in place else f"Contents/{place}" for place in places)
    return [name for name in names if _SECTION.fullmatch(name)]


def _read_facts(summary: _Element) -> dict[str, str]:
    facts = {}
    for element in summary.iter("{*}title", "{*}meta"):
        name = "title" if _local(element) == "title" else _FACTS.get(element.get("name", ""))
        if name and (element.text or "").strip():
            facts[name] = (element.text or "").strip()
    return facts


def _gaps(sections: Sequence[str]) -> Iterator[str]:
    """Yield for each gap in the numbers of the sections the first one that is missing."""
    numbers = [int(name[:-4].lower().rpartition("section")[2]) for name in sections]
    yield from (f"Contents/section{one + 1}.xml" for one, other in pairwise(numbers) if other > one + 1)


class _SectionReader:
    """Turns elements of sections into content. Numbers count on from paragraph to paragraph."""

    def __init__(self, styles: HwpxStyles) -> None:
        self._styles = styles
        self._counter = NumberCounter(styles.numberings)

    def is_raised(self, text: _Element) -> bool:
        """Return True if the words of a run stand above the line."""
        run = text.getparent()
        return run is not None and run.get("charPrIDRef") in self._styles.raised

    def read(self, element: _Element) -> list[Content]:
        """Return the content of an element: of a paragraph, or of the paragraphs anywhere in it."""
        if _local(element) == "p":
            return self._read_paragraph(element)
        return [item for child in element for item in self.read(child)]

    def _read_paragraph(self, element: _Element) -> list[Content]:
        shape = self._styles.shape(element)
        reader = _ParagraphReader(self)
        section = element.find("{*}run/{*}secPr")
        if section is not None:
            self._counter.outline = read_int(section, "outlineShapeIDRef", 1)
        # A paragraph without text has no number: Hangul draws none before an object either.
        for child in element:
            reader.read(child)
        text = reader.text()
        label = self._counter.label(shape) if text.strip() else ""
        return [Paragraph(text, reader.links, shape, label), *reader.after]


class _ParagraphReader:
    """Text of one paragraph with its links, and what is anchored in it."""

    def __init__(self, section: _SectionReader) -> None:
        self._section = section
        self._pieces: list[str] = []
        self._length = 0
        self._deleted_from: int | None = None
        self._links: dict[str, tuple[int, str]] = {}
        self.links: list[Link] = []
        self.after: list[Content] = []

    def text(self) -> str:
        """Return the text read so far."""
        return "".join(self._pieces)

    def read(self, element: _Element) -> None:
        """Take in one element below the paragraph."""
        name = _local(element)
        handle = _HANDLERS.get(name)
        if handle is not None:
            handle(self, element)
        elif name == "p":
            self.after += self._section.read(element)
        else:
            for child in element:
                self.read(child)

    def add(self, text: str | None) -> None:
        """Append text."""
        if text:
            self._pieces.append(text)
            self._length += len(text)

    def read_text(self, element: _Element) -> None:
        """Take in the words of a run, with breaks, tabs and marks in them."""
        text = element.text or ""
        self.add(
            mark_power(self._pieces[-1], text) if self._pieces and self._section.is_raised(element) else text
        )
        for child in element:
            name = _local(child)
            if name in _SIGNS:
                self.add(_SIGNS[name])
            elif name == "deleteBegin":
                self._deleted_from = self._length
            elif name == "deleteEnd":
                self._drop_deleted()
            else:
                self.read(child)
            self.add(child.tail)

    def _drop_deleted(self) -> None:
        if self._deleted_from is not None:
            kept = self.text()[: self._deleted_from]
            self._pieces, self._length = [kept], len(kept)
            self._deleted_from = None

    def begin_field(self, element: _Element) -> None:
        """Remember where a link begins; a memo has its text in its field."""
        kind = element.get("type", "")
        parameters = {each.get("name", ""): each.text or "" for each in element.iter("{*}stringParam")}
        if kind == "HYPERLINK":
            href = parameters.get("Path") or parameters.get("Command", "")
            self._links[element.get("id", "")] = (self._length, clean_href(href))
        content = self._section_items(element)
        if content:
            self.after.append(Comment(parameters.get("Author", ""), content))

    def end_field(self, element: _Element) -> None:
        """Close a link."""
        start, href = self._links.pop(element.get("beginIDRef", ""), (self._length, ""))
        if start < self._length and href:
            self.links.append(Link(start, self._length, href))

    def read_note(self, element: _Element) -> None:
        """Take in a footnote or endnote, and mark its place."""
        mark = "" if _local(element) == "footNote" else "e"
        label = f"[^{mark}{element.get('number', '')}]"
        self.add(label)
        self.after.append(Note(label, self._section_items(element)))

    def read_running(self, element: _Element) -> None:
        """Take in a header or footer."""
        self.after.append(RunningText(self._section_items(element)))

    def read_hidden(self, element: _Element) -> None:
        """Take in a hidden remark."""
        self.after.append(Comment("", self._section_items(element)))

    def read_number(self, element: _Element) -> None:
        """Take in the number of a table, picture or equation; pages have none here, notes have their mark."""
        if element.get("numType", "") in _COUNTED:
            self.add(element.get("num", ""))

    def read_equation(self, element: _Element) -> None:
        """Take in the script of an equation, as the author wrote it."""
        script = element.find("{*}script")
        text = " ".join((script.text or "").split()) if script is not None else ""
        gap = " " if self._length and not self._pieces[-1][-1:].isspace() else ""
        self.add(f"{gap}{text} " if text else "")
        self._read_caption(element)

    def read_table(self, element: _Element) -> None:
        """Take in a table."""
        table = Table([])
        for row_index, row in enumerate(element.findall("{*}tr")):
            for column_index, cell in enumerate(row.findall("{*}tc")):
                address, span = cell.find("{*}cellAddr"), cell.find("{*}cellSpan")
                table.cells.append(
                    Cell(
                        row=_number(address, "rowAddr", row_index),
                        column=_number(address, "colAddr", column_index),
                        content=self._section_items(cell),
                        rows=_number(span, "rowSpan", 1),
                        columns=_number(span, "colSpan", 1),
                    )
                )
        caption = element.find("{*}caption")
        if caption is not None:
            table.caption = self._section_items(caption)
        self.after.append(table)

    def read_picture(self, element: _Element) -> None:
        """Take in a picture: the description its author gave it, and its caption."""
        comment = element.find("{*}shapeComment")
        alt = describe_picture(comment.text or "") if comment is not None else ""
        self.after.append(Picture(alt))
        self._read_caption(element)

    def read_letters(self, element: _Element) -> None:
        """Take in letters that are drawn over each other, or words with others above them."""
        above = element.get("subText") or "".join(_texts(element, "subText"))
        words = element.get("composeText") or element.get("mainText") or "".join(_texts(element, "mainText"))
        self.add(f"{words}({above})" if above else words)

    def read_word_art(self, element: _Element) -> None:
        """Take in decorated words."""
        self.after.append(Paragraph(element.get("text", "")))
        self._read_caption(element)

    def read_form(self, element: _Element) -> None:
        """Take in the words on a field of a form."""
        self.add(element.get("caption", ""))
        for text in _texts(element, "text"):
            self.add(text)
        self._read_caption(element)

    def read_switch(self, element: _Element) -> None:
        """Take in one of several alternatives: the one that every reader understands, if there is one."""
        chosen = element.find("{*}default")
        for child in chosen if chosen is not None else element[:1]:
            self.read(child)

    def _read_caption(self, element: _Element) -> None:
        for caption in element.findall("{*}caption"):
            self.after += self._section_items(caption)

    def _section_items(self, element: _Element) -> list[Content]:
        return [item for child in element for item in self._section.read(child)]


_HANDLERS: dict[str, Callable[[_ParagraphReader, _Element], None]] = {
    "t": _ParagraphReader.read_text,
    "fieldBegin": _ParagraphReader.begin_field,
    "fieldEnd": _ParagraphReader.end_field,
    "footNote": _ParagraphReader.read_note,
    "endNote": _ParagraphReader.read_note,
    "header": _ParagraphReader.read_running,
    "footer": _ParagraphReader.read_running,
    "hiddenComment": _ParagraphReader.read_hidden,
    "autoNum": _ParagraphReader.read_number,
    "equation": _ParagraphReader.read_equation,
    "tbl": _ParagraphReader.read_table,
    "pic": _ParagraphReader.read_picture,
    "compose": _ParagraphReader.read_letters,
    "dutmal": _ParagraphReader.read_letters,
    "textart": _ParagraphReader.read_word_art,
    "btn": _ParagraphReader.read_form,
    "checkBtn": _ParagraphReader.read_form,
    "radioBtn": _ParagraphReader.read_form,
    "comboBox": _ParagraphReader.read_form,
    "edit": _ParagraphReader.read_form,
    "switch": _ParagraphReader.read_switch,
}
"""By local name; every other element is looked through for these and for paragraphs."""


def clean_href(command: str) -> str:
    """Return the address of a link field: its first part, with the backslashes that escape signs removed."""
    address = command.replace("\\;", "\0").partition(";")[0].replace("\0", ";").replace("\\:", ":")
    return unquote(address).strip()


def _number(element: _Element | None, name: str, default: int) -> int:
    return default if element is None else read_int(element, name, default)


def _local(element: _Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _texts(element: _Element, name: str) -> Iterator[str]:
    return (each.text or "" for each in element.iter(f"{{*}}{name}"))


@dataclass(frozen=True, slots=True)
class HwpxStyles:
    """Shapes and numberings by their ids."""

    shapes: Mapping[str, ParagraphShape] = field(default_factory=dict)
    numberings: Mapping[int, Sequence[NumberLevel]] = field(default_factory=dict)
    raised: frozenset[str] = frozenset()
    """Ids of the character shapes that stand above the line."""

    def shape(self, paragraph: _Element) -> ParagraphShape:
        """Return the shape of a paragraph."""
        return self.shapes.get(paragraph.get("paraPrIDRef", ""), PLAIN)


def read_styles(header: _Element) -> HwpxStyles:
    """Read the root of `Contents/header.xml`."""
    shapes = {}
    for element in header.iter("{*}paraPr"):
        heading = next(element.iter("{*}heading"), None)
        kind = _KINDS.get(heading.get("type", "")) if heading is not None else None
        if heading is not None and kind:
            shapes[element.get("id", "")] = ParagraphShape(
                kind=kind, level=read_int(heading, "level"), numbering=read_int(heading, "idRef")
            )
    numberings = {}
    for element in header.iter("{*}numbering"):
        levels = {read_int(head, "level", 1): _read_level(head) for head in element.iter("{*}paraHead")}
        empty = NumberLevel("")
        most = max(levels, default=0)
        numberings[read_int(element, "id")] = [levels.get(n, empty) for n in range(1, min(most, 10) + 1)]
    raised = frozenset(
        each.get("id", "") for each in header.iter("{*}charPr") if each.find("{*}supscript") is not None
    )
    return HwpxStyles(shapes, numberings, raised)


def _read_level(head: _Element) -> NumberLevel:
    return NumberLevel(head.text or "", head.get("numFormat", "DIGIT"), read_int(head, "start", 1))


def read_int(element: _Element, name: str, default: int = 0) -> int:
    """Return an attribute that is a whole number from 0; `default` for any other."""
    value = element.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default  # noqa: PLR2004
