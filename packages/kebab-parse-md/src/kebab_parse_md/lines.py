"""Document text as the parsers see it, with the lines of its file."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_NEWLINE = re.compile(r"\r\n?|\n")
_MARKS = range(0x300, 0x1E94B)
"""Where Unicode has its combining marks."""
_MOST_MARKS = 30
"""Marks on one letter that normalisation is asked to sort, whose time grows with their square (UAX #15, D4)."""
_MAY_BE_MARKS = re.compile(rf"[^\x00-\u02ff\u3400-\u9fff\uac00-\ud7a3]{{{_MOST_MARKS}}}")
"""Cheap to look for in Korean, Latin and Han; the exact pattern takes 300 ms a megabyte."""
_JOINER = "\N{COMBINING GRAPHEME JOINER}"
_BLANK_EDGES = re.compile(r"(?:(?<![ \t])[ \t]++)?\n[ \t]*")


def normalize_text(text: str) -> str:
    r"""Return the text in NFC with `\n` after every line, and U+FFFD in place of control characters.

    Tabs, form feeds and U+0085 separate words and stay; other control characters say nothing to a reader, drive
    terminals and end strings early.

    Lines are ended by CRLF, CR or LF and by nothing else (CommonMark 2.1): form feeds, U+0085 and U+2028 are part
    of a line, unlike in `str.splitlines`. The number of lines stays the same. After every 30 combining marks in a
    row, which no language has, stands an invisible joiner: the Stream-Safe Text Format of UAX #15.
    """
    if "\r" in text:
        text = _NEWLINE.sub("\n", text)
    if _MAY_BE_MARKS.search(text):
        text = _many_marks().sub(rf"\g<0>{_JOINER}", text)
    return unicodedata.normalize("NFC", _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))


@cache
def _many_marks() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in _MARKS if unicodedata.combining(chr(code)))
    return re.compile(f"[{marks}]{{{_MOST_MARKS}}}")


def trim_line_edges(text: str) -> str:
    """Return the text without blanks around its line ends."""
    return _BLANK_EDGES.sub("\n", text).strip() if "\n" in text else text.strip()


def trim_span(lines: list[str], *, start: int, end: int) -> int:
    """Return `end` (0-based, exclusive) moved up over blank lines, at least `start + 1`."""
    while end > start + 1 and not lines[min(end, len(lines)) - 1].strip():
        end -= 1
    return end
