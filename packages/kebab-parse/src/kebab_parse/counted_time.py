"""Times that programs write as a count of seconds, milliseconds or microseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_TIME_WORDS = frozenset({
    "added",
    "at",
    "created",
    "date",
    "edited",
    "modified",
    "time",
    "timestamp",
    "ts",
    "updated",
    "visited",
})
_UNITS = ((10, 1.0), (13, 1e-3), (16, 1e-6))
"""Digits of the times from September 2001 to 2286, and seconds of a unit."""
_WEBKIT_DIGITS, _WEBKIT_SECONDS = 17, 11_644_473_600
"""Chrome counts microseconds from 1601."""


def show_counted_time(name: str, count: int | str) -> str:
    """Return the time of a field as `2026-03-13 06:21 UTC`; empty where its name or its digits are not those of a time.

    Args:
        name: Of the field: `time_added`, `dateAdded`, `edit-time`.
        count: Its value.
    """
    digits = str(count)
    if (
        not digits.isascii()
        or not digits.isdecimal()
        or _TIME_WORDS.isdisjoint(map(str.lower, _WORDS.findall(name)))
    ):
        return ""
    seconds = next((int(digits) * unit for size, unit in _UNITS if size == len(digits)), 0.0)
    if len(digits) == _WEBKIT_DIGITS:
        seconds = int(digits) * 1e-6 - _WEBKIT_SECONDS
    if seconds <= 0:
        return ""
    return f"{datetime.fromtimestamp(0, UTC) + timedelta(seconds=seconds):%Y-%m-%d %H:%M} UTC"
