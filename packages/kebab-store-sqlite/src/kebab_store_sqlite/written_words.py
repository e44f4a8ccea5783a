"""Looking words up as they are written, in the index of exact phrases."""

from __future__ import annotations

import sqlite3

from kebab_core import ChunkId, DocumentSet, WrittenMatches

from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.match_expression import any_of

_COUNT = "SELECT count(*) FROM chunks_exact WHERE chunks_exact MATCH ?"
_FIRST = """
    SELECT c.chunk_id FROM chunks c JOIN documents d USING (doc_id)
    WHERE c.chunk_no IN (SELECT rowid FROM chunks_exact WHERE chunks_exact MATCH ?) {narrowed}
    ORDER BY d.workspace_path, c.ordinal, d.source_id LIMIT ?
"""
_OF_DOCUMENTS = "AND c.doc_id IN (SELECT value FROM json_each(?))"


def find_written(
    connection: sqlite3.Connection, beginning: str, *, limit: int, documents: DocumentSet | None
) -> WrittenMatches:
    """Return the first chunks with a written word that begins so, and how many there are in all documents."""
    expression = any_of((), (beginning,))
    if not expression:
        return WrittenMatches((), 0)
    (total,) = connection.execute(_COUNT, (expression,)).fetchone()
    if not total:
        return WrittenMatches((), 0)
    narrowed = "" if documents is None else _OF_DOCUMENTS
    within = () if documents is None else (json_text(list(documents)),)
    rows = connection.execute(_FIRST.format(narrowed=narrowed), (expression, *within, limit))
    return WrittenMatches(tuple(ChunkId(chunk_id) for (chunk_id,) in rows), total)
