"""Adding a folder of documents to a configuration file."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_config import add_source, load_settings, write_default_config
from kebab_core import ConfigInvalidError, ConfigNotFoundError, InvalidInputError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kb" / "config.toml"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def sources(file: Path) -> list[tuple[str, str]]:
    loaded = load_settings(config_path=file, environ={"HOME": "/home/kim"})
    return [(source.settings.id, str(source.root)) for source in loaded.paths.sources]


def test_source_added_to_the_written_file_stands_beside_the_default_one(file: Path) -> None:
    write_default_config(file)
    before = file.read_text(encoding="utf-8")
    add_source(file, folder=Path("/문서/a b"), source_id="papers")
    assert sources(file) == [("default", "/home/kim/KnowledgeBase"), ("papers", "/문서/a b")]
    after = file.read_text(encoding="utf-8")
    assert [line for line in before.splitlines() if line and line not in after.splitlines()] == []


def test_source_added_beside_a_root_keeps_the_root_as_the_default_source(file: Path) -> None:
    write(
        file, "# 내 설정\n[workspace]\nroot = '~/글'  # 글\nexclude = ['*.tmp']\n\n[search]\ndefault_k = 3\n"
    )
    add_source(file, folder=Path("/b"), source_id="b")
    assert sources(file) == [("default", "/home/kim/글"), ("b", "/b")]
    assert file.read_text(encoding="utf-8").startswith("# 내 설정\n[workspace]\n")
    assert load_settings(config_path=file, environ={"HOME": "/h"}).settings.search.default_k == 3


@pytest.mark.parametrize(
    "text",
    [
        "[[workspace.sources]]\nid = 'a'\nroot = '/a'\n\n[search]\nrrf_k = 7\n",
        "[workspace]\nsources = [{id = 'a', root = '/a'}]\n",
        "workspace = {sources = [{id = 'a', root = '/a'}]}\n",
    ],
)
def test_source_is_added_after_the_sources_that_are_there(file: Path, text: str) -> None:
    write(file, text)
    add_source(file, folder=Path("/b"), source_id="b")
    add_source(file, folder=Path("/c$HOME"), source_id="c")
    assert sources(file) == [("a", "/a"), ("b", "/b"), ("c", "/c$HOME")]


def test_source_added_to_an_empty_file_stands_beside_the_default_one(file: Path) -> None:
    write(file, "")
    add_source(file, folder=Path("/b"), source_id="b")
    assert sources(file) == [("default", "/home/kim/KnowledgeBase"), ("b", "/b")]


@pytest.mark.parametrize("source_id", ["default", "문서/하나", "a b", ""])
def test_name_that_is_taken_or_impossible_is_refused_and_nothing_is_written(
    file: Path, source_id: str
) -> None:
    write(file, "")
    with pytest.raises(InvalidInputError):
        add_source(file, folder=Path("/b"), source_id=source_id)
    assert file.read_text(encoding="utf-8") == ""


def test_folder_that_is_a_source_already_is_refused(file: Path) -> None:
    write(file, "[workspace]\nroot = '/a'\n")
    with pytest.raises(InvalidInputError, match="default"):
        add_source(file, folder=Path("/a"), source_id="again")


def test_file_that_does_not_load_is_refused_untouched(file: Path) -> None:
    write(file, "[search]\nk = 3\n")
    with pytest.raises(ConfigInvalidError):
        add_source(file, folder=Path("/b"), source_id="b")
    assert file.read_text(encoding="utf-8") == "[search]\nk = 3\n"


def test_missing_file_raises_config_not_found(file: Path) -> None:
    with pytest.raises(ConfigNotFoundError):
        add_source(file, folder=Path("/b"), source_id="b")
