"""Single values and sources that are changed in a configuration file."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_config import (
    add_source,
    load_settings,
    name_sources,
    remove_source,
    set_value,
    write_default_config,
)
from kebab_core import ConfigInvalidError, InvalidInputError, KebabError


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "kebab.toml"
    write_default_config(path, root=str(tmp_path / "notes"))
    return path


def load(path: Path):  # type: ignore[no-untyped-def]
    return load_settings(config_path=path, environ={"HOME": str(path.parent)})


def test_a_value_is_set_and_all_else_stays(path: Path) -> None:
    before = path.read_text(encoding="utf-8").splitlines()
    set_value(path, "search.default_k", "20")
    set_value(path, "workspace.exclude", "a/, b/")
    set_value(path, "storage.data_dir", "~/내 자료")
    settings = load(path).settings
    assert settings.search.default_k == 20
    assert settings.workspace.exclude == ("a/", "b/")
    assert settings.storage.data_dir == "~/내 자료"
    after = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in after if line in before] == before
    set_value(path, "search.default_k", "5")
    assert load(path).settings.search.default_k == 5
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(after)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("search.nothing", "1"),
        ("search.default_k", "many"),
        ("search.default_k", "0"),
        ("workspace.sources", "x"),
    ],
)
def test_a_value_that_cannot_be_leaves_the_file_as_it_is(key: str, value: str, path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(KebabError):
        set_value(path, key, value)
    assert path.read_bytes() == before


def test_a_mistake_in_a_file_can_be_set_right(path: Path) -> None:
    path.write_text(path.read_text("utf-8").replace("# default_k = 10", "default_k = 0"), "utf-8")
    with pytest.raises(ConfigInvalidError):
        load(path)
    set_value(path, "search.default_k", "10")
    assert load(path).settings.search.default_k == 10


def test_a_source_is_removed_and_the_last_one_stays(path: Path, tmp_path) -> None:
    add_source(path, folder=tmp_path / "papers", source_id="papers")
    remove_source(path, source_id="default")
    assert [source.settings.id for source in load(path).paths.sources] == ["papers"]
    for name in ("papers", "absent"):
        with pytest.raises(InvalidInputError):
            remove_source(path, source_id=name)


def test_several_folders_are_sources_named_after_them(tmp_path) -> None:
    folders = [
        tmp_path / name
        for name in ("Notes", "노트", "My Papers", "x/Notes", "$HOME", "x/노트", "회의 (2026)", "!")
    ]
    named = name_sources(folders)
    assert list(named) == ["Notes", "노트", "My-Papers", "Notes-2", "HOME", "노트-2", "회의-2026", "source"]
    path = tmp_path / "kebab.toml"
    write_default_config(path, sources={name: str(folder) for name, folder in named.items()})
    found = {source.settings.id: source.root for source in load(path).paths.sources}
    assert found == named
