"""Numerals that several formats have: of numbered paragraphs and notes, and those above the line."""

from __future__ import annotations

import re

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_POWER = re.compile(r"[-+\u2212\u2013]?(?:\d|[a-z]$)")


def roman_numeral(number: int) -> str:
    """Return a number from 1 as a Roman numeral in capitals; thousands are repeated `M`s, and 0 is empty."""
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def mark_power(before: str, raised: str) -> str:
    """Return words above the line as they are written behind others: `^6` behind `10`, where `106` would be another number.

    Args:
        before: What stands before them.
        raised: The words: only numbers and single small letters behind a digit get a mark, so that `m2` and `1st` stay.
    """
    return f"^{raised}" if before[-1:].isdecimal() and _POWER.match(raised) else raised
