"""A passage cut into sentences, each a slice of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from kebab_extractive.breaks import find_breaks
from kebab_extractive.graphemes import continues_grapheme
from kebab_extractive.layout import ITEM_MARKER, Line, SentenceKind, read_lines

__all__ = ["Sentence", "SentenceKind", "split_sentences"]

MAX_SENTENCE = 600
"""Code points of a sentence; what is longer is cut at white space."""
_WHOLE_LINES = frozenset({SentenceKind.ROW, SentenceKind.CODE, SentenceKind.HEADING})


class Sentence(NamedTuple):
    """A slice of a passage: code points, half open, without white space at its ends."""

    start: int
    end: int
    kind: SentenceKind


def split_sentences(text: str, *, labels: Collection[str] = (), is_code: bool = False) -> list[Sentence]:
    """Return the sentences of a passage in order.

    They do not overlap, none is empty, none cuts what readers see as one character, and together they cover
    everything but white space. A sentence may go on over the end of a line; items of lists, rows of tables and lines
    of code are sentences of their own. Takes time in proportion to the length.

    Args:
        text: The passage; any text will do.
        labels: Title and headings; a line that is one of them is a heading.
        is_code: The passage is known to be source code.
    """
    return [
        Sentence(start, end, kind)
        for unit_start, unit_end, kind in _units(read_lines(text, labels=labels, is_code=is_code))
        for start, end in _ranges(text, (unit_start, unit_end), kind)
    ]


def _units(lines: list[Line]) -> Iterator[tuple[int, int, SentenceKind]]:
    """Yield what may hold several sentences: a paragraph, an item, a row, a line of code, a heading."""
    for position, line in enumerate(lines):
        if position and not line.opens:
            continue
        last = position
        while last + 1 < len(lines) and not lines[last + 1].opens:
            last += 1
        yield line.start, lines[last].end, line.kind


def _ranges(text: str, within: tuple[int, int], kind: SentenceKind) -> Iterator[tuple[int, int]]:
    marker = ITEM_MARKER.match(text, *within) if kind is SentenceKind.ITEM else None
    text_start = marker.end() if marker else within[0]
    breaks = [] if kind in _WHOLE_LINES else find_breaks(text, (text_start, within[1]))
    start = within[0]
    for end in (*breaks, within[1]):
        if end < within[1] and continues_grapheme(text[end - 1], text[end]):
            continue
        for piece in _bounded(text, start, end):
            trimmed = _trim(text, *piece)
            if trimmed[0] < trimmed[1]:
                yield trimmed
        start = end


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > MAX_SENTENCE:
        cut = _cut(text, start, start + MAX_SENTENCE)
        yield start, cut
        start = cut
    yield start, end


def _cut(text: str, start: int, limit: int) -> int:
    blanks = (at for at in range(limit, start + MAX_SENTENCE // 2, -1) if text[at - 1].isspace())
    cut = next((at for at in blanks if not continues_grapheme(text[at - 1], text[at])), limit)
    while cut > start + 1 and continues_grapheme(text[cut - 1], text[cut]):
        cut -= 1
    return cut if cut > start + 1 else limit


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace() and not _carries_mark(text, start, end):
        start += 1
    return start, end


def _carries_mark(text: str, start: int, end: int) -> bool:
    return start + 1 < end and continues_grapheme(text[start], text[start + 1])
