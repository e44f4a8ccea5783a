"""Character classes by script, as bodies of regular-expression sets."""

from __future__ import annotations

import re

HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
"""Syllables and letters, composed or not."""
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Ideographs of Chinese, Hanja and Kanji."""
KANA = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
"""Hiragana and Katakana, half-width forms included."""

HANGUL_CHAR = re.compile(f"[{HANGUL}]")
HAN_OR_KANA_RUN = re.compile(f"[{HAN}{KANA}]+")
PICTOGRAPH = re.compile("[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001f3fa\U0001f400-\U0001faff]")
HANGUL_WORD = re.compile(r"[\"'“‘(]*[\uac00-\ud7a3]+[.,?!:;\"'”’)]*")
"""A word of nothing but syllables and the commonest marks around it."""


def blank_unspaced(text: str) -> str:
    """Return a text of the same length with a blank for each character of Hangul, Han and Kana.

    What is left needs no set of letters to be told apart. Sets as large as these take a millisecond to
    compile each time that they stand in an expression, and every command that searches would wait for all of them.
    """
    if text.isascii():
        return text
    return HAN_OR_KANA_RUN.sub(_blanks, HANGUL_CHAR.sub(" ", text))


def _blanks(run: re.Match[str]) -> str:
    return " " * len(run[0])
