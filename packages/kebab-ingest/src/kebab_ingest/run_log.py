"""The log of a run: one ndjson file of its events, kept for as many runs and days as the settings say."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import FileIO
from pathlib import Path

from kebab_core import (
    AssetFinished,
    Clock,
    IngestEvent,
    IngestResult,
    LoggingSettings,
    writing_mapped,
)

_RUN_LOG = re.compile(r"ingest-.*\.ndjson")
_STAMP = "%Y%m%dT%H%M%S%f"
"""Sorts by time."""


@contextmanager
def open_run_log(
    folder: Path, settings: LoggingSettings, *, clock: Clock
) -> Iterator[Callable[[IngestEvent], None]]:
    """Write one run's events as ndjson and delete logs of runs that are too many or too old.

    Unchanged files are left out, so that a run over an unchanged tree leaves a short log. Every line is written at
    once: the log of a run that was killed is the one that will be read.

    Args:
        folder: Where logs of runs are kept; made where it is missing.
        settings: How many are kept, and how long.
        clock: For the name of the file and the age of the others.

    Yields:
        A function that logs one event.

    Raises:
        StorageError: The log folder cannot be written.
    """
    now = clock.now()
    with writing_mapped(folder):
        file = _open_new(folder, now)
    with file:

        def log(event: IngestEvent) -> None:
            if not (isinstance(event, AssetFinished) and event.result is IngestResult.UNCHANGED):
                with writing_mapped(folder):
                    _write(file, event.model_dump_json() + "\n")

        yield log
    with writing_mapped(folder):
        _delete_old_runs(folder, keep=settings.keep_runs, days=settings.retention_days, now=now)


def _write(file: FileIO, line: str) -> None:
    """Write at once and whole; nothing is left for closing the file to fail on."""
    rest = line.encode()
    while rest:
        rest = rest[file.write(rest) :]


def _open_new(folder: Path, now: datetime) -> FileIO:
    """Open a new log; runs of one microsecond, as a clock that stands still makes them, are numbered."""
    for each in (folder.parent, folder):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    stem = f"ingest-{now:{_STAMP}}"
    taken = sum(log.name.startswith(f"{stem}-") for log in folder.iterdir())
    path = folder / f"{stem}-{taken:03d}.ndjson"
    return FileIO(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600), "a")


def _delete_old_runs(folder: Path, *, keep: int, days: int, now: datetime) -> None:
    """Delete logs from the oldest on. One of the future, from before the clock was set back, counts as older yet."""
    future = f"ingest-{now:{_STAMP}}."  # after every number at this time
    logs = [path for path in folder.iterdir() if _RUN_LOG.fullmatch(path.name)]
    logs.sort(key=lambda path: (path.name < future, path.name), reverse=True)
    oldest = f"ingest-{now - timedelta(days=days):{_STAMP}}"
    for index, path in enumerate(logs):
        if index >= keep or (days and path.name < oldest):
            path.unlink(missing_ok=True)
