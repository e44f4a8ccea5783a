"""Vectors by exact index: what `kebab_core.VectorStore` asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, NotIndexedError, ReadonlyModeError

from kebab_store_vector.lance_errors import MatrixDamagedError, disk_errors
from kebab_store_vector.places import IndexPlace, places_below, remove_files

if TYPE_CHECKING:
    # the Protocols alone import most of kebab_core
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

    from kebab_store_vector.index_reader import IndexReader
    from kebab_store_vector.index_search import ApproximateSearch
    from kebab_store_vector.index_writer import IndexWriter
    from kebab_store_vector.report import VectorReport
    from kebab_store_vector.snapshot import Snapshot

EXACT_ROWS = 100_000
"""Up to how many vectors reads are exact and need neither LanceDB nor Arrow (`approximate`)."""
SPREAD_SAMPLE = 20_000
"""How many vectors of a language stand for it where reads are not exact."""


class LanceVectorStore:
    """Implements `VectorStore`: tables of LanceDB, each with a matrix in half precision that reads are served from.

    Cosines are those of the stored vectors rounded to half precision, off by less than 5e-4, and the same whichever of
    the two a read is served from. Nothing is opened before it is needed: reading imports numpy, writing LanceDB.

    Errors of reading and writing are `StorageError`, whose hint says what to do; the vectors can always be made again.
    A call that has not returned may be seen as not made by readers in other processes.

    Args:
        folder: Where the indexes lie; made by the first write, for nobody but its owner.
        readonly: Refuse every write.
        exact_rows: Up to how many vectors reads are exact and no approximate index is built.
    """

    def __init__(self, folder: Path, *, readonly: bool = False, exact_rows: int = EXACT_ROWS) -> None:
        self._folder = folder
        self._readonly = readonly
        self._exact_rows = exact_rows
        self._readers: dict[IndexId, IndexReader] = {}
        self._writers: dict[IndexId, IndexWriter] = {}
        self._searches: dict[IndexId, ApproximateSearch] = {}

    def ensure_table(self, index_id: IndexId, identity: EmbeddingIdentity) -> None:
        """Make sure the index exists.

        Raises:
            IndexModelMismatchError: It exists for another model.
            ReadonlyModeError: It cannot be made.
        """
        with disk_errors(index_id, "write"):
            self._writer(index_id).ensure(identity)

    def upsert(self, index_id: IndexId, keys: Sequence[VectorKey], vectors: VectorMatrix) -> None:
        """Store n vectors for n keys; of two with one chunk the later. Durable on return.

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
        """Compact the table, index it above `exact_rows`, and write the matrix anew where much was appended.

        Versions of the table that are older than an hour go; an index without news since the last time is left alone.
        """
        with disk_errors(index_id, "maintain"):
            self._writer(index_id).maintain()

    def drop(self, index_id: IndexId) -> None:
        """Remove an index with all its vectors, however damaged it is; one that is not there is fine."""
        self._require_writable()
        place = IndexPlace(self._folder, index_id)
        with disk_errors(index_id, "remove"):
            remove_files(place)
        for held in (self._readers, self._writers, self._searches):
            held.pop(index_id, None)

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
            raise InvalidInputError(f"a limit of {limit} finds nothing")
        with self._snapshot(index_id) as (reader, snapshot):
            asked = _query(snapshot, query)
            index = reader.manifest.index_in_use if reader.manifest else None
            if index is None:
                return snapshot.search(asked, limit=limit, documents=documents, lang=lang)
            return self._approximate(index_id).search(
                snapshot, index, asked, limit=limit, documents=documents, lang=lang
            )

    def similarities(
        self, index_id: IndexId, query: VectorMatrix, chunk_ids: Sequence[ChunkId]
    ) -> list[float | None]:
        """Return the cosine of the query with each chunk, in order; None where a chunk has no vector."""
        with self._snapshot(index_id) as (_, snapshot):
            return snapshot.similarities(_query(snapshot, query), chunk_ids)

    def cosine_distributions(self, index_id: IndexId, query: VectorMatrix) -> list[LanguageDistribution]:
        """Return how the query's cosines are spread over each language, most vectors first, ties by language.

        From all vectors, or where reads are not exact from 20,000 of each language.
        """
        with self._snapshot(index_id) as (reader, snapshot):
            is_sampled = reader.manifest is not None and reader.manifest.index_in_use is not None
            return snapshot.cosine_distributions(
                _query(snapshot, query), sample=SPREAD_SAMPLE if is_sampled else None
            )

    def tables(self) -> list[VectorTable]:
        """Return every index there is, by id.

        Raises:
            StorageError: One of them cannot be read; `details` name it.
        """
        from kebab_store_vector.table_list import table_at

        with disk_errors(None, "list"):
            tables = [table_at(place) for place in places_below(self._folder)]
        return [table for table in tables if table is not None]

    def chunk_ids(self, index_id: IndexId) -> Iterator[ChunkId]:
        """Yield the chunks that have a vector, in any order; none where there is no such index."""
        try:
            with self._snapshot(index_id) as (_, snapshot):
                chunk_ids = snapshot.chunks_of(snapshot.living_rows())
        except NotIndexedError:
            return
        yield from chunk_ids

    def edition(self, index_id: IndexId) -> str | None:
        """Return what tells the rows of an index from those of any other state; None where there is none.

        Reads two small files, and loads no library.
        """
        from kebab_store_vector.matrix_standing import edition_at

        with disk_errors(index_id, "read"):
            return edition_at(IndexPlace(self._folder, index_id))

    def report(self, index_id: IndexId) -> VectorReport:
        """Return what there is of an index; opens its table.

        Raises:
            NotIndexedError: There is no such index.
            StorageError: It cannot be read, or its table and its matrix do not agree.
        """
        from kebab_store_vector.report import report_on

        with disk_errors(index_id, "read"):
            return report_on(IndexPlace(self._folder, index_id))

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
            from kebab_store_vector.index_search import ApproximateSearch

            place = IndexPlace(self._folder, index_id)
            self._searches[index_id] = ApproximateSearch(place, exact_rows=self._exact_rows)
        return self._searches[index_id]

    @contextmanager
    def _snapshot(self, index_id: IndexId) -> Iterator[tuple[IndexReader, Snapshot]]:
        """Lend the newest state; one that turns out to be damaged is looked at anew by the next call.

        Yields:
            What read it, and the state.

        Raises:
            MatrixDamagedError: It is damaged; callers get it as `disk_errors` puts it.
        """
        if index_id not in self._readers:
            from kebab_store_vector.index_reader import IndexReader

            self._readers[index_id] = IndexReader(IndexPlace(self._folder, index_id))
        reader = self._readers[index_id]
        with disk_errors(index_id, "read"):
            try:
                yield reader, reader.snapshot()
            except MatrixDamagedError:
                self._readers.pop(index_id, None)
                raise


def _query(snapshot: Snapshot, query: VectorMatrix) -> NDArray[np.float32]:
    from kebab_store_vector.unit_rows import unit_rows

    dimensions = snapshot.rows.vectors.shape[1]
    return unit_rows(query, rows=1, dimensions=dimensions).reshape(dimensions)
