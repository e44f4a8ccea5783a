"""Reading documents and chunks."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core import DocumentId, IndexedChunk

from kebab_store_sqlite.asset_rows import ASSET_QUERY, asset_of
from kebab_store_sqlite.chunk_rows import chunk_of
from kebab_store_sqlite.document_filters import filter_conditions, where
from kebab_store_sqlite.document_rows import (
    INDEXED_DOCUMENT_QUERY,
    document_of,
    indexed_document_of,
    summary_of,
)
from kebab_store_sqlite.json_fields import json_text

if TYPE_CHECKING:
    from kebab_core import (
        CanonicalDocument,
        Chunk,
        ChunkId,
        DocFilter,
        DocSummary,
        DocumentSet,
        IndexedDocument,
        RawAsset,
        SearchFilters,
    )


_BY_IDS = f"{INDEXED_DOCUMENT_QUERY} WHERE d.doc_id IN (SELECT value FROM json_each(?))"  # noqa: S608
_NEIGHBOURS = """
    SELECT n.* FROM chunks c JOIN chunks n USING (doc_id)
    WHERE c.chunk_id = ? AND n.ordinal BETWEEN c.ordinal - ? AND c.ordinal + ? ORDER BY n.ordinal
"""


def get_document(connection: sqlite3.Connection, doc_id: DocumentId) -> CanonicalDocument | None:
    """Return a document with its blocks in order."""
    row = connection.execute("SELECT * FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
    if row is None:
        return None
    return document_of(
        row, connection.execute("SELECT * FROM blocks WHERE doc_id = ? ORDER BY ordinal", (doc_id,))
    )


def get_asset(connection: sqlite3.Connection, doc_id: DocumentId) -> RawAsset | None:
    """Return the asset of a document."""
    row = connection.execute(ASSET_QUERY, (doc_id,)).fetchone()
    return None if row is None else asset_of(row)


def get_indexed_document(connection: sqlite3.Connection, doc_id: DocumentId) -> IndexedDocument | None:
    """Return a document without its blocks."""
    row = connection.execute(f"{INDEXED_DOCUMENT_QUERY} WHERE d.doc_id = ?", (doc_id,)).fetchone()
    return None if row is None else indexed_document_of(row)


def get_chunks(connection: sqlite3.Connection, chunk_ids: Sequence[ChunkId]) -> list[IndexedChunk]:
    """Return chunks with their documents in the order asked for."""
    rows = connection.execute(
        "SELECT * FROM chunks WHERE chunk_id IN (SELECT value FROM json_each(?))",
        (json_text(list(chunk_ids)),),
    )
    chunks = {chunk.chunk_id: chunk for chunk in map(chunk_of, rows)}
    documents = _indexed_documents(connection, {chunk.doc_id for chunk in chunks.values()})
    return [
        IndexedChunk(chunk=chunks[chunk_id], document=documents[chunks[chunk_id].doc_id])
        for chunk_id in chunk_ids
        if chunk_id in chunks
    ]


def list_chunks(connection: sqlite3.Connection, doc_id: DocumentId) -> list[Chunk]:
    """Return the chunks of a document, by ordinal."""
    rows = connection.execute("SELECT * FROM chunks WHERE doc_id = ? ORDER BY ordinal", (doc_id,))
    return [chunk_of(row) for row in rows]


def neighbours(connection: sqlite3.Connection, chunk_id: ChunkId, *, distance: int) -> list[Chunk]:
    """Return the chunk and up to `distance` chunks on either side, by ordinal."""
    return [chunk_of(row) for row in connection.execute(_NEIGHBOURS, (chunk_id, distance, distance))]


def list_documents(connection: sqlite3.Connection, criteria: DocFilter) -> list[DocSummary]:
    """Return documents by source and path."""
    conditions = filter_conditions(criteria)
    query = f"""
        SELECT q.*, (SELECT count(*) FROM chunks c WHERE c.doc_id = q.doc_id) AS chunk_count
        FROM ({INDEXED_DOCUMENT_QUERY} {where(conditions)} ORDER BY d.source_id, d.workspace_path LIMIT ? OFFSET ?) q
    """  # noqa: S608 - every value is a parameter
    limit = -1 if criteria.limit is None else criteria.limit
    parameters = [*(condition.value for condition in conditions), limit, criteria.offset]
    return [summary_of(row) for row in connection.execute(query, parameters)]


def resolve_filters(connection: sqlite3.Connection, filters: SearchFilters) -> DocumentSet:
    """Return the documents that pass.

    The ids skip the check of their shape: it would take longer than the query where most documents pass.
    """
    conditions = filter_conditions(filters)
    rows = connection.execute(
        f"SELECT d.doc_id FROM documents d {where(conditions)}",  # noqa: S608 - every value is a parameter
        [condition.value for condition in conditions],
    )
    return frozenset([str.__new__(DocumentId, doc_id) for (doc_id,) in rows])


def _indexed_documents(
    connection: sqlite3.Connection, doc_ids: set[DocumentId]
) -> dict[str, IndexedDocument]:
    rows = connection.execute(_BY_IDS, (json_text(list(doc_ids)),))
    return {row["doc_id"]: indexed_document_of(row) for row in rows}
