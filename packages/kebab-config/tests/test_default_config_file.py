"""The file that `kebab init` writes."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kebab_config import (
    LoadedSettings,
    Settings,
    config_keys,
    load_settings,
    render_default_config,
    write_default_config,
)
from kebab_core import ConfigInvalidError, InvalidInputError, StorageError

ENVIRON = {"HOME": "/nowhere"}
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


def load(path: Path) -> LoadedSettings:
    return load_settings(config_path=path, environ=ENVIRON)


def uncomment(text: str) -> str:
    names = {key.key.rpartition(".")[2] for key in config_keys()}
    lines = text.splitlines()
    active = [
        line[2:] if line.startswith("# ") and line[2:].partition(" = ")[0] in names else line
        for line in lines
    ]
    return "\n".join(active)


def test_written_file_loads_as_the_defaults_and_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a" / "config.toml"
    write_default_config(path)
    loaded = load(path)
    assert loaded.settings == Settings()
    decided = {key for key, origin in loaded.origins.items() if origin.kind == "file"}
    assert decided == {"schema_version"}


def test_written_file_with_every_line_uncommented_says_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(uncomment(render_default_config({})), encoding="utf-8")
    loaded = load(path)
    assert loaded.settings == Settings()
    decided = {key for key, origin in loaded.origins.items() if origin.kind == "file"}
    assert decided == {key.key for key in config_keys()} - {"workspace.sources"}


def test_example_of_sources_in_the_written_file_is_valid(tmp_path: Path) -> None:
    lines = render_default_config({}).splitlines()
    example = "\n".join(line.removeprefix("#   ") for line in lines if line.startswith("#   "))
    path = tmp_path / "config.toml"
    path.write_text(example, encoding="utf-8")
    (source,) = load(path).settings.workspace.sources
    assert source.id == "notes"


def test_written_file_shows_description_bounds_and_choices_of_every_key() -> None:
    text = render_default_config({})
    for key in config_keys():
        if "." in key.key:
            assert key.description in text
            assert key.bounds in text
            assert " | ".join(key.choices) in text


def test_written_file_marks_exactly_the_keys_that_nothing_acts_on() -> None:
    section, marked, remark = "", set(), ""
    for line in render_default_config({}).splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif " = " in line and "(no effect " in remark:
            marked.add(f"{section}.{line.removeprefix('# ').partition(' = ')[0]}")
        remark = line
    assert marked == {key.key for key in config_keys() if key.effect_note}
    assert {"rag.multi_hop_max_depth", "models.llm.endpoint"} <= marked


@given(root=TEXTS.filter(bool), exclude=st.lists(TEXTS, max_size=3), k=st.integers(1, 1000))
def test_values_given_for_the_written_file_are_read_back(root: str, exclude: list[str], k: int) -> None:
    values = {"workspace.root": root, "workspace.exclude": exclude, "search.default_k": k}
    tables = tomllib.loads(render_default_config(values))
    assert tables["workspace"] == {"root": root, "exclude": exclude}
    assert tables["search"] == {"default_k": k}


@pytest.mark.parametrize("name", ["문서 모음", "costs$HOME", 'quo"te', "back\\slash"])
def test_root_given_for_the_written_file_is_that_folder_whatever_its_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "config.toml"
    write_default_config(path, root=str(tmp_path / name))
    assert [source.root for source in load(path).paths.sources] == [tmp_path / name]


def test_values_for_an_unknown_key_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalidError):
        write_default_config(tmp_path / "config.toml", values={"search.k": 3})
    assert list(tmp_path.iterdir()) == []


def test_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInputError):
        write_default_config(path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_written_file_and_its_new_folder_are_private(tmp_path: Path) -> None:
    path = tmp_path / "kebab" / "config.toml"
    write_default_config(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_file_below_something_that_is_no_folder_raises_storage_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("", encoding="utf-8")
    with pytest.raises(StorageError):
        write_default_config(tmp_path / "a" / "config.toml")
