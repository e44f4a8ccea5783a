"""Scripts: what parts texts for an embedding model more than their languages do."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

_LEAST_SHARE = 0.2
"""Share of letters from which a text counts as Korean, Japanese, …: they mix with Latin words all the time."""


class Script(StrEnum):
    """A way of writing; languages that share it are told apart too seldom to treat them differently."""

    LATIN = "latin"
    HANGUL = "hangul"
    HAN = "han"
    CYRILLIC = "cyrillic"


_BY_LANG: Mapping[str, Script] = {
    "ko": Script.HANGUL,
    "ja": Script.HAN,
    "zh": Script.HAN,
    **dict.fromkeys(("ru", "uk", "be", "bg", "sr", "mk", "kk"), Script.CYRILLIC),
}
_RANGES = (
    (Script.HANGUL, ((0xAC00, 0xD7A4), (0x1100, 0x1200), (0x3130, 0x3190))),
    (Script.HAN, ((0x3040, 0x3100), (0x3400, 0xA000))),
    (Script.CYRILLIC, ((0x0400, 0x0530),)),
)


def script_of_language(lang: str) -> Script:
    """Return the script of documents in a language; Latin where nothing else is known."""
    return _BY_LANG.get(lang, Script.LATIN)


def script_of_text(text: str) -> Script:
    """Return the script of a query: not Latin if a fifth of its letters are of another one."""
    letters = [ord(letter) for letter in text if letter.isalpha()]
    for script, ranges in _RANGES:
        held = sum(any(start <= letter < end for start, end in ranges) for letter in letters)
        if held and held >= _LEAST_SHARE * len(letters):
            return script
    return Script.LATIN
