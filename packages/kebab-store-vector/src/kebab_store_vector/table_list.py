"""What each index says of itself; without LanceDB where its matrix is current."""

from __future__ import annotations

from kebab_core import VectorTable

from kebab_store_vector.lance_errors import disk_errors
from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import read_manifest
from kebab_store_vector.matrix_standing import equals_table
from kebab_store_vector.places import IndexPlace
from kebab_store_vector.table_versions import newest_stamp


def table_at(place: IndexPlace) -> VectorTable | None:
    """Return one index; None if there is nothing but an empty folder.

    Raises:
        StorageError: It cannot be read.
    """
    with disk_errors(place.index_id, "read"):
        manifest = read_manifest(place.matrix)
        if manifest is not None and equals_table(place, manifest):
            return VectorTable(index_id=place.index_id, identity=manifest.identity, rows=manifest.living)
        if newest_stamp(place.table) is None:
            return None
        table = LanceTable.open(place)
        return VectorTable(index_id=place.index_id, identity=table.identity, rows=table.count())
