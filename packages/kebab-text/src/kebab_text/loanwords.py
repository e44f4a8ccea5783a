"""Likeness of sound between a Korean word and a Latin one: 옵시디언 and Obsidian, 컬렉터 and collector.

Both are reduced to classes of consonants that Korean spelling of foreign words does not keep apart (b p f v, c g k q, d t,
l r, j z ch), and to vowels. `r` after a vowel is not said, nor is `e` at the end.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

_FIRST = ["K", "K", "N", "T", "T", "R", "M", "P", "P", "S", "S", "", "J", "J", "J", "K", "T", "P", "H"]
_MIDDLE = [
    "a",
    "e",
    "a",
    "e",
    "o",
    "e",
    "o",
    "e",
    "o",
    "wa",
    "we",
    "we",
    "o",
    "u",
    "wo",
    "we",
    "wi",
    "u",
    "",
    "i",
    "i",
]
_LAST = [
    "",
    "K",
    "K",
    "K",
    "N",
    "N",
    "N",
    "T",
    "R",
    "R",
    "R",
    "R",
    "R",
    "R",
    "R",
    "R",
    "M",
    "P",
    "P",
    "T",
    "T",
    "N",
    "J",
    "J",
    "K",
    "T",
    "P",
    "T",
]
_SYLLABLES, _MIDDLES, _LASTS = 11172, len(_MIDDLE), len(_LAST)
_SPELLINGS = tuple(
    (re.compile(spelling), sound)
    for spelling, sound in (
        (r"(?<=[aeiou])r(?![aeiouyr])", ""),
        (r"(?:t|ss?|c)i[oa]n", "SoN"),
        (r"ph", "P"),
        (r"sch|sh", "S"),
        (r"t?ch", "J"),
        (r"dg(?=[eiy])|g(?=[eiy])", "J"),
        (r"c(?=[eiy])", "S"),
        (r"(?<=[^aeiou])e$", ""),
        (r"gh(?=t)", ""),
        (r"ng(?![aeiouy])", "N"),
        (r"ee|ea", "i"),
        (r"oo", "u"),
        (r"th?|d", "T"),
        (r"x", "KS"),
        (r"[cgkq]", "K"),
        (r"[bpfv]", "P"),
        (r"s", "S"),
        (r"[jz]", "J"),
        (r"[lr]", "R"),
        (r"m", "M"),
        (r"n", "N"),
        (r"h", "H"),
        (r"y", "i"),
    )
)
_INITIALS = {
    "K": "cgkq",
    "T": "dt",
    "P": "bfpv",
    "S": "cs",
    "J": "cgjz",
    "N": "n",
    "M": "m",
    "R": "lr",
    "H": "h",
}
_LEAST_CONSONANTS = 3
"""Consonants, or a vowel at the beginning and two of them, from which on words are told apart."""
_VOWELS = re.compile(r"[aeiouw]+")
_REPEATED = re.compile(r"(.)\1+")
_LATIN = re.compile(r"[a-z]+")
_ROUGH = str.maketrans(
    dict.fromkeys("aeiouwyhlrRH")
    | dict.fromkeys("cgkqsjzxtdKTSJ", "K")
    | dict.fromkeys("bpfvP", "P")
    | dict.fromkeys("mnMN", "N")
)


def sound_likeness(hangul: str, latin: str) -> float:
    """Compute how alike a Korean and a Latin word sound, in [0, 1]; 0 where their consonants differ or are too few.

    Args:
        hangul: Syllables of Hangul.
        latin: A word in lower case.
    """
    sound = _sound_of_hangul(hangul)
    if not sound or not _LATIN.fullmatch(latin) or _rough(latin) != _rough(sound):
        return 0.0
    other, consonants = _sound_of_latin(latin), _consonants(sound)
    if len(consonants) < _LEAST_CONSONANTS or consonants != _consonants(other):
        return 0.0
    return SequenceMatcher(None, sound, other, autojunk=False).ratio()


def latin_initials(hangul: str) -> str:
    """List the letters that a Latin word which sounds like a Korean one may begin with; none for other text."""
    sound = _sound_of_hangul(hangul)
    return _INITIALS.get(sound[:1], "aehiouwy") if sound else ""


@lru_cache(maxsize=64)
def _sound_of_hangul(word: str) -> str:
    sounds: list[str] = []
    for letter in word:
        place = ord(letter) - ord("가")
        if not 0 <= place < _SYLLABLES:
            return ""
        rest, last = divmod(place, _LASTS)
        first, middle = divmod(rest, _MIDDLES)
        sounds += _FIRST[first], _MIDDLE[middle], _LAST[last]
    return _squeeze("".join(sounds))


def _sound_of_latin(word: str) -> str:
    for spelling, sound in _SPELLINGS:
        word = spelling.sub(sound, word)
    return _squeeze(word)


def _consonants(sound: str) -> str:
    """Return the consonants of a sound, after a sign for a vowel at its beginning."""
    return _squeeze(("" if sound[:1].isupper() else "-") + _VOWELS.sub("", sound))


def _rough(word: str) -> str:
    """Return classes of consonants that differ where a word cannot sound like another; much faster."""
    return _squeeze(word.translate(_ROUGH))


def _squeeze(sound: str) -> str:
    return _REPEATED.sub(r"\1", sound)
