"""Unused space goes back to the disk, and nothing else changes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kebab_core import (
    FileUri,
    IngestCounts,
    IngestItem,
    IngestReport,
    IngestResult,
    IngestScope,
    LexicalQuery,
    ReadonlyModeError,
    RunId,
    WorkspacePath,
)
from kebab_store_sqlite import (
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteJobRepo,
    SqliteLexicalIndex,
    compact,
    open_database,
    table_sizes,
)
from kebab_testing.fakes.clock import START, FixedClock
from kebab_testing.records import RecordSpec, build_record

TEXT = "한국어 문단과 English words. " * 40


def size_of(database: SqliteDatabase) -> int:
    return sum(path.stat().st_size for path in database.data_dir.glob("kebab.sqlite*"))


def fill(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    records = [
        build_record(RecordSpec(path=f"{n}.md", paragraphs=(f"word{n} {TEXT}",) * 9)) for n in range(60)
    ]
    for record in records:
        store.replace_document(record)
    store.remove_documents([record.document.doc_id for record in records[2:]])


def test_space_of_removed_documents_is_returned(database: SqliteDatabase) -> None:
    fill(database)
    index, before = SqliteLexicalIndex(database), size_of(database)
    found = index.search(LexicalQuery(terms=("word1",)), limit=20)
    compact(database)
    assert size_of(database) < before / 3
    assert index.search(LexicalQuery(terms=("word1",)), limit=20) == found != []
    small = database.path.read_bytes()
    compact(database)
    assert database.path.read_bytes() == small


def segments_of(database: SqliteDatabase) -> list[int]:
    with database.reading() as connection:
        return [
            connection.execute(f"SELECT count(DISTINCT segid) FROM {table}_idx").fetchone()[0]
            for table in ("chunks_fts", "chunks_exact")
        ]


@pytest.mark.parametrize(("written", "merged"), [(0, False), (4, False), (5, True)])
def test_full_text_is_merged_after_much_was_written(
    database: SqliteDatabase, written: int, merged: bool
) -> None:
    store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)
    for number in range(19):
        store.replace_document(build_record(RecordSpec(path=f"{number}.md", paragraphs=(f"word{number}",))))
    before = segments_of(database)
    found = index.search(LexicalQuery(terms=("word1",)), limit=20)
    compact(database, written=written)
    assert segments_of(database) == ([1, 1] if merged else before)
    assert before > [1, 1]
    assert index.search(LexicalQuery(terms=("word1",)), limit=20) == found != []


def test_the_log_is_empty_afterwards_though_others_have_the_database_open(
    data_dir: Path, database: SqliteDatabase
) -> None:
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True) as reader:
        assert reader.schema_version
        SqliteDocumentStore(database).replace_document(build_record(RecordSpec()))
        log = database.path.with_name("kebab.sqlite-wal")
        assert log.stat().st_size
        compact(database)
        assert log.stat().st_size == 0


def test_a_database_for_reading_is_not_compacted(data_dir: Path, database: SqliteDatabase) -> None:
    fill(database)
    with (
        open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True) as reader,
        pytest.raises(ReadonlyModeError),
    ):
        compact(reader)


@pytest.mark.parametrize("content", [TEXT.encode(), b"", b"a", bytes(range(256)) * 3])
def test_copies_are_small_and_copies_that_are_not_compressed_are_read(data_dir: Path, content: bytes) -> None:
    record = build_record(RecordSpec(content=content))
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=10_000) as database:
        assets = SqliteDocumentStore(database)
        stored = assets.put_asset(record.asset, content)
        assert isinstance(stored.source_uri, FileUri)
        SqliteDocumentStore(database).replace_document(record.model_copy(update={"asset": stored}))
        path = data_dir / stored.stored.path
        assert path.stat().st_size <= max(len(content), 1)
        assert (path.stat().st_size < len(content) / 5) == (content == TEXT.encode())
        assert assets.read_asset(record.asset.asset_id) == content
        path.write_bytes(content)
        assert assets.read_asset(record.asset.asset_id) == content
        assert assets.put_asset(record.asset, content) == stored
        assert path.read_bytes() == content


def test_runs_but_the_newest_list_removed_and_moved_files_only(database: SqliteDatabase) -> None:
    runs = SqliteJobRepo(database)
    kinds = [IngestResult.NEW, IngestResult.REMOVED, IngestResult.MOVED]
    items = tuple(IngestItem(kind=kind, doc_path=WorkspacePath(f"{kind}.md")) for kind in kinds)
    for number in range(13):
        at = START + timedelta(hours=number)
        report = IngestReport(
            run_id=RunId(str(number)),
            scopes=(IngestScope(root="/"),),
            counts=IngestCounts(),
            items=items if number % 2 else None,
            duration_ms=1,
            started_at=at,
            finished_at=at,
        )
        runs.start_run(report.run_id, report.scopes, started_at=at)
        runs.finish_run(report)
        assert runs.forget_runs(keep=100, before=None) == 0
    listed = [run.report.items for run in runs.list_runs(limit=100) if run.report]
    assert listed == [items if n % 2 else None for n in range(12, 2, -1)] + [None, items[1:], None]


def test_sizes_of_tables_are_those_of_the_file(database: SqliteDatabase) -> None:
    fill(database)
    compact(database)
    sizes = table_sizes(database)
    if not sizes:
        pytest.skip("SQLite was built without dbstat")
    assert {"document_parts", "full_text", "documents", "unused"} <= set(sizes)
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    assert sum(sizes.values()) <= database.path.stat().st_size <= sum(sizes.values()) + 64 * 1024
