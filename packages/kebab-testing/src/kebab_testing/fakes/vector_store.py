"""A vector store in memory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple, cast

from kebab_core import (
    ChunkId,
    DocumentSet,
    EmbeddingIdentity,
    IndexId,
    IndexModelMismatchError,
    InvalidInputError,
    LanguageDistribution,
    NotIndexedError,
    Remedy,
    VectorHit,
    VectorKey,
    VectorMatrix,
    VectorTable,
)

_UNIT_TOLERANCE = 0.01


class _Stored(NamedTuple):
    key: VectorKey
    vector: list[float]


class InMemoryVectorStore:
    """Implements `VectorStore` by comparing every vector.

    Attributes:
        maintained: Arguments of the calls of `maintain`, in order.
    """

    def __init__(self) -> None:
        self.maintained: list[IndexId] = []
        self._identities: dict[IndexId, EmbeddingIdentity] = {}
        self._rows: dict[IndexId, dict[ChunkId, _Stored]] = {}
        self._versions: dict[IndexId, str] = {}
        self._changes = count(1)

    def ensure_table(self, index_id: IndexId, identity: EmbeddingIdentity) -> None:
        """Create the index unless it exists.

        Raises:
            IndexModelMismatchError: It exists for another model.
        """
        held = self._identities.setdefault(index_id, identity)
        if held != identity:
            raise IndexModelMismatchError(
                "the vector index was built by another model", remedy=Remedy(kind="embed")
            )
        if index_id not in self._rows:
            self._rows[index_id] = {}
            self._note_change(index_id)

    def upsert(self, index_id: IndexId, keys: Sequence[VectorKey], vectors: VectorMatrix) -> None:
        """Store vectors; of two with one key the later."""
        table = self._table(index_id)
        if not keys:
            return
        rows = _checked(vectors, shape=(len(keys), self._identities[index_id].dimensions))
        table.update({key.chunk_id: _Stored(key, row) for key, row in zip(keys, rows, strict=True)})
        self._note_change(index_id)

    def delete(self, index_id: IndexId, chunk_ids: Sequence[ChunkId]) -> None:
        """Remove vectors; unknown ids and indexes are ignored."""
        removed = [self._rows.get(index_id, {}).pop(chunk_id, None) for chunk_id in chunk_ids]
        if any(removed):
            self._note_change(index_id)

    def maintain(self, index_id: IndexId) -> None:
        """Record the call."""
        self.maintained.append(index_id)

    def search(
        self,
        index_id: IndexId,
        query: VectorMatrix,
        *,
        limit: int,
        documents: DocumentSet | None = None,
        lang: str | None = None,
    ) -> list[VectorHit]:
        """Return the nearest chunks, best first, ties by chunk id.

        Raises:
            InvalidInputError: The limit is below 1.
        """
        if limit < 1:
            raise InvalidInputError("a limit of {limit} finds nothing", _limit=limit)
        hits = [
            VectorHit(key.chunk_id, cosine, key.lang)
            for key, cosine in self._cosines(index_id, query)
            if (documents is None or key.doc_id in documents) and lang in {None, key.lang}
        ]
        return sorted(hits, key=lambda hit: (-hit.cosine, hit.chunk_id))[:limit]

    def similarities(
        self, index_id: IndexId, query: VectorMatrix, chunk_ids: Sequence[ChunkId]
    ) -> list[float | None]:
        """Return the cosine of the query with each chunk, in order."""
        cosines = {key.chunk_id: cosine for key, cosine in self._cosines(index_id, query)}
        return [cosines.get(chunk_id) for chunk_id in chunk_ids]

    def cosine_distributions(self, index_id: IndexId, query: VectorMatrix) -> list[LanguageDistribution]:
        """Return the distribution of the query's cosines for each language, most vectors first, ties by language."""
        by_lang: dict[str, list[float]] = {}
        for key, cosine in self._cosines(index_id, query):
            by_lang.setdefault(key.lang, []).append(cosine)
        distributions = [_distribution(lang, cosines) for lang, cosines in by_lang.items()]
        return sorted(distributions, key=lambda each: (-each.vectors, each.lang))

    def tables(self) -> list[VectorTable]:
        """Return every index, by id."""
        return [
            VectorTable(index_id=index_id, identity=identity, rows=len(self._rows[index_id]))
            for index_id, identity in sorted(self._identities.items())
        ]

    def chunk_ids(self, index_id: IndexId) -> Iterator[ChunkId]:
        """Yield the chunks that have a vector; none where there is no such index."""
        yield from self._rows.get(index_id, {})

    def content_version(self, index_id: IndexId) -> str | None:
        """Return the number of the latest change of an index, as text."""
        return self._versions.get(index_id)

    def drop(self, index_id: IndexId) -> None:
        """Remove an index; an unknown id is ignored."""
        self._versions.pop(index_id, None)
        self._identities.pop(index_id, None)
        self._rows.pop(index_id, None)

    def _note_change(self, index_id: IndexId) -> None:
        self._versions[index_id] = str(next(self._changes))

    def _cosines(self, index_id: IndexId, query: VectorMatrix) -> Iterator[tuple[VectorKey, float]]:
        table = self._table(index_id)
        (asked,) = _checked(query, shape=(1, self._identities[index_id].dimensions))
        for key, vector in table.values():
            yield key, math.fsum(left * right for left, right in zip(asked, vector, strict=True))

    def _table(self, index_id: IndexId) -> dict[ChunkId, _Stored]:
        if index_id not in self._rows:
            raise NotIndexedError(
                "there is no vector index {index_id!r}", remedy=Remedy(kind="embed"), _index_id=index_id
            )
        return self._rows[index_id]


def _checked(vectors: VectorMatrix, *, shape: tuple[int, int]) -> list[list[float]]:
    """Return the rows of a matrix.

    Raises:
        InvalidInputError: It has another shape, or a row is not of unit norm.
    """
    if vectors.shape != shape or vectors.format != "f":
        raise InvalidInputError(
            "vectors of shape {shape} where {expected} was expected",
            _shape=str(vectors.shape),
            _expected=str(shape),
        )
    rows = cast("list[list[float]]", vectors.tolist())
    if not all(abs(math.fsum(value * value for value in row) - 1) <= _UNIT_TOLERANCE for row in rows):
        raise InvalidInputError("a vector is not of unit norm")
    return rows


def _distribution(lang: str, cosines: list[float]) -> LanguageDistribution:
    mean = math.fsum(cosines) / len(cosines)
    variance = math.fsum((cosine - mean) ** 2 for cosine in cosines) / len(cosines)
    return LanguageDistribution(lang, len(cosines), mean, math.sqrt(variance))
