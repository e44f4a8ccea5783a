"""A vector store in memory."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from typing import cast

from kebab_core import (
    ChunkId,
    EmbeddingIdentity,
    EmbeddingRepo,
    InvalidInputError,
    LanguageDistribution,
    Selection,
    TextHash,
    VectorHit,
    VectorMatrix,
    VectorRow,
)

from kebab_testing.vectors import unpack_rows

_UNIT_TOLERANCE = 0.01


class InMemoryVectorStore:
    """Implements `VectorStore` by comparing every vector of its source.

    Attributes:
        updates: The models that `update` was called for, and whether completely.
    """

    def __init__(self, source: EmbeddingRepo) -> None:
        self.updates: list[tuple[EmbeddingIdentity, bool]] = []
        self._source = source

    def update(self, identity: EmbeddingIdentity, *, complete: bool = True) -> None:
        """Note the call; there are no files."""
        self.updates.append((identity, complete))

    def find_damaged(self, identity: EmbeddingIdentity) -> list[TextHash]:
        """Return the texts whose vectors are not of unit norm."""
        return [row.text_hash for row, vector in self._vectors(identity) if not _is_unit(vector)]

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

        Raises:
            InvalidInputError: The limit is below 1.
        """
        if limit < 1:
            raise InvalidInputError("a limit of {limit} finds nothing", _limit=limit)
        hits = [
            VectorHit(row.chunk_id, cosine, row.lang)
            for row, cosine in self._cosines(identity, query)
            if (documents is None or row.doc_id in documents) and lang in {None, row.lang}
        ]
        return sorted(hits, key=lambda hit: (-hit.cosine, hit.chunk_id))[:limit]

    def similarities(
        self, identity: EmbeddingIdentity, query: VectorMatrix, chunk_ids: Sequence[ChunkId]
    ) -> list[float | None]:
        """Return the cosine of the query with each chunk; None where a chunk has no vector."""
        cosines = {row.chunk_id: cosine for row, cosine in self._cosines(identity, query)}
        return [cosines.get(chunk_id) for chunk_id in chunk_ids]

    def cosine_distributions(
        self, identity: EmbeddingIdentity, query: VectorMatrix
    ) -> list[LanguageDistribution]:
        """Return mean and standard deviation of the cosines by language, most vectors first, ties by language."""
        by_lang: dict[str, list[float]] = {}
        for row, cosine in self._cosines(identity, query):
            by_lang.setdefault(row.lang, []).append(cosine)
        distributions = [_distribution(lang, cosines) for lang, cosines in by_lang.items()]
        return sorted(distributions, key=lambda each: (-each.vectors, each.lang))

    def embedded_models(self) -> list[EmbeddingIdentity]:
        """Return the models with a vector of a passage."""
        return self._source.embedded_models()

    def _cosines(self, identity: EmbeddingIdentity, query: VectorMatrix) -> Iterator[tuple[VectorRow, float]]:
        if query.format != "f" or query.shape != (1, identity.dimensions):
            raise InvalidInputError("the query is no vector of this model")
        (asked,) = cast("list[list[float]]", query.tolist())
        if not _is_unit(asked):
            raise InvalidInputError("vectors are not of unit norm")
        for row, vector in self._vectors(identity):
            yield row, sum(a * b for a, b in zip(vector, asked, strict=True))

    def _vectors(self, identity: EmbeddingIdentity) -> Iterator[tuple[VectorRow, Sequence[float]]]:
        rows = list(unpack_rows(self._source.rows(identity)))
        stored = self._source.vectors(identity, [row.text_hash for row in rows])
        for row, vector in zip(rows, stored, strict=True):
            yield row, struct.unpack(f"<{identity.dimensions}e", vector)


def _is_unit(vector: Sequence[float]) -> bool:
    return abs(sum(value * value for value in vector) - 1) <= _UNIT_TOLERANCE


def _distribution(lang: str, cosines: list[float]) -> LanguageDistribution:
    mean = sum(cosines) / len(cosines)
    return LanguageDistribution(
        lang, len(cosines), mean, math.sqrt(sum((one - mean) ** 2 for one in cosines) / len(cosines))
    )
