"""From what stands in the configuration to folders on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kebab_config import LoadedSettings, expand_path, load_settings
from kebab_core import ConfigInvalidError
from kebab_testing.tables import walk

ENVIRON = {"HOME": "/home/kim", "SET": "/srv/data", "EMPTY": "", "REL": "sub"}
BASE = Path("/base")


def load(tmp_path: Path, text: str, environ: dict[str, str] | None = None) -> LoadedSettings:
    file = tmp_path / "kb" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return load_settings(config_path=file, environ=environ or ENVIRON, current_dir=tmp_path)


@walk(
    ("text", "path"),
    [
        ("/abs/폴더", "/abs/폴더"),
        ("~", "/home/kim"),
        ("~/노트", "/home/kim/노트"),
        ("$HOME/x", "/home/kim/x"),
        ("${HOME}/x", "/home/kim/x"),
        ("${SET}/x", "/srv/data/x"),
        ("${SET:-~/x}/y", "/srv/data/y"),
        ("${EMPTY:-~/x}/y", "/home/kim/x/y"),
        ("${UNSET:-~/x}", "/home/kim/x"),
        ("${UNSET:-${ALSO_UNSET:-$HOME/deep}}/y", "/home/kim/deep/y"),
        ("${UNSET:-}x", "/base/x"),
        ("relative/x", "/base/relative/x"),
        ("../x", "/x"),
        ("./a//b/", "/base/a/b"),
        ("a/$REL/b", "/base/a/sub/b"),
        ("costs$$2", "/base/costs$2"),
        ("costs$2", "/base/costs$2"),
        ("~other/x", "/base/~other/x"),
        ("a/~/b", "/base/a/~/b"),
    ],
)
def test_path_is_expanded_and_absolute(text: str, path: str) -> None:
    assert expand_path(text, environ=ENVIRON, base=BASE) == Path(path)


@walk("text", ["", "  ", "$UNSET/x", "${UNSET}/x", "${HOME", "${}", "${1A:-x}", "${A B}"])
def test_path_that_cannot_be_expanded_is_refused(text: str) -> None:
    with pytest.raises(ConfigInvalidError):
        expand_path(text, environ=ENVIRON, base=BASE)


def test_home_folder_that_is_not_known_is_refused_only_where_it_is_needed() -> None:
    assert expand_path("/x", environ={}, base=BASE) == Path("/x")
    with pytest.raises(ConfigInvalidError):
        expand_path("~/x", environ={}, base=BASE)


@given(text=st.text(alphabet="ab/.~$ {}:-가", min_size=1, max_size=12))
def test_any_path_is_absolute_or_refused(text: str) -> None:
    try:
        path = expand_path(text, environ=ENVIRON, base=BASE)
    except ConfigInvalidError:
        return
    assert path.is_absolute()
    assert ".." not in path.parts


def test_defaults_follow_the_xdg_layout() -> None:
    paths = load_settings(config_path=None, environ={"HOME": "/home/kim"}).paths
    assert paths.config_file == Path("/home/kim/.config/kebab/config.toml")
    assert paths.data_dir == Path("/home/kim/.local/share/kebab")
    assert paths.state_dir == Path("/home/kim/.local/state/kebab")
    assert paths.cache_dir == Path("/home/kim/.cache/kebab")
    assert paths.log_dir == paths.state_dir / "logs"
    assert [source.root for source in paths.sources] == [Path("/home/kim/KnowledgeBase")]


def test_xdg_variables_move_the_defaults_without_a_home_folder() -> None:
    environ = {f"XDG_{name}_HOME": f"/x/{name.lower()}" for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    paths = load_settings(config_path=None, environ={**environ, "KEBAB_WORKSPACE_ROOT": "/docs"}).paths
    assert paths.config_file == Path("/x/config/kebab/config.toml")
    assert (paths.data_dir, paths.state_dir) == (Path("/x/data/kebab"), Path("/x/state/kebab"))
    assert paths.cache_dir == Path("/x/cache/kebab")


@walk("value", ["", "relative", "./x"])
def test_xdg_variables_that_are_not_absolute_count_as_unset(value: str) -> None:
    environ = {"HOME": "/home/kim"} | {
        f"XDG_{name}_HOME": value for name in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    expected = load_settings(config_path=None, environ={"HOME": "/home/kim"}).paths
    assert load_settings(config_path=None, environ=environ).paths == expected


def test_data_elsewhere_keeps_state_cache_and_logs_out_of_the_users_folders(tmp_path: Path) -> None:
    paths = load(tmp_path, "[storage]\ndata_dir = 'data'\n[workspace]\nroot = 'docs'\n").paths
    data = tmp_path / "kb" / "data"
    assert paths.data_dir == data
    assert (paths.state_dir, paths.log_dir, paths.cache_dir) == (data, data / "logs", data / "cache")


def test_data_elsewhere_needs_no_home_folder(tmp_path: Path) -> None:
    text = f"[storage]\ndata_dir = '{tmp_path}/data'\n[workspace]\nroot = 'docs'\n"
    assert load(tmp_path, text, {"PATH": "/bin"}).paths.data_dir == tmp_path / "data"


def test_named_file_in_the_default_data_folder_keeps_the_default_state_folder(tmp_path: Path) -> None:
    assert load(tmp_path, "").paths.state_dir == Path("/home/kim/.local/state/kebab")


def test_relative_path_of_the_file_starts_from_the_folder_of_the_file(tmp_path: Path) -> None:
    paths = load(tmp_path, "[workspace]\nroot = '../문서'\n").paths
    assert paths.sources[0].root == tmp_path / "문서"


def test_relative_path_of_a_variable_or_flag_starts_from_the_current_folder(tmp_path: Path) -> None:
    environ = {**ENVIRON, "KEBAB_WORKSPACE_ROOT": "docs"}
    assert load(tmp_path, "", environ).paths.sources[0].root == tmp_path / "docs"
    flagged = load_settings(
        config_path=None, environ=ENVIRON, overrides={"workspace.root": "docs"}, current_dir=tmp_path
    )
    assert flagged.paths.sources[0].root == tmp_path / "docs"


def test_sources_take_their_rules_from_the_workspace_where_they_say_none(tmp_path: Path) -> None:
    text = """
[workspace]
include = ["*.md"]
exclude = ["초안/**"]
[[workspace.sources]]
id = "notes"
root = "notes"
exclude = ["*.tmp"]
[[workspace.sources]]
id = "wiki"
root = "/wiki"
include = ["*.rst"]
trust_level = "secondary"
"""
    notes, wiki = load(tmp_path, text).paths.sources
    assert (notes.settings.include, notes.settings.exclude) == (("*.md",), ("초안/**", "*.tmp"))
    assert (wiki.settings.include, wiki.settings.exclude) == (("*.rst",), ("초안/**",))
    assert (notes.root, wiki.root) == (tmp_path / "kb/notes", Path("/wiki"))
    assert wiki.settings.trust_level == "secondary"


def test_single_root_is_the_source_called_default(tmp_path: Path) -> None:
    (source,) = load(tmp_path, "[workspace]\nroot = 'docs'\n").paths.sources
    assert source.settings.id == "default"
    assert source.settings.exclude == (".git/**", "node_modules/**", ".obsidian/**")


@pytest.mark.parametrize("root", ["data", "data/docs"])
def test_source_inside_the_data_folder_is_refused(tmp_path: Path, root: str) -> None:
    with pytest.raises(ConfigInvalidError, match="inside the data folder"):
        load(tmp_path, f"[storage]\ndata_dir = 'data'\n[workspace]\nroot = '{root}'\n")


def test_source_that_reaches_the_data_folder_by_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kb" / "data" / "assets").mkdir(parents=True)
    (tmp_path / "kb" / "docs").symlink_to(tmp_path / "kb" / "data" / "assets")
    with pytest.raises(ConfigInvalidError, match="inside the data folder"):
        load(tmp_path, "[storage]\ndata_dir = 'data'\n[workspace]\nroot = 'docs'\n")


def test_path_error_names_its_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        load(tmp_path, "[storage]\ndata_dir = '${UNSET}/x'\n")
    assert str(caught.value).startswith("storage.data_dir: ")
