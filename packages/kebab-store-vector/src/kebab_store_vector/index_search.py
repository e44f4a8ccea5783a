"""A search of one index: exact, or through the table's approximate index where there is one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from kebab_core import StorageError

from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import ApproximateIndex
from kebab_store_vector.places import IndexPlace
from kebab_store_vector.snapshot import Snapshot

if TYPE_CHECKING:
    from kebab_core import DocumentSet, VectorHit
    from numpy.typing import NDArray

_SPARE = 2
"""How many times the candidates are asked for that a filter is expected to leave."""


class ApproximateSearch:
    """Asks a table's own index, through a handle that is kept.

    Args:
        place: Of the index.
        exact_rows: A filter that leaves no more rows than this is searched exactly.
    """

    def __init__(self, place: IndexPlace, *, exact_rows: int) -> None:
        self._place = place
        self._exact_rows = exact_rows
        self._table: LanceTable | None = None

    def search(
        self,
        snapshot: Snapshot,
        index: ApproximateIndex,
        query: NDArray[np.float32],
        *,
        limit: int,
        documents: DocumentSet | None,
        lang: str | None,
    ) -> list[VectorHit]:
        """Return the nearest of the chosen rows that the index finds, best first, with their exact cosines.

        Exact where few rows are chosen, where the index finds too few of them, and where it cannot be read.
        """
        rows = snapshot.chosen(documents, lang)
        chosen = len(snapshot.rows.keys) if rows is None else len(rows)
        if chosen > max(self._exact_rows, limit):
            asked = limit if rows is None else math.ceil(_SPARE * limit * len(snapshot.rows.keys) / chosen)
            found = self._found(snapshot, index, query, limit=asked)
            if rows is not None:
                found = np.intersect1d(found, rows)
            if len(found) >= limit:
                return snapshot.ranked(query, found, limit=limit)
        return snapshot.search(query, limit=limit, documents=documents, lang=lang)

    def _found(
        self, snapshot: Snapshot, index: ApproximateIndex, query: NDArray[np.float32], *, limit: int
    ) -> NDArray[np.intp]:
        try:
            chunks = self._nearest(index, query, limit)
        except StorageError:
            # files of the version it had may be gone; a new handle sees the newest
            self._table = None
            try:
                chunks = self._nearest(index, query, limit)
            except StorageError:
                return np.empty(0, np.intp)
        rows = snapshot.rows_of(chunks)
        return rows[rows >= 0]

    def _nearest(self, index: ApproximateIndex, query: NDArray[np.float32], limit: int) -> list[str]:
        if self._table is None:
            self._table = LanceTable.open(self._place)
        else:
            self._table.refresh()
        return self._table.nearest(query, limit=limit, probes=index.probes, refine=index.refine)
