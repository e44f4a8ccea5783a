"""Markers: how a model says which passage a statement rests on.

`[#1]` to `[#999]` and nothing else, so that footnotes (`[1]`), link references and code (`vec![1]`) never pass for a
citation. People and programs are shown `[1]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MARKER = re.compile(r"\[#([1-9][0-9]{0,2})\]")
_UNFINISHED = re.compile(r"\[(?:#[0-9]{0,3})?\Z")
_WITH_BLANKS = re.compile(r"(?:(?<![ \t])[ \t]++)?" + MARKER.pattern)


def find_markers(text: str) -> tuple[int, ...]:
    """Return the numbers of the markers in a text, in order of first use, each once."""
    return tuple(dict.fromkeys(int(match[1]) for match in MARKER.finditer(text)))


def show_markers(text: str) -> str:
    """Return the text as it is shown: `[#n]` as `[n]`."""
    return MARKER.sub(r"[\1]", text)


def strip_markers(text: str) -> str:
    """Return the text without markers and the blanks before them."""
    return _WITH_BLANKS.sub("", text)


class Piece(NamedTuple):
    """A piece of a text as it is shown: words, or one marker."""

    text: str
    marker: int | None
    """Its number; None for words."""


def split_markers(text: str) -> Iterator[Piece]:
    """Yield words and markers in turn, as they are shown; words are never empty."""
    start = 0
    for match in MARKER.finditer(text):
        if match.start() > start:
            yield Piece(text[start : match.start()], None)
        yield Piece(f"[{match[1]}]", int(match[1]))
        start = match.end()
    if start < len(text):
        yield Piece(text[start:], None)


class MarkerStream:
    """Finds the markers in a text that comes in pieces, however they are cut.

    What may turn out to be a marker is held back until it is clear; all that comes out together is `show_markers` of
    all that went in.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, delta: str) -> Iterator[Piece]:
        """Return what can be shown by now."""
        text = self._held + delta
        unfinished = _UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return split_markers(text[:end])

    def flush(self) -> Iterator[Piece]:
        """Return what is still held back: the stream is over."""
        held, self._held = self._held, ""
        return split_markers(held)
