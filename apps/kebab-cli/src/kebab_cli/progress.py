"""Progress of a run of ingest: a bar on a terminal, lines elsewhere, wire objects with `--json`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from kebab_core import (
    AssetFinished,
    AssetStarted,
    EmbedBatchFinished,
    EmbedBatchStarted,
    Heartbeat,
    IngestEvent,
    ScanCompleted,
    ScanStarted,
)

from kebab_cli.render import Console, count_of, safe_name

if TYPE_CHECKING:
    from kebab_cli.session import Session


Sink = Callable[[IngestEvent], None]
Piece = Literal["file", "batch"]
"""Unit of work: files while they are read, batches of passages while vectors are made."""
_LINE_EVERY = timedelta(seconds=2)
_WAIT_LINE_EVERY = timedelta(seconds=10)
MAX_SLOW_FILES = 5
MIN_SLOW_MS = 1000
"""Files that take less are not listed."""


@contextmanager
def make_sink(session: Session) -> Iterator[Sink]:
    """Show progress in the way that fits the console.

    Yields:
        The sink of the events.
    """
    console = session.console
    if console.json:
        from kebab_wire import wire_ingest_event

        yield lambda event: console.wire(wire_ingest_event(event))
    elif console.quiet:
        yield _ignore
    elif console.live and session.environ.get("KEBAB_PROGRESS") != "plain":
        from kebab_cli.progress_bar import show_bar

        with show_bar(console) as sink:
            yield sink
    else:
        yield PlainProgress(console).show


def _ignore(_event: IngestEvent) -> None:
    pass


class PlainProgress:
    """Progress lines: one when the scan starts and ends, then one every two seconds while there is something new."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started: datetime | None = None
        self._said: datetime | None = None
        self._waiting = ""
        self._at_work = ""
        self._embedding_since: datetime | None = None
        self._embedded_before = 0
        self._embedded_said = 0
        self._known_before = 0

    def show(self, event: IngestEvent) -> None:
        """Print a line if one is due for this event."""
        match event:
            case ScanStarted():
                self._say(event.ts, f"scanning {safe_name(event.root)}")
            case ScanCompleted():
                self._started = event.ts
                gone = f", {event.removals} to remove" if event.removals else ""
                files = count_of(event.total - event.removals, "file")
                self._say(event.ts, f"{files} to ingest{gone}")
            case AssetFinished() if self._is_due(event.ts):
                self._say(event.ts, self._position(event.ts, event.idx, event.total, event.path))
            case AssetStarted() if self._is_due(event.ts):
                self._say(event.ts, self._position(event.ts, event.idx, event.total, event.path))
            case EmbedBatchStarted() if self._embedding_since is None:
                self._embedding_since, self._embedded_before = event.ts, event.done
                self._embedded_said = event.done
                wait = "waits" if event.total == 1 else "wait"
                self._say(event.ts, f"{count_of(event.total, 'passage')} {wait} for vectors")
            case EmbedBatchFinished():
                self._finish_batch(event)
            case Heartbeat(waits_for=str(writer)):
                self._say_waiting(event.ts, f"waiting for {safe_name(writer)}")
            case Heartbeat() if self._embedding_since is not None and event.total:
                self._say_embedded(event.ts, event.idx, event.total)
            case Heartbeat():
                self._say_at_work(
                    event.ts, f"still at work: {event.phase} {safe_name(event.path or '')}".rstrip()
                )

    def _say_waiting(self, now: datetime, text: str) -> None:
        if text != self._waiting or self._said is None or now - self._said >= _WAIT_LINE_EVERY:
            self._waiting = text
            self._say(now, text)

    def _say_at_work(self, now: datetime, text: str) -> None:
        if text != self._at_work:
            self._at_work = text
            self._say(now, text)

    def _finish_batch(self, event: EmbedBatchFinished) -> None:
        self._known_before = event.reused
        if self._is_due(event.ts):
            self._say_embedded(event.ts, event.done, event.total)

    def _say_embedded(self, now: datetime, done: int, total: int) -> None:
        if done != self._embedded_said:
            self._embedded_said = done
            self._say(now, self._embedded(now, done, total))

    def _is_due(self, now: datetime) -> bool:
        return self._said is None or now - self._said >= _LINE_EVERY

    def _say(self, now: datetime, text: str) -> None:
        self._said = now
        self._console.remark(text)

    def _embedded(self, now: datetime, done: int, total: int) -> str:
        seconds = (now - (self._embedding_since or now)).total_seconds()
        rate = (done - self._embedded_before) / seconds if seconds > 0 else 0.0
        left = f" ({rate:.1f} passages/s, {(total - done) / rate:.0f} s left)" if rate else ""
        known = f", {self._known_before} known from before" if self._known_before else ""
        return f"embedded {done}/{total}{known}{left}"

    def _position(self, now: datetime, index: int, total: int, path: str) -> str:
        seconds = (now - self._started).total_seconds() if self._started else 0.0
        rate = index / seconds if seconds > 0 else 0.0
        left = f", {(total - index) / rate:.0f} s left" if rate else ""
        return f"{index}/{total} ({rate:.0f} files/s{left}) {safe_name(path)}"


class SlowestFiles:
    """The slowest files of a run, slowest first; passes events on."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self.files: list[AssetFinished] = []

    def watch(self, event: IngestEvent) -> None:
        """Record an event and pass it on."""
        if isinstance(event, AssetFinished) and event.ms > MIN_SLOW_MS:
            self.files = sorted([*self.files, event], key=lambda file: -file.ms)[:MAX_SLOW_FILES]
        self._sink(event)

    def render(self, console: Console) -> None:
        """Print a line for each slow file."""
        for file in self.files:
            text = f"  slow {safe_name(file.path)}: {file.ms / 1000:.1f} s, {count_of(file.chunks, 'chunk')}"
            console.line(console.style(text, dim=True))


class CurrentWork:
    """The unit of work that a run finishes before it stops; passes events on.

    Args:
        sink: Gets every event.
        piece: The unit that the run begins with.
    """

    def __init__(self, sink: Sink, *, piece: Piece) -> None:
        self._sink = sink
        self.piece: Piece = piece

    def watch(self, event: IngestEvent) -> None:
        """Record an event and pass it on."""
        match event:
            case EmbedBatchStarted() | Heartbeat(phase="embed"):
                self.piece = "batch"
            case ScanStarted() | AssetStarted():
                self.piece = "file"
        self._sink(event)
