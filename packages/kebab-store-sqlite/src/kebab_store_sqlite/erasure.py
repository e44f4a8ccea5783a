"""Erasure of deleted text from the database files; `secure_delete` alone leaves full-text segments and the log.

FTS5 only marks a row as deleted and keeps its terms until segments are merged. Its own `secure-delete` (SQLite 3.42)
is not used: it takes 10 ms for each removed row of 240 words where merging all 12,000 rows takes 200 (2026-11-22), and
an index that it has changed cannot be read by an older SQLite.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING

from kebab_store_sqlite.column_formats import timestamp
from kebab_store_sqlite.connection import BUSY_TIMEOUT_S
from kebab_store_sqlite.schema import FULL_TEXT_TABLES

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


def note_erasure(connection: sqlite3.Connection, *, at: str) -> None:
    """Record that text was deleted and is not erased yet.

    Args:
        connection: Inside the transaction that deletes.
        at: Time stamp of now; an earlier record stays.
    """
    connection.execute(_RECORD, (_DUE, at))


def erase_deleted(database: SqliteDatabase, *, before: datetime | None = None, compact: bool = False) -> bool:
    """Erase deleted text from full-text segments and the log; with `compact` also from unused space in pages.

    Args:
        database: One that can be written. No other process writes full-text rows meanwhile.
        before: Only if text was deleted before this time; None is any time.
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
