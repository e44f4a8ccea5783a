"""Exact search over one state of the vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from operator import and_
from typing import TYPE_CHECKING

import numpy as np
from kebab_core import ChunkId, LanguageDistribution, VectorHit

from kebab_store_vector.errors import MatrixDamagedError
from kebab_store_vector.half_vectors import cosines, exact_cosines
from kebab_store_vector.rounded_vectors import RoundedVectors
from kebab_store_vector.rows import ChunkIndex, MatrixRows, chunk_id_of, packed_ids, split_ids

if TYPE_CHECKING:
    from kebab_core import DocumentSet
    from numpy.typing import NDArray

    ExactReader = Callable[[NDArray[np.intp]], NDArray[np.floating]]

_MARGIN = 1e-5
"""Above the rounding error of a float32 cosine; ties within it are decided in float64."""
_GATHERED_SHARE = 4
"""Filters that leave less than one row in so many gather these rows; others compute all cosines."""
_COLD_QUERIES = 8
"""Queries before vectors are copied: those of a file into memory, others to single precision, which takes the time of
about as many queries."""
_KEPT_QUERIES = 4
"""Queries whose cosines are kept: one search uses several vectors, each several times."""
_MAX_COPY_BYTES = 256 * 1024 * 1024
_MAX_COSINE = 1.01
"""Upper bound on a cosine of two unit vectors in half precision."""


class Snapshot:
    """One state of the vectors of a model; searches are exact but for half precision.

    Rounded vectors only choose which rows are compared: all whose cosine may be among the highest, by the bound on what
    rounding changes. The first queries read them from their file, later ones from a copy in memory, unless it would be
    too large.

    Args:
        rows: All rows, dead ones included.
        read_exact: Returns the vectors of rows, which `rows` has rounded; they are still in the state of the snapshot.
    """

    def __init__(self, rows: MatrixRows, read_exact: ExactReader | None = None) -> None:
        self.rows = rows
        self._read_exact = read_exact
        self._queries = 0
        self._samples: dict[int, Snapshot] = {}
        self._latest: dict[bytes, NDArray[np.float32]] = {}

    def search(
        self, query: NDArray[np.float32], *, limit: int, documents: DocumentSet | None, lang: str | None
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
            found = _require_cosines(_cosines_of(_select(self.rows.vectors, rows), query))
        else:
            found = self._cosines(query)[rows]
        return rows[_nearest(found, self._errors[rows], limit)]

    def rank(self, query: NDArray[np.float32], rows: NDArray[np.intp], *, limit: int) -> list[VectorHit]:
        """Return the nearest of the given rows, best first, ties by chunk id."""
        found = exact_cosines(self.vectors(rows), query)
        keys = self.rows.keys[rows]
        order = np.lexsort((keys["chunk"], -found))[:limit]
        return [
            VectorHit(chunk_id_of(chunk), cosine, self.rows.langs[lang])
            for chunk, cosine, lang in zip(
                keys["chunk"][order], found[order].tolist(), keys["lang"][order].tolist(), strict=True
            )
        ]

    def vectors(self, rows: NDArray[np.intp]) -> NDArray[np.floating]:
        """Return the vectors of rows, exact but for half precision; shape (k, d)."""
        vectors = self.rows.vectors
        if not isinstance(vectors, RoundedVectors):
            return vectors[rows]
        return vectors.vectors(rows) if self._read_exact is None else self._read_exact(rows)

    def filter_rows(self, documents: DocumentSet | None, lang: str | None) -> NDArray[np.intp] | None:
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
        found = iter(exact_cosines(self.vectors(rows[rows >= 0]), query).tolist())
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
        vectors = self.rows.vectors
        if isinstance(vectors, RoundedVectors):
            return vectors.errors.astype(np.float32) + np.float32(_MARGIN)
        return np.full(len(vectors), _MARGIN, np.float32)

    @cached_property
    def _chunks(self) -> NDArray[np.bytes_]:
        return np.ascontiguousarray(self.rows.keys["chunk"])

    @cached_property
    def _lang_numbers(self) -> NDArray[np.uint16]:
        return np.ascontiguousarray(self.rows.keys["lang"])

    @cached_property
    def _document_order(self) -> NDArray[np.intp]:
        return np.argsort(self.rows.documents)

    def _of_documents(self, documents: DocumentSet) -> NDArray[np.bool_]:
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
                vectors=_select(self.rows.vectors, chosen),
                keys=self.rows.keys[chosen],
                dead=self.rows.dead[:0],
            )
            self._samples[size] = Snapshot(few)
        return self._samples[size]

    def _cosines(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosines with all rows; those of the latest queries are kept."""
        latest = self._latest
        found = latest.get(query.tobytes())
        if found is None:
            found = _require_cosines(_cosines_of(self._query_vectors(), query))
            kept = list(latest.items())[1 - _KEPT_QUERIES :]
            self._latest = dict([*kept, (query.tobytes(), found)])
        return found

    def _query_vectors(self) -> NDArray[np.floating] | RoundedVectors:
        self._queries += 1
        vectors = self.rows.vectors
        if self._queries > _COLD_QUERIES:
            rows, dimensions = vectors.shape
            if isinstance(vectors, RoundedVectors):
                if not vectors.is_in_memory and rows * dimensions <= _MAX_COPY_BYTES:
                    self.rows = self.rows._replace(vectors=vectors.in_memory())
            elif vectors.dtype != np.float32 and 4 * rows * dimensions <= _MAX_COPY_BYTES:
                self.rows = self.rows._replace(vectors=vectors.astype(np.float32))
        return self.rows.vectors


def _select(
    vectors: NDArray[np.floating] | RoundedVectors, rows: NDArray[np.intp]
) -> NDArray[np.floating] | RoundedVectors:
    return vectors.select(rows) if isinstance(vectors, RoundedVectors) else vectors[rows]


def _cosines_of(
    vectors: NDArray[np.floating] | RoundedVectors, query: NDArray[np.float32]
) -> NDArray[np.float32]:
    return vectors.cosines(query) if isinstance(vectors, RoundedVectors) else cosines(vectors, query)


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
