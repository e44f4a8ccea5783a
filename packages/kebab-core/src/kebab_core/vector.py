"""Vectors between embedder and vector store.

Many vectors cross as one read-only `memoryview` of C-contiguous float32, shape (n, d): numpy arrays, Arrow
buffers and `array.array` all give one without a copy, and core needs none of them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from kebab_core.ids import ChunkId, DocumentId, EmbeddingId, IndexId
from kebab_core.model import Model
from kebab_core.versions import EmbeddingModelId, EmbeddingVersion

if TYPE_CHECKING:
    VectorMatrix = memoryview[float]
else:
    VectorMatrix = memoryview
"""float32, C-contiguous, shape (n, d), rows of unit L2 norm; without rows any shape that holds nothing."""


class EmbeddingKind(StrEnum):
    """Which side of a search a text is on; some models prefix the two differently."""

    DOCUMENT = "document"
    QUERY = "query"


class EmbeddingIdentity(Model):
    """An exact embedding model: two vectors may be compared only if these are equal."""

    model_id: EmbeddingModelId
    model_version: EmbeddingVersion
    dimensions: int = Field(ge=1)


class VectorKey(NamedTuple):
    """What a stored vector belongs to."""

    chunk_id: ChunkId
    doc_id: DocumentId
    lang: str
    """Of the document, as its filter calls it; models rank texts of the query's own language first, and whoever
    corrects that has to know which texts those are."""


class LanguageSpread(NamedTuple):
    """How the cosines of one query with all vectors of a language are spread; what a single one stands out from."""

    lang: str
    vectors: int
    """Vectors of this language, at least 1; of an index that is too large to look at whole, those of a sample."""
    mean: float
    deviation: float
    """Standard deviation, at least 0."""


class VectorHit(NamedTuple):
    """A chunk and its cosine with the query, [-1, 1]."""

    chunk_id: ChunkId
    cosine: float
    lang: str


class VectorTable(Model):
    """One vector index."""

    index_id: IndexId
    identity: EmbeddingIdentity
    rows: int = Field(ge=0)


class PendingEmbedding(NamedTuple):
    """A chunk that has no vector of a model yet, with what is told to the model."""

    chunk_id: ChunkId
    doc_id: DocumentId
    lang: str
    title: str
    heading_path: tuple[str, ...]
    text: str


class Tombstone(NamedTuple):
    """A stored vector whose chunk is gone or has changed."""

    embedding_id: EmbeddingId
    chunk_id: ChunkId
    identity: EmbeddingIdentity


class EmbeddingCounts(NamedTuple):
    """How far the vectors of a model are, in chunks."""

    pending: int
    committed: int
    tombstones: int
