"""Numerals of numbered paragraphs and notes that several formats have."""

from __future__ import annotations

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def roman_numeral(number: int) -> str:
    """Return a number from 1 as a Roman numeral in capitals; thousands are repeated `M`s, and 0 is empty."""
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text
