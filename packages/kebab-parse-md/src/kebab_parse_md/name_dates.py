"""Dates in the names of files, such as those of daily notes: `2025-05-03.md`, `2025년 5월 3일 회의.md`, `2025-W18.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import PurePosixPath
from typing import NamedTuple

_YEAR = r"(?P<{0}y>(?:19|20)\d\d)"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<{0}m>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<{0}d>\d{{1,2}})(?:st|nd|rd|th)?"
_BLANK = r"[\s_,-]{1,3}"
_DATE = re.compile(
    # 2025-05-03, 2025.5.3, 2025_05_03, 2025/05/03 as folders, 2025년 5월 3일
    rf"(?<!\d)(?<!\d\.){_YEAR.format('n')}\s?[-._/년]\s?(?P<nm>\d{{1,2}})\s?[-._/월]\s?(?P<nd>\d{{1,2}})(?!\.?\d)"
    # 20250503, and 202505031230 as in the names of a card index
    rf"|(?<!\d){_YEAR.format('c')}(?P<cm>\d\d)(?P<cd>\d\d)(?:\d{{4}}|\d{{6}})?(?!\d)"
    # 2025-W18
    rf"|(?<!\d){_YEAR.format('w')}-?w(?P<week>\d\d)(?!\d)"
    # May 3rd, 2025; 3 May 2025
    rf"|(?<![a-z]){_MONTH.format('e')}{_BLANK}{_DAY.format('e')}{_BLANK}{_YEAR.format('e')}(?!\d)"
    rf"|(?<!\d){_DAY.format('b')}{_BLANK}{_MONTH.format('b')}{_BLANK}{_YEAR.format('b')}(?!\d)",
    re.IGNORECASE,
)
_FOLDERS = 2
"""Folders above a file that can hold the year and the month of its day."""
_SIX_DAYS = timedelta(days=6)


class NameDates(NamedTuple):
    """The days that the name of a file gives, as midnights of this machine, in UTC."""

    first: datetime
    last: datetime


def find_name_dates(path: str) -> NameDates | None:
    """Return the first and the last day in the name of a file; the folders above it may hold the year and the month.

    Day and week count; the last day of a week is its Sunday (ISO 8601). A name with a month or a year alone, or with a day
    that no calendar has, gives nothing.
    """
    *folders, name = path.split("/")
    stem = PurePosixPath(name).stem
    whole = "/".join((*folders[-_FOLDERS:], stem))
    days = [
        day
        for found in _DATE.finditer(whole)
        if found.end() > len(whole) - len(stem)
        for day in _read_days(found)
    ]
    return NameDates(_midnight(min(days)), _midnight(max(days))) if days else None


def _read_days(found: re.Match[str]) -> Iterator[date]:
    parts = {name[-1]: value for name, value in found.groupdict().items() if value}
    year = int(parts["y"])
    try:
        if week := found["week"]:
            monday = date.fromisocalendar(year, int(week), 1)
            yield from (monday, monday + _SIX_DAYS)
        else:
            month = parts["m"].lower()
            number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
            yield date(year, number, int(parts["d"]))
    except ValueError:
        return


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time()).astimezone(UTC)
