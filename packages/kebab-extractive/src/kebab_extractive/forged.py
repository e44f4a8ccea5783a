"""Text of a passage that reads like a marker, and what is left of a sentence around it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_MARKER = re.compile(r"\[\s*#\s*\d+\s*\]")
_LEFT_OPEN = re.compile(
    r"(?:[=:(<>+*/|`\"'“‘]|\b(?:is|are|was|were|be|of|as|like|to|in|with|and|or|the|an?|by|than|called|named|use|uses|write"
    r"|writes|written|type|returns?|means?|says?|gives?|equals?))\s*$",
    re.IGNORECASE,
)
_LEFT_OPEN_KOREAN = re.compile(r"[가-힣](?:은|는|이|가|을|를|의|로|와|과|에)\s*$")
_NOTHING_AFTER = re.compile(r"[\s.,;!?。`\"'”’)]*$")
_CLOSED = re.compile(r"[`\"'”’]|이다|입니다|이며|[은는이가을를로과와]\s")
_INDEXED = re.compile(r"\w$")
_GOES_ON = re.compile(r"\s+[a-z가-힣]")
_LOOK = 40
_INVISIBLE = frozenset("\u200b\u200c\u200d\u00ad\u2060\ufeff")


def forged_markers(text: str, within: tuple[int, int] | None = None) -> list[tuple[int, int]]:
    """Return where a text holds something that reads like a marker: `[#1]`, however wide, spaced or joined.

    Args:
        text: Any text.
        within: The part of it to look at; all of it otherwise.

    Returns:
        Half open ranges of code points, in order, none touching another.
    """
    start, end = within or (0, len(text))
    if not any(mark in text[start:end] for mark in "#＃﹟"):
        return []
    folded: list[str] = []
    places: list[int] = []
    for at in range(start, end):
        for char in "" if text[at] in _INVISIBLE else unicodedata.normalize("NFKC", text[at]):
            folded.append(char)
            places.append(at)
    found = _MARKER.finditer("".join(folded))
    return [(places[match.start()], places[match.end() - 1] + 1) for match in found]


def runs_between(
    text: str, within: tuple[int, int], cuts: list[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield what is left of a range without the cuts, trimmed; only what holds a letter or digit."""
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


def says_markers(text: str) -> bool:
    """Return whether what reads like a marker is part of what a text says: the value, the code, the thing it names.

    Left out, it would leave a hole: "the syntax is".
    """
    return any(_is_said(text[:low], text[high:]) for low, high in forged_markers(text))


def _is_said(before: str, after: str) -> bool:
    if _LEFT_OPEN.search(before) or _CLOSED.match(after):
        return True
    if _NOTHING_AFTER.match(after):
        return _LEFT_OPEN_KOREAN.search(before) is not None
    return _INDEXED.search(before) is not None and _GOES_ON.match(after) is not None


def is_followed_by_marker(text: str, end: int) -> bool:
    """Return whether what reads like a marker stands behind an offset of a text, nothing but blanks between."""
    following = forged_markers(text, (end, min(len(text), end + _LOOK)))
    return bool(following) and not text[end : following[0][0]].strip()


def without_markers(text: str) -> str:
    """Return a text with blanks for all that reads like a marker; every other character stays where it is."""
    for low, high in forged_markers(text):
        text = text[:low] + " " * (high - low) + text[high:]
    return text
