"""The extractor `hwp-v3`: from the bytes of an HWPX or HWP 5 file to a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    DocumentDamagedError,
    ExtractContext,
    Inline,
    LinkInline,
    Message,
    ParserVersion,
    Remedy,
    TextInline,
    UnsupportedMediaError,
    show_link,
)
from kebab_parse import (
    COMPOUND_FILE,
    NO_TEXT,
    IsolatedExtractor,
    Item,
    TableCell,
    TextWriter,
    read_given_title,
    split_header,
    spread_cells,
)

from kebab_parse_hwp.content import (
    Comment,
    Content,
    Note,
    Paragraph,
    Picture,
    RunningText,
    Table,
    other_content,
    plain_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from kebab_parse_hwp.hwp5 import Hwp5Document
    from kebab_parse_hwp.hwpx import HwpxDocument

HWP_VERSION = ParserVersion("hwp-v3")
_ZIP, _OLD = b"PK", b"HWP Document File V"
_SEPARATORS = re.compile(r"[,;\n]+")
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")

_MAX_HEADING_CHARS = 100
_SENTENCE_END = re.compile(r"[.!;。](\[\^e?\d*\])*$")
_MAX_AREA_PER_CELL = 100
"""Positions in a table for each cell in it; merged cells cover many."""


class HwpExtractor(IsolatedExtractor):
    """Extractor of Hangul documents: HWPX (KS X 6101) and HWP 5."""

    kind = "hwp"
    version = HWP_VERSION
    agent = "kebab-parse-hwp"

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file, whichever of the two formats its name says. Spans are lines of the text of the document.

        Returns:
            The document. Warnings name parts that are damaged or missing, a document without text, and characters that only fonts of Hancom know.

        Raises:
            UnsupportedMediaError: The file is of version 3, or no Hangul document.
            DocumentDamagedError: Nothing of it can be read, or it is nested deeper than any document.
            DocumentTooLargeError: It unpacks to more than is read.
            DocumentEncryptedError: It is protected by a password, a certificate, or as a distribution document.
        """
        source = _open(content)
        writer = TextWriter(self._identify(context))
        try:
            ContentWriter(writer).write_document(source.content())
            values = _values(source.facts())
        except RecursionError as error:
            raise DocumentDamagedError("it is nested too deep") from error
        if not writer.blocks and source.warnings:
            raise DocumentDamagedError("nothing of it can be read: {reason}", _reason=source.warnings[0])
        text = writer.finish()
        return self._build(
            context,
            writer.blocks,
            text,
            values=values,
            warnings=(
                *source.warnings,
                None if writer.blocks else NO_TEXT,
                _private_characters(text.text),
            ),
        )


def _open(content: bytes) -> HwpxDocument | Hwp5Document:
    if content.startswith(_ZIP):
        from kebab_parse_hwp.hwpx import HwpxDocument

        return HwpxDocument(content)
    if content.startswith(COMPOUND_FILE):
        from kebab_parse_hwp.hwp5 import Hwp5Document

        return Hwp5Document(content)
    if content.startswith(_OLD):
        raise UnsupportedMediaError(
            "this is a document of Hangul 97 or older (HWP 3)",
            remedy=Remedy(advice=Message("open it in its own program and save it as {name}", name="HWPX")),
        )
    raise UnsupportedMediaError(
        "this is neither HWPX nor HWP 5", remedy=Remedy(advice=Message("check what is in the file"))
    )


def _values(facts: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the facts of the summary under the keys of front matter."""
    values: dict[str, JsonValue] = {**facts, "title": read_given_title(facts.get("title", ""))}
    keywords = str(values.pop("keywords", ""))
    tags = [" ".join(tag.split()).lstrip("#") for tag in _SEPARATORS.split(keywords)]
    return {**values, "tags": [tag for tag in tags if tag]}


def _private_characters(text: str) -> Message | None:
    count = len(_PRIVATE.findall(text))
    if not count:
        return None
    return Message(
        "{count:,} character that only fonts of Hancom know, such as old Hangul, cannot be found by search",
        plural="{count:,} characters that only fonts of Hancom know, such as old Hangul, cannot be found by search",
        count=count,
    )


class ContentWriter:
    """Writes content with a `TextWriter`. Headers, footers and page backgrounds come last, each once."""

    def __init__(self, writer: TextWriter) -> None:
        self._writer = writer
        self._list: list[Item] = []
        self._running: dict[str, list[Content]] = {}

    def write_document(self, content: Iterable[Content]) -> None:
        """Write all content of a document."""
        self._write(content)
        self._end_list()
        self._writer.end_sections()
        for content_of_page in self._running.values():
            self._write(content_of_page)
        self._end_list()

    def _write(self, content: Iterable[Content]) -> None:
        for each in content:
            match each:
                case Paragraph():
                    self._write_paragraph(each)
                case RunningText(content=inner):
                    self._running.setdefault(plain_text(inner) or repr(inner), inner)
                case Table():
                    self._write_table(each)
                case Note(label=label, content=inner):
                    self._end_list()
                    self._writer.paragraph(f"{label}: {plain_text(inner)}")
                    self._write(other_content(inner))
                case Comment(author=author, content=inner):
                    self._end_list()
                    words = plain_text(inner)
                    self._writer.quote(f"{author}: {words}" if author and words else words)
                    self._write(other_content(inner))
                case Picture(alt=alt):
                    self._end_list()
                    self._writer.paragraph(alt)

    def _write_paragraph(self, paragraph: Paragraph) -> None:
        shape = paragraph.shape
        text, inlines = render_links(paragraph)
        if not text.strip():
            return
        numbered = f"{paragraph.label} {text}" if paragraph.label else text
        if shape.kind == "outline" and _is_heading(text):
            self._end_list()
            self._writer.heading(shape.level + 1, numbered)
        elif shape.kind in {"number", "bullet"} and (paragraph.label or shape.kind == "bullet"):
            if self._list and bool(self._list[0].number) != bool(paragraph.label):
                self._end_list()
            self._list.append(Item(text, shape.level, paragraph.label, tuple(inlines)))
        else:
            self._end_list()
            self._writer.paragraph(numbered, inlines)

    def _end_list(self) -> None:
        if self._list:
            self._writer.items(self._list)
            self._list = []

    def _write_table(self, table: Table) -> None:
        self._write(table.caption)
        self._end_list()
        area = len({cell.row for cell in table.cells}) * len({cell.column for cell in table.cells})
        if area <= 1 or area > _MAX_AREA_PER_CELL * len(
            table.cells
        ):  # a frame around text, or no table at all
            for cell in table.cells:
                self._write(cell.content)
            return
        grid = spread_cells(
            TableCell(cell.row, cell.column, plain_text(cell.content), cell.rows, cell.columns)
            for cell in table.cells
        )
        self._writer.table(*split_header(grid))
        for cell in table.cells:
            self._write(other_content(cell.content))


def render_links(paragraph: Paragraph) -> tuple[str, Sequence[Inline]]:
    """Return the text of a paragraph with the addresses of its links, and its inlines if it has a link."""
    shown, position = "", 0
    inlines: list[Inline] = []
    for link in sorted(paragraph.links, key=lambda link: link.start):
        if link.start < position:
            continue
        before, words = paragraph.text[position : link.start], paragraph.text[link.start : link.end]
        shown += before + show_link(words, link.href)
        inlines += [TextInline(text=before)] if before else []
        inlines.append(LinkInline(text=words, href=link.href))
        position = link.end
    rest = paragraph.text[position:]
    if inlines and rest:
        inlines.append(TextInline(text=rest))
    return shown + rest, inlines


def _is_heading(text: str) -> bool:
    """Return False for the sentences that many documents set in the styles of headings."""
    line = text.strip()
    return len(line) <= _MAX_HEADING_CHARS and "\n" not in line and not _SENTENCE_END.search(line)
