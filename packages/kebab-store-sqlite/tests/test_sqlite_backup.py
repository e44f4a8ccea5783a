from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import (
    ByteProgress,
    DatabaseCorruptError,
    DocFilter,
    InvalidInputError,
    KebabError,
    LockedError,
    SchemaTooNewError,
    SchemaTooOldError,
    StorageError,
)
from kebab_store_sqlite import (
    LOCK_FILE_NAMES,
    SCHEMA_VERSION,
    SCRATCH_FOLDER,
    Backup,
    SqliteDatabase,
    SqliteDocumentStore,
    hold_embedding_lock,
    hold_writer_lock,
    open_archive,
    open_database,
    stage_backup,
    write_backup,
)
from kebab_store_sqlite.schema import OLDEST_SCHEMA
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.families import examples
from kebab_testing.full_disks import small_files
from kebab_testing.records import RecordSpec, build_record

NOTES = {
    "노트/색인.md": ("색인은 다시 만들어진다.",),
    "notes/b.md": ("beta", "gamma"),
    "noTes/노트.md": ("이름이 풀어 쓰인 노트",),
}

RUN = "runs/20260101T000000Z-가나-0a1b"


def ignore(_step: ByteProgress) -> None:
    pass


def store_note(database: SqliteDatabase, path: str, paragraphs: tuple[str, ...]) -> None:
    spec = RecordSpec(path=path, paragraphs=paragraphs)
    record = build_record(spec)
    assets = SqliteDocumentStore(database)
    stored = assets.put_asset(record.asset, spec.file_content())
    SqliteDocumentStore(database).replace_document(record.model_copy(update={"asset": stored}))


def open_base(folder: Path) -> SqliteDatabase:
    return open_database(folder, clock=FixedClock(), copy_threshold_bytes=10_000)


def make_base(folder: Path) -> SqliteDatabase:
    database = open_base(folder)
    for path, paragraphs in NOTES.items():
        store_note(database, path, paragraphs)
    return database


def write(
    database: SqliteDatabase,
    target: Path,
    *,
    files: Mapping[str, Path] | None = None,
    replace: bool = False,
    progress: Callable[[ByteProgress], None] = ignore,
) -> Backup:
    return write_backup(
        database, target, files=files or {}, kebab_version="1.2", replace=replace, progress=progress
    )


def restore(archive: Path, data_dir: Path) -> None:
    with (
        open_archive(archive) as opened,
        stage_backup(opened, data_dir, clock=FixedClock(), progress=ignore) as staged,
    ):
        staged.install()


def dump(data_dir: Path) -> dict[str, object]:
    """Return documents with their passages and the bytes of their copies."""
    with open_base(data_dir) as database:
        documents, assets = SqliteDocumentStore(database), SqliteDocumentStore(database)
        return {
            summary.doc_path: (
                documents.get_document(summary.doc_id),
                documents.list_chunks(summary.doc_id),
                assets.read_asset(asset.asset_id),
            )
            for summary in documents.list_documents(DocFilter())
            if (asset := documents.get_asset(summary.doc_id))
        }


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backup")
    with make_base(folder / "data") as database:
        write(database, folder / "b.zip")
    return folder / "b.zip"


def test_an_imported_base_holds_what_was_exported(tmp_path: Path) -> None:
    run = tmp_path / "report.md"
    run.write_text("평가")
    with make_base(tmp_path / "data") as database:
        backup = write(database, tmp_path / "b.zip", files={f"{RUN}/report.md": run})
    assert backup.missing == ()
    assert backup.size_bytes == (tmp_path / "b.zip").stat().st_size
    assert (backup.manifest.copies, backup.manifest.evaluation_files) == (3, 1)
    restore(tmp_path / "b.zip", tmp_path / "there")
    assert dump(tmp_path / "there") == dump(tmp_path / "data")
    assert set(dump(tmp_path / "there")) == {"노트/색인.md", "notes/b.md", "noTes/노트.md"}
    assert (tmp_path / "there" / RUN / "report.md").read_text() == "평가"
    assert not (tmp_path / "there" / SCRATCH_FOLDER).exists()


def test_an_archive_can_be_read_by_its_owner_only(archive: Path) -> None:
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600


def test_an_archive_holds_the_state_of_one_moment_while_others_write(tmp_path: Path) -> None:
    """A document that is removed while its copy is due makes the export start again, without it."""
    database = make_base(tmp_path / "data")
    removed: list[str] = []

    def remove_one(step: ByteProgress) -> None:
        if step.total_bytes is None or removed:
            return
        with open_base(tmp_path / "data") as other:
            documents = SqliteDocumentStore(other)
            summary = documents.list_documents(DocFilter())[-1]
            removed.append(summary.doc_path)
            documents.remove_documents([summary.doc_id])
            SqliteDocumentStore(other).collect_assets()
            store_note(other, "new.md", ("written meanwhile",))

    with database:
        assert write(database, tmp_path / "b.zip", progress=remove_one).missing == ()
    restore(tmp_path / "b.zip", tmp_path / "there")
    assert dump(tmp_path / "there") == dump(tmp_path / "data")
    assert "new.md" in dump(tmp_path / "there")
    assert removed[0] not in dump(tmp_path / "there")


@pytest.mark.parametrize("damage", ["gone", "other content"])
def test_a_copy_that_is_missing_or_damaged_is_named(tmp_path: Path, damage: str) -> None:
    with make_base(tmp_path / "data") as database:
        documents = SqliteDocumentStore(database)
        (summary,) = [d for d in documents.list_documents(DocFilter()) if d.doc_path == "notes/b.md"]
        asset = documents.get_asset(summary.doc_id)
        assert asset is not None
        copy = tmp_path / "data" / asset.stored.path
        copy.unlink() if damage == "gone" else copy.write_bytes(b"x")
        backup = write(database, tmp_path / "b.zip")
    assert backup.missing == ("notes/b.md",)
    assert backup.manifest.copies == 2


def test_a_file_that_exists_is_replaced_on_request_only(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_text("mine")
    with make_base(tmp_path / "data") as database:
        with pytest.raises(InvalidInputError, match="exists already") as caught:
            write(database, tmp_path / "b.zip")
        assert caught.value.remedy
        assert (tmp_path / "b.zip").read_text() == "mine"
        write(database, tmp_path / "b.zip", replace=True)
        with pytest.raises(InvalidInputError):
            write(database, tmp_path / "data", replace=True)
        with pytest.raises(InvalidInputError, match="no folder"):
            write(database, tmp_path / "nowhere" / "b.zip")
    restore(tmp_path / "b.zip", tmp_path / "there")


@pytest.mark.parametrize("part", ["database", "files"])
def test_an_interrupted_export_leaves_what_was_there(tmp_path: Path, part: str) -> None:
    (tmp_path / "b.zip").write_text("the one before")

    def interrupt(step: ByteProgress) -> None:
        if (step.total_bytes is None) == (part == "database"):
            raise KeyboardInterrupt

    with make_base(tmp_path / "data") as database:
        with database.writing() as connection:  # enough steps for SQLite to ask whether to go on
            connection.execute(
                "INSERT INTO kv WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 50000) "
                "SELECT 'number ' || n, '' FROM c"
            )
        with pytest.raises(KeyboardInterrupt):
            write(database, tmp_path / "b.zip", replace=True, progress=interrupt)
        assert (tmp_path / "b.zip").read_text() == "the one before"
        assert names_in(tmp_path) == ["b.zip", "data"]
        write(database, tmp_path / "b.zip", replace=True)


@pytest.mark.parametrize("max_bytes", [0, 5_000, 300_000])
def test_a_full_disk_leaves_no_archive(tmp_path: Path, max_bytes: int) -> None:
    with make_base(tmp_path / "data") as database:
        with small_files(max_bytes), pytest.raises(StorageError) as caught:
            write(database, tmp_path / "b.zip")
        assert caught.value.remedy is not None
        assert caught.value.remedy.kind == "free_space"
        assert names_in(tmp_path) == ["data"]


@pytest.mark.parametrize("part", ["table", "full-text index"])
def test_a_damaged_database_is_not_exported(tmp_path: Path, part: str) -> None:
    with make_base(tmp_path / "data") as database, database.reading() as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'documents'"
        (page,) = connection.execute(query).fetchone()
        if part == "full-text index":
            connection.execute("DELETE FROM chunks_fts_data WHERE id > 10")
    if part == "table":
        with (tmp_path / "data" / "kebab.sqlite").open("r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(bytes(4096))
    with open_base(tmp_path / "data") as database, pytest.raises(DatabaseCorruptError) as caught:
        write(database, tmp_path / "b.zip")
    assert caught.value.remedy is not None
    assert caught.value.remedy.kind == "repair"
    assert names_in(tmp_path) == ["data"]


@pytest.fixture(scope="module")
def truth(archive: Path) -> dict[str, object]:
    return dump(archive.parent / "data")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


def import_or_refuse(content: bytes, scratch: Path) -> dict[str, object] | None:
    """Import an archive; return what is there then, or None if it was refused with nothing left behind."""
    for path in scratch.iterdir():
        assert not path.is_dir()
    damaged, there = scratch / "damaged.zip", scratch / "there"
    damaged.write_bytes(content)
    try:
        restore(damaged, there)
    except (InvalidInputError, SchemaTooNewError):
        assert names_in(scratch) == ["damaged.zip"]
        return None
    found = dump(there)
    shutil.rmtree(there)
    return found


@pytest.mark.thorough
@settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_flipped_byte_is_refused_or_changes_nothing(
    archive: Path, truth: dict[str, object], scratch: Path, data: st.DataObject
) -> None:
    content = bytearray(archive.read_bytes())
    # half of the places in the directory at the end, where names, sizes and offsets are
    last = data.draw(st.booleans())
    place = data.draw(st.integers(len(content) - 700 if last else 0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    assert import_or_refuse(bytes(content), scratch) in (None, truth)


@pytest.mark.thorough
@settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_truncated_archive_is_refused(archive: Path, scratch: Path, share: float) -> None:
    content = archive.read_bytes()
    assert import_or_refuse(content[: int(len(content) * share)], scratch) is None


def entry(name: str, mode: int = stat.S_IFREG | 0o600) -> ZipInfo:
    info = ZipInfo(name)
    info.external_attr = mode << 16
    info.compress_type = ZIP_DEFLATED
    return info


def rebuild(
    archive: Path,
    target: Path,
    *,
    more: Mapping[str, bytes] | None = None,
    entries: list[tuple[ZipInfo, bytes]] | None = None,
    manifest: Mapping[str, object] | None = None,
) -> Path:
    """Copy an archive, with files that its manifest lists, entries that it does not, and other values in it."""
    with ZipFile(archive) as source, ZipFile(target, "w") as copy:
        values = json.loads(source.read("manifest.json"))
        for file in values["files"]:
            copy.writestr(entry(file["name"]), source.read(file["name"]))
        for name, content in (more or {}).items():
            copy.writestr(entry(name), content)
            values["files"].append({
                "name": name,
                "size_bytes": len(content),
                "sha256": sha256(content).hexdigest(),
            })
        for info, content in entries or []:
            copy.writestr(info, content)
        copy.writestr(entry("manifest.json"), json.dumps({**values, **(manifest or {})}))
    return target


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "external/source-default/../../evil",
        "external/source-default/./a.md",
        "external/source-default//a.md",
        "external/a.md",
        "runs/../../evil",
        "runs/note.md",
        "runs/20260101T000000Z-s-0a1b/note.md",
        "runs/20260101T000000Z-s-0a1b/../report.md",
        "assets/../evil",
        "assets/ab/not-an-id",
        "assets/00/" + "0" * 31,
        "kebab.sqlite-wal",
        "writer.lock",
        "config.toml/a",
        "",
    ],
)
def test_a_name_that_no_export_writes_is_refused(archive: Path, tmp_path: Path, name: str) -> None:
    crafted = rebuild(archive, tmp_path / "crafted.zip", more={name: b"x"})
    with pytest.raises(InvalidInputError, match="not a backup"):
        restore(crafted, tmp_path / "a" / "b")
    assert names_in(tmp_path) == ["crafted.zip"]


def test_an_ordinary_file_more_is_taken(archive: Path, tmp_path: Path) -> None:
    """The control of the tests around it: what is refused there is refused for its fault."""
    restore(rebuild(archive, tmp_path / "crafted.zip", more={f"{RUN}/report.md": b"x"}), tmp_path / "there")
    assert (tmp_path / "there" / RUN / "report.md").read_bytes() == b"x"


def crafted_entries() -> Iterator[tuple[str, dict[str, object]]]:
    yield "a link", {"entries": [(entry(f"{RUN}/report.md", stat.S_IFLNK | 0o777), b"/etc/passwd")]}
    yield "a file that is not listed", {"entries": [(entry(f"{RUN}/report.md"), b"x")]}
    yield "a folder", {"entries": [(entry(f"{RUN}/", stat.S_IFDIR | 0o700), b"")]}
    yield "no files", {"manifest": {"files": []}}
    yield "another format", {"manifest": {"format": "tar"}}
    yield "no format version", {"manifest": {"format_version": None}}
    yield "unknown fields", {"manifest": {"more": 1}}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "changes", [c for _, c in crafted_entries()], ids=[name for name, _ in crafted_entries()]
)
def test_an_archive_that_its_manifest_does_not_describe_is_refused(
    archive: Path, tmp_path: Path, changes: dict[str, object]
) -> None:
    crafted = rebuild(archive, tmp_path / "crafted.zip", **changes)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="not a backup"):
        restore(crafted, tmp_path / "there")
    assert names_in(tmp_path) == ["crafted.zip"]


def test_a_link_in_the_list_is_refused(archive: Path, tmp_path: Path) -> None:
    content = b"/etc/passwd"
    with ZipFile(archive) as source, ZipFile(tmp_path / "crafted.zip", "w") as copy:
        values = json.loads(source.read("manifest.json"))
        for file in values["files"]:
            copy.writestr(entry(file["name"]), source.read(file["name"]))
        copy.writestr(entry(f"{RUN}/report.md", stat.S_IFLNK | 0o777), content)
        values["files"].append({
            "name": f"{RUN}/report.md",
            "size_bytes": 11,
            "sha256": sha256(content).hexdigest(),
        })
        copy.writestr(entry("manifest.json"), json.dumps(values))
    with pytest.raises(InvalidInputError, match=RUN):
        restore(tmp_path / "crafted.zip", tmp_path / "there")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(archive: Path, tmp_path: Path) -> None:
    crafted = rebuild(
        archive,
        tmp_path / "c.zip",
        more={f"{RUN}/report.md": b"x"},
        entries=[(entry(f"{RUN}/report.md"), b"y")],
    )
    with pytest.raises(InvalidInputError, match="duplicate"):
        restore(crafted, tmp_path / "there")


@pytest.mark.parametrize("values", [{"format_version": 2}, {"database_schema_version": SCHEMA_VERSION + 1}])
def test_a_backup_of_a_newer_kebab_is_refused(
    archive: Path, tmp_path: Path, values: dict[str, object]
) -> None:
    crafted = rebuild(archive, tmp_path / "c.zip", manifest={**values, "kebab_version": "9.1"})
    with pytest.raises(SchemaTooNewError, match=r"9\.1") as caught:
        restore(crafted, tmp_path / "there")
    assert caught.value.remedy is not None
    assert caught.value.remedy.advice == "use a newer kebab"
    assert names_in(tmp_path) == ["c.zip"]


def test_a_backup_of_an_older_schema_is_refused(archive: Path, tmp_path: Path) -> None:
    crafted = rebuild(
        archive,
        tmp_path / "c.zip",
        manifest={"database_schema_version": OLDEST_SCHEMA - 1, "kebab_version": "0.1"},
    )
    with pytest.raises(SchemaTooOldError, match=r"older kebab \(0\.1\)"):
        restore(crafted, tmp_path / "there")
    assert names_in(tmp_path) == ["c.zip"]


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x05\x06" + b"\0" * 18])
def test_a_file_that_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(InvalidInputError, match="not a backup"):
        restore(tmp_path / "x.zip", tmp_path / "there")
    with pytest.raises(InvalidInputError, match="no file"):
        restore(tmp_path / "absent.zip", tmp_path / "there")
    assert names_in(tmp_path) == ["x.zip"]


def test_a_database_of_another_program_is_refused(archive: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as foreign:
        foreign.execute("CREATE TABLE theirs (x)")
    content = (tmp_path / "other.sqlite").read_bytes()
    with ZipFile(tmp_path / "c.zip", "w") as copy:
        values = {
            "format": "kebab-backup",
            "format_version": 1,
            "kebab_version": "1",
            "database_schema_version": SCHEMA_VERSION,
            "created_at": "2026-01-01T00:00:00Z",
            "files": [
                {
                    "name": "kebab.sqlite",
                    "size_bytes": len(content),
                    "sha256": sha256(content).hexdigest(),
                }
            ],
        }
        copy.writestr(entry("kebab.sqlite"), content)
        copy.writestr(entry("manifest.json"), json.dumps(values))
    with pytest.raises(InvalidInputError, match="another program"):
        restore(tmp_path / "c.zip", tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_an_import_replaces_a_base_that_is_read_meanwhile(archive: Path, tmp_path: Path) -> None:
    with open_base(tmp_path / "data") as reader:
        store_note(reader, "old.md", ("old",))
        restore(archive, tmp_path / "data")
        assert not reader.is_current
        assert [d.doc_path for d in SqliteDocumentStore(reader).list_documents(DocFilter())] == ["old.md"]
    assert set(dump(tmp_path / "data")) == set(dump(archive.parent / "data"))


def test_copies_of_files_of_the_base_that_was_replaced_are_gone(archive: Path, tmp_path: Path) -> None:
    with open_base(tmp_path / "data") as replaced:
        store_note(replaced, "old.md", ("old",))
    restore(archive, tmp_path / "data")
    assert files_below(tmp_path / "data" / "assets") == files_below(archive.parent / "data" / "assets")


def test_links_in_a_data_folder_stay_links(archive: Path, tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    (elsewhere / "assets").mkdir(parents=True)
    data.mkdir()
    (data / "assets").symlink_to(elsewhere / "assets")
    (data / "kebab.sqlite").symlink_to(elsewhere / "real.sqlite")
    (elsewhere / "real.sqlite").touch()
    restore(archive, data)
    assert (data / "assets").is_symlink()
    assert (data / "kebab.sqlite").is_symlink()
    assert dump(data) == dump(archive.parent / "data")
    assert names_in(elsewhere) == ["assets", "real.sqlite"]


def test_an_import_that_fails_leaves_the_base_that_is_there(archive: Path, tmp_path: Path) -> None:
    with open_base(tmp_path / "data") as database:
        store_note(database, "old.md", ("old",))
    before = files_below(tmp_path / "data")
    content = bytearray(archive.read_bytes())
    content[1_000] ^= 1  # in the database
    (tmp_path / "damaged.zip").write_bytes(content)
    with pytest.raises(InvalidInputError):
        restore(tmp_path / "damaged.zip", tmp_path / "data")
    with (
        pytest.raises(KeyboardInterrupt),
        open_archive(archive) as opened,
        stage_backup(opened, tmp_path / "data", clock=FixedClock(), progress=ignore),
    ):
        raise KeyboardInterrupt
    with small_files(100_000), pytest.raises(StorageError) as caught:
        restore(archive, tmp_path / "data")
    assert caught.value.remedy is not None
    assert caught.value.remedy.kind == "free_space"
    after = files_below(tmp_path / "data")
    locks = dict.fromkeys(LOCK_FILE_NAMES, b"")
    assert after | locks == before | locks


def test_an_import_without_space_says_how_much_it_needs(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(tmp_path)._replace(free=1_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: free)
    with pytest.raises(StorageError, match=r"needs \d+ MB .* 0 MB are free"):
        restore(archive, tmp_path / "there")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("hold", [hold_writer_lock, hold_embedding_lock])
def test_nothing_is_imported_while_another_process_writes_or_makes_vectors(
    archive: Path, tmp_path: Path, hold: Callable[[Path], AbstractContextManager[object]]
) -> None:
    with hold(tmp_path / "data"), pytest.raises(LockedError):
        restore(archive, tmp_path / "data")


def test_what_a_killed_import_left_is_deleted(archive: Path, tmp_path: Path) -> None:
    left = tmp_path / "there" / SCRATCH_FOLDER / "import-left"
    left.mkdir(parents=True)
    (left / "kebab.sqlite").write_text("half")
    restore(archive, tmp_path / "there")
    assert not left.parent.exists()
    assert dump(tmp_path / "there") == dump(archive.parent / "data")


def test_every_refusal_has_a_remedy(archive: Path, tmp_path: Path) -> None:
    for make in (
        lambda: restore(tmp_path / "absent", tmp_path / "x"),
        lambda: restore(tmp_path, tmp_path / "x"),
    ):
        with pytest.raises(KebabError) as caught:
            make()
        assert caught.value.remedy
