"""The bar of a run of ingest: on stderr, and gone when the run is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from kebab_core import (
    Aborted,
    AssetFinished,
    AssetPhase,
    AssetStarted,
    Completed,
    EmbedBatchFinished,
    EmbedBatchStarted,
    Heartbeat,
    IngestEvent,
    IngestResult,
    OcrPageFinished,
    OcrStarted,
    ScanCompleted,
    ScanStarted,
)
from rich.console import Console as RichConsole
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from kebab_cli.estimates import Estimate
from kebab_cli.language import localize, tr
from kebab_cli.render import Console, safe_name
from kebab_cli.views.ingest import describe_pictures, describe_waiting, format_duration

_WIDE = 90
"""Columns from which bar, speed and remaining time fit beside a path."""
_TAKEN_WIDE = 76
_TAKEN_NARROW = 24
_LEAST_PATH = 8
_WHOLE_RATE = 10
"""Rate per second from which it is shown without a fraction."""


class _CountColumn(MofNCompleteColumn):
    """Count of files done, once the total is known."""

    def render(self, task: Task) -> Text:
        """Render the count."""
        return Text("") if task.total is None else super().render(task)


@contextmanager
def show_bar(console: Console) -> Iterator[Callable[[IngestEvent], None]]:
    """Show a bar inside the block. A narrow terminal keeps the numbers and gives up the decoration.

    Yields:
        The sink of the events.
    """
    stderr = RichConsole(stderr=True)
    roomy = console.width >= _WIDE
    room = max(console.width - (_TAKEN_WIDE if roomy else _TAKEN_NARROW), _LEAST_PATH)
    with Progress(*_columns(roomy=roomy), console=stderr, transient=True) as progress:
        yield _Bar(progress, room, is_roomy=roomy).show


class _Bar:
    """The bar's reaction to each event.

    Args:
        progress: The bar.
        room: Columns that a path may take.
        is_roomy: Whether the bar shows speed and remaining time; the path's columns are free while vectors are made.
    """

    def __init__(self, progress: Progress, room: int, *, is_roomy: bool) -> None:
        self._is_roomy = is_roomy
        self._progress = progress
        self._task = progress.add_task("", total=None, phase=tr("scan"), rate="")
        self._room = room
        self._writer: str | None = None
        self._embeds = False
        self._unit: Literal["files", "pages", "passages"] = "files"
        self._estimate = Estimate()

    def show(self, event: IngestEvent) -> None:
        """Bring the bar up to date with an event."""
        if (estimated := self._estimate.look(event)) is not None:
            self._progress.console.print(Text(estimated), soft_wrap=True)
        if isinstance(event, OcrStarted | OcrPageFinished):
            self._show_pictures(event)
        else:
            self._show_files(event)

    def _show_files(self, event: IngestEvent) -> None:
        update = self._progress.update
        match event:
            case Heartbeat(waits_for=str(writer)):
                self._wait_for(writer)
            case ScanStarted():
                update(self._task, phase=tr("scan"))
            case ScanCompleted():
                update(self._task, total=event.total, phase=tr("ingest"))
            case AssetStarted():
                update(self._task, description=_cropped(event.path, self._room))
            case AssetFinished():
                self._finish(event)
            case AssetPhase():
                update(
                    self._task, completed=event.idx, total=event.total, phase=tr("captions"), description=""
                )
            case EmbedBatchStarted() if not self._embeds:
                self._begin_embedding(event)
            case EmbedBatchFinished():
                self._progress.update(self._task, total=event.total)
                self._move(event.done)
            case Completed() | Aborted():
                update(self._task, description="", phase=tr("done"))

    def _wait_for(self, writer: str) -> None:
        self._progress.update(self._task, phase=tr("waiting"))
        if writer != self._writer:
            self._progress.console.print(
                Text(tr("waiting for {writer}", writer=safe_name(localize(writer)))), soft_wrap=True
            )
            self._writer = writer

    def _begin_embedding(self, event: EmbedBatchStarted) -> None:
        self._embeds = True
        self._unit = "passages"
        self._progress.console.print(
            Text(localize(describe_waiting(event.total - event.done))), soft_wrap=True
        )
        self._progress.reset(
            self._task,
            total=event.total,
            completed=event.done,
            description="",
            phase=tr("embed"),
            rate="",
        )

    def _show_pictures(self, event: OcrStarted | OcrPageFinished) -> None:
        if isinstance(event, OcrPageFinished):
            self._progress.update(self._task, description=_cropped(event.path, self._room))
            self._move(event.done)
            return
        self._unit = "pages"
        self._progress.console.print(Text(describe_pictures(event)), soft_wrap=True)
        total = event.pictures + event.pages + event.parts
        phase = tr("recordings") if event.parts else tr("pictures")
        self._progress.reset(self._task, total=total, completed=0, description="", phase=phase, rate="")

    def _move(self, completed: int) -> None:
        speed = self._progress.tasks[0].speed
        rate = self._describe(speed) if speed else ""
        left = self._progress.tasks[0].time_remaining if self._embeds and not self._is_roomy else None
        if left is not None:
            self._progress.update(self._task, description=tr("{time} left", time=format_duration(left)))
        self._progress.update(self._task, completed=completed, rate=rate)

    def _describe(self, speed: float) -> str:
        """Describe a rate per second."""
        rate = f"{speed:.{0 if speed >= _WHOLE_RATE else 1}f}"
        match self._unit:
            case "passages":
                return tr("{rate} passages/s", rate=rate)
            case "pages":
                return tr("{rate} pages/s", rate=rate)
            case "files":
                return tr("{rate} files/s", rate=rate)

    def _finish(self, event: AssetFinished) -> None:
        self._progress.update(self._task, total=event.total)
        self._move(event.idx)
        if event.result is IngestResult.ERROR:
            self._progress.console.print(Text(tr("could not read {path}", path=safe_name(event.path))))


def _columns(*, roomy: bool) -> list[ProgressColumn]:
    counted = [SpinnerColumn(), TextColumn("{task.fields[phase]}"), _CountColumn()]
    path = TextColumn("{task.description}", markup=False)
    if not roomy:
        return [*counted, path]
    timed = [TextColumn("{task.fields[rate]}"), TimeRemainingColumn()]
    return [*counted[:2], BarColumn(bar_width=28), counted[2], *timed, path]


def _cropped(path: str, columns: int) -> str:
    text = Text(safe_name(path))
    text.truncate(columns, overflow="ellipsis")
    return text.plain
