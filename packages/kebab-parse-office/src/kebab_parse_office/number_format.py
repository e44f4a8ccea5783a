"""Numbers and dates as a spreadsheet shows them, by the format codes of ISO/IEC 29500-1, 18.8.31.

Codes of every day: digits, groups, percent, currencies, exponents, dates, times and literal text. Colours, widths and fills
say nothing and are left out; fractions are shown as decimals.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from math import isfinite
from typing import Final, NamedTuple

BUILT_IN: Final = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00", 9: "0%",
    10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0",
    39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00", 41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00",
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "0.0E+0", 49: "@",
}  # fmt: skip
"""Codes that have numbers. Those that follow the country of the program are in their neutral form."""
_UNIT = re.compile(
    r'"[^"]{0,255}+"|\\.|_.|\*.|\[[^\]]{0,255}+\]|(?i:am/pm|a/p|오전/오후|general)|(?i:y++|m++|d++|h++|s++|aaaa?)|E[+-]0++|[0#?]|\.|,|%|@|/|.',
    re.DOTALL,
)
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_CURRENCY = re.compile(r"\[\$([^-\]]*)(?:-[^\]]*)?\]")
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
_LANGUAGE = re.compile(r"\[\$[^-\]]*-(?:[0-9A-F]{0,4}?([0-9A-F]{3,4})|(ko|ja)(?:-[^\]]*)?)\]", re.IGNORECASE)
"""Language of names: the last four digits are a code of Windows, or it is a language tag."""


class _Names(NamedTuple):
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    """From Monday."""
    short_days: tuple[str, ...]
    halves: tuple[str, str]


def _numbered_names(days: str, day: str, month: str, halves: tuple[str, str]) -> _Names:
    months = tuple(f"{number}{month}" for number in range(1, 13))
    return _Names(months, months, tuple(f"{each}{day}" for each in days), tuple(days), halves)


_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ENGLISH = _Names(
    _MONTHS,
    tuple(each[:3] for each in _MONTHS),
    _DAYS,
    tuple(each[:3] for each in _DAYS),
    ("AM", "PM"),
)
_KOREAN = _numbered_names("월화수목금토일", "요일", "월", ("오전", "오후"))
_NAMES: Final = {
    "ko": _KOREAN,
    "ja": _numbered_names("月火水木金土日", "曜日", "月", ("午前", "午後")),
}
_LANGUAGE_CODES: Final = {0x11: "ja", 0x12: "ko"}
"""Primary languages of Windows."""
_PRIMARY_LANGUAGE = 0x3FF
_NOON = 12
_NUMBER_WIDTH = 2
"""Most letters that stand for a number; more stand for a name."""
_LAST_DAY = 2_958_466
"""Days from 1900 to the year 10000."""
_LEAP_BUG = 60
"""Day 60 is 29 February 1900, which never was; days before it are one later."""
_MOST_DECIMALS = 30
_PLACES = frozenset("0#?")
_EXPONENTS = ("E+", "E-")
_EXACT_END = 1e15
_NEGATIVE, _ZERO = 1, 2
"""Sections of a code for such numbers."""


@lru_cache(maxsize=50_000)
def format_value(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return a number as its format code shows it; as a plain number if the code shows nothing readable.

    Args:
        value: The number; days since 1900 or 1904 for a date.
        code: Format code; `General` and an empty one show up to 10 digits.
        since_1904: Count of days of the workbook.
    """
    if not code or code.casefold() == "general":
        return format_plain(value)
    if not isfinite(value):
        return format_plain(value)
    section, magnitude, sign = _choose_section(code, value)
    units = _units(section)
    if not units and section == "":
        return ""
    try:
        if is_date_code(section):
            return _format_date(value, units, since_1904=since_1904)
        return (sign + _format_digits(magnitude, units)).strip() or format_plain(value)
    except (ValueError, OverflowError, InvalidOperation):
        return format_plain(value)


def format_plain(value: float) -> str:
    """Return a number without a format: whole ones without a point, others with up to 10 significant digits."""
    if abs(value) < _EXACT_END and value == int(value):
        return str(int(value))
    return f"{value:.10g}"


@lru_cache(maxsize=1024)
def is_date_code(code: str) -> bool:
    """Return True if a format code shows a date or a time."""
    return any(
        unit[0] in "ymdhsYMDHS" or _ELAPSED.fullmatch(unit) or _is_asian_day(unit) for unit in _units(code)
    )


@lru_cache(maxsize=1024)
def _units(code: str) -> tuple[str, ...]:
    return tuple(_UNIT.findall(code))


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[str, ...]:
    """Split a code at its semicolons, but not inside quotation marks."""
    sections, current = [], ""
    for unit in _units(code):
        if unit == ";":
            sections.append(current)
            current = ""
        else:
            current += unit
    return (*sections, current)


def _choose_section(code: str, value: float) -> tuple[str, float, str]:
    """Return the section for a number, the number to show with it, and the sign before it."""
    sections = _sections(code)
    if any(_CONDITION.search(section) for section in sections[:_ZERO]):
        for section in sections:
            condition = _CONDITION.search(section)
            if condition is None or _holds(value, condition[1], float(condition[2])):
                return section, abs(value), "-" if value < 0 else ""
    if value < 0 and len(sections) > _NEGATIVE:
        return sections[_NEGATIVE], -value, ""
    if value == 0 and len(sections) > _ZERO:
        return sections[_ZERO], value, ""
    return sections[0], abs(value), "-" if value < 0 else ""


def _holds(value: float, sign: str, other: float) -> bool:
    match sign:
        case "<":
            return value < other
        case ">":
            return value > other
        case "<=":
            return value <= other
        case ">=":
            return value >= other
        case "=":
            return value == other
    return value != other


def _literal(unit: str) -> str:
    """Return what a unit that is no digit shows."""
    if unit[0] == '"':
        return unit[1:-1]
    if unit[0] == "\\":
        return unit[1:]
    if unit[0] in "_*":
        return " " if unit[0] == "_" else ""
    if unit[0] == "[":
        match = _CURRENCY.fullmatch(unit)
        return match[1] if match else ""
    return unit


def _format_digits(value: float, units: tuple[str, ...]) -> str:
    layout = _lay_out(units)
    if layout is None:
        return "".join(format_plain(value) if _is_plain(unit) else _literal(unit) for unit in units)
    if layout.is_fraction:
        return format_plain(value)
    number = Decimal(repr(value)).scaleb(layout.scale)
    tail = ""
    if layout.exponent_digits:
        power = number.adjusted() if number else 0
        number = number.scaleb(-power)
        tail = f"E{'-' if power < 0 else '+'}{abs(power):0{layout.exponent_digits}}"
    integer, fraction = _round_digits(number, layout.least, layout.decimals)
    if layout.is_grouped:
        first_end = len(integer) % 3 or 3
        rest = (integer[at : at + 3] for at in range(first_end, len(integer), 3))
        integer = ",".join([integer[:first_end], *rest])
    shown = integer
    if layout.whole:
        shown = _fill_places(layout.whole, integer, grouped=layout.is_grouped)
    return f"{layout.before}{shown}{fraction}{tail}{layout.after}"


class _Layout(NamedTuple):
    """Where the digits of a number stand in a code."""

    before: str
    """Literal text before the digits."""
    whole: tuple[str, ...]
    """Units of the digits before the point; empty where nothing but digits stands there."""
    least: int
    """Digits before the point, at least."""
    decimals: tuple[str, ...]
    is_grouped: bool
    scale: int
    """Power of ten that the number is multiplied by."""
    exponent_digits: int
    """0 without an exponent."""
    after: str
    """Literal text after the digits."""
    is_fraction: bool


@lru_cache(maxsize=1024)
def _lay_out(units: tuple[str, ...]) -> _Layout | None:
    """Return where the digits stand; None without places for them, or with a place for the whole number."""
    places = [number for number, unit in enumerate(units) if unit in _PLACES]
    if not places or any(map(_is_plain, units)):
        return None
    point = next((number for number in range(places[0], len(units)) if units[number] == "."), None)
    if point is not None and point > places[-1] + 1:
        point = None
    first, last = min(places[0], places[0] if point is None else point), max(places[-1], point or 0)
    whole = [number for number in places if point is None or number < point]
    scale = 0
    while last + 1 + scale < len(units) and units[last + 1 + scale] == ",":
        scale += 1
    exponent = next((unit for unit in units[last:] if unit.startswith(_EXPONENTS)), "")
    between = units[first : last + 1 if point is None else point]
    return _Layout(
        before="".join(map(_literal, units[:first])),
        whole=between if any(unit not in _PLACES and unit != "," for unit in between) else (),
        least=sum(units[at] == "0" for at in whole),
        decimals=tuple(units[number] for number in places if point is not None and number > point)[
            :_MOST_DECIMALS
        ],
        is_grouped=any(units[at] == "," for at in range(first, whole[-1] if whole else first)),
        scale=2 * units.count("%") - 3 * scale,
        exponent_digits=max(len(exponent) - 2, 0),
        after="".join(
            _literal(unit) for unit in units[last + 1 + scale :] if not unit.startswith(_EXPONENTS)
        ),
        is_fraction="/" in units[places[0] : places[-1]],
    )


def _is_plain(unit: str) -> bool:
    return unit == "@" or unit.casefold() == "general"


def _fill_places(units: tuple[str, ...], digits: str, *, grouped: bool) -> str:
    """Put digits into their places from the right; the first place takes all that are left. Literal text stays where it is."""
    places = sum(unit in _PLACES for unit in units)
    filled: list[str] = []
    for unit in reversed(units):
        if unit in _PLACES:
            places -= 1
            take = len(digits) if not places or grouped else 1
            filled.append(digits[len(digits) - take :] if digits else "")
            digits = digits[: len(digits) - take] if digits else ""
        elif unit not in {",", "."} and not unit.startswith(_EXPONENTS):
            filled.append(_literal(unit))
    return "".join(reversed(filled)) or digits


def _round_digits(number: Decimal, least: int, decimals: tuple[str, ...]) -> tuple[str, str]:
    """Return the digits before the point, at least `least`, and those after it with the point, without optional zeros."""
    rounded = number.quantize(Decimal(1).scaleb(-len(decimals)), rounding=ROUND_HALF_UP)
    whole, _, fraction = f"{rounded:f}".partition(".")
    whole = whole.lstrip("0").rjust(least, "0")
    while fraction and decimals[len(fraction) - 1] != "0" and fraction[-1] == "0":
        fraction = fraction[:-1]
    return whole or ("" if decimals else "0" if least else ""), f".{fraction}" if fraction else ""


def _format_date(value: float, units: tuple[str, ...], *, since_1904: bool) -> str:
    decimals = len(re.findall(r"(?<=[sS])\.(0+)", "".join(units))) and sum(unit == "0" for unit in units)
    elapsed = next((match[1] for unit in units if (match := _ELAPSED.fullmatch(unit))), None)
    days = abs(value) if elapsed else value
    if not 0 <= days < _LAST_DAY:
        raise ValueError(value)
    instant = _instant(days, since_1904=since_1904, decimals=decimals)
    half = any(unit.casefold() in {"am/pm", "a/p", "오전/오후"} for unit in units)
    names = _names_of(units)
    shown: list[str] = []
    for number, unit in enumerate(units):
        letter = unit[0].lower()
        if letter in "ymdhs" and unit.casefold() == letter * len(unit):
            is_minute = letter == "m" and len(unit) <= _NUMBER_WIDTH and _is_minute(units, number)
            shown.append(_date_part(instant, "n" if is_minute else letter, len(unit), names, half=half))
        elif _is_asian_day(unit):
            asian = _KOREAN if names is _ENGLISH else names
            shown.append((asian.days if len(unit) > len("aaa") else asian.short_days)[instant.weekday()])
        elif _ELAPSED.fullmatch(unit):
            shown.append(str(_elapsed(days, unit[1].lower())))
        elif unit.casefold() in {"am/pm", "a/p"}:
            mark = names.halves[instant.hour >= _NOON]
            shown.append(mark[0] if len(unit) == len("a/p") and names is _ENGLISH else mark)
        elif unit == "오전/오후":
            shown.append(_KOREAN.halves[instant.hour >= _NOON])
        elif unit == "0":
            continue
        elif unit == "." and decimals and units[number + 1 : number + 2] == ("0",):
            shown.append(f".{instant.microsecond:06}"[: decimals + 1])
        else:
            shown.append("" if unit in {"@", ";"} else _literal(unit))
    return "".join(shown).strip()


def _instant(days: float, *, since_1904: bool, decimals: int) -> datetime:
    if since_1904:
        start = datetime(1904, 1, 1)  # noqa: DTZ001 - a spreadsheet's times have no zone
    else:
        start = datetime(1899, 12, 30) if days >= _LEAP_BUG else datetime(1899, 12, 31)  # noqa: DTZ001
    step = 10 ** (6 - min(decimals, 6))
    microseconds = round(days * 86_400_000_000 / step) * step
    return start + timedelta(microseconds=microseconds)


def _is_minute(units: tuple[str, ...], number: int) -> bool:
    """Return True if `m` stands beside hours or seconds, where it is minutes and not a month."""

    def letters(found: tuple[str, ...]) -> list[str]:
        return [
            unit.strip("[]")[0].lower()
            for unit in found
            if unit.strip("[]")[:1].lower() in set("ymdhs") and (unit[0] != "[" or _ELAPSED.fullmatch(unit))
        ]

    before, after = letters(units[:number]), letters(units[number + 1 :])
    return before[-1:] == ["h"] or after[:1] == ["s"]


def _is_asian_day(unit: str) -> bool:
    """Return True for `aaa` and `aaaa`, which are names of days where East Asian programs write them."""
    return unit.casefold() in {"aaa", "aaaa"}


def _names_of(units: tuple[str, ...]) -> _Names:
    """Return the names of the language that a code names, such as `[$-412]`; English ones without a known language."""
    for unit in units:
        if match := _LANGUAGE.fullmatch(unit):
            number = int(match[1], 16) & _PRIMARY_LANGUAGE if match[1] else 0
            return _NAMES.get(match[2].lower() if match[2] else _LANGUAGE_CODES.get(number, ""), _ENGLISH)
    return _ENGLISH


def _date_part(instant: datetime, letter: str, width: int, names: _Names, *, half: bool) -> str:
    match letter, width:
        case "y", (1 | 2):
            shown = f"{instant.year % 100:02}"
        case "y", _:
            shown = f"{instant.year:04}"
        case "m", 3:
            shown = names.short_months[instant.month - 1]
        case "m", 5 if names is _ENGLISH:
            shown = names.months[instant.month - 1][0]
        case "m", _ if width > _NUMBER_WIDTH:
            shown = names.months[instant.month - 1]
        case "d", 3:
            shown = names.short_days[instant.weekday()]
        case "d", _ if width > _NUMBER_WIDTH:
            shown = names.days[instant.weekday()]
        case _:
            hour = (instant.hour - 1) % 12 + 1 if half else instant.hour
            numbers = {
                "h": hour,
                "m": instant.month,
                "d": instant.day,
                "n": instant.minute,
                "s": instant.second,
            }
            shown = f"{numbers[letter]:0{min(width, _NUMBER_WIDTH)}}"
    return shown


def _elapsed(days: float, letter: str) -> int:
    return int(round(days * 86_400) / {"h": 3600, "m": 60, "s": 1}[letter])
