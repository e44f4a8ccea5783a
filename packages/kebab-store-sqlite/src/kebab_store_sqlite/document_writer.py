"""Writing and removing documents inside one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from kebab_core import DocumentRecord, embedding_id_for

from kebab_store_sqlite.asset_rows import insert_asset, repoint_references
from kebab_store_sqlite.chunk_rows import chunk_rows
from kebab_store_sqlite.document_rows import DOCUMENT_COLUMNS, block_rows, document_row
from kebab_store_sqlite.timestamps import timestamp

_INSERT_DOCUMENT = (
    f"INSERT INTO documents ({', '.join(DOCUMENT_COLUMNS)}) VALUES (:{', :'.join(DOCUMENT_COLUMNS)})"  # noqa: S608
)
_INSERT_BLOCK = """
    INSERT INTO blocks (block_id, doc_id, kind, heading_path_json, ordinal, source_span_json, payload_json)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_CHUNK = """
    INSERT INTO chunks (chunk_no, chunk_id, doc_id, ordinal, text, heading_path_json, section_label,
      source_spans_json, token_estimate, chunker_version, policy_hash, block_ids_json, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_TERMS = "INSERT INTO chunk_terms (chunk_no, title, heading, body, surface) VALUES (?, ?, ?, ?, ?)"
_INSERT_EMBEDDING = """
    INSERT INTO embedding_records
      (embedding_id, chunk_id, doc_id, model_id, model_version, dimensions, status, created_at)
    VALUES (?, ?, ?, ?, ?, ?, 'pending', ?)
    ON CONFLICT (embedding_id) DO UPDATE SET status = 'pending', created_at = excluded.created_at
"""


def replace_document(connection: sqlite3.Connection, record: DocumentRecord) -> None:
    """Put a document in place of whatever its source and path had."""
    document = record.document
    previous = connection.execute(
        "SELECT doc_id, asset_id, doc_version FROM documents WHERE source_id = ? AND workspace_path = ?",
        (document.source_id, document.workspace_path),
    ).fetchone()
    if previous is not None:
        _delete_document(connection, previous["doc_id"])
    insert_asset(connection, record.asset)
    version = document.doc_version if previous is None else previous["doc_version"] + 1
    connection.execute(_INSERT_DOCUMENT, document_row(record, doc_version=version))
    connection.executemany(
        "INSERT OR IGNORE INTO document_tags (doc_id, tag) VALUES (?, ?)",
        [(document.doc_id, tag) for tag in document.metadata.tags],
    )
    connection.executemany(_INSERT_BLOCK, block_rows(document))
    _insert_chunks(connection, record)
    forget_failure(connection, source_id=document.source_id, workspace_path=document.workspace_path)
    if previous is not None:
        repoint_references(connection, {previous["asset_id"], record.asset.asset_id})
    raise_corpus_revision(connection)


def remove_documents(connection: sqlite3.Connection, doc_ids: Iterable[str]) -> int:
    """Remove documents with everything made from them.

    Returns:
        How many of them there were.
    """
    assets = set()
    removed = 0
    for doc_id in doc_ids:
        row = connection.execute("SELECT asset_id FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
        if row is not None:
            _delete_document(connection, doc_id)
            assets.add(row["asset_id"])
            removed += 1
    if removed:
        repoint_references(connection, assets)
        raise_corpus_revision(connection)
    return removed


def forget_failure(connection: sqlite3.Connection, *, source_id: str, workspace_path: str) -> None:
    """Delete the note that a file could not be processed, if there is one."""
    connection.execute(
        "DELETE FROM file_failures WHERE source_id = ? AND workspace_path = ?", (source_id, workspace_path)
    )


def raise_corpus_revision(connection: sqlite3.Connection) -> None:
    """Say that what can be found has changed."""
    connection.execute("UPDATE kv SET value = CAST(value AS INTEGER) + 1 WHERE key = 'corpus_revision'")


def _delete_document(connection: sqlite3.Connection, doc_id: str) -> None:
    """Delete a document; blocks, chunks and terms go by cascade, stored vectors leave tombstones."""
    connection.execute("DELETE FROM embedding_records WHERE doc_id = ? AND status = 'pending'", (doc_id,))
    connection.execute("UPDATE embedding_records SET status = 'tombstone' WHERE doc_id = ?", (doc_id,))
    connection.execute("DELETE FROM documents WHERE doc_id = ?", (doc_id,))


def _insert_chunks(connection: sqlite3.Connection, record: DocumentRecord) -> None:
    created_at = timestamp(record.indexed_at)
    (last_no,) = connection.execute("SELECT coalesce(max(chunk_no), 0) FROM chunks").fetchone()
    rows = chunk_rows(record.chunks, first_no=last_no + 1, created_at=created_at)
    connection.executemany(_INSERT_CHUNK, rows)
    connection.executemany(
        _INSERT_TERMS,
        [
            (row[0], terms.title, terms.heading, terms.body, terms.surface)
            for row, terms in zip(rows, record.terms, strict=True)
        ],
    )
    if record.embedding is not None:
        connection.executemany(_INSERT_EMBEDDING, _embedding_rows(record, created_at=created_at))


def _embedding_rows(record: DocumentRecord, *, created_at: str) -> list[tuple[str | int, ...]]:
    model = record.embedding
    if model is None:
        return []
    identity = (model.model_id, model.model_version, model.dimensions)
    return [
        (
            embedding_id_for(
                chunk_id=chunk.chunk_id,
                model_id=model.model_id,
                model_version=model.model_version,
                dimensions=model.dimensions,
            ),
            chunk.chunk_id,
            chunk.doc_id,
            *identity,
            created_at,
        )
        for chunk in record.chunks
    ]
