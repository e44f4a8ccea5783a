"""The table's approximate index: when there is one, how it is asked, and what it finds of what is nearest.

Measured on 100,000 vectors with the structure of real ones (2026-11-21): below that an exact search is as quick. Few
probes lose recall with every kind of index, so their number is what a check of recall chooses, not a formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import ApproximateIndex, MatrixManifest
from kebab_store_vector.matrix_files import open_rows
from kebab_store_vector.places import IndexPlace
from kebab_store_vector.snapshot import Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_RECALL = 0.95
"""An index that finds less of the nearest is not used."""
_KIND = "IVF_RQ"
_ROWS_OF_PARTITION = 8192
_LEAST_PARTITIONS = 8
_ALL_PROBED = 16
_REFINE = 10
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
        None if reads are to be exact: there are few vectors, or no setting finds enough of the nearest.
    """
    if manifest.living <= exact_rows:
        return None
    held = manifest.approximate
    snapshot = Snapshot(open_rows(place.matrix, manifest))
    queries = _stored_vectors(snapshot)
    nearest = _exactly_nearest(snapshot, queries)
    if held is not None and manifest.living < _GROWTH * held.rows:
        recall = _recall(table, queries, nearest, probes=held.probes)
        if recall >= LEAST_RECALL:
            return held.model_copy(update={"recall": recall})
    partitions = partitions_for(manifest.living)
    table.build_index(partitions)
    for probes in probes_to_try(partitions):
        recall = _recall(table, queries, nearest, probes=probes)
        if recall >= LEAST_RECALL:
            return ApproximateIndex(
                kind=_KIND,
                rows=manifest.living,
                partitions=partitions,
                probes=probes,
                refine=_REFINE,
                recall=recall,
            )
    return None


def partitions_for(rows: int) -> int:
    """Return into how many partitions so many vectors are divided."""
    return max(_LEAST_PARTITIONS, rows // _ROWS_OF_PARTITION)


def probes_to_try(partitions: int) -> list[int]:
    """Return numbers of partitions to look into, rising to all of them."""
    if partitions <= _ALL_PROBED:
        return [partitions]
    return [*range(_ALL_PROBED // 2, partitions, max(4, partitions // 8)), partitions]


def _stored_vectors(snapshot: Snapshot) -> NDArray[np.float32]:
    """Return vectors of the index, far from each other in the order of the rows."""
    rows = snapshot.living_rows()
    chosen = rows[np.linspace(0, len(rows) - 1, min(_QUERIES, len(rows))).astype(np.intp)]
    return snapshot.rows.vectors[chosen].astype(np.float32)


def _exactly_nearest(snapshot: Snapshot, queries: NDArray[np.float32]) -> list[set[str]]:
    """Return the chunks nearest to each query; the query's own vector is one of them."""
    rows = snapshot.living_rows()
    best = np.full((len(queries), _NEAREST + 1), -2.0, np.float32)
    places = np.full(best.shape, -1, np.intp)
    for block in _blocks(rows):
        found = np.concatenate([best, queries @ snapshot.rows.vectors[block].astype(np.float32).T], axis=1)
        where = np.concatenate([places, np.broadcast_to(block, (len(queries), len(block)))], axis=1)
        top = np.argpartition(found, -best.shape[1], axis=1)[:, -best.shape[1] :]
        best, places = np.take_along_axis(found, top, axis=1), np.take_along_axis(where, top, axis=1)
    return [set(snapshot.chunks_of(own)) for own in places]


def _recall(
    table: LanceTable, queries: NDArray[np.float32], nearest: Sequence[set[str]], *, probes: int
) -> float:
    found = [
        set(table.nearest(query, limit=_NEAREST + 1, probes=probes, refine=_REFINE)) for query in queries
    ]
    # a query's own vector is always found and proves nothing
    shares = [(len(own & exact) - 1) / _NEAREST for own, exact in zip(found, nearest, strict=True)]
    return max(0.0, float(np.mean(shares)))


def _blocks(rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    for start in range(0, len(rows), _BLOCK):
        yield rows[start : start + _BLOCK]
