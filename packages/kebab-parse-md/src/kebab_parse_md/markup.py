"""Headings of markup that is read line by line: Org, reStructuredText, AsciiDoc, LaTeX, Typst, wikis, Textile.

Only headings are understood, so that every line is text under its section and no word of it is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kebab_core import TextFormat

_LEAST_UNDERLINE = 2


class Heading(NamedTuple):
    """A heading with the number of its lines."""

    level: int
    """From 1; deeper than 6 counts as 6."""
    text: str
    lines: int = 1


class TextPart(NamedTuple):
    """Lines that belong together: a heading, or text without one."""

    line: int
    """Of the first line, from 1."""
    lines: Sequence[str]
    heading: Heading | None = None


FindHeading = Callable[[Sequence[str], int], Heading | None]
"""Reads the heading that begins at an index of some lines; None if none does."""


@dataclass
class MarkupReader:
    """Splits the paragraphs of one text at its headings. Called with all paragraphs in order."""

    format: TextFormat
    _literal_end: str | None = None
    """What ends the code or comment in which headings are none; None outside of it."""
    _find: FindHeading = field(init=False)

    def __post_init__(self) -> None:
        self._find = Underlines().find if self.format == "rst" else _FINDERS[self.format]

    def split(self, first: int, lines: Sequence[str]) -> Iterator[TextPart]:
        """Yield the parts of a paragraph.

        Args:
            first: Number of its first line.
            lines: Its lines.
        """
        start = at = 0
        while at < len(lines):
            found = None if self._is_literal(lines[at]) else self._find(lines, at)
            if found is None:
                at += 1
                continue
            if at > start:
                yield TextPart(first + start, lines[start:at])
            start = at + found.lines
            yield TextPart(first + at, lines[at:start], found)
            at = start
        if start < len(lines):
            yield TextPart(first + start, lines[start:])

    def _is_literal(self, line: str) -> bool:
        """Whether a line is part of code or of a comment, the lines that begin and end it included."""
        shown = line.strip().lower()
        if self._literal_end is not None:
            is_end = self._literal_end == shown if len(set(shown)) == 1 else self._literal_end in shown
            if is_end:
                self._literal_end = None
            return True
        begin, end = _LITERALS.get(self.format, (None, ""))
        found = begin.match(line) if begin else None
        if found is None:
            return False
        end = end.format(found[1]).lower()
        if end not in shown[found.end() :]:
            self._literal_end = end
        return True


_LITERALS: Mapping[TextFormat, tuple[re.Pattern[str], str]] = {
    "org": (re.compile(r"\s*#\+begin_(\w+)", re.IGNORECASE), "#+end_{}"),
    "asciidoc": (re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3})[\w,=+-]*$"), "{}"),
    "latex": (re.compile(r"\s*\\begin\{(verbatim\*?|Verbatim|lstlisting|minted|comment)\}"), "\\end{{{}}}"),
    "typst": (re.compile(r"\s*(`{3,})[^`]*$"), "{}"),
    "wiki": (re.compile(r"\s*<(pre|nowiki|source|syntaxhighlight)\b", re.IGNORECASE), "</{}>"),
}
"""What begins code or a comment, and what then ends it, in the same line or a later one."""


def _marked(pattern: re.Pattern[str]) -> FindHeading:
    """Return the finder of headings of one line: group 1 is as long as the level, group 2 the text."""

    def find(lines: Sequence[str], at: int) -> Heading | None:
        found = pattern.fullmatch(lines[at])
        return Heading(len(found[1]), found[2].strip()) if found else None

    return find


_TEXTILE = re.compile(r"h([1-6])(?:[({\[][^.]{0,80})?\.\s+(\S.*)")
_LATEX = re.compile(
    r"\s*\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|frametitle|begin\{frame\})\*?\s*(?:\[[^\]]*\])?\s*\{(.*)"
)
_LATEX_LEVELS = {
    "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6,
    "frametitle": 4, "begin{frame}": 4,
}  # fmt: skip
_LATEX_REST = re.compile(r"(?:\s*\\label\{[^}]*\})?[\s}]*(?:%.*)?")
_LATEX_COMMAND = re.compile(r"\\[A-Za-z]+\*?|[{}]")


def _find_textile(lines: Sequence[str], at: int) -> Heading | None:
    found = _TEXTILE.fullmatch(lines[at])
    return Heading(int(found[1]), found[2].strip()) if found else None


def _find_latex(lines: Sequence[str], at: int) -> Heading | None:
    r"""Read `\section{…}`, or the title of a slide, on a line of its own; one with text behind it stays text, so that none is lost."""
    found = _LATEX.match(lines[at])
    if found is None:
        return None
    depth, end = 1, len(found[2])
    for place, char in enumerate(found[2]):
        depth += (char == "{") - (char == "}")
        if depth == 0:
            end = place
            break
    if depth or not _LATEX_REST.fullmatch(found[2], end + 1):
        return None
    text = " ".join(_LATEX_COMMAND.sub(" ", found[2][:end]).split())
    return Heading(_LATEX_LEVELS[found[1]], text)


class Underlines:
    """Headings of reStructuredText: titles with a line of one sign below, or above and below; levels by first use."""

    def __init__(self) -> None:
        self._levels: list[tuple[str, bool]] = []

    def find(self, lines: Sequence[str], at: int) -> Heading | None:
        """Read the heading that begins at a line."""
        sign = _sign_of(lines[at])
        if sign and at + 2 < len(lines) and _sign_of(lines[at + 2]) == sign:
            return self._heading(lines[at + 1], lines[at], sign, is_over=True)
        if not sign and at + 1 < len(lines) and (below := _sign_of(lines[at + 1])):
            return self._heading(lines[at], lines[at + 1], below, is_over=False)
        return None

    def _heading(self, title: str, line: str, sign: str, *, is_over: bool) -> Heading | None:
        text = title.strip()
        if not text or _sign_of(title) or len(line) < len(text) or (title[0].isspace() and not is_over):
            return None
        if (sign, is_over) not in self._levels:
            self._levels.append((sign, is_over))
        return Heading(self._levels.index((sign, is_over)) + 1, text, 3 if is_over else 2)


def _sign_of(line: str) -> str:
    """Return the sign that a line consists of; empty if it is no such line."""
    line = line.rstrip()
    is_underline = len(line) >= _LEAST_UNDERLINE and line == line[0] * len(line)
    return line[0] if is_underline and line[0].isascii() and not line[0].isalnum() else ""


_FINDERS: Mapping[TextFormat, FindHeading] = {
    "org": _marked(re.compile(r"(\*+)[ \t]+(\S.*)")),
    "asciidoc": _marked(re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?")),
    "latex": _find_latex,
    "typst": _marked(re.compile(r"(={1,6})[ \t]+(\S.*)")),
    "wiki": _marked(re.compile(r"(={1,6})[ \t]*([^=\s](?:.*[^=\s])?)[ \t]*=+")),
    "textile": _find_textile,
}
_TITLES: Mapping[TextFormat, re.Pattern[str]] = {
    "org": re.compile(r"^#\+title:[ \t]*(\S.*)$", re.MULTILINE | re.IGNORECASE),
    "latex": re.compile(r"^[^%\n]*\\title\s*(?:\[[^\]]*\])?\s*\{((?:[^{}]|\{[^{}]*\})+)\}", re.MULTILINE),
    "typst": re.compile(r'#set\s+document\([^)]*?title:\s*"([^"]+)"'),
    "diagram": re.compile(r"^[ \t]*title:?[ \t]+(\S.*)$", re.MULTILINE),
}
MARKUP_FORMATS = frozenset({"rst", *_FINDERS})
"""Formats of which headings are understood."""


def find_stated_title(name: TextFormat, opening: str) -> str:
    """Return the title that a text states at its beginning, empty if it states none.

    Args:
        name: Its format.
        opening: Its first lines.
    """
    pattern = _TITLES.get(name)
    found = pattern.search(opening) if pattern else None
    if found is None:
        return ""
    text = _LATEX_COMMAND.sub(" ", found[1].replace("\\\\", " ")) if name == "latex" else found[1]
    return " ".join(text.split())
