"""Embedding of passages with a cache: the text that stands for a passage, the key of its vector, and the cached embedder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from operator import mul

from kebab_core import (
    Clock,
    DerivationCache,
    Embedder,
    EmbeddingIdentity,
    EmbeddingKind,
    ModelCorruptError,
    Remedy,
    VectorMatrix,
    hash_canonical,
)

from kebab_ingest.derivation import CachedModel, Derived

CACHE_KIND = "embedding"
"""Of the entries in the derivation cache."""


@dataclass(frozen=True, kw_only=True)
class CachedEmbedder:
    """Embeds texts; a text that the same model has embedded before is read from the cache.

    Vectors that the model makes are kept before they are returned.
    """

    embedder: Embedder
    identity: EmbeddingIdentity
    """The embedder's; kept here since asking a model server for it may take a while."""
    cache: DerivationCache
    clock: Clock
    kind: EmbeddingKind = EmbeddingKind.DOCUMENT
    """Whether the texts are passages or queries."""
    verify: Callable[[], object] = lambda: None
    """Called before the model is asked; raises `ModelCorruptError` if a file of the model is damaged."""

    def embed(self, texts: Sequence[str]) -> VectorMatrix:
        """Embed texts, at least one.

        Returns:
            Float32 rows of unit L2 norm, shape (n, dimensions), in the order of the texts.

        Raises:
            ExternalError: The model is not there or does not answer.
            StorageError: The cache cannot be written.
        """
        return join_rows(self.answer(texts).payloads, dimensions=self.identity.dimensions)

    def answer(self, texts: Sequence[str]) -> Derived:
        """Embed texts, as the bytes of one row for each. Raises like `embed`."""
        model = CachedModel(
            kind=CACHE_KIND,
            key_of=lambda text: embedding_key(self.identity, text, kind=self.kind),
            compute=self._compute,
            cache=self.cache,
            clock=self.clock,
            is_intact=self._is_intact,
        )
        return model.answer(texts)

    def _compute(self, texts: Sequence[str]) -> list[bytes]:
        self.verify()
        matrix = self.embedder.embed(texts, self.kind)
        return split_rows(matrix, count=len(texts), dimensions=self.identity.dimensions)

    def _is_intact(self, row: bytes) -> bool:
        return len(row) == row_bytes(self.identity.dimensions) and is_unit_row(row)


def embedding_key(
    identity: EmbeddingIdentity, text: str, *, kind: EmbeddingKind = EmbeddingKind.DOCUMENT
) -> str:
    """Make the cache key of the vector of a text: 64 hex digits, a hash of everything that shapes the vector."""
    return hash_canonical({
        "model_id": identity.model_id,
        "model_version": identity.model_version,
        "dimensions": identity.dimensions,
        "kind": kind,
        "text": text,
    })


_FLOAT_BYTES = 4
_UNIT_TOLERANCE = 0.01
"""Tolerance of the squared norm; the vector index accepts the same."""


def split_rows(matrix: VectorMatrix, *, count: int, dimensions: int) -> list[bytes]:
    """Split a float32 matrix into the bytes of its rows, in this machine's byte order.

    Raises:
        ModelCorruptError: The matrix is not of shape (count, dimensions).
    """
    if matrix.nbytes != count * row_bytes(dimensions) or matrix.itemsize != _FLOAT_BYTES:
        raise ModelCorruptError(
            "the embedding model gave {nbytes} bytes for {count} texts of {dimensions} dimensions",
            remedy=Remedy(kind="doctor"),
            _nbytes=matrix.nbytes,
            _count=count,
            _dimensions=dimensions,
        )
    flat, size = matrix.cast("B"), row_bytes(dimensions)
    return [flat[start : start + size].tobytes() for start in range(0, count * size, size)]


def join_rows(rows: Sequence[bytes], *, dimensions: int) -> VectorMatrix:
    """Join rows, at least one, into a matrix of shape (n, dimensions)."""
    return memoryview(b"".join(rows)).cast("f", shape=[len(rows), dimensions])


def is_unit_row(row: bytes) -> bool:
    """Whether a row has unit norm, as every vector has when it is made; one that has not was damaged since."""
    values = memoryview(row).cast("f")
    square: float = sum(map(mul, values, values))
    return abs(square - 1) <= _UNIT_TOLERANCE


def row_bytes(dimensions: int) -> int:
    """Length of one row in bytes."""
    return dimensions * _FLOAT_BYTES


def verify_once(embedder: Embedder) -> Callable[[], object]:
    """Return the check of a model's files, carried out at the first call only; a model on a server has none.

    A model with a few damaged bits gives vectors like any other. Kept under the name of the intact model they would be
    wrong for good.
    """
    verify = getattr(embedder, "verify", None)
    return (lambda: None) if verify is None else cache(verify)


def passage_text(*, title: str, heading_path: Sequence[str], text: str) -> str:
    """Make the text that stands for a passage: its text below title and headings, one to a line.

    A heading that repeats another word for word is left out, and so is one that the opening lines of the text show. Any
    change here gives other texts for the cache, and needs another model version.

    Args:
        title: Of the document.
        heading_path: From the outermost heading to the innermost.
        text: Of the chunk.
    """
    headings = dict.fromkeys((title, *heading_path))
    shown = _shown_at_the_start(text, {_fold(heading) for heading in headings})
    return "\n".join([*(heading for heading in headings if _fold(heading) not in shown), text])


def _shown_at_the_start(text: str, headings: Collection[str]) -> set[str]:
    shown = set()
    for line in filter(str.strip, text.splitlines()):
        if _fold(line) not in headings:
            break
        shown.add(_fold(line))
    return shown


def _fold(line: str) -> str:
    """Strip the marks of a heading from a line; search compares headings with lines in the same way."""
    return " ".join(line.lstrip("# ").split())
