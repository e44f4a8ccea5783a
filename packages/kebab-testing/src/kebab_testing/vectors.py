"""Small builders of vectors and their keys for tests."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from hashlib import blake2b

from kebab_core import (
    ChunkId,
    DocumentId,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingVersion,
    IndexId,
    VectorKey,
    VectorMatrix,
)


def hex_id(name: str) -> str:
    """Return 32 hex digits that only this name has."""
    return blake2b(name.encode(), digest_size=16).hexdigest()


def index_id(name: str = "index") -> IndexId:
    """Return the id of a vector index by name."""
    return IndexId(hex_id(name))


def vector_key(chunk: str, *, document: str = "document", lang: str = "en") -> VectorKey:
    """Return what a vector belongs to, by the names of its chunk and document."""
    return VectorKey(ChunkId(hex_id(chunk)), DocumentId(hex_id(document)), lang)


def identity_of(
    dimensions: int, *, model: str = "model", version: str = "v1+000000000000"
) -> EmbeddingIdentity:
    """Return a model that makes vectors of so many dimensions."""
    return EmbeddingIdentity(
        model_id=EmbeddingModelId(model), model_version=EmbeddingVersion(version), dimensions=dimensions
    )


def unit(row: Sequence[float]) -> list[float]:
    """Return a vector of the same direction and norm 1."""
    norm = math.hypot(*row)
    return [value / norm for value in row]


def matrix_of(*rows: Sequence[float]) -> VectorMatrix:
    """Return at least one row of equal length as they are, float32 of shape (n, d)."""
    flat = array("f", [value for row in rows for value in row])
    return memoryview(flat).cast("B").cast("f", shape=[len(rows), len(rows[0])]).toreadonly()
