"""Numbers that Hangul draws before headings and numbered paragraphs: `1.`, `가.`, `제2조`, `①`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kebab_parse import roman_numeral

from kebab_parse_hwp.content import ParagraphShape

_LEVEL = re.compile(r"\^([1-9]|10|n|N)")
_SYLLABLES = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호"
_SERIES: Mapping[str, str] = {
    "CIRCLED_DIGIT": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
    "LATIN_CAPITAL": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "LATIN_SMALL": "abcdefghijklmnopqrstuvwxyz",
    "CIRCLED_LATIN_CAPITAL": "ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏ",
    "CIRCLED_LATIN_SMALL": "ⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩ",
    "HANGUL_SYLLABLE": _SYLLABLES,
    "CIRCLED_HANGUL_SYLLABLE": "㉮㉯㉰㉱㉲㉳㉴㉵㉶㉷㉸㉹㉺㉻",
    "HANGUL_JAMO": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "CIRCLED_HANGUL_JAMO": "㉠㉡㉢㉣㉤㉥㉦㉧㉨㉩㉪㉫㉬㉭",
    "DECAGON_CIRCLE": "갑을병정무기경신임계",
    "DECAGON_CIRCLE_HANJA": "甲乙丙丁戊己庚辛壬癸",
}
FORMATS = (
    "DIGIT",
    "CIRCLED_DIGIT",
    "ROMAN_CAPITAL",
    "ROMAN_SMALL",
    "LATIN_CAPITAL",
    "LATIN_SMALL",
    "CIRCLED_LATIN_CAPITAL",
    "CIRCLED_LATIN_SMALL",
    "HANGUL_SYLLABLE",
    "CIRCLED_HANGUL_SYLLABLE",
    "HANGUL_JAMO",
    "CIRCLED_HANGUL_JAMO",
    "HANGUL_PHONETIC",
    "IDEOGRAPH",
    "CIRCLED_IDEOGRAPH",
    "DECAGON_CIRCLE",
    "DECAGON_CIRCLE_HANJA",
)
"""Names of the number formats in HWPX; HWP 5 has their positions."""
_MOST, _MOST_WORDS = 3999, 99
"""Highest numbers that Roman numerals and words go to here."""


@dataclass(frozen=True, slots=True)
class NumberLevel:
    """One level of a numbering."""

    template: str
    """Text with `^1` for the number of the first level, `^2` for that of the second; `^n` is that of the level itself."""
    number_format: str = "DIGIT"
    start: int = 1


class NumberCounter:
    """Counts the numbered paragraphs of a document, in reading order.

    Args:
        numberings: By id, the levels of each numbering.
    """

    def __init__(self, numberings: Mapping[int, Sequence[NumberLevel]]) -> None:
        self._numberings = numberings
        self._counts: dict[tuple[str, int], list[int | None]] = {}
        self.outline = 1
        """Id of the numbering of headings in the section."""

    def label(self, shape: ParagraphShape) -> str:
        """Count a paragraph of this shape and return its number; empty for one without."""
        if shape.kind not in {"outline", "number"}:
            return ""
        numbering = shape.numbering or self.outline
        levels = self._numberings.get(numbering, ())
        if shape.level >= len(levels):
            return ""
        # Headings of one numbering count on from section to section, apart from numbered paragraphs.
        counts = self._counts.setdefault((shape.kind, numbering), [None] * len(levels))
        before = counts[shape.level]
        counts[shape.level] = levels[shape.level].start if before is None else before + 1
        counts[shape.level + 1 :] = [None] * (len(levels) - shape.level - 1)

        def number(match: re.Match[str]) -> str:
            index = shape.level if match[1] in "nN" else int(match[1]) - 1
            if index >= len(levels):
                return ""
            value = counts[index]
            return format_number(levels[index].start if value is None else value, levels[index].number_format)

        return _LEVEL.sub(number, levels[shape.level].template).strip()


def format_number(value: int, number_format: str) -> str:
    """Return a number in one of `FORMATS`; digits where the format has no sign for it."""
    if number_format in {"ROMAN_CAPITAL", "ROMAN_SMALL"} and 0 < value <= _MOST:
        roman = roman_numeral(value)
        return roman if number_format == "ROMAN_CAPITAL" else roman.lower()
    if number_format in {"HANGUL_PHONETIC", "IDEOGRAPH"} and 0 < value <= _MOST_WORDS:
        return _words(
            value, "일이삼사오육칠팔구십" if number_format == "HANGUL_PHONETIC" else "一二三四五六七八九十"
        )
    series = _SERIES.get(number_format, "")
    return series[value - 1] if 0 < value <= len(series) else str(value)


def _words(value: int, digits: str) -> str:
    tens, ones = divmod(value, 10)
    first = (digits[tens - 1] if tens > 1 else "") + digits[9] if tens else ""
    return first + (digits[ones - 1] if ones else "")
