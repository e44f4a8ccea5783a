"""Runs of a Word paragraph: its words with links, marks of notes, and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lxml.etree import QName

from kebab_parse_office.archive import R
from kebab_parse_office.drawings import list_graphics
from kebab_parse_office.labels import format_label
from kebab_parse_office.rich_text import RichText, join_line
from kebab_parse_office.word_elements import W, is_on, value_of

if TYPE_CHECKING:
    from lxml.etree import _Element

    from kebab_parse_office.archive import Relationship

_MARKUP = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DELETED = {W + "del", W + "moveFrom"}
_CONTAINERS = {
    W + name
    for name in ("ins", "moveTo", "smartTag", "sdt", "sdtContent", "customXml", "dir", "bdo", "fldSimple")
}
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
_SIGNS = {W + "tab": "\t", W + "ptab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-"}
_NOTES = {f"{W}{kind}Reference": kind for kind in ("footnote", "endnote", "comment")}
_PRIVATE = range(0xE000, 0xF900)
_CHARACTERS = range(0x20, 0x110000)
MAX_RUN_DEPTH = 60
"""Most elements inside each other between a paragraph and its words."""


class Note(NamedTuple):
    """A reference to a footnote, an endnote or a comment."""

    kind: str
    note_id: str
    label: str
    """Its number; empty for a comment."""


@dataclass(slots=True)
class ParagraphContent:
    """Content of a paragraph."""

    words: RichText = field(default_factory=RichText)
    notes: list[Note] = field(default_factory=list)
    """Notes that it refers to, in order."""
    boxes: list[_Element] = field(default_factory=list)
    """Text boxes that hang on it."""
    pictures: list[str] = field(default_factory=list)
    """Descriptions of its pictures."""
    graphics: list[Relationship] = field(default_factory=list)
    """Parts of its charts and diagrams."""

    def followed_by(self, other: ParagraphContent) -> ParagraphContent:
        """Append the content of another paragraph and return this one."""
        self.words.extend(other.words)
        self.notes += other.notes
        self.boxes += other.boxes
        self.pictures += other.pictures
        self.graphics += other.graphics
        return self


@dataclass(slots=True)
class _Field:
    """A field such as a page number or a link: a code, then what it gives."""

    code: str = ""
    is_result: bool = False
    href: str = ""


class RunReader:
    """Reads paragraphs in the order of the document: fields reach over paragraphs, and notes are counted.

    Args:
        relationships: Those of the part, for the addresses of links.
    """

    def __init__(self, relationships: Mapping[str, Relationship]) -> None:
        self.has_deletions = False
        """Whether text was left out that tracked changes delete."""
        self.is_cut = False
        """Whether words were left out that are nested too deep."""
        self._relationships = relationships
        self._fields: list[_Field] = []
        self._counts = {"footnote": 0, "endnote": 0}

    def read(self, paragraph: _Element, *, inside_note: bool = False) -> ParagraphContent:
        """Read a paragraph; one inside a note has no marks of notes itself."""
        content = ParagraphContent()
        self._walk(paragraph, content, "", 0)
        # A code that does not end with its paragraph is damaged: it must not hide all that follows.
        self._fields = [each for each in self._fields if each.is_result]
        if inside_note:
            content.notes.clear()
        return content

    def _walk(self, parent: _Element, content: ParagraphContent, href: str, depth: int) -> None:
        for child in self._open(parent, depth):
            tag = child.tag
            if tag == W + "r":
                if not is_on(child.find(W + "rPr"), "vanish"):
                    self._run(child, content, href, depth)
            elif tag == W + "hyperlink":
                link = self._relationships.get(child.get(R + "id", ""))
                self._walk(child, content, link.target if link and link.is_external else "", depth + 1)
            elif tag in _DELETED:
                self.has_deletions = (
                    self.has_deletions or next(child.iter(W + "delText", W + "t"), None) is not None
                )
            elif tag in _CONTAINERS:
                self._walk(child, content, href, depth + 1)
            elif isinstance(tag, str) and tag.startswith(_MATH):
                content.words.add("".join(text.text or "" for text in child.iter(_MATH + "t")))
            elif tag == _MARKUP + "AlternateContent":
                self._walk(_choose(child), content, href, depth + 1)

    def _open(self, element: _Element, depth: int) -> list[_Element]:
        if depth < MAX_RUN_DEPTH:
            return list(element)
        self.is_cut = self.is_cut or next(element.iter(W + "t"), None) is not None
        return []

    def _run(self, run: _Element, content: ParagraphContent, href: str, depth: int) -> None:
        for child in self._open(run, depth):
            tag = child.tag
            if tag == W + "fldChar":
                self._field(child.get(W + "fldCharType"))
            elif tag == W + "instrText":
                if self._fields:
                    self._fields[-1].code += child.text or ""
            elif all(each.is_result for each in self._fields):
                self._show(child, content, href, depth)

    def _show(self, child: _Element, content: ParagraphContent, href: str, depth: int) -> None:
        tag = child.tag
        if tag == W + "t":
            link = next((each.href for each in reversed(self._fields) if each.href), href)
            is_raised = value_of(_properties(child), "vertAlign") == "superscript"
            add = content.words.add_raised if is_raised else content.words.add
            add(child.text or "", link)
        elif tag in _SIGNS:
            content.words.add(_SIGNS[tag])
        elif tag == W + "sym":
            content.words.add(_symbol(child.get(W + "char", "")))
        elif tag in _NOTES:
            self._note(_NOTES[tag], child, content)
        elif tag in {W + "drawing", W + "pict", W + "object"}:
            self._drawing(child, content)
        elif tag == _MARKUP + "AlternateContent":
            self._run(_choose(child), content, href, depth + 1)
        elif tag == W + "ruby":
            self._ruby(child, content, depth)

    def _field(self, kind: str | None) -> None:
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            current = self._fields[-1]
            match = _HYPERLINK.match(current.code)
            current.is_result, current.href = True, match[1] if match else ""
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _note(self, kind: str, mark: _Element, content: ParagraphContent) -> None:
        label = ""
        if kind != "comment":
            self._counts[kind] += 1
            label = format_label(self._counts[kind], "decimal" if kind == "footnote" else "lowerRoman")
            content.words.add(f"[^{label}]")
        content.notes.append(Note(kind, mark.get(W + "id", ""), label))

    def _drawing(self, drawing: _Element, content: ParagraphContent) -> None:
        content.graphics += list_graphics(drawing, self._relationships)
        for element in drawing.iter("{*}docPr", "{*}txbxContent", "{*}textpath"):
            name = QName(element).localname
            if name == "txbxContent":
                if not any(parent.tag == element.tag for parent in _parents(element, drawing)):
                    content.boxes.append(element)
            elif text := join_line(element.get("descr" if name == "docPr" else "string", "")):
                content.pictures.append(text)

    def _ruby(self, ruby: _Element, content: ParagraphContent, depth: int) -> None:
        for part, form in ((W + "rubyBase", "{}"), (W + "rt", "({})")):
            inner = ParagraphContent()
            for element in ruby.iterfind(part):
                self._walk(element, inner, "", depth + 1)
            if text := inner.words.text:
                content.words.add(form.format(text))


def _properties(text: _Element) -> _Element | None:
    run = text.getparent()
    return None if run is None else run.find(W + "rPr")


def _choose(alternative: _Element) -> _Element:
    """Return the first choice that holds something, else what stands in for programs that know none of them."""
    choices = [child for child in alternative if len(child)]
    return choices[0] if choices else alternative


def _parents(element: _Element, top: _Element) -> list[_Element]:
    found: list[_Element] = []
    parent = element.getparent()
    while parent is not None and parent is not top:
        found.append(parent)
        parent = parent.getparent()
    return found


def _symbol(code: str) -> str:
    """Return a character given by its number in hexadecimal; nothing for one that only its font can show."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return "" if number in _PRIVATE or number not in _CHARACTERS else chr(number)
