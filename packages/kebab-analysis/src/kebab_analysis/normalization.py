"""NFC normalization that keeps the offsets of the text as given."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

_FULL_WIDTH = re.compile("[\uff01-\uff5e]")
_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_FIRST_COMBINING = "\u0300"
"""No character before it ever composes with what precedes it."""
_LONGEST_COMPOSED = 4
"""Code points that one character decomposes to at most."""
_LONGEST_CLUSTER = 31
"""A letter with the thirty marks of Unicode's stream-safe format (UAX 15): ordering many more of them takes time
that grows with their square."""


class NormalizedText(NamedTuple):
    """A text in NFC with the source range of each character.

    `starts` and `ends` have one entry for each code point of `text`: the half-open range of the cluster it was
    composed from. Both are None where the text was in NFC already.
    """

    text: str
    starts: list[int] | None = None
    ends: list[int] | None = None

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        """Map the range `[start, end)`, not empty, to the original text."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def normalize_text(text: str) -> NormalizedText:
    """Compose the text to NFC with full-width letters, digits and marks in their plain form.

    Costs nothing but a check where it is so already.
    """
    if text.isascii():
        return NormalizedText(text)
    if _FULL_WIDTH.search(text):
        text = text.translate(_PLAIN)
    if unicodedata.is_normalized("NFC", text):
        return NormalizedText(text)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for cluster in _clusters(text):
        # Marks that are too many for the cluster before them become a blank.
        is_excess = position > 0 and unicodedata.combining(cluster[0])
        piece = " " if is_excess else unicodedata.normalize("NFC", cluster)
        end = position + len(cluster)
        pieces.append(piece)
        starts += [position] * len(piece)
        ends += [end] * len(piece)
        position = end
    return NormalizedText("".join(pieces), starts, ends)


def _clusters(text: str) -> list[str]:
    """Cut the text where composition cannot reach across: each piece composes by itself."""
    starts = [0]
    for at, char in enumerate(text):
        if at and (at - starts[-1] >= _LONGEST_CLUSTER or not _composes(text[starts[-1] : at], char)):
            starts.append(at)
    return [text[start:end] for start, end in pairwise((*starts, len(text)))]


def _composes(cluster: str, char: str) -> bool:
    if char < _FIRST_COMBINING:
        return False
    if unicodedata.combining(char):
        return True
    last = cluster[-_LONGEST_COMPOSED:]
    apart = unicodedata.normalize("NFC", last) + unicodedata.normalize("NFC", char)
    return unicodedata.normalize("NFC", last + char) != apart


def fold(text: str) -> str:
    """Lower the case of a text, in NFC."""
    lower = text.lower()
    return lower if lower.isascii() else unicodedata.normalize("NFC", lower)
