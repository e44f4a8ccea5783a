"""Text documents of OpenDocument (ODT), and the words of paragraphs in all OpenDocument files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Message, Remedy, UnsupportedMediaError
from kebab_parse import split_header, spread_cells

from kebab_parse_office.archive import read_integer
from kebab_parse_office.labels import format_label
from kebab_parse_office.open_document_namespaces import DC, DRAW, OFFICE, STYLE, SVG, TABLE, TEXT, XLINK
from kebab_parse_office.open_document_objects import read_object
from kebab_parse_office.open_document_tables import list_boxes, place_cells
from kebab_parse_office.open_document_words import MOST_SPACES, SKIPPED, plain_text, raised_styles, sign_of
from kebab_parse_office.rich_text import RichText, comment_lead, join_line, plain_words
from kebab_parse_office.text_document_writer import DELETIONS_LEFT_OUT, ListEntry, TextDocumentWriter

if TYPE_CHECKING:
    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive

_GENERATED = {
    TEXT + name
    for name in (
        "table-of-content", "alphabetical-index", "illustration-index", "table-index", "object-index", "user-index",
        "bibliography", "tracked-changes",
    )
}  # fmt: skip
"""Parts that repeat other text, and deleted text."""
_WRAPPERS = {TEXT + "section", TEXT + "numbered-paragraph", DRAW + "a", TEXT + "list-header"}
RUNNING_PARTS = [STYLE + kind + page for kind in ("header", "footer") for page in ("", "-left", "-first")]
"""Headers and footers of the pages of a style."""


class ListLevel(NamedTuple):
    """Format of one level of a list or of headings."""

    form: str = ""
    """Letter or digit that stands for the kind of number; empty for none."""
    prefix: str = ""
    suffix: str = ""
    levels: int = 1
    """Levels whose numbers are shown, this one included."""
    start: int = 1


@dataclass(slots=True)
class _Paragraph:
    words: RichText = field(default_factory=RichText)
    remarks: list[tuple[str, _Element]] = field(default_factory=list)
    """Lead, such as `[^1]: `, and element of each note and comment."""
    frames: list[_Element] = field(default_factory=list)


class OpenTextDocument:
    """A text document of OpenDocument, read once.

    Args:
        archive: The file.
        writer: Gets its blocks.

    Raises:
        UnsupportedMediaError: It is no text document.
    """

    def __init__(self, archive: OfficeArchive, writer: TextDocumentWriter) -> None:
        self._title = ""
        self._warnings: list[Message] = []
        self._writer = writer
        self._archive = archive
        root = archive.parse("content.xml")
        body = root.find(f"{OFFICE}body/{OFFICE}text")
        if body is None:
            raise UnsupportedMediaError(
                "the content is no text document", remedy=Remedy(advice=Message("check the file's extension"))
            )
        styles = archive.parse_optional("styles.xml")
        roots = [root] if styles is None else [styles, root]
        self._parents = {
            each.get(STYLE + "name", ""): each.get(STYLE + "parent-style-name", "")
            for tree in roots
            for each in tree.iter(STYLE + "style")
            if each.get(STYLE + "family") == "paragraph"
        }
        self._raised = raised_styles(*(style for tree in roots for style in tree.iter(STYLE + "style")))
        self._lists = {
            each.get(STYLE + "name", ""): read_levels(each)
            for tree in roots
            for each in tree.iter(TEXT + "list-style")
        }
        outline = next((each for tree in roots for each in tree.iter(TEXT + "outline-style")), None)
        self._outline = {} if outline is None else read_levels(outline)
        self._outline_counts: dict[int, int] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._note_counts = {"footnote": 0, "endnote": 0}
        self._pending: list[tuple[str, _Element]] = []
        self._read_blocks(body, 0)
        self._flush_remarks()
        writer.end_body()
        self._read_running_texts(() if styles is None else styles.iter(*RUNNING_PARTS))
        if body.find(f"{TEXT}tracked-changes//{TEXT}deletion") is not None:
            self._warnings.append(DELETIONS_LEFT_OUT)

    def describe(self) -> tuple[str, list[Message]]:
        """Return its first title paragraph, empty where there is none, and what the user should know."""
        return self._title, self._warnings

    def _read_blocks(self, parent: _Element, depth: int) -> None:
        for child in self._archive.open_element(parent, depth):
            tag = child.tag
            if tag == TEXT + "h":
                self._heading(child, depth)
            elif tag == TEXT + "p":
                self._paragraph(child, depth)
            elif tag == TEXT + "list":
                style = child.get(TEXT + "style-name", "")
                if (
                    child.get(TEXT + "continue-numbering") != "true"
                    and child.get(TEXT + "continue-list") is None
                ):
                    self._counts.pop(style, None)
                self._list(child, style, 1, depth)
            elif tag == TABLE + "table":
                self._table(child, depth)
            elif tag in {DRAW + "frame", DRAW + "g", DRAW + "custom-shape", DRAW + "rect"}:
                self._frame(child, depth)
            elif tag in _WRAPPERS and tag not in _GENERATED:
                self._read_blocks(child, depth + 1)

    def _read_running_texts(self, parts: Iterable[_Element]) -> None:
        """Append the headers and footers of all kinds of pages, each text once, also where only the page number differs."""
        seen: set[str] = set()
        for part in parts:
            text = "\n".join(_without_page_number(each) for each in part.iter(TEXT + "p", TEXT + "h")).strip()
            is_shown = part.get(STYLE + "display", "true") != "false"
            if is_shown and text not in seen and any(map(str.isalnum, text)):
                seen.add(text)
                self._read_blocks(part, 0)
                self._flush_remarks()
                self._writer.end_body()

    def _heading(self, element: _Element, depth: int) -> None:
        self._flush_remarks()
        level = element.get(TEXT + "outline-level", "1")
        number = read_integer(level, default=1)
        content = self._read(element)
        label = count_level(self._outline, self._outline_counts, number)
        if element.get(TEXT + "is-list-header") == "true":
            label = ""
        self._writer.heading(max(number, 1), f"{label} {content.words.text}")
        self._beside(content, depth)

    def _paragraph(self, element: _Element, depth: int) -> None:
        content = self._read(element)
        names = self._style_names(element)
        self._flush_remarks()
        if "title" in names and content.words.text:
            self._title = self._title or content.words.text
            self._writer.heading(1, content.words.text)
        elif "quotations" in names:
            self._writer.quote(content.words)
        else:
            self._writer.paragraph(content.words)
        self._beside(content, depth)

    def _beside(self, content: _Paragraph, depth: int) -> None:
        self._pending += content.remarks
        for frame in content.frames:
            self._frame(frame, depth)

    def _style_names(self, element: _Element) -> set[str]:
        names: set[str] = set()
        name = element.get(TEXT + "style-name", "")
        while name and name.casefold() not in names:
            names.add(name.casefold())
            name = self._parents.get(name, "")
        return names

    def _list(self, element: _Element, style: str, level: int, depth: int) -> None:
        levels = self._lists.get(element.get(TEXT + "style-name", style), {})
        counts = self._counts.setdefault(style, {})
        for item in self._archive.open_element(element, depth):
            if item.tag not in {TEXT + "list-item", TEXT + "list-header"}:
                continue
            words, label = RichText(), None
            for child in item:
                if child.tag in {TEXT + "p", TEXT + "h"}:
                    if label is None:
                        label = count_level(levels, counts, level) if item.tag == TEXT + "list-item" else ""
                    if child.tag == TEXT + "h":
                        self._heading(child, depth)
                        continue
                    content = self._read(child)
                    words.add("\n" if words.text else "")
                    words.extend(content.words)
                    self._beside(content, depth)
                elif child.tag == TEXT + "list":
                    self._writer.list_entry(ListEntry(level - 1, label or "", words))
                    words = RichText()
                    self._list(child, style, level + 1, depth + 1)
                elif child.tag == TABLE + "table":
                    self._table(child, depth + 1)
            self._writer.list_entry(ListEntry(level - 1, label or "", words))

    def _table(self, table: _Element, depth: int) -> None:
        self._flush_remarks()
        frames: list[_Paragraph] = []
        boxes = list_boxes(table)
        if boxes:
            for cell in boxes:  # a box around text
                self._read_blocks(cell, depth + 1)
            return
        placed, heads = place_cells(table, lambda cell: join_line(self._cell_text(cell, frames, depth)))
        self._writer.table(*split_header(spread_cells(placed), marked=heads))
        for content in frames:
            self._beside(content, depth)
        self._flush_remarks()

    def _cell_text(self, parent: _Element, frames: list[_Paragraph], depth: int) -> str:
        texts: list[str] = []
        for child in self._archive.open_element(parent, depth):
            if child.tag in {TEXT + "p", TEXT + "h"}:
                content = self._read(child)
                frames.append(content)
                texts.append(content.words.text)
            elif isinstance(child.tag, str) and child.tag not in _GENERATED | SKIPPED:
                texts.append(self._cell_text(child, frames, depth + 1))
        return "\n".join(text for text in texts if text)

    def _frame(self, frame: _Element, depth: int) -> None:
        """Append a text box, or the description of a picture."""
        self._flush_remarks()
        description = frame.findtext(SVG + "desc") or frame.findtext(SVG + "title") or ""
        if text := join_line(description):
            self._writer.paragraph(plain_words(text))
        for child in self._archive.open_element(frame, depth):
            if child.tag == DRAW + "text-box":
                self._read_blocks(child, depth + 1)
            elif child.tag == DRAW + "object":
                self._object(child)
            elif child.tag in {DRAW + "g", DRAW + "frame", DRAW + "custom-shape"}:
                self._frame(child, depth + 1)
            elif child.tag in {TEXT + "p", TEXT + "list"}:
                self._read_blocks(frame, depth + 1)
                return

    def _object(self, element: _Element) -> None:
        """Append the titles and the table of a chart, or the tables of a sheet, that are part of the file."""
        for content in read_object(self._archive, element, self._raised):
            if isinstance(content, str):
                self._writer.paragraph(plain_words(content))
            else:
                self._writer.table(content[0], content[1:])

    def _read(self, element: _Element) -> _Paragraph:
        content = _Paragraph()
        self._walk(element, content, "", 0)
        return content

    def _walk(self, element: _Element, content: _Paragraph, href: str, depth: int) -> None:
        content.words.add(element.text or "", href)
        for child in self._archive.open_element(element, depth):
            tag = child.tag
            if sign := sign_of(child):
                content.words.add(sign)
            elif tag == TEXT + "note":
                self._note(child, content)
            elif tag == OFFICE + "annotation":
                author = join_line(child.findtext(DC + "creator") or "")
                content.remarks.append((comment_lead(author), child))
            elif tag in {DRAW + "frame", DRAW + "g", DRAW + "custom-shape", DRAW + "rect"}:
                content.frames.append(child)
            elif tag == TEXT + "ruby":
                base = "".join(plain_text(each) for each in child.iterfind(TEXT + "ruby-base"))
                content.words.add(f"{base}({child.findtext(TEXT + 'ruby-text') or ''})")
            elif tag == TEXT + "a":
                target = child.get(XLINK + "href", "")
                self._walk(child, content, "" if target.startswith("#") else target, depth + 1)
            elif child.get(TEXT + "style-name") in self._raised:
                content.words.add_raised(plain_text(child), href)
            elif tag not in SKIPPED and tag != TEXT + "bookmark-ref-end" and tag != TEXT + "hidden-text":
                self._walk(child, content, href, depth + 1)
            content.words.add(child.tail or "", href)

    def _note(self, note: _Element, content: _Paragraph) -> None:
        kind = note.get(TEXT + "note-class", "footnote")
        self._note_counts[kind] = self._note_counts.get(kind, 0) + 1
        label = format_label(self._note_counts[kind], "lowerRoman" if kind == "endnote" else "decimal")
        content.words.add(f"[^{label}]")
        body = note.find(TEXT + "note-body")
        if body is not None:
            content.remarks.append((f"[^{label}]: ", body))

    def _flush_remarks(self) -> None:
        while self._pending:
            lead, root = self._pending.pop(0)
            words, said = RichText(), [plain_text(each) for each in root.iter(TEXT + "p", TEXT + "h")]
            words.add(lead + "\n".join(said))
            if any(map(str.strip, said)):
                (self._writer.paragraph if lead.startswith("[^") else self._writer.quote)(words)


def _without_page_number(paragraph: _Element) -> str:
    numbers = [each.text or "" for each in paragraph.iter(TEXT + "page-number", TEXT + "page-count")]
    text = plain_text(paragraph)
    for number in numbers:
        text = text.replace(number, "", 1) if number else text
    return text


def read_levels(style: _Element) -> dict[int, ListLevel]:
    """Read the levels of a list style that have numbers, from 1."""
    levels: dict[int, ListLevel] = {}
    for each in style:
        if each.tag in {TEXT + "list-level-style-number", TEXT + "outline-level-style"}:
            levels[_number(each, TEXT + "level")] = ListLevel(
                form=each.get(STYLE + "num-format", ""),
                prefix=each.get(STYLE + "num-prefix", ""),
                suffix=each.get(STYLE + "num-suffix", ""),
                levels=_number(each, TEXT + "display-levels"),
                start=_number(each, TEXT + "start-value"),
            )
    return levels


def count_level(levels: dict[int, ListLevel], counts: dict[int, int], level: int) -> str:
    """Count one paragraph of a level and return its label; empty for a bullet."""
    own = levels.get(level)
    if own is None:
        return ""
    counts[level] = counts.get(level, own.start - 1) + 1
    for deeper in [each for each in counts if each > level]:
        del counts[deeper]
    if not own.form:
        return ""
    shown = range(max(level - own.levels + 1, 1), level + 1)
    numbers = [
        format_label(counts.get(each, 1), _FORMS.get(form, form))
        for each in shown
        if (form := levels.get(each, own).form)
    ]
    return f"{own.prefix}{'.'.join(numbers)}{own.suffix}".strip()


_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"} | {
    "가, 나, 다, ...": "ganada",
    "ㄱ, ㄴ, ㄷ, ...": "chosung",
    "①, ②, ③, ...": "decimalEnclosedCircle",
}


def _number(element: _Element, name: str) -> int:
    text = element.get(name, "1")
    return max(read_integer(text, default=1, most=MOST_SPACES), 1)
