"""What there is of an index, for whoever looks after it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from kebab_core import DatabaseCorruptError, EmbeddingIdentity, IndexId

from kebab_store_vector.lance_errors import REMAKE_HINT, MatrixDamagedError, disk_errors
from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import ApproximateIndex, MatrixManifest, read_manifest
from kebab_store_vector.matrix_files import open_rows
from kebab_store_vector.matrix_rows import MatrixRows
from kebab_store_vector.matrix_standing import equals_table
from kebab_store_vector.places import IndexPlace, require_stamp
from kebab_store_vector.table_comparison import is_same
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
    """Return what there is of an index, after reading all of its table and comparing the matrix with it.

    Raises:
        NotIndexedError: There is no such index.
        StorageError: It cannot be read.
        DatabaseCorruptError: It is damaged, or its matrix says something else than its table.
    """
    require_stamp(place)
    table = LanceTable.open(place)
    manifest = read_manifest(place.matrix)
    mapped = _mapped_rows(place, manifest)
    if mapped is None or manifest is None or manifest.table_version != table.version:
        for _ in table.read():
            pass
    elif not is_same(mapped, table):
        raise DatabaseCorruptError(
            "the vector index and its matrix do not hold the same vectors",
            hint=REMAKE_HINT,
            index_id=place.index_id,
        )
    with disk_errors(place.index_id, "read"):
        return VectorReport(
            index_id=place.index_id,
            identity=table.identity,
            rows=table.count(),
            unindexed_rows=table.unindexed_rows(),
            approximate=manifest.approximate if manifest is not None and mapped is not None else None,
            fragments=table.fragments(),
            versions=count_versions(place.table),
            table_bytes=_size(place.table),
            matrix_bytes=_size(place.matrix),
            matrix_is_current=mapped is not None,
        )


def _mapped_rows(place: IndexPlace, manifest: MatrixManifest | None) -> MatrixRows | None:
    """Return the rows that reads are served from; None if the matrix is not what they are served from."""
    if manifest is None or not equals_table(place, manifest):
        return None
    try:
        return open_rows(place.matrix, manifest)
    except (FileNotFoundError, MatrixDamagedError):
        return None


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("**/*") if path.is_file())
