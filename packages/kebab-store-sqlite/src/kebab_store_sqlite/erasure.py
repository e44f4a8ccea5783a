"""Erasure of deleted text from the database files; `secure_delete` alone leaves full-text segments and the log.

FTS5 only marks a row as deleted and keeps its terms until segments are merged. Its own `secure-delete` (SQLite 3.42)
is not used: it takes 10 ms for each removed row of 240 words where merging all 12,000 rows takes 200 (2026-11-22), and
an index that it has changed cannot be read by an older SQLite.

Unused space, free pages of the database and its write-ahead log, is given back to the disk.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING

from kebab_store_sqlite.connection import BUSY_TIMEOUT_S
from kebab_store_sqlite.corpus_stats import count_chunks
from kebab_store_sqlite.database import ERASURE_BEGUN
from kebab_store_sqlite.schema import FULL_TEXT_TABLES, timestamp

if TYPE_CHECKING:
    from kebab_store_sqlite.database import SqliteDatabase

_DUE = "erasure_due"
_RECORD = "INSERT OR IGNORE INTO kv (key, value) VALUES (?, ?)"
_READ = "SELECT value FROM kv WHERE key = ?"
_CLEAR = "DELETE FROM kv WHERE key = ?"


_FORGET_RUNS = """
    DELETE FROM ingest_runs WHERE finished_at IS NOT NULL
      AND instr(scope_json || coalesce(unpack_json(items), '') || coalesce(report_json, ''), ?)
"""
_FORGET_JOBS = """
    DELETE FROM jobs WHERE finished_at IS NOT NULL
      AND instr(payload_json || coalesce(progress_json, '') || coalesce(error_json, ''), ?)
"""
_FORGET_DERIVED = "DELETE FROM derivation_cache"

_SMALL_BYTES = 64 * 1024 * 1024
"""Size of a database that is rewritten in about a second (2026-11)."""
_UNUSED_SHARES = {True: 1 / 32, False: 1 / 4}
"""Share of free pages from which a database is rewritten, by whether it is small."""
_FEW_BYTES = 256 * 1024
"""Unused bytes that are never worth it."""
_MEMORY_BYTES = 256 * 1024 * 1024
"""Size up to which the new file is made in memory, as SQLite is told to do with all temporary data."""
_MUCH = 1 / 4
"""Share of the passages from which a run merges the full-text indexes: segments of many commits repeat their terms. For
14,000 passages that and the rewriting take 1.3 % of the run's CPU time and save a twentieth of the database (2026-11)."""
_SIZES = """
    SELECT page_count * page_size, freelist_count * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""


def erase_traces(database: SqliteDatabase, names: Sequence[str]) -> None:
    """Delete finished runs and jobs that name something, and all results in the derivation cache.

    Keys of that cache are hashes, which do not say what document they are of; what else was in it is derived anew when it
    is needed. `erase_deleted` erases the rest.

    Args:
        database: One that can be written.
        names: Texts as JSON spells them.
    """
    with database.writing() as connection:
        for statement in (_FORGET_RUNS, _FORGET_JOBS):
            connection.executemany(statement, [(name,) for name in names])
        connection.execute(_FORGET_DERIVED)


def begin_erasure(database: SqliteDatabase, *, at: datetime) -> None:
    """Record that a command erases something, so that another process can finish what it leaves if it is killed."""
    database.write(_RECORD, (ERASURE_BEGUN, timestamp(at)))


def end_erasure(database: SqliteDatabase) -> None:
    """Record that nothing is left of what a command erases."""
    database.write(_CLEAR, (ERASURE_BEGUN,))


def note_erasure(connection: sqlite3.Connection, *, at: str) -> None:
    """Record that text was deleted and is not erased yet.

    Args:
        connection: Inside the transaction that deletes.
        at: Time stamp of now; an earlier record stays.
    """
    connection.execute(_RECORD, (_DUE, at))


def note_removal(connection: sqlite3.Connection) -> None:
    """Record that documents were removed, whose text the next run erases however young that is; inside the transaction."""
    connection.execute("INSERT OR REPLACE INTO kv (key, value) VALUES (?, '')", (_DUE,))


def erase_deleted(database: SqliteDatabase, *, before: datetime | None = None, compact: bool = False) -> bool:
    """Erase deleted text from full-text segments and the log; with `compact` also from unused space in pages.

    Args:
        database: One that can be written. No other process writes full-text rows meanwhile.
        before: Only if text was deleted before this time, or documents were removed; None is any time.
        compact: Also rewrite the database (VACUUM), even if nothing is due. Temporarily takes its size in memory and
            twice its size on the disk.

    Returns:
        True if nothing is due any more. While a reader holds the log open it stays due, and the next call erases it.

    Raises:
        ReadonlyModeError: The database is open for reading only.
        StorageError: The disk is full, or an index is damaged; nothing was changed.
    """
    database.require_writable()
    due = database.read_first(_READ, (_DUE,), itemgetter("value"))
    is_due = due is not None and (before is None or due < timestamp(before))
    if not is_due and not compact:
        return due is None
    merge_full_text(database)
    with database.reading() as connection:
        if compact:
            connection.execute("VACUUM")
        is_erased = truncate_log(connection)
    if is_erased:
        database.write(_CLEAR, (_DUE,))
    return is_erased


def merge_full_text(database: SqliteDatabase) -> None:
    """Merge the segments of each full-text index into one, without the terms of deleted rows.

    Raises:
        ReadonlyModeError: The database is open for reading only.
        StorageError: The disk is full, or an index is damaged; nothing was changed.
    """
    with database.writing() as connection:
        for table in FULL_TEXT_TABLES:
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def truncate_log(connection: sqlite3.Connection) -> bool:
    """Copy the write-ahead log to the database and empty it, without waiting for readers.

    Returns:
        True if the log is empty.
    """
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_S * 1000)}")


def compact(database: SqliteDatabase, *, written: int = 0) -> None:
    """Rewrite a database of which much is unused, and empty its log, unless the disk has no room for that.

    Readers are not disturbed; other writers wait.

    Args:
        database: One that can be written.
        written: Number of passages that were written before; if they are many, the full-text indexes are merged first.

    Raises:
        ReadonlyModeError: The database is open for reading only.
        StorageError: The disk is full, or another process kept writing; nothing was changed.
    """
    database.require_writable()
    with database.reading() as connection:
        size, _ = connection.execute(_SIZES).fetchone()
        has_room = shutil.disk_usage(database.data_dir).free > 2 * size
        merges = has_room and bool(written) and written > count_chunks(connection) * _MUCH
    if merges:
        merge_full_text(database)
    with database.reading() as connection:
        size, unused = connection.execute(_SIZES).fetchone()
        share = _UNUSED_SHARES[merges or size <= _SMALL_BYTES]
        if has_room and unused > max(_FEW_BYTES, size * share):
            _rewrite(connection, size=size - unused)
        truncate_log(connection)


def _rewrite(connection: sqlite3.Connection, *, size: int) -> None:
    connection.execute(f"PRAGMA temp_store = {'MEMORY' if size <= _MEMORY_BYTES else 'FILE'}")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store = MEMORY")
