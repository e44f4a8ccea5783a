from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import pytest
from kebab_core import (
    DatabaseCorruptError,
    LockedError,
    ReadonlyModeError,
    SchemaTooNewError,
    SchemaTooOldError,
    StorageError,
)
from kebab_store_sqlite import (
    SCHEMA_VERSION,
    SqliteDatabase,
    SqliteDocumentStore,
    backup_checks,
    check_integrity,
    database as database_module,
    open_database,
    schema,
    set_base_aside,
)
from kebab_store_sqlite.connection import Access, connect
from kebab_store_sqlite.schema import OLDEST_SCHEMA, Migration, apply_migrations, load_migrations
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record

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


def test_migrations_are_numbered_without_gaps_from_the_oldest_schema_to_the_newest() -> None:
    numbers = [migration.version for migration in load_migrations()]
    assert numbers == list(range(OLDEST_SCHEMA, SCHEMA_VERSION + 1))


def test_a_new_database_has_every_table_and_says_its_version(database: SqliteDatabase) -> None:
    with database.reading() as connection:
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        applied = connection.execute("SELECT id, applied_at, description FROM migrations").fetchall()
    assert tables >= SEED_TABLES
    assert [tuple(row) for row in applied] == [(17, "2026-01-02T03:04:05.000000Z", "init")]
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


@pytest.mark.parametrize(
    ("version", "error"), [(OLDEST_SCHEMA - 1, SchemaTooOldError), (SCHEMA_VERSION + 1, SchemaTooNewError)]
)
def test_a_database_of_another_schema_is_refused_with_what_it_has_and_how_to_make_a_new_one(
    data_dir: Path, version: int, error: type[StorageError]
) -> None:
    make_other_base(data_dir, version)
    before = files_below(data_dir)
    for readonly in (True, False):
        with pytest.raises(error, match="stored answers, conversations, eval runs") as caught:
            open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=readonly)
        remedy = caught.value.remedy
        assert remedy is not None
        assert "repair" in {remedy.kind, remedy.otherwise and remedy.otherwise.kind}
    assert files_below(data_dir) == before


@pytest.mark.parametrize("version", [OLDEST_SCHEMA - 1, SCHEMA_VERSION + 1])
def test_a_base_of_another_schema_is_set_aside_whole(data_dir: Path, version: int) -> None:
    make_other_base(data_dir, version)
    with open_kept_log(data_dir):
        before = files_below(data_dir)
    first = set_base_aside(data_dir)
    assert first == data_dir / "replaced" / f"schema-{version}"
    assert set_base_aside(data_dir) is None
    assert_set_aside(first, before)
    assert not (data_dir / "kebab.sqlite").exists()
    assert (data_dir / "notes" / "a.md").read_text() == "a note"
    make_other_base(data_dir, version)
    assert set_base_aside(data_dir) == data_dir / "replaced" / f"schema-{version}-2"
    assert_set_aside(first, before)
    open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1).close()
    assert set_base_aside(data_dir) is None


@pytest.mark.parametrize("moves", range(4))
def test_a_base_that_is_set_aside_halfway_is_whole_after_the_next_call(
    data_dir: Path, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_other_base(data_dir, OLDEST_SCHEMA - 1)
    before = files_below(data_dir)
    done: list[str] = []

    def move(source: Path, target: Path) -> None:
        if len(done) == moves:
            raise KeyboardInterrupt
        done.append(str(source))
        Path(source).replace(target)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "move", move)
        with pytest.raises(KeyboardInterrupt) if moves < 3 else nullcontext():
            set_base_aside(data_dir)
    assert (data_dir / "kebab.sqlite").exists() == (moves < 3)
    assert sorted(map(os.path.basename, files_below(data_dir))) == sorted(map(os.path.basename, before))
    set_base_aside(data_dir)
    assert_set_aside(data_dir / "replaced" / f"schema-{OLDEST_SCHEMA - 1}", before)


def test_a_base_that_another_process_has_open_is_not_set_aside(data_dir: Path) -> None:
    make_other_base(data_dir, OLDEST_SCHEMA - 1)
    with closing(sqlite3.connect(data_dir / "kebab.sqlite")) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("SELECT * FROM kv").fetchone()
        with pytest.raises(LockedError):
            set_base_aside(data_dir)
        assert (data_dir / "kebab.sqlite").exists()
    assert set_base_aside(data_dir) is not None


def test_a_linked_database_is_set_aside_with_its_content(data_dir: Path, tmp_path: Path) -> None:
    make_other_base(data_dir, OLDEST_SCHEMA - 1)
    before = files_below(data_dir)
    shutil.move(data_dir / "kebab.sqlite", tmp_path / "elsewhere.sqlite")
    (data_dir / "kebab.sqlite").symlink_to(tmp_path / "elsewhere.sqlite")
    folder = set_base_aside(data_dir)
    assert_set_aside(folder, before)
    assert not (tmp_path / "elsewhere.sqlite").exists()
    open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1).close()


def make_other_base(data_dir: Path, version: int) -> None:
    """Make a base that names another schema, with a copy of an asset, a stored evaluation and a note."""
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        database.write("UPDATE schema_meta SET value = ? WHERE key = 'schema_version'", (str(version),))
    for name in ("assets/ab/ab12", "runs/one/report.md"):
        (data_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (data_dir / name).write_text(name)
    (data_dir / "notes").mkdir(exist_ok=True)
    (data_dir / "notes" / "a.md").write_text("a note")


@contextmanager
def open_kept_log(data_dir: Path) -> Iterator[None]:
    """Write into the log of the database and leave it there, as a kill does."""
    path, names = data_dir / "kebab.sqlite", ("kebab.sqlite", "kebab.sqlite-wal")
    with closing(connect(path, Access.READ_WRITE)) as connection:
        connection.execute("INSERT INTO kv (key, value) VALUES ('last', 'in the log')")
        kept = {name: (data_dir / name).read_bytes() for name in names}
    for name, content in kept.items():
        (data_dir / name).write_bytes(content)
    yield


def assert_set_aside(folder: Path | None, before: Mapping[str, bytes]) -> None:
    assert folder is not None
    for name in ("assets/ab/ab12", "runs/one/report.md"):
        assert (folder / name).read_bytes() == before[name]
    with closing(sqlite3.connect(folder / "kebab.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = dict(connection.execute("SELECT key, value FROM kv"))
    assert kept.get("last") == ("in the log" if "kebab.sqlite-wal" in before else None)


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


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
    connection: sqlite3.Connection, database: SqliteDatabase, last: str
) -> None:
    SqliteDocumentStore(database).replace_document(build_record(RecordSpec()))
    before = list(connection.iterdump())
    with pytest.raises(sqlite3.OperationalError):
        _apply(connection, [Migration(SCHEMA_VERSION + 1, "broken", BROKEN + last)])
    assert not connection.in_transaction
    assert list(connection.iterdump()) == before


def test_a_migration_of_many_statements_is_applied_whole(connection: sqlite3.Connection) -> None:
    added = "INSERT INTO extra VALUES ('c');\n-- done\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "SCHEMA_VERSION", 99)
        _apply(connection, [Migration(99, "long", BROKEN + added)])
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


def _apply(connection: sqlite3.Connection, migrations: list[Migration]) -> None:
    apply_migrations(connection, migrations, clock=FixedClock())


def test_only_missing_migrations_are_applied(connection: sqlite3.Connection) -> None:
    _apply(connection, load_migrations())
    assert connection.execute("SELECT count(*) FROM migrations").fetchone()[0] == len(load_migrations())


@pytest.fixture
def next_schema(monkeypatch: pytest.MonkeyPatch) -> int:
    """The version of a made-up step after the newest."""
    version = SCHEMA_VERSION + 1
    step = Migration(version, "made up", "ALTER TABLE documents ADD COLUMN made_up TEXT DEFAULT 'new';\n")
    migrations = [*load_migrations(), step]
    for module in (schema, database_module):
        monkeypatch.setattr(module, "SCHEMA_VERSION", version)
    for module in (database_module, backup_checks):
        monkeypatch.setattr(module, "load_migrations", lambda: migrations)
    return version


def test_a_database_is_migrated_by_the_next_step_with_its_documents(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    record = build_record(RecordSpec())
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        SqliteDocumentStore(database).replace_document(record)
    version = request.getfixturevalue("next_schema")
    with pytest.raises(ReadonlyModeError):
        open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True)
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        assert database.schema_version == version
        assert SqliteDocumentStore(database).get_document(record.document.doc_id) is not None
        assert database.read_first("SELECT made_up FROM documents", (), tuple) == ("new",)
        assert check_integrity(database) == []
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1, readonly=True) as database:
        assert database.schema_version == version


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
