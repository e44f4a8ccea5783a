"""One state of an index, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from kebab_core import ChunkId, LanguageDistribution, VectorHit

from kebab_store_vector.cosines import blocks_of, cosines, exact_cosines
from kebab_store_vector.lance_errors import MatrixDamagedError
from kebab_store_vector.matrix_rows import MatrixRows, chunk_id_of, packed_ids, split_ids

if TYPE_CHECKING:
    from kebab_core import DocumentSet
    from numpy.typing import NDArray

    from kebab_store_vector.vector_file import VectorFile

_MARGIN = 1e-5
"""More than float32 products of unit vectors are off; who is nearer is decided in float64."""
_FEW = 4
"""A choice of less than one row in so many is gathered instead of computing all cosines."""
_COLD_QUERIES = 8
"""How many queries read half precision before a copy in float32 is worth its time: the copy takes that of as many."""
_KEPT_QUERIES = 4
"""One question is asked as several vectors, and each of several things."""
_MAX_COPY_BYTES = 256 * 1024 * 1024
_MOST = 1.01
"""What no cosine of two unit vectors exceeds, in half precision."""


class Snapshot:
    """Answers from all vectors of an index, exactly but for half precision (`halved`).

    Vectors of a file are read anew for each query. After some queries they are kept in memory unless they are very
    many, in single precision, which is faster to go through.

    Args:
        rows: All of them.
    """

    def __init__(self, rows: MatrixRows) -> None:
        self.rows = rows
        self._queries = 0
        self._samples: dict[int, Snapshot] = {}
        self._latest: dict[bytes, NDArray[np.float32]] = {}

    def search(
        self, query: NDArray[np.float32], *, limit: int, documents: DocumentSet | None, lang: str | None
    ) -> list[VectorHit]:
        """Return the nearest of the chosen rows, best first, ties by chunk id.

        Args:
            query: Shape (d,), of unit norm.
            limit: How many at most, at least 1.
            documents: None is all of them.
            lang: None is all of them.
        """
        rows = self.chosen(documents, lang)
        if rows is None:
            return self.ranked(query, _nearest(self._cosines(query), limit), limit=limit)
        if len(rows) * _FEW < len(self.rows.keys) and not self._is_latest(query):
            found = _sound(cosines(self.rows.vectors[rows], query))
        else:
            found = self._cosines(query)[rows]
        return self.ranked(query, rows[_nearest(found, limit)], limit=limit)

    def ranked(self, query: NDArray[np.float32], rows: NDArray[np.intp], *, limit: int) -> list[VectorHit]:
        """Return the nearest of some rows, best first, ties by chunk id."""
        found = exact_cosines(self.rows.vectors, rows, query)
        keys = self.rows.keys[rows]
        order = np.lexsort((keys["chunk"], -found))[:limit]
        return [
            VectorHit(chunk_id_of(chunk), cosine, self.rows.langs[lang])
            for chunk, cosine, lang in zip(
                keys["chunk"][order], found[order].tolist(), keys["lang"][order].tolist(), strict=True
            )
        ]

    def chosen(self, documents: DocumentSet | None, lang: str | None) -> NDArray[np.intp] | None:
        """Return the living rows that pass, in order; None if all rows do."""
        mask = self._living
        if documents is not None:
            mask = _both(mask, self._of_documents(documents)[self.rows.keys["document"]])
        if lang is not None:
            number = self.rows.langs.index(lang) if lang in self.rows.langs else len(self.rows.langs)
            mask = _both(mask, self._lang_numbers == number)
        return None if mask is None else np.flatnonzero(mask)

    def similarities(self, query: NDArray[np.float32], chunk_ids: Sequence[ChunkId]) -> list[float | None]:
        """Return the cosine with each chunk, in order; None where a chunk has no vector."""
        rows = self.rows_of(chunk_ids)
        held = np.flatnonzero(rows >= 0)
        found: list[float | None] = [None] * len(rows)
        for place, cosine in zip(
            held.tolist(), exact_cosines(self.rows.vectors, rows[held], query).tolist(), strict=True
        ):
            found[place] = cosine
        return found

    def cosine_distributions(
        self, query: NDArray[np.float32], *, sample: int | None = None
    ) -> list[LanguageDistribution]:
        """Return mean and deviation of the cosines by language, most vectors first, ties by language.

        Args:
            query: Shape (d,), of unit norm.
            sample: Look at no more than so many rows of a language, those of the lowest chunk ids; ids are hashes, so
                that those are like the rest.
        """
        if sample is not None:
            return self._sampled(sample).cosine_distributions(query)
        rows, found = self.chosen(None, None), self._cosines(query)
        if rows is None:
            return _spreads(found, self._lang_numbers, self.rows.langs)
        return _spreads(found[rows], self._lang_numbers[rows], self.rows.langs)

    def rows_of(self, chunk_ids: Sequence[str]) -> NDArray[np.intp]:
        """Return the living row of each chunk, -1 where there is none."""
        wanted = packed_ids(chunk_ids)
        first = self._chunks[: self.rows.ordered]
        places = np.searchsorted(first, wanted).astype(np.intp)
        inside = np.minimum(places, max(len(first) - 1, 0))
        held = first[inside] == wanted if len(first) else np.zeros(len(wanted), bool)
        rows = np.where(held, inside, -1)
        if self._living is not None and len(first):
            rows = np.where(held & self._living[inside], inside, -1)
        if len(self._later):
            later = [self._later.get(chunk, -1) for chunk in split_ids(wanted)]
            rows = np.where(np.array(later, np.intp) >= 0, later, rows)
        return rows

    def living_rows(self) -> NDArray[np.intp]:
        """Return the rows that count, in order."""
        rows = self.chosen(None, None)
        return np.arange(len(self.rows.keys)) if rows is None else rows

    def chunks_of(self, rows: NDArray[np.intp]) -> list[ChunkId]:
        """Return the chunks of some rows."""
        return [ChunkId(packed.hex()) for packed in split_ids(self._chunks[rows])]

    @cached_property
    def _living(self) -> NDArray[np.bool_] | None:
        if not len(self.rows.dead):
            return None
        living = np.ones(len(self.rows.keys), np.bool_)
        living[self.rows.dead] = False
        return living

    @cached_property
    def _chunks(self) -> NDArray[np.bytes_]:
        return np.ascontiguousarray(self.rows.keys["chunk"])

    @cached_property
    def _lang_numbers(self) -> NDArray[np.uint16]:
        return np.ascontiguousarray(self.rows.keys["lang"])

    @cached_property
    def _later(self) -> dict[bytes, int]:
        """The living rows behind those that are in order."""
        start = self.rows.ordered
        chunks = split_ids(self._chunks[start:])
        if self._living is None:
            return {chunk: start + place for place, chunk in enumerate(chunks)}
        living = self._living[start:].tolist()
        return {chunk: start + place for place, chunk in enumerate(chunks) if living[place]}

    @cached_property
    def _document_order(self) -> NDArray[np.intp]:
        return np.argsort(self.rows.documents)

    def _of_documents(self, documents: DocumentSet) -> NDArray[np.bool_]:
        """Return which numbers of documents are wanted."""
        wanted = np.zeros(len(self.rows.documents), np.bool_)
        if len(wanted) and documents:
            asked = packed_ids(documents)
            places = np.searchsorted(self.rows.documents, asked, sorter=self._document_order)
            numbers = self._document_order[np.minimum(places, len(wanted) - 1)]
            wanted[numbers[self.rows.documents[numbers] == asked]] = True
        return wanted

    def _sampled(self, size: int) -> Snapshot:
        """Return the first rows of each language, copied together."""
        if size not in self._samples:
            rows = self.living_rows()
            numbers = self._lang_numbers[rows]
            parts = [rows[numbers == number][:size] for number in range(len(self.rows.langs))]
            chosen = np.sort(np.concatenate([*parts, np.empty(0, np.intp)]))
            few = self.rows._replace(
                vectors=self.rows.vectors[chosen], keys=self.rows.keys[chosen], dead=self.rows.dead[:0]
            )
            self._samples[size] = Snapshot(few)
        return self._samples[size]

    def _is_latest(self, query: NDArray[np.float32]) -> bool:
        return query.tobytes() in self._latest

    def _cosines(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosines with all rows; kept until some other queries have come."""
        latest = self._latest
        found = latest.get(query.tobytes())
        if found is None:
            found = _sound(cosines(self._widest(), query))
            kept = list(latest.items())[1 - _KEPT_QUERIES :]
            self._latest = dict([*kept, (query.tobytes(), found)])
        return found

    def _widest(self) -> NDArray[np.floating] | VectorFile:
        self._queries += 1
        vectors = self.rows.vectors
        size = vectors.size * np.dtype(np.float32).itemsize
        if vectors.dtype != np.float32 and self._queries > _COLD_QUERIES and size <= _MAX_COPY_BYTES:
            wide = np.empty(vectors.shape, np.float32)
            for start, block in blocks_of(vectors):
                wide[start : start + len(block)] = block
            self.rows = self.rows._replace(vectors=wide)
        return self.rows.vectors


def _sound(found: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return cosines that can be ones.

    Raises:
        MatrixDamagedError: Some cannot: a vector is none.
    """
    if len(found) and not np.abs(found).max() <= _MOST:
        raise MatrixDamagedError("it holds what no vector is")
    return found


def _nearest(found: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Return the places of the highest, at least `limit` of them, with all that may tie with the last."""
    if limit >= len(found):
        return np.arange(len(found))
    last = np.partition(found, len(found) - limit)[len(found) - limit]
    return np.flatnonzero(found >= last - _MARGIN)


def _both(left: NDArray[np.bool_] | None, right: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return right if left is None else left & right


def _spreads(
    found: NDArray[np.float32], numbers: NDArray[np.uint16], langs: tuple[str, ...]
) -> list[LanguageDistribution]:
    wide = found.astype(np.float64)
    counts = np.bincount(numbers, minlength=len(langs))
    sums = np.bincount(numbers, wide, minlength=len(langs))
    means = sums / np.maximum(counts, 1)
    squares = np.bincount(numbers, (wide - means[numbers]) ** 2, minlength=len(langs))
    deviations = np.sqrt(squares / np.maximum(counts, 1))
    spreads = [
        LanguageDistribution(lang, *numbers_of)
        for lang, *numbers_of in zip(langs, counts.tolist(), means.tolist(), deviations.tolist(), strict=True)
        if numbers_of[0]
    ]
    return sorted(spreads, key=lambda spread: (-spread.vectors, spread.lang))
