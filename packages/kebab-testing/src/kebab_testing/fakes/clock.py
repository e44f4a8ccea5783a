"""A clock that stands still until it is moved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
"""Where a `FixedClock` starts unless told otherwise."""


class FixedClock:
    """Implements `Clock`; both of its times move by `advance` only."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._elapsed = timedelta()

    def now(self) -> datetime:
        """Return the present in UTC."""
        return self._now + self._elapsed

    def monotonic_ms(self) -> int:
        """Return milliseconds since the clock was made."""
        return self._elapsed // timedelta(milliseconds=1)

    def advance(self, by: timedelta) -> None:
        """Move the clock forward."""
        self._elapsed += by
