"""One table of LanceDB: the only module that imports `lancedb` and `pyarrow`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from kebab_core import ChunkId, DatabaseCorruptError, EmbeddingIdentity, StorageError

from kebab_store_vector.lance_errors import REMAKE_HINT, lance_errors
from kebab_store_vector.matrix_standing import require_untouched
from kebab_store_vector.places import IndexPlace

if TYPE_CHECKING:
    import numpy as np
    from kebab_core import VectorKey
    from numpy.typing import NDArray

_IDENTITY = b"kebab.identity"
_COLUMNS = ("chunk_id", "doc_id", "lang", "vector")
_DELETED_AT_ONCE = 1000
_READ_AT_ONCE = 8192
_ATTEMPTS = 5
CLEANUP_AGE = timedelta(hours=1)
"""How old a version must be to be removed: readers in other processes may hold it."""
_NEVER = timedelta(days=36500)


class ReadBatch(NamedTuple):
    """Some rows of a table."""

    chunk_ids: list[str]
    doc_ids: list[str]
    langs: list[str]
    vectors: NDArray[np.float32]
    """Shape (n, d)."""


class LanceTable:
    """An open table."""

    def __init__(self, place: IndexPlace, table: Any) -> None:
        self._place = place
        self._table = table

    @classmethod
    def open(cls, place: IndexPlace) -> Self:
        """Return the newest version of a table that is there.

        Raises:
            StorageError: It cannot be read.
        """
        require_untouched(place)
        import lancedb

        with lance_errors(place.index_id, "open"):
            return cls(place, lancedb.connect(place.root).open_table(place.index_id))

    @classmethod
    def create(cls, place: IndexPlace, identity: EmbeddingIdentity) -> Self:
        """Return a new, empty table."""
        import lancedb

        with lance_errors(place.index_id, "create"):
            return cls(
                place, lancedb.connect(place.root).create_table(place.index_id, schema=_schema(identity))
            )

    @property
    def identity(self) -> EmbeddingIdentity:
        """Whose vectors these are.

        Raises:
            DatabaseCorruptError: The table does not say.
        """
        with lance_errors(self._place.index_id, "read"):
            metadata = self._table.schema.metadata or {}
            if _IDENTITY not in metadata:
                raise DatabaseCorruptError(
                    "the vector index does not say which model made it",
                    hint=REMAKE_HINT,
                    index_id=self._place.index_id,
                )
            return EmbeddingIdentity.model_validate_json(metadata[_IDENTITY])

    @property
    def version(self) -> int:
        """Which version this is."""
        with lance_errors(self._place.index_id, "read"):
            version: int = self._table.version
            return version

    def refresh(self) -> None:
        """Go to the newest version."""
        with lance_errors(self._place.index_id, "read"):
            self._table.checkout_latest()

    def count(self) -> int:
        """Return how many rows there are."""
        with lance_errors(self._place.index_id, "read"):
            rows: int = self._table.count_rows()
            return rows

    def add(self, keys: Sequence[VectorKey], vectors: NDArray[np.float32]) -> None:
        """Store rows of chunks that are not there, in one commit.

        Looks at no row that is: 5 ms where a merge into 1,000 pieces takes 160 (2026-11-22).
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
            for batch in self._table.search().select(list(_COLUMNS)).to_batches(_READ_AT_ONCE):
                yield _read_batch(batch)

    def compact(self) -> None:
        """Fold small pieces, and rows that no index has yet into it, keeping older versions."""
        self._optimize(_NEVER)

    def clean(self) -> None:
        """Remove versions that no reader can be reading any more, with their files."""
        self._optimize(CLEANUP_AGE)

    def build_index(self, partitions: int) -> None:
        """Index the vectors for approximate search, in place of an index that is there.

        Iterations and sample were measured: a third of a second for 10,000 rows, at a recall that nothing
        slower raised.
        """
        from lancedb.index import IvfRq

        config = IvfRq(distance_type="cosine", num_partitions=partitions, max_iterations=10, sample_rate=64)
        with lance_errors(self._place.index_id, "index"):
            self._table.create_index("vector", config=config, replace=True)

    def nearest(self, query: NDArray[np.float32], *, limit: int, probes: int, refine: int) -> list[str]:
        """Return the chunks that the index takes for the nearest."""
        with lance_errors(self._place.index_id, "search"):
            asked = self._table.search(query, vector_column_name="vector").distance_type("cosine")
            asked = asked.nprobes(probes).refine_factor(refine).limit(limit)
            # without the distance among the columns, every query writes a warning to stderr
            found = asked.select(["chunk_id", "_distance"]).to_arrow()
            chunks: list[str] = found.column("chunk_id").to_pylist()
            return chunks

    def unindexed_rows(self) -> int | None:
        """Return how many rows the index does not have; None without an index."""
        with lance_errors(self._place.index_id, "read"):
            for index in self._table.list_indices():
                rows: int = self._table.index_stats(index.name).num_unindexed_rows
                return rows
            return None

    def fragments(self) -> int:
        """Return in how many pieces the rows lie."""
        with lance_errors(self._place.index_id, "read"):
            pieces: int = self._table.stats()["fragment_stats"]["num_fragments"]
            return pieces

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
    """Yield ids in groups that one commit takes."""
    for start in range(0, len(chunk_ids), _DELETED_AT_ONCE):
        yield chunk_ids[start : start + _DELETED_AT_ONCE]


def _schema(identity: EmbeddingIdentity) -> Any:
    import pyarrow as pa

    texts = [pa.field(name, pa.string(), nullable=False) for name in ("chunk_id", "doc_id", "lang")]
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


def _read_batch(batch: Any) -> ReadBatch:
    vectors = batch.column("vector")
    flat = vectors.flatten().to_numpy(zero_copy_only=False)
    chunk_ids, doc_ids, langs = (batch.column(name).to_pylist() for name in _COLUMNS[:3])
    return ReadBatch(chunk_ids, doc_ids, langs, flat.reshape(len(batch), vectors.type.list_size))
