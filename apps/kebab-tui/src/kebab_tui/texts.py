"""Text of the terminal: made safe, with marks, wrapped and cut to columns."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import is_normalized, normalize

from kebab_text import visible
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kebab_core import MatchedRange

PLAIN = Style()
QUIET = Style(dim=True)
STRONG = Style(bold=True)
MATCH = Style(bold=True, color="yellow")
CITED = Style(color="yellow")
GOOD = Style(color="green")
BAD = Style(color="red")
CHOSEN = Style(reverse=True)
LINK = Style(color="cyan")

CUT = ".."
"""Stands for what is left out; dots in one sign are of uncertain width."""
_TAB = 4
_CONSOLE = Console(width=80, file=None)
"""Only wraps and renders."""


def show(text: str, style: Style = PLAIN, *, marks: Iterable[tuple[int, int]] = ()) -> Text:
    """Return text without markup, escape sequences and control characters, safe to draw.

    Args:
        text: The text.
        style: Of all.
        marks: Ranges of code points to mark, half open and in order.
    """
    safe, at, parts = visible(text), 0, list[tuple[str, Style] | str]()
    for start, end in marks:
        parts += [_compose(safe[at:start]), (_compose(safe[max(start, at) : end]), MATCH)]
        at = max(end, at)
    shown = Text.assemble(*parts, _compose(safe[at:]), style=style, end="", no_wrap=True)
    if "\t" in text:
        shown.expand_tabs(_TAB)
    return shown


def _compose(text: str) -> str:
    """Return text in NFC: names of files on a Mac are decomposed, and not every terminal composes them."""
    return text if is_normalized("NFC", text) else normalize("NFC", text)


def ranges(matched: Iterable[MatchedRange]) -> list[tuple[int, int]]:
    """Return ranges as `show` takes them."""
    return [(each.start, each.end) for each in matched]


def join(*parts: Text | str) -> Text:
    """Concatenate texts."""
    joined = Text(end="", no_wrap=True)
    for part in parts:
        joined.append(part)
    return joined


def wrap(text: Text, width: int) -> list[Text]:
    """Cut a text into lines of a width at most, at spaces where that is possible."""
    plain = text.plain
    if "\n" not in plain and (2 * len(plain) <= width or text.cell_len <= width):
        return [text]
    lines = text.wrap(_CONSOLE, max(width, 2), overflow="fold", no_wrap=False)
    for line in lines:
        line.rstrip()
    return list(lines)


def fit(text: Text, width: int, *, right: Text | None = None) -> Text:
    """Return a text as one line: cut to a width, with another at the right end."""
    room = width - (right.cell_len + 1 if right else 0)
    line = text.copy()
    line.truncate(max(room, 0), overflow="crop", pad=bool(right))
    if right and room >= 0:
        line.append(" ")
        line.append_text(right)
    line.truncate(max(width, 0), overflow="crop")
    return line


def squeeze(text: Text, width: int) -> Text:
    """Return a text of a width at most; of a longer one the middle is left out: the end of an address says where in the file."""
    if text.cell_len <= width:
        return text
    room, plain = max(width - len(CUT), 0), text.plain
    start, at = text.copy(), len(plain)
    start.truncate(room // 3, overflow="crop")
    room -= start.cell_len
    while at and (room := room - cell_len(plain[at - 1])) >= 0:
        at -= 1
    return join(start, Text(CUT, text.style), text[at:])


def to_strip(text: Text, width: int) -> Strip:
    """Return a text as a row of a width."""
    segments = [Segment(each.text, each.style or PLAIN) for each in text.render(_CONSOLE)]
    return Strip(segments).adjust_cell_length(width, PLAIN).simplify()
