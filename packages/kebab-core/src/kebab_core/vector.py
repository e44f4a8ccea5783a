"""Vectors between embedder and vector store.

Many vectors cross as one read-only `memoryview` of C-contiguous float32, shape (n, d): numpy arrays, Arrow
buffers and `array.array` all give one without a copy, and core needs none of them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from kebab_core.ids import ChunkId, DocumentId, IndexId
from kebab_core.model import Model
from kebab_core.versions import EmbeddingModelId, EmbeddingVersion

VectorMatrix = memoryview
"""float32, C-contiguous, shape (n, d), rows of unit L2 norm."""


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


class VectorHit(NamedTuple):
    """A chunk and its cosine with the query, [-1, 1]."""

    chunk_id: ChunkId
    cosine: float


class VectorTable(Model):
    """One vector index."""

    index_id: IndexId
    identity: EmbeddingIdentity
    rows: int = Field(ge=0)
