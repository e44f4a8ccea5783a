"""One table of LanceDB: the only module that imports `lancedb` and `pyarrow`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from kebab_core import ChunkId, DatabaseCorruptError, EmbeddingIdentity, StorageError

from kebab_store_vector.errors import REMAKE, lance_errors
from kebab_store_vector.index_files import IndexPlace
from kebab_store_vector.manifest import require_untouched

if TYPE_CHECKING:
    import numpy as np
    from kebab_core import VectorKey
    from numpy.typing import NDArray


_IDENTITY = b"kebab.identity"
_COLUMNS = ("chunk_id", "doc_id", "lang", "vector")
_IDS_PER_DELETE = 1000
_ROWS_PER_BATCH = 8192
_ATTEMPTS = 5
CLEANUP_AGE = timedelta(hours=1)
"""Minimum age of versions that are deleted; readers in other processes may use younger ones."""
_NEVER = timedelta(days=36500)


class ReadBatch(NamedTuple):
    """A batch of rows of a table."""

    chunk_ids: list[str]
    doc_ids: list[str]
    langs: list[str]
    vectors: NDArray[np.float32]
    """Shape (n, d)."""


class LanceTable:
    """An open LanceDB table."""

    def __init__(self, place: IndexPlace, table: Any) -> None:
        self._place = place
        self._table = table

    @classmethod
    def open(cls, place: IndexPlace) -> Self:
        """Open the newest version of an existing table.

        Raises:
            StorageError: It cannot be read.
        """
        require_untouched(place)
        import lancedb

        with lance_errors(place.index_id, "open"):
            return cls(place, lancedb.connect(place.root).open_table(place.index_id))

    @classmethod
    def create(cls, place: IndexPlace, identity: EmbeddingIdentity) -> Self:
        """Create an empty table."""
        import lancedb

        with lance_errors(place.index_id, "create"):
            return cls(
                place, lancedb.connect(place.root).create_table(place.index_id, schema=_schema(identity))
            )

    @property
    def identity(self) -> EmbeddingIdentity:
        """The model of the vectors.

        Raises:
            DatabaseCorruptError: The table does not name it.
        """
        with lance_errors(self._place.index_id, "read"):
            metadata = self._table.schema.metadata or {}
            if _IDENTITY not in metadata:
                raise DatabaseCorruptError(
                    "the vector index does not say which model made it",
                    remedy=REMAKE,
                    index_id=self._place.index_id,
                )
            return EmbeddingIdentity.model_validate_json(metadata[_IDENTITY])

    @property
    def version(self) -> int:
        """Number of the open version."""
        with lance_errors(self._place.index_id, "read"):
            return int(self._table.version)

    def refresh(self) -> None:
        """Switch to the newest version."""
        with lance_errors(self._place.index_id, "read"):
            self._table.checkout_latest()

    def count(self) -> int:
        """Count the rows."""
        with lance_errors(self._place.index_id, "read"):
            return int(self._table.count_rows())

    def add(self, keys: Sequence[VectorKey], vectors: NDArray[np.float32]) -> None:
        """Append rows of chunks that have none, in one commit.

        Reads no stored row: 5 ms where a merge into 1,000 fragments takes 160 (2026-11-22).
        """
        with lance_errors(self._place.index_id, "write"):
            self._table.add(_arrow_rows(self._table.schema, keys, vectors))

    def merge(self, keys: Sequence[VectorKey], vectors: NDArray[np.float32]) -> None:
        """Store rows, each chunk once, in place of those that are there, in one commit."""
        with lance_errors(self._place.index_id, "write"):
            batch = _arrow_rows(self._table.schema, keys, vectors)
            merging = self._table.merge_insert("chunk_id").when_matched_update_all()
            merging.when_not_matched_insert_all().execute(batch)

    def delete(self, chunk_ids: Sequence[str]) -> None:
        """Remove rows, in one commit."""
        with lance_errors(self._place.index_id, "write"):
            quoted = ", ".join(f"'{chunk_id}'" for chunk_id in chunk_ids)
            self._table.delete(f"chunk_id IN ({quoted})")

    def read(self) -> Iterator[ReadBatch]:
        """Yield all rows."""
        with lance_errors(self._place.index_id, "read"):
            for batch in self._table.search().select(list(_COLUMNS)).to_batches(_ROWS_PER_BATCH):
                chunk_ids, doc_ids, langs = (batch.column(name).to_pylist() for name in _COLUMNS[:3])
                vectors = batch.column("vector")
                flat = vectors.flatten().to_numpy(zero_copy_only=False)
                yield ReadBatch(chunk_ids, doc_ids, langs, flat.reshape(len(batch), vectors.type.list_size))

    def compact(self) -> None:
        """Merge small fragments, and add unindexed rows to the index; older versions stay."""
        self._optimize(_NEVER)

    def clean(self) -> None:
        """Delete versions older than `CLEANUP_AGE`, with their files."""
        self._optimize(CLEANUP_AGE)

    def build_index(self, partitions: int) -> None:
        """Build or replace the index for approximate search.

        Iterations and sample rate are measured: a third of a second for 10,000 rows; more of either did not raise the
        recall.
        """
        from lancedb.index import IvfRq

        config = IvfRq(distance_type="cosine", num_partitions=partitions, max_iterations=10, sample_rate=64)
        with lance_errors(self._place.index_id, "index"):
            self._table.create_index("vector", config=config, replace=True)

    def nearest(self, query: NDArray[np.float32], *, limit: int, probes: int, refine: int) -> list[str]:
        """Return the nearest chunks by the index, best first."""
        with lance_errors(self._place.index_id, "search"):
            search = self._table.search(query, vector_column_name="vector").distance_type("cosine")
            search = search.nprobes(probes).refine_factor(refine).limit(limit)
            # without `_distance` among the columns, every query writes a warning to stderr
            found = search.select(["chunk_id", "_distance"]).to_arrow()
            return list(found.column("chunk_id").to_pylist())

    def unindexed_rows(self) -> int | None:
        """Count the rows that are not in the index; None without an index."""
        with lance_errors(self._place.index_id, "read"):
            for index in self._table.list_indices():
                return int(self._table.index_stats(index.name).num_unindexed_rows)
            return None

    def fragments(self) -> int:
        """Count the fragments of the table."""
        with lance_errors(self._place.index_id, "read"):
            return int(self._table.stats()["fragment_stats"]["num_fragments"])

    def _optimize(self, cleanup_older_than: timedelta) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with lance_errors(self._place.index_id, "compact"):
                    self._table.optimize(cleanup_older_than=cleanup_older_than)
                    return
            except StorageError as error:
                if attempt == _ATTEMPTS or "conflict" not in error.message.lower():
                    raise
                self.refresh()


def deletions(chunk_ids: Sequence[ChunkId]) -> Iterator[Sequence[ChunkId]]:
    """Yield ids in batches of one commit each."""
    for start in range(0, len(chunk_ids), _IDS_PER_DELETE):
        yield chunk_ids[start : start + _IDS_PER_DELETE]


def _schema(identity: EmbeddingIdentity) -> Any:
    import pyarrow as pa

    texts = [pa.field(name, pa.string(), nullable=False) for name in _COLUMNS[:3]]
    vector = pa.field("vector", pa.list_(pa.float32(), identity.dimensions), nullable=False)
    return pa.schema([*texts, vector], metadata={_IDENTITY: identity.model_dump_json().encode()})


def _arrow_rows(schema: Any, keys: Sequence[VectorKey], vectors: NDArray[np.float32]) -> Any:
    import pyarrow as pa

    return pa.table(
        {
            "chunk_id": [str(key.chunk_id) for key in keys],
            "doc_id": [str(key.doc_id) for key in keys],
            "lang": [key.lang for key in keys],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1]),
        },
        schema=schema,
    )
