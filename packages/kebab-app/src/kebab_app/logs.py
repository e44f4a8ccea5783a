"""The log of the program."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_config import LoadedSettings

LOG_NAME = "kebab.log"


class _LateFile(logging.Handler):
    """Loads what writes and rolls the file with the first line: most commands have nothing to say.

    Args:
        path: The file.
        days: After how many it is deleted.
    """

    def __init__(self, path: Path, *, days: int) -> None:
        super().__init__()
        self._path = path
        self._days = days
        self._file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line. logging calls it by one thread at a time."""
        if self._file is None:
            self._file = self._open()
        self._file.handle(record)

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()
        super().close()

    def _open(self) -> logging.Handler:
        from kebab_app.rolling_file import JsonFormatter, RollingFile

        file = RollingFile(
            self._path, when="midnight", backupCount=self._days, encoding="utf-8", delay=True, utc=True
        )
        file.setFormatter(JsonFormatter())
        return file


def configure_logging(loaded: LoadedSettings, *, debug: bool) -> None:
    """Send the log of this process to the log folder; nothing is written until there is something to say.

    Args:
        loaded: Level, retention and folder.
        debug: Log everything, whatever the configured level.
    """
    settings = loaded.settings.logging
    handler = _LateFile(loaded.paths.log_dir / LOG_NAME, days=settings.retention_days)
    logger = logging.getLogger("kebab")
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.DEBUG if debug else settings.level.upper())
