"""What there is of an index, for whoever looks after it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from kebab_core import DatabaseCorruptError, EmbeddingIdentity, IndexId

from kebab_store_vector.index_reader import equals_table
from kebab_store_vector.lance_errors import REMAKE_HINT, disk_errors
from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import ApproximateIndex, read_manifest
from kebab_store_vector.places import IndexPlace, require_stamp
from kebab_store_vector.table_versions import count_versions


class VectorReport(NamedTuple):
    """One index."""

    index_id: IndexId
    identity: EmbeddingIdentity
    rows: int
    unindexed_rows: int | None
    """That the approximate index does not have yet and every search looks at one by one; None without an index."""
    approximate: ApproximateIndex | None
    """None where there is none; one that finds too little is not used."""
    fragments: int
    """In how many pieces the table lies; maintenance folds them."""
    versions: int
    """States of the table that are kept, the newest included."""
    table_bytes: int
    matrix_bytes: int
    matrix_is_current: bool
    """If not, reads go to the table and take seconds; the next write mends it."""


def report_on(place: IndexPlace) -> VectorReport:
    """Return what there is of an index; opens its table and counts its rows.

    Raises:
        NotIndexedError: There is no such index.
        StorageError: It cannot be read.
        DatabaseCorruptError: Its matrix has not as many rows as its table.
    """
    require_stamp(place)
    table = LanceTable.open(place)
    manifest = read_manifest(place.matrix)
    is_current = manifest is not None and equals_table(place, manifest)
    rows = table.count()
    if manifest is not None and is_current and manifest.intent is None and manifest.living != rows:
        raise DatabaseCorruptError(
            f"the vector index has {rows} vectors and its matrix {manifest.living}",
            hint=REMAKE_HINT,
            index_id=place.index_id,
        )
    with disk_errors(place.index_id, "read"):
        return VectorReport(
            index_id=place.index_id,
            identity=table.identity,
            rows=rows,
            unindexed_rows=table.unindexed_rows(),
            approximate=manifest.approximate if manifest is not None and is_current else None,
            fragments=table.fragments(),
            versions=count_versions(place.table),
            table_bytes=_size(place.table),
            matrix_bytes=_size(place.matrix),
            matrix_is_current=is_current,
        )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("**/*") if path.is_file())
