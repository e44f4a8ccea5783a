"""Progress of a run: an event for each file and batch, heartbeats while work is slow, and the counting of results."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    AssetFinished,
    AssetPhase,
    AssetStarted,
    Clock,
    EmbedBatchFinished,
    EmbedBatchStarted,
    Heartbeat,
    IngestEvent,
    IngestItem,
    IngestResult,
    JobId,
    KebabError,
    OcrPageFinished,
    OcrStarted,
    ScanCompleted,
    SkippedPath,
    SkipReason,
    SourceEntry,
    WorkspacePath,
)

if TYPE_CHECKING:
    from kebab_core import JobRepo

    from kebab_ingest.run_record import IngestCounters

TICK_SECONDS = 0.9
"""Seconds between two looks for silence. An event just after a look is followed by silence for almost two of them, so
that some event comes at least every 2 s."""

RECORD_MS = 1000
"""Milliseconds between two records of the progress, which other processes read."""

EventSink = Callable[[IngestEvent], None]
"""Gets every event of a run."""


class _Place(NamedTuple):
    """Position inside a phase, repeated by heartbeats."""

    idx: int = 0
    total: int = 0
    path: WorkspacePath | None = None


class EventStream:
    """Passes events to a sink one at a time, from any thread, and adds heartbeats in silent stretches."""

    def __init__(self, sink: EventSink, *, clock: Clock) -> None:
        self._sink = sink
        self._clock = clock
        self._lock = threading.Lock()
        self._has_emitted = False
        self._stop = threading.Event()
        self._place = _Place()
        self._failure: Exception | None = None
        self._phase = "scan"
        self._job: tuple[JobRepo, JobId] | None = None
        self._recorded_ms: int | None = None

    def record_in(self, jobs: JobRepo, job_id: JobId) -> None:
        """Record phase, place and file in hand in a job from now on, at most once a second; a record that fails is left out."""
        self._job = (jobs, job_id)

    def enter(self, phase: str) -> None:
        """Begin another phase; heartbeats name it."""
        with self._lock:
            self._phase, self._place = phase, _Place()

    def emit(self, event: IngestEvent) -> None:
        """Pass one event on.

        Raises:
            Exception: The sink failed, now or on a heartbeat before.
        """
        with self._lock:
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            self._has_emitted = True
            self._note_place(event)
            self._record()
            self._sink(event)

    def _record(self) -> None:
        now_ms = self._clock.monotonic_ms()
        if self._job is None or not self._place.total:
            return
        if self._recorded_ms is not None and now_ms - self._recorded_ms < RECORD_MS:
            return
        self._recorded_ms = now_ms
        jobs, job_id = self._job
        number, total, path = self._place
        done = number - (self._phase == "ingest" and path is not None)  # a file in hand is not read yet
        with suppress(KebabError):
            jobs.update_progress(
                job_id,
                {"phase": self._phase, "done": done, "total": total, "path": path},
                at=self._clock.now(),
            )

    def _note_place(self, event: IngestEvent) -> None:
        match event:
            case ScanCompleted():
                self._place = _Place(0, event.total)
            case AssetStarted():
                self._place = _Place(event.idx, event.total, event.path)
            case EmbedBatchStarted() | EmbedBatchFinished():
                self._place = _Place(event.done, event.total)
            case AssetPhase():
                self._place = _Place(event.idx, event.total)
            case OcrStarted():
                self._place = _Place(0, event.pictures + event.pages + event.parts)
            case OcrPageFinished():
                self._place = _Place(event.done, event.total, event.path)

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Emit heartbeats inside the block whenever there was no other event for a while.

        Yields:
            Nothing.
        """
        thread = threading.Thread(target=self._beat, name="kebab-heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(TICK_SECONDS):
            with self._lock:
                if not self._has_emitted and self._failure is None:
                    self._record()  # the file in hand may have begun less than a second after another
                    self._try_beat()
                self._has_emitted = False

    def _try_beat(self) -> None:
        try:
            self._sink(self._heartbeat())
        except Exception as error:  # noqa: BLE001 - this thread has no caller; the next event raises it
            self._failure = error

    def _heartbeat(self) -> Heartbeat:
        return Heartbeat(ts=self._clock.now(), phase=self._phase, **self._place._asdict())


class Progress:
    """Numbers the files of a run from 1 to at most `total`, which may grow, counts their results and emits their events.

    Args:
        events: Gets the events.
        counters: Counts.
        clock: Stamps events and measures files.
        is_watched: Whether events of files that were not looked into are wanted.
    """

    def __init__(
        self, events: EventStream, counters: IngestCounters, *, clock: Clock, is_watched: bool = True
    ) -> None:
        self.total = 0
        self._events = events
        self._counters = counters
        self._clock = clock
        self._is_watched = is_watched
        self._index = 0
        self._started_ms: int | None = None

    def pass_by(self, unchanged: Sequence[WorkspacePath], skipped: Sequence[SkippedPath]) -> Iterator[None]:
        """Count files that were not looked into, with an event for each if those are wanted.

        Args:
            unchanged: Files that are as they were.
            skipped: Files that were left out before for their content.

        Yields:
            Nothing, after each event; a caller that stops leaves the rest uncounted.
        """
        if not self._is_watched:
            self._index += len(unchanged) + len(skipped)
            self._counters.add_unchanged(len(unchanged))
            for skip in skipped:
                self._counters.add_skipped(skip)
            return
        for path in unchanged:
            self._counters.add_unchanged(1)
            self._emit_result(path, IngestResult.UNCHANGED)
            yield
        for skip in skipped:
            self._counters.add_skipped(skip)
            self._emit_result(skip.workspace_path, IngestResult.SKIPPED)
            yield

    def _count_one(self) -> None:
        self._index += 1
        self.total = max(self.total, self._index)  # files may appear while a run is at work

    def _emit_result(self, path: WorkspacePath, result: IngestResult) -> None:
        self._count_one()
        event = AssetFinished(
            ts=self._clock.now(), idx=self._index, total=self.total, path=path, result=result
        )
        self._events.emit(event)

    def start(self, entry: SourceEntry) -> None:
        """Emit that work on a file begins; `finish` follows."""
        self._started_ms = self._clock.monotonic_ms()
        self._count_one()
        self._events.emit(
            AssetStarted(
                ts=self._clock.now(),
                idx=self._index,
                total=self.total,
                path=entry.workspace_path,
                media=entry.media_type.kind,
            )
        )

    def finish(self, item: IngestItem, *, ms: int | None = None) -> None:
        """Count a file and emit its result; one that was not started took no time.

        Args:
            item: The result.
            ms: Milliseconds that it took, without waiting for other files or for a worker process to start; None is the
                time since its start.
        """
        if self._started_ms is None:
            self._count_one()
            took_ms = 0
        else:
            took_ms = self._clock.monotonic_ms() - self._started_ms if ms is None else ms
        self._started_ms = None
        if item.kind is IngestResult.SKIPPED:
            reason = item.skip_reason or SkipReason.UNSUPPORTED_MEDIA
            self._counters.add_skipped(SkippedPath(workspace_path=item.doc_path, reason=reason))
        else:
            self._counters.add(item)
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
