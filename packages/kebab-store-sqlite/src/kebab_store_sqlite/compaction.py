"""Return of unused space to the disk: free pages of the database and its write-ahead log."""

from __future__ import annotations

import shutil
import sqlite3
from typing import TYPE_CHECKING

from kebab_store_sqlite.corpus_stats import count_chunks
from kebab_store_sqlite.erasure import merge_full_text, truncate_log

if TYPE_CHECKING:
    from kebab_store_sqlite.database import SqliteDatabase

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
