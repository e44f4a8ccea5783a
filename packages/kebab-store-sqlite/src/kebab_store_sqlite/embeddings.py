"""Vectors of passages: `vectors` by model and text, and which documents have them all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from kebab_core import (
    ChunkEmbedding,
    ChunkId,
    DocumentId,
    EmbeddingCounts,
    EmbeddingIdentity,
    EmbeddingState,
    PendingEmbedding,
    SampledVector,
    TextHash,
    VectorRows,
    embedding_id_for,
    hash_bytes,
    passage_text,
)

from kebab_store_sqlite.corpus_stats import count_chunks, raise_corpus_revision
from kebab_store_sqlite.embedding_models import (
    ACTIVE,
    ADD_MODEL,
    DROP_MODELS,
    GET_VALUE,
    IN_FORCE,
    MODELS,
    MODELS_IN_USE,
    PREVIOUS,
    PUT_VALUE,
    SqliteEmbeddingModels,
    centroids_key,
    identity_of,
    model_of_key,
    number_of,
    value_of,
)
from kebab_store_sqlite.schema import json_text

_HAS_NO_VECTOR = (
    "NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model_no = :model_no AND v.text_hash = c.text_hash)"
)
_IS_PENDING = f"EXISTS (SELECT 1 FROM chunks c WHERE c.doc_no = d.doc_no AND {_HAS_NO_VECTOR})"
_UNEMBEDDED = "documents d INDEXED BY idx_docs_unembedded WHERE d.embedding_model_id IS NULL"
_NEWEST_FIRST = "ORDER BY CAST(d.mtime_ns AS INTEGER) DESC, d.doc_id, c.ordinal"
_PENDING = f"""
    WITH waiting AS (
      SELECT c.chunk_no FROM documents d CROSS JOIN chunks c ON c.doc_no = d.doc_no
      WHERE d.embedding_model_id IS NULL AND {_HAS_NO_VECTOR} {{within}} {_NEWEST_FIRST} LIMIT :limit
    )
    SELECT c.chunk_id, d.doc_id, d.title, passage_content(p.chunks, c.chunk_no - c.part_no), c.text_hash
    FROM waiting CROSS JOIN chunks c USING (chunk_no) CROSS JOIN document_parts p USING (part_no)
      CROSS JOIN documents d ON d.doc_no = c.doc_no {_NEWEST_FIRST}
"""
_WITHIN = "AND c.doc_no IN (SELECT doc_no FROM json_each(:within) CROSS JOIN documents ON doc_id = value)"
_COUNT_PENDING = f"SELECT count(*) FROM chunks c WHERE {_HAS_NO_VECTOR}"
_COUNT_PENDING_IN_FORCE = f"""
    SELECT count(*) FROM documents d INDEXED BY idx_docs_unembedded CROSS JOIN chunks c ON c.doc_no = d.doc_no
    WHERE d.embedding_model_id IS NULL AND {_HAS_NO_VECTOR}
"""
_COUNT_PENDING_DOCUMENTS = f"SELECT count(*) FROM {_UNEMBEDDED} AND {_IS_PENDING}"
_COUNT_PENDING_DOCUMENTS_OF_ANY = f"SELECT count(*) FROM documents d WHERE {_IS_PENDING}"
_COUNT_EMBEDDABLE = (
    "SELECT count(*) FROM documents d WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.doc_no = d.doc_no)"
)
_COUNT_EMBEDDED = """
    SELECT count(*) FROM chunks c CROSS JOIN vectors v ON v.model_no = :model_no AND v.text_hash = c.text_hash
"""
_COMPLETE = f"""
    SELECT d.doc_id, (SELECT count(*) FROM chunks c WHERE c.doc_no = d.doc_no) AS chunk_count
    FROM {_UNEMBEDDED} AND NOT {_IS_PENDING}
"""
_COMPLETE_AMONG = f"""
    SELECT d.doc_id, 1 AS chunk_count FROM documents d
    WHERE d.embedding_model_id IS NULL AND NOT {_IS_PENDING}
      AND d.doc_id IN (SELECT value FROM json_each(:doc_ids))
"""
_DOCUMENTS_WITH_TEXT = "SELECT doc_id FROM chunks JOIN documents USING (doc_no) WHERE text_hash = ?"
_NOTE_EMBEDDED = """
    UPDATE documents SET
      embedding_model_id = :model_id, embedding_model_version = :model_version, embedding_dimensions = :dimensions,
      provenance = CASE WHEN :chunk_count = 0 OR unpack_json(provenance) IS NULL OR EXISTS (
          SELECT 1 FROM json_each(unpack_json(provenance), '$.events') e
          WHERE e.value ->> 'kind' = :kind AND e.value ->> 'note' = :note
        )
        THEN provenance ELSE pack_json(json_insert(unpack_json(provenance), '$.events[#]', json(:event))) END
    WHERE doc_id = :doc_id
"""
_UNNOTE = """
    UPDATE documents SET embedding_model_id = NULL, embedding_model_version = NULL, embedding_dimensions = NULL
    WHERE embedding_model_id IS NOT NULL
"""
_UNNOTE_INCOMPLETE = f"""
    {_UNNOTE} AND EXISTS (SELECT 1 FROM chunks c WHERE c.doc_no = documents.doc_no AND {_HAS_NO_VECTOR})
"""
_UNNOTE_WITH_TEXT = f"{_UNNOTE} AND doc_no IN (SELECT doc_no FROM chunks WHERE text_hash = ?)"
_PUT = """
    INSERT INTO vectors (model_no, text_hash, vector) VALUES (?, ?, ?) ON CONFLICT (model_no, text_hash) DO NOTHING
"""
_FIND = "SELECT text_hash, vector FROM vectors WHERE model_no = ? AND text_hash IN ({places})"
_SAMPLED_VECTORS = """
    SELECT d.doc_id, d.lang, v.vector
    FROM (SELECT chunk_id, doc_no, text_hash FROM chunks ORDER BY chunk_id LIMIT :limit) c
      CROSS JOIN documents d USING (doc_no) CROSS JOIN vectors v USING (text_hash)
    WHERE v.model_no = :model_no ORDER BY c.chunk_id
"""
_FOUND_AT_ONCE = 100
"""Vectors of a query: one that names so many takes half the time of as many queries."""
_ROWS = """
    SELECT d.doc_id, d.lang, group_concat(c.chunk_id, ''), group_concat(hex(c.text_hash), '') FROM documents d
      CROSS JOIN chunks c ON c.doc_no = d.doc_no
      CROSS JOIN vectors v ON v.model_no = :model_no AND v.text_hash = c.text_hash
    GROUP BY d.doc_id
"""
"""A row for each passage would cost three times as much."""
_EMBEDDED_MODELS = f"""
    {MODELS} m WHERE EXISTS (
      SELECT 1 FROM vectors v CROSS JOIN chunks c ON c.text_hash = v.text_hash WHERE v.model_no = m.model_no
    ) ORDER BY model_id, model_version, dimensions
"""
_VECTORS_OF_CHUNKS = """
    SELECT c.chunk_id, v.vector FROM json_each(:chunks) j CROSS JOIN chunks c ON c.chunk_id = j.value
      CROSS JOIN vectors v ON v.model_no = :model_no AND v.text_hash = c.text_hash
"""
_SAMPLE = """
    SELECT c.chunk_id, d.doc_id, d.title, passage_content(p.chunks, c.chunk_no - c.part_no), c.text_hash
    FROM (
      SELECT text_hash FROM vectors v WHERE model_no = :model_no
        AND EXISTS (SELECT 1 FROM chunks c WHERE c.text_hash = v.text_hash)
      ORDER BY text_hash LIMIT :limit
    ) s CROSS JOIN chunks c ON c.chunk_no = (SELECT min(chunk_no) FROM chunks WHERE text_hash = s.text_hash)
      CROSS JOIN document_parts p USING (part_no) CROSS JOIN documents d ON d.doc_no = c.doc_no
"""
_OF_CHUNK = f"""
    SELECT m.model_id, m.model_version, m.dimensions, v.vector_no IS NULL AS is_pending
    FROM chunks c CROSS JOIN embedding_models m
      LEFT JOIN vectors v ON v.model_no = m.model_no AND v.text_hash = c.text_hash
    WHERE c.chunk_id = ? AND (
      v.vector_no IS NOT NULL OR m.model_no = (SELECT CAST(value AS INTEGER) FROM kv WHERE key = '{IN_FORCE}')
    ) ORDER BY m.model_id, m.model_version, m.dimensions
"""
_TEXTS_OF = """
    SELECT text_hash FROM json_each(?) CROSS JOIN documents ON doc_id = value CROSS JOIN chunks USING (doc_no)
"""
_IS_UNUSED = f"""
    v.model_no NOT IN {MODELS_IN_USE} OR NOT EXISTS (SELECT 1 FROM chunks c WHERE c.text_hash = v.text_hash)
"""
_COUNT_UNUSED = f"SELECT count(*) FROM vectors v WHERE {_IS_UNUSED}"
_EVICT = f"""
    DELETE FROM vectors WHERE vector_no IN (
      SELECT vector_no FROM (
        SELECT vector_no, sum(length(vector)) OVER (ORDER BY vector_no DESC) AS newest_bytes
        FROM vectors v WHERE {_IS_UNUSED}
      ) WHERE newest_bytes > ?
    )
"""
_MOST_BYTES = "SELECT (SELECT count(*) FROM vectors) * (SELECT max(dimensions) FROM embedding_models) * 4"
"""What all vectors take at most, with four bytes a dimension."""


class SqliteEmbeddingRepo(SqliteEmbeddingModels):
    """Implements `EmbeddingRepo` beside the documents of one database."""

    _counted: tuple[tuple[str, str, EmbeddingIdentity | None] | None, int] = (None, 0)
    """Number of documents that was counted last, with content version, query and model."""

    def request(self, identity: EmbeddingIdentity) -> int:
        """Make a model the one in force, and note the documents that have all its vectors already, and no others.

        Returns:
            The number of their passages.
        """
        with self._db.writing() as connection:
            connection.execute(ADD_MODEL, identity.model_dump())
            model_no = number_of(connection, identity)
            if model_of_key(connection, IN_FORCE) != identity:
                connection.execute(PUT_VALUE, (IN_FORCE, str(model_no)))
                connection.execute(_UNNOTE)
            else:  # a vector may be lost by damage
                connection.execute(_UNNOTE_INCOMPLETE, {"model_no": model_no})
            complete = connection.execute(_COMPLETE, {"model_no": model_no}).fetchall()
            self._note_embedded(connection, identity, complete)
            return sum(row["chunk_count"] for row in complete)

    def sample(self, identity: EmbeddingIdentity, *, limit: int) -> list[PendingEmbedding]:
        """Return passages that have a vector of a model, chosen by the hashes of their texts."""
        with self._db.snapshot() as connection:
            named = {"model_no": number_of(connection, identity), "limit": limit}
            return [_pending_of(row) for row in connection.execute(_SAMPLE, named)]

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return passages of the model in force to be embedded, documents with the newest files first."""
        query = _PENDING.format(within="" if within is None else _WITHIN)
        parameters = {"limit": limit, "within": json_text(list(within or ()))}
        with self._db.snapshot() as connection:
            model_no = number_of(connection, identity)
            return [
                _pending_of(row) for row in connection.execute(query, {**parameters, "model_no": model_no})
            ]

    def count_pending(
        self, identity: EmbeddingIdentity, *, within: Collection[DocumentId] | None = None
    ) -> int:
        """Count the pending passages, of a few documents or of all."""
        if within is None:
            in_force = self.latest_model() == identity
            return self._count(_COUNT_PENDING_IN_FORCE if in_force else _COUNT_PENDING, identity)
        return self._count(f"{_COUNT_PENDING} {_WITHIN}", identity, within=json_text(list(within)))

    def pending_documents(self, identity: EmbeddingIdentity) -> int:
        """Count the documents that have a passage without a vector of a model."""
        in_force = self.latest_model() == identity
        query = _COUNT_PENDING_DOCUMENTS if in_force else _COUNT_PENDING_DOCUMENTS_OF_ANY
        return self._count_documents(query, identity)

    def embeddable_documents(self) -> int:
        """Count the documents with a passage, with a vector or not."""
        return self._count_documents(_COUNT_EMBEDDABLE)

    def find_vectors(
        self, identity: EmbeddingIdentity, text_hashes: Collection[TextHash]
    ) -> dict[TextHash, bytes]:
        """Return the stored vectors of texts."""
        found = zip(text_hashes, self.vectors(identity, text_hashes), strict=True)
        return {text_hash: vector for text_hash, vector in found if vector}

    def sample_vectors(self, identity: EmbeddingIdentity, *, limit: int) -> list[SampledVector]:
        """Return the vectors of the passages with the lowest ids."""
        with self._db.reading() as connection:
            rows = connection.execute(
                _SAMPLED_VECTORS, {"limit": limit, "model_no": number_of(connection, identity)}
            ).fetchall()
        return [SampledVector(str.__new__(DocumentId, doc_id), lang, vector) for doc_id, lang, vector in rows]

    def put(self, identity: EmbeddingIdentity, vectors: Mapping[TextHash, bytes]) -> int:
        """Store vectors by text, and note the documents that have all of theirs now; return the number of passages."""
        with self._db.writing() as connection:
            connection.execute(ADD_MODEL, identity.model_dump())
            model_no = number_of(connection, identity)
            rows = [(model_no, text_hash, vector) for text_hash, vector in vectors.items()]
            connection.executemany(_PUT, rows)
            documents = [
                row[0]
                for text_hash in vectors
                for row in connection.execute(_DOCUMENTS_WITH_TEXT, (text_hash,))
            ]
            if not documents:
                return 0
            if model_of_key(connection, IN_FORCE) == identity:
                named = {"model_no": model_no, "doc_ids": json_text(sorted(set(documents)))}
                complete = connection.execute(_COMPLETE_AMONG, named).fetchall()
                self._note_embedded(connection, identity, complete)
            raise_corpus_revision(connection)
            return len(documents)

    def delete(self, text_hashes: Collection[TextHash]) -> int:
        """Delete the vectors of texts, of every model."""
        rows = [(text_hash,) for text_hash in text_hashes]
        with self._db.writing() as connection:
            connection.executemany(_UNNOTE_WITH_TEXT, rows)
            gone = connection.executemany("DELETE FROM vectors WHERE text_hash = ?", rows).rowcount
            if gone > 0:
                raise_corpus_revision(connection)
            return max(0, gone)

    def delete_all(self) -> int:
        """Delete every vector, with the models and everything measured of them."""
        with self._db.writing() as connection:
            gone = connection.execute("DELETE FROM vectors").rowcount
            connection.execute("DELETE FROM embedding_models")
            connection.execute(_UNNOTE)
            connection.execute(
                "DELETE FROM kv WHERE key LIKE 'anchors:%' OR key IN (?, ?, ?)",
                (IN_FORCE, ACTIVE, PREVIOUS),
            )
            raise_corpus_revision(connection)
            return gone

    def evict(self, *, max_bytes: int) -> int:
        """Delete vectors that no passage uses, the oldest first, until the rest takes at most `max_bytes`.

        Returns:
            The number of vectors deleted.
        """
        with self._db.reading() as connection:
            (most,) = connection.execute(_MOST_BYTES).fetchone()
        if (most or 0) <= max_bytes:  # seldom otherwise, and looking for unused ones takes a look at each
            return 0
        with self._db.writing() as connection:
            gone = connection.execute(_EVICT, (max_bytes,)).rowcount
            if gone:
                connection.execute(DROP_MODELS)
                raise_corpus_revision(connection)
            return gone

    def chunk_vectors(
        self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]
    ) -> dict[ChunkId, bytes]:
        """Return the vectors of those of these chunks that have one of a model."""
        with self._db.snapshot() as connection:
            parameters = {
                "model_no": number_of(connection, identity),
                "chunks": json_text(list(chunk_ids)),
            }
            found = connection.execute(_VECTORS_OF_CHUNKS, parameters)
            return {ChunkId(chunk_id): vector for chunk_id, vector in found}

    def chunk_embeddings(self, chunk_id: ChunkId) -> list[ChunkEmbedding]:
        """Return the state of a chunk for the model in force and all that it has a vector of, by model."""

        def embedding_of(row: sqlite3.Row) -> ChunkEmbedding:
            identity = identity_of(row)
            state = EmbeddingState.PENDING if row["is_pending"] else EmbeddingState.COMMITTED
            return ChunkEmbedding(
                embedding_id_for(chunk_id=chunk_id, **identity.model_dump()), identity, state
            )

        return self._db.read_all(_OF_CHUNK, (chunk_id,), embedding_of)

    def text_hashes(self, doc_ids: Collection[DocumentId]) -> frozenset[TextHash]:
        """Return the hashes of the texts of a few documents' passages."""
        return frozenset(
            self._db.read_all(_TEXTS_OF, (json_text(list(doc_ids)),), lambda row: TextHash(row[0]))
        )

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Count the passages by the state of their vectors of a model."""
        with self._db.snapshot() as connection:
            chunk_count = count_chunks(connection)
            committed = self._count(_COUNT_EMBEDDED, identity)
            (unused,) = connection.execute(_COUNT_UNUSED).fetchone()
            return EmbeddingCounts(pending=chunk_count - committed, committed=committed, unused=unused)

    def rows(self, identity: EmbeddingIdentity) -> Iterator[VectorRows]:
        """Yield the passages that have a vector of a model, by document."""
        with self._db.snapshot() as connection:
            named = {"model_no": number_of(connection, identity)}
            for doc_id, lang, chunk_ids, text_hashes in connection.execute(_ROWS, named):
                yield VectorRows(doc_id, lang, bytes.fromhex(chunk_ids), bytes.fromhex(text_hashes))

    def vectors(self, identity: EmbeddingIdentity, text_hashes: Iterable[TextHash]) -> Iterator[bytes]:
        """Yield the vectors of texts, in order; empty for a text without one."""
        with self._db.snapshot() as connection:
            model_no = number_of(connection, identity)
            wanted = iter(text_hashes)
            while block := list(islice(wanted, _FOUND_AT_ONCE)):
                query = _FIND.format(places=", ".join("?" * len(block)))
                found = {row[0]: row[1] for row in connection.execute(query, (model_no, *block))}
                yield from (found.get(text_hash, b"") for text_hash in block)

    def embedded_models(self) -> list[EmbeddingIdentity]:
        """Return the models with a vector of a passage."""
        return self._db.read_all(_EMBEDDED_MODELS, (), identity_of)

    def save_query_centroids(
        self, identity: EmbeddingIdentity, content: bytes, *, content_version: str
    ) -> None:
        """Store the query centroids of a model, after their hash: damaged numbers cannot be detected otherwise."""
        value = f"{hash_bytes(content)} {content_version} {content.decode()}"
        self._db.write(PUT_VALUE, (centroids_key(identity), value))

    def query_centroids_version(self, identity: EmbeddingIdentity) -> str | None:
        """Return the content version that the query centroids of a model belong to; None without any."""
        return self._stored_centroids(identity)[0]

    def query_centroids(self, identity: EmbeddingIdentity) -> bytes | None:
        """Return the stored query centroids of a model; None without any, or if they are damaged."""
        return self._stored_centroids(identity)[1]

    def _stored_centroids(self, identity: EmbeddingIdentity) -> tuple[str, bytes] | tuple[None, None]:
        stored = self._db.read_first(GET_VALUE, (centroids_key(identity),), value_of) or ""
        checksum, _, rest = stored.partition(" ")
        version, _, content = rest.partition(" ")
        is_whole = hash_bytes(content.encode()) == checksum
        return (version, content.encode()) if is_whole else (None, None)

    def _count(self, query: str, identity: EmbeddingIdentity, **parameters: str) -> int:
        with self._db.snapshot() as connection:
            named = {**parameters, "model_no": number_of(connection, identity)}
            return int(connection.execute(query, named).fetchone()[0])

    def _count_documents(self, query: str, identity: EmbeddingIdentity | None = None) -> int:
        """Count documents by their passages and vectors, once for each content version: every search tells the number."""
        with self._db.snapshot() as connection:
            key = (self.content_version(), query, identity)
            kept = self._counted
            if kept[0] != key:
                named = {} if identity is None else {"model_no": number_of(connection, identity)}
                self._counted = kept = (key, int(connection.execute(query, named).fetchone()[0]))
            return kept[1]

    def _note_embedded(
        self, connection: sqlite3.Connection, identity: EmbeddingIdentity, complete: Sequence[sqlite3.Row]
    ) -> None:
        """Note that documents have all vectors of the model in force, in their rows and their provenance."""
        if not complete:
            return
        from kebab_core import embedded_event  # a search loads no documents

        event = embedded_event(identity, at=self._db.clock.now())
        noted = {"event": event.model_dump_json(), "kind": event.kind.value, "note": event.note}
        model = identity.model_dump()
        connection.executemany(_NOTE_EMBEDDED, [{**model, **noted, **dict(row)} for row in complete])


def _pending_of(row: sqlite3.Row) -> PendingEmbedding:
    chunk_id, doc_id, title, content, text_hash = row
    passage = json.loads(content)
    text = passage_text(
        title=title, heading_path=passage["heading_path"], text=passage["text"], is_code="role" in passage
    )
    return PendingEmbedding(chunk_id, doc_id, text, text_hash)
