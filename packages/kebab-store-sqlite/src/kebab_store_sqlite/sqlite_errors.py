"""The edge where sqlite3's exceptions become kebab's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from kebab_core import (
    DatabaseCorruptError,
    InternalError,
    KebabError,
    LockedError,
    ReadonlyModeError,
    StorageError,
)

_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_DAMAGED_INDEX = "invalid fts5 file format"
"""What FTS5 says of damage in its settings, with the code of a mistake in SQL."""
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


@contextmanager
def sqlite_errors_mapped() -> Iterator[None]:
    """Turn every exception of sqlite3 inside the block into what `kebab_error_for` makes of it.

    Yields:
        Nothing.
    """
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        mapped = kebab_error_for(error)
        raise mapped from error


def kebab_error_for(error: Exception) -> KebabError:
    """Return what a sqlite3 exception means to a caller.

    What is wrong with the values of one statement, and so with one document, is a bug and no `StorageError`.
    """
    code = primary_code(error)
    if code in _CORRUPT or str(error).startswith(_DAMAGED_INDEX):
        return DatabaseCorruptError(
            f"the database is damaged: {error}",
            hint="kebab doctor --repair",
        )
    if code in _BUSY:
        return LockedError(f"another process is writing the index: {error}", hint="try again in a moment")
    if code == sqlite3.SQLITE_READONLY:
        return ReadonlyModeError(f"the index cannot be written: {error}")
    if code in _FULL:
        return StorageError(
            f"the disk of the index is full or fails: {error}",
            hint="free some disk space and run it again; what was indexed is safe",
        )
    if isinstance(error, sqlite3.IntegrityError | sqlite3.DataError):
        return InternalError(f"the database refuses a row: {error}", hint="kebab doctor")
    return StorageError(f"the database failed: {error}")


def primary_code(error: Exception) -> int | None:
    """Return SQLite's primary result code of an exception; None where Python itself raised it."""
    extended = getattr(error, "sqlite_errorcode", None)
    return None if extended is None else extended & 0xFF
