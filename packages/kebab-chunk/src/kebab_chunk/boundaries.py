"""Places where a text may be cut, best first, as pure functions on offsets. `packing` cuts large pieces with them."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from kebab_core import TokenCounter, continues_character

TextKind = Literal["prose", "code"]

_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_CODE_BLANK_LINE = re.compile(r"\n(?:[ \t]*\n)+")
_LINE_END = re.compile(r"\n")
_SENTENCE_END = re.compile(r"""[.!?…](?:["'”’»)\]」』]*)\s+|[。！？](?:["'”’»)\]」』]*)\s*""")
_TEXT_STYLE = "\ufe0e"

BOUNDARIES: dict[TextKind, tuple[re.Pattern[str], ...]] = {
    "prose": (_BLANK_LINE, _SENTENCE_END, _LINE_END),
    "code": (_CODE_BLANK_LINE, _LINE_END),
}
"""Patterns that end where a text may be cut, best first. Korean sentences end in a full stop as English ones do."""

Range = tuple[int, int]
"""Start and end of a part of a text: offsets in code points, half open."""


class TextLimit(NamedTuple):
    """The largest text of a passage or of a part of one. What is a prefix of a text that fits does, too."""

    counter: TokenCounter
    tokens: int
    lead: str = ""
    """Text that is repeated before it and counts."""

    def fits(self, text: str) -> bool:
        """Return True if a text is short enough."""
        return self.counter.count(self.lead + text) <= self.tokens


def cut_ranges(text: str, within: Range, pattern: re.Pattern[str]) -> list[Range]:
    """Return the parts of a range, cut after each match of a pattern; in order, none empty, together `within`."""
    start, end = within
    ranges: list[Range] = []
    for match in pattern.finditer(text, start, end):
        if match.end() > start:
            ranges.append((start, match.end()))
            start = match.end()
    if start < end:
        ranges.append((start, end))
    return ranges


def trim_range(text: str, within: Range, kind: TextKind) -> Range:
    """Return the range without white space at its ends. Code keeps the indent of its first line."""
    start, end = within
    while end > start and text[end - 1].isspace():
        end -= 1
    first_visible = start
    while first_visible < end and text[first_visible].isspace():
        first_visible += 1
    if kind == "prose":
        return first_visible, end
    return max(start, text.rfind("\n", start, first_visible) + 1), end


def longest_prefix(text: str, within: Range, limit: TextLimit) -> int:
    """Return the end of the longest prefix that fits, at least one character long.

    The end moves back to white space if the second half of the prefix has some, else to the beginning of a grapheme.
    """
    start, end = within
    good, size = start, 256
    while good < end and limit.fits(text[start : min(start + size, end)]):
        good = min(start + size, end)
        size *= 2
    if good == end:
        return end
    bad = min(start + size, end)
    while bad - good > 1:
        middle = (good + bad) // 2
        if limit.fits(text[start:middle]):
            good = middle
        else:
            bad = middle
    return _retreat(text, start, max(good, start + 1))


def _retreat(text: str, start: int, end: int) -> int:
    blank = next((at for at in range(end, start + (end - start) // 2, -1) if text[at - 1].isspace()), None)
    if blank is not None:
        return blank
    whole = end
    while start < whole < len(text) and _continues(text[whole - 1], text[whole]):
        whole -= 1
    return whole if whole > start else end


def _continues(before: str, char: str) -> bool:
    return char == _TEXT_STYLE or continues_character(before, char)
