"""Initial consonants of Hangul: ㅎㅇㄹ for 회의록.

>>> initials_of("주간 회의록 v2")
'ㅈㄱ ㅎㅇㄹ v2'
"""

from __future__ import annotations

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_FIRST_SYLLABLE, _LAST_SYLLABLE = ord("가"), ord("힣")
_SYLLABLES_OF_AN_INITIAL = 588


def is_initials(text: str) -> bool:
    """True for a text of initial consonants alone, at least one."""
    return bool(text) and set(text) <= set(_INITIALS)


def initials_of(text: str) -> str:
    """Return a text with every syllable of Hangul replaced by its initial consonant."""
    return "".join(
        _INITIALS[(ord(letter) - _FIRST_SYLLABLE) // _SYLLABLES_OF_AN_INITIAL]
        if _FIRST_SYLLABLE <= ord(letter) <= _LAST_SYLLABLE
        else letter
        for letter in text
    )
