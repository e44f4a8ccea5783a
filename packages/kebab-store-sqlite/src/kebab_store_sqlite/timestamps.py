"""Instants as text that sorts by time."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp(at: datetime) -> str:
    """Return an aware instant as RFC 3339 in UTC with six decimals: equal width, so text order is time order."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def optional_instant(text: str | None) -> datetime | None:
    """Return the instant that `timestamp` wrote, None for None."""
    return None if text is None else datetime.fromisoformat(text)


def time_text(nanoseconds: int | None) -> str | None:
    """Return a file's time as text: file systems use all 64 bits and SQLite has 63."""
    return None if nanoseconds is None else str(nanoseconds)
