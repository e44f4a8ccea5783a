"""What readers see as one character."""

from __future__ import annotations

import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_EXTENDING = {_ZERO_WIDTH_JOINER, "\u200c", "\ufe0e", "\ufe0f"}
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_REGIONAL = ("\U0001f1e6", "\U0001f1ff")
_VOWELS_AND_FINALS = ("\u1160", "\u11ff")
"""Conjoining jamo that never begin a syllable."""


def continues_grapheme(before: str, char: str) -> bool:
    """Return whether a character belongs to the one before it: marks, joined emoji, jamo, halves of flags.

    Errs towards keeping characters together; both are single code points.
    """
    return (
        char in _EXTENDING
        or before == _ZERO_WIDTH_JOINER
        or unicodedata.category(char) in {"Mn", "Mc", "Me"}
        or _within(char, _SKIN_TONES)
        or _within(char, _VOWELS_AND_FINALS)
        or (_within(char, _REGIONAL) and _within(before, _REGIONAL))
        or (before == "\r" and char == "\n")
    )


def _within(char: str, bounds: tuple[str, str]) -> bool:
    return bounds[0] <= char <= bounds[1]
