"""The machine's clock: the only place where kebab reads the time."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """`kebab_core.Clock` over the operating system."""

    def now(self) -> datetime:
        """Return the present in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - the one reader of the clock

    def monotonic_ms(self) -> int:
        """Return milliseconds from an arbitrary start."""
        return time.monotonic_ns() // 1_000_000
