"""Spoofed markers: text of a passage that reads like a marker `[#1]`. Quotes leave them out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_SPOOFED_MARKER = re.compile(r"\[\s*#\s*\d+\s*\]")
_INVISIBLE_CHARACTERS = frozenset("\u200b\u200c\u200d\u00ad\u2060\ufeff")
_OPEN_PHRASE = re.compile(
    r"(?:[=:(<>+*/|`\"'“‘]|\b(?:is|are|was|were|be|of|as|like|to|in|with|and|or|the|an?|by|than|called|named|use|uses|write"
    r"|writes|written|type|returns?|means?|says?|gives?|equals?))\s*$",
    re.IGNORECASE,
)
"""Text before a marker that needs it, as in "the syntax is [#1]"."""
_OPEN_PHRASE_KO = re.compile(r"[가-힣](?:은|는|이|가|을|를|의|로|와|과|에)\s*$")
"""The same in Korean; decisive only at the end of a sentence."""
_PUNCTUATION = " \t\n\r.,;!?。`\"'”’)"
_CLOSES_PHRASE = re.compile(r"[`\"'”’]|이다|입니다|이며|[은는이가을를로과와]\s")
"""Text after a marker that needs it."""
_WORD_FOLLOWS = re.compile(r"\s+[a-z가-힣]")
_LOOKAHEAD = 40


def find_spoofed_markers(text: str, within: tuple[int, int] | None = None) -> list[tuple[int, int]]:
    """Return the ranges of spoofed markers: `[#1]` in any width, with blanks or invisible characters in it.

    Args:
        text: Any text.
        within: Range to search; None for the whole text.

    Returns:
        Half open ranges of code points, in order, without overlaps.
    """
    start, end = within or (0, len(text))
    if not any(mark in text[start:end] for mark in "#＃﹟"):
        return []
    folded: list[str] = []
    places: list[int] = []
    for at in range(start, end):
        for char in "" if text[at] in _INVISIBLE_CHARACTERS else unicodedata.normalize("NFKC", text[at]):
            folded.append(char)
            places.append(at)
    found = _SPOOFED_MARKER.finditer("".join(folded))
    return [(places[match.start()], places[match.end() - 1] + 1) for match in found]


def runs_between(
    text: str, within: tuple[int, int], cuts: list[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the parts of a range between the cuts, trimmed. Parts without a letter or digit are left out."""
    start, stop = within
    for low, high in [*cuts, (stop, stop)]:
        if run := _trim(text, start, low):
            yield run
        start = high


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    run = text[start:end]
    if not any(char.isalnum() for char in run):
        return None
    start += len(run) - len(run.lstrip())
    return start, end - (len(run) - len(run.rstrip()))


def needs_spoofed_marker(text: str) -> bool:
    """Return True if a spoofed marker is part of the statement: its value, its code, the thing that it names.

    Without the marker such a text is incomplete: "the syntax is".
    """
    return any(_is_part_of_statement(text[:low], text[high:]) for low, high in find_spoofed_markers(text))


def _is_part_of_statement(before: str, after: str) -> bool:
    if _OPEN_PHRASE.search(before) or _CLOSES_PHRASE.match(after):
        return True
    if not after.strip(_PUNCTUATION):
        return _OPEN_PHRASE_KO.search(before) is not None
    return before[-1:].isalnum() and _WORD_FOLLOWS.match(after) is not None


def is_followed_by_marker(text: str, end: int) -> bool:
    """Return True if a spoofed marker follows an offset of a text, with nothing but blanks between."""
    following = find_spoofed_markers(text, (end, min(len(text), end + _LOOKAHEAD)))
    return bool(following) and not text[end : following[0][0]].strip()


def blank_spoofed_markers(text: str) -> str:
    """Return a text with blanks in place of spoofed markers. All other characters keep their offsets."""
    for low, high in find_spoofed_markers(text):
        text = text[:low] + " " * (high - low) + text[high:]
    return text
