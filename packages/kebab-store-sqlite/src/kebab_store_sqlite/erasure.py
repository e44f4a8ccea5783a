"""Erasing deleted text from the files of the database; `secure_delete` alone leaves full-text segments and the log.

FTS5 only notes that a row is gone and keeps its terms until segments are merged. Its own `secure-delete` (SQLite 3.42)
is not used: it takes 10 ms for each removed row of 240 words where merging all 12,000 rows takes 200 (2026-11-22), and
an index that it has changed cannot be read by an older SQLite.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import TYPE_CHECKING

from kebab_store_sqlite.connection import BUSY_TIMEOUT_S
from kebab_store_sqlite.damage import FULL_TEXT_TABLES
from kebab_store_sqlite.timestamps import timestamp

if TYPE_CHECKING:
    from kebab_store_sqlite.database import SqliteDatabase

_DUE = "erasure_due"
_NOTE = "INSERT OR IGNORE INTO kv (key, value) VALUES (?, ?)"
_READ = "SELECT value FROM kv WHERE key = ?"
_FORGET = "DELETE FROM kv WHERE key = ?"


def note_erasure(connection: sqlite3.Connection, *, at: str) -> None:
    """Note that text has been deleted and not been erased yet.

    Args:
        connection: Inside the transaction that deletes.
        at: Time stamp of now; an earlier one that is noted stays.
    """
    connection.execute(_NOTE, (_DUE, at))


def erase_deleted(database: SqliteDatabase, *, before: datetime | None = None, compact: bool = False) -> bool:
    """Erase what was deleted: from full-text segments and the log, with `compact` also from the slack of pages.

    Args:
        database: One that can be written. No other process writes full-text rows meanwhile.
        before: Only where something was deleted before this time; None is at any time.
        compact: Write the database anew, whether or not anything is known to be due. Takes its size in memory and twice
            its size on the disk for a moment.

    Returns:
        Whether nothing is due any more. Where a reader holds the log open it is due still, and the next call erases it.

    Raises:
        ReadonlyModeError: The database is open for reading only.
        StorageError: The disk is full, or an index is damaged; nothing was changed.
    """
    database.require_writable()
    with database.reading() as connection:
        due = connection.execute(_READ, (_DUE,)).fetchone()
    is_asked = due is not None and (before is None or due[0] < timestamp(before))
    if not is_asked and not compact:
        return due is None
    with database.writing() as connection:
        for table in FULL_TEXT_TABLES:
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 - our own names
    with database.reading() as connection:
        if compact:
            connection.execute("VACUUM")
        is_erased = _truncate_log(connection)
    if is_erased:
        with database.writing() as connection:
            connection.execute(_FORGET, (_DUE,))
    return is_erased


def _truncate_log(connection: sqlite3.Connection) -> bool:
    """Copy the write-ahead log to the database and empty it, without waiting for readers.

    Returns:
        Whether it is empty.
    """
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_S * 1000)}")
