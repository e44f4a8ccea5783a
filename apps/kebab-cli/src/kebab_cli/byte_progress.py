"""Progress in bytes, of downloads, backups and imports: a bar on a terminal, else a line every two seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from kebab_core import ByteProgress, ByteSink

from kebab_cli.language import tr
from kebab_cli.render import Console, safe_name

_LINE_EVERY_S = 2
_BYTES_PER_MB = 1_000_000


def megabytes(size_bytes: int) -> str:
    """Size in megabytes; one digit after the point below ten."""
    size = size_bytes / _BYTES_PER_MB
    return f"{size:,.0f} MB" if size >= 10 else f"{size:,.1f} MB"  # noqa: PLR2004 - as said


@contextmanager
def show_bytes(console: Console) -> Iterator[ByteSink]:
    """Show progress inside the block.

    Yields:
        The sink of the steps.
    """
    if not console.live:
        yield _Lines(console).show
        return
    from rich.console import Console as RichConsole
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=RichConsole(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda step: progress.update(
            task, description=safe_name(step.file), completed=step.done_bytes, total=step.total_bytes
        )


class _Lines:
    """Progress lines; the first is due two seconds after the start."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said = monotonic()

    def show(self, step: ByteProgress) -> None:
        """Print a line if one is due."""
        if monotonic() - self._said < _LINE_EVERY_S:
            return
        self._said = monotonic()
        of = "…"
        if step.total_bytes:
            of = tr("{done} of {total}", done=megabytes(step.done_bytes), total=megabytes(step.total_bytes))
        self._console.remark(f"{of}  {safe_name(step.file)}")
