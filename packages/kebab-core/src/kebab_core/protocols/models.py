"""Models, vectors, and retrieval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kebab_core.answer import ModelRef
    from kebab_core.generation import Entailment, GenerateRequest, TokenChunk
    from kebab_core.ids import ChunkId, IndexId
    from kebab_core.media_text import ModelCaption, OcrText
    from kebab_core.protocols.stores import DocumentSet
    from kebab_core.search import SearchQuery, SearchResponse
    from kebab_core.vector import (
        EmbeddingIdentity,
        EmbeddingKind,
        LanguageSpread,
        VectorHit,
        VectorKey,
        VectorMatrix,
        VectorTable,
    )
    from kebab_core.versions import IndexVersion


class Embedder(Protocol):
    """Gives texts vectors."""

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
    """Vectors by exact index.

    Writing methods are called by one writer at a time; readers in other processes go on meanwhile and see each call
    whole or not at all. Nothing that is here cannot be made again from the database.
    """

    def ensure_table(self, index_id: IndexId, identity: EmbeddingIdentity) -> None:
        """Make sure the index exists.

        Raises:
            IndexModelMismatchError: It exists for another model.
        """
        ...

    def upsert(self, index_id: IndexId, keys: Sequence[VectorKey], vectors: VectorMatrix) -> None:
        """Store n vectors for n keys, replacing those that are there. Idempotent; durable on return."""
        ...

    def delete(self, index_id: IndexId, chunk_ids: Sequence[ChunkId]) -> None:
        """Remove vectors; unknown ids are fine."""
        ...

    def maintain(self, index_id: IndexId) -> None:
        """Fold small pieces together and bring what reads are served from up to date; called after writing."""
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
            index_id: Where to look.
            query: Shape (1, d), of unit norm.
            limit: How many at most, at least 1.
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

    def spreads(self, index_id: IndexId, query: VectorMatrix) -> list[LanguageSpread]:
        """Return how the query's cosines are spread over each language of the index, most vectors first."""
        ...

    def tables(self) -> list[VectorTable]:
        """Return every index there is."""
        ...

    def chunk_ids(self, index_id: IndexId) -> Iterator[ChunkId]:
        """Yield the chunks that have a vector, in any order; none where there is no such index."""
        ...

    def edition(self, index_id: IndexId) -> str | None:
        """Return what another state of the index never has again, told without a look at its vectors; None without one.

        It changes with every vector that is stored or removed, and may change in maintenance. Equal editions, also of
        copies of an index, hold vectors of the same chunks.
        """
        ...

    def drop(self, index_id: IndexId) -> None:
        """Remove an index with all its vectors, however damaged it is; one that is not there is fine."""
        ...


class Retriever(Protocol):
    """Finds passages."""

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return hits, best first, and what was searched.

        The order does not depend on how many hits are asked for: pages, read by cursor, together are the whole.

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
        """Return which model this is."""
        ...

    def context_tokens(self) -> int:
        """Return how much it can read, in its own tokens."""
        ...

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield text as it comes; the last item is always the only `GenerationDone`.

        Closing the iterator stops the model.
        """
        ...


class NliVerifier(Protocol):
    """Checks whether one text follows from another."""

    def model_ref(self) -> ModelRef:
        """Return which model this is."""
        ...

    def verify(self, premise: str, hypothesis: str) -> Entailment:
        """Return how far the premise supports the hypothesis.

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
    """Says what a picture shows."""

    def label(self) -> str:
        """Return model and prompt version."""
        ...

    def caption(self, image: bytes, *, lang: str) -> ModelCaption:
        """Return one sentence in `lang` (`ko` or `en`)."""
        ...
