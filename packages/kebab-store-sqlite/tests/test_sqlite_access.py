from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kebab_core import (
    ChatSession,
    CompletedScan,
    DatabaseCorruptError,
    DocFilter,
    EvalRun,
    EvalRunId,
    FileFailure,
    IngestFailure,
    IngestScope,
    JobKind,
    LexicalQuery,
    NotIndexedError,
    ReadonlyModeError,
    Remedy,
    RunId,
    SessionId,
    SourceId,
    StorageError,
    WorkspacePath,
)
from kebab_store_sqlite import (
    SqliteAnswerRepo,
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteJobRepo,
    SqliteLexicalIndex,
    SqlitePictureStore,
    SqliteSourceFileStore,
    check_integrity,
    open_database,
    repair_lexical_index,
)
from kebab_store_sqlite.database_file import require_unprotected
from kebab_testing.fakes.clock import START, FixedClock
from kebab_testing.records import RecordSpec, build_answer, build_asset, build_record

RECORD = build_record(RecordSpec(paragraphs=("alpha beta",)))
DOC_ID = RECORD.document.doc_id
PATH = WorkspacePath("a.md")
SOURCE = SourceId("default")


def _open(data_dir: Path, *, readonly: bool = False) -> SqliteDatabase:
    return open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=100, readonly=readonly)


def _fill(data_dir: Path) -> None:
    with _open(data_dir) as database:
        store = SqliteDocumentStore(database)
        store.replace_document(RECORD)
        SqlitePictureStore(database).put_results("ocr", {"a": b"x"}, at=START)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_may_open_folders_and_files(data_dir: Path) -> None:
    previous = os.umask(0)
    try:
        with _open(data_dir) as database:
            store = SqliteDocumentStore(database)
            store.replace_document(RECORD)
            SqliteDocumentStore(database).put_asset(build_asset(RecordSpec()), b"small")
            files = [path for path in data_dir.rglob("*") if path.is_file()]
            folders = [data_dir, data_dir.parent, *(path for path in data_dir.rglob("*") if path.is_dir())]
            assert {path.name.removeprefix("kebab.sqlite") for path in files} >= {"", "-wal", "-shm"}
            assert len(files) == 5
            assert {_mode(path) for path in files} == {0o600}
            assert {_mode(path) for path in folders} == {0o700}
    finally:
        os.umask(previous)


def test_reading_without_an_index_says_how_to_make_one(data_dir: Path) -> None:
    with pytest.raises(NotIndexedError) as caught:
        _open(data_dir, readonly=True)
    assert caught.value.remedy == Remedy(kind="ingest")
    assert not data_dir.exists()


def test_an_empty_file_is_no_index_for_readers_and_a_start_for_writers(data_dir: Path) -> None:
    data_dir.mkdir(parents=True)
    (data_dir / "kebab.sqlite").touch()
    with pytest.raises(NotIndexedError):
        _open(data_dir, readonly=True)
    _open(data_dir).close()
    _open(data_dir, readonly=True).close()


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError):
        _open(tmp_path / "file" / "data")


def test_a_closed_database_is_a_storage_error(data_dir: Path) -> None:
    database = _open(data_dir)
    database.close()
    database.close()
    with pytest.raises(StorageError):
        SqliteDocumentStore(database).corpus_revision()


WRITES: dict[str, Callable[[SqliteDatabase], object]] = {
    "put_asset": lambda db: SqliteDocumentStore(db).put_asset(RECORD.asset, b"x"),
    "collect_assets": lambda db: SqliteDocumentStore(db).collect_assets(),
    "replace_document": lambda db: SqliteDocumentStore(db).replace_document(RECORD),
    "touch_file": lambda db: SqliteSourceFileStore(db).touch_file(DOC_ID, stamp=RECORD.stamp, disk_path="/x"),
    "remove_documents": lambda db: SqliteDocumentStore(db).remove_documents([DOC_ID]),
    "record_failure": lambda db: SqliteSourceFileStore(db).record_failure(
        FileFailure(
            source_id=SOURCE,
            workspace_path=PATH,
            failure=IngestFailure(code="io_error", message="m"),
            failed_at=START,
        )
    ),
    "clear_failure": lambda db: SqliteSourceFileStore(db).clear_failure(SOURCE, PATH),
    "record_scan": lambda db: SqliteSourceFileStore(db).record_scan(
        CompletedScan(source_id=SOURCE, root="/", completed_at=START, files=1)
    ),
    "start_run": lambda db: SqliteJobRepo(db).start_run(
        RunId("r"), [IngestScope(root="/")], started_at=START
    ),
    "create_job": lambda db: SqliteJobRepo(db).create(JobKind.INGEST, {}, at=START),
    "record_answer": lambda db: SqliteAnswerRepo(db).record(question="q", answer=build_answer("ret_1")),
    "create_session": lambda db: SqliteAnswerRepo(db).create_session(
        ChatSession(session_id=SessionId("s"), created_at=START, updated_at=START)
    ),
    "record_eval": lambda db: SqliteJobRepo(db).record_evaluation(
        EvalRun(run_id=EvalRunId("r"), suite="s", config_snapshot={}, aggregate={}, created_at=START), []
    ),
    "put_cache": lambda db: SqlitePictureStore(db).put_results("ocr", {"b": b"y"}, at=START),
    "evict": lambda db: SqlitePictureStore(db).evict_results(max_bytes=0),
    "repair": repair_lexical_index,
}


@pytest.mark.parametrize("name", WRITES)
def test_a_readonly_database_refuses_every_write(data_dir: Path, name: str) -> None:
    _fill(data_dir)
    with _open(data_dir, readonly=True) as database:
        with pytest.raises(ReadonlyModeError):
            WRITES[name](database)
        assert SqliteDocumentStore(database).corpus_revision() == 1


def test_a_readonly_database_can_be_read_and_checked(data_dir: Path) -> None:
    _fill(data_dir)
    with _open(data_dir, readonly=True) as database:
        assert [line.doc_id for line in SqliteDocumentStore(database).list_documents(DocFilter())] == [DOC_ID]
        assert len(SqliteLexicalIndex(database).search(LexicalQuery(terms=("alpha",)), limit=5)) == 1
        later = datetime(2027, 1, 1, tzinfo=UTC)
        assert SqlitePictureStore(database).get_results("ocr", ["a"], at=later) == {"a": b"x"}
        assert check_integrity(database) == []


@pytest.fixture
def protected_dir() -> Iterator[Path]:
    """A filled data folder that the process may read and not write; root lends its rights to nobody."""
    with tempfile.TemporaryDirectory() as parent:
        data_dir = Path(parent) / "data"
        _fill(data_dir)
        Path(parent).chmod(0o755)
        for path in (*data_dir.rglob("*"), data_dir):
            path.chmod(0o555 if path.is_dir() else 0o444)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield data_dir
        finally:
            os.seteuid(user)
            data_dir.chmod(0o700)


@pytest.mark.parametrize("readonly", [True, False])
def test_a_folder_without_write_permission_can_be_searched(protected_dir: Path, readonly: bool) -> None:
    with _open(protected_dir, readonly=readonly) as database:
        store = SqliteDocumentStore(database)
        assert [line.doc_id for line in store.list_documents(DocFilter())] == [DOC_ID]
        assert len(SqliteLexicalIndex(database).search(LexicalQuery(terms=("alpha",)), limit=5)) == 1
        with pytest.raises(ReadonlyModeError):
            store.remove_documents([DOC_ID])
    assert {path.name for path in protected_dir.iterdir()} == {"base-id", "kebab.sqlite"}


def test_a_protected_folder_without_a_database_is_all_that_is_to_be_permitted(protected_dir: Path) -> None:
    user = os.geteuid()
    os.seteuid(os.getuid())
    protected_dir.chmod(0o755)
    missing = protected_dir / "kebab.sqlite"
    missing.unlink()
    protected_dir.chmod(0o555)
    os.seteuid(user)
    with pytest.raises(ReadonlyModeError) as caught:
        require_unprotected(missing)
    assert caught.value.remedy == Remedy(kind="make_accessible", path=str(protected_dir))


def test_a_log_left_over_without_write_permission_is_not_ignored(protected_dir: Path) -> None:
    user = os.geteuid()
    os.seteuid(os.getuid())
    protected_dir.chmod(0o755)
    (protected_dir / "kebab.sqlite-wal").write_bytes(b"x" * 100)
    protected_dir.chmod(0o555)
    os.seteuid(user)
    with pytest.raises(StorageError):
        _open(protected_dir, readonly=True)


def test_a_damaged_page_is_reported(data_dir: Path) -> None:
    with _open(data_dir) as database:
        store = SqliteDocumentStore(database)
        for number in range(60):
            store.replace_document(
                build_record(RecordSpec(path=f"{number}.md", paragraphs=("alpha " * 200,)))
            )
        with database.reading() as connection:
            root = connection.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = 'documents'"
            ).fetchone()[0]
            size = connection.execute("PRAGMA page_size").fetchone()[0]
    with (data_dir / "kebab.sqlite").open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)
    with _open(data_dir) as database:
        with pytest.raises(DatabaseCorruptError):
            SqliteDocumentStore(database).list_documents(DocFilter())
        assert check_integrity(database) != []


def test_a_file_that_is_no_database_is_reported(data_dir: Path) -> None:
    data_dir.mkdir(parents=True)
    (data_dir / "kebab.sqlite").write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    for readonly in (True, False):
        with pytest.raises(DatabaseCorruptError):
            _open(data_dir, readonly=readonly)
