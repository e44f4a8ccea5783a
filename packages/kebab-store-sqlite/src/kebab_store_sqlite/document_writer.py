"""Writing and removing documents inside one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from kebab_store_sqlite.asset_rows import insert_asset, repoint_references
from kebab_store_sqlite.document_rows import DOCUMENT_COLUMNS
from kebab_store_sqlite.erasure import note_erasure
from kebab_store_sqlite.packed_rows import DocumentRows, RowBatch
from kebab_store_sqlite.row_spools import SpooledRows
from kebab_store_sqlite.source_files import forget_skips

_INSERT_DOCUMENT = (
    f"INSERT INTO documents ({', '.join(DOCUMENT_COLUMNS)}) VALUES (:{', :'.join(DOCUMENT_COLUMNS)})"  # noqa: S608
)
_PREVIOUS = """
    SELECT doc_id, asset_id, doc_version FROM documents
    WHERE source_id = :source_id AND workspace_path = :workspace_path
"""
_FORGET_FAILURE = (
    "DELETE FROM file_failures WHERE source_id = :source_id AND workspace_path = :workspace_path"
)
_LONG_BYTES = 2 * 1024 * 1024
_ROWS_AT_ONCE = 1000
_DELETE_SOME = (
    "DELETE FROM chunks WHERE chunk_no IN (SELECT chunk_no FROM chunks WHERE doc_id = ? LIMIT ?)",
    "DELETE FROM blocks WHERE block_id IN (SELECT block_id FROM blocks WHERE doc_id = ? LIMIT ?)",
)
_INSERT_TAG = "INSERT OR IGNORE INTO document_tags (doc_id, tag) VALUES (?, ?)"
_INSERT_BLOCK = """
    INSERT INTO blocks (block_id, doc_id, kind, heading_path_json, ordinal, source_span_json, payload_json)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_CHUNK = """
    INSERT INTO chunks (chunk_no, chunk_id, doc_id, ordinal, text, heading_path_json, section_label,
      source_spans_json, token_estimate, chunker_version, policy_hash, block_ids_json, created_at, lead_json)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_TERMS = "INSERT INTO chunk_terms (chunk_no, title, heading, body, surface) VALUES (?, ?, ?, ?, ?)"
INSERT_EMBEDDING = """
    INSERT INTO embedding_records
      (embedding_id, chunk_id, doc_id, model_id, model_version, dimensions, status, created_at)
    VALUES (?, ?, ?, ?, ?, ?, 'pending', ?)
    ON CONFLICT (embedding_id) DO UPDATE SET status = 'pending', created_at = excluded.created_at
"""


def replace_document(connection: sqlite3.Connection, rows: DocumentRows | SpooledRows) -> None:
    """Put a document in place of whatever its source and path had."""
    document = rows.document
    doc_id, asset_id, version = document["doc_id"], rows.asset[0], document["doc_version"]
    previous = connection.execute(_PREVIOUS, document).fetchone()
    if previous is not None:
        _delete_document(connection, previous["doc_id"], at=str(document["indexed_at"]))
        version = previous["doc_version"] + 1
    insert_asset(connection, rows.asset)
    connection.execute(_INSERT_DOCUMENT, {**document, "doc_version": version})
    connection.executemany(_INSERT_TAG, [(doc_id, tag) for tag in rows.tags])
    for batch in rows.batches():
        connection.executemany(_INSERT_BLOCK, batch.blocks)
        _insert_chunks(connection, batch)
    connection.execute(_FORGET_FAILURE, document)
    forget_skips(connection, str(document["source_id"]), [str(document["workspace_path"])])
    if previous is not None:
        repoint_references(connection, {previous["asset_id"], asset_id})
    raise_corpus_revision(connection)


def remove_documents(connection: sqlite3.Connection, doc_ids: Iterable[str], *, at: str) -> int:
    """Remove documents with everything made from them.

    Args:
        connection: Inside a transaction.
        doc_ids: The documents; unknown ones are fine.
        at: Time stamp of now.

    Returns:
        How many of them there were.
    """
    assets = set()
    removed = 0
    for doc_id in doc_ids:
        row = connection.execute("SELECT asset_id FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
        if row is not None:
            _delete_document(connection, doc_id, at=at)
            assets.add(row["asset_id"])
            removed += 1
    if removed:
        repoint_references(connection, assets)
        raise_corpus_revision(connection)
    return removed


def forget_failure(connection: sqlite3.Connection, *, source_id: str, workspace_path: str) -> None:
    """Delete the note that a file could not be processed, if there is one."""
    connection.execute(_FORGET_FAILURE, {"source_id": source_id, "workspace_path": workspace_path})


def raise_corpus_revision(connection: sqlite3.Connection) -> None:
    """Say that what can be found has changed."""
    connection.execute("UPDATE kv SET value = CAST(value AS INTEGER) + 1 WHERE key = 'corpus_revision'")


def _delete_document(connection: sqlite3.Connection, doc_id: str, *, at: str) -> None:
    """Delete a document; blocks, chunks and terms go by cascade, stored vectors leave tombstones."""
    note_erasure(connection, at=at)
    _thin_out(connection, doc_id)
    connection.execute("DELETE FROM embedding_records WHERE doc_id = ? AND status = 'pending'", (doc_id,))
    connection.execute("UPDATE embedding_records SET status = 'tombstone' WHERE doc_id = ?", (doc_id,))
    connection.execute("DELETE FROM documents WHERE doc_id = ?", (doc_id,))


def _thin_out(connection: sqlite3.Connection, doc_id: str) -> None:
    """Delete most of what a long document has, some rows at a time.

    SQLite remembers in memory what one statement changes, to take it back: seven times the text (2026-11).
    """
    row = connection.execute("SELECT byte_len FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
    if row is None or row["byte_len"] < _LONG_BYTES:
        return
    for statement in _DELETE_SOME:
        while connection.execute(statement, (doc_id, _ROWS_AT_ONCE)).rowcount == _ROWS_AT_ONCE:
            pass


def _insert_chunks(connection: sqlite3.Connection, rows: RowBatch) -> None:
    (last_no,) = connection.execute("SELECT coalesce(max(chunk_no), 0) FROM chunks").fetchone()
    first_no = last_no + 1
    connection.executemany(_INSERT_CHUNK, [(no, *row) for no, row in enumerate(rows.chunks, first_no)])
    connection.executemany(_INSERT_TERMS, [(no, *row) for no, row in enumerate(rows.terms, first_no)])
    connection.executemany(INSERT_EMBEDDING, rows.embeddings)
