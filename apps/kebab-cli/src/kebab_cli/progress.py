"""A run of ingest or embed: its progress as a bar, lines or wire objects, Ctrl-C, and its report."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import FrameType
from typing import TYPE_CHECKING, Literal

import click
from kebab_core import (
    AssetFinished,
    AssetPhase,
    AssetStarted,
    EmbedBatchFinished,
    EmbedBatchStarted,
    Heartbeat,
    IngestEvent,
    OcrPageFinished,
    OcrStarted,
    ScanCompleted,
    ScanStarted,
)

from kebab_cli.estimates import Estimate
from kebab_cli.exit_codes import ERROR, INTERRUPTED, SUCCESS
from kebab_cli.language import localize, localize_text, tr
from kebab_cli.render import Console, count_of, safe_name
from kebab_cli.session import Session
from kebab_cli.views.ingest import describe_pictures, describe_waiting, format_duration

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import CancelToken, IngestReport


Sink = Callable[[IngestEvent], None]
Piece = Literal["file", "page", "picture", "batch"]
"""Unit of work: files while they are read, pages of pictures, batches of passages while vectors are made."""
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
        yield ignore
    elif console.live and session.environ.get("KEBAB_PROGRESS") != "plain":
        from kebab_cli.progress_bar import show_bar

        with show_bar(console) as sink:
            yield sink
    else:
        yield PlainProgress(console).show


def ignore(_event: IngestEvent) -> None:
    """Show nothing."""


class PlainProgress:
    """Progress lines: one when the scan starts and ends, then one every two seconds while there is something new."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._first: tuple[datetime, int] | None = None
        """When files were first told, and how many: what comes before is the start of the processes that read."""
        self._said: datetime | None = None
        self._state = ""
        self._embedding_since: datetime | None = None
        self._embedded_before = 0
        self._embedded_said = 0
        self._known_before = 0
        self._reading_since: datetime | None = None
        self._hears = False
        self._estimate = Estimate()

    def show(self, event: IngestEvent) -> None:
        """Print the lines that are due for this event."""
        if (estimated := self._estimate.look(event)) is not None:
            self._console.remark(estimated)
        if isinstance(event, AssetPhase | OcrStarted | OcrPageFinished):
            self._show_pictures(event)
        else:
            self._show_state(event)

    def _show_state(self, event: IngestEvent) -> None:
        match event:
            case ScanStarted():
                self._say(event.ts, tr("scanning {folder}", folder=safe_name(event.root)))
            case ScanCompleted():
                self._first = None
                files = tr("{files} found", files=count_of(event.total - event.removals, "file"))
                if event.removals:
                    files += f", {tr('{count} to remove', count=event.removals)}"
                self._say(event.ts, files)
            case AssetFinished() | AssetStarted() if self._is_due(event.ts):
                self._say(event.ts, self._position(event.ts, event.idx, event.total, event.path))
            case EmbedBatchStarted() if self._embedding_since is None:
                self._embedding_since, self._embedded_before = event.ts, event.done
                self._embedded_said = event.done
                self._say(event.ts, describe_waiting(event.total))
            case EmbedBatchFinished():
                self._finish_batch(event)
            case Heartbeat(waits_for=str(writer)):
                text = tr("waiting for {writer}", writer=safe_name(localize(writer)))
                self._say_state(event.ts, text, again_after=_WAIT_LINE_EVERY)
            case Heartbeat() if self._embedding_since is not None and event.total:
                self._say_embedded(event.ts, event.idx, event.total)
            case Heartbeat():
                text = tr(
                    "still running: {phase}",
                    phase=f"{_name_phase(event.phase)} {safe_name(event.path or '')}".rstrip(),
                )
                self._say_state(event.ts, text, again_after=timedelta.max)

    def _say_state(self, now: datetime, text: str, *, again_after: timedelta) -> None:
        if text != self._state or self._said is None or now - self._said >= again_after:
            self._state = text
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
        text = tr("embedded {done}/{total}", done=done, total=total)
        if self._known_before:
            text += f", {tr('{count} reused', count=self._known_before)}"
        if rate:
            left = tr("{time} left", time=format_duration((total - done) / rate))
            text += f" ({tr('{rate:.1f} passages/s', rate=rate)}, {left})"
        return text

    def _show_pictures(self, event: AssetPhase | OcrStarted | OcrPageFinished) -> None:
        if isinstance(event, AssetPhase):
            if self._is_due(event.ts) or event.idx == 1:
                self._say(event.ts, tr("captions: {done}/{total}", done=event.idx, total=event.total))
        elif isinstance(event, OcrStarted):
            self._reading_since, self._hears = event.ts, bool(event.parts)
            self._say(event.ts, describe_pictures(event))
        elif self._is_due(event.ts):
            self._say(event.ts, self._read(event))

    def _read(self, event: OcrPageFinished) -> str:
        seconds = (event.ts - (self._reading_since or event.ts)).total_seconds()
        left = format_duration((event.total - event.done) * seconds / event.done)
        if self._hears:
            text = tr("heard {done}/{total}", done=event.done, total=event.total)
            return f"{text} ({tr('{time} left', time=left)}) {safe_name(event.path)}"
        text = tr("read {done}/{total}", done=event.done, total=event.total)
        if seconds > 0:
            speed = tr("{rate:.1f} pages/s", rate=event.done / seconds)
            text += f" ({speed}, {tr('{time} left', time=left)})"
        return f"{text} {safe_name(event.path)}"

    def _position(self, now: datetime, index: int, total: int, path: str) -> str:
        begun, before = self._first = self._first or (now, index)
        seconds = (now - begun).total_seconds()
        speed = ""
        if seconds > 0 and index > before:
            rate = (index - before) / seconds
            left = tr("{time} left", time=format_duration((total - index) / rate))
            speed = f"({tr('{rate:.1f} files/s', rate=rate)}, {left}) "
        return f"{index}/{total} {speed}{safe_name(path)}"


def _name_phase(phase: str) -> str:
    named = {
        "ocr": tr("pictures"),
        "asr": tr("recordings"),
        "caption": tr("captions"),
        "finish": tr("finishing"),
    }
    return named.get(phase) or localize_text(phase)


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
            text = tr(
                "slow {path}: {seconds:.1f} s, {passages}",
                path=safe_name(file.path),
                seconds=file.ms / 1000,
                passages=count_of(file.chunks, "passage"),
            )
            console.line(console.style(f"  {text}", dim=True))


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
            case OcrStarted() | Heartbeat(phase="ocr"):
                self.piece = "page"
            case AssetPhase() | Heartbeat(phase="caption"):
                self.piece = "picture"
            case ScanStarted() | AssetStarted():
                self.piece = "file"
        self._sink(event)


def watch_ingest(
    session: Session,
    app: App,
    work: Callable[[Sink, CancelToken], IngestReport],
    *,
    render: Callable[[Console, IngestReport], None] | None = None,
    piece: Piece = "file",
    is_named: bool = False,
    no_embed: bool = False,
) -> int:
    """Run an ingest, show its progress, and print its report.

    Args:
        session: The command.
        app: The knowledge base.
        work: The ingest.
        render: Prints the report for people; None is the one for files.
        piece: The unit that the work begins with, and finishes if it is stopped at once.
        is_named: Whether the files were given by name, so that taking none of them is an error.
        no_embed: Whether vectors are left for later.

    Returns:
        The exit code.
    """
    from kebab_core import CancelToken

    from kebab_cli.views.ingest import render_documents, render_report, render_waiting

    cancel = CancelToken()
    with _first_step_advised(app), make_sink(session) as sink:
        slowest = SlowestFiles(sink)
        current = CurrentWork(slowest.watch, piece=piece)
        with cancel_on_interrupt(cancel, session.console, current):
            report = work(current.watch, cancel)
    if session.console.json:
        from kebab_wire import wire_ingest_report

        from kebab_cli.remedies import render_remedy

        session.console.wire(wire_ingest_report(report, render=render_remedy))
    elif not (session.console.quiet and _is_smooth(report, is_named=is_named)):
        (render or render_report)(session.console, report)
        slowest.render(session.console)
        if is_named:
            render_documents(session.console, report)
        if no_embed:
            render_waiting(session.console, app.count_waiting_passages())
    if report.aborted:
        return INTERRUPTED
    counts = report.counts
    usable = counts.new + counts.updated + counts.unchanged + counts.moved
    return ERROR if (counts.errors or report.unreadable_folders or is_named) and not usable else SUCCESS


def _is_smooth(report: IngestReport, *, is_named: bool) -> bool:
    """True for a run of which nothing has to be told; of files that were named, that is each skipped one and each warning."""
    counts, embedding = report.counts, report.embedding
    if is_named and (counts.skipped or any(item.warnings for item in report.items or ())):
        return False
    failure = None if embedding is None else embedding.failure
    return not (
        report.aborted or counts.errors or counts.removal_held or report.unreadable_folders or failure
    )


@contextmanager
def _first_step_advised(app: App) -> Iterator[None]:
    """Advise `init` where nothing is set up, instead of a folder that only the defaults name.

    Yields:
        Nothing.

    Raises:
        StorageError: As raised inside the block, with that remedy.
    """
    from kebab_core import Remedy, StorageError

    try:
        yield
    except StorageError as error:
        if app.loaded.config_path is None and not app.loaded.paths.sources[0].root.exists():
            error.remedy = Remedy(kind="init")
        raise


@contextmanager
def cancel_on_interrupt(cancel: CancelToken, console: Console, current: CurrentWork) -> Iterator[None]:
    """Inside the block, the first SIGINT cancels the work; a second one ends the process at once.

    Work whose reader goes away (`kebab ingest --json | head`) stops too, and counts as interrupted.

    Args:
        cancel: Token that the work checks.
        console: Prints that the work stops.
        current: The unit that is finished before the work stops.

    Yields:
        Nothing.

    Raises:
        click.exceptions.Exit: The reader is gone.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if cancel.is_cancelled:
            os._exit(INTERRUPTED)
        cancel.cancel()
        if current.piece == "file":
            console.alert(tr("stopping after the current file; Ctrl-C again stops at once"))
        elif current.piece == "picture":
            console.alert(tr("stopping after the current picture; Ctrl-C again stops at once"))
        elif current.piece == "page":
            console.alert(
                tr(
                    "stopping in a few seconds, what is not read by then is read next time; Ctrl-C again stops at once"
                )
            )
        else:
            console.alert(tr("stopping after the current batch; Ctrl-C again stops at once"))

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGINT, before)
