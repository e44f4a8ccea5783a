"""The vector store: `kebab_core.VectorStore` over LanceDB tables and the matrices that reads use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, NotIndexedError, ReadonlyModeError

from kebab_store_vector.errors import MatrixDamagedError, disk_errors
from kebab_store_vector.index_files import IndexPlace, newest_stamp, places_below, remove_files

if TYPE_CHECKING:
    # importing the Protocols imports most of kebab_core
    import numpy as np
    from kebab_core import (
        ChunkId,
        DocumentSet,
        EmbeddingIdentity,
        IndexId,
        LanguageDistribution,
        VectorHit,
        VectorKey,
        VectorMatrix,
        VectorTable,
    )
    from numpy.typing import NDArray

    from kebab_store_vector.approximate_index import ApproximateSearch
    from kebab_store_vector.index_writer import IndexWriter
    from kebab_store_vector.report import VectorReport
    from kebab_store_vector.snapshot import IndexReader, Snapshot

EXACT_ROWS = 100_000
"""Maximum number of vectors of an exact search, which needs neither LanceDB nor Arrow."""
SPREAD_SAMPLE = 20_000
"""Vectors of a language that are sampled for its distribution where searches are approximate."""


class LanceVectorStore:
    """Implements `VectorStore`: LanceDB tables, each with a matrix in half precision for reading.

    Cosines are those of the stored vectors rounded to half precision, off by less than 5e-4, and the same from the table
    and from the matrix. Libraries are loaded when they are needed: reading imports numpy, writing LanceDB.

    Errors of reading and writing are `StorageError`; the vectors can always be made again. Readers in other processes may
    see the state before a call until it returns.

    Args:
        folder: The folder of all indexes; the first write creates it with mode 0700.
        readonly: Refuse every write.
        exact_rows: Maximum number of vectors of an index without an approximate index.
    """

    def __init__(self, folder: Path, *, readonly: bool = False, exact_rows: int = EXACT_ROWS) -> None:
        self._folder = folder
        self._readonly = readonly
        self._exact_rows = exact_rows
        self._readers: dict[IndexId, IndexReader] = {}
        self._writers: dict[IndexId, IndexWriter] = {}
        self._searches: dict[IndexId, ApproximateSearch] = {}

    def ensure_table(self, index_id: IndexId, identity: EmbeddingIdentity) -> None:
        """Create the index unless it exists.

        Raises:
            IndexModelMismatchError: It exists for another model.
            ReadonlyModeError: The store is open for reading only.
        """
        with disk_errors(index_id, "write"):
            self._writer(index_id).ensure(identity)

    def upsert(self, index_id: IndexId, keys: Sequence[VectorKey], vectors: VectorMatrix) -> None:
        """Store n vectors for n keys, the later of two with one chunk id. Durable on return.

        Raises:
            InvalidInputError: The vectors have another shape, or are not of unit norm.
            NotIndexedError: There is no such index.
        """
        with disk_errors(index_id, "write"):
            self._writer(index_id).upsert(keys, vectors)

    def delete(self, index_id: IndexId, chunk_ids: Sequence[ChunkId]) -> None:
        """Remove vectors; unknown ids and an unknown index are fine."""
        with disk_errors(index_id, "write"):
            self._writer(index_id).delete(chunk_ids)

    def maintain(self, index_id: IndexId) -> None:
        """Compact the table, index it above `exact_rows`, and rewrite a matrix with many appended rows.

        Versions of the table older than an hour are deleted. Does nothing for an index unchanged since the last time.
        """
        with disk_errors(index_id, "maintain"):
            self._writer(index_id).maintain()

    def drop(self, index_id: IndexId) -> None:
        """Remove an index with all its vectors, even a damaged one; an unknown id is ignored."""
        self._require_writable()
        place = IndexPlace(self._folder, index_id)
        with disk_errors(index_id, "remove"):
            remove_files(place)
        for opened in (self._readers, self._writers, self._searches):
            opened.pop(index_id, None)

    def search(
        self,
        index_id: IndexId,
        query: VectorMatrix,
        *,
        limit: int,
        documents: DocumentSet | None = None,
        lang: str | None = None,
    ) -> list[VectorHit]:
        """Return the nearest chunks of `documents` in `lang`, best first, ties by chunk id.

        Raises:
            InvalidInputError: The limit is below 1, or the query is not one vector of this index.
            NotIndexedError: There is no such index.
        """
        if limit < 1:
            raise InvalidInputError("a limit of {limit} finds nothing", _limit=limit)
        with self._snapshot(index_id) as (reader, snapshot):
            vector = _query(snapshot, query)
            index = reader.manifest.index_in_use if reader.manifest else None
            if index is None:
                return snapshot.search(vector, limit=limit, documents=documents, lang=lang)
            return self._approximate(index_id).search(
                snapshot, index, vector, limit=limit, documents=documents, lang=lang
            )

    def similarities(
        self, index_id: IndexId, query: VectorMatrix, chunk_ids: Sequence[ChunkId]
    ) -> list[float | None]:
        """Return the cosine of the query with each chunk, in order; None where a chunk has no vector."""
        with self._snapshot(index_id) as (_, snapshot):
            return snapshot.similarities(_query(snapshot, query), chunk_ids)

    def cosine_distributions(self, index_id: IndexId, query: VectorMatrix) -> list[LanguageDistribution]:
        """Return the distribution of the query's cosines for each language, most vectors first, ties by language.

        Computed from all vectors, or where searches are approximate from 20,000 of each language.
        """
        with self._snapshot(index_id) as (reader, snapshot):
            is_sampled = reader.manifest is not None and reader.manifest.index_in_use is not None
            return snapshot.cosine_distributions(
                _query(snapshot, query), sample=SPREAD_SAMPLE if is_sampled else None
            )

    def tables(self) -> list[VectorTable]:
        """Return all indexes, by id.

        Raises:
            StorageError: An index cannot be read; `details` name it.
        """
        with disk_errors(None, "list"):
            tables = [_table_at(place) for place in places_below(self._folder)]
        return [table for table in tables if table is not None]

    def chunk_ids(self, index_id: IndexId) -> Iterator[ChunkId]:
        """Yield the chunks that have a vector, in any order; none where there is no such index."""
        try:
            with self._snapshot(index_id) as (_, snapshot):
                chunk_ids = snapshot.chunks_of(snapshot.live_rows())
        except NotIndexedError:
            return
        yield from chunk_ids

    def content_version(self, index_id: IndexId) -> str | None:
        """Return the version of an index's rows; None without an index.

        Reads two small files, and loads neither numpy nor LanceDB.
        """
        from kebab_store_vector.manifest import content_version_at

        with disk_errors(index_id, "read"):
            return content_version_at(IndexPlace(self._folder, index_id))

    def report(self, index_id: IndexId) -> VectorReport:
        """Return the report on an index; opens its table.

        Raises:
            NotIndexedError: There is no such index.
            StorageError: It cannot be read, or its table and its matrix do not agree.
        """
        from kebab_store_vector.report import build_report

        with disk_errors(index_id, "read"):
            return build_report(IndexPlace(self._folder, index_id))

    def _require_writable(self) -> None:
        if self._readonly:
            raise ReadonlyModeError("the vector index is opened for reading only")

    def _writer(self, index_id: IndexId) -> IndexWriter:
        self._require_writable()
        if index_id not in self._writers:
            from kebab_store_vector.index_writer import IndexWriter

            place = IndexPlace(self._folder, index_id)
            self._writers[index_id] = IndexWriter(place, exact_rows=self._exact_rows)
        return self._writers[index_id]

    def _approximate(self, index_id: IndexId) -> ApproximateSearch:
        if index_id not in self._searches:
            from kebab_store_vector.approximate_index import ApproximateSearch

            place = IndexPlace(self._folder, index_id)
            self._searches[index_id] = ApproximateSearch(place, exact_rows=self._exact_rows)
        return self._searches[index_id]

    @contextmanager
    def _snapshot(self, index_id: IndexId) -> Iterator[tuple[IndexReader, Snapshot]]:
        """Read the newest state; after damage was found, the next call opens the files again.

        Yields:
            The reader and the snapshot.

        Raises:
            MatrixDamagedError: It is damaged; `disk_errors` turns this into `DatabaseCorruptError`.
        """
        if index_id not in self._readers:
            from kebab_store_vector.snapshot import IndexReader

            self._readers[index_id] = IndexReader(IndexPlace(self._folder, index_id))
        reader = self._readers[index_id]
        with disk_errors(index_id, "read"):
            try:
                yield reader, reader.snapshot()
            except MatrixDamagedError:
                self._readers.pop(index_id, None)
                raise


def _query(snapshot: Snapshot, query: VectorMatrix) -> NDArray[np.float32]:
    from kebab_store_vector.half_vectors import unit_rows

    dimensions = snapshot.rows.vectors.shape[1]
    return unit_rows(query, rows=1, dimensions=dimensions).reshape(dimensions)


def _table_at(place: IndexPlace) -> VectorTable | None:
    """Return the description of an index; None if its folder holds no table.

    LanceDB is loaded only where the matrix is not current.

    Raises:
        StorageError: The index cannot be read.
    """
    from kebab_core import VectorTable

    from kebab_store_vector.manifest import equals_table, read_manifest

    with disk_errors(place.index_id, "read"):
        manifest = read_manifest(place.matrix)
        if manifest is not None and equals_table(place, manifest):
            return VectorTable(index_id=place.index_id, identity=manifest.identity, rows=manifest.live_rows)
        if newest_stamp(place.table) is None:
            return None
        from kebab_store_vector.lance_table import LanceTable

        table = LanceTable.open(place)
        return VectorTable(index_id=place.index_id, identity=table.identity, rows=table.count())
