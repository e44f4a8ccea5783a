"""The log file of the program, which rolls every day."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path

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


class RollingFile(TimedRotatingFileHandler):
    """Makes folder and file when the first line is written, readable by their owner only."""

    def _open(self) -> object:  # type: ignore[override]  # typeshed names an alias private to it
        path = Path(self.baseFilename)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Say nothing of a log that cannot be written: it must not spoil what is logged."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)
