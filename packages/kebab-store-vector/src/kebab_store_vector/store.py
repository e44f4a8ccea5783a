"""The vector store: `kebab_core.VectorStore` by exact search over a matrix that is made from the database."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kebab_core import InvalidInputError, ReadonlyModeError, vector_index_of

from kebab_store_vector.errors import MatrixDamagedError, disk_errors

if TYPE_CHECKING:
    # importing the Protocols imports most of kebab_core
    import numpy as np
    from kebab_core import (
        ChunkId,
        EmbeddingIdentity,
        EmbeddingRepo,
        LanguageDistribution,
        Selection,
        TextHash,
        VectorHit,
        VectorMatrix,
    )
    from numpy.typing import NDArray

    from kebab_store_vector.approximate_index import ApproximateIndex
    from kebab_store_vector.matrix import Matrix
    from kebab_store_vector.rows import MatrixRows
    from kebab_store_vector.snapshot import Snapshot

_Result = TypeVar("_Result")
_STALE_SHARE = 8
"""A matrix is written anew when more than one row in so many is appended or dead, and between batches only then."""
_SMALL_ROWS = 10_000
"""Rows of a matrix that is brought up to date after every batch: that takes a few milliseconds."""
_FILE = re.compile(r"\.?[0-9a-f]{32}\.(matrix|lance|json)(\.\d+)?")


class _Held(NamedTuple):
    """The snapshot of a state."""

    content_version: str
    matrix: Matrix | None
    snapshot: Snapshot


class MatrixVectorStore:
    """Implements `VectorStore`: searches are exact but for half precision, see `half_vectors.HALF`.

    The vectors of a model are read from its matrix, and those that are not in it yet from the source. Without a matrix
    all are read from the source: slower, and with the same results.

    Args:
        folder: Of the matrices; the first write creates it with mode 0700.
        source: The vectors.
        readonly: Refuse every write.
    """

    def __init__(self, folder: Path, source: EmbeddingRepo, *, readonly: bool = False) -> None:
        self._folder = folder
        self._source = source
        self._readonly = readonly
        self._held: dict[EmbeddingIdentity, _Held] = {}
        self._damaged: set[tuple[int, int, int]] = set()

    def update(self, identity: EmbeddingIdentity, *, complete: bool = True) -> None:
        """Append to the matrix of a model where it has fallen behind, or write it anew; delete those of models without vectors.

        Raises:
            ReadonlyModeError: The store is open for reading only.
            DatabaseCorruptError: A vector in the database is damaged.
            StorageError: The file cannot be written.
        """
        if self._readonly:
            raise ReadonlyModeError("the vector index is opened for reading only")
        from kebab_store_vector.matrix import append_to_matrix, write_matrix

        with disk_errors(identity, "write"):
            if complete:
                self._remove_files(self._source.embedded_models())
            with self._source.one_state():
                held = self._read(identity)
                rows = held.snapshot.rows
                if _is_current(held.matrix, held.content_version) or not len(rows.keys) - len(rows.dead):
                    return
                matrix, path, version = held.matrix, self._path(identity, "matrix"), held.content_version
                is_fresh = matrix is not None and rows.stale <= rows.ordered // _STALE_SHARE
                if is_fresh and not complete and len(rows.keys) > _SMALL_ROWS:
                    return
                is_appended = (
                    is_fresh
                    and matrix is not None
                    and append_to_matrix(path, identity, matrix, rows, content_version=version)
                )
                if not is_appended:
                    write_matrix(path, identity, rows, content_version=version)
            self._held.pop(identity, None)

    def find_damaged(self, identity: EmbeddingIdentity) -> list[TextHash]:
        """Return the texts of passages whose vectors in the database are damaged."""
        from kebab_store_vector.rows import find_damaged

        with self._source.one_state():
            return find_damaged(self._source, identity)

    def search(
        self,
        identity: EmbeddingIdentity,
        query: VectorMatrix,
        *,
        limit: int,
        documents: Selection | None = None,
        lang: str | None = None,
    ) -> list[VectorHit]:
        """Return the nearest chunks of `documents` in `lang`, best first, ties by chunk id.

        Raises:
            InvalidInputError: The limit is below 1, or the query is not one vector of this model.
            StorageError: The vectors cannot be read.
        """
        if limit < 1:
            raise InvalidInputError("a limit of {limit} finds nothing", _limit=limit)
        vector = unit_query(identity, query)
        return self._ask(
            identity,
            lambda snapshot: snapshot.search(vector, limit=limit, documents=documents, lang=lang),
        )

    def similarities(
        self, identity: EmbeddingIdentity, query: VectorMatrix, chunk_ids: Sequence[ChunkId]
    ) -> list[float | None]:
        """Return the cosine of the query with each chunk, in order; None where a chunk has no vector."""
        vector = unit_query(identity, query)
        return self._ask(identity, lambda snapshot: snapshot.similarities(vector, chunk_ids))

    def cosine_distributions(
        self, identity: EmbeddingIdentity, query: VectorMatrix
    ) -> list[LanguageDistribution]:
        """Return the distribution of the query's cosines for each language, most vectors first, ties by language."""
        vector = unit_query(identity, query)
        return self._ask(identity, lambda snapshot: snapshot.cosine_distributions(vector))

    def embedded_models(self) -> list[EmbeddingIdentity]:
        """Return the models with a vector of a passage."""
        return self._source.embedded_models()

    def find_index(self, identity: EmbeddingIdentity) -> ApproximateIndex | None:
        """Return the settings of a model's approximate index; None where searches are exact."""
        del identity
        return None

    def size_bytes(self, identity: EmbeddingIdentity) -> int:
        """Return the size of the files of a model."""
        paths = self._folder.glob(f"{vector_index_of(identity)}.*/**/*")
        files = [*self._folder.glob(f"{vector_index_of(identity)}.*"), *paths]
        return sum(path.stat().st_size for path in files if path.is_file())

    def is_current(self, identity: EmbeddingIdentity) -> bool:
        """Tell whether the matrix of a model is there and has all its vectors."""
        from kebab_store_vector.matrix import open_matrix

        matrix = open_matrix(self._path(identity, "matrix"), identity)
        return _is_current(matrix, self._source.content_version())

    def _ask(self, identity: EmbeddingIdentity, question: Callable[[Snapshot], _Result]) -> _Result:
        """Answer from the newest state; a matrix that turns out to be damaged is left out.

        Raises:
            MatrixDamagedError: Without a matrix, too; `disk_errors` turns this into `DatabaseCorruptError`.
        """
        with disk_errors(identity, "read"), self._source.one_state():
            try:
                return question(self._snapshot(identity).snapshot)
            except MatrixDamagedError:
                held = self._held.pop(identity, None)
                if held is None or held.matrix is None:
                    raise
                self._damaged.add(held.matrix.stamp)
                return question(self._snapshot(identity).snapshot)

    def _snapshot(self, identity: EmbeddingIdentity) -> _Held:
        """Return the snapshot of the present state of the source, which must stay in it."""
        held = self._held.get(identity)
        if held is None or held.content_version != self._source.content_version():
            held = self._held[identity] = self._read(identity)
        return held

    def _read(self, identity: EmbeddingIdentity) -> _Held:
        """Read the present state of the source, which must stay in it."""
        from kebab_store_vector.rows import collect_rows

        version = self._source.content_version()
        held = self._held.get(identity)
        matrix = self._open_matrix(identity, None if held is None else held.matrix)
        if matrix is not None and matrix.content_version == version:
            rows = matrix.rows
        else:
            rows = collect_rows(self._source, identity, None if matrix is None else matrix.rows)
        return _Held(version, matrix, self._snapshot_of(identity, rows))

    def _snapshot_of(self, identity: EmbeddingIdentity, rows: MatrixRows) -> Snapshot:
        from kebab_store_vector.rows import read_exact
        from kebab_store_vector.snapshot import Snapshot

        return Snapshot(rows, lambda chosen: read_exact(self._source, identity, rows, chosen))

    def _open_matrix(self, identity: EmbeddingIdentity, held: Matrix | None) -> Matrix | None:
        """Open the matrix of a model unless it is the one that is open already; None without a usable one."""
        from kebab_store_vector.matrix import open_matrix, stamp_of

        path = self._path(identity, "matrix")
        stamp = stamp_of(path)
        if stamp is None or stamp in self._damaged:
            return None
        return held if held is not None and held.stamp == stamp else open_matrix(path, identity)

    def _path(self, identity: EmbeddingIdentity, kind: str) -> Path:
        return self._folder / f"{vector_index_of(identity)}.{kind}"

    def remove_files(self) -> None:
        """Delete the files of all models; `update` writes them anew, without vectors that were deleted from the database."""
        self._remove_files(())

    def _remove_files(self, kept: Sequence[EmbeddingIdentity]) -> None:
        """Delete the files of all models but these, and what killed writers left."""
        from kebab_store_vector.matrix import remove_path

        names = {str(vector_index_of(identity)) for identity in kept}
        paths = list(self._folder.iterdir()) if self._folder.is_dir() else []
        for path in paths:
            if _FILE.fullmatch(path.name) and path.name.partition(".")[0] not in names:
                remove_path(path)


def _is_current(matrix: Matrix | None, content_version: str) -> bool:
    return matrix is not None and matrix.is_whole and matrix.content_version == content_version


def unit_query(identity: EmbeddingIdentity, query: VectorMatrix) -> NDArray[np.float32]:
    """Return a query as an array of shape (d,).

    Raises:
        InvalidInputError: It is not one vector of unit norm and of the dimensions of the model.
    """
    from kebab_store_vector.half_vectors import unit_rows

    return unit_rows(query, rows=1, dimensions=identity.dimensions).reshape(identity.dimensions)
