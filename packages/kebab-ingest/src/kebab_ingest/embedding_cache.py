"""Embedding of texts whose vectors are stored by text: a text that the same model has embedded before is not embedded again."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import (
    Embedder,
    EmbeddingIdentity,
    EmbeddingKind,
    EmbeddingRepo,
    ModelCorruptError,
    Remedy,
    TextHash,
    VectorMatrix,
    text_hash_of,
)

if TYPE_CHECKING:
    from kebab_core import Locks

_FLOAT_BYTES = 4
_HALF_BYTES = 2
_UNIT_TOLERANCE = 0.01
"""Tolerance of the squared norm; the vector index accepts the same."""


@dataclass(kw_only=True)
class CachedEmbedder:
    """Implements `Embedder`: what is stored is read, and what the model makes is stored.

    Vectors are rounded to half precision, as they are stored. The files of the model are checked before it is asked first,
    where it has a `verify`: a model with a few damaged bits gives vectors like any other, which would be wrong for good
    under the name of the intact model.
    """

    embedder: Embedder
    identity: EmbeddingIdentity
    """The embedder's; kept here since asking a model server for it may take a while."""
    repo: EmbeddingRepo
    locks: Locks | None = None
    """Released while the model works; None holds none."""
    _is_verified: bool = False

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Embed texts, at least one. See `Embedder`."""
        hashes = [text_hash_of(text, kind) for text in texts]
        stored = self.repo.find_vectors(self.identity, list(dict.fromkeys(hashes)))
        found = {text_hash: vector for text_hash, vector in stored.items() if self._is_whole(vector)}
        if damaged := stored.keys() - found.keys():
            self.repo.delete(damaged)
        missing = {
            text_hash: text for text_hash, text in zip(hashes, texts, strict=True) if text_hash not in found
        }
        if missing:
            made = self.compute(missing, kind)
            self.repo.put(self.identity, made)
            found |= made
        dimensions = self.identity.dimensions
        halves = struct.unpack(f"<{len(hashes) * dimensions}e", b"".join(found[each] for each in hashes))
        floats = struct.pack(f"={len(halves)}f", *halves)
        return memoryview(floats).cast("f", shape=[len(hashes), dimensions])

    def _is_whole(self, vector: bytes) -> bool:
        dimensions = self.identity.dimensions
        return len(vector) == _HALF_BYTES * dimensions and _is_unit(struct.unpack(f"<{dimensions}e", vector))

    def compute(
        self, texts: dict[TextHash, str], kind: EmbeddingKind = EmbeddingKind.DOCUMENT
    ) -> dict[TextHash, bytes]:
        """Embed texts by the model; return their vectors in half precision, little-endian.

        Raises:
            ExternalError: The model is not there or does not answer.
            ModelCorruptError: A file of it is damaged, or what it gave are not vectors.
        """
        with self.locks.unlocked() if self.locks else nullcontext():
            self._verify()
            matrix = self.embedder.embed(list(texts.values()), kind)
        return dict(zip(texts, halve_rows(matrix, self.identity, count=len(texts)), strict=True))

    def _verify(self) -> None:
        verify = getattr(self.embedder, "verify", None)
        if verify is not None and not self._is_verified:
            verify()
        self._is_verified = True


def halve_rows(matrix: VectorMatrix, identity: EmbeddingIdentity, *, count: int) -> list[bytes]:
    """Round the rows of a matrix to half precision, little-endian.

    Raises:
        ModelCorruptError: The matrix is not of shape (count, dimensions), or a row is not of unit norm.
    """
    dimensions = identity.dimensions
    if matrix.nbytes != count * dimensions * _FLOAT_BYTES or matrix.itemsize != _FLOAT_BYTES:
        raise ModelCorruptError(
            "the embedding model gave {nbytes} bytes for {count} texts of {dimensions} dimensions",
            remedy=Remedy(kind="doctor"),
            _nbytes=matrix.nbytes,
            _count=count,
            _dimensions=dimensions,
        )
    flat = matrix.cast("B").cast("f")
    rows = [flat[start : start + dimensions].tolist() for start in range(0, len(flat), dimensions)]
    if not all(map(_is_unit, rows)):
        raise ModelCorruptError(
            "the embedding model gave a vector that is not of unit norm", remedy=Remedy(kind="doctor")
        )
    return [struct.pack(f"<{dimensions}e", *row) for row in rows]


def _is_unit(row: Sequence[float]) -> bool:
    return abs(math.hypot(*row) ** 2 - 1) <= _UNIT_TOLERANCE
