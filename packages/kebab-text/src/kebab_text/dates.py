"""Dates of days in a text: Korean, English, ISO 8601 and its relatives, with one canonical spelling.

>>> [date.canonical for date in find_dates("5월 3일, May 3, 2025, 2025. 5. 3., 25/12/2025")]
['0000-05-03', '2025-05-03', '2025-05-03', '2025-12-25']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTHS = {
    "sept": 9,
    **{name[:3]: month for month, name in enumerate(_MONTH_NAMES, start=1)},
    **{name: month for month, name in enumerate(_MONTH_NAMES, start=1)},
}
_MONTH = "[JFMASONDjfmasond][AEPUCOaepuco][NBRYLGPTVCnbrylgptvc][A-Za-z]{0,6}"
"""A word that may be a month; what it begins with is told faster than what it is."""
_MONTH_BEFORE = re.compile(rf"(?<![A-Za-z])({_MONTH})\.?[ -]$")
_LONGEST_MONTH = len("September. ")
_ENGLISH_YEAR = r"(?:,?[ -](?P<{}>[0-9]{{4}})(?![0-9]))?"
_DATE = re.compile(
    # A set at the beginning is found fastest: the first digit of a number.
    r"[0-9](?<![0-9][0-9])(?<![0-9]\.[0-9])(?:[0-9]{3}(?:"
    r"(?P<sign>[-./_]) ?(?P<iso_month>[0-9]{1,2})(?P=sign) ?(?P<iso_day>[0-9]{1,2})(?![0-9]|\.[0-9])"
    r"|(?P<basic_month>[01][0-9])(?P<basic_day>[0-3][0-9])(?![0-9A-SU-Za-z]|\.[0-9])"
    r"|\s?[년年]\s?(?P<month>[0-9]{1,2})\s?[월月]\s?(?P<day>[0-9]{1,2})\s?[일日])"
    r"|[0-9]?(?![0-9])(?:"
    r"\s?[월月]\s?(?P<yearless_day>[0-9]{1,2})\s?[일日]"
    r"|(?P<slash>[-./])(?P<second>[0-9]{1,2})(?P=slash)(?P<last_year>[0-9]{4})(?![0-9]|\.[0-9])"
    rf"|(?:st|nd|rd|th)?(?: of)?[ -](?P<name>{_MONTH})\b\.?{_ENGLISH_YEAR.format('name_year')}"
    r"|(?:(?<=[yhletrnbgpvc.][ -][0-9])|(?<=[yhletrnbgpvc.][ -][0-9][0-9]))(?:st|nd|rd|th)?(?![A-Za-z:]|\.[0-9])"
    rf"(?P<after_name>){_ENGLISH_YEAR.format('named_year')})"
    r"|[0-9]{2}\s?[년年]\s?(?P<old_month>[0-9]{1,2})\s?[월月]\s?(?P<old_day>[0-9]{1,2})\s?[일日]"
    r")"
)
_NUMBER = re.compile("[0-9]+")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_YEARS = range(1, 3000)


class DateMention(NamedTuple):
    """A day that a text names.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last one.
        year: None where it is not named with the day.
        month: From 1.
        day: From 1.
    """

    start: int
    end: int
    year: int | None
    month: int
    day: int

    @property
    def canonical(self) -> str:
        """The date as in ISO 8601, with the year 0000 where it is not named."""
        return f"{self.year or 0:04}{self.day_of_year}"

    @property
    def yearless(self) -> str:
        """The canonical spelling of the same day without a year."""
        return f"0000{self.day_of_year}"

    @property
    def day_of_year(self) -> str:
        """The end of the canonical spelling, the same in every year: `-05-03`."""
        return f"-{self.month:02}-{self.day:02}"


def find_dates(text: str) -> Iterator[DateMention]:
    """Yield the dates of a text, in order.

    A date in numbers alone counts where it can be read in one way only: `05/03/2025` is no date, `25/03/2025` is one. Two digits
    are no year.
    """
    for match in _DATE.finditer(text):
        mention = _read(text, match)
        if mention is not None and _is_day(mention):
            yield mention


def spell_dates(text: str) -> str:
    """Insert its canonical spelling after each date that is spelled otherwise."""
    return _edit(
        text, lambda written, date: written if written == date.canonical else f"{written} {date.canonical}"
    )


def replace_dates(text: str) -> str:
    """Replace dates by their canonical spellings, the year left out where it is not named."""
    return _edit(text, lambda _, date: date.canonical if date.year else date.day_of_year)


def _edit(text: str, spell: Callable[[str, DateMention], str]) -> str:
    pieces: list[str] = []
    position = 0
    for date in find_dates(text):
        pieces += text[position : date.start], spell(text[date.start : date.end], date)
        position = date.end
    return "".join((*pieces, text[position:])) if pieces else text


def _is_day(date: DateMention) -> bool:
    return (
        1 <= date.month <= len(_DAYS)
        and 1 <= date.day <= _DAYS[date.month - 1]
        and (date.year is None or date.year in _YEARS)
    )


def _read(text: str, match: re.Match[str]) -> DateMention | None:
    start, end = match.span()
    number = _NUMBER.match(text, start)
    assert number is not None  # noqa: S101  (a match begins with a digit)
    first = int(number[0][:4])
    kind = match.lastgroup
    if kind in {"name", "name_year", "after_name", "named_year"}:
        return _read_english(text, match, day=first)
    if kind == "last_year":
        return _read_numbers(start, end, int(match["last_year"]), (first, int(match["second"])))
    if kind == "yearless_day":
        return DateMention(start, end, None, first, int(match["yearless_day"]))
    if kind == "basic_day" and not (_starts_word(text, start) and first // 100 in {19, 20}):
        return None
    of = next(prefix for prefix in ("iso_", "basic_", "", "old_") if match[f"{prefix}day"])
    return DateMention(start, end, first, int(match[f"{of}month"]), int(match[f"{of}day"]))


def _read_english(text: str, match: re.Match[str], *, day: int) -> DateMention | None:
    start, named = match.start(), match["name"]
    if not named:
        before = _MONTH_BEFORE.search(text, max(0, start - _LONGEST_MONTH), start)
        if before is None:
            return None
        start, named = before.start(), before[1]
    month, year = _MONTHS.get(named.lower()), match["name_year"] or match["named_year"]
    return None if month is None else DateMention(start, match.end(), int(year) if year else None, month, day)


def _starts_word(text: str, at: int) -> bool:
    return not at or not (text[at - 1].isascii() and text[at - 1].isalpha())


def _read_numbers(start: int, end: int, year: int, numbers: tuple[int, int]) -> DateMention | None:
    """Read day and month in either order; None where both orders are dates."""
    low, high = sorted(numbers)
    is_clear = high > len(_DAYS) or low == high
    return DateMention(start, end, year, low, high) if is_clear else None
