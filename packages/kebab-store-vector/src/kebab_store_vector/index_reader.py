"""Reads of one index: from its matrix, or from its table where the matrix is behind."""

from __future__ import annotations

from kebab_core import StorageError

from kebab_store_vector.lance_errors import REMAKE_HINT, MatrixDamagedError, disk_errors
from kebab_store_vector.manifest import MatrixManifest, read_manifest
from kebab_store_vector.matrix_files import open_rows
from kebab_store_vector.matrix_standing import equals_table
from kebab_store_vector.places import IndexPlace, require_stamp
from kebab_store_vector.snapshot import Snapshot
from kebab_store_vector.table_rows import rows_of_table
from kebab_store_vector.table_versions import newest_stamp

_LOOKS = 8
"""How often a state that changes while it is looked at is looked at again."""


class IndexReader:
    """Gives the newest state of an index, kept until there is a newer one.

    Args:
        place: Of the index.
    """

    def __init__(self, place: IndexPlace) -> None:
        self._place = place
        self._held: tuple[object, Snapshot] | None = None
        self.manifest: MatrixManifest | None = None
        """Of the matrix that the latest snapshot is read from; None if it was read from the table."""

    def snapshot(self) -> Snapshot:
        """Return the index as it is now.

        Raises:
            NotIndexedError: There is no such index.
            StorageError: It cannot be read.
        """
        with disk_errors(self._place.index_id, "read"):
            return self._from_matrix() or self._from_table()

    def _from_matrix(self) -> Snapshot | None:
        seen: MatrixManifest | None = None
        for _ in range(_LOOKS):
            manifest = read_manifest(self._place.matrix)
            if manifest is None or not equals_table(self._place, manifest):
                if manifest == seen:
                    return None
                seen = manifest
                continue
            try:
                return self._opened(manifest)
            except FileNotFoundError:
                continue
            except MatrixDamagedError:
                return None
        return None

    def _opened(self, manifest: MatrixManifest) -> Snapshot:
        state = manifest.model_copy(update={"intent": None, "maintained": False})
        self.manifest = manifest
        if self._held is None or self._held[0] != state:
            self._held = (state, Snapshot(open_rows(self._place.matrix, manifest)))
        return self._held[1]

    def _from_table(self) -> Snapshot:
        self.manifest = None
        for _ in range(2):
            stamp = require_stamp(self._place)
            if self._held is not None and self._held[0] == stamp:
                return self._held[1]
            try:
                snapshot = Snapshot(rows_of_table(self._place))
            except StorageError:
                if newest_stamp(self._place.table) == stamp:
                    raise
                continue
            if newest_stamp(self._place.table) == stamp:
                self._held = (stamp, snapshot)
            return snapshot
        raise StorageError("the vector index changes while it is read", hint=REMAKE_HINT)
