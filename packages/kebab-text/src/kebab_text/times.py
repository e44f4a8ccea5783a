"""Points in time as people type them, in English and Korean."""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches

_DAYS_AGO = {"today": 0, "yesterday": 1, "오늘": 0, "어제": 1, "그제": 2, "그저께": 2}
_PERIODS = {
    "this week": ("week", 0),
    "last week": ("week", 1),
    "this month": ("month", 0),
    "last month": ("month", 1),
    "this year": ("year", 0),
    "last year": ("year", 1),
    "이번 주": ("week", 0),
    "지난 주": ("week", 1),
    "이번 달": ("month", 0),
    "지난 달": ("month", 1),
    "올해": ("year", 0),
    "작년": ("year", 1),
}
_UNITS = {
    "hour": ("h", "hour", "hours", "시간"),
    "day": ("d", "day", "days", "일"),
    "week": ("w", "week", "weeks", "주", "주일"),
    "month": ("mo", "month", "months", "달", "개월"),
    "year": ("y", "year", "years", "년"),
}
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in names}
_AGO = re.compile(r"(\d{1,6})\s*([a-z]+|[가-힣]+?)(?:\s*(?:ago|전))?")
_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_YEAR = re.compile(r"\d{4}")
_MONTHS_OF = {"month": 1, "year": 12}
_TICK = timedelta(microseconds=1)
"""The resolution of stored times."""


def parse_time(text: str, *, now: datetime, to_end: bool = False) -> datetime:
    """Parse a point in time.

    Args:
        text: RFC 3339 (a date alone is its midnight, a time without zone is local); a month (`2026-10`) or year, which is
            its first midnight; `today`, `yesterday`, `last week`, `이번 달`, which are the first midnight of it; a time
            ago (`7d`, `2 weeks`, `3개월 전`).
        now: The present, with a zone.
        to_end: Return the last microsecond of a day, week, month or year that is named, not its first.

    Returns:
        The time in UTC. A day begins at midnight of this machine, a week on Monday.

    Raises:
        ValueError: It is none of these, or beyond the calendar.
    """
    said = " ".join(text.lower().split())
    try:
        period = _parse_period(said, now.astimezone().date())
        if period is not None:
            first, unit = period
            return (_midnight(_next_period(first, unit)) - _TICK if to_end else _midnight(first)).astimezone(
                UTC
            )
        return (_parse_ago(said, now.astimezone()) or datetime.fromisoformat(text)).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(text) from error


def find_time_word(text: str) -> str | None:
    """Find the word for a time that a misspelt one is nearest to, such as `yesterday`; None where none is near."""
    spelled = {unicodedata.normalize("NFD", word): word for word in (*_DAYS_AGO, *_PERIODS)}
    found = get_close_matches(unicodedata.normalize("NFD", " ".join(text.lower().split())), spelled, n=1)
    return spelled[found[0]] if found else None


def _parse_period(said: str, today: date) -> tuple[date, str] | None:
    """Parse a day, week, month or year: its first day and its unit; None for what is in no such form.

    Raises:
        ValueError: It is beyond the calendar.
        OverflowError: As that.
    """
    if said in _DAYS_AGO:
        return today - timedelta(days=_DAYS_AGO[said]), "day"
    period = _PERIODS.get(said) or _PERIODS.get(re.sub(r"(?<=이번|지난)(?=[주달])", " ", said))
    if period is not None:
        return _first_day(*period, today=today), period[0]
    if _YEAR.fullmatch(said):
        return date(int(said), 1, 1), "year"
    if month := _MONTH.fullmatch(said):
        return date(int(month[1]), int(month[2]), 1), "month"
    with suppress(ValueError):
        return date.fromisoformat(said), "day"
    return None


def _parse_ago(said: str, now: datetime) -> datetime | None:
    """Parse a time ago; None for what is in no such form."""
    ago = _AGO.fullmatch(said)
    return None if ago is None or ago[2] not in _UNIT_OF else _before(now, int(ago[1]), _UNIT_OF[ago[2]])


def _next_period(first: date, unit: str) -> date:
    """Return the first day of the period after the one that begins on a day."""
    if unit in _MONTHS_OF:
        return _months_before(first, -_MONTHS_OF[unit])
    return first + timedelta(days=7 if unit == "week" else 1)


def _first_day(unit: str, ago: int, *, today: date) -> date:
    """Return the first day of the week, month or year that many before this one."""
    if unit == "week":
        return today - timedelta(days=today.weekday() + 7 * ago)
    return _months_before(
        today.replace(day=1, **({"month": 1} if unit == "year" else {})), ago * _MONTHS_OF[unit]
    )


def _before(now: datetime, count: int, unit: str) -> datetime:
    if unit in _MONTHS_OF:
        return datetime.combine(
            _months_before(now.date(), count * _MONTHS_OF[unit]), now.timetz()
        ).astimezone()
    return now - timedelta(**{f"{unit}s": count})


def _months_before(day: date, count: int) -> date:
    """Return the same day of an earlier month, or its last day where that is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 - count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time()).astimezone()
