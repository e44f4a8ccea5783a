"""A knowledge base as one file, and what an import makes of it: here, elsewhere, and over another one."""

from __future__ import annotations

import os
import threading
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest
from kebab_app import App, Backup, ImportResult, import_backup
from kebab_config import load_settings
from kebab_core import (
    ConfigInvalidError,
    DocFilter,
    FetchDocument,
    InvalidInputError,
    LockedError,
    ReadonlyModeError,
    SearchMode,
    SearchQuery,
    StorageError,
)
from kebab_store_sqlite import hold_writer_lock

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base

LETTER = "# 편지\n\n보낸 사람은 서울에 산다.\n"
PORTABLE = (
    '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n'
)
NFD = unicodedata.normalize("NFD", "한글 이름.md")


def export(base: Base, name: str = "b.zip", *, replace: bool = False) -> Path:
    archive = base.home / name
    base.app.export_backup(archive, replace=replace, progress=lambda _step: None)
    return archive


def restore(
    archive: Path, home: Path, *, replace: bool = False, environ: dict[str, str] | None = None
) -> ImportResult:
    return import_backup(
        archive,
        config_path=home / "kebab.toml",
        environ={"HOME": str(home), **(environ or {})},
        replace=replace,
        progress=lambda _step: None,
    )


def open_there(home: Path) -> App:
    return App(load_settings(config_path=home / "kebab.toml", environ={"HOME": str(home)}))


def contents(app: App) -> dict[str, str | None]:
    return {
        str(d.doc_path): app.fetch(FetchDocument(doc_id=d.doc_id)).text
        for d in app.list_documents(DocFilter())
    }


def hits(app: App, text: str) -> list[object]:
    found = app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL)).hits
    return [(hit.chunk_id, hit.score, hit.citation) for hit in found]


@pytest.fixture
def filled(base: Base, tmp_path: Path) -> Base:
    """Notes under Korean and decomposed names, a letter from elsewhere, an answer; portable paths in the settings."""
    base.write("한국어/색인.md", "# 색인\n\n색인은 다시 만들어진다.\n")
    base.write(NFD, "# 이름\n\n풀어 쓴 이름이다.\n")
    base.write("b.md", "# Deploy\n\nRolling back takes one command.\n")
    base.write("_external/3f9a2c10ee4d.md", LETTER)
    base.ingest()
    base.app.ask("색인은 다시 만들어지나요?")
    return base


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """The home of another machine."""
    home = tmp_path / "다른 기계"
    home.mkdir()
    return home


@pytest.fixture
def moved(filled: Base, there: Path) -> Path:
    """A backup whose settings name folders beside the configuration, as those of another machine would."""
    archive = export(filled)
    filled.config_path.write_text(PORTABLE, "utf-8")
    loaded = load_settings(config_path=filled.config_path, environ=filled.environ)
    with App(loaded, clock=filled.clock) as app:
        app.export_backup(archive, replace=True, progress=lambda _step: None)
    return archive


def test_search_answers_and_documents_are_there_at_once(filled: Base, moved: Path, there: Path) -> None:
    expected = contents(filled.app)
    result = restore(moved, there)
    assert (result.documents, result.manifest.external_documents) == (4, 1)
    assert result.missing_roots == (there / "notes",)
    with open_there(there) as app:
        assert contents(app) == expected
        for text in ("색인", "rolling back", "이름", "서울"):
            assert hits(app, text) == hits(filled.app, text) != []
        assert app.list_answers() == filled.app.list_answers()
        assert [check.name for check in app.doctor().checks if not check.ok] == ["workspace_readable"]


def test_documents_stay_while_their_folder_is_missing_and_are_known_when_it_is_back(
    filled: Base, moved: Path, there: Path
) -> None:
    result = restore(moved, there)
    (kept,) = result.kept_apart
    with open_there(there) as app:
        before = contents(app)
        with pytest.raises(StorageError, match="cannot read source folder") as caught:
            app.ingest()
        assert caught.value.remedy
        assert contents(app) == before
        filled.root.rename(there / "notes")
        report = app.ingest()
        assert (report.counts.new, report.counts.removed, report.counts.errors) == (0, 0, 0)
        assert contents(app) == before
    assert LETTER in kept.read_text("utf-8")


def test_external_documents_come_back_below_their_source_and_overwrite_nothing(
    filled: Base, moved: Path, there: Path
) -> None:
    (letter,) = (filled.root / "_external").iterdir()
    folder = there / "notes" / "_external"
    folder.mkdir(parents=True)
    assert restore(moved, there).kept_apart == ()
    assert (folder / letter.name).read_bytes() == letter.read_bytes()
    (folder / letter.name).write_text("edited")
    (kept,) = restore(moved, there, replace=True).kept_apart
    assert (folder / letter.name).read_text() == "edited"
    assert kept.read_bytes() == letter.read_bytes()
    assert kept.is_relative_to(there / "data")


def test_what_a_killed_import_left_in_a_folder_of_external_documents_is_not_in_the_way(
    filled: Base, moved: Path, there: Path
) -> None:
    for name in ("sub/deep/a.md", "other/b.md"):
        filled.write(f"_external/{name}", "# From elsewhere\n")
    archive = export(filled, "c.zip")
    with ZipFile(moved) as source:
        config = source.read("config.toml")
    filled.config_path.write_bytes(config)
    with App(load_settings(config_path=filled.config_path, environ=filled.environ)) as app:
        app.export_backup(archive, replace=True, progress=lambda _step: None)
    folder = there / "notes" / "_external"
    (folder / "sub" / "deep").mkdir(parents=True)
    draft = folder / "sub" / "deep" / ".kebab-a.md~"
    draft.write_text("# Fro")
    (folder / "other").write_text("a file in the place of a folder")
    (kept,) = restore(archive, there).kept_apart
    assert (folder / "sub" / "deep" / "a.md").read_text("utf-8") == "# From elsewhere\n"
    assert not draft.exists()
    assert (kept.name, kept.read_text("utf-8")) == ("b.md", "# From elsewhere\n")
    assert (folder / "other").read_text() == "a file in the place of a folder"


def test_external_documents_do_not_leave_their_folder_by_a_link(
    filled: Base, moved: Path, there: Path
) -> None:
    (there / "notes").mkdir()
    (there / "elsewhere").mkdir()
    (there / "notes" / "_external").symlink_to(there / "elsewhere")
    (kept,) = restore(moved, there).kept_apart
    assert LETTER in kept.read_text("utf-8")
    assert list((there / "elsewhere").iterdir()) == []


def test_notes_come_back_with_the_data(filled: Base, there: Path) -> None:
    filled.app.ingest_text("수달", title="노트")
    config = '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n'
    config += '[models.embedding]\nprovider = "none"\n'
    filled.config_path.write_text(config, "utf-8")
    loaded = load_settings(config_path=filled.config_path, environ=filled.environ)
    with App(loaded, clock=filled.clock) as app:
        app.export_backup(filled.home / "n.zip", replace=True, progress=lambda _step: None)
    (there / "notes").mkdir()
    assert restore(filled.home / "n.zip", there).kept_apart == ()
    assert "수달" in (there / "data" / "notes" / "노트.md").read_text("utf-8")


def test_what_is_there_is_replaced_on_request_only(filled: Base, moved: Path, there: Path) -> None:
    restore(moved, there)
    (there / "notes").mkdir()
    (there / "notes" / "new.md").write_text("# New\n\nOnly here.\n")
    with open_there(there) as app:
        app.ingest()
        assert hits(app, "only here")
    before = (there / "data" / "kebab.sqlite").read_bytes()
    with pytest.raises(InvalidInputError, match="exists already") as caught:
        restore(moved, there)
    assert "--replace" in say(caught.value)
    assert (there / "data" / "kebab.sqlite").read_bytes() == before
    assert restore(moved, there, replace=True).backup_path is None
    with open_there(there) as app:
        assert hits(app, "only here") == []
        assert hits(app, "색인")


def test_another_configuration_is_kept_beside_the_new_one(filled: Base, moved: Path, there: Path) -> None:
    config = there / "kebab.toml"
    config.write_text('[workspace]\nroot = "mine"\n', "utf-8")
    with pytest.raises(InvalidInputError, match=r"kebab\.toml"):
        restore(moved, there)
    result = restore(moved, there, replace=True)
    assert result.backup_path == there / "kebab.toml.bak"
    assert result.backup_path.read_text() == '[workspace]\nroot = "mine"\n'
    assert config.read_bytes() == filled.config_path.read_bytes()


@pytest.mark.parametrize("name", ["", "writer.lock"])
def test_files_in_a_folder_that_was_no_base_stay(filled: Base, moved: Path, there: Path, name: str) -> None:
    """Whatever their names, and although an import makes lock files there; one that was killed leaves them."""
    theirs = there / "data" / "vectors" / f"{'0' * 32}.matrix"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    if name:
        (there / "data" / name).touch()
    restore(moved, there)
    assert theirs.read_text() == "mine"


def test_a_refused_import_changes_nothing(filled: Base, moved: Path, there: Path) -> None:
    content = bytearray(moved.read_bytes())
    content[2_000] ^= 1
    moved.write_bytes(content)
    with pytest.raises(InvalidInputError, match="damaged"):
        restore(moved, there)
    assert list(there.iterdir()) == []


def test_a_failure_while_everything_is_put_in_place_brings_the_configuration_back(
    filled: Base, moved: Path, there: Path
) -> None:
    (there / "kebab.toml").write_text("# mine\n", "utf-8")
    (there / "data").mkdir()
    (there / "data" / "assets").write_text("in the way")
    with pytest.raises(StorageError, match="cannot write"):
        restore(moved, there, replace=True)
    assert (there / "kebab.toml").read_text() == "# mine\n"
    assert sorted(path.name for path in there.iterdir()) == ["data", "kebab.toml"]


def test_an_interrupt_after_the_database_is_in_place_undoes_nothing(
    filled: Base, moved: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kebab_store_sqlite.staged_backup.flush_folder", interrupt)
    with pytest.raises(KeyboardInterrupt):
        restore(moved, there)
    assert not (there / "data" / "scratch").exists()
    with open_there(there) as app:
        assert contents(app) == contents(filled.app)


def test_settings_that_do_not_load_here_are_refused(filled: Base, there: Path) -> None:
    filled.config_path.write_text('[storage]\ndata_dir = "${KEBAB_DATA_OF_MINE}"\n', "utf-8")
    loaded = load_settings(
        config_path=filled.config_path,
        environ={**filled.environ, "KEBAB_DATA_OF_MINE": str(filled.data_dir)},
    )
    archive = filled.home / "b.zip"
    with App(loaded) as app:
        app.export_backup(archive, replace=False, progress=lambda _step: None)
    with pytest.raises(ConfigInvalidError, match="KEBAB_DATA_OF_MINE") as caught:
        restore(archive, there)
    assert caught.value.remedy
    assert list(there.iterdir()) == []
    restore(archive, there, environ={"KEBAB_DATA_OF_MINE": str(there / "data")})
    assert (there / "data" / "kebab.sqlite").exists()


def test_servers_of_the_configuration_are_named(filled: Base, moved: Path, there: Path) -> None:
    assert restore(moved, there).endpoints == {}
    with ZipFile(moved) as source:
        config = source.read("config.toml").decode()
    config += """endpoint = "http://kim:pass@models.example:1/v1"
[models.llm]
endpoint = "http://own.example"
[ingest.extractors.scan]
url = "https://scan.example/x"
pages = 3
"""
    filled.config_path.write_text(config, "utf-8")
    with App(load_settings(config_path=filled.config_path, environ=filled.environ)) as app:
        app.export_backup(moved, replace=True, progress=lambda _step: None)
    own = {"KEBAB_MODELS_LLM_ENDPOINT": "http://localhost:1"}
    assert restore(moved, there, replace=True, environ=own).endpoints == {
        "models.embedding.endpoint": "http://models.example:1/v1",
        "ingest.extractors.scan.url": "https://scan.example/x",
    }


def test_a_base_without_a_configuration_file_needs_none(filled: Base, there: Path) -> None:
    environ = {"HOME": str(filled.home), "KEBAB_STORAGE_DATA_DIR": str(filled.data_dir)}
    with App(load_settings(config_path=None, environ=environ)) as app:
        backup = app.export_backup(filled.home / "b.zip", replace=False, progress=lambda _step: None)
    assert not backup.manifest.has_configuration
    result = import_backup(
        filled.home / "b.zip",
        config_path=None,
        environ={"HOME": str(there)},
        replace=False,
        progress=lambda _step: None,
    )
    assert result.config_path is None
    assert result.data_dir == there / ".local/share/kebab"
    assert not (there / ".config").exists()


def test_an_export_is_whole_while_an_ingest_writes(filled: Base, there: Path) -> None:
    """Whatever moment it is of: every document of the backup has its passages and its copy."""
    for number in range(20):
        filled.write(f"many/{number}.md", f"# Note {number}\n\n" + "색인은 다시 만들어진다. " * 50)
    writer = App(filled.load())
    failures: list[BaseException] = []

    def write() -> None:
        try:
            writer.ingest()
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    thread = threading.Thread(target=write)
    with App(filled.load()) as reader, writer:
        thread.start()
        backups: list[Backup] = []
        while thread.is_alive() or not backups:
            backups.append(
                reader.export_backup(filled.home / "b.zip", replace=True, progress=lambda _step: None)
            )
            result = import_backup(
                filled.home / "b.zip",
                config_path=there / "kebab.toml",
                environ={"HOME": str(there), "KEBAB_STORAGE_DATA_DIR": str(there / "data")},
                replace=True,
                progress=lambda _step: None,
            )
            loaded = load_settings(
                config_path=there / "kebab.toml",
                environ={"HOME": str(there), "KEBAB_STORAGE_DATA_DIR": str(there / "data")},
            )
            with App(loaded) as app:
                documents = app.list_documents(DocFilter())
                assert len(documents) == result.documents >= 4
                for document in documents:
                    asset = app.base.index.documents.get_asset(document.doc_id)
                    assert asset is not None
                    assert app.base.index.documents.read_asset(asset.asset_id)
                assert [c.name for c in app.doctor().checks if not c.ok and c.name != "ingest_finished"] == []
        thread.join()
    assert failures == []
    assert all(backup.missing == () for backup in backups)


def test_what_can_be_derived_and_what_is_the_users_stays_out(filled: Base) -> None:
    for name in ("models/m.onnx", "logs/kebab.log", "cache/x", "lancedb/x", "writer.lock"):
        path = filled.data_dir / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    with ZipFile(export(filled)) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert tops == {"config.toml", "kebab.sqlite", "assets", "external", "manifest.json"}


def test_only_files_of_evaluations_are_exported_of_their_folder(filled: Base) -> None:
    (filled.home / "private").mkdir()
    (filled.home / "private" / "report.md").write_text("not for others")
    runs = filled.data_dir / "runs"
    run = runs / "20260101T000000Z-s-0a1b"
    run.mkdir(parents=True)
    (run / "report.md").write_text("mine")
    (run / "note.md").write_text("x")
    (run / os.fsdecode(b"\xff.md")).write_text("x")
    other = runs / os.fsdecode(b"20260101T000000Z-\xff-0a1b")
    other.mkdir()
    (other / "report.md").write_text("x")
    (run / "per_query.jsonl").symlink_to(filled.home / "private" / "report.md")
    (runs / "20260101T000000Z-t-0a1b").symlink_to(filled.home / "private")
    with ZipFile(export(filled)) as archive:
        found = [name for name in archive.namelist() if name.startswith("runs")]
    assert found == ["runs/20260101T000000Z-s-0a1b/report.md"]


def test_settings_that_look_like_secrets_are_named(base: Base) -> None:
    base.configure("models.llm", endpoint="http://kim:pass@localhost:1")
    base.configure("ingest.extractors.scan", api_key="s3cret", pages=3)
    assert base.app.loaded.keys_like_secrets == ("models.llm.endpoint", "ingest.extractors.scan.api_key")
    base.configure("models.llm", endpoint="http://localhost:1", api_key_env="MY_KEY")
    base.config.pop("ingest.extractors.scan")
    base.close()
    assert base.app.loaded.keys_like_secrets == ()


def test_nothing_is_imported_beside_another_writer(filled: Base, moved: Path, there: Path) -> None:
    restore(moved, there)
    with hold_writer_lock(there / "data"), pytest.raises(LockedError):
        restore(moved, there, replace=True)


def test_nothing_is_exported_where_writing_is_switched_off(filled: Base) -> None:
    filled.close()
    with App(filled.load(), readonly=True) as app, pytest.raises(ReadonlyModeError):
        app.export_backup(filled.home / "b.zip", replace=False, progress=lambda _step: None)
    assert not (filled.home / "b.zip").exists()
