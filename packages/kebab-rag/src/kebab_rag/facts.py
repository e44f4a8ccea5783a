"""Figures, dates and times of a text, normalised, so that two wordings of one fact are equal.

3천만 원 and 삼천만 원 are 30,000,000 won, 10월 3일 is Oct 3, 5% is 5 percent, 오후 3시 is 15:00, 일곱 번 is seven times. Nothing is converted:
90 minutes are not an hour and a half.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from kebab_core import ClaimCheck
from kebab_text import fold_forms

_UNITS_TEXT = """
won 원 won krw ₩
dollar 달러 불 dollars dollar usd $
euro 유로 euros euro eur €
yen 엔 yen jpy ¥
pound 파운드 pounds gbp £
percent % 퍼센트 프로 percent pct ％
second 초 seconds second secs sec s
millisecond 밀리초 milliseconds millisecond ms
minute 분 minutes minute mins min
hour 시간 hours hour hrs hr h
day 일간 일 days day
week 주일 주간 주 weeks week
month 개월 달 months month
year 년간 년 years year yrs
kilometre 킬로미터 km kilometers kilometres kilometer kilometre
metre 미터 meters metres meter metre m
centimetre 센티미터 센티 cm
millimetre 밀리미터 mm
kilogram 킬로그램 킬로 kilograms kilogram kg
gram 그램 grams gram g
milligram 밀리그램 milligrams milligram mg
litre 리터 liters litres liter litre l
millilitre 밀리리터 millilitres milliliters ml
degree 도 degrees degree ℃ °c °
kilobyte 킬로바이트 kib kb
megabyte 메가바이트 메가 mib mb
gigabyte 기가바이트 기가 gib gb
terabyte 테라바이트 tib tb
person 명 사람 people persons person
time 번 회 차례 times
fold 배 fold
"""
_UNITS: Mapping[str, str] = {
    spelling: words[0]
    for line in _UNITS_TEXT.strip().splitlines()
    if (words := line.split())
    for spelling in words[1:]
}
"""The unit of each spelling; equal units have one name."""
_PREFIXES = ("krw", "usd", "eur", "jpy", "gbp", "₩", "$", "€", "¥", "£")
_LATIN_UNITS = "|".join(
    sorted((re.escape(unit) for unit in _UNITS if re.match(r"[a-z]", unit)), key=len, reverse=True)
)
_OTHER_UNITS = "|".join(
    sorted((re.escape(unit) for unit in _UNITS if not re.match(r"[a-z]", unit)), key=len, reverse=True)
)
_UNIT = rf"\s?+(?:(?P<unit>{_OTHER_UNITS})|(?P<latin>{_LATIN_UNITS})(?![a-z]))"
_DIGITS = r"\d{1,3}(?:,\d{3}){1,6}+(?:\.\d{1,9}+)?+|\d{1,18}+(?:\.\d{1,9}+)?+"
_SCALED = r"(?:\d{1,3}(?:,\d{3}){0,4}+(?:\.\d{1,4}+)?+|\d{1,9}+(?:\.\d{1,4}+)?+)\s?+(?:[십백천]\s?[조억만]|[조억만]|[십백천])"
_NUMBER = re.compile(
    rf"(?:(?P<prefix>{'|'.join(map(re.escape, _PREFIXES))})\s?+)?+(?<![\w.])"
    rf"(?:(?P<scaled>{_SCALED}(?:\s?+{_SCALED}){{0,3}}+(?:\s?+\d{{1,4}}+)?+)"
    rf"|(?P<version>\d{{1,9}}+(?:\.\d{{1,9}}+){{2,5}}+)|(?P<digits>{_DIGITS}))"
    rf"(?:\s(?P<scale>hundred|thousand|million|billion|trillion)\b)?+(?:{_UNIT})?+(?![a-z_]|\.?\d)",
    re.IGNORECASE,
)
_PART = re.compile(r"([\d,.]{1,24}+)\s?+([십백천]?)\s?+([조억만]?)")
_SMALL = {"십": 10, "백": 100, "천": 1000, "": 1}
_LARGE = {"만": 10**4, "억": 10**8, "조": 10**12}
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORDS = {
    word: value
    for value, words in enumerate(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ],
        start=1,
    )
    for word in [words]
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_NATIVE_ONES = {
    "한": 1,
    "두": 2,
    "세": 3,
    "네": 4,
    "다섯": 5,
    "여섯": 6,
    "일곱": 7,
    "여덟": 8,
    "아홉": 9,
}
_NATIVE_TENS = {
    "열": 10,
    "스물": 20,
    "서른": 30,
    "마흔": 40,
    "쉰": 50,
    "예순": 60,
    "일흔": 70,
    "여든": 80,
    "아흔": 90,
}
_NATIVE = (
    _NATIVE_ONES
    | _NATIVE_TENS
    | {"스무": 20}
    | {ten + one: tens + ones for ten, tens in _NATIVE_TENS.items() for one, ones in _NATIVE_ONES.items()}
)
_COUNTER = r"(?:번째|번|개월|개|명|시간|시|살|달|가지|곳|권|대|장|마리|차례|배|사람|주|쪽|줄|잔|층|편|단계)"
_COUNTED = re.compile(rf"\d[\d,.]{{0,24}}\s?+{_COUNTER}")
_WORD_NUMBER = re.compile(
    rf"\b(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b(?:[\s-]?(?:{_UNIT}))?+"
    rf"|(?<![가-힣])(?P<native>{'|'.join(sorted(_NATIVE, key=len, reverse=True))})\s?+(?P<counter>{_COUNTER})"
    rf"|(?<![가-힣\d.])(?<!\d\s)(?P<sino>(?:[일이삼사오육칠팔구]?+[십백천만억조]){{1,9}}+[일이삼사오육칠팔구]?+)\s?+"
    rf"(?P<sino_unit>{_OTHER_UNITS}|{_COUNTER})",
    re.IGNORECASE,
)
_SINO_DIGITS = {digit: value for value, digit in enumerate("일이삼사오육칠팔구", start=1)}
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
DATE = re.compile(
    r"(?<![\d.])(?P<iy>\d{4})[-./](?P<im>\d{1,2})[-./](?P<id>\d{1,2})(?![\d])"
    r"|(?:(?P<ky>\d{4})년\s{0,2}+)?(?<!\d)(?P<km>\d{1,2})월(?:\s{0,2}+(?P<kd>\d{1,2})일)?+|(?<!\d)(?P<yo>\d{4})년(?!간)"
    rf"|\b{_MONTH.format('em')}\s(?P<ed>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<ey>\d{{4}})\b)?+"
    rf"|\b(?P<dd>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH.format('dm')}(?:,?\s(?P<dy>\d{{4}})\b)?+"
    rf"|\b{_MONTH.format('mm')}\s(?P<my>\d{{4}})\b"
    r"|\b(?P<mo>january|february|april|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:(?P<part>오전|오후|새벽|아침|낮|저녁|밤)\s?+)?+(?<![\d:])(?P<kh>\d{1,2})시(?!간)(?:\s?+(?P<kmin>\d{1,2})분|\s?+(?P<half>반))?+"
    r"|(?<![\d:])(?P<h>\d{1,2}):(?P<min>\d{2})(?![\d:])(?:\s?+(?P<ampm>[ap])\.?m\b\.?)?+"
    r"|(?<![\d:])(?P<eh>\d{1,2})\s?+(?P<eap>[ap])\.?m\b\.?",
    re.IGNORECASE,
)
_NOON, _DAWN = 12, 5
_AFTERNOON = frozenset({"오후", "낮", "저녁", "밤", "p"})
_YEARS = range(1000, 2200)
_DAY = 12 * 60


class _Date(NamedTuple):
    year: int | None
    month: int | None
    day: int | None


class _Time(NamedTuple):
    minutes: int
    is_sure: bool
    """False where forenoon and afternoon are both possible."""


class Facts:
    """The facts of a text.

    Args:
        text: Any text.
        is_claim: Leave out what only looks like a figure: `one` and `한` are mostly articles.
    """

    def __init__(self, text: str, *, is_claim: bool = False) -> None:
        self.numbers: dict[Decimal | str, set[str]] = defaultdict(set)
        """Units of each number; an empty name for none. Versions such as 1.2.3 are text."""
        self.dates: set[_Date] = set()
        self.times: set[_Time] = set()
        self.shown: dict[object, str] = {}
        """Each fact as it stands in the text."""
        self._text = text = fold_forms(text).text
        text = self._take_times(self._take_dates(text))
        for value, unit, shown in [*_find_numbers(text), *_find_words(text, is_claim=is_claim)]:
            self.numbers[value].add(unit)
            self.shown.setdefault(value, shown)

    def __bool__(self) -> bool:
        return bool(self.numbers or self.dates or self.times)

    def adds_to(self, other: Facts) -> bool:
        """Return True if a fact is not in another text, or a figure not with its unit."""
        has_figure = any(
            value not in other.numbers or units - other.numbers[value]
            for value, units in self.numbers.items()
        )
        return has_figure or bool(self.dates - other.dates or self.times - other.times)

    def find_missing(self, support: Facts) -> tuple[ClaimCheck, str] | None:
        """Return the check and the text of the first fact that another text does not hold; None if it holds all."""
        for date in self.dates:
            if not support._holds_date(date):
                return ClaimCheck.DATE, self.shown[date]
        for time in self.times:
            if not any(_is_same_time(time, other) for other in support.times):
                return ClaimCheck.DATE, self.shown[time]
        for value, units in self.numbers.items():
            held = support.numbers.get(value) or support._parts_of_dates().get(value)
            if held is None:
                return ClaimCheck.FIGURE, self.shown[value]
            strange = units - {""} - held
            if strange and ("" not in held or not all(support.names_unit(unit) for unit in strange)):
                return ClaimCheck.UNIT, self.shown[value]
        return None

    def names_unit(self, unit: str) -> bool:
        """Return True if the text has a unit anywhere, such as in the head of a table."""
        spellings = (re.escape(each) for each, name in _UNITS.items() if name == unit)
        return (
            re.search(rf"(?<![a-z])(?:{'|'.join(spellings)})(?![a-z])", self._text, re.IGNORECASE) is not None
        )

    def _holds_date(self, date: _Date) -> bool:
        years = {each.year for each in self.dates} | {int(each) for each in self.numbers if _is_year(each)}
        if date.month is None:
            return date.year in years
        return any(
            each.month == date.month
            and (date.day is None or each.day == date.day)
            and (date.year is None or each.year == date.year or (each.year is None and date.year in years))
            for each in self.dates
        )

    def _parts_of_dates(self) -> Mapping[Decimal | str, set[str]]:
        parts = defaultdict[Decimal | str, set[str]](set)
        for date in self.dates:
            for part, unit in zip(date, ("year", "month", "day"), strict=True):
                if part is not None:
                    parts[Decimal(part)].update((unit, ""))
        for time in self.times:
            parts[Decimal(time.minutes // 60)].add("")
        return parts

    def _take_dates(self, text: str) -> str:
        def take(match: re.Match[str]) -> str:
            parts = {name: value for name, value in match.groupdict().items() if value}
            year = (
                parts.get("iy")
                or parts.get("ky")
                or parts.get("yo")
                or parts.get("ey")
                or parts.get("dy")
                or parts.get("my")
            )
            month = parts.get("im") or parts.get("km")
            named = parts.get("em") or parts.get("dm") or parts.get("mm") or parts.get("mo")
            day = parts.get("id") or parts.get("kd") or parts.get("ed") or parts.get("dd")
            number = _MONTHS[named[:3].lower()] if named else int(month) if month else None
            date = _Date(int(year) if year else None, number, int(day) if day else None)
            self.dates.add(date)
            self.shown.setdefault(date, match[0].strip())
            return " "

        return DATE.sub(take, text)

    def _take_times(self, text: str) -> str:
        def take(match: re.Match[str]) -> str:
            hour = int(match["kh"] or match["h"] or match["eh"])
            minute = int(match["kmin"] or match["min"] or (30 if match["half"] else 0))
            part = (match["part"] or match["ampm"] or match["eap"] or "").lower()
            is_late = part in _AFTERNOON and hour < _NOON and not (part == "밤" and hour < _DAWN)
            hour = 0 if part in {"a", "오전"} and hour == _NOON else hour + _NOON * is_late
            time = _Time(hour * 60 + minute, bool(part) or hour > _NOON or hour == 0)
            self.times.add(time)
            self.shown.setdefault(time, match[0].strip())
            return " "

        return _TIME.sub(take, text)


def strip_figures(text: str) -> str:
    """Return a text without its figures and their units."""
    for pattern in (DATE, _TIME, _COUNTED, _NUMBER, _WORD_NUMBER):
        text = pattern.sub(" _", text)  # a particle behind it stays behind something
    return text


def write_digits(text: str) -> str:
    """Return a text with its Korean numerals as digits, `스물세 명` as `23명`."""

    def write(match: re.Match[str]) -> str:
        if match["word"]:
            return match[0]
        unit = match["counter"] or match["sino_unit"]
        return f"{_read_sino(match['sino']) if match['sino'] else _NATIVE[match['native']]}{unit}"

    return _WORD_NUMBER.sub(write, text)


def _is_same_time(one: _Time, other: _Time) -> bool:
    if one.minutes == other.minutes:
        return one.is_sure <= other.is_sure
    return not one.is_sure and abs(one.minutes - other.minutes) == _DAY


def _is_year(value: Decimal | str) -> bool:
    return isinstance(value, Decimal) and value == value.to_integral_value() and int(value) in _YEARS


def _find_numbers(text: str) -> Iterator[tuple[Decimal | str, str, str]]:
    for match in _NUMBER.finditer(text):
        unit = _UNITS.get((match["unit"] or match["latin"] or match["prefix"] or "").lower(), "")
        shown = match[0].strip()
        if match["version"]:
            yield match["version"], "", shown
            continue
        try:
            value = (
                _read_scaled(match["scaled"])
                if match["scaled"]
                else Decimal(match["digits"].replace(",", ""))
            )
        except InvalidOperation:
            continue
        yield (value * _SCALES.get((match["scale"] or "").lower(), 1)).normalize(), unit, shown


def _read_scaled(text: str) -> Decimal:
    total = below = Decimal(0)
    for digits, small, large in _PART.findall(text):
        below += Decimal(digits.strip(",.").replace(",", "")) * _SMALL[small]
        if large:
            total += below * _LARGE[large]
            below = Decimal(0)
    return total + below


def _read_sino(text: str) -> int:
    total = below = digit = 0
    for char in text:
        if char in _SINO_DIGITS:
            digit = _SINO_DIGITS[char]
        elif char in _SMALL:
            below, digit = below + (digit or 1) * _SMALL[char], 0
        else:
            total, below, digit = total + (below + digit or 1) * _LARGE[char], 0, 0
    return total + below + digit


def _find_words(text: str, *, is_claim: bool) -> Iterator[tuple[Decimal | str, str, str]]:
    for match in _WORD_NUMBER.finditer(text):
        if match["sino"]:
            value = _read_sino(match["sino"])
        else:
            value = _WORDS[match["word"].lower()] if match["word"] else _NATIVE[match["native"]]
        if is_claim and value == 1:
            continue
        unit = (match["unit"] or match["latin"] or match["counter"] or match["sino_unit"] or "").lower()
        unit = "" if unit == "번" else _UNITS.get(unit, "")  # both a count and the number of a thing
        yield Decimal(value), unit, match[0].strip()
