"""Text of a passage that reads like a marker, and what is left of a sentence around it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from kebab_extractive.answer_patterns import (
    CLOSES_PHRASE,
    ENDS_IN_WORD,
    INVISIBLE_CHARACTERS,
    ONLY_PUNCTUATION,
    OPEN_PHRASE,
    OPEN_PHRASE_KO,
    SPOOFED_MARKER,
    WORD_FOLLOWS,
)

_LOOK = 40


def find_spoofed_markers(text: str, within: tuple[int, int] | None = None) -> list[tuple[int, int]]:
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
        for char in "" if text[at] in INVISIBLE_CHARACTERS else unicodedata.normalize("NFKC", text[at]):
            folded.append(char)
            places.append(at)
    found = SPOOFED_MARKER.finditer("".join(folded))
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


def needs_spoofed_marker(text: str) -> bool:
    """Return whether what reads like a marker is part of what a text says: the value, the code, the thing it names.

    Left out, it would leave a hole: "the syntax is".
    """
    return any(_is_said(text[:low], text[high:]) for low, high in find_spoofed_markers(text))


def _is_said(before: str, after: str) -> bool:
    if OPEN_PHRASE.search(before) or CLOSES_PHRASE.match(after):
        return True
    if ONLY_PUNCTUATION.match(after):
        return OPEN_PHRASE_KO.search(before) is not None
    return ENDS_IN_WORD.search(before) is not None and WORD_FOLLOWS.match(after) is not None


def is_followed_by_marker(text: str, end: int) -> bool:
    """Return whether what reads like a marker stands behind an offset of a text, nothing but blanks between."""
    following = find_spoofed_markers(text, (end, min(len(text), end + _LOOK)))
    return bool(following) and not text[end : following[0][0]].strip()


def blank_spoofed_markers(text: str) -> str:
    """Return a text with blanks for all that reads like a marker; every other character stays where it is."""
    for low, high in find_spoofed_markers(text):
        text = text[:low] + " " * (high - low) + text[high:]
    return text
