"""Labels of numbered paragraphs and notes: digits, letters and numerals."""

from __future__ import annotations

from kebab_parse import roman_numeral

_GANADA = "가나다라마바사아자차카타파하"
_CHOSUNG = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_HANJA_DIGITS = "〇一二三四五六七八九"
_ROMAN_END = 5000
_FIRST_CIRCLED, _MOST_CIRCLED = 0x2460, 20


def format_label(number: int, form: str) -> str:
    """Return a number as `w:numFmt` names it; in decimal digits for a form that is not known or has no such number."""
    shown = str(number)
    match form if number > 0 else "":
        case "lowerLetter" | "upperLetter":
            shown = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)
        case "lowerRoman" | "upperRoman" if number < _ROMAN_END:
            shown = roman_numeral(number).lower()
        case "ganada" | "chosung":
            letters = _GANADA if form == "ganada" else _CHOSUNG
            shown = letters[(number - 1) % len(letters)]
        case "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" if number <= _MOST_CIRCLED:
            shown = chr(_FIRST_CIRCLED + number - 1)
        case "decimalZero":
            shown = f"{number:02}"
        case "koreanDigital2" | "ideographDigital" | "japaneseCounting" if number < len(_HANJA_DIGITS):
            shown = _HANJA_DIGITS[number]
    return shown.upper() if form.startswith("upper") else shown
