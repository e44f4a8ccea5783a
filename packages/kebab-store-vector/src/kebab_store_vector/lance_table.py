"""One table of LanceDB: the only module that imports `lancedb` and `pyarrow`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kebab_core import EmbeddingIdentity, StorageError, vector_index_of

from kebab_store_vector.errors import lance_errors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_KEYS = ("chunk_id", "text_hash")
_IDS_PER_DELETE = 1000
_ROWS_PER_BATCH = 8192
_ATTEMPTS = 5
CLEANUP_AGE = timedelta(hours=1)
"""Minimum age of versions that are deleted; readers in other processes may use younger ones."""


class LanceTable:
    """An open LanceDB table with the vectors of one model."""

    def __init__(self, identity: EmbeddingIdentity, table: Any) -> None:
        self._identity = identity
        self._table = table

    @classmethod
    def open(cls, folder: Path, identity: EmbeddingIdentity) -> Self:
        """Open the newest version of an existing table.

        Raises:
            ImportError: LanceDB is not installed, or cannot be loaded here.
            StorageError: It cannot be read.
        """
        import lancedb

        with lance_errors(identity, "open"):
            return cls(identity, lancedb.connect(folder).open_table(str(vector_index_of(identity))))

    @classmethod
    def create(cls, folder: Path, identity: EmbeddingIdentity) -> Self:
        """Create an empty table.

        Raises:
            ImportError: LanceDB is not installed, or cannot be loaded here.
            StorageError: It cannot be written.
        """
        import lancedb

        with lance_errors(identity, "create"):
            name = str(vector_index_of(identity))
            return cls(identity, lancedb.connect(folder).create_table(name, schema=_schema(identity)))

    def refresh(self) -> None:
        """Switch to the newest version."""
        with lance_errors(self._identity, "read"):
            self._table.checkout_latest()

    def keys(self) -> Iterator[tuple[str, str]]:
        """Yield chunk id and text hash of all rows, in hex digits."""
        with lance_errors(self._identity, "read"):
            for batch in self._table.search().select(list(_KEYS)).to_batches(_ROWS_PER_BATCH):
                yield from zip(*(batch.column(name).to_pylist() for name in _KEYS), strict=True)

    def add(self, keys: Sequence[tuple[str, str]], vectors: NDArray[np.float32]) -> None:
        """Append rows, in one commit.

        Args:
            keys: Chunk id and text hash of each, in hex digits; no chunk is in the table.
            vectors: Shape (n, d).
        """
        with lance_errors(self._identity, "write"):
            self._table.add(_arrow_rows(self._table.schema, keys, vectors))

    def delete(self, chunk_ids: Sequence[str]) -> None:
        """Remove rows."""
        with lance_errors(self._identity, "write"):
            for start in range(0, len(chunk_ids), _IDS_PER_DELETE):
                quoted = ", ".join(f"'{chunk_id}'" for chunk_id in chunk_ids[start : start + _IDS_PER_DELETE])
                self._table.delete(f"chunk_id IN ({quoted})")

    def compact(self, *, is_new: bool = False) -> None:
        """Merge small fragments, add unindexed rows to the index, and delete versions older than `CLEANUP_AGE`.

        Args:
            is_new: No reader knows the table yet: all older versions are deleted, which take as much space again.

        Raises:
            StorageError: The disk is full, or the table is damaged.
        """
        age = timedelta(milliseconds=1) if is_new else CLEANUP_AGE  # LanceDB warns of none
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with lance_errors(self._identity, "compact"):
                    self._table.optimize(cleanup_older_than=age)
                    if is_new:  # what was not yet a millisecond old
                        self._table.optimize(cleanup_older_than=age)
                    return
            except StorageError as error:
                if attempt == _ATTEMPTS or "conflict" not in error.message.lower():
                    raise
                self.refresh()

    def build_index(self, partitions: int) -> None:
        """Build or replace the index for approximate search.

        Iterations and sample rate are measured: a third of a second for 10,000 rows; more of either did not raise the
        recall.
        """
        from lancedb.index import IvfRq

        config = IvfRq(distance_type="cosine", num_partitions=partitions, max_iterations=10, sample_rate=64)
        with lance_errors(self._identity, "index"):
            self._table.create_index("vector", config=config, replace=True)

    def nearest(self, query: NDArray[np.float32], *, limit: int, probes: int, refine: int) -> list[str]:
        """Return the nearest chunks, best first: by the index, or by comparing all where the table has none."""
        with lance_errors(self._identity, "search"):
            search = self._table.search(query, vector_column_name="vector").distance_type("cosine")
            search = search.nprobes(probes).refine_factor(refine).limit(limit)
            # without `_distance` among the columns, every query writes a warning to stderr
            found = search.select(["chunk_id", "_distance"]).to_arrow()
            return list(found.column("chunk_id").to_pylist())


def _schema(identity: EmbeddingIdentity) -> Any:
    import pyarrow as pa

    keys = [pa.field(name, pa.string(), nullable=False) for name in _KEYS]
    return pa.schema([
        *keys,
        pa.field("vector", pa.list_(pa.float32(), identity.dimensions), nullable=False),
    ])


def _arrow_rows(schema: Any, keys: Sequence[tuple[str, str]], vectors: NDArray[np.float32]) -> Any:
    import pyarrow as pa

    columns = dict(zip(_KEYS, zip(*keys, strict=True), strict=True))
    return pa.table(
        {
            **{name: list(values) for name, values in columns.items()},
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1]),
        },
        schema=schema,
    )
