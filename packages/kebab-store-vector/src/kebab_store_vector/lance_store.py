"""The vector store for large bases: candidates from an index of LanceDB, compared exactly with the rows of the matrix."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import DatabaseCorruptError, StorageError

from kebab_store_vector.errors import disk_errors
from kebab_store_vector.store import MatrixVectorStore, unit_query

if TYPE_CHECKING:
    import numpy as np
    from kebab_core import (
        EmbeddingIdentity,
        EmbeddingRepo,
        LanguageDistribution,
        Selection,
        VectorHit,
        VectorMatrix,
    )
    from numpy.typing import NDArray

    from kebab_store_vector.approximate_index import ApproximateIndex
    from kebab_store_vector.lance_table import LanceTable
    from kebab_store_vector.matrix import Matrix
    from kebab_store_vector.snapshot import Snapshot

_LOG = logging.getLogger("kebab.vectors")
EXACT_ROWS = 200_000
"""Maximum number of vectors that are searched exactly.

A search asks for distributions and for the nearest 40 in each script: CPU ms of both for exact search and for an index whose
recall is .99 or more, at 121,000, 197,000 and 304,000 vectors: 19 and 67, 28 and 37, 40 and 71 (2026-11-23).
"""
_SAMPLE = 20_000
"""Vectors of a language that its distribution is measured by where searches are approximate."""
_SPARE = 2
"""Factor on the number of candidates that a filter is expected to leave."""
_ROWS_PER_COMMIT = 8192
_MAX_BEHIND = 1000
"""Changed rows that a table need not know, so that one new file does not change it; new ones are compared one by one."""


class LanceVectorStore(MatrixVectorStore):
    """Implements `VectorStore`: above `exact_rows` the nearest are looked for by an index of LanceDB.

    The index only proposes passages, whose cosines are computed as in an exact search; rows that are not in it yet are
    compared one by one. Where it is missing, of another matrix, damaged, or LanceDB cannot be loaded, searches are exact.

    Args:
        folder: Of matrices and tables; the first write creates it with mode 0700.
        source: The vectors.
        readonly: Refuse every write.
        exact_rows: Maximum number of vectors that are searched exactly.
    """

    def __init__(
        self, folder: Path, source: EmbeddingRepo, *, readonly: bool = False, exact_rows: int = EXACT_ROWS
    ) -> None:
        super().__init__(folder, source, readonly=readonly)
        self._exact_rows = exact_rows
        self._tables: dict[EmbeddingIdentity, LanceTable] = {}
        self._unreadable: set[str] = set()
        self._is_broken = False

    def update(self, identity: EmbeddingIdentity, *, complete: bool = True) -> None:
        """Bring the matrix, and above `exact_rows` the table and its index, up to date. See `VectorStore`."""
        from kebab_store_vector.matrix import remove_path

        super().update(identity, complete=complete)
        matrix = self._open_matrix(identity, None)
        if not complete or matrix is None:
            return
        if len(matrix.rows.keys) - len(matrix.rows.dead) <= self._exact_rows:
            self._drop_table(identity)
            return
        held = self.find_index(identity) if self._path(identity, "lance").is_dir() else None
        size = None if held is None else matrix.sizes.get(held.content_version)
        if size and len(matrix.rows.keys) - size[0] + len(matrix.rows.dead) - size[1] <= _MAX_BEHIND:
            return
        try:
            try:
                index = self._build(identity, matrix, held)
            except StorageError as error:
                _LOG.warning("the approximate index is made anew: %s", error.message)
                self._drop_table(identity)
                index = self._build(identity, matrix, None)
        except ImportError as error:
            self._report(error)
            return
        with disk_errors(identity, "write"):
            path = self._path(identity, "json")
            draft = path.with_name(f".{path.name}.{os.getpid()}")
            draft.write_bytes(index.model_dump_json().encode())
            if path.is_dir():
                remove_path(path)
            draft.replace(path)

    def search(
        self,
        identity: EmbeddingIdentity,
        query: VectorMatrix,
        *,
        limit: int,
        documents: Selection | None = None,
        lang: str | None = None,
    ) -> list[VectorHit]:
        """Return the nearest chunks of `documents` in `lang`, best first, ties by chunk id. See `VectorStore`."""
        in_use = None if self._is_broken or limit < 1 else self._index_in_use(identity)
        if in_use is None:
            return super().search(identity, query, limit=limit, documents=documents, lang=lang)
        vector, (index, known) = unit_query(identity, query), in_use

        import numpy as np

        def find(snapshot: Snapshot) -> list[VectorHit]:
            rows = snapshot.filter_rows(documents, lang)
            count = len(snapshot.rows.keys) if rows is None else len(rows)
            if count > max(self._exact_rows, limit):
                wanted = math.ceil(_SPARE * limit * len(snapshot.rows.keys) / count) if count else limit
                found = self._propose(identity, snapshot, index, vector, limit=wanted)
                behind = np.arange(known, len(snapshot.rows.keys))
                found = np.union1d(found, snapshot.candidates(vector, behind, limit=limit))
                if rows is not None:
                    found = np.intersect1d(found, rows)
                if len(found) >= limit:
                    return snapshot.rank(vector, found, limit=limit)
            return snapshot.search(vector, limit=limit, documents=documents, lang=lang)

        return self._ask(identity, find)

    def cosine_distributions(
        self, identity: EmbeddingIdentity, query: VectorMatrix
    ) -> list[LanguageDistribution]:
        """Return the distribution of the query's cosines for each language, most vectors first, ties by language.

        Where searches are approximate, it is that of 20,000 vectors of each.
        """
        if self._is_broken or self._index_in_use(identity) is None:
            return super().cosine_distributions(identity, query)
        vector = unit_query(identity, query)
        return self._ask(identity, lambda snapshot: snapshot.cosine_distributions(vector, sample=_SAMPLE))

    def find_index(self, identity: EmbeddingIdentity) -> ApproximateIndex | None:
        """Return the settings of a model's index, None where there is none."""
        from kebab_store_vector.approximate_index import ApproximateIndex

        try:
            return ApproximateIndex.model_validate_json(self._path(identity, "json").read_bytes())
        except (OSError, ValueError):
            return None

    def _index_in_use(self, identity: EmbeddingIdentity) -> tuple[ApproximateIndex, int] | None:
        """Return the settings of an index that is good enough, and the number of rows at the start that it knows."""
        index = self.find_index(identity)
        if index is None or not index.is_used or index.content_version in self._unreadable:
            return None
        with disk_errors(identity, "read"), self._source.one_state():
            matrix = self._snapshot(identity).matrix
        size = None if matrix is None else matrix.sizes.get(index.content_version)
        return None if size is None else (index, size[0])

    def _propose(
        self,
        identity: EmbeddingIdentity,
        snapshot: Snapshot,
        index: ApproximateIndex,
        query: NDArray[np.float32],
        *,
        limit: int,
    ) -> NDArray[np.intp]:
        """Return the rows that the index finds."""
        import numpy as np

        from kebab_store_vector.lance_table import LanceTable

        none, failure = np.empty(0, np.intp), None
        for _ in range(2):
            try:
                table = self._tables.get(identity)
                if table is None:
                    table = self._tables[identity] = LanceTable.open(self._folder, identity)
                else:
                    table.refresh()
                chunk_ids = table.nearest(query, limit=limit, probes=index.probes, refine=index.refine)
                found = snapshot.rows_of(chunk_ids)
                return found[found >= 0]
            except (
                StorageError
            ) as error:  # files of its version may have been deleted; a new handle sees the newest
                self._tables.pop(identity, None)
                failure = error
            except ImportError as error:
                self._report(error)
                return none
        if isinstance(failure, DatabaseCorruptError):
            self._unreadable.add(index.content_version)
            if not self._readonly:
                # without its settings, the table is made anew by the next update
                with suppress(OSError):
                    self._path(identity, "json").unlink(missing_ok=True)
        return none

    def _build(
        self, identity: EmbeddingIdentity, matrix: Matrix, held: ApproximateIndex | None
    ) -> ApproximateIndex:
        """Give the table the rows of the matrix, and choose the settings of its index."""
        import numpy as np

        from kebab_store_vector.approximate_index import choose_index
        from kebab_store_vector.lance_table import LanceTable
        from kebab_store_vector.rows import split_ids

        def hex_of(column: str) -> list[str]:
            return [key.hex() for key in split_ids(np.ascontiguousarray(matrix.rows.keys[column]))]

        is_there = self._path(identity, "lance").is_dir()
        make: Callable[[Path, EmbeddingIdentity], LanceTable] = (
            LanceTable.open if is_there else LanceTable.create
        )
        table = make(self._folder, identity)
        snapshot = self._snapshot_of(identity, matrix.rows)
        keys = list(zip(hex_of("chunk"), hex_of("text"), strict=True))
        stored, wanted = set(table.keys()), set(keys)
        table.delete(sorted(chunk_id for chunk_id, _ in stored - wanted))
        missing = [row for row, key in enumerate(keys) if key not in stored]
        for start in range(0, len(missing), _ROWS_PER_COMMIT):
            some = missing[start : start + _ROWS_PER_COMMIT]
            vectors = snapshot.read_vectors(np.array(some, np.intp)).astype(np.float32)
            table.add([keys[row] for row in some], vectors)
        table.compact(is_new=not is_there)
        self._tables.pop(identity, None)
        self._unreadable.discard(matrix.content_version)
        return choose_index(table, snapshot, held, content_version=matrix.content_version)

    def _drop_table(self, identity: EmbeddingIdentity) -> None:
        from kebab_store_vector.matrix import remove_path

        self._tables.pop(identity, None)
        with disk_errors(identity, "remove"):
            remove_path(self._path(identity, "json"))
            remove_path(self._path(identity, "lance"))

    def _report(self, error: ImportError) -> None:
        """Warn once that LanceDB cannot be loaded; every search of this process is then exact."""
        if not self._is_broken:
            self._is_broken = True
            _LOG.warning("LanceDB cannot be loaded, searches compare every vector: %s", error)
