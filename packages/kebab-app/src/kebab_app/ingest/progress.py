"""How far a run is: every result is counted, listed and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kebab_core import (
    AssetFinished,
    AssetStarted,
    Clock,
    IngestItem,
    IngestResult,
    SkippedPath,
    SourceEntry,
    WorkspacePath,
)

from kebab_app.ingest.events import EventStream
from kebab_app.ingest.file import skipped_path
from kebab_app.ingest.tally import Tally


class Progress:
    """Numbers the files of a run from 1 to `total` and passes their results on.

    Args:
        events: Gets the events.
        tally: Counts.
        clock: Stamps events and measures files.
        is_watched: Whether anybody wants to hear of files that were not looked into.
    """

    def __init__(self, events: EventStream, tally: Tally, *, clock: Clock, is_watched: bool = True) -> None:
        self.total = 0
        self._events = events
        self._tally = tally
        self._clock = clock
        self._is_watched = is_watched
        self._index = 0
        self._started_ms: int | None = None

    def pass_by(self, unchanged: Sequence[WorkspacePath], skipped: Sequence[SkippedPath]) -> Iterator[None]:
        """Count files that were not looked into, and say so of each where anybody watches.

        Args:
            unchanged: As they were.
            skipped: Left out before.

        Yields:
            Nothing, after each file that was told; whoever stops here leaves the rest uncounted.
        """
        if not self._is_watched:
            self._index += len(unchanged) + len(skipped)
            self._tally.add_unchanged(len(unchanged))
            for skip in skipped:
                self._tally.skip(skip)
            return
        for path in unchanged:
            self._tally.add_unchanged(1)
            self._tell(path, IngestResult.UNCHANGED)
            yield
        for skip in skipped:
            self._tally.skip(skip)
            self._tell(skip.workspace_path, IngestResult.SKIPPED)
            yield

    def _tell(self, path: WorkspacePath, result: IngestResult) -> None:
        self._index += 1
        event = AssetFinished(
            ts=self._clock.now(), idx=self._index, total=self.total, path=path, result=result
        )
        self._events.emit(event)

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
