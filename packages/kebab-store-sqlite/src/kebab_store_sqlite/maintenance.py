"""Building the full-text indexes anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_store_sqlite.damage import FULL_TEXT_TABLES

if TYPE_CHECKING:
    from kebab_store_sqlite.database import SqliteDatabase


def rebuild_lexical_index(database: SqliteDatabase) -> None:
    """Build both full-text indexes again from the stored terms, in one transaction."""
    with database.writing() as connection:
        for table in FULL_TEXT_TABLES:
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")  # noqa: S608 - our own names
