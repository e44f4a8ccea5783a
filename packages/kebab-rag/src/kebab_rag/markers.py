"""Markers: `[#1]` to `[#999]`, by which a model names the passage that a statement rests on.

Nothing else is a marker, so footnotes (`[1]`), link references and code (`vec![1]`) never pass for a citation. People
and programs are shown `[1]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MARKER = re.compile(r"\[#([1-9][0-9]{0,2})\]")
_WITH_BLANKS = re.compile(r"(?:(?<![ \t])[ \t]++)?" + MARKER.pattern)


def find_markers(text: str) -> tuple[int, ...]:
    """Return the numbers of the markers in a text, in order of first use, each once."""
    return tuple(dict.fromkeys(int(match[1]) for match in MARKER.finditer(text)))


def show_markers(text: str) -> str:
    """Return the text with its markers as they are shown: `[#n]` as `[n]`."""
    return MARKER.sub(r"[\1]", text)


def strip_markers(text: str) -> str:
    """Return the text without markers and the blanks before them."""
    return _WITH_BLANKS.sub("", text)


class Piece(NamedTuple):
    """A piece of a shown text: words, or one marker."""

    text: str
    marker: int | None
    """Number of the marker; None for words."""


def split_markers(text: str) -> Iterator[Piece]:
    """Yield the words and markers of a text in order, as they are shown. Words are never empty."""
    start = 0
    for match in MARKER.finditer(text):
        if match.start() > start:
            yield Piece(text[start : match.start()], None)
        yield Piece(f"[{match[1]}]", int(match[1]))
        start = match.end()
    if start < len(text):
        yield Piece(text[start:], None)
