"""The tables of a lake. It and `terms`, which makes queries, are the only modules that import `lancedb` and `pyarrow`."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from kebab_core import KebabError, Message, Remedy, StorageError

from kebab_store_lake.head import stale_revision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG = logging.getLogger("kebab.lake")
Row = dict[str, Any]
_Value = TypeVar("_Value")

NAMES = ("documents", "passages", "terms", "symbols", "files", "assets")
_INDEXED_ROWS = 4096
"""Rows from which on columns that are looked up by value have an index; fewer are read through as fast."""
_VECTOR_INDEX_ROWS = 100_000
"""Vectors from which on the nearest are found by an index."""
_VECTORS_PER_PARTITION = 4096
_LOOKED_UP = {
    "documents": ("doc_id", "path", "asset_id"),
    "passages": ("chunk_id", "doc_id"),
    "terms": ("term",),
    "symbols": ("name", "doc_id"),
    "assets": ("asset_id",),
}
FULL_TEXT = ("ranked", "surface")
"""Columns of `passages` with a full-text index."""
_BYTES_PER_MB = 1024 * 1024
_METADATA_CACHE_MB = 128
_CLEANING_MARGIN = timedelta(minutes=10)
"""A version that was made so shortly before the oldest that is kept stays: cleaning may be slow to begin."""
_NEVER = timedelta(days=36_500)
"""LanceDB removes versions of a week ago by itself, that of the newest head among them."""
_MAX_CAUSE = 300
_UNREADABLE = re.compile(r",? [^ ]+\.rs:\d+:\d+|lance error: |LanceError\(\w+\): |Generic \w+ error: ")
"""Source locations and prefixes of LanceDB."""
_CONFLICTS = ("incompatible transaction", "commit conflict", "write contention")
_FULL = ("no space left", "disk quota", "os error 28", "os error 122")
_PROTECTED = ("permission denied", "read-only file system", "os error 13", "os error 30")


@contextmanager
def lake_errors(path: str, action: str) -> Iterator[None]:
    """Map all exceptions of LanceDB and Arrow inside the block, Rust panics among them.

    Raises:
        StaleRevisionError: Another process has written to a table meanwhile.
        StorageError: The lake cannot be read or written.
        KebabError: Errors of kebab pass through.
        BaseException: So do `KeyboardInterrupt` and its like.
    """
    try:
        yield
    except KebabError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        text = str(error)
        if any(sign in text.lower() for sign in _CONFLICTS):
            stale = stale_revision()
            raise stale from error
        if any(sign in text.lower() for sign in _FULL):
            remedy = Remedy(kind="free_space")
        elif any(sign in text.lower() for sign in _PROTECTED):
            remedy = Remedy(kind="check_permissions", path=path)
        else:
            remedy = Remedy(kind="retry")
        cause = _UNREADABLE.sub("", (text.splitlines() or [type(error).__name__])[0])[:_MAX_CAUSE]
        raise StorageError(
            Message("cannot {action} the lake: {error}", action=action, error=cause),
            remedy=remedy,
            path=path,
        ) from error


def lance_version() -> str:
    """Return the version of LanceDB that is installed."""
    import lancedb

    return str(lancedb.__version__)


def quoted(text: str) -> str:
    """Return a text as a value of SQL."""
    return "'" + text.replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the condition that a column has one of some values; one that nothing meets without any."""
    listed = ", ".join(map(quoted, values))
    return f"{column} IN ({listed})" if listed else "false"


def batches(values: Sequence[_Value], size: int) -> Iterator[Sequence[_Value]]:
    """Yield the values in order, `size` at a time."""
    return (values[start : start + size] for start in range(0, len(values), size))


class LakeTable:
    """One table, open at a version for reading, or at the newest for writing."""

    def __init__(self, path: str, table: Any) -> None:
        self._path = path
        self._table = table
        self._expected = self.version
        """Version after what was written here; each write but those of indexes makes one."""

    @property
    def version(self) -> int:
        """The version that is open."""
        return int(self._table.version)

    @property
    def is_alone(self) -> bool:
        """Whether nobody else has written since the table was opened, as far as the last write here has seen."""
        return self.version == self._expected

    def count(self, where: str | None = None) -> int:
        """Count rows."""
        with lake_errors(self._path, "read"):
            return int(self._table.count_rows(where))

    def read(
        self, columns: Sequence[str], where: str | None = None, *, limit: int | None = None
    ) -> list[Row]:
        """Return rows in any order."""
        return list(self.scan(columns, where, limit=limit))

    def scan(
        self, columns: Sequence[str], where: str | None = None, *, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield rows in any order, a batch at a time."""
        with lake_errors(self._path, "read"):
            query = self._table.search().select(list(columns))
            if where is not None:
                query = query.where(where)
            if limit is not None:
                query = query.limit(limit)
            for batch in query.to_batches(8192):
                yield from batch.to_pylist()

    def read_vectors(self, where: str) -> tuple[list[str], NDArray[np.float32]]:
        """Return the chunks that have a vector, and the vectors, shape (n, d)."""
        import numpy as np

        with lake_errors(self._path, "read"):
            query = self._table.search().select(["chunk_id", "vector"])
            found = query.where(f"({where}) AND vector IS NOT NULL").to_arrow()
            column = found.column("vector").combine_chunks()
            width = self._table.schema.field("vector").type.list_size
            flat = column.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
            return found.column("chunk_id").to_pylist(), flat.reshape(-1, width)

    def match(self, query: Any, columns: Sequence[str], where: str | None, *, limit: int) -> list[Row]:
        """Return the rows that a full-text query finds, best first, each with its `_score`."""
        with lake_errors(self._path, "search"):
            search = self._table.search(query, query_type="fts")
            if where is not None:
                search = search.where(where, prefilter=True)
            return list(search.limit(limit).select([*columns, "_score"]).to_arrow().to_pylist())

    def nearest(
        self,
        vector: NDArray[np.float32],
        columns: Sequence[str],
        where: str | None,
        *,
        limit: int,
        refine: int,
    ) -> list[Row]:
        """Return the rows with the nearest vectors, best first, each with its `_distance`."""
        with lake_errors(self._path, "search"):
            search = self._table.search(vector, vector_column_name="vector").distance_type("cosine")
            # a condition that there is a vector would cost ten times the search (2026-11-29)
            search = search if where is None else search.where(where, prefilter=True)
            search = search.refine_factor(refine).limit(limit).select([*columns, "_distance"])
            return [row for row in search.to_arrow().to_pylist() if row["_distance"] is not None]

    def restore(self, version: int) -> None:
        """Make an earlier version the newest, where it is not."""
        with lake_errors(self._path, "write"):
            if self.version != version:
                self._table.checkout(version)
                self._table.restore()
                self._table.checkout_latest()
                self._expected = self.version

    def add(self, rows: Sequence[Row]) -> None:
        """Append rows."""
        import pyarrow as pa

        with lake_errors(self._path, "write"):
            if rows:
                self._table.add(pa.Table.from_pylist(list(rows), schema=self._table.schema))
                self._expected += 1

    def delete(self, where: str) -> None:
        """Remove rows."""
        with lake_errors(self._path, "write"):
            self._table.delete(where)
            self._expected += 1

    def upsert(self, keys: Sequence[str], rows: Sequence[Row], *, update: bool = True) -> None:
        """Insert rows whose keys are not there; replace those that are, or leave them."""
        import pyarrow as pa

        with lake_errors(self._path, "write"):
            if rows:
                merge = self._table.merge_insert(list(keys)).when_not_matched_insert_all()
                merge = merge.when_matched_update_all() if update else merge
                merge.execute(pa.Table.from_pylist(list(rows), schema=self._table.schema))
                self._expected += 1

    def build_indexes(self, name: str, *, anew: bool = False) -> None:
        """Merge small files, and bring the indexes up to date with all rows; build those that are due, or all."""
        from lancedb.index import FTS, BTree, IvfRq

        with lake_errors(self._path, "index"):
            rows = self.count()
            known = set() if anew else {tuple(index.columns) for index in self._table.list_indices()}
            if name == "passages" and rows:
                for column in FULL_TEXT:
                    if (column,) not in known:
                        config = FTS(
                            with_position=True,
                            base_tokenizer="whitespace",
                            lower_case=False,
                            stem=False,
                            remove_stop_words=False,
                            ascii_folding=False,
                            max_token_length=None,
                        )
                        self._create_index(name, column, config)
                if "vector" in self._table.schema.names and ("vector",) not in known:
                    vectors = self.count("vector IS NOT NULL")
                    if vectors >= _VECTOR_INDEX_ROWS:
                        partitions = vectors // _VECTORS_PER_PARTITION
                        config = IvfRq(distance_type="cosine", num_partitions=partitions, sample_rate=64)
                        self._create_index(name, "vector", config)
            if rows >= _INDEXED_ROWS:
                for column in _LOOKED_UP.get(name, ()):
                    if (column,) not in known:
                        self._create_index(name, column, BTree())
            self._table.optimize(cleanup_older_than=_NEVER)
            self._expected = self.version

    def _create_index(self, name: str, column: str, config: Any) -> None:
        started_s = time.process_time()
        self._table.create_index(column, config=config)
        _LOG.debug("index of %s.%s built, %.1f CPU s", name, column, time.process_time() - started_s)

    def count_unindexed(self) -> int:
        """Count the rows of `passages` that a full-text index does not have yet."""
        with lake_errors(self._path, "read"):
            names = {tuple(index.columns): index.name for index in self._table.list_indices()}
            found = (names.get((column,)) for column in FULL_TEXT)
            stats = [name and self._table.index_stats(name) for name in found]
            return max(each.num_unindexed_rows if each else self.count() for each in stats)

    def clean(self, *, before: int, now: datetime, retention: timedelta) -> None:
        """Remove the files of the versions before one that are older than `retention`.

        LanceDB removes by age alone, and compares it with the clock of this machine.
        """
        with lake_errors(self._path, "clean"):
            made_at = {each["version"]: each["timestamp"] for each in self._table.list_versions()}
            if before in made_at and min(made_at) < before:
                age = now - made_at[before].astimezone(UTC) + _CLEANING_MARGIN
                self._table.optimize(cleanup_older_than=max(age, retention))


class LakeFolder:
    """The tables below one folder, or in one bucket."""

    def __init__(self, path: str, *, index_cache_mb: int = 512) -> None:
        self.path = path
        self._index_cache_mb = index_cache_mb
        self._connection: Any = None

    def open(self, name: str, version: int | None = None) -> LakeTable:
        """Open a table at a version; None is the newest.

        Raises:
            StorageError: The version is gone, or cannot be read.
        """
        with lake_errors(self.path, "read"):
            table = self._connect().open_table(name)
            if version is not None:
                table.checkout(version)
            return LakeTable(self.path, table)

    def create(self, name: str, *, dimensions: int | None) -> LakeTable:
        """Make an empty table in place of any that is there."""
        with lake_errors(self.path, "write"):
            schema = table_schema(name, dimensions=dimensions)
            mode = "overwrite" if name in self._connect().list_tables().tables else "create"
            return LakeTable(self.path, self._connect().create_table(name, schema=schema, mode=mode))

    def _connect(self) -> Any:
        if self._connection is None:
            import lancedb

            session = lancedb.Session(
                index_cache_size_bytes=self._index_cache_mb * _BYTES_PER_MB,
                metadata_cache_size_bytes=_METADATA_CACHE_MB * _BYTES_PER_MB,
            )
            self._connection = lancedb.connect(self.path, session=session)
        return self._connection


@cache
def _schemas() -> Mapping[str, Any]:
    import pyarrow as pa

    def fields(**types: Any) -> list[Any]:
        return [pa.field(name, kind) for name, kind in types.items()]

    text, texts = pa.string(), pa.list_(pa.string())
    filtered = fields(
        doc_id=text,
        source_id=text,
        path=text,
        lang=text,
        media=text,
        source_type=text,
        trust_rank=pa.int8(),
        repo=text,
        code_lang=text,
        tags=texts,
        updated_us=pa.int64(),
        indexed_us=pa.int64(),
        mtime_ns=pa.int64(),
    )
    return {
        "documents": [
            *filtered,
            *fields(
                asset_id=text,
                title=text,
                shown_title=text,
                aliases=texts,
                symbols=texts,
                links=texts,
                chunk_count=pa.int32(),
                vector_count=pa.int32(),
                byte_len=pa.int64(),
                has_text=pa.bool_(),
                parser_version=text,
                chunker_version=text,
                indexed=text,
                summary=text,
                asset=text,
                document=pa.large_binary(),
                state=text,
            ),
        ],
        "passages": [
            *filtered,
            *fields(
                chunk_id=text,
                ordinal=pa.int32(),
                ranked=text,
                surface=text,
                content=pa.binary(),
                text_hash=pa.binary(),
                sample=pa.int32(),
            ),
        ],
        "terms": fields(kind=text, term=text, frequency=pa.int64()),
        "symbols": fields(
            name=text,
            symbol=text,
            role=text,
            chunk_id=text,
            doc_id=text,
            source_id=text,
            path=text,
            ordinal=pa.int32(),
            place=pa.int32(),
        ),
        "files": fields(kind=text, source_id=text, path=text, content=text),
        "assets": fields(asset_id=text, content=pa.large_binary()),
    }


def table_schema(name: str, *, dimensions: int | None = None) -> Any:
    """Return the columns of a table; passages have vectors where `dimensions` is given."""
    import pyarrow as pa

    fields = list(_schemas()[name])
    if name == "passages" and dimensions is not None:
        fields.append(pa.field("vector", pa.list_(pa.float16(), dimensions)))
    return pa.schema(fields)
