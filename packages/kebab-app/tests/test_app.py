"""The one-line start of the library: `App.open()`, and searches and questions as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_app import App, AskRequest
from kebab_core import ConfigNotFoundError, ReadonlyModeError, SearchMode, SearchQuery

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Base, Embedding

TEXT = "# 색인\n\n색인은 매일 밤 서버에서 만든다.\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in (("HOME", "."), ("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "KEBAB_READONLY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KEBAB_MODELS_EMBEDDING_PROVIDER", "none")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(TEXT, encoding="utf-8")
    file = tmp_path / "config" / "kebab" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'[workspace]\nroot = "{notes}"\n[search]\ndefault_k = 3\n', encoding="utf-8")
    return tmp_path


def test_an_app_opens_with_the_settings_that_commands_find(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with App.open() as app:
        assert app.ingest().counts.new == 1
        assert app.loaded.config_path == home / "config" / "kebab" / "config.toml"
        assert app.search("색인은 언제 만드나요?").query.k == 3
        assert "색인은 매일 밤" in app.ask("색인은 언제 만드나요?").answer
    monkeypatch.setenv("KEBAB_SEARCH_DEFAULT_K", "4")
    with App.open() as app:
        assert app.search("색인").query.k == 4


def test_an_app_opens_without_a_configuration_file_and_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with App.open() as app:
        assert app.loaded.config_path is None
        assert app.loaded.paths.data_dir.is_relative_to(tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_app_opens_a_named_configuration_or_says_that_it_is_missing(home: Path) -> None:
    named = home / "other.toml"
    with pytest.raises(ConfigNotFoundError):
        App.open(named)
    named.write_text("[search]\ndefault_k = 7\n", encoding="utf-8")
    with App.open(named) as app:
        assert app.loaded.settings.search.default_k == 7


@pytest.mark.parametrize("by_environment", [True, False])
def test_writing_is_switched_off_by_argument_or_environment(
    by_environment: bool,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if by_environment:
        monkeypatch.setenv("KEBAB_READONLY", "1")
    with App.open(readonly=not by_environment) as app, pytest.raises(ReadonlyModeError):
        app.ingest()


def test_text_alone_is_a_query_of_the_default_mode(base: Base) -> None:
    base.write("a.md", TEXT)
    base.ingest()
    asked = base.app.search("색인").query
    default_k = base.app.loaded.settings.search.default_k
    assert asked == SearchQuery(text="색인", mode=SearchMode.LEXICAL, k=default_k)


def test_text_alone_is_searched_and_asked_in_hybrid_mode_where_there_is_a_model(
    base: Base, embedding: Embedding
) -> None:
    base.write("a.md", TEXT)
    base.ingest()
    assert base.app.search("색인").query.mode is SearchMode.HYBRID
    question = "색인은 언제 만드나요?"
    short, full = base.app.ask(question), base.app.ask(AskRequest(question=question, mode=SearchMode.HYBRID))
    assert (short.answer, short.grounded, short.retrieval.mode) == (
        full.answer,
        full.grounded,
        full.retrieval.mode,
    )
    assert embedding.embedder.asked
