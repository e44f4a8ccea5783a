"""Writes to one index, in steps that each leave a state for readers and the next writer.

A write records its intent in the manifest of the matrix, commits to the table, flushes the new files, and then brings
the matrix and its manifest to the new version. Killed anywhere, it leaves a matrix that equals the table or is known
not to; then the next write first makes a new matrix from the table.
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

from kebab_store_vector.approximate_index import maintain_index
from kebab_store_vector.errors import REMAKE
from kebab_store_vector.half_vectors import halved, unit_rows
from kebab_store_vector.index_files import (
    IndexPlace,
    TableStamp,
    files_of,
    flush_new_files,
    make_folder,
    newest_stamp,
    remove_files,
    require_stamp,
)
from kebab_store_vector.lance_table import LanceTable, deletions
from kebab_store_vector.manifest import Intent, read_manifest
from kebab_store_vector.matrix_files import find_rows, rows_of_batches, rows_of_table
from kebab_store_vector.matrix_writer import MatrixWriter, open_writer, write_matrix

_COMMITS_PER_COMPACTION = 1000
"""Each commit adds a fragment, and a manifest that lists all fragments."""
_Result = TypeVar("_Result")


class IndexWriter:
    """The only writer of an index.

    Args:
        place: Of the index.
        exact_rows: Maximum number of vectors of an index without an approximate index.
    """

    def __init__(self, place: IndexPlace, *, exact_rows: int) -> None:
        self._place = place
        self._exact_rows = exact_rows
        self._commits = 0
        self._open: tuple[LanceTable, MatrixWriter] | None = None

    def ensure(self, identity: EmbeddingIdentity) -> None:
        """Create the table and its matrix unless the table exists.

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
                "the vector index was built by {model_id} {model_version}",
                remedy=REMAKE,
                index_id=self._place.index_id,
                _model_id=held.model_id,
                _model_version=held.model_version,
            )

    def upsert(self, keys: Sequence[VectorKey], vectors: VectorMatrix) -> None:
        """Store rows, the later of two with one chunk id.

        The table gets values rounded to half precision, so that it and the matrix have equal cosines.
        """
        table, matrix = self._open_current()
        if not keys:
            return
        rows = unit_rows(vectors, rows=len(keys), dimensions=matrix.manifest.identity.dimensions)
        last = sorted({key.chunk_id: place for place, key in enumerate(keys)}.values())
        kept, rounded = [keys[place] for place in last], halved(rows[last])
        store = table.merge if matrix.find_stored(key.chunk_id for key in kept) else table.add
        stamp = self._commit(partial(store, kept, rounded.astype(np.float32)))
        matrix.append(kept, rounded, stamp)
        if self._commits >= _COMMITS_PER_COMPACTION:
            self._change_layout(matrix, table.compact)

    def delete(self, chunk_ids: Sequence[ChunkId]) -> None:
        """Remove rows; unknown ids are ignored."""
        if newest_stamp(self._place.table) is None:
            return
        table, matrix = self._open_current()
        for group in deletions(matrix.find_stored(chunk_ids)):
            stamp = self._commit(partial(table.delete, group))
            matrix.remove(group, stamp)

    def maintain(self) -> None:
        """Compact the table, maintain its index, and rewrite a matrix with many appended rows.

        Does nothing if nothing was written since the last time and the matrix is complete.
        """
        stamp = newest_stamp(self._place.table)
        if stamp is None:
            return
        manifest = read_manifest(self._place.matrix)
        if manifest is None or find_rows(self._place.matrix, manifest) is None:
            self._open = None
        elif manifest.maintained and manifest.stamp == stamp:
            return
        table, matrix = self._open_current()
        self._change_layout(matrix, table.compact)
        if matrix.needs_rewrite():
            matrix = matrix.rewrite()
            self._open = (table, matrix)
        index = self._change_layout(
            matrix, partial(maintain_index, table, matrix.manifest, self._place, exact_rows=self._exact_rows)
        )
        self._change_layout(matrix, table.clean)
        matrix.update_stamp(matrix.manifest.stamp, approximate=index, maintained=True)

    def _create(self, identity: EmbeddingIdentity) -> None:
        remove_files(self._place)
        make_folder(self._place)
        table = LanceTable.create(self._place, identity)
        flush_new_files(self._place.table, frozenset())
        rows = rows_of_batches((), identity.dimensions)
        self._open = (table, write_matrix(self._place, identity, rows, require_stamp(self._place)))

    def _open_current(self) -> tuple[LanceTable, MatrixWriter]:
        """Open the newest version of the table and a matrix that equals it; both stay open for the next write."""
        stamp = require_stamp(self._place)
        held = read_manifest(self._place.matrix)
        if self._open is None or held is None or held != self._open[1].manifest or held.stamp != stamp:
            table = LanceTable.open(self._place)
            matrix = open_writer(self._place, stamp)
            if matrix is None:
                matrix = write_matrix(self._place, table.identity, rows_of_table(self._place), stamp)
            self._open = (table, matrix)
        return self._open

    def _change_layout(self, matrix: MatrixWriter, change: Callable[[], _Result]) -> _Result:
        """Change the files of the table but none of its rows, and flush them.

        Returns:
            The result of the change.
        """
        before = files_of(self._place.table)
        matrix.write_intent(Intent.MAINTAIN)
        result = change()
        flush_new_files(self._place.table, before)
        matrix.update_stamp(require_stamp(self._place), approximate=matrix.manifest.approximate)
        self._commits = 0
        return result

    def _commit(self, change: Callable[[], None]) -> TableStamp:
        """Record the intent, change rows of the table and flush its files.

        Returns:
            The new version of the table.
        """
        _, matrix = self._open_current()
        before = files_of(self._place.table)
        matrix.write_intent(Intent.WRITE)
        change()
        flush_new_files(self._place.table, before)
        self._commits += 1
        return require_stamp(self._place)
