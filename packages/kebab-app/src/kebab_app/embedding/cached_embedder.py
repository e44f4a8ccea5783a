"""An embedder that is asked about a text once: what it said is kept by text and model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kebab_core import (
    Clock,
    DerivationCache,
    Embedder,
    EmbeddingIdentity,
    EmbeddingKind,
    VectorMatrix,
    hash_canonical,
)

from kebab_app.embedding.rows import is_unit_row, join_rows, row_bytes, split_rows

CACHE_KIND = "embedding"


class Embedded(NamedTuple):
    """Vectors and what they cost."""

    vectors: VectorMatrix
    computed: int
    """Texts, not counting repeats, that the model was asked about."""


@dataclass(frozen=True, kw_only=True)
class CachedEmbedder:
    """Gives texts their vectors. What the model makes is kept before it is handed out."""

    embedder: Embedder
    identity: EmbeddingIdentity
    """The embedder's; asking a model server for it may take a while."""
    cache: DerivationCache
    clock: Clock
    kind: EmbeddingKind = EmbeddingKind.DOCUMENT
    """Which side of a search the texts are on."""

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return a vector for each text, at least one, in their order.

        Raises:
            ExternalError: The model is not there or does not answer.
            StorageError: What it made cannot be kept.
        """
        keys = [embedding_key(self.identity, text, kind=self.kind) for text in texts]
        rows = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            rows.update(self._make(missing))
        vectors = join_rows([rows[key] for key in keys], dimensions=self.identity.dimensions)
        return Embedded(vectors, len(missing))

    def _known(self, keys: Sequence[str]) -> dict[str, bytes]:
        size = row_bytes(self.identity.dimensions)
        found = self.cache.get_many(CACHE_KIND, list(dict.fromkeys(keys)), at=self.clock.now())
        return {key: row for key, row in found.items() if len(row) == size and is_unit_row(row)}

    def _make(self, missing: dict[str, str]) -> dict[str, bytes]:
        matrix = self.embedder.embed(list(missing.values()), self.kind)
        rows = split_rows(matrix, count=len(missing), dimensions=self.identity.dimensions)
        made = dict(zip(missing, rows, strict=True))
        self.cache.put_many(CACHE_KIND, made, at=self.clock.now())
        return made


def embedding_key(
    identity: EmbeddingIdentity, text: str, *, kind: EmbeddingKind = EmbeddingKind.DOCUMENT
) -> str:
    """Return what the vector of a text is kept by: 64 hex digits of everything that shapes it."""
    return hash_canonical({
        "model_id": identity.model_id,
        "model_version": identity.model_version,
        "dimensions": identity.dimensions,
        "kind": kind,
        "text": text,
    })
