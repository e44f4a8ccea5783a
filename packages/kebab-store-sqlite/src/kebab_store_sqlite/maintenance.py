"""Building the full-text indexes anew."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

from kebab_core import DatabaseCorruptError

from kebab_store_sqlite.damage import FULL_TEXT_TABLES
from kebab_store_sqlite.integrity import check_integrity, check_tables
from kebab_store_sqlite.schema import load_migrations

if TYPE_CHECKING:
    from kebab_store_sqlite.database import SqliteDatabase

_DEFINITION = re.compile(r"CREATE VIRTUAL TABLE chunks_\w+ [^;]+")
_FORGET = """
    DELETE FROM sqlite_master WHERE type IN ('table', 'index')
      AND (tbl_name IN ('chunks_fts', 'chunks_exact', 'chunks_vocab')
        OR tbl_name GLOB 'chunks_fts_*' OR tbl_name GLOB 'chunks_exact_*')
"""


def rebuild_lexical_index(database: SqliteDatabase) -> None:
    """Build both full-text indexes again from the stored terms, in one transaction."""
    with database.writing() as connection:
        _rebuild(connection)


def repair_lexical_index(database: SqliteDatabase) -> bool:
    """Make both full-text indexes anew if anything is wrong with the database.

    Nothing else may use the database for writing. For a moment it takes twice its space on the disk.

    Args:
        database: One that can be written.

    Returns:
        Whether there was anything to do; afterwards nothing is wrong.

    Raises:
        DatabaseCorruptError: The damage is not in these indexes alone. Nothing was changed.
        StorageError: The disk is full.
    """
    database.require_writable()
    if not check_integrity(database):
        return False
    _require_none(check_tables(database))
    with database.writing() as connection:
        _make_anew(connection)
    with database.reading() as connection:
        connection.execute("VACUUM")
    _require_none(check_integrity(database))
    return True


def _make_anew(connection: sqlite3.Connection) -> None:
    """Make the indexes again from the definitions of the migrations: those in the database may be damaged, too.

    The damaged ones are not dropped, since that follows their pages, and a damaged one may lead to pages of other
    tables. They are forgotten instead; their pages go when the database is written anew.
    """
    definitions = [sql for migration in load_migrations() for sql in _DEFINITION.findall(migration.sql)]
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute(_FORGET)
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
    for sql in definitions:
        connection.execute(sql)
    _rebuild(connection)


def _rebuild(connection: sqlite3.Connection) -> None:
    for table in FULL_TEXT_TABLES:
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")  # noqa: S608 - our own names


def _require_none(damage: list[str]) -> None:
    if damage:
        raise DatabaseCorruptError(
            f"the damage is not in the full-text indexes alone: {damage[0]}",
            hint="kebab reset --data-only, then kebab ingest, which makes all documents anew from your files; "
            "stored answers and eval runs are lost, so copy the data folder first if you want them",
        )
