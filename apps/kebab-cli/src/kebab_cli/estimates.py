"""How long a run will take, told once for its files and once for its vectors, where that is more than a minute."""

from __future__ import annotations

from datetime import datetime, timedelta

from kebab_core import (
    AssetFinished,
    EmbedBatchFinished,
    EmbedBatchStarted,
    IngestEvent,
    IngestResult,
)

from kebab_cli.language import tr
from kebab_cli.views.ingest import format_duration

_AFTER = timedelta(seconds=3)
"""Time over which the speed is measured at least."""
_FEW = 20
"""Files or passages from which on `_AFTER` is enough; the speed of fewer is measured for `_LONG`."""
_LONG = timedelta(seconds=15)
_WORTH_TELLING_S = 60


class Estimate:
    """Measures the speed of a run by its events, as long as it has not told how long the rest takes."""

    def __init__(self) -> None:
        self._read_since: datetime | None = None
        self._read = 0
        self._embedded_since: datetime | None = None
        self._embedded_before = 0
        self._has_told_reading = self._has_told_vectors = False

    def look(self, event: IngestEvent) -> str | None:
        """Take an event into account; return the line to be told, if it is time for one."""
        match event:
            case AssetFinished() if self._read_since is not None:
                self._read += event.result not in {IngestResult.UNCHANGED, IngestResult.REMOVED}
                left = _time_left(event.ts - self._read_since, self._read, event.total - event.idx)
                if left is not None and not self._has_told_reading:
                    self._has_told_reading = True
                    return tr(
                        "reading takes about {time}; Ctrl-C stops it, finished files are kept", time=left
                    )
            case AssetFinished():
                self._read_since = event.ts  # the first file takes the start of the worker processes too
            case EmbedBatchStarted() if self._embedded_since is None:
                self._embedded_since, self._embedded_before = event.ts, event.done
            case EmbedBatchFinished() if self._embedded_since is not None:
                done = event.done - self._embedded_before
                left = _time_left(event.ts - self._embedded_since, done, event.total - event.done)
                if left is not None and not self._has_told_vectors:
                    self._has_told_vectors = True
                    return tr(
                        "vectors take about {time}; Ctrl-C stops it, finished vectors are kept", time=left
                    )
        return None


def _time_left(passed: timedelta, done: int, rest: int) -> str | None:
    """Word the time that the rest takes; None where it is too early to say, or not worth it."""
    if done < 1 or passed < (_AFTER if done >= _FEW else _LONG):
        return None
    seconds = rest * passed.total_seconds() / done
    return format_duration(seconds) if seconds > _WORTH_TELLING_S else None
