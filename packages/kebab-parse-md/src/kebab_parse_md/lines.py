"""Document text as the parsers see it, with the lines of its file."""

from __future__ import annotations

import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_NEWLINE = re.compile(r"\r\n?|\n")
_BLANK_EDGES = re.compile(r"[ \t]*\n[ \t]*")


def normalize_text(text: str) -> str:
    r"""Return the text in NFC with `\n` after every line, and U+FFFD in place of control characters.

    Tabs, form feeds and U+0085 separate words and stay; other control characters say nothing to a reader, drive
    terminals and end strings early.

    Lines are ended by CRLF, CR or LF and by nothing else (CommonMark 2.1): form feeds, U+0085 and U+2028 are part
    of a line, unlike in `str.splitlines`. The number of lines stays the same.
    """
    if "\r" in text:
        text = _NEWLINE.sub("\n", text)
    return unicodedata.normalize("NFC", _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))


def trim_line_edges(text: str) -> str:
    """Return the text without blanks around its line ends."""
    return _BLANK_EDGES.sub("\n", text).strip() if "\n" in text else text.strip()


def trim_span(lines: list[str], *, start: int, end: int) -> int:
    """Return `end` (0-based, exclusive) moved up over blank lines, at least `start + 1`."""
    while end > start + 1 and not lines[min(end, len(lines)) - 1].strip():
        end -= 1
    return end
