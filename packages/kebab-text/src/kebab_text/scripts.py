"""Scripts of texts and languages, as ranges for regular expressions too; initial consonants of Hangul; names of languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
"""Syllables and letters, composed or not, as the body of a regular-expression set."""
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Ideographs of Chinese, Hanja and Kanji, likewise."""
KANA = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
"""Hiragana and Katakana, half-width forms included, likewise."""

HANGUL_CHAR = re.compile(f"[{HANGUL}]")
"""One syllable or letter of Hangul."""
_LEAST_SHARE = 0.2
"""Share of letters from which a text counts as Korean, Japanese, …: they mix with Latin words all the time."""


class Script(StrEnum):
    """A writing system. Embedding models separate texts by script more than by language."""

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
    """Look up the script of a language by its BCP 47 primary tag; Latin if unknown."""
    return _BY_LANG.get(lang, Script.LATIN)


def script_of_text(text: str) -> Script:
    """Tell the script of a query or title: not Latin if at least a fifth of its letters are of another one."""
    if text.isascii():
        return Script.LATIN
    letters = [ord(letter) for letter in text if letter.isalpha()]
    for script, ranges in _RANGES:
        held = sum(start <= letter < end for start, end in ranges for letter in letters)
        if held and held >= _LEAST_SHARE * len(letters):
            return script
    return Script.LATIN


def is_korean(text: str) -> bool:
    """True if at least a fifth of the letters of a text are Hangul."""
    return script_of_text(text) is Script.HANGUL


def has_hangul(text: str) -> bool:
    """True if a text holds a syllable or letter of Hangul."""
    return not text.isascii() and HANGUL_CHAR.search(text) is not None


_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_FIRST_SYLLABLE, _LAST_SYLLABLE = ord("가"), ord("힣")
_SYLLABLES_OF_AN_INITIAL = 588


def is_initials(text: str) -> bool:
    """True for a text of initial consonants alone, at least one."""
    return bool(text) and set(text) <= set(_INITIALS)


def initials_of(text: str) -> str:
    """Return a text with every syllable of Hangul replaced by its initial consonant.

    >>> initials_of("주간 회의록 v2")
    'ㅈㄱ ㅎㅇㄹ v2'
    """
    return "".join(
        _INITIALS[(ord(letter) - _FIRST_SYLLABLE) // _SYLLABLES_OF_AN_INITIAL]
        if _FIRST_SYLLABLE <= ord(letter) <= _LAST_SYLLABLE
        else letter
        for letter in text
    )


_NAMES = {
    "ko": ("kr", "kor", "korean", "한국어", "한글"),
    "en": ("eng", "english", "영어"),
    "ja": ("jp", "jpn", "japanese", "일본어"),
    "zh": ("cn", "zho", "chi", "chinese", "중국어"),
    "de": ("deu", "ger", "german", "독일어"),
    "fr": ("fra", "fre", "french", "프랑스어"),
    "es": ("spa", "spanish", "스페인어"),
}
_CODE_OF = {name: code for code, names in _NAMES.items() for name in names}


def language_names(code: str) -> tuple[str, ...]:
    """Return the names by which people call a language, besides its code; none of one that is not known."""
    return _NAMES.get(code, ())


def find_language_code(name: str) -> str:
    """Return the code of a language as documents have it: `ko` for `KR`, `ko_KR`, `Korean` or `한국어`.

    A name that is not known comes back in lower case.
    """
    said = name.strip().lower()
    primary = said.replace("_", "-").partition("-")[0]
    return _CODE_OF.get(said) or _CODE_OF.get(primary, primary)
