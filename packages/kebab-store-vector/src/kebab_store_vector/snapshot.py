"""Exact search over one state of the vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from operator import and_
from typing import TYPE_CHECKING

import numpy as np
from kebab_core import ChunkId, LanguageDistribution, VectorHit

from kebab_store_vector.errors import MatrixDamagedError
from kebab_store_vector.half_vectors import exact_cosines
from kebab_store_vector.rows import ChunkIndex, MatrixRows, chunk_id_of, packed_ids, split_ids

if TYPE_CHECKING:
    from kebab_core import Selection
    from numpy.typing import NDArray

    from kebab_store_vector.rounded_vectors import RoundedVectors

    VectorReader = Callable[[NDArray[np.intp]], NDArray[np.floating]]

_MARGIN = 1e-5
"""Above the rounding error of a float32 cosine; ties within it are decided in float64."""
_GATHERED_SHARE = 4
"""Filters that leave less than one row in so many gather these rows; others compute all cosines."""
_COLD_QUERIES = 8
"""Queries before the codes of a file are copied into memory."""
_KEPT_QUERIES = 4
"""Queries whose cosines are kept: one search uses several vectors, each several times."""
_MAX_COPY_BYTES = 256 * 1024 * 1024
_FEW_ROWS = 100
"""Vectors of a language whose distribution is that of exact cosines; over more, what rounding adds evens out."""
_MAX_COSINE = 1.1
"""Upper bound on a cosine of two unit vectors, one of them rounded."""


class Snapshot:
    """One state of the vectors of a model; searches are exact but for half precision.

    Rounded vectors only choose which rows are compared: all whose cosine may be among the highest, by the bound on what
    rounding changes. The first queries read them from their file, later ones from a copy in memory, unless it would be
    too large.

    Args:
        rows: All rows, dead ones included.
        read_vectors: Returns the vectors of rows by number, exact but for half precision.
    """

    def __init__(self, rows: MatrixRows, read_vectors: VectorReader) -> None:
        self.rows = rows
        self.read_vectors = read_vectors
        self._queries = 0
        self._samples: dict[int, Snapshot] = {}
        self._latest: dict[bytes, NDArray[np.float32]] = {}

    def search(
        self, query: NDArray[np.float32], *, limit: int, documents: Selection | None, lang: str | None
    ) -> list[VectorHit]:
        """Return the nearest of the filtered rows, best first, ties by chunk id.

        Args:
            query: Shape (d,), of unit norm.
            limit: Maximum number of hits, at least 1.
            documents: Only rows of these; None is no filter.
            lang: Only rows of this language; None is no filter.
        """
        rows = self.filter_rows(documents, lang)
        if rows is None:
            return self.rank(query, _nearest(self._cosines(query), self._errors, limit), limit=limit)
        return self.rank(query, self.candidates(query, rows, limit=limit), limit=limit)

    def candidates(
        self, query: NDArray[np.float32], rows: NDArray[np.intp], *, limit: int
    ) -> NDArray[np.intp]:
        """Return those of the given rows that may be among the `limit` nearest of them."""
        is_latest = query.tobytes() in self._latest
        if len(rows) * _GATHERED_SHARE < len(self.rows.keys) and not is_latest:
            found = _require_cosines(self.rows.vectors.select(rows).cosines(query))
        else:
            found = self._cosines(query)[rows]
        return rows[_nearest(found, self._errors[rows], limit)]

    def rank(self, query: NDArray[np.float32], rows: NDArray[np.intp], *, limit: int) -> list[VectorHit]:
        """Return the nearest of the given rows, best first, ties by chunk id."""
        found = exact_cosines(self.read_vectors(rows), query)
        keys = self.rows.keys[rows]
        order = np.lexsort((keys["chunk"], -found))[:limit]
        return [
            VectorHit(chunk_id_of(chunk), cosine, self.rows.langs[lang])
            for chunk, cosine, lang in zip(
                keys["chunk"][order], found[order].tolist(), keys["lang"][order].tolist(), strict=True
            )
        ]

    def filter_rows(self, documents: Selection | None, lang: str | None) -> NDArray[np.intp] | None:
        """Return the live rows that pass the filters, in order; None if all rows do."""
        masks = [] if self._live is None else [self._live]
        if documents is not None:
            masks.append(self._of_documents(documents)[self.rows.keys["document"]])
        if lang is not None:
            number = self.rows.langs.index(lang) if lang in self.rows.langs else len(self.rows.langs)
            masks.append(self._lang_numbers == number)
        return np.flatnonzero(reduce(and_, masks)) if masks else None

    def similarities(self, query: NDArray[np.float32], chunk_ids: Sequence[ChunkId]) -> list[float | None]:
        """Return the cosine with each chunk, in order; None where a chunk has no vector."""
        rows = self.rows_of(chunk_ids)
        found = iter(exact_cosines(self.read_vectors(rows[rows >= 0]), query).tolist())
        return [next(found) if row >= 0 else None for row in rows.tolist()]

    def cosine_distributions(
        self, query: NDArray[np.float32], *, sample: int | None = None
    ) -> list[LanguageDistribution]:
        """Return mean and standard deviation of the cosines by language, most vectors first, ties by language.

        Args:
            query: Shape (d,), of unit norm.
            sample: Maximum number of rows of a language, those of the lowest chunk ids; ids are hashes, so that these
                are a random sample.
        """
        if sample is not None:
            return self._sampled(sample).cosine_distributions(query)
        rows, found = self.filter_rows(None, None), self._cosines(query)
        numbers, langs = self._lang_numbers, self.rows.langs
        if rows is not None:
            found, numbers = found[rows], numbers[rows]
        wide = found.astype(np.float64)
        counts = np.bincount(numbers, minlength=len(langs))
        few = np.flatnonzero((counts <= _FEW_ROWS)[numbers])
        wide[few] = exact_cosines(self.read_vectors(few if rows is None else rows[few]), query)
        means = np.bincount(numbers, wide, minlength=len(langs)) / np.maximum(counts, 1)
        squares = np.bincount(numbers, (wide - means[numbers]) ** 2, minlength=len(langs))
        deviations = np.sqrt(squares / np.maximum(counts, 1))
        distributions = map(LanguageDistribution, langs, counts.tolist(), means.tolist(), deviations.tolist())
        return sorted(
            (each for each in distributions if each.vectors),
            key=lambda each: (-each.vectors, each.lang),
        )

    def rows_of(self, chunk_ids: Sequence[str]) -> NDArray[np.intp]:
        """Return the number of each chunk's live row, -1 without one."""
        return self._index.find(packed_ids(chunk_ids))

    def live_rows(self) -> NDArray[np.intp]:
        """Return the numbers of the live rows, in order."""
        rows = self.filter_rows(None, None)
        return np.arange(len(self.rows.keys)) if rows is None else rows

    def chunks_of(self, rows: NDArray[np.intp]) -> list[ChunkId]:
        """Return the chunk ids of rows."""
        return [ChunkId(packed.hex()) for packed in split_ids(self._chunks[rows])]

    @cached_property
    def _index(self) -> ChunkIndex:
        return ChunkIndex(self.rows)

    @cached_property
    def _live(self) -> NDArray[np.bool_] | None:
        if not len(self.rows.dead):
            return None
        live = np.ones(len(self.rows.keys), np.bool_)
        live[self.rows.dead] = False
        return live

    @cached_property
    def _errors(self) -> NDArray[np.float32]:
        """Upper bounds on the errors of the cosines of rows."""
        return self.rows.vectors.errors.astype(np.float32) + np.float32(_MARGIN)

    @cached_property
    def _chunks(self) -> NDArray[np.bytes_]:
        return np.ascontiguousarray(self.rows.keys["chunk"])

    @cached_property
    def _lang_numbers(self) -> NDArray[np.uint16]:
        return np.ascontiguousarray(self.rows.keys["lang"])

    @cached_property
    def _document_order(self) -> NDArray[np.intp]:
        return np.argsort(self.rows.documents)

    def _of_documents(self, documents: Selection) -> NDArray[np.bool_]:
        """Return a mask over the document numbers."""
        wanted = np.zeros(len(self.rows.documents), np.bool_)
        if len(wanted) and documents:
            asked = packed_ids(documents)
            places = np.searchsorted(self.rows.documents, asked, sorter=self._document_order)
            numbers = self._document_order[np.minimum(places, len(wanted) - 1)]
            wanted[numbers[self.rows.documents[numbers] == asked]] = True
        return wanted

    def _sampled(self, size: int) -> Snapshot:
        """Return a snapshot of the first rows of each language."""
        if size not in self._samples:
            rows = self.live_rows()
            numbers = self._lang_numbers[rows]
            parts = [rows[numbers == number][:size] for number in range(len(self.rows.langs))]
            chosen = np.sort(np.concatenate([*parts, np.empty(0, np.intp)]))
            few = self.rows._replace(
                vectors=self.rows.vectors.select(chosen),
                keys=self.rows.keys[chosen],
                dead=self.rows.dead[:0],
            )
            self._samples[size] = Snapshot(few, lambda rows: self.read_vectors(chosen[rows]))
        return self._samples[size]

    def _cosines(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosines with all rows; those of the latest queries are kept."""
        latest = self._latest
        found = latest.get(query.tobytes())
        if found is None:
            found = _require_cosines(self._query_vectors().cosines(query))
            kept = list(latest.items())[1 - _KEPT_QUERIES :]
            self._latest = dict([*kept, (query.tobytes(), found)])
        return found

    def _query_vectors(self) -> RoundedVectors:
        self._queries += 1
        vectors = self.rows.vectors
        size = vectors.shape[0] * vectors.shape[1]
        if self._queries > _COLD_QUERIES and not vectors.is_in_memory and size <= _MAX_COPY_BYTES:
            self.rows = self.rows._replace(vectors=vectors.in_memory())
        return self.rows.vectors


def _require_cosines(found: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosines if all are in range.

    Raises:
        MatrixDamagedError: One is not: a vector is damaged.
    """
    if len(found) and not np.abs(found).max() <= _MAX_COSINE:
        raise MatrixDamagedError("it holds what no vector is")
    return found


def _nearest(found: NDArray[np.float32], errors: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Return the indexes of all values that may be among the `limit` highest, each being off by its error at most."""
    if limit >= len(found):
        return np.arange(len(found))
    least = np.partition(found - errors, len(found) - limit)[len(found) - limit]
    return np.flatnonzero(found + errors >= least)
