"""The edge where sqlite3's exceptions become kebab's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from kebab_core import (
    DatabaseCorruptError,
    InternalError,
    InvalidInputError,
    KebabError,
    LockedError,
    ReadonlyModeError,
    StorageError,
)

_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_UNDECODABLE = "Could not decode to UTF-8"
_DAMAGED = (
    "invalid fts5 file format",
    "vtable constructor failed",
    "no such table",
    "no such fts5 table",
    "no such module",
    "no such column",
    "no such index",
    "malformed JSON",
    _UNDECODABLE,
)
"""What is said, with the code of a mistake in SQL, of damage in the settings of FTS5, in the schema, in JSON that SQLite
reads, and, by Python, in text that is no UTF-8. The statements are kebab's own: the mistake is never in them."""
LOOK_HINT = "kebab doctor --repair"
"""Mends what can be mended, and says what else helps."""
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


@contextmanager
def row_errors_mapped() -> Iterator[None]:
    """Tell what rows are read into inside the block, and cannot be, as damage: kebab wrote them so that they can.

    Yields:
        Nothing.

    Raises:
        DatabaseCorruptError: A row holds what kebab never wrote, or one that belongs to it is missing.
        UnicodeEncodeError: What is looked for is no text.
    """
    try:
        yield
    except UnicodeEncodeError:
        raise
    except (InvalidInputError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        kind = str(error) if isinstance(error, InvalidInputError) else type(error).__name__
        raise DatabaseCorruptError(
            f"the database is damaged: a stored row cannot be read ({kind})", hint=LOOK_HINT
        ) from error


def kebab_error_for(error: Exception) -> KebabError:
    """Return what a sqlite3 exception means to a caller.

    What is wrong with the values of one statement, and so with one document, is a bug and no `StorageError`.
    """
    code = primary_code(error)
    if code in _CORRUPT or str(error).startswith(_DAMAGED):
        return DatabaseCorruptError(f"the database is damaged: {_readable(error)}", hint=LOOK_HINT)
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


def _readable(error: Exception) -> str:
    """Return what an error says, without the text that is stored."""
    return _UNDECODABLE.lower() if str(error).startswith(_UNDECODABLE) else str(error)


def primary_code(error: Exception) -> int | None:
    """Return SQLite's primary result code of an exception; None where Python itself raised it."""
    extended = getattr(error, "sqlite_errorcode", None)
    return None if extended is None else extended & 0xFF
