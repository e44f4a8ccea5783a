"""Small builders of vectors and their keys for tests."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from kebab_core import (
    ChunkId,
    DocumentId,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingVersion,
    VectorMatrix,
    VectorRow,
    VectorRows,
    text_hash_of,
)


def hex_id(name: str) -> str:
    """Return 32 hex digits that only this name has."""
    return blake2b(name.encode(), digest_size=16).hexdigest()


def vector_row(
    chunk: str, *, document: str = "document", lang: str = "en", text: str | None = None
) -> VectorRow:
    """Return a passage with a vector, by the names of its chunk and document, and by its text (else the chunk's name)."""
    return VectorRow(
        ChunkId(hex_id(chunk)),
        DocumentId(hex_id(document)),
        lang,
        text_hash_of(chunk if text is None else text),
    )


def pack_rows(rows: Iterable[VectorRow]) -> Iterator[VectorRows]:
    """Yield passages as a `EmbeddingRepo` does, each by itself."""
    for row in rows:
        yield VectorRows(row.doc_id, row.lang, bytes.fromhex(row.chunk_id), row.text_hash)


def unpack_rows(packed: Iterable[VectorRows]) -> Iterator[VectorRow]:
    """Yield the passages of a `EmbeddingRepo`."""
    for rows in packed:
        ids = rows.chunk_ids.hex()
        chunks = [ChunkId(ids[start : start + 32]) for start in range(0, len(ids), 32)]
        for chunk_id, text_hash in zip(chunks, rows.list_texts(), strict=True):
            yield VectorRow(chunk_id, rows.doc_id, rows.lang, text_hash)


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


def halves_of(row: Sequence[float]) -> bytes:
    """Return a vector as it is stored: in half precision, little-endian."""
    return struct.pack(f"<{len(row)}e", *row)
