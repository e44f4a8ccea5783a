"""Likeness of sound between a Korean word and a Latin one: 옵시디언 and Obsidian, 컬렉터 and collector.

Both are reduced to classes of consonants that Korean spelling of foreign words does not keep apart (b p f v, c g k q, d t,
l r, j z ch), and to vowels: ㅐ is the `a` of `app`. `r` after a vowel is not said, nor is `e` at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_FIRST = ["K", "K", "N", "T", "T", "R", "M", "P", "P", "S", "S", "", "J", "J", "J", "K", "T", "P", "H"]
_MIDDLE = [
    "a",
    "a",
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


def sound_likenesses(hangul: str, words: Iterable[str]) -> dict[str, float]:
    """Compute how alike a Korean word and Latin ones sound, in (0, 1]; those whose consonants differ or are too few are left out.

    Args:
        hangul: Syllables of Hangul.
        words: Words in lower case.
    """
    sound = _sound_of_hangul(hangul)
    consonants, known = _consonants(sound), list(words)
    if len(consonants) < _LEAST_CONSONANTS or not known:
        return {}
    alike, likenesses = _rough(sound), dict[str, float]()
    # One translation of all words: one by one, those of a large index take longer than the rest of a search.
    for word, rough in zip(known, _rough("\n".join(known)).split("\n"), strict=True):
        if rough == alike and _LATIN.fullmatch(word):
            other = _sound_of_latin(word)
            if consonants == _consonants(other):
                likenesses[word] = SequenceMatcher(None, sound, other, autojunk=False).ratio()
    return likenesses


def latin_initials(hangul: str) -> str:
    """List the letters that a Latin word which sounds like a Korean one may begin with; none for other text."""
    sound = _sound_of_hangul(hangul)
    return _INITIALS.get(sound[:1], "aehiouwy") if sound else ""


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
