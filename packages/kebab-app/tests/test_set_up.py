"""Setting up: what is missing is made, what is there stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_app import App, initialize
from kebab_config import load_settings
from kebab_core import ConfigInvalidError, InvalidInputError, StorageError
from kebab_store_sqlite import SCHEMA_VERSION

from tests.remedies import say


@pytest.fixture(autouse=True)
def no_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers on the machine of the tests are not looked for."""
    monkeypatch.setattr("kebab_llm_local.chat_servers.PLACES", ())


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def test_first_set_up_makes_everything_and_a_working_knowledge_base(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    report = initialize(config_path=None, root=tmp_path / "노트 $HOME", environ=environ)

    home = tmp_path / "home"
    assert report.created == (
        home / ".config/kebab/config.toml",
        home / ".local/share/kebab",
        home / ".local/share/kebab/kebab.sqlite",
        tmp_path / "노트 $HOME",
    )
    assert report.kept == ()
    assert report.roots == (tmp_path / "노트 $HOME",)
    assert report.database_schema_version == SCHEMA_VERSION
    assert all(path.exists() for path in report.created)
    without_model = {"models.embedding.provider": "none"}
    with App(load_settings(config_path=None, environ=environ, overrides=without_model)) as app:
        assert app.ingest().counts.scanned == 0
        assert app.doctor().ok


def test_second_set_up_keeps_everything_as_it_is(tmp_path: Path, environ: dict[str, str]) -> None:
    config = tmp_path / "kb" / "kebab.toml"
    first = initialize(config_path=config, root=tmp_path / "notes", environ=environ)
    config.write_text(config.read_text(encoding="utf-8") + "\n# mine\n", encoding="utf-8")
    before = config.read_bytes()

    second = initialize(config_path=config, root=tmp_path / "other", environ=environ)

    assert second.created == ()
    assert second.kept == first.created
    assert second.roots == first.roots
    assert second.backup_path is None
    assert config.read_bytes() == before
    assert not (tmp_path / "other").exists()


def test_documents_that_are_there_are_kept(tmp_path: Path, environ: dict[str, str]) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("mine", encoding="utf-8")

    report = initialize(config_path=tmp_path / "k.toml", root=root, environ=environ)

    assert report.kept == (root,)
    assert (root / "a.md").read_text(encoding="utf-8") == "mine"


def test_force_puts_the_old_configuration_aside(tmp_path: Path, environ: dict[str, str]) -> None:
    config = tmp_path / "kebab.toml"
    config.write_text("not = [valid", encoding="utf-8")

    report = initialize(config_path=config, root=tmp_path / "notes", environ=environ, force=True)

    assert report.backup_path is not None
    assert ".bak" in report.backup_path.name
    assert report.backup_path.read_text(encoding="utf-8") == "not = [valid"
    assert config in report.created


def test_configuration_that_does_not_load_is_refused_and_kept(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    config = tmp_path / "kebab.toml"
    config.write_text("not = [valid", encoding="utf-8")

    with pytest.raises(ConfigInvalidError):
        initialize(config_path=config, root=None, environ=environ)

    assert config.read_text(encoding="utf-8") == "not = [valid"


def test_root_that_cannot_be_made_is_an_error_of_storage(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(StorageError) as caught:
        initialize(config_path=tmp_path / "k.toml", root=tmp_path / "file" / "notes", environ=environ)

    assert say(caught.value)


def test_root_inside_the_data_folder_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    inside = tmp_path / "home/.local/share/kebab/notes"

    with pytest.raises(ConfigInvalidError):
        initialize(config_path=tmp_path / "k.toml", root=inside, environ=environ)


def test_large_models_are_set_in_a_new_configuration(tmp_path: Path, environ: dict[str, str]) -> None:
    config = tmp_path / "kb" / "kebab.toml"
    initialize(config_path=config, root=tmp_path / "notes", environ=environ, models="large")
    embedding = load_settings(config_path=config, environ=environ).settings.models.embedding
    assert (embedding.provider, embedding.model, embedding.dimensions) == (
        "fastembed",
        "multilingual-e5-large",
        1024,
    )


def test_models_are_not_set_in_a_configuration_that_is_kept(tmp_path: Path, environ: dict[str, str]) -> None:
    config = tmp_path / "kb" / "kebab.toml"
    initialize(config_path=config, root=tmp_path / "notes", environ=environ)
    before = config.read_bytes()
    with pytest.raises(InvalidInputError):
        initialize(config_path=config, root=None, environ=environ, models="large")
    assert config.read_bytes() == before
    initialize(config_path=config, root=None, environ=environ, models="large", force=True)
    assert config.read_bytes() != before


def test_every_folder_that_is_named_becomes_a_source(tmp_path: Path, environ: dict[str, str]) -> None:
    roots = [tmp_path / name for name in ("Notes", "Papers")]
    config = tmp_path / "k.toml"
    report = initialize(config_path=config, root=roots[0], more_roots=[roots[1], roots[0]], environ=environ)
    assert report.roots == tuple(roots)
    assert all(root.is_dir() for root in roots)
    loaded = load_settings(config_path=config, environ=environ)
    assert [source.settings.id for source in loaded.paths.sources] == ["Notes", "Papers"]


def test_folders_of_which_one_lies_in_another_are_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    config = tmp_path / "k.toml"
    with pytest.raises(InvalidInputError, match="lies in"):
        initialize(
            config_path=config, root=tmp_path / "a" / "b", more_roots=[tmp_path / "a"], environ=environ
        )
    assert not config.exists()


def test_a_second_configuration_has_a_data_folder_of_its_own(tmp_path: Path, environ: dict[str, str]) -> None:
    first = initialize(config_path=None, root=tmp_path / "notes", environ=environ)
    other = initialize(config_path=tmp_path / "업무.toml", root=tmp_path / "work", environ=environ)
    assert other.data_dir == first.data_dir.with_name("kebab-업무")
    assert other.data_dir in other.created
    again = initialize(config_path=tmp_path / "업무.toml", root=None, environ=environ)
    assert again.data_dir == other.data_dir
    (tmp_path / "업무.toml").unlink()
    third = initialize(config_path=tmp_path / "업무.toml", root=tmp_path / "work", environ=environ)
    assert third.data_dir.name == "kebab-업무-2"
    where = {**environ, "KEBAB_STORAGE_DATA_DIR": str(first.data_dir)}
    named = initialize(config_path=tmp_path / "c.toml", root=tmp_path / "notes", environ=where)
    assert named.data_dir == first.data_dir


def test_a_default_configuration_that_was_lost_finds_its_data_again(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    first = initialize(config_path=None, root=tmp_path / "notes", environ=environ)
    first.config_path.unlink()
    assert initialize(config_path=None, root=tmp_path / "notes", environ=environ).data_dir == first.data_dir


def test_a_folder_named_from_another_one_is_configured_by_its_own_path(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    report = initialize(config_path=None, root=Path("../notes"), more_roots=[Path()], environ=environ)

    assert report.roots == (tmp_path / "notes", work)
    assert tmp_path / "notes" in report.created
    assert ".." not in report.config_path.read_text(encoding="utf-8")
