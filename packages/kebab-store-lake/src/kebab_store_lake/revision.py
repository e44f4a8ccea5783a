"""One revision of a lake, open for reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property, partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

from kebab_core import (
    CompletedScan,
    FileFailure,
    KebabError,
    NotIndexedError,
    ReadonlyModeError,
    Remedy,
    Repository,
)

from kebab_store_lake.head import Head, Heads
from kebab_store_lake.objects import is_bucket
from kebab_store_lake.rows import StoredPassage
from kebab_store_lake.tables import NAMES, LakeFolder, LakeTable, batches, one_of, quoted
from kebab_store_lake.vector_sums import COLUMNS, VectorSums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_MOST_SEEN = 5000
"""Passages that are kept in memory; in a bucket each look-up is a request."""
_ROWS_AT_ONCE = 1000
_Key = TypeVar("_Key", int, str)


class LakeRevision:
    """A revision of a lake. What is read of it never changes; usable from several threads.

    Args:
        folder: Of the lake, or the URL of its bucket.
        revision: None is the newest.
        index_cache_mb: Memory for indexes.

    Raises:
        NotIndexedError: Nothing has been published there, or the revision is not kept any more.
        StorageError: The lake cannot be read.
    """

    def __init__(self, folder: Path | str, *, revision: int | None = None, index_cache_mb: int = 512) -> None:
        folder = str(folder)
        self._heads = Heads(folder)
        head = self._heads.read_newest() if revision is None else self._heads.read(revision)
        if head is None and revision is None:
            raise NotIndexedError(
                "nothing has been published to the lake {lake!r} yet",
                remedy=Remedy(kind="check_permissions", path=folder),
                lake=folder,
            )
        if head is None:
            raise NotIndexedError(
                "revision {revision} of the lake is not kept any more",
                remedy=Remedy(kind="retry"),
                revision=revision,
            )
        self.head: Head = head
        self._folder = LakeFolder(folder, index_cache_mb=index_cache_mb)
        self._tables: dict[str, LakeTable] = {}
        self._seen: dict[int | str, StoredPassage] = {}
        """Passages by row, and by id."""
        self._opening = {name: Lock() for name in NAMES}
        if is_bucket(folder):
            for read in self._first_reads():
                Thread(target=read, daemon=True).start()

    def _first_reads(self) -> Iterator[Callable[[], None]]:
        """Yield what every search of a bucket begins with, to be read side by side: each look into it waits for the one before."""

        def read(look: Callable[[], object]) -> None:
            with suppress(KebabError):  # whoever needs it finds out
                look()

        looks: list[Callable[[], object]] = [
            lambda: self.table("passages").open_index("ranked"),
            lambda: self.table("passages").open_index("vector"),
            lambda: self.table("terms").count("term = ''"),
            lambda: self.table("documents").count("doc_id = ''"),
            lambda: self.scans,
            lambda: self.has_symbols,
            lambda: self.vector_sums,
        ]
        return (partial(read, look) for look in looks)

    def table(self, name: str) -> LakeTable:
        """Return a table at its version."""
        with self._opening[name]:
            if name not in self._tables:
                self._tables[name] = self._folder.open(name, self.head.tables[name])
            return self._tables[name]

    @cached_property
    def vector_sums(self) -> VectorSums | None:
        """The sums of its vectors; None without a model."""
        model = self.head.model
        if model is None:
            return None
        return VectorSums(model.dimensions, self.table("vector_sums").scan(COLUMNS))

    def passages_at(self, rows: Sequence[int]) -> dict[int, StoredPassage]:
        """Return the passages in some rows, by row, those that were read before from memory."""
        return self._passages(rows, lambda some: f"_rowid IN ({', '.join(map(str, some))})")

    def find_passages(self, chunk_ids: Sequence[str]) -> dict[str, StoredPassage]:
        """Return those with some ids that there are, by id; likewise."""
        return self._passages(chunk_ids, lambda some: one_of("chunk_id", some))

    def _passages(
        self, keys: Sequence[_Key], condition: Callable[[Sequence[_Key]], str]
    ) -> dict[_Key, StoredPassage]:
        if len(self._seen) > 2 * _MOST_SEEN:  # other threads go on with what they have
            self._seen = {}
        seen = self._seen
        for some in batches([key for key in keys if key not in seen], _ROWS_AT_ONCE):
            for row in self.table("passages").scan(["_rowid", "content"], condition(some)):
                passage = StoredPassage.read(row["content"])
                seen[row["_rowid"]] = seen[passage.chunk_id] = passage
        return {key: seen[key] for key in keys if key in seen}

    @property
    def is_newest(self) -> bool:
        """Whether no later revision has been published."""
        revisions = self._heads.list_revisions()
        return not revisions or revisions[-1] <= self.head.revision

    @cached_property
    def failures(self) -> list[FileFailure]:
        """Files that could not be processed, by source and path."""
        return [FileFailure.model_validate_json(content) for content in self._files("failure")]

    @cached_property
    def failed_files(self) -> frozenset[tuple[str, str]]:
        """Their sources and paths."""
        return frozenset((each.source_id, str(each.workspace_path)) for each in self.failures)

    @cached_property
    def failed_count(self) -> int:
        """Their number, without folders that could not be read and have documents, each of which has its own failure."""
        documents = self.table("documents")
        return sum(
            not documents.count(
                f"source_id = {quoted(source)} AND path > {quoted(path + '/')} AND path < {quoted(path + '0')}"
            )
            for source, path in self.failed_files
        )

    @cached_property
    def has_symbols(self) -> bool:
        """Whether a passage defines a symbol."""
        return bool(self.table("symbols").count())

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages of all documents."""
        return frozenset(row["lang"] for row in self.table("documents").scan(["lang"]))

    @cached_property
    def source_counts(self) -> Mapping[str, int]:
        """The number of documents of each source, by source."""
        counts = Counter(row["source_id"] for row in self.table("documents").scan(["source_id"]))
        return dict(sorted(counts.items()))

    @cached_property
    def scans(self) -> Mapping[str, CompletedScan]:
        """The last complete scan of each source, by source."""
        found = map(CompletedScan.model_validate_json, self._files("scan"))
        return {each.source_id: each for each in found}

    @cached_property
    def repositories(self) -> list[Repository]:
        """The repositories of all sources, by source and folder."""
        return [Repository.model_validate_json(content) for content in self._files("repository")]

    def _files(self, kind: str) -> list[str]:
        rows = self.table("files").read(["source_id", "path", "content"], f"kind = '{kind}'")
        return [row["content"] for row in sorted(rows, key=lambda row: (row["source_id"], row["path"]))]


class ReadonlyStore:
    """Base of stores over a revision: methods that would write raise `ReadonlyModeError`."""

    WRITES: ClassVar[frozenset[str]]
    """Their names."""

    def __getattr__(self, name: str) -> NoReturn:
        if name not in self.WRITES:
            raise AttributeError(name)
        raise ReadonlyModeError(
            "a lake is open for reading only; documents are added by its committer",
            remedy=Remedy(kind="set", setting="storage.engine"),
        )
