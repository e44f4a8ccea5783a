from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from kebab_core import (
    CopyLook,
    DatabaseCorruptError,
    DocFilter,
    DocumentRecord,
    ExtractedText,
    LexicalQuery,
    PageSpan,
    RememberedSkip,
    SchemaTooNewError,
    SkipReason,
    TextPart,
    WorkspacePath,
    file_state,
    hash_bytes,
    spelling_of,
)
from kebab_store_sqlite import (
    SCHEMA_VERSION,
    SqliteAssetStore,
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteLexicalIndex,
    SqliteSourceFileStore,
    check_integrity,
    open_database,
    schema,
)
from kebab_store_sqlite.connection import Access, connect
from kebab_store_sqlite.document_parts import PARTS_SCHEMA
from kebab_store_sqlite.schema import Migration, apply_migrations, load_migrations
from kebab_testing.fakes.clock import START, FixedClock
from kebab_testing.records import RecordSpec, build_record

Make = Callable[..., Path]

LANDED = {
    1: "32f580b0a2c9a0f599c76d9db9ea1c6ae1d682988380153b84dbb82a62d68d41",
    2: "4db8604876548623338efb813d066014ecd24a77779827f4f2edb568506adf02",
    3: "1800360bf54f26baf6bc83754777fe5fb6980b02f2e85d4692a47b1bc53e73ac",
    4: "f5505fe5241f181cb2b8655263bb267ae3e9922f09dee153adf07a44efdf3ea4",
    5: "c0ad6b04784b65e2d36c5da125dae9dd978886d9ca8c5df2d20d5ec2192f8c57",
    6: "89e43c5356fede7bce0ea4f9f9539c7749acf31184fa6d28afe0a9ab9b6f16af",
    7: "163990c464b6c6c451e70c01ded1bb143f12264dcf8f14ccfc4cb9ccb1a082a1",
    8: "08e1bb538b0b7d3d1a67a378840cbb5c190efffbd5303868fed5050184961d16",
    9: "01d5f44336e85309532757e7fb266143536ac184295db039c1b2356178db5fc6",
    10: "35ec0edab4857dd8e7b3dcd69c5c8f8cd574b680a3428667dc49fe256feb8f4b",
    11: "00beae68c2e811b415483ab2827e2e605e5b1e1d8dc04a622fa2ed22f3e88109",
}
"""BLAKE3 of every migration's text. A line is added with a migration and never changed afterwards."""

SEED_TABLES = frozenset([
    "schema_meta",
    "migrations",
    "assets",
    "documents",
    "document_tags",
    "document_parts",
    "chunks",
    "chunks_fts",
    "code_symbols",
    "embedding_models",
    "vectors",
    "jobs",
    "ingest_runs",
    "answers",
    "eval_runs",
    "eval_query_results",
    "chat_sessions",
    "chat_turns",
    "repositories",
    "metadata_titles",
])


def test_landed_migrations_are_never_edited() -> None:
    assert {
        migration.version: hash_bytes(migration.sql.encode()) for migration in load_migrations()
    } == LANDED


def test_migrations_are_numbered_without_gaps_up_to_the_schema_version() -> None:
    assert [migration.version for migration in load_migrations()] == list(range(1, SCHEMA_VERSION + 1))


def test_a_new_database_has_every_table_and_says_its_version(database: SqliteDatabase) -> None:
    with database.reading() as connection:
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        applied = connection.execute("SELECT id, applied_at, description FROM migrations").fetchall()
    assert tables >= SEED_TABLES
    assert [tuple(row) for row in applied] == [
        (1, "2026-01-02T03:04:05.000000Z", "init"),
        (2, "2026-01-02T03:04:05.000000Z", "file states"),
        (3, "2026-01-02T03:04:05.000000Z", "file spelling"),
        (4, "2026-01-02T03:04:05.000000Z", "file ctime"),
        (5, "2026-01-02T03:04:05.000000Z", "repeated lead"),
        (6, "2026-01-02T03:04:05.000000Z", "document texts"),
        (7, "2026-01-02T03:04:05.000000Z", "vectors"),
        (8, "2026-01-02T03:04:05.000000Z", "document parts"),
        (9, "2026-01-02T03:04:05.000000Z", "repositories"),
        (10, "2026-01-02T03:04:05.000000Z", "code symbols"),
        (11, "2026-01-02T03:04:05.000000Z", "metadata titles"),
    ]
    assert database.schema_version == SCHEMA_VERSION == SqliteDocumentStore(database).stats().schema_version


def test_every_ordinary_table_is_strict(database: SqliteDatabase) -> None:
    with database.reading() as connection:
        lax = [
            name
            for (_, name, kind, _, _, strict) in connection.execute("PRAGMA table_list")
            if kind == "table" and not strict and not name.startswith("sqlite_")
        ]
    assert lax == []


def test_opening_again_applies_nothing_and_keeps_everything(data_dir: Path) -> None:
    record = build_record(RecordSpec())
    for _ in range(2):
        with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
            store = SqliteDocumentStore(database)
            if store.get_document(record.document.doc_id) is None:
                store.replace_document(record)
            assert store.corpus_revision() == 1


def test_a_newer_database_is_refused_with_a_remedy(data_dir: Path, database: SqliteDatabase) -> None:
    with database.writing() as connection:
        connection.execute(
            "UPDATE schema_meta SET value = ? WHERE key = 'schema_version'", (SCHEMA_VERSION + 1,)
        )
    for readonly in (True, False):
        with pytest.raises(SchemaTooNewError) as caught:
            open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=readonly)
        assert caught.value.remedy
    with database.writing() as connection:
        connection.execute("UPDATE schema_meta SET value = ? WHERE key = 'schema_version'", (SCHEMA_VERSION,))


def test_a_database_of_another_program_is_left_alone(data_dir: Path) -> None:
    data_dir.mkdir(parents=True)
    with closing(sqlite3.connect(data_dir / "kebab.sqlite")) as foreign:
        foreign.execute("CREATE TABLE theirs (x)")
    with pytest.raises(DatabaseCorruptError):
        open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1)


@pytest.fixture
def connection(data_dir: Path, database: SqliteDatabase) -> Iterator[sqlite3.Connection]:
    with closing(connect(data_dir / "kebab.sqlite", Access.READ_WRITE)) as opened:
        yield opened


BROKEN = """
CREATE TABLE extra (x TEXT) STRICT;
CREATE TRIGGER extra_added AFTER INSERT ON extra BEGIN
  UPDATE kv SET value = 'changed';
  DELETE FROM documents;
END;
INSERT INTO extra VALUES ('a; b');  -- a comment; with a semicolon
UPDATE schema_meta SET value = '99';
"""


@pytest.mark.parametrize(
    "last", ["INSERT INTO nowhere VALUES (1);", "not SQL;", "SELECT unknown_function();"]
)
def test_a_migration_whose_last_statement_fails_leaves_nothing_behind(
    connection: sqlite3.Connection, database: SqliteDatabase, data_dir: Path, last: str
) -> None:
    SqliteDocumentStore(database).replace_document(build_record(RecordSpec()))
    before = list(connection.iterdump())
    with pytest.raises(sqlite3.OperationalError):
        _apply(connection, data_dir, [Migration(SCHEMA_VERSION + 1, "broken", BROKEN + last)])
    assert not connection.in_transaction
    assert list(connection.iterdump()) == before


def test_a_migration_of_many_statements_is_applied_whole(
    connection: sqlite3.Connection, data_dir: Path
) -> None:
    added = "INSERT INTO extra VALUES ('c');\n-- done\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "SCHEMA_VERSION", 99)
        _apply(connection, data_dir, [Migration(99, "long", BROKEN + added)])
    assert [row[0] for row in connection.execute("SELECT x FROM extra")] == ["a; b", "c"]
    assert {row[0] for row in connection.execute("SELECT value FROM kv")} == {"changed"}
    connection.execute("DELETE FROM migrations WHERE id = 99")
    connection.execute("DROP TABLE extra")
    connection.execute(
        "UPDATE schema_meta SET value = ? WHERE key = 'schema_version'", (str(SCHEMA_VERSION),)
    )
    connection.commit()


def test_every_migration_ends_with_its_last_statement() -> None:
    assert all(migration.sql.rstrip().endswith(";") for migration in load_migrations())


def _apply(connection: sqlite3.Connection, data_dir: Path, migrations: list[Migration]) -> None:
    apply_migrations(connection, migrations, data_dir=data_dir, clock=FixedClock())


def test_only_missing_migrations_are_applied(connection: sqlite3.Connection, data_dir: Path) -> None:
    _apply(connection, data_dir, load_migrations())
    assert connection.execute("SELECT count(*) FROM migrations").fetchone()[0] == SCHEMA_VERSION


@pytest.fixture
def older(make_former_database: Make) -> DocumentRecord:
    """A record in a database of the first schema."""
    record = build_record(RecordSpec())
    make_former_database(1, record)
    return record


def test_an_older_database_is_upgraded_with_its_documents(data_dir: Path, older: DocumentRecord) -> None:
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        store = SqliteDocumentStore(database)
        source_id, path = older.document.source_id, older.document.workspace_path
        stamp = older.stamp._replace(ctime_ns=None)
        state = file_state(stamp, older.fingerprint, spelling_of(older.disk_path, path))
        assert database.schema_version == SCHEMA_VERSION
        assert store.get_document(older.document.doc_id) is not None
        assert SqliteSourceFileStore(database).file_states(source_id) == {path: state}
        assert SqliteSourceFileStore(database).remembered_skips(source_id) == []
        tracked = SqliteSourceFileStore(database).tracked_file(source_id, path)
        assert tracked is not None
        assert tracked.stamp == stamp
        assert store.get_text(older.document.doc_id) is None


def test_an_older_database_is_read_as_it_is_where_nothing_may_be_written(
    data_dir: Path, older: DocumentRecord
) -> None:
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True) as database:
        store = SqliteDocumentStore(database)
        assert database.schema_version == 1
        assert store.get_document(older.document.doc_id) is not None
        assert [document.doc_id for document in store.list_documents(DocFilter())] == [older.document.doc_id]
        assert store.coverage(now=START, stale_threshold_days=0).documents_indexed == 1
        assert (store.stats().doc_count, SqliteAssetStore(database).audit_assets(CopyLook.NAMES).copies) == (
            1,
            0,
        )
        (tracked,) = SqliteSourceFileStore(database).tracked_files(older.document.source_id)
        assert tracked.stamp == older.stamp._replace(ctime_ns=None)


def test_opening_a_current_database_does_not_import_sqlite_utils(
    data_dir: Path, database: SqliteDatabase
) -> None:
    program = """
import sys
from pathlib import Path
from kebab_core import SearchFilters, LexicalQuery
from kebab_store_sqlite import SqliteDocumentStore, SqliteLexicalIndex, open_database
from kebab_testing.fakes.clock import START, FixedClock
with open_database(Path(sys.argv[1]), clock=FixedClock(), copy_threshold_bytes=1) as database:
    SqliteDocumentStore(database).resolve_filters(SearchFilters(lang=("ko",)))
    SqliteLexicalIndex(database).search(LexicalQuery(terms=("a",)), limit=1)
assert not [name for name in sys.modules if name.startswith("sqlite_utils")]
"""
    subprocess.run([sys.executable, "-c", program, str(data_dir)], check=True)


def test_two_processes_may_create_the_database_at_once(data_dir: Path) -> None:
    program = """
import sys
from pathlib import Path
from kebab_store_sqlite import open_database
from kebab_testing.fakes.clock import START, FixedClock
input()
open_database(Path(sys.argv[1]), clock=FixedClock(), copy_threshold_bytes=1).close()
"""
    command = [sys.executable, "-c", program, str(data_dir)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        process.communicate(b"\n")
    assert [process.returncode for process in processes] == [0, 0, 0]
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True) as database:
        assert database.schema_version == SCHEMA_VERSION


_FORMER = range(1, PARTS_SCHEMA)
"""Schemas with a row for each block."""
_LONG = RecordSpec(path="long.md", paragraphs=tuple(f"단어{n} word{n}" for n in range(300)))
_QUERY = LexicalQuery(terms=("word7",), phrases=(("단어7",),))


def everything(database: SqliteDatabase, records: Sequence[DocumentRecord]) -> object:
    """What the stores return of documents."""
    store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)
    found = [
        (
            store.get_document(record.document.doc_id),
            store.list_chunks(record.document.doc_id),
            store.get_chunks([chunk.chunk_id for chunk in record.chunks]),
            [store.neighbours(chunk.chunk_id, 2) for chunk in record.chunks[:20]],
        )
        for record in records
    ]
    terms = [f"word{n}" for n in range(300)]
    return found, index.search(_QUERY, limit=20), index.document_frequencies(terms), index.corpus_size()


@pytest.fixture
def records() -> list[DocumentRecord]:
    return [build_record(spec) for spec in (RecordSpec(), _LONG, RecordSpec(path="empty.md", paragraphs=()))]


@pytest.mark.thorough
@pytest.mark.parametrize("version", _FORMER)
def test_an_older_database_that_may_only_be_read_is_whole(
    data_dir: Path, make_former_database: Make, version: int, records: list[DocumentRecord]
) -> None:
    make_former_database(version, *records)
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True) as database:
        assert database.schema_version == version
        assert check_integrity(database) == []
        read_only = everything(database, records)
        assert SqliteDocumentStore(database).get_text(records[0].document.doc_id) is None
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        assert everything(database, records) == read_only
        assert check_integrity(database) == []
    for number, record in enumerate(records):
        assert read_only[0][number][1] == list(record.chunks)  # type: ignore[index]


@pytest.mark.thorough
@pytest.mark.parametrize("version", _FORMER)
def test_a_migrated_database_is_the_one_that_the_documents_make_anew(
    data_dir: Path, make_former_database: Make, version: int, records: list[DocumentRecord]
) -> None:
    make_former_database(version, *records)
    with (
        open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as migrated,
        open_database(data_dir / "new", clock=FixedClock(), copy_threshold_bytes=1) as new,
    ):
        store = SqliteDocumentStore(new)
        for record in records:
            store.replace_document(record)
        assert everything(migrated, records) == everything(new, records)
        schemas = [
            {row["name"]: row["sql"] for row in each.execute("SELECT name, sql FROM sqlite_master")}
            for database in (migrated, new)
            for each in [database._connection()]
        ]
        assert schemas[0] == schemas[1]
        for record in records:
            SqliteDocumentStore(migrated).replace_document(record)
        assert check_integrity(migrated) == []
        assert SqliteDocumentStore(migrated).remove_documents([r.document.doc_id for r in records]) == 3
        assert check_integrity(migrated) == []
        assert SqliteLexicalIndex(migrated).corpus_size() == 0


@pytest.mark.thorough
@pytest.mark.parametrize("version", _FORMER)
def test_an_older_database_takes_extracted_texts_once_it_is_migrated(
    data_dir: Path, make_former_database: Make, version: int
) -> None:
    record = build_record(RecordSpec())
    make_former_database(version, record)
    text = ExtractedText(text="page", parts=(TextPart(start=0, end=4, source_span=PageSpan(page=1)),))
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        store = SqliteDocumentStore(database)
        assert store.get_document(record.document.doc_id) is not None
        paged = build_record(RecordSpec(path="a.pdf", text=text))
        store.replace_document(paged)
        assert store.get_text(paged.document.doc_id) == text
        assert check_integrity(database) == []


def test_a_skip_of_an_older_database_is_remembered(data_dir: Path, make_former_database: Make) -> None:
    record = build_record(RecordSpec())
    skip = RememberedSkip(
        source_id=record.document.source_id,
        workspace_path=WorkspacePath("a.bin"),
        stamp=record.stamp._replace(ctime_ns=None),
        fingerprint="f",
        reason=SkipReason.BINARY_CONTENT,
    )
    path = make_former_database(2, record)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO skipped_files VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                skip.source_id,
                skip.workspace_path,
                skip.stamp.byte_len,
                str(skip.stamp.mtime_ns),
                str(skip.stamp.inode),
                skip.fingerprint,
                skip.reason.value,
            ),
        )
    for readonly in (True, False):
        with open_database(
            data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=readonly
        ) as database:
            assert SqliteSourceFileStore(database).remembered_skips(skip.source_id) == [skip]


def test_a_migration_that_is_killed_leaves_the_older_database(
    data_dir: Path, make_former_database: Make, records: list[DocumentRecord]
) -> None:
    make_former_database(PARTS_SCHEMA - 1, *records)
    program = """
import os, sys
from pathlib import Path
from kebab_store_sqlite import open_database, parts_takeover
from kebab_testing.fakes.clock import FixedClock
pack, calls = parts_takeover.part_rows, []
def dying(*arguments):
    calls.append(1)
    if len(calls) > 2:
        os.kill(os.getpid(), 9)
    return pack(*arguments)
parts_takeover.part_rows = dying
open_database(Path(sys.argv[1]), clock=FixedClock(), copy_threshold_bytes=1)
"""
    killed = subprocess.run([sys.executable, "-c", program, str(data_dir)], check=False)
    assert killed.returncode == -9
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True) as database:
        assert database.schema_version == PARTS_SCHEMA - 1
        before = everything(database, records)
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        assert everything(database, records) == before
        assert check_integrity(database) == []


def test_a_migration_on_a_full_disk_leaves_the_older_database(
    data_dir: Path, make_former_database: Make, records: list[DocumentRecord]
) -> None:
    path = make_former_database(PARTS_SCHEMA - 1, *records)
    with closing(connect(path, Access.READ_WRITE)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            _apply(connection, data_dir, load_migrations())
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True) as database:
        assert database.schema_version == PARTS_SCHEMA - 1
        assert check_integrity(database) == []
        assert SqliteDocumentStore(database).list_chunks(records[1].document.doc_id) == list(
            records[1].chunks
        )
