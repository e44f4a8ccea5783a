"""The log file of the program, which is written as JSON lines and rolls every day."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import LoggingSettings

_LOG_NAME = "kebab.log"
_CONTEXT_FIELDS = ("trace_id", "doc_id", "chunk_id", "run_id", "error_id")


def configure_logging(settings: LoggingSettings, folder: Path, *, debug: bool) -> None:
    """Send the log of this process to the log folder; nothing is written until there is something to say.

    Args:
        settings: Level and retention.
        folder: Where the file is written.
        debug: Log everything, whatever the configured level.
    """
    handler = _LateFile(folder / _LOG_NAME, days=settings.retention_days)
    logger = logging.getLogger("kebab")
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.DEBUG if debug else settings.level.upper())


class _LateFile(logging.Handler):
    """Opens the rolling file with the first line, and loads its library then: most commands log nothing.

    Args:
        path: The file.
        days: Number of days after which it is deleted.
    """

    def __init__(self, path: Path, *, days: int) -> None:
        super().__init__()
        self._path = path
        self._days = days
        self._file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line. logging calls it by one thread at a time."""
        if self._file is None:
            self._file = _build_rolling_file(self._path, days=self._days)
        self._file.handle(record)

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()
        super().close()


def _build_rolling_file(path: Path, *, days: int) -> logging.Handler:
    """Build the handler of a file that rolls at midnight; folder and file are made readable by their owner only."""
    from logging.handlers import TimedRotatingFileHandler

    class RollingFile(TimedRotatingFileHandler):
        def _open(self) -> object:  # type: ignore[override]  # typeshed names an alias private to it
            for folder in (path.parent.parent, path.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            return super()._open()

        def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
            # a log that cannot be written must not spoil what is logged
            if not isinstance(sys.exc_info()[1], OSError):
                super().handleError(record)

    file = RollingFile(path, when="midnight", backupCount=days, encoding="utf-8", delay=True, utc=True)
    file.setFormatter(_JsonFormatter())
    return file


class _JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and the ids and `fields` that were given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Format one record."""
        fields: dict[str, object] = {
            "ts": datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields.update(record.__dict__.get("fields", {}))
        fields.update({k: record.__dict__[k] for k in _CONTEXT_FIELDS if k in record.__dict__})
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)
