"""Telling a full-text index that finds nothing from one that has lost everything."""

from __future__ import annotations

import sqlite3

from kebab_core import DatabaseCorruptError

from kebab_store_sqlite.match_expression import any_of

_COLUMNS = {"chunks_fts": "trim(title || ' ' || heading || ' ' || body)", "chunks_exact": "trim(surface)"}
_SAMPLE = "SELECT chunk_no, {column} AS words FROM chunk_terms WHERE {column} <> '' LIMIT 1"
_FIND = "SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid = ?"


def require_kept_terms(connection: sqlite3.Connection) -> None:
    """Look one stored chunk up in both full-text indexes.

    FTS5 reads a cut-off record of its structure as that of an index without rows, and finds nothing without an
    error. It costs two look-ups whatever the size, and only who found nothing has to ask.

    Raises:
        DatabaseCorruptError: An index does not hold the chunk that it was made from.
    """
    for table, column in _COLUMNS.items():
        sample = connection.execute(_SAMPLE.format(column=column)).fetchone()
        if sample is None:
            continue
        term = any_of([sample["words"].split(" ", 1)[0]], ())
        found = connection.execute(_FIND.format(table=table), (term, sample["chunk_no"])).fetchone()
        if found is None:
            raise DatabaseCorruptError(
                f"the full-text index {table} has lost what is stored", hint="kebab doctor --repair"
            )
