"""Log files: one of the program that rolls every day, one for each run of ingest."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import AssetFinished, IngestEvent, IngestResult

if TYPE_CHECKING:
    from kebab_config import LoadedSettings

LOG_NAME = "kebab.log"
_RUN_LOG = re.compile(r"ingest-.*\.ndjson")
_CONTEXT_FIELDS = ("trace_id", "doc_id", "chunk_id", "run_id", "error_id")


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and the ids that were given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields: dict[str, object] = {
            "ts": datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields.update({k: record.__dict__[k] for k in _CONTEXT_FIELDS if k in record.__dict__})
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


class _PrivateFileHandler(TimedRotatingFileHandler):
    """Makes folder and file when the first line is written, readable by their owner only."""

    def _open(self) -> object:  # type: ignore[override]  # typeshed names an alias private to it
        path = Path(self.baseFilename)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        return super()._open()


def configure_logging(loaded: LoadedSettings, *, debug: bool) -> None:
    """Send the log of this process to the log folder; nothing is written until there is something to say.

    Args:
        loaded: Level, retention and folder.
        debug: Log everything, whatever the configured level.
    """
    settings = loaded.settings.logging
    handler = _PrivateFileHandler(
        loaded.paths.log_dir / LOG_NAME,
        when="midnight",
        backupCount=settings.retention_days,
        encoding="utf-8",
        delay=True,
        utc=True,
    )
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("kebab")
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.DEBUG if debug else settings.level.upper())


@contextmanager
def open_run_log(loaded: LoadedSettings) -> Iterator[Callable[[IngestEvent], None]]:
    """Write one run's events as ndjson and delete logs of runs that are too many or too old.

    Unchanged files are left out, so that a run over an unchanged tree leaves a short log.

    Args:
        loaded: Folder and retention.

    Yields:
        A function that logs one event.
    """
    folder = loaded.paths.log_dir
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = datetime.now(UTC)  # noqa: TID251 - names a log file; nothing depends on it
    path = folder / f"ingest-{stamp:%Y%m%dT%H%M%S%f}.ndjson"
    path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as file:

        def log(event: IngestEvent) -> None:
            if not (isinstance(event, AssetFinished) and event.result is IngestResult.UNCHANGED):
                file.write(event.model_dump_json() + "\n")

        yield log
    settings = loaded.settings.logging
    _delete_old_runs(folder, keep=settings.keep_runs, days=settings.retention_days, now=stamp)


def _delete_old_runs(folder: Path, *, keep: int, days: int, now: datetime) -> None:
    logs = sorted((p for p in folder.iterdir() if _RUN_LOG.fullmatch(p.name)), reverse=True)
    oldest = now - timedelta(days=days)
    for index, path in enumerate(logs):
        modified = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
        if index >= max(keep, 1) or (days and modified < oldest):
            path.unlink(missing_ok=True)
