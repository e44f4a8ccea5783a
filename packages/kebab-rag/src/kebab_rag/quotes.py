"""Whether quoted words stand in the passage they are credited to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kebab_rag.fencing import BAR, clean_text, drop_hidden
from kebab_rag.markers import MARKER

_MARKERS = re.compile(rf"(?:{MARKER.pattern}[ \t]*)+")
_MARKS = {'"': '"', "“": "”", "「": "」", "『": "』", "«": "»", "„": "“”", "＂": "＂"}
_CLOSING = {mark: re.compile(f"[{signs}]") for mark, signs in _MARKS.items()}
"""By opening mark, what closes a quotation."""
_OPENING = re.compile(f"[{''.join(_CLOSING)}]")
_LINE_START = re.compile(rf"\n[ \t]*{re.escape(BAR)}")
_TRAILING = " .,;:!?…。、"


class Quotation(NamedTuple):
    """Quoted words and the passages that are said to hold them."""

    text: str
    markers: tuple[int, ...]


def find_quoted(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where quotations begin and end, in order and one outside of the other; none is empty.

    Linear in the text: a mark that nothing closes is not looked for again.

    Args:
        text: Any text.
        start: Where to begin.
        end: Where to stop; what is not closed before is no quotation.

    Yields:
        Offsets of the opening and the closing mark.
    """
    unclosed = set[str]()
    while opening := _OPENING.search(text, start, end):
        start, mark = opening.end(), opening[0]
        if mark in unclosed:
            continue
        closing = _CLOSING[mark].search(text, start, end)
        if closing is None:
            unclosed.add(mark)
        elif closing.start() > start:
            yield opening.start(), closing.start()
            start = closing.end()


def find_quotations(answer: str) -> Iterator[Quotation]:
    """Yield what stands in quotation marks before a marker, back to the marker before.

    Markers that stand side by side count as one that names several passages.
    """
    start = 0
    for group in _MARKERS.finditer(answer):
        markers = tuple(int(match[1]) for match in MARKER.finditer(group[0]))
        for opening, closing in find_quoted(answer, start, group.start()):
            yield Quotation(text=answer[opening + 1 : closing], markers=markers)
        start = group.end()


def misquoted(answer: str, passages: Mapping[int, str]) -> tuple[Quotation, ...]:
    """Return the quotations that none of their passages holds.

    White space and NFC are folded, and punctuation at the end of a quotation is the quoting sentence's own.

    Args:
        answer: What the model said, with its markers.
        passages: The text of each passage by its marker.
    """
    return tuple(
        quotation
        for quotation in find_quotations(answer)
        if not any(occurs(quotation.text, passages.get(marker, "")) for marker in quotation.markers)
    )


def occurs(quoted: str, passage: str) -> bool:
    """Return whether a passage holds a text, or each of its lines, as it is stored or as a prompt shows it.

    Rows of a table that are no neighbours are printed below each other, and marks for inches stand in several.
    """
    lines = [line for line in quoted.splitlines() if fold(line).strip(_TRAILING)]
    return _occurs(quoted, passage) or (len(lines) > 1 and all(_occurs(line, passage) for line in lines))


def _occurs(quoted: str, passage: str) -> bool:
    words = fold(_LINE_START.sub("\n", quoted))
    wanted = {words, words.rstrip(_TRAILING)}
    held = (fold(passage), fold(clean_text(passage)))
    return any(text in each for each in held for text in wanted)


def fold(text: str) -> str:
    """Return a text in NFC without hidden characters, its white space as single blanks."""
    return " ".join(unicodedata.normalize("NFC", drop_hidden(text)).split())
