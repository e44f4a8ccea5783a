"""A lake: one base publishes its documents, others read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    ConfigInvalidError,
    FetchAddress,
    NotIndexedError,
    ReadonlyModeError,
    SearchFilters,
    SearchMode,
    SearchQuery,
)

if TYPE_CHECKING:
    from conftest import Base, Embedding

REFRESH = timedelta(seconds=30)


@pytest.fixture
def committer(embedding: Embedding, tmp_path: Path) -> Base:
    base = embedding.base
    base.configure("storage", lake=str(tmp_path / "lake"))
    base.write("apples.md", "---\ntags: [fruit]\n---\n# Apples\n\nThe apples are red.\n")
    base.write("rust.md", "# Rust\n\nIron turns red in the rain.\n")
    return base


@pytest.fixture
def reader(committer: Base, make_base: Callable[[Path], Base], tmp_path: Path) -> Iterator[Base]:
    """A base of another folder that reads the lake; both have one clock."""
    home = tmp_path / "reader"
    home.mkdir()
    made = make_base(home)
    made.clock, made.embedder = committer.clock, committer.embedder
    made.configure("storage", engine="lake", lake=str(tmp_path / "lake"))
    yield made
    made.close()


def found(base: Base, text: str, mode: SearchMode = SearchMode.LEXICAL) -> list[str]:
    return [hit.doc_path for hit in base.app.search(SearchQuery(text=text, mode=mode)).hits]


def test_a_reader_finds_lists_and_fetches_what_the_committer_has(committer: Base, reader: Base) -> None:
    committer.ingest()
    for text in ("red", "apples", '"red in the rain"', "appl*", "raw: red NOT rain"):
        assert found(reader, text) == found(committer, text) != [], text
    for mode in (SearchMode.VECTOR, SearchMode.HYBRID):
        assert found(reader, "apples red", mode) == found(committer, "apples red", mode) != []
    assert reader.documents() == committer.documents()
    assert reader.app.count_documents("tags", SearchFilters()) == [("fruit", 1)]
    assert "The apples are red." in str(reader.app.fetch(FetchAddress(address="apples.md")).text)
    assert reader.app.ask("What colour are the apples?")
    assert (len(reader.app.list_answers()), committer.app.list_answers()) == (1, [])


def test_a_reader_sees_changes_after_the_time_of_a_refresh(committer: Base, reader: Base) -> None:
    committer.ingest()
    assert sorted(found(reader, "red")) == ["apples.md", "rust.md"]
    committer.write("apples.md", "# Apples\n\nThey are green.\n")
    (committer.root / "rust.md").unlink()
    committer.ingest(prune=True)
    assert len(found(reader, "red")) == 2
    committer.clock.advance(REFRESH)
    assert found(reader, "red") == []
    assert found(reader, "green") == ["apples.md"]


def test_a_reader_adds_no_documents_and_keeps_answers_of_its_own(committer: Base, reader: Base) -> None:
    with pytest.raises(NotIndexedError, match="published"):
        found(reader, "red")
    committer.ingest()
    with pytest.raises(ReadonlyModeError):
        reader.ingest()
    with pytest.raises(ReadonlyModeError):
        reader.app.forget(["rust.md"])
    assert found(reader, "red")
    assert [check.name for check in reader.app.doctor().checks if not check.ok] == []


def test_a_reader_without_a_lake_is_told_which_setting_is_missing(base: Base) -> None:
    base.configure("storage", engine="lake")
    with pytest.raises(ConfigInvalidError, match=r"storage\.lake"):
        base.load()
