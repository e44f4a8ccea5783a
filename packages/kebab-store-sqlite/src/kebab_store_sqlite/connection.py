"""Connections to the database file: access modes, pragmas, the fallback for read-only media, and errors of SQLite as those of kebab."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from enum import Enum
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
    ends_of_symbol,
)

from kebab_store_sqlite.database_file import require_content
from kebab_store_sqlite.document_parts import register_functions
from kebab_store_sqlite.schema import pack_json, unpack_json

BUSY_TIMEOUT_S = 30.0
"""Time a statement waits for another process's transaction; ours last milliseconds."""

_CHECKPOINT_PAGES = 4000
"""Pages in the write-ahead log before a checkpoint, which flushes the disk.

Four times SQLite's default: 4,000 documents took 1.4 ms each instead of 1.5 to 2.5 on a busy disk (2026-11-22).
"""
_LOG_BYTES = 1024 * 1024
"""Size to which the log is cut where writing starts again at its beginning."""
_CACHE_KIB = 4 * 1024
WRITING_CACHE_KIB = 16 * 1024
"""Pages that a connection keeps, and one that has written: strokes over 218,000 chunks take no longer with 4 MiB than with 16, and every
thread that reads has a connection of its own (2026-11-30)."""
_MAPPED_BYTES = 32 * 1024
"""Of the shared-memory file, mapped at once."""
_SHARED_BYTES = 2 * _MAPPED_BYTES
_BYTES_PER_STAT_BLOCK = 512
_SURFACE_PLACES = "CREATE VIRTUAL TABLE temp.surface_places USING fts5vocab (main, chunks_exact, instance)"
"""Of this connection alone: the places of surface words, in the order of the words."""
_NO_SHARING = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
}

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


class Access(Enum):
    """Mode of opening the file; the value is the query of SQLite's URI."""

    READ_WRITE = "mode=rw"
    READ_ONLY = "mode=ro"
    IMMUTABLE = "mode=ro&immutable=1"


def connect(path: Path, access: Access) -> sqlite3.Connection:
    """Open a connection in autocommit mode with foreign keys on; threads may use it one at a time.

    Raises:
        DatabaseCorruptError: The file has been emptied.
        StorageError: The disk has no space for what processes share.
        OperationalError: SQLite cannot open it.
    """
    require_content(path)
    if access is not Access.IMMUTABLE and not _has_space_to_share(path):
        raise StorageError(
            "the disk of the index is full: {free} KiB are needed",
            remedy=Remedy(kind="free_space", then=Remedy(kind="retry")),
            _free=_SHARED_BYTES // 1024,
        )
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{access.value}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = ON")  # a view calls our functions
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if access is Access.READ_WRITE:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
            connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
        connection.execute(_SURFACE_PLACES)
        register_functions(connection)
        connection.create_function("pack_json", 1, pack_json, deterministic=True)
        connection.create_function("unpack_json", 1, _unpack_json, deterministic=True)
        connection.create_function("path_matches", 2, _path_matches, deterministic=True)
        connection.create_function("symbol_ends_with", 2, _symbol_ends_with, deterministic=True)
    except BaseException:
        connection.close()
        raise
    return connection


def _unpack_json(packed: bytes | None) -> str | None:
    """Return the JSON in a column; NULL where it is damaged, which is no reason to end a run."""
    try:
        return None if packed is None else unpack_json(packed)
    except (ValueError, TypeError):
        return None


def _path_matches(glob: str, path: str) -> bool:
    from kebab_store_sqlite.path_glob import path_matches

    return path_matches(glob, path)


def _symbol_ends_with(symbol: str, name: str) -> bool:
    """Return whether the last parts of a symbol, or all, make up a folded name."""
    return name in ends_of_symbol(symbol)


def _has_space_to_share(path: Path) -> bool:
    """True if the shared-memory file of a database can be mapped and written, or none is made.

    SQLite writes one byte of each 4 KiB page of it before it maps the file. Where blocks are smaller, the others are
    holes, and the first write into one on a full disk ends the process by SIGBUS.
    """
    with suppress(OSError):
        if path.with_name(path.name + "-shm").stat().st_blocks * _BYTES_PER_STAT_BLOCK >= _MAPPED_BYTES:
            return True
    if not os.access(path.parent, os.W_OK):  # then SQLite makes no such file
        return True
    space = os.statvfs(path.parent)
    return space.f_bavail * space.f_frsize >= _SHARED_BYTES


def readable_access(path: Path) -> Access:
    """Return the access mode for a database that must not be written.

    Where SQLite cannot create its shared-memory file (read-only media, a full disk), the database is opened as
    immutable, which is correct only without a write-ahead log. What the disk lacks is an error then.

    Raises:
        StorageError: A write-ahead log is left over on media that cannot be written, or on a full disk.
        OperationalError: SQLite cannot read the database for another reason.
    """
    log = path.with_name(path.name + "-wal")
    has_log = log.exists() and log.stat().st_size
    if has_log or _has_space_to_share(path):
        try:
            with closing(connect(path, Access.READ_ONLY)) as probe:
                probe.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
                return Access.READ_ONLY
        except sqlite3.OperationalError as error:
            if primary_code(error) not in _NO_SHARING:
                raise
    if has_log:
        raise StorageError(
            "the database was not closed cleanly and cannot be recovered without writing to its folder",
            remedy=Remedy(kind="make_accessible", path=str(path.parent)),
        )
    return Access.IMMUTABLE


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
