"""A database in a backup that is not the one that an export wrote: what an import refuses, and what it forgets."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sqlite3
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from kebab_core import (
    DocFilter,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingVersion,
    InvalidInputError,
    StorageError,
)
from kebab_store_sqlite import (
    SCHEMA_VERSION,
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteEmbeddingRepo,
    open_archive,
    open_database,
    stage_backup,
    write_backup,
)
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record

MODEL = EmbeddingIdentity(model_id=EmbeddingModelId("m"), model_version=EmbeddingVersion("1"), dimensions=4)
VECTOR = b"\0" * 8


def open_base(folder: Path) -> SqliteDatabase:
    return open_database(folder, clock=FixedClock(), copy_threshold_bytes=10_000)


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data of one document, with its copy, its vectors and its model, and their backup."""
    folder = tmp_path_factory.mktemp("backup")
    spec = RecordSpec(path="노트/색인.md", paragraphs=("색인은 다시 만들어진다.",))
    record = build_record(spec)
    with open_base(folder / "data") as database:
        stored = SqliteDocumentStore(database).put_asset(record.asset, spec.file_content())
        SqliteDocumentStore(database).replace_document(record.model_copy(update={"asset": stored}))
        vectors = SqliteEmbeddingRepo(database)
        vectors.put(MODEL, {each.text_hash: VECTOR for each in vectors.pending(MODEL, limit=9)})
        vectors.activate(MODEL, '{"endpoint": null}')
        write(database, folder / "b.zip")
    return folder


@pytest.fixture
def archive(backup: Path, tmp_path: Path) -> Path:
    """The backup, beside the data that it was made of; copies that the test may spoil."""
    shutil.copytree(backup, tmp_path, dirs_exist_ok=True)
    return tmp_path / "b.zip"


def write(database: SqliteDatabase, target: Path) -> None:
    write_backup(database, target, files={}, kebab_version="1", replace=False, progress=lambda _step: None)


def rebuild(archive: Path, files: Mapping[str, bytes], **manifest: object) -> Path:
    """Copy an archive with other files or more of them, listed in its manifest, and with other values there."""
    target = archive.with_name("crafted.zip")
    with ZipFile(archive) as source, ZipFile(target, "w", ZIP_DEFLATED) as copy:
        values = {**json.loads(source.read("manifest.json")), **manifest}
        contents = {file["name"]: source.read(file["name"]) for file in values["files"]} | dict(files)
        for name, content in contents.items():
            copy.writestr(name, content)
        values["files"] = [
            {"name": name, "size_bytes": len(content), "sha256": sha256(content).hexdigest()}
            for name, content in contents.items()
        ]
        copy.writestr("manifest.json", json.dumps(values))
    return target


def with_database(archive: Path, content: bytes, **manifest: object) -> Path:
    return rebuild(archive, {"kebab.sqlite": content}, **manifest)


def change(archive: Path, *statements: str, **manifest: object) -> Path:
    """Copy an archive with statements carried out in its database."""
    path = archive.with_name("foreign.sqlite")
    with ZipFile(archive) as source:
        path.write_bytes(source.read("kebab.sqlite"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA journal_mode = DELETE")
    return with_database(archive, path.read_bytes(), **manifest)


def restore(archive: Path, data_dir: Path) -> None:
    with (
        open_archive(archive) as opened,
        stage_backup(opened, data_dir, clock=FixedClock(), progress=lambda _step: None) as staged,
    ):
        staged.install()


def require_refused(archive: Path, *, match: str) -> None:
    there = archive.with_name("there")
    with pytest.raises(InvalidInputError, match=match) as caught:
        restore(archive, there)
    assert caught.value.remedy is not None
    assert caught.value.remedy.kind == "give_backup"
    assert not there.exists()


def test_statements_that_change_nothing_are_taken(archive: Path, tmp_path: Path) -> None:
    """The control of the tests below; ANALYZE adds tables of SQLite's own."""
    restore(change(archive, "ANALYZE"), tmp_path / "there")
    with open_base(tmp_path / "there") as database:
        assert len(SqliteDocumentStore(database).list_documents(DocFilter())) == 1
        assert SqliteEmbeddingRepo(database).active_model() is not None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER theirs AFTER INSERT ON documents BEGIN DELETE FROM answers; END",
        "CREATE VIEW theirs AS SELECT * FROM documents",
        "CREATE TABLE theirs (x)",
        "CREATE INDEX theirs ON documents (title)",
        "DROP INDEX idx_docs_lang",
        "ALTER TABLE answers ADD COLUMN theirs TEXT",
        "ALTER TABLE answers RENAME TO theirs",
    ],
)
def test_a_schema_that_is_not_that_of_kebab_is_refused(archive: Path, statement: str) -> None:
    require_refused(change(archive, statement), match="is not that of schema")


def test_an_archive_that_would_fill_the_disk_is_refused_before_anything_is_written(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_store_sqlite.archive._SMALL_BYTES", 1 << 24)
    bomb = archive.with_name("bomb.zip")
    with ZipFile(archive) as source, ZipFile(bomb, "w", ZIP_DEFLATED, compresslevel=6) as copy:
        values = json.loads(source.read("manifest.json"))
        block, blocks = bytes(1 << 22), 20
        with copy.open("kebab.sqlite", "w") as entry:
            for _ in range(blocks):
                entry.write(block)
        size = len(block) * blocks
        values["files"] = [{"name": "kebab.sqlite", "size_bytes": size, "sha256": "0" * 64}]
        copy.writestr("manifest.json", json.dumps(values))
    require_refused(bomb, match=f"would unpack to {size}")


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """Few bytes that unpack to more than a row may."""
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(bytes(1 << 24)) for _ in range(2)) + packer.flush()


@pytest.mark.parametrize("column", ["chunks", "terms", "blocks"])
def test_a_row_that_would_fill_the_memory_is_refused(
    archive: Path, bomb: bytes, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_store_sqlite.backup_checks._MAX_PART_BYTES", 1 << 24)
    crafted = change(archive, f"UPDATE document_parts SET {column} = x'{bomb.hex()}'")
    require_refused(crafted, match="a row of document_parts")


def test_a_copy_that_unpacks_to_more_than_its_size_is_damaged(tmp_path: Path) -> None:
    spec = RecordSpec(path="a.md", paragraphs=("one " * 500,))
    record = build_record(spec)
    with open_base(tmp_path / "data") as database:
        assets = SqliteDocumentStore(database)
        SqliteDocumentStore(database).replace_document(
            record.model_copy(update={"asset": assets.put_asset(record.asset, spec.file_content())})
        )
        (copy,) = (path for path in (tmp_path / "data" / "assets").rglob("*") if path.is_file())
        copy.write_bytes(gzip.compress(bytes(1 << 26)))
        tracemalloc.start()
        with pytest.raises(StorageError):
            assets.read_asset(record.asset.asset_id)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 1 << 24


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("CREATE TABLE theirs (x)", "table"),
        ("CREATE VIEW theirs AS SELECT * FROM documents", "view"),
        ("CREATE TRIGGER theirs AFTER INSERT ON documents BEGIN DELETE FROM answers; END", "trigger"),
        ("CREATE INDEX theirs ON documents (title)", "index"),
    ],
)
def test_an_export_names_what_is_not_kebabs_and_how_to_remove_it(
    archive: Path, tmp_path: Path, statement: str, kind: str
) -> None:
    assert archive.exists()
    with closing(sqlite3.connect(tmp_path / "data" / "kebab.sqlite")) as connection, connection:
        connection.create_function("passage_terms", 4, lambda *_: "", deterministic=True)
        connection.execute(statement)
    with (
        open_base(tmp_path / "data") as database,
        pytest.raises(InvalidInputError, match=f"the {kind} theirs in the database") as caught,
    ):
        write(database, tmp_path / "c.zip")
    remedy = caught.value.remedy
    assert remedy is not None
    assert (remedy.advice or "").endswith(f"DROP {kind} 'theirs'")
    assert not (tmp_path / "c.zip").exists()


def test_a_view_in_the_place_of_a_table_is_not_read(archive: Path) -> None:
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT 'a' AS key, 'b' AS value FROM c"
    crafted = change(archive, "DROP TABLE schema_meta", f"CREATE VIEW schema_meta AS {endless}")
    require_refused(crafted, match="schema_meta is not that of schema")


@pytest.mark.parametrize("content", [b"", b"no database" * 999])
def test_a_file_without_a_database_is_refused(archive: Path, content: bytes) -> None:
    require_refused(with_database(archive, content), match="it is empty" if not content else "not a database")


def test_a_version_that_the_database_has_not_is_refused(archive: Path) -> None:
    claims = f"UPDATE schema_meta SET value = '{SCHEMA_VERSION - 1}' WHERE key = 'schema_version'"
    require_refused(change(archive, claims), match=f"not have schema {SCHEMA_VERSION}")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("table", "assignment"),
    [
        ("assets", "asset_id = '../../../victim.txt'"),
        ("assets", "asset_id = asset_id || char(0) || 'x'"),
        ("assets", "storage_path = 'assets/x'"),
        ("assets", "storage_path = '../victim.txt'"),
        ("assets", "storage_kind = 'reference', storage_path = 'victim.txt'"),
        ("assets", "storage_kind = 'reference', storage_path = '/a/../../victim.txt'"),
        ("assets", "checksum = upper(checksum)"),
        ("documents", "doc_id = 'x'"),
        ("documents", "workspace_path = '../victim.md'"),
        ("documents", "workspace_path = '/victim.md'"),
        ("documents", "disk_path = '/notes/../victim.md'"),
        ("documents", "workspace_path = './' || workspace_path"),
        ("documents", "disk_path = disk_path || char(0)"),
        ("chunks", "chunk_id = 'x'"),
        ("chunks", "text_hash = x'00'"),
        ("embedding_models", "dimensions = 0"),
        ("embedding_models", "dimensions = 5"),
        ("vectors", "text_hash = x'00'"),
        ("vectors", "vector = x'0000'"),
    ],
)
def test_a_row_that_kebab_does_not_write_is_refused(archive: Path, table: str, assignment: str) -> None:
    crafted = change(archive, "PRAGMA foreign_keys = OFF", f"UPDATE {table} SET {assignment}")
    require_refused(crafted, match="a row of (assets|documents|chunks|embedding_models|vectors) is not one")


@pytest.mark.parametrize("key", ["endpoint", "api_key_env"])
def test_a_model_server_of_the_database_alone_is_forgotten(archive: Path, tmp_path: Path, key: str) -> None:
    crafted = change(archive, f"""UPDATE embedding_models SET settings_json = '{{"{key}": "http://x"}}'""")
    restore(crafted, tmp_path / "there")
    with open_base(tmp_path / "there") as database:
        assert SqliteEmbeddingRepo(database).active_model() is None
        assert len(SqliteDocumentStore(database).list_documents(DocFilter())) == 1


def test_a_base_that_no_import_would_take_is_not_exported(archive: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "data" / "kebab.sqlite")) as connection:
        connection.execute("ALTER TABLE answers ADD COLUMN theirs TEXT")
    with open_base(tmp_path / "data") as database, pytest.raises(StorageError, match="answers"):
        write(database, tmp_path / "c.zip")
    assert not (tmp_path / "c.zip").exists()


def spoil(archive: Path, assignment: str) -> Path:
    """Change the asset of the base itself, as an import of an earlier version has let it be."""
    with closing(sqlite3.connect(archive.parent / "data" / "kebab.sqlite")) as connection, connection:
        connection.execute(f"UPDATE assets SET {assignment}")
    victim = archive.with_name("victim.txt")
    victim.write_text("mine", "utf-8")
    return victim


@pytest.mark.parametrize("sweep", [True, False])
def test_no_file_is_deleted_that_has_not_the_name_of_a_copy(archive: Path, sweep: bool) -> None:
    victim = spoil(archive, "asset_id = '../victim.txt'")  # of which the first two characters name a folder
    with open_base(archive.parent / "data") as database:
        with database.writing() as connection:
            connection.execute("DELETE FROM documents")
        SqliteDocumentStore(database).collect_assets(sweep=sweep)
    assert victim.read_text("utf-8") == "mine"


def test_no_file_is_read_that_has_not_the_name_of_a_copy(archive: Path, tmp_path: Path) -> None:
    """Not even one with the content of the asset."""
    (copy,) = (archive.parent / "data" / "assets").rglob("*/*")
    victim = spoil(archive, "storage_path = '../victim.txt'")
    victim.write_bytes(copy.read_bytes())
    with open_base(tmp_path / "data") as database:
        (document,) = SqliteDocumentStore(database).list_documents(DocFilter())
        asset = SqliteDocumentStore(database).get_asset(document.doc_id)
        assert asset is not None
        with pytest.raises(StorageError, match="victim"):
            SqliteDocumentStore(database).read_asset(asset.asset_id)
        with pytest.raises(StorageError, match="row of assets"):
            write(database, tmp_path / "c.zip")


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["a pipe", "a folder"])
def test_a_reference_is_read_from_an_ordinary_file_only(
    archive: Path, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "special")
    spoil(archive, f"storage_kind = 'reference', storage_path = '{tmp_path / 'special'}'")
    with open_base(tmp_path / "data") as database:
        (document,) = SqliteDocumentStore(database).list_documents(DocFilter())
        asset = SqliteDocumentStore(database).get_asset(document.doc_id)
        assert asset is not None
        with pytest.raises(StorageError, match="special"):
            SqliteDocumentStore(database).read_asset(asset.asset_id)


@pytest.mark.parametrize("name", ["config.toml", "manifest.json"])
def test_what_is_read_whole_is_refused_where_it_is_large(archive: Path, name: str) -> None:
    size = 2_000_000
    if name == "config.toml":
        crafted = rebuild(archive, {name: b"#" * size})
    else:
        crafted = rebuild(archive, {}, kebab_version="1" * size)
    assert crafted.stat().st_size < archive.stat().st_size + 20_000
    with (
        pytest.raises(InvalidInputError, match=f"{name} has 2"),
        open_archive(crafted),
    ):
        pytest.fail("it was opened")


def test_a_manifest_may_have_long_names(archive: Path) -> None:
    start = f"external/source-default/{chr(1) * 200}"
    more = {f"{start}/{number}/{'가' * 80}.md": b"x" for number in range(300)}
    with open_archive(rebuild(archive, more)) as opened:
        assert opened.manifest.external_documents == 300
