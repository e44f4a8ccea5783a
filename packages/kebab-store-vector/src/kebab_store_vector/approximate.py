"""The table's approximate index: when there is one, how it is asked, and what it finds of what is nearest.

Measured on 100,000 vectors with the structure of real ones (2026-11-21): below that an exact search is as quick. Few
probes lose recall with every kind of index, so their number is what a check of recall chooses, not a formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import ApproximateIndex, MatrixManifest
from kebab_store_vector.matrix_files import open_rows
from kebab_store_vector.places import IndexPlace
from kebab_store_vector.snapshot import Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KIND = "IVF_RQ"
_ROWS_OF_PARTITION = 8192
_LEAST_PARTITIONS = 8
_ALL_PROBED = 16
_REFINES = (10, 40)
"""How many times the vectors asked for are compared exactly."""
_QUERIES = 100
_NEAREST = 10
_GROWTH = 2
_BLOCK = 4096


def keep_index(
    table: LanceTable, manifest: MatrixManifest, place: IndexPlace, *, exact_rows: int
) -> ApproximateIndex | None:
    """Build the index of a table where it has come to need one, check it, and return how to ask it.

    Args:
        table: Compacted.
        manifest: Of a matrix that equals the table.
        place: Of the index.
        exact_rows: Up to how many vectors there is no index.

    Returns:
        None if there are few vectors. One that finds too little with every setting is told and not used, and is not
        built again before there are twice as many vectors.
    """
    if manifest.living <= exact_rows:
        return None
    held, grown = manifest.approximate, manifest.living
    if held is not None and grown < _GROWTH * held.rows and not held.is_used:
        return held
    check = _RecallCheck(table, Snapshot(open_rows(place.matrix, manifest)))
    if held is not None and grown < _GROWTH * held.rows:
        checked = held.model_copy(update={"recall": check.recall(probes=held.probes, refine=held.refine)})
        if checked.is_used:
            return checked
    partitions = partitions_for(grown)
    table.build_index(partitions)
    for probes, refine in settings_to_try(partitions):
        built = ApproximateIndex(
            kind=_KIND,
            rows=grown,
            partitions=partitions,
            probes=probes,
            refine=refine,
            recall=check.recall(probes=probes, refine=refine),
        )
        if built.is_used:
            break
    return built


def partitions_for(rows: int) -> int:
    """Return into how many partitions so many vectors are divided."""
    return max(_LEAST_PARTITIONS, rows // _ROWS_OF_PARTITION)


def settings_to_try(partitions: int) -> list[tuple[int, int]]:
    """Return into how many partitions to look and how many candidates to compare, from quick to thorough."""
    few, many = _REFINES
    if partitions <= _ALL_PROBED:
        return [(partitions, few), (partitions, many)]
    rising = range(_ALL_PROBED // 2, partitions, max(4, partitions // 8))
    return [*((probes, few) for probes in rising), (partitions, few), (partitions, many)]


class _RecallCheck:
    """Asks an index for stored vectors, and compares with what an exact search finds."""

    def __init__(self, table: LanceTable, snapshot: Snapshot) -> None:
        self._table = table
        self._queries = stored_vectors(snapshot)
        self._nearest = exactly_nearest(snapshot, self._queries)

    def recall(self, *, probes: int, refine: int) -> float:
        """Return which share of the nearest it finds. A query's own vector is always found and proves nothing."""
        shares = [
            (len(exact.intersection(self._found(query, probes, refine))) - 1) / _NEAREST
            for query, exact in zip(self._queries, self._nearest, strict=True)
        ]
        return max(0.0, float(np.mean(shares)))

    def _found(self, query: NDArray[np.float32], probes: int, refine: int) -> list[str]:
        return self._table.nearest(query, limit=_NEAREST + 1, probes=probes, refine=refine)


def stored_vectors(snapshot: Snapshot) -> NDArray[np.float32]:
    """Return vectors of the index, far from each other in the order of the rows."""
    rows = snapshot.living_rows()
    chosen = rows[np.linspace(0, len(rows) - 1, min(_QUERIES, len(rows))).astype(np.intp)]
    return snapshot.rows.vectors[chosen].astype(np.float32)


def exactly_nearest(snapshot: Snapshot, queries: NDArray[np.float32]) -> list[set[str]]:
    """Return the chunks nearest to each query; the query's own vector is one of them."""
    rows = snapshot.living_rows()
    best = np.full((len(queries), _NEAREST + 1), -2.0, np.float32)
    places = np.full(best.shape, -1, np.intp)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        found = np.concatenate([best, queries @ snapshot.rows.vectors[block].astype(np.float32).T], axis=1)
        where = np.concatenate([places, np.broadcast_to(block, (len(queries), len(block)))], axis=1)
        top = np.argpartition(found, -best.shape[1], axis=1)[:, -best.shape[1] :]
        best, places = np.take_along_axis(found, top, axis=1), np.take_along_axis(where, top, axis=1)
    return [set(snapshot.chunks_of(own)) for own in places]
