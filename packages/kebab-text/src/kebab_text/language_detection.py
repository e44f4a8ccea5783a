"""The language of a text, by its scripts and, for Latin letters, by its commonest words."""

from __future__ import annotations

import re

from kebab_core import UNDETERMINED_LANG

from kebab_text.scripts import HAN, HANGUL, KANA

_SAMPLE_CHARS = 20_000
"""Code points of a text that are looked at."""
_LEAST_LETTERS = 2
_KOREAN_SHARE = 0.15
"""Weight of Hangul from which a text is Korean: a Korean sentence about software may be half English and more, an
English one seldom quotes more than a word or two. A syllable weighs two letters, which is about what it holds."""
_JAPANESE_SHARE = 0.05
"""Kana among kana and Han: Japanese prose has at least a third, Chinese none."""
_IDEOGRAPH_SHARE = 0.3
_ENGLISH_SHARE = 0.15
"""Function words among the words of English: a third to a half in prose, half of that in notes and lists."""
_LEAST_MODEL_LETTERS = 40
"""Statistical detection is unreliable for texts of fewer letters."""
_NO_LANGUAGE = "zxx"
"""The model's label of text that is not prose."""

_LETTER_RUN = r"[^\W\d_]+"
_WORD = _LETTER_RUN + "(?:'[a-z]+)?"
_LETTERS = {is_ascii: re.compile(_LETTER_RUN, re.ASCII if is_ascii else 0) for is_ascii in (False, True)}
_WORDS = {is_ascii: re.compile(_WORD, re.ASCII if is_ascii else 0) for is_ascii in (False, True)}
"""Patterns by whether the text is ASCII: there they take half the time."""
_COMMONEST_ENGLISH = """
    the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one
    you were all her she there would their we him been has when who will no more if out so up said what its about than
    into them can only other time new some could these two may then do first any my now such like our over how your use
    using used
"""
_ENGLISH_WORDS = frozenset(_COMMONEST_ENGLISH.split())
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.DOTALL)


def detect_language(text: str) -> str:
    """Return the language of a text: `ko`, `ja`, `zh`, `en`, another BCP 47 primary tag, or `und`; code and addresses do not count.

    Korean, Japanese and Chinese are told by script and English by its function words. Only a Latin text without enough of
    them, or one in another script, is given to a statistical model, which is loaded then.
    """
    prose = _CODE.sub(" ", text[:_SAMPLE_CHARS])
    letters = "".join(_LETTERS[prose.isascii()].findall(prose))
    if len(letters) < _LEAST_LETTERS:
        return UNDETERMINED_LANG
    return _by_script(letters) or _by_words(prose, letters)


def _by_script(letters: str) -> str | None:
    if letters.isascii():
        return None
    hangul = _count(HANGUL, letters)
    kana = _count(KANA, letters)
    ideographs = kana + _count(HAN, letters)
    others = len(letters) - hangul - ideographs
    weight = 2 * (hangul + ideographs) + others
    if 2 * hangul >= _KOREAN_SHARE * weight and hangul >= ideographs / 2:
        return "ko"
    if 2 * ideographs < _IDEOGRAPH_SHARE * weight:
        return None
    return "ja" if kana >= _JAPANESE_SHARE * ideographs else "zh"


def _count(script: str, letters: str) -> int:
    return len(re.sub(f"[^{script}]+", "", letters))


def _by_words(prose: str, letters: str) -> str:
    words = _WORDS[prose.isascii()].findall(prose)
    if sum(map(_ENGLISH_WORDS.__contains__, map(str.lower, words))) >= max(1, _ENGLISH_SHARE * len(words)):
        return "en"
    return _by_model(prose) if len(letters) >= _LEAST_MODEL_LETTERS else UNDETERMINED_LANG


def _by_model(prose: str) -> str:
    try:  # here because it brings numpy along
        from py3langid import classify
    except ImportError:
        return UNDETERMINED_LANG
    lang: str = classify(prose)[0]
    return UNDETERMINED_LANG if lang == _NO_LANGUAGE else lang
