"""SQLite's own checks of pages, indexes, foreign keys and full-text indexes."""

from __future__ import annotations

import sqlite3

from kebab_core import Message

from kebab_store_sqlite.document_parts import passage_terms
from kebab_store_sqlite.schema import FULL_TEXT_TABLES

_KEPT_BYTES = 128 * 1024 * 1024
"""Of unpacked terms that both full-text indexes are compared with: those of 80,000 passages (2026-12)."""
OWN_TABLES = """
    SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      AND name NOT GLOB 'chunks_fts_*' AND name NOT GLOB 'chunks_exact_*' AND name NOT GLOB 'sqlite_*'
"""
"""All tables but those of the full-text indexes."""


def find_damage(connection: sqlite3.Connection, *, writable: bool) -> list[str]:
    """Check pages, indexes, foreign keys and, with a writable connection, full-text indexes; return the problems.

    FTS5's check is an INSERT that changes nothing; read-only connections refuse it.
    """
    try:
        found = [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
        found += _broken_references(connection)
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return found + _find_full_text_damage(connection) if writable else found


def _find_full_text_damage(connection: sqlite3.Connection) -> list[str]:
    found: list[str] = []
    with passage_terms.keeping(_KEPT_BYTES):
        for table in FULL_TEXT_TABLES:
            try:
                connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
            except sqlite3.DatabaseError as error:
                found.append(
                    Message(
                        "the full-text index {table} does not fit its terms: {error}",
                        table=table,
                        error=str(error),
                    )
                )
    return found


def find_table_damage(connection: sqlite3.Connection) -> list[str]:
    """Check all tables but those of the full-text indexes, and foreign keys; return the problems."""
    try:
        found = []
        for (table,) in connection.execute(OWN_TABLES).fetchall():
            found += [
                text for (text,) in connection.execute(f"PRAGMA integrity_check('{table}')") if text != "ok"
            ]
        return found + _broken_references(connection)
    except sqlite3.DatabaseError as error:
        return [str(error)]


def _broken_references(connection: sqlite3.Connection) -> list[str]:
    broken = connection.execute("PRAGMA foreign_key_check")
    return [Message("a row of {table} refers to nothing", table=row[0]) for row in broken]
