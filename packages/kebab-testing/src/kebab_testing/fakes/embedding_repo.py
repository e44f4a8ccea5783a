"""Which chunks of a store in memory have vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import Enum

from kebab_core import (
    Chunk,
    ChunkId,
    DocumentId,
    DocumentRecord,
    EmbeddingCounts,
    EmbeddingId,
    EmbeddingIdentity,
    PendingEmbedding,
    Tombstone,
    embedding_id_for,
)

from kebab_testing.fakes.document_store import InMemoryDocumentStore


class _Status(Enum):
    PENDING = "pending"
    COMMITTED = "committed"
    TOMBSTONE = "tombstone"


_Key = tuple[EmbeddingIdentity, ChunkId]


class InMemoryEmbeddingRepo:
    """Implements `EmbeddingRepo` over a document store in memory, whose changes it notices when it is asked.

    Attributes:
        tables: Where each committed vector is said to be.
    """

    def __init__(self, store: InMemoryDocumentStore) -> None:
        self.tables: dict[_Key, str] = {}
        self._store = store
        self._rows: dict[_Key, _Status] = {}
        self._anchors: dict[EmbeddingIdentity, bytes] = {}
        self._seals: dict[EmbeddingIdentity, str] = {}
        self._seen: dict[tuple[str, str], DocumentRecord] = {}

    def request(self, identity: EmbeddingIdentity) -> int:
        """Make every chunk that has no row of a model pending.

        Returns:
            How many are pending now.
        """
        self._notice()
        for _, chunk in self._chunks():
            if self._rows.get((identity, chunk.chunk_id), _Status.TOMBSTONE) is _Status.TOMBSTONE:
                self._rows[identity, chunk.chunk_id] = _Status.PENDING
        return self.counts(identity).pending

    def withdraw(self, *, keep: EmbeddingIdentity | None = None) -> int:
        """Forget what is pending of other models.

        Returns:
            How many rows went.
        """
        self._notice()
        gone = [key for key, status in self._rows.items() if status is _Status.PENDING and key[0] != keep]
        for key in gone:
            del self._rows[key]
        return len(gone)

    def forget(self) -> int:
        """Delete every row.

        Returns:
            How many.
        """
        self._notice()
        gone = len(self._rows)
        self._rows.clear()
        self._anchors.clear()
        self._seals.clear()
        self._store.raise_revision()
        return gone

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return chunks to be embedded, by document and in order."""
        self._notice()
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
            if self._rows.get((identity, chunk.chunk_id)) is _Status.PENDING
            and (within is None or chunk.doc_id in within)
        ]
        return waiting[:limit]

    def count_pending(self, identity: EmbeddingIdentity, *, within: Collection[DocumentId]) -> int:
        """Return how many chunks of these documents are to be embedded."""
        self._notice()
        return sum(
            chunk.doc_id in within and self._rows.get((identity, chunk.chunk_id)) is _Status.PENDING
            for _, chunk in self._chunks()
        )

    def pending_documents(self, identity: EmbeddingIdentity, *, lost: Collection[ChunkId] = ()) -> int:
        """Return how many documents have a chunk without a vector, asked for or not."""
        self._notice()
        without: set[DocumentId] = {
            chunk.doc_id
            for _, chunk in self._chunks()
            if chunk.chunk_id in lost or self._rows.get((identity, chunk.chunk_id)) is not _Status.COMMITTED
        }
        return len(without)

    def commit(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId], *, table: str) -> None:
        """Note that the vectors of these chunks are stored."""
        self._notice()
        keys = [(identity, chunk_id) for chunk_id in chunk_ids]
        open_keys = [key for key in keys if self._rows.get(key) is _Status.PENDING]
        self._rows.update(dict.fromkeys(open_keys, _Status.COMMITTED))
        self.tables.update(dict.fromkeys(open_keys, table))
        if open_keys:
            self._store.raise_revision()

    def reopen(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId] | None = None) -> int:
        """Make committed rows pending again.

        Returns:
            How many.
        """
        lost = [
            (identity, chunk_id)
            for chunk_id in self.committed(identity)
            if chunk_ids is None or chunk_id in chunk_ids
        ]
        self._rows.update(dict.fromkeys(lost, _Status.PENDING))
        return len(lost)

    def committed(self, identity: EmbeddingIdentity) -> Iterator[ChunkId]:
        """Yield the chunks whose vectors are stored, by id."""
        self._notice()
        yield from sorted(
            chunk_id
            for (model, chunk_id), status in self._rows.items()
            if model == identity and status is _Status.COMMITTED
        )

    def find_committed(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]) -> frozenset[ChunkId]:
        """Return which of these chunks have their vectors stored."""
        return frozenset(self.committed(identity)) & frozenset(chunk_ids)

    def tombstones(self, *, limit: int) -> list[Tombstone]:
        """Return vectors to be removed."""
        self._notice()
        dead = [key for key, status in self._rows.items() if status is _Status.TOMBSTONE]
        return [Tombstone(_id_of(key), key[1], key[0]) for key in dead[:limit]]

    def bury(self, embedding_ids: Sequence[EmbeddingId]) -> None:
        """Delete tombstones."""
        self._notice()
        buried = frozenset(embedding_ids)
        self._rows = {
            key: status
            for key, status in self._rows.items()
            if status is not _Status.TOMBSTONE or _id_of(key) not in buried
        }

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Return how far the vectors of a model are; tombstones are counted of every model."""
        self._notice()
        own = [status for (model, _), status in self._rows.items() if model == identity]
        return EmbeddingCounts(
            pending=own.count(_Status.PENDING),
            committed=own.count(_Status.COMMITTED),
            tombstones=list(self._rows.values()).count(_Status.TOMBSTONE),
        )

    def seal(self, identity: EmbeddingIdentity, edition: str) -> None:
        """Note the edition of an index that has the vector of every committed row."""
        self._seals[identity] = edition

    def sealed_edition(self, identity: EmbeddingIdentity) -> str | None:
        """Return what was noted last."""
        return self._seals.get(identity)

    def keep_anchors(self, identity: EmbeddingIdentity, content: bytes) -> None:
        """Keep what was measured of a model over this index."""
        self._anchors[identity] = content

    def anchors(self, identity: EmbeddingIdentity) -> bytes | None:
        """Return what is kept of a model."""
        return self._anchors.get(identity)

    def _chunks(self) -> Iterator[tuple[DocumentRecord, Chunk]]:
        records = sorted(self._store.records.values(), key=lambda record: record.document.doc_id)
        for record in records:
            yield from ((record, chunk) for chunk in record.chunks)

    def _notice(self) -> None:
        """Do what replacing and removing documents does to rows in a database, for all that has happened since."""
        now = dict(self._store.records)
        for place, record in self._seen.items():
            if place not in now or not self._knows(place, now[place]):
                self._let_go(record)
        for place, record in now.items():
            if record.embedding is not None and not self._knows(place, record):
                rows = {(record.embedding, chunk.chunk_id): _Status.PENDING for chunk in record.chunks}
                self._rows.update(rows)
        self._seen = now

    def _knows(self, place: tuple[str, str], record: DocumentRecord) -> bool:
        return place in self._seen and self._seen[place].document is record.document

    def _let_go(self, record: DocumentRecord) -> None:
        gone = {chunk.chunk_id for chunk in record.chunks}
        for key in [key for key in self._rows if key[1] in gone]:
            if self._rows[key] is _Status.PENDING:
                del self._rows[key]
            else:
                self._rows[key] = _Status.TOMBSTONE


def _id_of(key: _Key) -> EmbeddingId:
    identity, chunk_id = key
    return embedding_id_for(
        chunk_id=chunk_id,
        model_id=identity.model_id,
        model_version=identity.model_version,
        dimensions=identity.dimensions,
    )
