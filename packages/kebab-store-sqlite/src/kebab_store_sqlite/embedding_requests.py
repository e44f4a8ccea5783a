"""Rows that say which chunks still need a vector of a model."""

from __future__ import annotations

import sqlite3

from kebab_core import ChunkId, EmbeddingIdentity, embedding_id_for

from kebab_store_sqlite.document_writer import INSERT_EMBEDDING
from kebab_store_sqlite.store_report import count_chunks

_UNASKED = """
    SELECT c.chunk_no, c.chunk_id, c.doc_id FROM chunks c
    WHERE c.chunk_no > :after AND NOT EXISTS (
      SELECT 1 FROM embedding_records e WHERE e.chunk_id = c.chunk_id AND e.model_id = :model
        AND e.model_version = :version AND e.dimensions = :dimensions AND e.status <> 'tombstone'
    ) ORDER BY c.chunk_no LIMIT 5000
"""
_ROWS = """
    SELECT count(*) FROM embedding_records
    WHERE model_id = :model AND model_version = :version AND dimensions = :dimensions
"""
_OPEN_ROWS = """
    SELECT count(*) FROM embedding_records INDEXED BY idx_embed_open
    WHERE status <> 'committed' AND model_id = :model AND model_version = :version AND dimensions = :dimensions
"""
"""The condition of the index stands in it word for word; left alone, SQLite looks at every row of the model."""
_TOMBSTONES = f"{_OPEN_ROWS} AND status = 'tombstone'"
_PENDING_WITHIN = f"""{_OPEN_ROWS} AND status = 'pending'
    AND doc_id IN (SELECT value FROM json_each(:within))
"""  # noqa: S608 - our own words
_PENDING_DOCUMENTS = """
    SELECT count(DISTINCT doc_id) FROM embedding_records INDEXED BY idx_embed_open
    WHERE status <> 'committed' AND status = 'pending'
      AND model_id = :model AND model_version = :version AND dimensions = :dimensions
"""
_DOCUMENTS_WITHOUT = """
    SELECT count(DISTINCT c.doc_id) FROM chunks c WHERE NOT EXISTS (
      SELECT 1 FROM embedding_records e WHERE e.chunk_id = c.chunk_id AND e.model_id = :model
        AND e.model_version = :version AND e.dimensions = :dimensions AND e.status = 'committed'
    ) OR c.chunk_id IN (SELECT value FROM json_each(:lost))
"""
_NONE_LOST = "[]"

_WITH_CHUNKS = """
    SELECT count(*) FROM documents d WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.doc_id = d.doc_id)
"""
_LATEST_MODEL = """
    SELECT model_id, model_version, dimensions FROM embedding_records ORDER BY rowid DESC LIMIT 1
"""


def model_parameters(identity: EmbeddingIdentity) -> dict[str, str | int]:
    """Return a model as queries name it."""
    return {
        "model": str(identity.model_id),
        "version": str(identity.model_version),
        "dimensions": identity.dimensions,
    }


def request_missing(connection: sqlite3.Connection, identity: EmbeddingIdentity, *, at: str) -> None:
    """Make every chunk pending that has no row of a model; a tombstone of the same vector comes to life again."""
    if _is_asked_for(connection, identity):
        return
    model = model_parameters(identity)
    after = -1
    while True:
        found = connection.execute(_UNASKED, {**model, "after": after}).fetchall()
        if not found:
            return
        after = found[-1][0]
        rows = [
            (_embedding_id(chunk_id, identity), chunk_id, doc_id, *model.values(), at)
            for _, chunk_id, doc_id in found
        ]
        connection.executemany(INSERT_EMBEDDING, rows)


def count_committed(connection: sqlite3.Connection, identity: EmbeddingIdentity) -> int:
    """Return how many rows of a model are committed, without a look at any of them: the indexes tell."""
    return _number(connection, _ROWS, identity) - _number(connection, _OPEN_ROWS, identity)


def count_pending(connection: sqlite3.Connection, identity: EmbeddingIdentity) -> int:
    """Return how many rows of a model are pending."""
    return _number(connection, _OPEN_ROWS, identity) - _number(connection, _TOMBSTONES, identity)


def count_pending_within(connection: sqlite3.Connection, identity: EmbeddingIdentity, *, within: str) -> int:
    """Return how many rows of a model are pending of some documents, whose ids are a JSON array."""
    parameters = {**model_parameters(identity), "within": within}
    (count,) = connection.execute(_PENDING_WITHIN, parameters).fetchone()
    return int(count)


def count_pending_documents(connection: sqlite3.Connection, identity: EmbeddingIdentity) -> int:
    """Return how many documents have a chunk without a vector of a model."""
    rows = _count_alive(connection, identity)
    if not rows:
        return count_documents_with_chunks(connection)
    if rows == count_chunks(connection):
        return _number(connection, _PENDING_DOCUMENTS, identity)
    return count_documents_without(connection, identity, lost=_NONE_LOST)


def count_documents_without(connection: sqlite3.Connection, identity: EmbeddingIdentity, *, lost: str) -> int:
    """Return how many documents have a chunk without a committed row of a model, or one of these.

    Args:
        connection: To the database.
        identity: The model.
        lost: Chunk ids, as a JSON array.
    """
    (count,) = connection.execute(_DOCUMENTS_WITHOUT, {**model_parameters(identity), "lost": lost}).fetchone()
    return int(count)


def count_documents_with_chunks(connection: sqlite3.Connection) -> int:
    """Return how many documents have anything to embed."""
    (count,) = connection.execute(_WITH_CHUNKS).fetchone()
    return int(count)


def latest_model(connection: sqlite3.Connection) -> EmbeddingIdentity | None:
    """Return the model that a vector was last asked of; None where none ever was."""
    row = connection.execute(_LATEST_MODEL).fetchone()
    if row is None:
        return None
    model_id, model_version, dimensions = row
    return EmbeddingIdentity(model_id=model_id, model_version=model_version, dimensions=dimensions)


def _is_asked_for(connection: sqlite3.Connection, identity: EmbeddingIdentity) -> bool:
    """Return whether every chunk has a row: none has two, and chunks that are gone have at most a tombstone."""
    return _count_alive(connection, identity) == count_chunks(connection)


def _count_alive(connection: sqlite3.Connection, identity: EmbeddingIdentity) -> int:
    """Return how many rows of a model are of chunks that are there."""
    return _number(connection, _ROWS, identity) - _number(connection, _TOMBSTONES, identity)


def _number(connection: sqlite3.Connection, query: str, identity: EmbeddingIdentity) -> int:
    (count,) = connection.execute(query, model_parameters(identity)).fetchone()
    return int(count)


def _embedding_id(chunk_id: str, identity: EmbeddingIdentity) -> str:
    return str(
        embedding_id_for(
            chunk_id=ChunkId(chunk_id),
            model_id=identity.model_id,
            model_version=identity.model_version,
            dimensions=identity.dimensions,
        )
    )
