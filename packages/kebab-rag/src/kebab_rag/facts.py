"""Figures, dates and times of a text, normalised, so that two wordings of one fact are equal.

3천만 원 and 삼천만 원 are 30,000,000 won, 10월 3일 is Oct 3, 5% is 5 percent, 오후 3시 is 15:00, 일곱 번 is seven times, 2019-07 is July 2019.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, combinations, product
from typing import NamedTuple, TypeGuard

from kebab_core import ClaimCheck
from kebab_text import find_dates, fold_forms, read_amount

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
time 회 차례 times
fold 배 fold
"""
_UNITS: Mapping[str, str] = {
    spelling: words[0]
    for line in _UNITS_TEXT.strip().splitlines()
    if (words := line.split())
    for spelling in words[1:]
}
"""The unit of each spelling; equal units have one name."""
_COUNTERS = (
    "번째|번|개월|개|명|시간|시|살|달|가지|곳|권|대|장|마리|차례|배|사람|주|쪽|줄|잔|층|편|단계|군데|종류"
)


def _one_of(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_OTHER_UNITS = _one_of([unit for unit in _UNITS if not unit[0].isascii() or not unit[0].isalpha()])
_UNIT = rf"\s?+(?:(?P<unit>{_OTHER_UNITS})|(?P<latin>{_one_of([unit for unit in _UNITS if unit[0].isascii() and unit[0].isalpha()])})(?![a-z]))"
_DIGITS = r"\d{1,3}(?:,\d{3}){1,6}+(?:\.\d{1,9}+)?+|\d{1,18}+(?:\.\d{1,9}+)?+"
_SCALED = r"(?:\d{1,3}(?:,\d{3}){0,4}+(?:\.\d{1,4}+)?+|\d{1,9}+(?:\.\d{1,4}+)?+)\s?+(?:[십백천]\s?[조억만]|[조억만]|[십백천](?!분))"
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_NUMBER = re.compile(
    r"(?:(?P<prefix>krw|usd|eur|jpy|gbp|[₩$€¥£])\s?+)?+(?<![\w.])(?<![a-z]-)"
    rf"(?:(?P<scaled>{_SCALED}(?:\s?+{_SCALED}){{0,3}}+(?:\s?+(?:\d{{1,3}},\d{{3}}|\d{{1,4}})(?!\d))?+)"
    rf"|(?P<version>\d{{1,9}}+(?:\.\d{{1,9}}+){{2,5}}+)|(?P<digits>{_DIGITS})(?:st|nd|rd|th)?)"
    rf"(?:\s(?P<scale>{'|'.join(_SCALES)})\b)?+(?:{_UNIT})?+(?![a-z_]|\.?\d)",
    re.IGNORECASE,
)
_NAMED_SCALES = (
    ("천원", 1000),
    ("천 원", 1000),
    ("만원", 10**4),
    ("백만", 10**6),
    ("억", 10**8),
    *_SCALES.items(),
)
_SMALL = {"십": 10, "백": 100, "천": 1000, "": 1}
_LARGE = {"만": 10**4, "억": 10**8, "조": 10**12}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_DAYS = "하루 이틀 사흘 나흘 닷새 엿새 이레 여드레 아흐레 열흘"
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_WORDS = {word: at for at, word in enumerate(_ONES.split(), 1)} | {
    word: at * 10 for at, word in enumerate(_TENS.split(), 2)
}
_NATIVE_ONES = {
    word: at for at, word in enumerate(["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉"], 1)
}
_NATIVE_TENS = {
    word: at * 10
    for at, word in enumerate(["열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔"], 1)
}
_NATIVE = (
    _NATIVE_ONES
    | _NATIVE_TENS
    | {"스무": 20}
    | {day: at for at, day in enumerate(_DAYS.split(), 1)}
    | {ten + one: tens + ones for ten, tens in _NATIVE_TENS.items() for one, ones in _NATIVE_ONES.items()}
)
_WORD_NUMBER = re.compile(
    rf"\b(?P<word>{_one_of(list(_WORDS))})\b(?:[\s-]?(?:{_UNIT}))?+"
    rf"|(?<![가-힣])(?P<native>{_one_of(list(_NATIVE))})\s?+(?P<counter>{_COUNTERS}|(?<=[루틀흘새레]))"
    rf"|(?<![가-힣\d.])(?<!\d\s)(?P<sino>(?:[일이삼사오육칠팔구]?+[십백천만억조]){{1,9}}+[일이삼사오육칠팔구]?+)\s?+"
    rf"(?P<sino_unit>{_OTHER_UNITS}|{_COUNTERS})",
    re.IGNORECASE,
)
_SINO_DIGITS = {digit: value for value, digit in enumerate("일이삼사오육칠팔구", start=1)}
_MONTH_NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_PART_OF_DATE = re.compile(
    r"(?<!\d)(?P<y>\d{4})(?:년\s{0,2}+(?=\d\d?월)|[-./](?=(?:0[1-9]|1[0-2])(?![\d.-])))(?P<m>\d{1,2})월?|(?<!\d)(?P<km>\d{1,2})월|(?<!\d)(?P<ky>\d{4})년(?!간)"
    r"|(?<![\d/.])(?P<sm>1[0-2]|0?[1-9])/(?P<sd>3[01]|[12]\d|0?[1-9])(?![\d/.])"
    rf"|\b(?P<em>{_MONTH})\b\.?,?\s(?P<ey>\d{{4}})\b"
    r"|\b(?P<om>january|february|april|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
"""Of what is no whole day: month and year, a month, a year, and `12/09`, which may be a share, too."""
_TIME = re.compile(
    r"(?:(?P<part>오전|오후|새벽|아침|낮|저녁|밤)\s?+)?+(?<![\d:])(?P<kh>\d{1,2})시(?!간)(?:\s?+(?P<kmin>\d{1,2})분|\s?+(?P<half>반))?+"
    r"|(?<![\d:])(?P<h>\d{1,2}):(?P<min>\d{2})(?![\d:])(?:\s?+(?P<ampm>[ap])\.?m\b\.?)?+"
    r"|(?<![\d:])(?P<eh>\d{1,2})\s?+(?P<eap>[ap])\.?m\b\.?",
    re.IGNORECASE,
)
_NOON, _DAWN = 12, 5
_AFTERNOON = frozenset({"오후", "낮", "저녁", "밤", "p"})
_DAY_NAMES = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_WEEKDAY = re.compile(
    r"(?<![가-힣\d])(?<!\d\s)(?P<ko>[월화수목금토일])(?:요일|(?=[)·,|]|\s\d{1,2}(?:시|:)))"
    r"|(?P<full>mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?-i:\b(?P<short>Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b)",
    re.IGNORECASE,
)
_YEARS = range(1000, 2200)
_LOOSE_DIGITS = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:,\d{3}){1,6}+|\d{1,18}+)(?:\.\d{1,9}+)?+(?!\.?\d)")
_ORDINALS = {word: at for at, word in enumerate(_ORDINAL_WORDS.split(), 1)}
_MOST_FIGURES, _MOST_COLUMNS = 40, 12
"""Of a text from which others are derived: the first ones, and the columns of a table that are summed."""
_EXACT = 1e-6

Value = Decimal | str | tuple[int | None, int | None, int | None]


class Fact(NamedTuple):
    """A figure, date or time, with its place in the text in code points, half open."""

    check: ClaimCheck
    """`figure`, or `date` for a date, time or weekday."""
    value: Value
    """A number; the text of a version, of a weekday or of a time (`15:00`, and `?` where forenoon is not told); year, month
    and day."""
    unit: str
    """Empty for none."""
    start: int
    end: int


def read_facts(text: str) -> list[Fact]:
    """Return the facts of a text, in order."""
    folded = fold_forms(text)
    rest = folded.text
    found: list[Fact] = []
    for read in (_read_days, _read_parts_of_dates, _read_weekdays, _read_times, _read_numbers, _read_words):
        facts = list(read(rest))
        found += facts
        for each in facts:
            if not (each.check is ClaimCheck.DATE and rest[each.start : each.end].count("/") == 1):
                rest = rest[: each.start] + "\0" * (each.end - each.start) + rest[each.end :]
    found.sort(key=lambda each: each.start)
    places = [folded.source_range(each.start, each.end) for each in found]
    return [each._replace(start=start, end=end) for each, (start, end) in zip(found, places, strict=True)]


def _read_days(text: str) -> Iterator[Fact]:
    for day in find_dates(text):
        yield Fact(ClaimCheck.DATE, (day.year, day.month, day.day), "", day.start, day.end)


def _read_parts_of_dates(text: str) -> Iterator[Fact]:
    for match in _PART_OF_DATE.finditer(text):
        year = match["y"] or match["ky"] or match["ey"]
        month = match["m"] or match["km"] or match["sm"]
        name = match["em"] or match["om"]
        number = _MONTH_NAMES.index(name[:3].lower()) + 1 if name else int(month) if month else None
        day = int(match["sd"]) if match["sd"] else None
        yield Fact(ClaimCheck.DATE, (int(year) if year else None, number, day), "", *match.span())


def _read_times(text: str) -> Iterator[Fact]:
    for match in _TIME.finditer(text):
        hour = int(match["kh"] or match["h"] or match["eh"])
        minute = int(match["kmin"] or match["min"] or (30 if match["half"] else 0))
        part = (match["part"] or match["ampm"] or match["eap"] or "").lower()
        is_late = part in _AFTERNOON and hour < _NOON and not (part == "밤" and hour < _DAWN)
        hour = 0 if part in {"a", "오전"} and hour == _NOON else hour + _NOON * is_late
        is_sure = bool(part) or hour > _NOON or hour == 0 or match["h"] is not None
        yield Fact(ClaimCheck.DATE, f"{hour:02}:{minute:02}{'' if is_sure else '?'}", "time", *match.span())


def _read_weekdays(text: str) -> Iterator[Fact]:
    for match in _WEEKDAY.finditer(text):
        name = match["full"] or match["short"]
        day = _DAY_NAMES.index(name[:3].lower()) if name else "월화수목금토일".index(match["ko"])
        yield Fact(ClaimCheck.DATE, _DAY_NAMES[day], "weekday", *match.span())


def _read_numbers(text: str) -> Iterator[Fact]:
    for match in _NUMBER.finditer(text):
        unit = _UNITS.get((match["unit"] or match["latin"] or match["prefix"] or "").lower(), "")
        if match["version"]:
            yield Fact(ClaimCheck.FIGURE, match["version"], "", *match.span())
            continue
        digits = match["digits"]
        value = Decimal(digits.replace(",", "")) if digits else read_amount(match["scaled"])
        value *= _SCALES.get((match["scale"] or "").lower(), 1)
        yield Fact(ClaimCheck.FIGURE, value.normalize(), unit, *match.span())


def _read_words(text: str) -> Iterator[Fact]:
    for match in _WORD_NUMBER.finditer(text):
        if match["sino"]:
            value = _read_sino(match["sino"])
        else:
            value = _WORDS[match["word"].lower()] if match["word"] else _NATIVE[match["native"]]
        unit = (match["unit"] or match["latin"] or match["counter"] or match["sino_unit"] or "").lower()
        yield Fact(ClaimCheck.FIGURE, Decimal(value).normalize(), _UNITS.get(unit, ""), *match.span())


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


class FactBook:
    """The facts that a text holds.

    Args:
        text: Any text.
    """

    def __init__(self, text: str) -> None:
        self.facts = read_facts(text)
        self._text = text
        self._days = [each.value for each in self.facts if isinstance(each.value, tuple)]
        self._parts = {Decimal(part) for value in self._days for part in value if part is not None}
        self._years = {
            int(value)
            for each in self.facts
            if isinstance(value := each.value, Decimal) and value % 1 == 0 and int(value) in _YEARS
        } | {value[0] for value in self._days if value[0]}
        read = {at for each in self.facts for at in range(each.start, each.end)}
        self._loose = {
            Decimal(match[0].replace(",", ""))
            for match in _LOOSE_DIGITS.finditer(text)
            if match.start() not in read
        }
        """Figures that are part of a word (`12V`), or an ordinal in words."""
        self._loose |= {Decimal(at) for word, at in _ORDINALS.items() if word in text.lower()}
        self._numbers: dict[Value, set[str]] = {}
        for each in self.facts:
            if each.check is ClaimCheck.FIGURE:
                self._numbers.setdefault(each.value, set()).add(each.unit)

    def find_lack(self, fact: Fact) -> ClaimCheck | None:
        """Return the check that a fact of another text fails; None for one that is held."""
        if isinstance(fact.value, tuple):
            return None if self._holds_day(*fact.value) else ClaimCheck.DATE
        if fact.unit in {"time", "weekday"}:
            is_held = any(_is_same(fact, each) for each in self.facts) or self._holds_hour(str(fact.value))
            return None if is_held else ClaimCheck.DATE
        units = self._numbers.get(fact.value)
        if units is None and fact.value in self._parts | self._loose:
            return None
        if units is None:
            return ClaimCheck.FIGURE
        is_same = not fact.unit or fact.unit in units or "" in units
        return None if is_same else ClaimCheck.UNIT

    def can_derive(self, fact: Fact) -> bool:
        """Return True for what follows from the figures and dates of the text.

        That is a sum, difference, product or percentage of two figures, the sum of a run of them, the time between two dates, a
        figure in the thousands or so that the text names, and a figure or quotient that is rounded.
        """
        if not isinstance(fact.value, Decimal) or not fact.value or fact.value in self._numbers:
            return False
        value, (_, digits, exponent) = float(fact.value), fact.value.normalize().as_tuple()
        least = 10.0 ** int(exponent) / 2 if len(digits) > 1 else 0.0
        exact, rounded = self._derived
        return any(abs(value - each) < _EXACT * value for each in exact) or any(
            abs(value - each) <= least for each in rounded
        )

    @cached_property
    def _derived(self) -> tuple[frozenset[float], frozenset[float]]:
        """What is given by figures exactly, and what may be rounded."""
        figures = [float(each.value) for each in self.facts if isinstance(each.value, Decimal)]
        own = list(dict.fromkeys([*figures, *map(float, self._loose)]))[:_MOST_FIGURES]
        scales = [scale for name, scale in _NAMED_SCALES if name in self._text]
        exact = {one * scale for one in own for scale in scales}
        rounded = {*own}
        for one, other in combinations(own, 2):
            low, high = sorted((one, other))
            times = one * other
            exact |= {one + other, high - low, times, times / 100, times / 10, high * (100 - low) / 100}
            rounded |= {high / low, low / high, low / high * 100} if low else set()
        for start, step in product(range(min(len(figures), _MOST_FIGURES)), range(1, _MOST_COLUMNS)):
            exact.update(accumulate(figures[start::step][:_MOST_FIGURES]))
        days = [date(*value) for value in self._days if _is_day(value)]
        for first, last in combinations(days[:_MOST_FIGURES], 2):
            apart = abs((last - first).days)
            exact |= {apart, apart + 1, apart / 7}
        return frozenset(exact), frozenset(rounded)

    def _holds_hour(self, time: str) -> bool:
        """Return True for a full hour that is named by a number in English words ("at three")."""
        hour = Decimal(int(time[:2]) % _NOON) if time[2:] in {":00", ":00?"} else None
        return any(
            hour == each.value
            and self._text[each.start : each.end].isascii()
            and self._text[each.start : each.end].isalpha()
            for each in self.facts
        )

    def _holds_day(self, year: int | None, month: int | None, day: int | None) -> bool:
        if month is None:
            return year in self._years
        return any(
            each[1] == month
            and (day is None or each[2] == day or (each[2] is None and Decimal(day) in self._numbers))
            and (year is None or each[0] == year or (each[0] is None and year in self._years))
            for each in self._days
        )


def _is_day(value: tuple[int | None, int | None, int | None]) -> TypeGuard[tuple[int, int, int]]:
    year, month, day = (each or 0 for each in value)
    return year in _YEARS and month in range(1, 13) and 1 <= day <= monthrange(year, month)[1]


def _is_same(one: Fact, other: Fact) -> bool:
    if one.unit != "time" or one.unit != other.unit or not {type(one.value), type(other.value)} <= {str}:
        return one.value == other.value
    first, second = str(one.value), str(other.value)
    is_open = "?" in first
    if "?" in second and not is_open:
        return False
    apart = abs(int(first[:2]) - int(second[:2]))
    return first[2:5] == second[2:5] and (apart == 0 or (is_open and apart == _NOON))
