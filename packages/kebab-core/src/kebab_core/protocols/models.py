"""Protocols of models and retrieval: embedders, vector stores and their bookkeeping, retrievers, language models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kebab_core.answer import (
        AnswerReading,
        Entailment,
        GenerateRequest,
        ModelRef,
        Passage,
        TokenChunk,
    )
    from kebab_core.errors import CancelToken
    from kebab_core.ids import ChunkId, DocumentId, IndexVersion
    from kebab_core.protocols.stores import Selection
    from kebab_core.search import SearchQuery, SearchResponse
    from kebab_core.vector import (
        ActiveModel,
        ChunkEmbedding,
        EmbeddingCounts,
        EmbeddingIdentity,
        EmbeddingKind,
        LanguageDistribution,
        PendingEmbedding,
        SampledVector,
        StoredModel,
        TextHash,
        VectorHit,
        VectorMatrix,
        VectorRows,
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
    """Search over the vectors of a `EmbeddingRepo`, those of one model at a time.

    What it keeps on disk is made from the source, and may be deleted or fall behind: searches see every vector and passage
    that is in the source when they begin.
    """

    def update(self, identity: EmbeddingIdentity, *, complete: bool = True) -> None:
        """Make the files for a model, where they have fallen behind, and delete those of models without a vector.

        Args:
            identity: The model.
            complete: False to make them only if many vectors are not in them yet, as between two batches.

        Raises:
            DatabaseCorruptError: A vector is damaged. See `find_damaged`.
            StorageError: The files cannot be written.
        """
        ...

    def find_damaged(self, identity: EmbeddingIdentity) -> list[TextHash]:
        """Return the texts whose vectors are not of unit norm, as every vector is when it is made."""
        ...

    def search(
        self,
        identity: EmbeddingIdentity,
        query: VectorMatrix,
        *,
        limit: int,
        documents: Selection | None = None,
        lang: str | None = None,
    ) -> list[VectorHit]:
        """Return the nearest chunks of `documents` in `lang`, best first, ties by chunk id.

        Args:
            identity: The model.
            query: Shape (1, d), of unit norm.
            limit: Maximum number of hits, at least 1.
            documents: Only chunks of these; None is all of them. Applied before ranking.
            lang: Only chunks of documents in this language; None is all of them.

        Raises:
            StorageError: The vectors cannot be read.
        """
        ...

    def similarities(
        self, identity: EmbeddingIdentity, query: VectorMatrix, chunk_ids: Sequence[ChunkId]
    ) -> list[float | None]:
        """Return the cosine of the query with each chunk, in order; None where a chunk has no vector."""
        ...

    def cosine_distributions(
        self, identity: EmbeddingIdentity, query: VectorMatrix
    ) -> list[LanguageDistribution]:
        """Measure the query's cosines with each language, most vectors first, ties by language."""
        ...

    def embedded_models(self) -> list[EmbeddingIdentity]:
        """Return the models with a vector of a passage."""
        ...


class EmbeddingRepo(Protocol):
    """Vectors by model and by the hash of the text that they stand for.

    A passage has a vector of a model if there is one for its text; what has none is pending. Equal texts share one
    vector. One that no passage uses any more stays until `evict`, so that a text that comes back is not embedded again.
    Writing methods are one transaction each and idempotent.
    """

    def one_state(self) -> AbstractContextManager[object]:
        """Return a context in which all reads of this thread see one state of the vectors."""
        ...

    def content_version(self) -> str:
        """Return the version of the passages and vectors; empty in a base without any.

        It changes with every change of them and never repeats. Copies of a base with equal versions have equal vectors.
        """
        ...

    def rows(self, identity: EmbeddingIdentity) -> Iterator[VectorRows]:
        """Yield the passages that have a vector of a model, each once, by document, in any order."""
        ...

    def vectors(self, identity: EmbeddingIdentity, text_hashes: Iterable[TextHash]) -> Iterator[bytes]:
        """Yield the vectors of texts, in order, in half precision, little-endian; empty for a text without one."""
        ...

    def embedded_models(self) -> list[EmbeddingIdentity]:
        """Return the models with a vector of a passage."""
        ...

    def request(self, identity: EmbeddingIdentity) -> int:
        """Make a model the one in force: passages without a vector of it are pending.

        A complete model that was in force before becomes the active one where there is none. Documents that have all their
        vectors already get an `embedded` event in their provenance, one for each model.

        Returns:
            The number of passages of these documents: their vectors were made earlier.
        """
        ...

    def latest_model(self) -> EmbeddingIdentity | None:
        """Return the model in force, which need not be the configured one; None before the first request."""
        ...

    def activate(self, identity: EmbeddingIdentity, settings_json: str) -> None:
        """Record that all passages have a vector of a model: searches use this one until another is complete.

        The model that was active becomes the previous one, whose vectors stay until `delete_model`.

        Args:
            identity: The model.
            settings_json: `EmbeddingSettings` by which its embedder can be built.
        """
        ...

    def active_model(self) -> ActiveModel | None:
        """Return the model that was complete last; None before the first."""
        ...

    def previous_model(self) -> ActiveModel | None:
        """Return the model that was active before the active one; None without any, or if its vectors were deleted."""
        ...

    def stored_models(self) -> list[StoredModel]:
        """Return the models with a vector, by model."""
        ...

    def delete_model(self, identity: EmbeddingIdentity) -> int:
        """Delete the vectors of a model with everything measured of them; return their number.

        The caller sees to it that the model is neither in force nor active.
        """
        ...

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return passages to be embedded: documents by the time of their files, newest first, each in order.

        Args:
            identity: The model.
            limit: Maximum number of passages, at least 1.
            within: Only those of these documents, which are few; None is all.
        """
        ...

    def sample(self, identity: EmbeddingIdentity, *, limit: int) -> list[PendingEmbedding]:
        """Return passages that have a vector of a model, at most `limit`, chosen by the hashes of their texts."""
        ...

    def count_pending(
        self, identity: EmbeddingIdentity, *, within: Collection[DocumentId] | None = None
    ) -> int:
        """Return the number of pending passages, of a few documents or of all."""
        ...

    def pending_documents(self, identity: EmbeddingIdentity) -> int:
        """Return the number of documents that have a passage without a vector of a model."""
        ...

    def find_vectors(
        self, identity: EmbeddingIdentity, text_hashes: Collection[TextHash]
    ) -> dict[TextHash, bytes]:
        """Return the stored vectors of these texts, in half precision, little-endian."""
        ...

    def sample_vectors(self, identity: EmbeddingIdentity, *, limit: int) -> list[SampledVector]:
        """Return the vectors of the passages with the lowest ids, which are hashes, and so a random sample of all.

        Args:
            identity: The model; passages without a vector of it are left out.
            limit: Passages that are looked at.
        """
        ...

    def put(self, identity: EmbeddingIdentity, vectors: Mapping[TextHash, bytes]) -> int:
        """Store vectors by text, in half precision, little-endian. Stored ones stay as they are.

        Raises `corpus_revision`. A document without any more pending passage of the model in force gets an `embedded`
        event in its provenance, one for each model.

        Returns:
            The number of passages with these texts.
        """
        ...

    def delete(self, text_hashes: Collection[TextHash]) -> int:
        """Delete the vectors of texts, of every model, so that their passages are pending; return their number."""
        ...

    def delete_all(self) -> int:
        """Delete every vector with everything measured of them; return the number of vectors.

        Raises `corpus_revision`.
        """
        ...

    def evict(self, *, max_bytes: int) -> int:
        """Delete vectors that no passage uses, the oldest first, until the rest takes at most `max_bytes`.

        Vectors of models that are neither in force, active nor the previous one count as unused.

        Returns:
            The number of vectors deleted.
        """
        ...

    def chunk_vectors(
        self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]
    ) -> dict[ChunkId, bytes]:
        """Return the vectors of those of these chunks that have one of a model, by chunk."""
        ...

    def chunk_embeddings(self, chunk_id: ChunkId) -> list[ChunkEmbedding]:
        """Return the state of a chunk for the model in force and all that it has a vector of, by model; none if unknown."""
        ...

    def text_hashes(self, doc_ids: Collection[DocumentId]) -> frozenset[TextHash]:
        """Return the hashes of the texts of a few documents' passages."""
        ...

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Return the number of passages by the state of their vectors of a model."""
        ...

    def save_query_centroids(
        self, identity: EmbeddingIdentity, content: bytes, *, content_version: str
    ) -> None:
        """Store the calibration of a model over this index, UTF-8, in place of the earlier one.

        Args:
            identity: The model.
            content: Its calibration.
            content_version: Of the passages that it was measured over.
        """
        ...

    def query_centroids_version(self, identity: EmbeddingIdentity) -> str | None:
        """Return the content version that the stored calibration belongs to; None where there is none."""
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

        Raises:
            ContextOverflowError: The prompt is longer than the model reads.
            ExternalError: The model cannot be used, or broke off; also between two items.
            DependencyMissingError: A library that it needs is not installed.
        """
        ...


@runtime_checkable
class AnswerReader(Protocol):
    """Finds what passages say in answer to a question. It writes no text of its own."""

    def model_ref(self) -> ModelRef:
        """Return name and provider of the reader."""
        ...

    def read(self, question: str, passages: Sequence[Passage]) -> AnswerReading:
        """Return the quotes that answer, else those that come nearest, else none; equal calls return equal quotes.

        Args:
            question: As it is searched.
            passages: Best first, with distinct markers. Without any there are no quotes.
        """
        ...


class NliVerifier(Protocol):
    """Checks the entailment of texts by others."""

    def model_ref(self) -> ModelRef:
        """Return name and provider of the model."""
        ...

    def verify(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Entailment]:
        """Return the entailment of each hypothesis by its premise, in order.

        Args:
            pairs: Premise and hypothesis. A premise that is too long beside its hypothesis is read in windows.

        Raises:
            ContextOverflowError: A hypothesis alone does not fit.
            ModelMissingError: The weights are not on this machine.
        """
        ...


class Reranker(Protocol):
    """Scores passages for a query by a model that reads both together."""

    def model_ref(self) -> ModelRef:
        """Return name and provider of the model."""
        ...

    def score(
        self, query: str, passages: Sequence[str], *, cancel: CancelToken | None = None
    ) -> Sequence[float]:
        """Return a score in [0, 1] for each passage, in order; only scores of one query and one model compare.

        A score does not depend on the passages beside it.

        Args:
            query: Of one that is too long the beginning is read.
            passages: One that is too long is read in windows, of which the best counts.
            cancel: Looked at before each window.

        Raises:
            ModelMissingError: The weights are not on this machine.
            ModelCorruptError: They are damaged.
            WorkCancelledError: It was cancelled.
        """
        ...
