"""Which chunks have vectors of which model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

from kebab_core import (
    ChunkId,
    DocumentId,
    EmbeddingCounts,
    EmbeddingId,
    EmbeddingIdentity,
    PendingEmbedding,
    Tombstone,
    hash_bytes,
)

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.document_writer import raise_corpus_revision
from kebab_store_sqlite.embedding_requests import (
    count_committed,
    count_documents_with_chunks,
    count_documents_without,
    count_pending,
    count_pending_documents,
    count_pending_within,
    latest_model,
    model_parameters,
    request_missing,
)
from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.timestamps import timestamp

_PENDING = """
    SELECT e.chunk_id, e.doc_id, d.lang, d.title, c.heading_path_json, c.text
    FROM embedding_records e CROSS JOIN chunks c USING (chunk_id) CROSS JOIN documents d ON d.doc_id = e.doc_id
    WHERE status <> 'committed' AND status = 'pending' AND model_id = :model AND model_version = :version AND dimensions = :dimensions ORDER BY e.doc_id, c.ordinal LIMIT :limit
"""
_WITHIN = "AND e.doc_id IN (SELECT value FROM json_each(:within)) ORDER BY"
_PENDING_WITHIN = _PENDING.replace("ORDER BY", _WITHIN)
_COMMIT = """
    UPDATE embedding_records SET status = 'committed', lance_table = :table
    WHERE chunk_id = :chunk AND model_id = :model AND model_version = :version AND dimensions = :dimensions AND status = 'pending'
"""
_REOPEN = "UPDATE embedding_records SET status = 'pending' WHERE model_id = :model AND model_version = :version AND dimensions = :dimensions AND status = 'committed'"
_REOPEN_SOME = """
    UPDATE embedding_records SET status = 'pending' WHERE chunk_id = :chunk
      AND model_id = :model AND model_version = :version AND dimensions = :dimensions AND status = 'committed'
"""
_COMMITTED = """
    SELECT chunk_id FROM embedding_records WHERE model_id = :model AND model_version = :version AND dimensions = :dimensions AND status = 'committed' AND chunk_id > :after
    ORDER BY chunk_id LIMIT 10000
"""
_COMMITTED_AMONG = """
    SELECT e.chunk_id FROM json_each(:chunks) j CROSS JOIN embedding_records e ON e.chunk_id = j.value
    WHERE model_id = :model AND model_version = :version AND dimensions = :dimensions AND status = 'committed'
"""
_TOMBSTONES = """
    SELECT embedding_id, chunk_id, model_id, model_version, dimensions FROM embedding_records
    WHERE status <> 'committed' AND status = 'tombstone' ORDER BY model_id, model_version, dimensions, embedding_id LIMIT ?
"""
_BURY = "DELETE FROM embedding_records WHERE embedding_id = ? AND status = 'tombstone'"
_WITHDRAW = "DELETE FROM embedding_records WHERE status <> 'committed' AND status = 'pending' AND NOT (model_id = :model AND model_version = :version AND dimensions = :dimensions)"
_NO_MODEL = {"model": "", "version": "", "dimensions": 0}


class SqliteEmbeddingRepo:
    """Implements `EmbeddingRepo` beside the documents of one database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def request(self, identity: EmbeddingIdentity) -> int:
        """Make every chunk that has no row of a model pending.

        Returns:
            How many are pending now.
        """
        with self._db.writing() as connection:
            request_missing(connection, identity, at=timestamp(self._db.clock.now()))
            return count_pending(connection, identity)

    def withdraw(self, *, keep: EmbeddingIdentity | None = None) -> int:
        """Forget what is pending of other models.

        Returns:
            How many rows went.
        """
        parameters = _NO_MODEL if keep is None else model_parameters(keep)
        with self._db.writing() as connection:
            return connection.execute(_WITHDRAW, parameters).rowcount

    def forget(self) -> int:
        """Delete every row.

        Returns:
            How many.
        """
        with self._db.writing() as connection:
            gone = connection.execute("DELETE FROM embedding_records").rowcount
            connection.execute("DELETE FROM kv WHERE key LIKE 'anchors:%' OR key LIKE 'vectors:%'")
            raise_corpus_revision(connection)
            return gone

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return chunks to be embedded, by document and in order."""
        parameters = {**model_parameters(identity), "limit": limit, "within": json_text(list(within or ()))}
        with self._db.reading() as connection:
            rows = connection.execute(_PENDING if within is None else _PENDING_WITHIN, parameters)
            return [_pending_of(row) for row in rows]

    def count_pending(self, identity: EmbeddingIdentity, *, within: Collection[DocumentId]) -> int:
        """Return how many chunks of these documents are to be embedded."""
        with self._db.reading() as connection:
            return count_pending_within(connection, identity, within=json_text(list(within)))

    def pending_documents(self, identity: EmbeddingIdentity, *, lost: Collection[ChunkId] = ()) -> int:
        """Return how many documents have a chunk without a vector, asked for or not."""
        with self._db.snapshot() as connection:
            if lost:
                return count_documents_without(connection, identity, lost=json_text(list(lost)))
            return count_pending_documents(connection, identity)

    def embeddable_documents(self) -> int:
        """Return how many documents have a chunk, with a vector or not."""
        with self._db.reading() as connection:
            return count_documents_with_chunks(connection)

    def latest_model(self) -> EmbeddingIdentity | None:
        """Return the model that vectors were last asked of, which need not be the one in force."""
        with self._db.reading() as connection:
            return latest_model(connection)

    def commit(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId], *, table: str) -> None:
        """Note that the vectors of these chunks are stored."""
        model = model_parameters(identity)
        with self._db.writing() as connection:
            rows = ({**model, "chunk": chunk_id, "table": table} for chunk_id in chunk_ids)
            if connection.executemany(_COMMIT, rows).rowcount > 0:
                raise_corpus_revision(connection)

    def reopen(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId] | None = None) -> int:
        """Make committed rows pending again.

        Returns:
            How many.
        """
        model = model_parameters(identity)
        with self._db.writing() as connection:
            if chunk_ids is None:
                return connection.execute(_REOPEN, model).rowcount
            rows = ({**model, "chunk": chunk_id} for chunk_id in chunk_ids)
            return max(0, connection.executemany(_REOPEN_SOME, rows).rowcount)

    def committed(self, identity: EmbeddingIdentity) -> Iterator[ChunkId]:
        """Yield the chunks whose vectors are stored, by id."""
        after = ""
        while True:
            with self._db.reading() as connection:
                rows = connection.execute(_COMMITTED, {**model_parameters(identity), "after": after})
                chunk_ids = [ChunkId(chunk_id) for (chunk_id,) in rows]
            if not chunk_ids:
                return
            after = chunk_ids[-1]
            yield from chunk_ids

    def find_committed(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]) -> frozenset[ChunkId]:
        """Return which of these chunks have their vectors stored."""
        parameters = {**model_parameters(identity), "chunks": json_text(list(chunk_ids))}
        with self._db.reading() as connection:
            return frozenset(ChunkId(row[0]) for row in connection.execute(_COMMITTED_AMONG, parameters))

    def tombstones(self, *, limit: int) -> list[Tombstone]:
        """Return vectors to be removed, those of one model together."""
        with self._db.reading() as connection:
            return [_tombstone_of(row) for row in connection.execute(_TOMBSTONES, (limit,))]

    def bury(self, embedding_ids: Sequence[EmbeddingId]) -> None:
        """Delete tombstones."""
        with self._db.writing() as connection:
            connection.executemany(_BURY, [(embedding_id,) for embedding_id in embedding_ids])

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Return how far the vectors of a model are; tombstones are counted of every model."""
        with self._db.snapshot() as connection:
            (tombstones,) = connection.execute(
                "SELECT count(*) FROM embedding_records WHERE status <> 'committed' AND status = 'tombstone'"
            ).fetchone()
            return EmbeddingCounts(
                pending=count_pending(connection, identity),
                committed=count_committed(connection, identity),
                tombstones=tombstones,
            )

    def seal(self, identity: EmbeddingIdentity, edition: str) -> None:
        """Note the edition of an index that has the vector of every committed row."""
        self._keep(_key("vectors", identity), edition)

    def sealed_edition(self, identity: EmbeddingIdentity) -> str | None:
        """Return what was noted last."""
        return self._kept(_key("vectors", identity))

    def keep_anchors(self, identity: EmbeddingIdentity, content: bytes) -> None:
        """Keep what was measured of a model over this index, behind its hash: damage in numbers shows in nothing else."""
        self._keep(_key("anchors", identity), f"{hash_bytes(content)} {content.decode()}")

    def anchors(self, identity: EmbeddingIdentity) -> bytes | None:
        """Return what is kept of a model; None where that is damaged, too: it is measured again."""
        kept = self._kept(_key("anchors", identity))
        if kept is None:
            return None
        if kept.startswith("{"):  # by a version of kebab that kept no hash
            return kept.encode()
        checksum, _, content = kept.partition(" ")
        return content.encode() if hash_bytes(content.encode()) == checksum else None

    def _keep(self, key: str, value: str) -> None:
        with self._db.writing() as connection:
            connection.execute(
                "INSERT INTO kv (key, value) VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )

    def _kept(self, key: str) -> str | None:
        with self._db.reading() as connection:
            row = connection.execute("SELECT value FROM kv WHERE key = ?", (key,)).fetchone()
            return None if row is None else str(row[0])


def _key(kind: str, identity: EmbeddingIdentity) -> str:
    return f"{kind}:{identity.model_id}@{identity.model_version}/{identity.dimensions}"


def _pending_of(row: sqlite3.Row) -> PendingEmbedding:
    chunk_id, doc_id, lang, title, headings, text = row
    return PendingEmbedding(chunk_id, doc_id, lang, title, tuple(json.loads(headings)), text)


def _tombstone_of(row: sqlite3.Row) -> Tombstone:
    embedding_id, chunk_id, model_id, model_version, dimensions = row
    identity = EmbeddingIdentity(model_id=model_id, model_version=model_version, dimensions=dimensions)
    return Tombstone(EmbeddingId(embedding_id), ChunkId(chunk_id), identity)
