"""How far a run is: every result is counted, listed and told."""

from __future__ import annotations

from kebab_core import AssetFinished, AssetStarted, Clock, IngestItem, IngestResult, SourceEntry

from kebab_app.ingest.events import EventStream
from kebab_app.ingest.file import skipped_path
from kebab_app.ingest.tally import Tally


class Progress:
    """Numbers the files of a run from 1 to `total` and passes their results on.

    Args:
        events: Gets the events.
        tally: Counts.
        clock: Stamps events and measures files.
    """

    def __init__(self, events: EventStream, tally: Tally, clock: Clock) -> None:
        self.total = 0
        self._events = events
        self._tally = tally
        self._clock = clock
        self._index = 0
        self._started_ms: int | None = None

    def start(self, entry: SourceEntry) -> None:
        """Say that work on a file begins; `finish` follows."""
        self._started_ms = self._clock.monotonic_ms()
        self._index += 1
        self._events.emit(
            AssetStarted(
                ts=self._clock.now(),
                idx=self._index,
                total=self.total,
                path=entry.workspace_path,
                media=entry.media_type.kind,
            )
        )

    def finish(self, item: IngestItem, *, prepared_ms: int = 0) -> None:
        """Count a file and say what became of it; one that was not started was no work.

        Args:
            item: The result.
            prepared_ms: Work on it that was done beside other files.
        """
        if self._started_ms is None:
            self._index += 1
            took_ms = 0
        else:
            took_ms = max(prepared_ms, self._clock.monotonic_ms() - self._started_ms)
        self._started_ms = None
        if item.kind is IngestResult.SKIPPED:
            self._tally.skip(skipped_path(item))
        else:
            self._tally.add(item)
        self._events.emit(
            AssetFinished(
                ts=self._clock.now(),
                idx=self._index,
                total=self.total,
                path=item.doc_path,
                result=item.kind,
                chunks=item.chunk_count or 0,
                ms=took_ms,
            )
        )
