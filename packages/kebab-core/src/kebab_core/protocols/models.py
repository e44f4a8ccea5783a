"""Protocols of models and retrieval: embedders, vector stores and their bookkeeping, retrievers, language models."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from kebab_core.ids import ChunkId, DocumentId, EmbeddingId

if TYPE_CHECKING:
    from kebab_core.answer import Entailment, GenerateRequest, ModelRef, TokenChunk
    from kebab_core.document import ModelCaption, OcrText
    from kebab_core.ids import IndexId, IndexVersion
    from kebab_core.protocols.stores import DocumentSet
    from kebab_core.search import SearchQuery, SearchResponse
    from kebab_core.vector import (
        ChunkEmbedding,
        DeletedEmbedding,
        EmbeddingCounts,
        EmbeddingIdentity,
        EmbeddingKind,
        LanguageDistribution,
        PendingEmbedding,
        VectorHit,
        VectorKey,
        VectorMatrix,
        VectorTable,
    )


class Embedder(Protocol):
    """Embeds texts as vectors."""

    @property
    def identity(self) -> EmbeddingIdentity:
        """The exact model."""
        ...

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return float32 of shape (n, d), rows of unit L2 norm, in the order of texts.

        Raises:
            ModelMissingError: The weights are not on this machine.
            ModelUnreachableError: The model server does not answer.
        """
        ...


class VectorStore(Protocol):
    """Vectors by index; an index belongs to one exact model.

    Writing methods are called by one writer at a time; readers in other processes go on meanwhile and see each call
    whole or not at all. Everything in it can be rebuilt from the database.
    """

    def ensure_table(self, index_id: IndexId, identity: EmbeddingIdentity) -> None:
        """Create the index unless it exists.

        Raises:
            IndexModelMismatchError: It exists for another model.
        """
        ...

    def upsert(self, index_id: IndexId, keys: Sequence[VectorKey], vectors: VectorMatrix) -> None:
        """Store n vectors for n keys, replacing existing ones. Idempotent; durable on return."""
        ...

    def delete(self, index_id: IndexId, chunk_ids: Sequence[ChunkId]) -> None:
        """Remove vectors; unknown ids are ignored."""
        ...

    def maintain(self, index_id: IndexId) -> None:
        """Compact small fragments and update the files that reads use; called after writing."""
        ...

    def search(
        self,
        index_id: IndexId,
        query: VectorMatrix,
        *,
        limit: int,
        documents: DocumentSet | None = None,
        lang: str | None = None,
    ) -> list[VectorHit]:
        """Return the nearest chunks of `documents` in `lang`, best first, ties by chunk id.

        Args:
            index_id: The index to search.
            query: Shape (1, d), of unit norm.
            limit: Maximum number of hits, at least 1.
            documents: Only chunks of these; None is all of them. Applied before ranking.
            lang: Only chunks of documents in this language; None is all of them.

        Raises:
            NotIndexedError: There is no such index.
            StorageError: It cannot be read.
        """
        ...

    def similarities(
        self, index_id: IndexId, query: VectorMatrix, chunk_ids: Sequence[ChunkId]
    ) -> list[float | None]:
        """Return the cosine of the query with each chunk, in order; None where a chunk has no vector."""
        ...

    def cosine_distributions(self, index_id: IndexId, query: VectorMatrix) -> list[LanguageDistribution]:
        """Measure the query's cosines with each language of the index, most vectors first."""
        ...

    def tables(self) -> list[VectorTable]:
        """Return all indexes."""
        ...

    def chunk_ids(self, index_id: IndexId) -> Iterator[ChunkId]:
        """Yield the chunks that have a vector, in any order; none where there is no such index."""
        ...

    def content_version(self, index_id: IndexId) -> str | None:
        """Return the version of an index's rows; None without an index. Reads no vectors.

        It changes with every vector that is stored or removed, may change in maintenance, and never repeats. Indexes
        with equal versions, also copies, have vectors of the same chunks.
        """
        ...

    def drop(self, index_id: IndexId) -> None:
        """Remove an index with all its vectors, even a damaged one; a missing index is ignored."""
        ...


class EmbeddingRepo(Protocol):
    """State of the vector of each chunk and model; the vectors themselves are in a `VectorStore`.

    A row is pending, then committed once its vector is stored. When its chunk is deleted it is marked as deleted (a
    tombstone) until the vector is deleted too. Writing methods are one transaction each and idempotent.
    """

    def request(self, identity: EmbeddingIdentity) -> int:
        """Add a pending row for every chunk that has no row of a model; return the number of pending rows."""
        ...

    def withdraw(self, *, keep: EmbeddingIdentity | None = None) -> int:
        """Delete the pending rows of all models but `keep`; return the number of deleted rows."""
        ...

    def forget(self) -> int:
        """Delete every row of every model: no vector is stored any more; return the number of deleted rows.

        Raises `corpus_revision`.
        """
        ...

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return chunks to be embedded, chunks of one document together and in order.

        Args:
            identity: The model.
            limit: Maximum number of chunks, at least 1.
            within: Only those of these documents, which are few; None is all.
        """
        ...

    def count_pending(self, identity: EmbeddingIdentity, *, within: Collection[DocumentId]) -> int:
        """Return the number of pending chunks of a few documents."""
        ...

    def pending_documents(self, identity: EmbeddingIdentity, *, lost: Collection[ChunkId] = ()) -> int:
        """Return the number of documents that have a chunk without a vector of a model, with or without a pending row.

        Args:
            identity: The model.
            lost: Chunks that count as without a vector, whatever the state of their rows.
        """
        ...

    def commit(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId], *, table: str) -> None:
        """Mark the rows of these chunks as committed: their vectors are stored in a table. Ids that are not pending are ignored.

        Raises `corpus_revision`. A document without any more pending chunk of the model gets an `embedded` event in its
        provenance, one for each model.
        """
        ...

    def reopen(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId] | None = None) -> int:
        """Make committed rows pending again, all of them without ids: their vectors are lost; return their number."""
        ...

    def committed(self, identity: EmbeddingIdentity) -> Iterator[ChunkId]:
        """Yield the chunks whose vectors are stored, by id."""
        ...

    def find_committed(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]) -> frozenset[ChunkId]:
        """Return those of these chunks whose vectors are stored."""
        ...

    def chunk_embeddings(self, chunk_id: ChunkId) -> list[ChunkEmbedding]:
        """Return the rows of one chunk by model, version and dimensions; none of an unknown chunk."""
        ...

    def list_deleted(self, *, limit: int) -> list[DeletedEmbedding]:
        """Return rows marked as deleted, whose vectors are still stored, of every model; `limit` is at least 1."""
        ...

    def purge_deleted(self, embedding_ids: Sequence[EmbeddingId]) -> None:
        """Delete rows marked as deleted, once their vectors are deleted."""
        ...

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Return the number of rows of a model by state; rows marked as deleted are counted of every model."""
        ...

    def checkpoint(self, identity: EmbeddingIdentity, content_version: str) -> None:
        """Record a checkpoint: the content version of an index that has the vector of every committed row of a model."""
        ...

    def checkpoint_version(self, identity: EmbeddingIdentity) -> str | None:
        """Return the content version of the last checkpoint; None where there is none since the last `forget`."""
        ...

    def save_query_centroids(self, identity: EmbeddingIdentity, content: bytes) -> None:
        """Store the calibration of a model over this index, UTF-8, in place of the earlier one."""
        ...

    def query_centroids(self, identity: EmbeddingIdentity) -> bytes | None:
        """Return the stored calibration of a model; None where there is none."""
        ...


class Retriever(Protocol):
    """Finds passages."""

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return hits, best first, with the coverage of the search.

        The order does not depend on the number of hits requested: the pages, read by cursor, together are the whole.

        Raises:
            InvalidInputError: The query is empty or its syntax is wrong.
            NotIndexedError: The index cannot be searched as it is.
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        ...

    def index_version(self) -> IndexVersion:
        """Return the label of the index that is searched."""
        ...


class LanguageModel(Protocol):
    """Writes answers."""

    def model_ref(self) -> ModelRef:
        """Return name and provider of the model."""
        ...

    def context_tokens(self) -> int:
        """Return the size of the context window, in the model's own tokens."""
        ...

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield text as the model writes it; the last item is always the only `GenerationDone`.

        Closing the iterator stops the model.
        """
        ...


class NliVerifier(Protocol):
    """Checks the entailment of one text by another."""

    def model_ref(self) -> ModelRef:
        """Return name and provider of the model."""
        ...

    def verify(self, premise: str, hypothesis: str) -> Entailment:
        """Return the entailment of the hypothesis by the premise.

        Raises:
            ContextOverflowError: The hypothesis alone does not fit.
        """
        ...


class OcrEngine(Protocol):
    """Reads text in pictures."""

    def label(self) -> str:
        """Return engine and version."""
        ...

    def recognize(self, image: bytes, *, languages: Sequence[str]) -> OcrText:
        """Return the text of one picture."""
        ...


class Captioner(Protocol):
    """Captions pictures."""

    def label(self) -> str:
        """Return model and prompt version."""
        ...

    def caption(self, image: bytes, *, lang: str) -> ModelCaption:
        """Return one sentence in `lang` (`ko` or `en`)."""
        ...
