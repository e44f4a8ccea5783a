"""Report on an index for `kebab doctor`: sizes, versions, and whether matrix and table agree."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from kebab_core import DatabaseCorruptError

from kebab_store_vector.errors import REMAKE
from kebab_store_vector.half_vectors import halved
from kebab_store_vector.index_files import IndexPlace, require_stamp
from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import ApproximateIndex, equals_table, read_manifest
from kebab_store_vector.matrix_files import MatrixRows, find_rows, packed_ids
from kebab_store_vector.snapshot import Snapshot


class VectorReport(NamedTuple):
    """State of one index."""

    rows: int
    unindexed_rows: int | None
    """Rows not yet in the approximate index, which every search compares one by one; None without an index."""
    approximate: ApproximateIndex | None
    """None without an index; one with too low a recall is not used."""
    fragments: int
    """Number of fragments of the table; maintenance merges them."""
    table_bytes: int
    matrix_bytes: int
    matrix_is_current: bool
    """If False, reads use the table and take seconds; the next write makes a new matrix."""


def build_report(place: IndexPlace) -> VectorReport:
    """Read all of a table, compare the matrix with it, and return the report.

    Raises:
        NotIndexedError: There is no such index.
        StorageError: It cannot be read.
        DatabaseCorruptError: It is damaged, or its matrix and its table differ.
    """
    require_stamp(place)
    table = LanceTable.open(place)
    manifest = read_manifest(place.matrix)
    is_used = manifest is not None and equals_table(place, manifest)
    rows = find_rows(place.matrix, manifest) if manifest is not None and is_used else None
    if rows is None or manifest is None or manifest.table_version != table.version:
        for _ in table.read():
            pass
    elif not matches_table(rows, table):
        raise DatabaseCorruptError(
            "the vector index and its matrix do not hold the same vectors",
            remedy=REMAKE,
            index_id=place.index_id,
        )
    return VectorReport(
        rows=table.count(),
        unindexed_rows=table.unindexed_rows(),
        approximate=manifest.approximate if manifest is not None and rows is not None else None,
        fragments=table.fragments(),
        table_bytes=_size(place.table),
        matrix_bytes=_size(place.matrix),
        matrix_is_current=rows is not None,
    )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("**/*") if path.is_file())


def matches_table(rows: MatrixRows, table: LanceTable) -> bool:
    """True if a matrix has the rows of a table, with the same documents, languages and vectors."""
    snapshot = Snapshot(rows)
    count = 0
    for batch in table.read():
        places = snapshot.rows_of(batch.chunk_ids)
        if (places < 0).any():
            return False
        keys = rows.keys[places]
        is_equal = (
            [rows.langs[number] for number in keys["lang"].tolist()] == batch.langs
            and bool((rows.documents[keys["document"]] == packed_ids(batch.doc_ids)).all())
            and np.array_equal(rows.vectors[places], halved(batch.vectors))
        )
        if not is_equal:
            return False
        count += len(places)
    return count == len(snapshot.live_rows())
