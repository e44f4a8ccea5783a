r"""Rich Text Format (RTF 1.9): paragraphs, headings by outline level or style, tables; fields show their results.

Text is bytes in the code page of its font or `\u` with a fallback that is left out; destinations that hold no text, such as
pictures and lists of fonts, are left out whole.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError
from kebab_parse import Item

from kebab_parse_office.rich_text import comment_lead
from kebab_parse_office.sheets import is_page_label

if TYPE_CHECKING:
    from kebab_parse import TextWriter

_TOKEN = re.compile(
    r"\\([A-Za-z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_CODE_PAGES: Mapping[int, str] = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258",
    177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
"""Code page of a charset of fonts; others have that of the document."""
_SIGNS: Mapping[str, str] = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "softline": "\n",
}  # fmt: skip
_WITHOUT_TEXT = frozenset([
    "pict",
    "object",
    "objdata",
    "themedata",
    "colorschememapping",
    "datastore",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "xmlnstbl",
    "latentstyles",
    "mmathpr",
    "fldinst",
    "bkmkstart",
    "bkmkend",
    "atnid",
    "atndate",
    "revtbl",
    "filetbl",
    "colortbl",
    "nonshppict",
    "author",
    "operator",
    "company",
    "creatim",
    "revtim",
    "printim",
    "private",
    "passwordhash",
    "fontemb",
    "panose",
    "falt",
    "tc",
    "xe",
])
_ASIDE_WORDS: Mapping[str, str] = {
    "footnote": "note",
    "annotation": "remark",
    "atnauthor": "author",
    **{f"{part}{pages}": "running" for part in ("header", "footer") for pages in ("", "l", "r", "f")},
}
_TARGETS: Mapping[str, str] = {
    "fonttbl": "fonts", "stylesheet": "styles", "info": "none", "listtext": "list", "pntext": "list",
}  # fmt: skip
_ASIDE = frozenset(_ASIDE_WORDS.values())
"""Destinations whose text stands apart from the paragraph that they are in."""
_OPTIONAL_TEXT = frozenset({"shptxt", "listtext", "pntext", "ud", *_ASIDE_WORDS})
_NUMBER = re.compile(r"\d+")
_PARAGRAPH_ENDS = frozenset({"par", "sect", "page", "column"})
_PARAGRAPH_FORMATS = frozenset({"pard", "intbl", "cell", "nestcell", "row", "nestrow", "outlinelevel"})
_HEADING_STYLE = re.compile(r"(?:heading|제목|überschrift|titre)\s*([1-6])", re.IGNORECASE)
_BULLET = re.compile(r"[•·▪◦●○■□➢✓-]\t\s*")
_MOST_GROUPS = 10_000
_BODY_TEXT = 9
"""Outline level of text that is no heading."""


@dataclass(frozen=True, slots=True)
class _Format:
    """What a group inherits from the one around it."""

    target: str = "text"
    """Where text goes: `text`, `title`, `fonts`, `styles`, `list`, one of `_ASIDE`; `none` is left out."""
    font: int | None = None
    fallback: int = 1
    r"""Characters behind `\u` that are left out."""
    is_hidden: bool = False
    style: int = 0


@dataclass
class RichTextFile:
    """Reads one file into a writer.

    Args:
        writer: Gets the blocks.
    """

    writer: TextWriter
    title: str = ""
    """The title in the properties of the file."""
    _format: _Format = field(default_factory=_Format)
    _groups: list[_Format] = field(default_factory=list)
    _code_page: str = "cp1252"
    _fonts: dict[int, str] = field(default_factory=dict)
    _styles: dict[int, str] = field(default_factory=dict)
    _bytes: bytearray = field(default_factory=bytearray)
    _parts: list[str] = field(default_factory=list)
    """Text of the paragraph so far."""
    _cells: list[str] = field(default_factory=list)
    _items: list[Item] = field(default_factory=list)
    """Bullets that follow each other."""
    _rows: list[list[str]] = field(default_factory=list)
    _cell_lines: list[str] = field(default_factory=list)
    _label: list[str] = field(default_factory=list)
    _aside: list[str] = field(default_factory=list)
    _waiting: list[tuple[str, str]] = field(default_factory=list)
    """Notes and remarks of the paragraph or table so far: where each went, and its text."""
    _running: list[str] = field(default_factory=list)
    """Lines of headers and footers, each once."""
    _author: str = ""
    _notes: int = 0
    _outline: int | None = None
    _paragraph_style: int = 0
    _is_in_table: bool = False
    _skipped: int = 0
    _is_optional: bool = False

    def read(self, content: bytes) -> None:
        r"""Write the blocks of a file.

        Raises:
            DocumentDamagedError: It does not begin as RTF does, or nests too deep.
        """
        if not content.lstrip().startswith(b"{\\rtf"):
            raise DocumentDamagedError("it is no Rich Text file")
        for token in _TOKEN.finditer(content.decode("latin-1")):
            word, number, code, sign, brace, text = token.groups()
            if brace:
                self._open() if brace == "{" else self._close()
            elif word:
                self._control(word, None if number is None else int(number))
            elif code:
                self._add(bytes.fromhex(code))
            elif sign:
                self._sign(sign)
            elif text:
                self._add(text.encode("latin-1"))
            self._is_optional = sign == "*"
        self._end_paragraph()
        self._end_table()
        self._end_list()
        self._write_waiting()
        self.writer.end_sections()
        for line in self._running:
            self.writer.paragraph(line)

    def _open(self) -> None:
        if len(self._groups) >= _MOST_GROUPS:
            raise DocumentDamagedError("it nests too deep")
        self._flush()
        self._groups.append(self._format)
        self._skipped = 0

    def _close(self) -> None:
        self._flush()
        if self._format.target == "list":
            label = "".join(self._label).strip()
            self._label.clear()
            if any(char.isalnum() for char in label):
                self._parts.append(f"{label} ")
        if self._groups:
            ended, self._format = self._format.target, self._groups.pop()
            if ended in _ASIDE and self._format.target != ended:
                self._end_aside(ended)

    def _end_aside(self, target: str) -> None:
        text = _join_planes(self._aside)
        self._aside.clear()
        if target == "author":
            self._author = " ".join(text.split())
        elif target == "running":
            self._running += (
                line
                for line in map(str.strip, text.split("\n"))
                if line not in self._running and _says_something(line)
            )
        elif text:
            self._waiting.append((
                target,
                f"[^{self._notes}]: {text}" if target == "note" else comment_lead(self._author) + text,
            ))

    def _sign(self, sign: str) -> None:
        if sign in "\\{}":
            self._add(sign.encode())
        elif sign in "~_":
            self._add(b" " if sign == "~" else b"-")
        elif sign in "\r\n":
            self._control("par", None)

    def _control(self, word: str, number: int | None) -> None:  # noqa: C901, PLR0912 - a case for each control word
        if self._is_optional and word not in _OPTIONAL_TEXT:
            self._set(target="none")
            return
        match word:
            case "ansicpg" if number is not None:
                self._code_page = _known_page(f"cp{number}")
            case "f" if number is not None:
                self._set(font=number)
            case "fcharset" if self._format.target == "fonts" and number is not None:
                self._fonts[self._format.font or 0] = _CODE_PAGES.get(number, "")
            case "u" if number is not None:
                self._add_unicode(number)
            case "uc" if number is not None:
                self._set(fallback=max(number, 0))
            case "v" | "deleted":
                self._set(is_hidden=number != 0)
            case "plain":
                self._set(is_hidden=False)
            case _ if word in _TARGETS:
                self._set(target=_TARGETS[word])
            case "title" if self._format.target == "none":
                self._set(target="title")
            case _ if word in _ASIDE_WORDS:
                self._open_aside(_ASIDE_WORDS[word])
            case _ if self._format.target in _ASIDE and word in _PARAGRAPH_ENDS | _PARAGRAPH_FORMATS:
                self._put("\n")
            case "pard":
                self._outline, self._paragraph_style, self._is_in_table = None, 0, False
            case "s" if number is not None:
                self._set(style=number)
                if self._format.target == "text":
                    self._paragraph_style = number
            case "outlinelevel" if number is not None:
                self._outline = number
            case "intbl":
                self._is_in_table = True
            case "cell" | "nestcell":
                self._end_cell()
            case "row" | "nestrow":
                self._end_row()
            case _ if word in _PARAGRAPH_ENDS:
                if self._format.target == "text":
                    self._end_paragraph()
            case _ if word in _SIGNS:
                self._put(_SIGNS[word])
            case _ if word in _WITHOUT_TEXT:
                self._set(target="none")

    def _open_aside(self, target: str) -> None:
        if target == "note":
            self._notes += 1
            self._put(f"[^{self._notes}]")
        self._set(target=target)

    def _set(self, **changes: object) -> None:
        self._flush()
        self._format = replace(self._format, **changes)  # type: ignore[arg-type]

    def _add(self, content: bytes) -> None:
        if self._skipped:
            left_out = min(self._skipped, len(content))
            self._skipped -= left_out
            content = content[left_out:]
        self._bytes += content

    def _add_unicode(self, number: int) -> None:
        self._put(chr(number % 0x10000))
        self._skipped = self._format.fallback

    def _put(self, text: str) -> None:
        self._flush()
        if self._format.is_hidden:
            return
        match self._format.target:
            case "text":
                self._parts.append(text)
            case "list":
                self._label.append(text)
            case target if target in _ASIDE:
                self._aside.append(text)
            case "title":
                self.title += text
            case "styles":
                self._styles[self._format.style] = self._styles.get(self._format.style, "") + text

    def _flush(self) -> None:
        if self._bytes:
            page = self._fonts.get(self._format.font or 0) if self._format.font is not None else ""
            text = self._bytes.decode(page or self._code_page, errors="replace")
            self._bytes.clear()
            self._put(text)

    def _take(self) -> str:
        self._flush()
        text = _join_planes(self._parts)
        self._parts.clear()
        self._skipped = 0
        return text

    def _end_paragraph(self) -> None:
        text = self._take()
        if self._is_in_table:
            self._cell_lines.append(text)
            return
        self._end_table()
        if bullet := _BULLET.match(text):
            self._items.append(Item(text[bullet.end() :]))
            return
        if not text:
            return
        self._end_list()
        level = self._level()
        if level:
            self.writer.heading(level, text)
        else:
            self.writer.paragraph(text)
        self._write_waiting()

    def _write_waiting(self) -> None:
        """Write the notes and remarks that stand behind the paragraph, list or table that refers to them."""
        waiting, self._waiting = self._waiting, []
        for target, text in waiting:
            (self.writer.paragraph if target == "note" else self.writer.quote)(text)

    def _end_list(self) -> None:
        if self._items:
            self.writer.items(self._items)
            self._items = []
            self._write_waiting()

    def _level(self) -> int:
        if self._outline is not None:
            return self._outline + 1 if self._outline < _BODY_TEXT else 0
        found = _HEADING_STYLE.match(self._styles.get(self._paragraph_style, "").strip())
        return int(found[1]) if found else 0

    def _end_cell(self) -> None:
        self._cell_lines.append(self._take())
        self._cells.append(" ".join(line for line in self._cell_lines if line))
        self._cell_lines = []

    def _end_row(self) -> None:
        if self._cells:
            self._rows.append(self._cells)
            self._cells = []

    def _end_table(self) -> None:
        self._end_row()
        if self._cell_lines or self._rows:
            self._end_list()
        if self._cell_lines:
            self.writer.paragraph("\n".join(self._cell_lines))
            self._cell_lines = []
        if self._rows:
            self.writer.table(self._rows[0], self._rows[1:])
            self._rows = []
            self._write_waiting()


def _join_planes(parts: Sequence[str]) -> str:
    """Join parts of a text in which characters beyond the first plane are two numbers."""
    return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()


def _says_something(line: str) -> bool:
    """Return True for a line of a header or footer that does not only number the pages."""
    words, numbers = _NUMBER.subn(" ", line)
    return any(map(str.isalnum, words)) and not (numbers and is_page_label(words, numbers))


def _known_page(name: str) -> str:
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name
