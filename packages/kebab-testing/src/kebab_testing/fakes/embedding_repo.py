"""Vectors over a document store in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext

from kebab_core import (
    ActiveModel,
    Chunk,
    ChunkEmbedding,
    ChunkId,
    DocumentId,
    DocumentRecord,
    EmbeddingCounts,
    EmbeddingIdentity,
    EmbeddingState,
    PendingEmbedding,
    Provenance,
    ProvenanceKind,
    SampledVector,
    StoredModel,
    TextHash,
    VectorRow,
    VectorRows,
    embedded_event,
    embedding_id_for,
    passage_text,
    text_hash_of,
)

from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.vectors import pack_rows


class InMemoryEmbeddingRepo:
    """Implements `EmbeddingRepo` over a document store in memory.

    Attributes:
        stored: The vectors, by model and text, in the order in which they were made.
    """

    def __init__(self, store: InMemoryDocumentStore) -> None:
        self.stored: dict[tuple[EmbeddingIdentity, TextHash], bytes] = {}
        self._store = store
        self._in_force: EmbeddingIdentity | None = None
        self._active: ActiveModel | None = None
        self._previous: ActiveModel | None = None
        self._settings: dict[EmbeddingIdentity, str] = {}
        self._centroids: dict[EmbeddingIdentity, tuple[str, bytes]] = {}
        self._complete: dict[tuple[str, str], tuple[tuple[Chunk, ...], EmbeddingIdentity]] = {}
        store.lacks_vectors = lambda record: self._lacks(record, self._in_force)

    def one_state(self) -> nullcontext[None]:
        """Return a context; nothing changes by itself."""
        return nullcontext()

    def content_version(self) -> str:
        """Return the revision, which changes with the vectors as well."""
        return str(self._store.corpus_revision())

    def request(self, identity: EmbeddingIdentity) -> int:
        """Make a model the one in force; return the number of passages of documents that have all its vectors."""
        self._in_force = identity
        return sum(len(record.chunks) for record in self._note_embedded(identity))

    def latest_model(self) -> EmbeddingIdentity | None:
        """Return the model in force."""
        return self._in_force

    def activate(self, identity: EmbeddingIdentity, settings_json: str) -> None:
        """Record that all passages have a vector of a model."""
        if self._active is not None and self._active.identity != identity:
            self._previous = self._active
        self._active = ActiveModel(identity, settings_json)
        self._settings[identity] = settings_json

    def active_model(self) -> ActiveModel | None:
        """Return the model that was complete last."""
        return self._active

    def previous_model(self) -> ActiveModel | None:
        """Return the model that was active before the active one."""
        return self._previous

    def stored_models(self) -> list[StoredModel]:
        """Return the models with a vector, by model."""
        found: dict[EmbeddingIdentity, list[bytes]] = {}
        for (model, _), vector in self.stored.items():
            found.setdefault(model, []).append(vector)
        return [
            StoredModel(model, self._settings.get(model, "{}"), len(vectors), sum(map(len, vectors)))
            for model, vectors in sorted(
                found.items(), key=lambda item: (item[0].model_id, item[0].model_version, item[0].dimensions)
            )
        ]

    def delete_model(self, identity: EmbeddingIdentity) -> int:
        """Delete the vectors of a model with everything measured of them; return their number."""
        gone = [key for key in self.stored if key[0] == identity]
        for key in gone:
            del self.stored[key]
        self._centroids.pop(identity, None)
        if self._previous is not None and self._previous.identity == identity:
            self._previous = None
        if gone:
            self._store.raise_revision()
        return len(gone)

    def sample(self, identity: EmbeddingIdentity, *, limit: int) -> list[PendingEmbedding]:
        """Return passages that have a vector of a model, chosen by the hashes of their texts."""
        found = {
            text_hash: PendingEmbedding(chunk.chunk_id, chunk.doc_id, _text_of(record, chunk), text_hash)
            for record, chunk, text_hash in self._passages()
            if (identity, text_hash) in self.stored
        }
        return [found[text_hash] for text_hash in sorted(found)[:limit]]

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return passages to be embedded, documents with the newest files first."""
        waiting = [
            PendingEmbedding(chunk.chunk_id, chunk.doc_id, _text_of(record, chunk), text_hash)
            for record, chunk, text_hash in self._passages()
            if (identity, text_hash) not in self.stored and (within is None or chunk.doc_id in within)
        ]
        return waiting[:limit]

    def count_pending(
        self, identity: EmbeddingIdentity, *, within: Collection[DocumentId] | None = None
    ) -> int:
        """Count the pending passages, of a few documents or of all."""
        return len(self.pending(identity, limit=1_000_000, within=within))

    def pending_documents(self, identity: EmbeddingIdentity) -> int:
        """Count the documents that have a passage without a vector of a model."""
        return sum(self._lacks(record, identity) for record in self._store.records.values())

    def find_vectors(
        self, identity: EmbeddingIdentity, text_hashes: Collection[TextHash]
    ) -> dict[TextHash, bytes]:
        """Return the stored vectors of texts."""
        return {each: self.stored[identity, each] for each in text_hashes if (identity, each) in self.stored}

    def sample_vectors(self, identity: EmbeddingIdentity, *, limit: int) -> list[SampledVector]:
        """Return the vectors of the passages with the lowest ids."""
        lowest = sorted(self._passages(), key=lambda row: row[1].chunk_id)[:limit]
        return [
            SampledVector(record.document.doc_id, record.document.lang, self.stored[identity, text_hash])
            for record, _, text_hash in lowest
            if (identity, text_hash) in self.stored
        ]

    def put(self, identity: EmbeddingIdentity, vectors: Mapping[TextHash, bytes]) -> int:
        """Store vectors by text; return the number of passages."""
        for text_hash, vector in vectors.items():
            self.stored.setdefault((identity, text_hash), vector)
        if identity == self._in_force:
            self._note_embedded(identity)
        passages = sum(text_hash in vectors for _, _, text_hash in self._passages())
        if passages:
            self._store.raise_revision()
        return passages

    def delete(self, text_hashes: Collection[TextHash]) -> int:
        """Delete the vectors of texts, of every model."""
        gone = [key for key in self.stored if key[1] in text_hashes]
        for key in gone:
            del self.stored[key]
        for record, _, text_hash in self._passages():
            if text_hash in text_hashes:
                self._complete.pop((record.document.source_id, record.document.workspace_path), None)
        if gone:
            self._store.raise_revision()
        return len(gone)

    def delete_all(self) -> int:
        """Delete every vector with everything measured of them."""
        gone = len(self.stored)
        self.stored.clear()
        self._centroids.clear()
        self._in_force = self._active = self._previous = None
        self._store.raise_revision()
        return gone

    def evict(self, *, max_bytes: int) -> int:
        """Delete vectors that no passage uses, the oldest first, until the rest takes at most `max_bytes`."""
        gone, size = [], 0
        for key in reversed(self._unused()):
            size += len(self.stored[key])
            gone += [key] if size > max_bytes else []
        for key in gone:
            del self.stored[key]
        return len(gone)

    def chunk_vectors(
        self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]
    ) -> dict[ChunkId, bytes]:
        """Return the vectors of those of these chunks that have one of a model."""
        return {
            row.chunk_id: self.stored[identity, row.text_hash]
            for row in self._rows(identity)
            if row.chunk_id in chunk_ids
        }

    def chunk_embeddings(self, chunk_id: ChunkId) -> list[ChunkEmbedding]:
        """Return the state of a chunk for the model in force and all that it has a vector of."""
        texts = {text_hash for _, chunk, text_hash in self._passages() if chunk.chunk_id == chunk_id}
        models = {model for model, text_hash in self.stored if text_hash in texts}
        if self._in_force is not None and texts:
            models.add(self._in_force)
        return [
            ChunkEmbedding(
                embedding_id_for(chunk_id=chunk_id, **model.model_dump()),
                model,
                EmbeddingState.COMMITTED
                if any((model, text) in self.stored for text in texts)
                else EmbeddingState.PENDING,
            )
            for model in sorted(models, key=lambda each: (each.model_id, each.model_version, each.dimensions))
        ]

    def text_hashes(self, doc_ids: Collection[DocumentId]) -> frozenset[TextHash]:
        """Return the hashes of the texts of a few documents' passages."""
        return frozenset(text for _, chunk, text in self._passages() if chunk.doc_id in doc_ids)

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Count the passages by the state of their vectors of a model."""
        committed = sum(1 for _ in self._rows(identity))
        total = sum(1 for _ in self._passages())
        return EmbeddingCounts(pending=total - committed, committed=committed, unused=len(self._unused()))

    def rows(self, identity: EmbeddingIdentity) -> Iterator[VectorRows]:
        """Yield the passages that have a vector of a model."""
        return pack_rows(self._rows(identity))

    def _rows(self, identity: EmbeddingIdentity) -> Iterator[VectorRow]:
        for record, chunk, text_hash in self._passages():
            if (identity, text_hash) in self.stored:
                yield VectorRow(chunk.chunk_id, chunk.doc_id, record.document.lang, text_hash)

    def vectors(self, identity: EmbeddingIdentity, text_hashes: Iterable[TextHash]) -> Iterator[bytes]:
        """Yield the vectors of texts."""
        for text_hash in text_hashes:
            yield self.stored.get((identity, text_hash), b"")

    def embedded_models(self) -> list[EmbeddingIdentity]:
        """Return the models with a vector of a passage."""
        models = dict.fromkeys(model for model, _ in self.stored)
        found = [model for model in models if next(self._rows(model), None)]
        return sorted(found, key=lambda each: (each.model_id, each.model_version, each.dimensions))

    def save_query_centroids(
        self, identity: EmbeddingIdentity, content: bytes, *, content_version: str
    ) -> None:
        """Store the query centroids of a model."""
        self._centroids[identity] = (content_version, content)

    def query_centroids_version(self, identity: EmbeddingIdentity) -> str | None:
        """Return the content version that the query centroids of a model belong to."""
        return self._centroids.get(identity, (None, None))[0]

    def query_centroids(self, identity: EmbeddingIdentity) -> bytes | None:
        """Return the query centroids of a model."""
        return self._centroids.get(identity, (None, None))[1]

    def _passages(self) -> Iterator[tuple[DocumentRecord, Chunk, TextHash]]:
        records = sorted(
            self._store.records.values(),
            key=lambda record: (-record.stamp.mtime_ns, record.document.doc_id),
        )
        for record in records:
            for chunk in record.chunks:
                yield record, chunk, text_hash_of(_text_of(record, chunk))

    def _lacks(self, record: DocumentRecord, identity: EmbeddingIdentity | None) -> bool:
        return identity is not None and any(
            (identity, text_hash_of(_text_of(record, chunk))) not in self.stored for chunk in record.chunks
        )

    def _unused(self) -> list[tuple[EmbeddingIdentity, TextHash]]:
        used = {text_hash for _, _, text_hash in self._passages()}
        models = {
            self._in_force,
            *(each.identity for each in (self._active, self._previous) if each is not None),
        }
        return [key for key in self.stored if key[0] not in models or key[1] not in used]

    def _note_embedded(self, identity: EmbeddingIdentity) -> list[DocumentRecord]:
        """Add an event to the provenance of documents that have all vectors of a model; return these documents."""
        noted = []
        for key, record in list(self._store.records.items()):
            if self._lacks(record, identity):
                self._complete.pop(key, None)
                continue
            known, model = self._complete.get(key, (None, None))
            if known is record.chunks and model == identity:
                continue
            self._complete[key] = record.chunks, identity
            noted.append(record)
            document, event = record.document, embedded_event(identity, at=record.indexed_at)
            has_event = any(
                each.kind is ProvenanceKind.EMBEDDED and each.note == event.note
                for each in document.provenance.events
            )
            if has_event or not record.chunks:
                continue
            provenance = Provenance(events=(*document.provenance.events, event))
            changed = document.model_copy(update={"provenance": provenance})
            self._store.records[key] = record.model_copy(update={"document": changed})
        return noted


def _text_of(record: DocumentRecord, chunk: Chunk) -> str:
    return passage_text(
        title=record.document.title,
        heading_path=chunk.heading_path,
        text=chunk.text,
        is_code=chunk.role is not None,
    )
