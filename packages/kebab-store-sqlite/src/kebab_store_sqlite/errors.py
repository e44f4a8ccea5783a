"""Mapping of exceptions of sqlite3, and of unreadable rows, to errors of kebab."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kebab_core import (
    DatabaseCorruptError,
    InternalError,
    InvalidInputError,
    KebabError,
    LockedError,
    Message,
    ReadonlyModeError,
    Remedy,
    StorageError,
)

_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_UNDECODABLE = "Could not decode to UTF-8"
_DAMAGE_MESSAGES = (
    "invalid fts5 file format",
    "vtable constructor failed",
    "no such table",
    "no such fts5 table",
    "no such module",
    "no such column",
    "no such index",
    "malformed JSON",
    "user-defined function raised exception",
    _UNDECODABLE,
)
"""Messages that mean damage although their code is that of wrong SQL: of FTS5, of the schema, of JSON in SQLite, of
compressed rows, and of Python where text is no UTF-8. The statements of kebab are never wrong."""
REPAIR = Remedy(kind="repair")
"""The command that repairs the index or names the next step."""
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


@contextmanager
def sqlite_errors_mapped(data_dir: Path | None = None) -> Iterator[None]:
    """Map every exception of sqlite3 inside the block with `kebab_error_for`.

    Args:
        data_dir: Folder of the database, whose writer is named where one is known; None names none.

    Yields:
        Nothing.
    """
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        mapped = kebab_error_for(error)
        if isinstance(mapped, LockedError) and data_dir is not None:
            from kebab_store_sqlite.writer_lock import describe_writer

            holder = describe_writer(data_dir)
            mapped = _name_holder(error, holder) if holder else mapped
        raise mapped from error


@contextmanager
def row_errors_mapped() -> Iterator[None]:
    """Map errors of decoding rows inside the block to damage of the database: kebab writes valid rows only.

    Yields:
        Nothing.

    Raises:
        DatabaseCorruptError: A row is invalid, or a row that it refers to is missing.
        UnicodeEncodeError: A query parameter is not valid text.
    """
    try:
        yield
    except UnicodeEncodeError:
        raise
    except (InvalidInputError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        kind = str(error) if isinstance(error, InvalidInputError) else type(error).__name__
        raise DatabaseCorruptError(
            "the database is damaged: a stored row cannot be read ({kind})", remedy=REPAIR, _kind=kind
        ) from error


def kebab_error_for(error: Exception) -> KebabError:
    """Return the error of kebab for an exception of sqlite3.

    A refused value, which concerns one document, is a bug and no `StorageError`.
    """
    code = primary_code(error)
    if code in _CORRUPT or str(error).startswith(_DAMAGE_MESSAGES):
        # the message of a text that is no UTF-8 holds the text
        cause = _UNDECODABLE.lower() if str(error).startswith(_UNDECODABLE) else str(error)
        return DatabaseCorruptError("the database is damaged: {cause}", remedy=REPAIR, _cause=cause)
    if code in _BUSY:
        return LockedError(
            "a write to the index timed out waiting for another process: {error}",
            remedy=Remedy(advice=Message("try again in a moment")),
            _error=str(error),
        )
    if code == sqlite3.SQLITE_READONLY:
        return ReadonlyModeError("the index cannot be written: {error}", _error=str(error))
    if code in _FULL:
        return StorageError(
            "the disk of the index is full or fails: {error}",
            remedy=Remedy(kind="free_space", then=Remedy(kind="retry")),
            _error=str(error),
        )
    if isinstance(error, sqlite3.IntegrityError | sqlite3.DataError):
        return InternalError(
            "the database refuses a row: {error}", remedy=Remedy(kind="doctor"), _error=str(error)
        )
    return StorageError("the database failed: {error}", _error=str(error))


def _name_holder(error: Exception, holder: Mapping[str, str | int]) -> LockedError:
    named = LockedError(
        "a write to the index timed out waiting for `{command}` (pid {pid} on {host}): {error}",
        remedy=Remedy(advice=Message("try again in a moment")),
        _command=holder["command"],
        _pid=holder["pid"],
        _host=holder["host"],
        _error=str(error),
    )
    named.details.update(holder)
    return named


def primary_code(error: Exception) -> int | None:
    """Return the primary result code of an exception; None if Python itself raised it."""
    extended = getattr(error, "sqlite_errorcode", None)
    return None if extended is None else extended & 0xFF
