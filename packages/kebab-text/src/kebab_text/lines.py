"""Kinds of lines of a passage: prose, item of a list, row of a table, code, heading; label fields.

Label fields are lines with tags, keywords, aliases, authors and their like, as notes have them in their front matter. Their words find a
note, but they are no statement about it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from io import StringIO
from itertools import groupby
from typing import NamedTuple

_NAMES = (
    ("tags", "tag", "태그"),
    ("keywords", "keyword", "키워드"),
    ("aliases", "alias", "별칭"),
    ("categories", "category", "카테고리", "분류"),
    ("authors", "author", "written", "wrote", "저자", "작성자", "작성", "지은이"),
    ("cssclasses", "cssclass"),
    ("layout", "레이아웃"),
    ("toc", "목차"),
)
"""Names of each, as a key and in a question. A longer one stands before its beginning."""
_NAMES_BY_KEY = {name: names for names in _NAMES for name in names}
_WORD = re.compile(r"[a-z]+|[가-힣]+")
LABEL_FIELD = re.compile(
    rf"""^[ \t]*["']?(?P<name>{"|".join(_NAMES_BY_KEY)})["']?[ \t]*:(?:[ \t]+\S.*|[ \t]*(?:\n[ \t]*-[ \t].*)*)(?<![.!?])$""",
    re.IGNORECASE | re.MULTILINE,
)
"""A key with its value in the same line, or as a list of YAML below it. A value that ends as a sentence is text."""


class SentenceKind(StrEnum):
    """The kind of text that a sentence is part of."""

    PROSE = "prose"
    ITEM = "item"
    """An item of a list, marker included; one of several sentences gives several."""
    ROW = "row"
    """A row of a table with all its cells."""
    CODE = "code"
    """A line of code."""
    HEADING = "heading"


class Line(NamedTuple):
    """A line without its line end: offsets in the passage, half open, and its kind."""

    start: int
    end: int
    kind: SentenceKind
    opens: bool
    """True for the first line of a unit; any other line continues the unit of the line before."""


ITEM_MARKER = re.compile(r"[ \t]*(?:[-*+•‣◦▪·]|\(?\d{1,3}[.)]|[①-⑳]|[가-하][.)])[ \t]+(?=\S)")
_LABEL = re.compile(r"[ \t]*(?:#{1,6}[ \t]+\S|/{3,}(?:[ \t]+\w|\s*$)|:{3,}|!{3}[ \t]+\w|={3,}\s*$|-{3,}\s*$)")
"""Headings, and the lines that open and close boxes or underline; they say nothing by themselves."""
_STATES = re.compile(r"\d|[:：]\s*\S")
"""Signs that a line says something, and does not only name what follows it."""
_UNDERLINE = re.compile(r"[ \t]*([^\w\s])\1{2,}[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_CELL_BORDER = re.compile(r"(?<!\|) ?\| ?(?!\|)")
_CODE_LINE = re.compile(
    r"""^(?:[ ]{4,}\S|[ ]*\t[ \t]*\S)|^[ \t]*(?:
      (?:def|class|import|from|return|async|await|public|private|static|const|let|var|func|fn|struct|enum|package
        |use|using|namespace|elif|else|try|except|finally|while|for|if|switch|case|template|export|impl|pub)\b
        .*[{};:()=,]\s*$
      |(?:import|from|using|namespace|package)[ ]\S+(?:[ ](?:import|as)[ ].+)?;?$
      |[$%>]{1,3}[ ]\S | \#[ ]?include\b | \#!/ | //|/\*|\*/ |@\w+(?:\(.*\))?$ | [{}()\[\];]+[,;]?$
      |[\w.\[\]"']+\s*(?:=|:=|\+=|<-|->)\s*\S(?:.*[^.!?])?$ | [\w.:]+\([^()]*(?:\([^()]*\)[^()]*)*\)[;{,]?$ | .*[;{}]\s*$ | </?\w[^>]*>
      |-{1,2}\w[\w-]*(?:[ =]|$) | return[ ]\S+$
    )""",
    re.VERBOSE,
)
_MAX_CODE_LINE = 200
_CODE_SHARE = 0.6
"""Share of the lines of a block, outside lists and tables, that must look like code."""


def split_lines(text: str) -> list[str]:
    r"""Split a text into lines at `\r\n`, `\n` and `\r` only, as Markdown does; line ends stay on their lines."""
    return StringIO(text, newline="").readlines()


def read_lines(text: str, *, labels: Collection[str] = (), is_code: bool = False) -> list[Line]:
    """Classify the lines of a passage that are not blank, in order.

    Chunks hold code without fences and tables without borders, so both are told by what their lines look like.

    Args:
        text: The passage.
        labels: Title and headings; a line that is one of them is a heading, unless it states a number or field
            right above another line, as the first line of a note does.
        is_code: The passage is known to be source code.
    """
    names = {_plain(label) for label in labels if label.strip()}
    lines: list[Line] = []
    for block in _blocks(text):
        if is_code:
            lines += [Line(start, end, SentenceKind.CODE, opens=True) for start, end in block]
        else:
            lines += _block_lines(text, block, names)
    return lines


def holds_only_labels(text: str, labels: Collection[str]) -> bool:
    """Return True if every line of a text is one of some labels, as in a note of one line, which is its title too."""
    names = {_plain(label) for label in labels}
    return all(_plain(line) in names for line in text.splitlines() if line.strip())


def _plain(label: str) -> str:
    return " ".join(label.lstrip("# \t").rstrip("# \t").lower().split())


def _blocks(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the lines between blank ones; a fence and all it encloses is one block."""
    block: list[tuple[int, int]] = []
    fence = ""
    end = -1
    for line in text.split("\n"):
        start, end = end + 1, end + 1 + len(line)
        opened = _FENCE.match(line)
        if opened and not fence and text.find(opened[1], end) >= 0:
            if block:
                yield block
            block, fence = [], opened[1]
        elif not line.strip() and not fence:
            if block:
                yield block
            block = []
            continue
        if line.strip():
            block.append((start, end))
        if fence and opened and len(block) > 1 and line.strip().startswith(fence):
            yield block
            block, fence = [], ""
    if block:
        yield block


def _block_lines(text: str, block: Sequence[tuple[int, int]], names: set[str]) -> list[Line]:
    written = [text[start:end] for start, end in block]
    if _FENCE.match(written[0]) or _is_code(written):
        return [Line(start, end, SentenceKind.CODE, opens=True) for start, end in block]
    rows = _row_flags(written)
    lines: list[Line] = []
    kind, is_label = SentenceKind.PROSE, False
    below = [*written[1:], ""]
    for (start, end), line, after, is_row in zip(block, written, below, rows, strict=True):
        states = after and not _UNDERLINE.fullmatch(after) and _plain(line) in names and _STATES.search(line)
        found = _kind_of(line, is_row=is_row, names=() if states else names)
        goes_on = found is SentenceKind.PROSE and kind in {SentenceKind.PROSE, SentenceKind.ITEM}
        was_label, is_label = is_label, bool(states or LABEL_FIELD.match(line))
        opens = not (goes_on and lines) or (kind is SentenceKind.ITEM and not line[:1].isspace())
        opens = opens or is_label or was_label
        kind = kind if goes_on and not opens else found
        lines.append(Line(start, end, kind, opens))
    return lines


def _kind_of(line: str, *, is_row: bool, names: Collection[str]) -> SentenceKind:
    if _LABEL.match(line) or _plain(line) in names:
        return SentenceKind.HEADING
    if is_row:
        return SentenceKind.ROW
    return SentenceKind.ITEM if ITEM_MARKER.match(line) else SentenceKind.PROSE


def _is_code(lines: Sequence[str]) -> bool:
    plain = [line for line in lines if not ITEM_MARKER.match(line) and " | " not in line]
    looks = sum(1 for line in plain if len(line) <= _MAX_CODE_LINE and _CODE_LINE.match(line))
    if len(plain) < len(lines) or all(_LABEL.match(line) for line in lines):
        return False
    return looks >= _CODE_SHARE * len(plain)


def _row_flags(lines: Sequence[str]) -> list[bool]:
    """Flag the lines that are rows: framed by bars, or next to another line with as many bars between its cells."""
    borders = [len(_CELL_BORDER.findall(line)) if "|" in line else 0 for line in lines]
    flags: list[bool] = []
    for count, run in groupby(borders):
        length = len(list(run))
        flags += [count > 0 and length > 1] * length
    return [
        flag or (line.strip()[:1] == "|" == line.strip()[-1:] and count > 1)
        for flag, line, count in zip(flags, lines, borders, strict=True)
    ]


class LabelField(NamedTuple):
    """A label field: offsets in the passage, half open, and its names in English and Korean."""

    start: int
    end: int
    names: tuple[str, ...]

    def is_named_in(self, text: str) -> bool:
        """Return True if a word of a text begins with one of its names."""
        return any(word.startswith(self.names) for word in _WORD.findall(text.lower()))


def find_label_fields(text: str) -> Iterator[LabelField]:
    """Yield the label fields of a passage, in order."""
    for found in LABEL_FIELD.finditer(text):
        yield LabelField(found.start(), found.end(), _NAMES_BY_KEY[found["name"].lower()])
