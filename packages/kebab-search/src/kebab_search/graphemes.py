"""Where a text may be cut without splitting what a reader sees as one character."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_JAMO = ("\u1160", "\u11ff")
"""Vowels and final consonants that go on a syllable of decomposed Hangul."""
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")
_TAGS = ("\U000e0020", "\U000e007f")
_LONGEST = 64
"""Code points looked at in search of a place to cut; more of them belong together in no honest text."""


def cut_before(text: str, at: int) -> int:
    """Return the last place to cut that is no later than `at`; `at` itself where none is near.

    Args:
        text: Any text; composed, decomposed, emoji joined from several.
        at: A place in `[0, len(text)]`.
    """
    return next((place for place in range(at, max(-1, at - _LONGEST), -1) if _can_cut(text, place)), at)


def cut_after(text: str, at: int) -> int:
    """Return the first place to cut that is no earlier than `at`; `at` itself where none is near."""
    end = min(len(text), at + _LONGEST)
    return next((place for place in range(at, end + 1) if _can_cut(text, place)), at)


def _can_cut(text: str, at: int) -> bool:
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if after.isascii():
        return (before, after) != ("\r", "\n")
    return not (before == _JOINER or _goes_on(after) or _splits_flag(text, at))


def _goes_on(char: str) -> bool:
    return (
        char == _JOINER
        or unicodedata.category(char) in {"Mn", "Mc", "Me"}
        or _JAMO[0] <= char <= _JAMO[1]
        or _SKIN_TONES[0] <= char <= _SKIN_TONES[1]
        or _TAGS[0] <= char <= _TAGS[1]
    )


def _splits_flag(text: str, at: int) -> bool:
    letters = 0
    while at - letters > 0 and _FLAG_LETTERS[0] <= text[at - letters - 1] <= _FLAG_LETTERS[1]:
        letters += 1
    return letters % 2 == 1 and _FLAG_LETTERS[0] <= text[at] <= _FLAG_LETTERS[1]
