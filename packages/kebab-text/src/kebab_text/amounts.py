"""Amounts in units of numbers, Korean and English, with one canonical spelling: their digits.

>>> [amount.digits for amount in find_amounts("보증금 3천만 원, 1억 5천만원, 65만원, $2.5 million")]
['30000000', '150000000', '650000', '2500000']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

_SMALL = {"십": 10, "백": 100, "천": 1000}
_LARGE = {"만": 10**4, "억": 10**8, "조": 10**12}
_ENGLISH = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_NUMBER = r"(?<![0-9.제])([0-9]{1,12}(?:\.[0-9]{1,4})?)"
_PART = re.compile(rf"{_NUMBER}(?:\s?([십백천]?)([만억조])|\s?([십백천])|(?=\s?원))")
"""A number with its unit, or the last one of an amount of money."""
_DIGITS = re.compile(r"([\d,.]{1,24}+)\s?+([십백천]?)\s?+([조억만]?)")
_ENGLISH_AMOUNT = re.compile(rf"{_NUMBER}[ -]({'|'.join(_ENGLISH)})\b", re.IGNORECASE)
_HAS_UNIT = re.compile(r"[0-9]\s?[십백천만억조]|[0-9][ -][tmb][hir]", re.IGNORECASE)
_WORD_END = re.compile(r"(?=\s|\Z)")
_COUNTED = re.compile(r"\s?(?:[원엔명개건부대톤회권장호주표평년]|달러|유로|위안|여|가구|세대|k[mg]|㎡|㎢)")
"""Money, or what is counted."""


class AmountMention(NamedTuple):
    """An amount that a text writes with units of numbers."""

    start: int
    end: int
    digits: str
    """Its value."""


class _Part(NamedTuple):
    start: int
    end: int
    small: int
    large: int


def find_amounts(text: str) -> Iterator[AmountMention]:
    """Yield the amounts of a folded text that are whole numbers, the Korean ones first, each kind in order.

    A Korean one counts only before what is counted: `3만` is also "only 3", `제3조` an article.
    """
    if not _HAS_UNIT.search(text):
        return
    parts: list[_Part] = []
    for match in _PART.finditer(text):
        small, large = _SMALL.get(match[2] or match[4], 1), _LARGE.get(match[3], 1)
        part = _Part(*match.span(), small, large)
        if parts and not _goes_on(parts[-1], part, text):
            yield from _read_korean(parts, text)
            parts = []
        parts.append(part)
    yield from _read_korean(parts, text)
    for match in _ENGLISH_AMOUNT.finditer(text):
        yield from _mention(*match.span(), Decimal(match[1]) * _ENGLISH[match[2].lower()])


def spell_amounts(text: str) -> str:
    """Insert the digits of each amount after the word that it ends in; the text is folded."""
    ends = [
        (end.start(), each.digits) for each in find_amounts(text) if (end := _WORD_END.search(text, each.end))
    ]
    for place, digits in sorted(ends, reverse=True):
        text = f"{text[:place]} {digits}{text[place:]}"
    return text


def _goes_on(part: _Part, following: _Part, text: str) -> bool:
    """Return True for the next part of an amount, right behind a part or a blank after it, in a smaller unit."""
    falls = following.large < part.large if part.large > 1 else following.small < part.small
    return falls and text[part.end : following.start] in {"", " "}


def _read_korean(parts: Sequence[_Part], text: str) -> Iterator[AmountMention]:
    if parts and parts[0].small * parts[0].large > 1 and _COUNTED.match(text, parts[-1].end):
        start, end = parts[0].start, parts[-1].end
        yield from _mention(start, end, read_amount(text[start:end]))


def read_amount(text: str) -> Decimal:
    """Return the value of a number with Korean units of numbers, such as `1억 5천만`; separators of thousands may stand in it."""
    total = section = Decimal(0)
    for digits, small, large in _DIGITS.findall(text):
        section += Decimal(digits.strip(",.").replace(",", "") or 0) * _SMALL.get(small, 1)
        if large:
            total, section = total + section * _LARGE[large], Decimal(0)
    return total + section


def _mention(start: int, end: int, value: Decimal) -> Iterator[AmountMention]:
    if value == int(value):
        yield AmountMention(start, end, str(int(value)))
