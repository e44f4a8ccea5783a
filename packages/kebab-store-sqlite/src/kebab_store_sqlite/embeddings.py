"""Rows of `embedding_records`: the state of each chunk's vector, by model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

from kebab_core import (
    ChunkEmbedding,
    ChunkId,
    DeletedEmbedding,
    DocumentId,
    EmbeddingCounts,
    EmbeddingId,
    EmbeddingIdentity,
    EmbeddingState,
    PendingEmbedding,
    hash_bytes,
)

from kebab_store_sqlite.column_formats import json_text, timestamp
from kebab_store_sqlite.corpus_stats import count_chunks, raise_corpus_revision
from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.document_rows import INSERT_EMBEDDING, embedding_row

_OF_MODEL = "model_id = :model_id AND model_version = :model_version AND dimensions = :dimensions"
_COMMITTED_OF_MODEL = f"{_OF_MODEL} AND status = 'committed'"
_OPEN = "status <> 'committed'"
"""The condition of the partial index word for word; without it SQLite reads every row of the model."""
_PENDING = f"""
    SELECT e.chunk_id, e.doc_id, d.lang, d.title, c.heading_path_json, c.text
    FROM embedding_records e CROSS JOIN chunks c USING (chunk_id) CROSS JOIN documents d ON d.doc_id = e.doc_id
    WHERE {_OPEN} AND status = 'pending' AND {_OF_MODEL} ORDER BY e.doc_id, c.ordinal LIMIT :limit
"""  # noqa: S608 - constants only, here and below
_WITHIN = "AND e.doc_id IN (SELECT value FROM json_each(:within)) ORDER BY"
_PENDING_WITHIN = _PENDING.replace("ORDER BY", _WITHIN)
_COMMIT = f"""
    UPDATE embedding_records SET status = 'committed', lance_table = :table
    WHERE chunk_id = :chunk AND {_OF_MODEL} AND status = 'pending'
"""  # noqa: S608
_ADD_EMBEDDED_EVENT = f"""
    UPDATE documents SET provenance_json = json_insert(provenance_json, '$.events[#]', json(:event))
    WHERE doc_id IN (
        SELECT e.doc_id FROM json_each(:chunks) j CROSS JOIN embedding_records e ON e.chunk_id = j.value
        WHERE {_COMMITTED_OF_MODEL}
      ) AND NOT EXISTS (
        SELECT 1 FROM embedding_records p
        WHERE {_OPEN} AND p.status = 'pending' AND p.doc_id = documents.doc_id AND {_OF_MODEL}
      ) AND json_valid(provenance_json) AND NOT EXISTS (
        SELECT 1 FROM json_each(provenance_json, '$.events') v
        WHERE v.value ->> 'kind' = :kind AND v.value ->> 'note' = :note
      )
"""  # noqa: S608
_REOPEN = f"UPDATE embedding_records SET status = 'pending' WHERE {_COMMITTED_OF_MODEL}"  # noqa: S608
_REOPEN_SOME = f"{_REOPEN} AND chunk_id = :chunk"
_COMMITTED = f"""
    SELECT chunk_id FROM embedding_records WHERE {_COMMITTED_OF_MODEL} AND chunk_id > :after
    ORDER BY chunk_id LIMIT 10000
"""  # noqa: S608
_COMMITTED_AMONG = f"""
    SELECT e.chunk_id FROM json_each(:chunks) j CROSS JOIN embedding_records e ON e.chunk_id = j.value
    WHERE {_COMMITTED_OF_MODEL}
"""  # noqa: S608
_OF_CHUNK = """
    SELECT embedding_id, model_id, model_version, dimensions, replace(status, 'tombstone', 'deleted') AS state
    FROM embedding_records WHERE chunk_id = ? ORDER BY model_id, model_version, dimensions
"""
_TOMBSTONES = f"""
    SELECT embedding_id, chunk_id, model_id, model_version, dimensions FROM embedding_records
    WHERE {_OPEN} AND status = 'tombstone' ORDER BY model_id, model_version, dimensions, embedding_id LIMIT ?
"""  # noqa: S608
_PURGE = "DELETE FROM embedding_records WHERE embedding_id = ? AND status = 'tombstone'"
_WITHDRAW = f"DELETE FROM embedding_records WHERE {_OPEN} AND status = 'pending' AND NOT ({_OF_MODEL})"  # noqa: S608
_CHUNKS_WITHOUT_ROW = f"""
    SELECT c.chunk_no, c.chunk_id, c.doc_id FROM chunks c
    WHERE c.chunk_no > :after AND NOT EXISTS (
      SELECT 1 FROM embedding_records e WHERE e.chunk_id = c.chunk_id AND {_OF_MODEL} AND e.status <> 'tombstone'
    ) ORDER BY c.chunk_no LIMIT 5000
"""  # noqa: S608
_COUNT_ROWS = f"SELECT count(*) FROM embedding_records WHERE {_OF_MODEL}"  # noqa: S608
_OPEN_OF_MODEL = f"embedding_records INDEXED BY idx_embed_open WHERE {_OPEN} AND {_OF_MODEL}"
_COUNT_UNCOMMITTED = f"SELECT count(*) FROM {_OPEN_OF_MODEL}"  # noqa: S608
_COUNT_TOMBSTONES = f"{_COUNT_UNCOMMITTED} AND status = 'tombstone'"
_COUNT_PENDING_WITHIN = (
    f"{_COUNT_UNCOMMITTED} AND status = 'pending' AND doc_id IN (SELECT value FROM json_each(:within))"  # noqa: S608
)
_COUNT_PENDING_DOCUMENTS = f"SELECT count(DISTINCT doc_id) FROM {_OPEN_OF_MODEL} AND status = 'pending'"  # noqa: S608
_COUNT_DOCUMENTS_WITHOUT_VECTORS = f"""
    SELECT count(DISTINCT c.doc_id) FROM chunks c WHERE NOT EXISTS (
      SELECT 1 FROM embedding_records e WHERE e.chunk_id = c.chunk_id AND {_COMMITTED_OF_MODEL}
    ) OR c.chunk_id IN (SELECT value FROM json_each(:lost))
"""  # noqa: S608
_COUNT_DOCUMENTS_WITH_CHUNKS = """
    SELECT count(*) FROM documents d WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.doc_id = d.doc_id)
"""
_LATEST_MODEL = """
    SELECT model_id, model_version, dimensions FROM embedding_records ORDER BY rowid DESC LIMIT 1
"""
_COUNT_ALL_TOMBSTONES = f"SELECT count(*) FROM embedding_records WHERE {_OPEN} AND status = 'tombstone'"  # noqa: S608
_PUT_VALUE = (
    "INSERT INTO kv (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
_GET_VALUE = "SELECT value FROM kv WHERE key = ?"
_NO_MODEL = {"model_id": "", "model_version": "", "dimensions": 0}


class SqliteEmbeddingRepo:
    """Implements `EmbeddingRepo` beside the documents of one database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def request(self, identity: EmbeddingIdentity) -> int:
        """Make every chunk that has no row of a model pending.

        Returns:
            The number of pending chunks.
        """
        with self._db.writing() as connection:
            _request_missing(connection, identity, at=timestamp(self._db.clock.now()))
            return _count_pending(connection, identity)

    def withdraw(self, *, keep: EmbeddingIdentity | None = None) -> int:
        """Delete the pending rows of other models.

        Returns:
            The number of rows deleted.
        """
        return self._db.write(_WITHDRAW, _NO_MODEL if keep is None else keep.model_dump())

    def forget(self) -> int:
        """Delete every row.

        Returns:
            The number of rows deleted.
        """
        with self._db.writing() as connection:
            gone = connection.execute("DELETE FROM embedding_records").rowcount
            connection.execute("DELETE FROM kv WHERE key LIKE 'anchors:%' OR key LIKE 'vectors:%'")
            raise_corpus_revision(connection)
            return gone

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return pending chunks, by document and in order."""
        parameters = {**identity.model_dump(), "limit": limit, "within": json_text(list(within or ()))}
        query = _PENDING if within is None else _PENDING_WITHIN
        return self._db.read_all(query, parameters, _pending_of)

    def count_pending(self, identity: EmbeddingIdentity, *, within: Collection[DocumentId]) -> int:
        """Count the pending chunks of a few documents."""
        with self._db.reading() as connection:
            return _number(connection, _COUNT_PENDING_WITHIN, identity, within=json_text(list(within)))

    def pending_documents(self, identity: EmbeddingIdentity, *, lost: Collection[ChunkId] = ()) -> int:
        """Count the documents with a chunk that has no vector, requested or not."""
        with self._db.snapshot() as connection:
            if not lost:
                rows = _count_of_chunks(connection, identity)
                if not rows:
                    return int(connection.execute(_COUNT_DOCUMENTS_WITH_CHUNKS).fetchone()[0])
                if rows == count_chunks(connection):
                    return _number(connection, _COUNT_PENDING_DOCUMENTS, identity)
            return _number(connection, _COUNT_DOCUMENTS_WITHOUT_VECTORS, identity, lost=json_text(list(lost)))

    def embeddable_documents(self) -> int:
        """Count the documents with a chunk, with a vector or not."""
        with self._db.reading() as connection:
            return int(connection.execute(_COUNT_DOCUMENTS_WITH_CHUNKS).fetchone()[0])

    def latest_model(self) -> EmbeddingIdentity | None:
        """Return the model of the latest request, which need not be the configured one; None before the first."""
        return self._db.read_first(_LATEST_MODEL, (), _identity_of)

    def commit(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId], *, table: str) -> None:
        """Mark the vectors of pending chunks as stored, and note it in the provenance of documents that have all."""
        from kebab_core import embedded_event  # a search loads no documents

        model = identity.model_dump()
        event = embedded_event(identity, at=self._db.clock.now())
        noted = {"event": event.model_dump_json(), "kind": event.kind.value, "note": event.note}
        with self._db.writing() as connection:
            rows = ({**model, "chunk": chunk_id, "table": table} for chunk_id in chunk_ids)
            if connection.executemany(_COMMIT, rows).rowcount > 0:
                connection.execute(
                    _ADD_EMBEDDED_EVENT, {**model, **noted, "chunks": json_text(list(chunk_ids))}
                )
                raise_corpus_revision(connection)

    def reopen(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId] | None = None) -> int:
        """Make committed rows pending again.

        Returns:
            The number of rows.
        """
        model = identity.model_dump()
        if chunk_ids is None:
            return self._db.write(_REOPEN, model)
        return self._db.write_many(_REOPEN_SOME, [{**model, "chunk": chunk_id} for chunk_id in chunk_ids])

    def committed(self, identity: EmbeddingIdentity) -> Iterator[ChunkId]:
        """Yield the chunks whose vectors are stored, by id."""
        parameters = {**identity.model_dump(), "after": ""}
        while chunk_ids := self._db.read_all(_COMMITTED, parameters, _chunk_id_of):
            yield from chunk_ids
            parameters["after"] = chunk_ids[-1]

    def find_committed(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]) -> frozenset[ChunkId]:
        """Return those of the chunks whose vectors are stored."""
        parameters = {**identity.model_dump(), "chunks": json_text(list(chunk_ids))}
        return frozenset(self._db.read_all(_COMMITTED_AMONG, parameters, _chunk_id_of))

    def chunk_embeddings(self, chunk_id: ChunkId) -> list[ChunkEmbedding]:
        """Return the rows of one chunk by model."""
        return self._db.read_all(_OF_CHUNK, (chunk_id,), _chunk_embedding_of)

    def list_deleted(self, *, limit: int) -> list[DeletedEmbedding]:
        """Return vectors to be removed, those of one model together."""
        return self._db.read_all(_TOMBSTONES, (limit,), _deleted_embedding_of)

    def purge_deleted(self, embedding_ids: Sequence[EmbeddingId]) -> None:
        """Delete the rows of deleted chunks whose vectors have been removed."""
        self._db.write_many(_PURGE, [(embedding_id,) for embedding_id in embedding_ids])

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Count the pending and committed chunks of a model, and the deleted ones of all models."""
        with self._db.snapshot() as connection:
            (tombstones,) = connection.execute(_COUNT_ALL_TOMBSTONES).fetchone()
            return EmbeddingCounts(
                pending=_count_pending(connection, identity),
                committed=_number(connection, _COUNT_ROWS, identity)
                - _number(connection, _COUNT_UNCOMMITTED, identity),
                deleted=tombstones,
            )

    def checkpoint(self, identity: EmbeddingIdentity, content_version: str) -> None:
        """Record the content version of an index that has the vector of every committed row."""
        self._db.write(_PUT_VALUE, (_key("vectors", identity), content_version))

    def checkpoint_version(self, identity: EmbeddingIdentity) -> str | None:
        """Return the recorded content version."""
        return self._db.read_first(_GET_VALUE, (_key("vectors", identity),), _value_of)

    def save_query_centroids(self, identity: EmbeddingIdentity, content: bytes) -> None:
        """Store the query centroids of a model, after their hash: damaged numbers cannot be detected otherwise."""
        value = f"{hash_bytes(content)} {content.decode()}"
        self._db.write(_PUT_VALUE, (_key("anchors", identity), value))

    def query_centroids(self, identity: EmbeddingIdentity) -> bytes | None:
        """Return the stored query centroids of a model; None without any, or if they are damaged."""
        stored = self._db.read_first(_GET_VALUE, (_key("anchors", identity),), _value_of)
        if stored is None:
            return None
        if stored.startswith("{"):  # written by a version of kebab that stored no hash
            return stored.encode()
        checksum, _, content = stored.partition(" ")
        return content.encode() if hash_bytes(content.encode()) == checksum else None


def _key(kind: str, identity: EmbeddingIdentity) -> str:
    return f"{kind}:{identity.model_id}@{identity.model_version}/{identity.dimensions}"


def _value_of(row: sqlite3.Row) -> str:
    return str(row["value"])


def _chunk_id_of(row: sqlite3.Row) -> ChunkId:
    return ChunkId(row["chunk_id"])


def _pending_of(row: sqlite3.Row) -> PendingEmbedding:
    chunk_id, doc_id, lang, title, headings, text = row
    return PendingEmbedding(chunk_id, doc_id, lang, title, tuple(json.loads(headings)), text)


def _identity_of(row: sqlite3.Row) -> EmbeddingIdentity:
    return EmbeddingIdentity(
        model_id=row["model_id"], model_version=row["model_version"], dimensions=row["dimensions"]
    )


def _chunk_embedding_of(row: sqlite3.Row) -> ChunkEmbedding:
    return ChunkEmbedding(EmbeddingId(row["embedding_id"]), _identity_of(row), EmbeddingState(row["state"]))


def _deleted_embedding_of(row: sqlite3.Row) -> DeletedEmbedding:
    return DeletedEmbedding(EmbeddingId(row["embedding_id"]), ChunkId(row["chunk_id"]), _identity_of(row))


def _request_missing(connection: sqlite3.Connection, identity: EmbeddingIdentity, *, at: str) -> None:
    """Make every chunk without a row of the model pending; a tombstone of the same vector becomes pending again."""
    if _count_of_chunks(connection, identity) == count_chunks(connection):
        return
    model = identity.model_dump()
    after = -1
    while found := connection.execute(_CHUNKS_WITHOUT_ROW, {**model, "after": after}).fetchall():
        after = found[-1][0]
        rows = [embedding_row(chunk_id, doc_id, identity, created_at=at) for _, chunk_id, doc_id in found]
        connection.executemany(INSERT_EMBEDDING, rows)


def _count_pending(connection: sqlite3.Connection, identity: EmbeddingIdentity) -> int:
    return _number(connection, _COUNT_UNCOMMITTED, identity) - _number(
        connection, _COUNT_TOMBSTONES, identity
    )


def _count_of_chunks(connection: sqlite3.Connection, identity: EmbeddingIdentity) -> int:
    """Count the rows of a model that belong to stored chunks: no chunk has two, removed chunks have tombstones only."""
    return _number(connection, _COUNT_ROWS, identity) - _number(connection, _COUNT_TOMBSTONES, identity)


def _number(connection: sqlite3.Connection, query: str, identity: EmbeddingIdentity, **others: str) -> int:
    (count,) = connection.execute(query, {**identity.model_dump(), **others}).fetchone()
    return int(count)
