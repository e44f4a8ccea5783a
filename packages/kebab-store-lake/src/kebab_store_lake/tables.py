"""The tables of a lake. It and `terms`, which makes queries, are the only modules that import `lance` and `pyarrow`."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from kebab_core import KebabError, Message, Remedy, StorageError

from kebab_store_lake.head import stale_revision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG = logging.getLogger("kebab.lake")
Row = dict[str, Any]
_Value = TypeVar("_Value")

NAMES = ("documents", "passages", "vector_sums", "terms", "symbols", "files", "assets")
_INDEXED_ROWS = 4096
"""Rows from which on columns that are looked up by value have an index; fewer are read through as fast."""
_VECTOR_INDEX_ROWS = 16_384
"""Vectors from which on the nearest are found by an index. Without one each search reads all: 38 MB of 50,000, with one 14 MB once (2026-12-01)."""
_VECTORS_PER_PARTITION = 4096
_SEARCH_EFFORT = 0.4
"""Of 0 to 1: how much of an index is looked into at first. Of 200,000 vectors recall@40 is .993, with .2 .927 (2026-12-01)."""
_GROWTH = 4
"""A segment of an index, or a file, is merged with what is newer once that has a quarter of its rows."""
_MERGED_ROWS = 65_536
"""Rows up to which a publication merges; beyond, `rebuild` alone does."""
_LOOKED_UP = {
    "documents": ("doc_id", "path", "asset_id"),
    "passages": ("chunk_id", "doc_id"),
    "terms": ("term",),
    "symbols": ("name", "doc_id"),
    "assets": ("asset_id",),
}
FULL_TEXT = ("ranked", "surface")
"""Columns of `passages` with a full-text index."""
_FULL_TEXT_OPTIONS = {
    "with_position": True,
    "base_tokenizer": "whitespace",
    "lower_case": False,
    "stem": False,
    "remove_stop_words": False,
    "ascii_folding": False,
    "max_token_length": None,
    "num_workers": 4,
    "memory_limit": 8192,
}
"""Each worker, which has a share of the memory, in MB, makes a part that every search looks into."""
_BYTES_PER_MB = 1024 * 1024
_METADATA_CACHE_MB = 128
_MAX_CAUSE = 300
_UNREADABLE = re.compile(r",? [^ ]+\.rs:\d+:\d+|lance error: |LanceError\(\w+\): |Generic \w+ error: ")
"""Source locations and prefixes of Lance."""
_CONFLICTS = ("incompatible transaction", "commit conflict", "write contention")
_FULL = ("no space left", "disk quota", "os error 28", "os error 122")
_PROTECTED = ("permission denied", "read-only file system", "os error 13", "os error 30")


@contextmanager
def lake_errors(path: str, action: str) -> Iterator[None]:
    """Map all exceptions of Lance and Arrow inside the block, Rust panics among them.

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
    """Return the version of Lance that is installed."""
    import lance

    return str(lance.__version__)


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

    def __init__(self, path: str, dataset: Any) -> None:
        self._path = path
        self._dataset = dataset
        self._expected = self.version
        """Version after what was written here; each write but those of indexes makes one."""
        self._files = _rows_by_file(dataset)
        """Rows of each file that was there before anything was written here, by number."""

    @property
    def version(self) -> int:
        """The version that is open."""
        return int(self._dataset.version)

    @property
    def is_alone(self) -> bool:
        """Whether nobody else has written since the table was opened, as far as the last write here has seen."""
        return self.version == self._expected

    def count(self, where: str | None = None) -> int:
        """Count rows."""
        with lake_errors(self._path, "read"):
            return int(self._dataset.count_rows(filter=where))

    def read(
        self, columns: Sequence[str], where: str | None = None, *, limit: int | None = None
    ) -> list[Row]:
        """Return rows in any order."""
        return list(self.scan(columns, where, limit=limit))

    def scan(
        self, columns: Sequence[str], where: str | None = None, *, limit: int | None = None
    ) -> Iterator[Row]:
        """Yield rows in any order, a batch at a time; the column `_rowid` is the place of a row in this version."""
        with lake_errors(self._path, "read"):
            scanner = self._dataset.scanner(list(columns), where, limit, batch_size=8192, scan_in_order=False)
            for batch in scanner.to_batches():
                yield from batch.to_pylist()

    def read_vectors(self, where: str, *, column: str = "chunk_id") -> tuple[list[str], NDArray[np.float32]]:
        """Return a column of the rows that have a vector, and the vectors, shape (n, d)."""
        import numpy as np

        with lake_errors(self._path, "read"):
            # a condition that there is a vector would read all vectors
            late, columns = ["vector"], [column, "vector"]
            found = self._dataset.to_table(columns, where, late_materialization=late).drop_null()
            vectors = found.column("vector").combine_chunks()
            width = self._dataset.schema.field("vector").type.list_size
            flat = vectors.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
            return found.column(column).to_pylist(), flat.reshape(-1, width)

    def match(
        self, query: Any, where: str | None, *, limit: int, columns: Sequence[str] = ("_rowid",)
    ) -> list[Row]:
        """Return the rows that a full-text query finds, best first, each with its `_score`."""
        with lake_errors(self._path, "search"):
            found = self._dataset.to_table(
                [*columns, "_score"], where, limit, full_text_query=query, prefilter=True
            )
            return list(found.to_pylist())

    def nearest(
        self, vector: NDArray[np.float32], where: str | None, *, limit: int, is_exact: bool = False
    ) -> list[Row]:
        """Return the `_rowid` of the rows with the nearest vectors, best first, each with its `_distance`, which the index estimates."""
        with lake_errors(self._path, "search"):
            # a condition that there is a vector would cost ten times the search (2026-11-29)
            options = {
                "metric": "cosine",
                "refine_factor": 1 if is_exact else None,
                "search_effort": _SEARCH_EFFORT,
            }
            nearest = {"column": "vector", "q": vector, "k": limit, **options}
            columns = ["_rowid", "_distance"]
            found = self._dataset.to_table(columns, where, nearest=nearest, prefilter=True).to_pylist()
            return [row for row in found if row["_distance"] is not None]

    def open_index(self, column: str) -> None:
        """Read what every search with the index of a column begins with, where there is one."""
        with lake_errors(self._path, "read"):
            if _index_of(column) in {each.name for each in self._dataset.describe_indices()}:
                self._dataset.index_statistics(_index_of(column))

    def restore(self, version: int) -> None:
        """Make an earlier version the newest, where it is not."""
        with lake_errors(self._path, "write"):
            if self.version != version:
                self._dataset = self._dataset.checkout_version(version)
                self._dataset.restore()
                self._expected, self._files = self.version, _rows_by_file(self._dataset)

    def add(self, rows: Sequence[Row]) -> None:
        """Append rows."""
        import pyarrow as pa

        with lake_errors(self._path, "write"):
            if rows:
                self._dataset.insert(pa.Table.from_pylist(list(rows), schema=self._dataset.schema))
                self._expected += 1

    def delete(self, where: str) -> None:
        """Remove rows."""
        with lake_errors(self._path, "write"):
            self._dataset.delete(where)
            self._expected += 1

    def upsert(self, keys: Sequence[str], rows: Sequence[Row], *, update: bool = True) -> None:
        """Insert rows whose keys are not there; replace those that are, or leave them."""
        import pyarrow as pa

        with lake_errors(self._path, "write"):
            if rows:
                merge = self._dataset.merge_insert(list(keys)).when_not_matched_insert_all()
                merge = merge.when_matched_update_all() if update else merge
                merge.execute(pa.Table.from_pylist(list(rows), schema=self._dataset.schema))
                self._expected += 1

    def build_indexes(self, name: str, vectors: int) -> None:
        """Index the rows that were added, in segments of their own or together with small ones before; likewise their files.

        What is large already stays as it is, so that the cost is that of the new rows.

        Args:
            name: Of the table.
            vectors: Rows with a vector; counting them would read all.
        """
        with lake_errors(self._path, "index"):
            before, table = self._files, self._dataset
            table.optimize.compact_files(excluded_fragment_ids=list(before))
            rows = _rows_by_file(table)
            due, indexes = (
                self._due(name, vectors),
                {each.name: each.segments for each in table.describe_indices()},
            )
            for column in due:
                parts = [rows.keys() & set(each.fragment_ids) for each in indexes.get(_index_of(column), ())]
                new = sum(rows[each] for each in rows.keys() - set().union(*parts))
                merged = _tail([sum(map(rows.__getitem__, part)) for part in parts], new)
                if merged == len(parts):
                    self._create_index(name, column, vectors)
                else:
                    names = [_index_of(column)]
                    table.optimize.optimize_indices(index_names=names, num_indices_to_merge=merged)
            for unused in indexes.keys() - set(map(_index_of, due)):
                table.drop_index(unused)
            there = [each for each in before if each in rows]
            new = sum(rows[each] for each in rows.keys() - before.keys())
            if merged := _tail([rows[each] for each in there], new):
                table.optimize.compact_files(excluded_fragment_ids=there[:-merged])
            self._expected, self._files = self.version, _rows_by_file(table)

    def rebuild(self, name: str, vectors: int) -> None:
        """Merge all files, without what was removed, and build all indexes anew. Arguments are those of `build_indexes`."""
        with lake_errors(self._path, "index"):
            for index in self._dataset.describe_indices():
                self._dataset.drop_index(index.name)
            self._dataset.optimize.compact_files(materialize_deletions_threshold=0.0)
            for column in self._due(name, vectors):
                self._create_index(name, column, vectors)
            self._expected = self.version

    def _due(self, name: str, vectors: int) -> list[str]:
        """Return the columns that an index pays for."""
        rows = self.count()
        due = list(_LOOKED_UP.get(name, ())) if rows >= _INDEXED_ROWS else []
        if name == "passages" and rows:
            due += [*FULL_TEXT, *(["vector"] if vectors >= _VECTOR_INDEX_ROWS else [])]
        return due

    def _create_index(self, name: str, column: str, vectors: int) -> None:
        started_s = time.process_time()
        if column == "vector":
            self._dataset.create_index(
                column,
                "IVF_SQ",
                _index_of(column),
                "cosine",
                replace=True,
                num_partitions=vectors // _VECTORS_PER_PARTITION,
                sample_rate=64,
            )
        elif column in FULL_TEXT:
            self._dataset.create_scalar_index(column, "INVERTED", _index_of(column), **_FULL_TEXT_OPTIONS)
        else:
            self._dataset.create_scalar_index(column, "BTREE", _index_of(column))
        _LOG.debug("index of %s.%s built, %.1f CPU s", name, column, time.process_time() - started_s)

    def count_unindexed(self) -> int:
        """Count the rows of `passages` that a full-text index does not have yet."""
        with lake_errors(self._path, "read"):
            indexes = {index.name: index.segments for index in self._dataset.describe_indices()}
            rows = _rows_by_file(self._dataset)
            known = [
                {file for segment in indexes.get(_index_of(column), ()) for file in segment.fragment_ids}
                for column in FULL_TEXT
            ]
            return max(sum(rows[file] for file in rows.keys() - indexed) for indexed in known)

    def clean(self, *, kept: Collection[int]) -> None:
        """Remove the versions before the newest of some that are not among these, and the files that they alone have."""
        with lake_errors(self._path, "clean"):
            newest = max(kept)
            there = {each["version"] for each in self._dataset.versions()}
            if gone := sorted(each for each in there - set(kept) if each < newest):
                self._dataset.cleanup_old_versions(versions=gone)


def _index_of(column: str) -> str:
    return f"{column}_idx"


def _rows_by_file(dataset: Any) -> dict[int, int]:
    """Return the number of rows of each file that are not removed, in order."""
    files = [(each.fragment_id, each.metadata) for each in dataset.get_fragments()]
    return {number: file.physical_rows - file.num_deletions for number, file in files}


def _tail(sizes: Sequence[int], new: int) -> int:
    """Return how many of the last parts some new rows are merged with, so that parts before are always several times as large."""
    count = 0
    for size in reversed(sizes):
        if size >= _GROWTH * max(new, 1) or (size > new and new + size > _MERGED_ROWS):
            break
        new, count = new + size, count + 1
    return count


class LakeFolder:
    """The tables below one folder, or in one bucket."""

    def __init__(self, path: str, *, index_cache_mb: int = 512) -> None:
        self.path = path
        self._index_cache_mb = index_cache_mb

    def open(self, name: str, version: int | None = None) -> LakeTable:
        """Open a table at a version; None is the newest.

        Raises:
            StorageError: The version is gone, or cannot be read.
        """
        with lake_errors(self.path, "read"):
            import lance

            return LakeTable(self.path, lance.dataset(self._url(name), version, session=self._session))

    def create(self, name: str, *, dimensions: int | None) -> LakeTable:
        """Make an empty table in place of any that is there."""
        with lake_errors(self.path, "write"):
            import lance

            empty = table_schema(name, dimensions=dimensions).empty_table()
            dataset = lance.write_dataset(empty, self._url(name), mode="overwrite", session=self._session)
            return LakeTable(self.path, dataset)

    def _url(self, name: str) -> str:
        return f"{self.path.rstrip('/')}/{name}.lance"

    @cached_property
    def _session(self) -> Any:
        import lance

        return lance.Session(
            index_cache_size_bytes=self._index_cache_mb * _BYTES_PER_MB,
            metadata_cache_size_bytes=_METADATA_CACHE_MB * _BYTES_PER_MB,
        )


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
        "vector_sums": fields(lang=text, count=pa.int64(), sums=pa.binary(), products=pa.binary()),
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
