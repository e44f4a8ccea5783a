"""Writes to one index, in steps that each leave what readers and the next writer can go on from.

A write announces itself in the manifest of the matrix, commits to the table, flushes what that wrote, and then brings
the matrix and its manifest to the new version. Killed anywhere, it leaves a matrix that equals the table or is known
not to; then the next write makes the matrix anew from the table before it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from kebab_core import (
    ChunkId,
    EmbeddingIdentity,
    IndexModelMismatchError,
    VectorKey,
    VectorMatrix,
)

from kebab_store_vector.approximate import keep_index
from kebab_store_vector.flushed_files import files_of, flush_new_files
from kebab_store_vector.lance_errors import REMAKE_HINT
from kebab_store_vector.lance_table import LanceTable, deletions
from kebab_store_vector.manifest import Intent, read_manifest
from kebab_store_vector.matrix_files import is_whole
from kebab_store_vector.matrix_writer import MatrixWriter, open_writer, write_matrix
from kebab_store_vector.places import IndexPlace, make_folder, remove_files, require_stamp
from kebab_store_vector.table_rows import gathered_rows, rows_of_table
from kebab_store_vector.table_versions import TableStamp, newest_stamp
from kebab_store_vector.unit_rows import halved, unit_rows

_FOLDED_COMMITS = 1000
"""After so many the table is compacted: each adds a piece, and a manifest that lists all pieces."""
_Result = TypeVar("_Result")


class IndexWriter:
    """The one writer of an index.

    Args:
        place: Of the index.
        exact_rows: Up to how many vectors no approximate index is built.
    """

    def __init__(self, place: IndexPlace, *, exact_rows: int) -> None:
        self._place = place
        self._exact_rows = exact_rows
        self._commits = 0
        self._open: tuple[LanceTable, MatrixWriter] | None = None

    def ensure(self, identity: EmbeddingIdentity) -> None:
        """Make sure the table exists, with a matrix that equals it.

        Raises:
            IndexModelMismatchError: It exists for another model.
        """
        stamp = newest_stamp(self._place.table)
        if stamp is None:
            self._create(identity)
            return
        manifest = read_manifest(self._place.matrix)
        if manifest is None or manifest.stamp != stamp:
            held = LanceTable.open(self._place).identity
        else:
            held = manifest.identity
        if held != identity:
            raise IndexModelMismatchError(
                f"the vector index was built by {held.model_id} {held.model_version}",
                hint=REMAKE_HINT,
                index_id=self._place.index_id,
            )

    def upsert(self, keys: Sequence[VectorKey], vectors: VectorMatrix) -> None:
        """Store rows; of two with one chunk the later.

        What the table gets is rounded to half precision, so that reads from it and from the matrix say the same.
        """
        table, matrix = self._settled()
        if not keys:
            return
        rows = unit_rows(vectors, rows=len(keys), dimensions=matrix.manifest.identity.dimensions)
        last = sorted({key.chunk_id: place for place, key in enumerate(keys)}.values())
        kept, rounded = [keys[place] for place in last], halved(rows[last])
        store = table.merge if matrix.held(key.chunk_id for key in kept) else table.add
        stamp = self._commit(partial(store, kept, rounded.astype(np.float32)))
        matrix.append(kept, rounded, stamp)
        if self._commits >= _FOLDED_COMMITS:
            self._reshape(matrix, table.compact)

    def delete(self, chunk_ids: Sequence[ChunkId]) -> None:
        """Remove rows; unknown ids are fine."""
        if newest_stamp(self._place.table) is None:
            return
        table, matrix = self._settled()
        for group in deletions(matrix.held(chunk_ids)):
            stamp = self._commit(partial(table.delete, group))
            matrix.bury(group, stamp)

    def maintain(self) -> None:
        """Compact the table, keep its index, write the matrix anew where much was appended.

        Does nothing where nothing was written since the last time and the matrix is whole.
        """
        stamp = newest_stamp(self._place.table)
        if stamp is None:
            return
        manifest = read_manifest(self._place.matrix)
        if manifest is None or not is_whole(self._place.matrix, manifest):
            self._open = None
        elif manifest.maintained and manifest.stamp == stamp:
            return
        table, matrix = self._settled()
        self._reshape(matrix, table.compact)
        if matrix.is_loose():
            matrix = matrix.tighten()
            self._open = (table, matrix)
        index = self._reshape(
            matrix, partial(keep_index, table, matrix.manifest, self._place, exact_rows=self._exact_rows)
        )
        self._reshape(matrix, table.clean)
        matrix.settle(matrix.manifest.stamp, approximate=index, maintained=True)

    def _create(self, identity: EmbeddingIdentity) -> None:
        remove_files(self._place)
        make_folder(self._place)
        table = LanceTable.create(self._place, identity)
        flush_new_files(self._place.table, frozenset())
        rows = gathered_rows((), identity.dimensions)
        self._open = (table, write_matrix(self._place, identity, rows, require_stamp(self._place)))

    def _settled(self) -> tuple[LanceTable, MatrixWriter]:
        """Return the newest version of the table and a matrix that equals it.

        Returns:
            Both, kept open for the next write.
        """
        stamp = require_stamp(self._place)
        held = read_manifest(self._place.matrix)
        if self._open is None or held is None or held != self._open[1].manifest or held.stamp != stamp:
            table = LanceTable.open(self._place)
            matrix = open_writer(self._place, stamp)
            if matrix is None:
                matrix = write_matrix(self._place, table.identity, rows_of_table(self._place), stamp)
            self._open = (table, matrix)
        return self._open

    def _reshape(self, matrix: MatrixWriter, change: Callable[[], _Result]) -> _Result:
        """Change the table but none of its rows, and flush it.

        Returns:
            What the change returns.
        """
        before = files_of(self._place.table)
        matrix.announce(Intent.MAINTAIN)
        result = change()
        flush_new_files(self._place.table, before)
        matrix.settle(require_stamp(self._place), approximate=matrix.manifest.approximate)
        self._commits = 0
        return result

    def _commit(self, change: Callable[[], None]) -> TableStamp:
        """Announce a change of the table, make it and flush it.

        Returns:
            The version it made.
        """
        _, matrix = self._settled()
        before = files_of(self._place.table)
        matrix.announce(Intent.WRITE)
        change()
        flush_new_files(self._place.table, before)
        self._commits += 1
        return require_stamp(self._place)
