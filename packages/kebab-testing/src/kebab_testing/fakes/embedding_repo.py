"""Rows of embeddings over a document store in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kebab_core import (
    Chunk,
    ChunkEmbedding,
    ChunkId,
    DeletedEmbedding,
    DocumentId,
    DocumentRecord,
    EmbeddingCounts,
    EmbeddingId,
    EmbeddingIdentity,
    EmbeddingState,
    PendingEmbedding,
    Provenance,
    embedded_event,
    embedding_id_for,
)

from kebab_testing.fakes.document_store import InMemoryDocumentStore

_Key = tuple[EmbeddingIdentity, ChunkId]


class InMemoryEmbeddingRepo:
    """Implements `EmbeddingRepo` over a document store in memory, whose changes it applies on every call.

    Attributes:
        tables: The table given for each committed vector.
    """

    def __init__(self, store: InMemoryDocumentStore) -> None:
        self.tables: dict[_Key, str] = {}
        self._store = store
        self._rows: dict[_Key, EmbeddingState] = {}
        self._centroids: dict[EmbeddingIdentity, bytes] = {}
        self._checkpoints: dict[EmbeddingIdentity, str] = {}
        self._seen: dict[tuple[str, str], DocumentRecord] = {}

    def request(self, identity: EmbeddingIdentity) -> int:
        """Make every chunk that has no row of a model pending.

        Returns:
            The number of pending chunks.
        """
        self._apply_changes()
        for _, chunk in self._chunks():
            if self._rows.get((identity, chunk.chunk_id), EmbeddingState.DELETED) is EmbeddingState.DELETED:
                self._rows[identity, chunk.chunk_id] = EmbeddingState.PENDING
        return self.counts(identity).pending

    def withdraw(self, *, keep: EmbeddingIdentity | None = None) -> int:
        """Delete the pending rows of other models.

        Returns:
            The number of rows deleted.
        """
        self._apply_changes()
        gone = [
            key for key, status in self._rows.items() if status is EmbeddingState.PENDING and key[0] != keep
        ]
        for key in gone:
            del self._rows[key]
        return len(gone)

    def forget(self) -> int:
        """Delete every row.

        Returns:
            The number of rows deleted.
        """
        self._apply_changes()
        gone = len(self._rows)
        self._rows.clear()
        self._centroids.clear()
        self._checkpoints.clear()
        self._store.raise_revision()
        return gone

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return pending chunks, by document and in order."""
        self._apply_changes()
        waiting = [
            PendingEmbedding(
                chunk.chunk_id,
                chunk.doc_id,
                record.document.lang,
                record.document.title,
                chunk.heading_path,
                chunk.text,
            )
            for record, chunk in self._chunks()
            if self._rows.get((identity, chunk.chunk_id)) is EmbeddingState.PENDING
            and (within is None or chunk.doc_id in within)
        ]
        return waiting[:limit]

    def count_pending(self, identity: EmbeddingIdentity, *, within: Collection[DocumentId]) -> int:
        """Count the pending chunks of these documents."""
        self._apply_changes()
        return sum(
            chunk.doc_id in within and self._rows.get((identity, chunk.chunk_id)) is EmbeddingState.PENDING
            for _, chunk in self._chunks()
        )

    def pending_documents(self, identity: EmbeddingIdentity, *, lost: Collection[ChunkId] = ()) -> int:
        """Count the documents with a chunk that has no vector, requested or not."""
        self._apply_changes()
        without: set[DocumentId] = {
            chunk.doc_id
            for _, chunk in self._chunks()
            if chunk.chunk_id in lost
            or self._rows.get((identity, chunk.chunk_id)) is not EmbeddingState.COMMITTED
        }
        return len(without)

    def commit(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId], *, table: str) -> None:
        """Mark the vectors of pending chunks as stored."""
        self._apply_changes()
        keys = [(identity, chunk_id) for chunk_id in chunk_ids]
        open_keys = [key for key in keys if self._rows.get(key) is EmbeddingState.PENDING]
        self._rows.update(dict.fromkeys(open_keys, EmbeddingState.COMMITTED))
        self.tables.update(dict.fromkeys(open_keys, table))
        if open_keys:
            self._note_embedded(identity, frozenset(chunk_ids))
            self._store.raise_revision()

    def reopen(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId] | None = None) -> int:
        """Make committed rows pending again.

        Returns:
            The number of rows.
        """
        lost = [
            (identity, chunk_id)
            for chunk_id in self.committed(identity)
            if chunk_ids is None or chunk_id in chunk_ids
        ]
        self._rows.update(dict.fromkeys(lost, EmbeddingState.PENDING))
        return len(lost)

    def committed(self, identity: EmbeddingIdentity) -> Iterator[ChunkId]:
        """Yield the chunks whose vectors are stored, by id."""
        self._apply_changes()
        yield from sorted(
            chunk_id
            for (model, chunk_id), status in self._rows.items()
            if model == identity and status is EmbeddingState.COMMITTED
        )

    def find_committed(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]) -> frozenset[ChunkId]:
        """Return those of the chunks whose vectors are stored."""
        return frozenset(self.committed(identity)) & frozenset(chunk_ids)

    def chunk_embeddings(self, chunk_id: ChunkId) -> list[ChunkEmbedding]:
        """Return the rows of one chunk by model."""
        self._apply_changes()
        found = [(key, state) for key, state in self._rows.items() if key[1] == chunk_id]
        found.sort(key=lambda row: (row[0][0].model_id, row[0][0].model_version, row[0][0].dimensions))
        return [ChunkEmbedding(_id_of(key), key[0], state) for key, state in found]

    def list_deleted(self, *, limit: int) -> list[DeletedEmbedding]:
        """Return stored vectors of deleted chunks."""
        self._apply_changes()
        dead = [key for key, status in self._rows.items() if status is EmbeddingState.DELETED]
        return [DeletedEmbedding(_id_of(key), key[1], key[0]) for key in dead[:limit]]

    def purge_deleted(self, embedding_ids: Sequence[EmbeddingId]) -> None:
        """Delete the rows of deleted chunks."""
        self._apply_changes()
        purged = frozenset(embedding_ids)
        self._rows = {
            key: status
            for key, status in self._rows.items()
            if status is not EmbeddingState.DELETED or _id_of(key) not in purged
        }

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Count the pending and committed chunks of a model, and the deleted ones of all models."""
        self._apply_changes()
        own = [status for (model, _), status in self._rows.items() if model == identity]
        return EmbeddingCounts(
            pending=own.count(EmbeddingState.PENDING),
            committed=own.count(EmbeddingState.COMMITTED),
            deleted=list(self._rows.values()).count(EmbeddingState.DELETED),
        )

    def checkpoint(self, identity: EmbeddingIdentity, content_version: str) -> None:
        """Record the content version of an index."""
        self._checkpoints[identity] = content_version

    def checkpoint_version(self, identity: EmbeddingIdentity) -> str | None:
        """Return the content version recorded last."""
        return self._checkpoints.get(identity)

    def save_query_centroids(self, identity: EmbeddingIdentity, content: bytes) -> None:
        """Store the query centroids of a model."""
        self._centroids[identity] = content

    def query_centroids(self, identity: EmbeddingIdentity) -> bytes | None:
        """Return the query centroids of a model."""
        return self._centroids.get(identity)

    def _note_embedded(self, identity: EmbeddingIdentity, chunk_ids: frozenset[ChunkId]) -> None:
        """Add an event to the provenance of the documents of these chunks of which none is pending any more."""
        for key, record in self._store.records.items():
            ids = {chunk.chunk_id for chunk in record.chunks}
            document, event = record.document, embedded_event(identity, at=record.indexed_at)
            is_pending = any(self._rows.get((identity, each)) is EmbeddingState.PENDING for each in ids)
            if is_pending or not ids & chunk_ids or event in document.provenance.events:
                continue
            provenance = Provenance(events=(*document.provenance.events, event))
            changed = document.model_copy(update={"provenance": provenance})
            self._store.records[key] = self._seen[key] = record.model_copy(update={"document": changed})

    def _chunks(self) -> Iterator[tuple[DocumentRecord, Chunk]]:
        records = sorted(self._store.records.values(), key=lambda record: record.document.doc_id)
        for record in records:
            yield from ((record, chunk) for chunk in record.chunks)

    def _apply_changes(self) -> None:
        """Update the rows for documents replaced or removed since the last call, as a database does."""
        now = dict(self._store.records)
        for place, record in self._seen.items():
            if place not in now or not self._knows(place, now[place]):
                self._delete_rows(record)
        for place, record in now.items():
            if record.embedding is not None and not self._knows(place, record):
                rows = {(record.embedding, chunk.chunk_id): EmbeddingState.PENDING for chunk in record.chunks}
                self._rows.update(rows)
        self._seen = now

    def _knows(self, place: tuple[str, str], record: DocumentRecord) -> bool:
        return place in self._seen and self._seen[place].document is record.document

    def _delete_rows(self, record: DocumentRecord) -> None:
        gone = {chunk.chunk_id for chunk in record.chunks}
        for key in [key for key in self._rows if key[1] in gone]:
            if self._rows[key] is EmbeddingState.PENDING:
                del self._rows[key]
            else:
                self._rows[key] = EmbeddingState.DELETED


def _id_of(key: _Key) -> EmbeddingId:
    identity, chunk_id = key
    return embedding_id_for(
        chunk_id=chunk_id,
        model_id=identity.model_id,
        model_version=identity.model_version,
        dimensions=identity.dimensions,
    )
