"""Spoofed markers: text of a passage that reads like a marker `[#1]`. Quotes leave them out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from kebab_extractive.answer_patterns import (
    CLOSES_PHRASE,
    INVISIBLE_CHARACTERS,
    OPEN_PHRASE,
    OPEN_PHRASE_KO,
    PUNCTUATION,
    SPOOFED_MARKER,
    WORD_FOLLOWS,
)

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
        for char in "" if text[at] in INVISIBLE_CHARACTERS else unicodedata.normalize("NFKC", text[at]):
            folded.append(char)
            places.append(at)
    found = SPOOFED_MARKER.finditer("".join(folded))
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
    if OPEN_PHRASE.search(before) or CLOSES_PHRASE.match(after):
        return True
    if not after.strip(PUNCTUATION):
        return OPEN_PHRASE_KO.search(before) is not None
    return before[-1:].isalnum() and WORD_FOLLOWS.match(after) is not None


def is_followed_by_marker(text: str, end: int) -> bool:
    """Return True if a spoofed marker follows an offset of a text, with nothing but blanks between."""
    following = find_spoofed_markers(text, (end, min(len(text), end + _LOOKAHEAD)))
    return bool(following) and not text[end : following[0][0]].strip()


def blank_spoofed_markers(text: str) -> str:
    """Return a text with blanks in place of spoofed markers. All other characters keep their offsets."""
    for low, high in find_spoofed_markers(text):
        text = text[:low] + " " * (high - low) + text[high:]
    return text
