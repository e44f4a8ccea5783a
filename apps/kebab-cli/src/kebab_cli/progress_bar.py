"""The bar of a run of ingest: on stderr, and gone when the run is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kebab_core import (
    Aborted,
    AssetFinished,
    AssetStarted,
    Completed,
    IngestEvent,
    IngestResult,
    ScanCompleted,
)
from rich.console import Console as RichConsole
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from kebab_cli.render import Console, safe_name

_ROOMY = 90
"""Columns from which bar, speed and remaining time fit beside a path."""
_TAKEN_ROOMY = 76
_TAKEN_NARROW = 24
_LEAST_PATH = 8


@contextmanager
def show_bar(console: Console) -> Iterator[Callable[[IngestEvent], None]]:
    """Show a bar inside the block. A narrow terminal keeps the numbers and gives up the decoration.

    Yields:
        What gets the events.
    """
    stderr = RichConsole(stderr=True)
    roomy = console.width >= _ROOMY
    room = max(console.width - (_TAKEN_ROOMY if roomy else _TAKEN_NARROW), _LEAST_PATH)
    with Progress(*_columns(roomy=roomy), console=stderr, transient=True) as progress:
        task = progress.add_task("", total=None, phase="scan", rate="")

        def show(event: IngestEvent) -> None:
            match event:
                case ScanCompleted():
                    progress.update(task, total=event.total, phase="ingest")
                case AssetStarted():
                    progress.update(task, description=_cropped(event.path, room))
                case AssetFinished():
                    speed = progress.tasks[0].speed
                    rate = f"{speed:.0f} files/s" if speed else ""
                    progress.update(task, completed=event.idx, rate=rate)
                    if event.result is IngestResult.ERROR:
                        progress.console.print(Text(f"could not read {safe_name(event.path)}"))
                case Completed() | Aborted():
                    progress.update(task, description="", phase="done")

        yield show


def _columns(*, roomy: bool) -> list[ProgressColumn]:
    counted = [SpinnerColumn(), TextColumn("{task.fields[phase]}"), MofNCompleteColumn()]
    path = TextColumn("{task.description}", markup=False)
    if not roomy:
        return [*counted, path]
    timed = [TextColumn("{task.fields[rate]}"), TimeRemainingColumn()]
    return [*counted[:2], BarColumn(bar_width=28), counted[2], *timed, path]


def _cropped(path: str, columns: int) -> str:
    text = Text(safe_name(path))
    text.truncate(columns, overflow="ellipsis")
    return text.plain
