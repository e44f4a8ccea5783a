"""A lake: one base publishes its documents, others read them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import LakeMaintenance
from kebab_core import (
    ConfigInvalidError,
    FetchAddress,
    NotIndexedError,
    ReadonlyModeError,
    SearchFilters,
    SearchMode,
    SearchQuery,
    StorageError,
)
from kebab_testing.bucket_server import BUCKET, serve_bucket

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


def failed(base: Base) -> dict[str, str | None]:
    """Return the checks of the lake that fail, and the kinds of their remedies."""
    checks = LakeMaintenance(base.app.base).verify().checks
    return {check.name: check.remedy and check.remedy.kind for check in checks if not check.ok}


def test_a_lake_is_verified_and_made_again_where_it_is_damaged(committer: Base, tmp_path: Path) -> None:
    committer.ingest()
    assert failed(committer) == {}
    for path in (tmp_path / "lake" / "passages.lance" / "data").iterdir():
        path.write_bytes(b"rubbish")
    assert failed(committer) == {"lake_contents": "retry"}
    shutil.rmtree(tmp_path / "lake")
    committer.ingest()
    assert failed(committer) == {}


def test_a_compaction_removes_what_readers_may_not_use_any_more(committer: Base, reader: Base) -> None:
    committer.ingest()
    for text in ("green", "yellow"):
        committer.write("apples.md", f"# Apples\n\nThey are {text}.\n")
        committer.ingest()
    committer.clock.advance(timedelta(hours=48, minutes=1))
    done = LakeMaintenance(committer.app.base).compact()
    assert done.revision == 4
    assert found(reader, "yellow") == ["apples.md"]
    assert failed(committer) == {}
    with pytest.raises(ReadonlyModeError):
        LakeMaintenance(reader.app.base).compact()


def test_a_reader_searches_a_copy_on_its_own_disk(committer: Base, reader: Base, tmp_path: Path) -> None:
    lake, copy = tmp_path / "lake", tmp_path / "copy"
    reader.configure("storage", engine="lake", lake=str(lake), mirror=str(copy))
    committer.ingest()
    with pytest.raises(NotIndexedError) as missing:
        found(reader, "red")
    assert missing.value.remedy is not None
    assert missing.value.remedy.kind == "mirror_lake"
    assert LakeMaintenance(reader.app.base).mirror().copied.revision == 1
    assert sorted(found(reader, "red")) == ["apples.md", "rust.md"]
    committer.write("apples.md", "# Apples\n\nThey are green.\n")
    committer.ingest()
    done = LakeMaintenance(reader.app.base).mirror().copied
    assert (done.revision, done.removed_files) == (2, 0)
    assert 0 < done.copied_bytes < sum(path.stat().st_size for path in lake.rglob("*") if path.is_file())
    assert LakeMaintenance(reader.app.base).mirror().copied.copied_files == 0
    committer.clock.advance(REFRESH)
    lake.rename(tmp_path / "away")
    assert found(reader, "green") == ["apples.md"]
    assert failed(reader) == {}


def test_a_copy_leaves_files_that_are_of_no_lake(committer: Base, reader: Base, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    own = [folder / "thesis.md", folder / "head" / "photo.jpg", folder / "letters" / "1998.txt"]
    for path in own:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine", "utf-8")
    reader.configure("storage", engine="lake", lake=str(tmp_path / "lake"), mirror=str(folder))
    for number in range(2):
        committer.write("apples.md", f"# Apples\n\nThey are {number}.\n")
        committer.ingest()
        assert LakeMaintenance(reader.app.base).mirror().copied.removed_files == 0
    assert [path.read_text("utf-8") for path in own] == ["mine"] * len(own)


def test_the_copy_of_a_lake_that_was_made_anew_is_made_anew(
    committer: Base, reader: Base, tmp_path: Path
) -> None:
    lake, copy = tmp_path / "lake", tmp_path / "copy"
    reader.configure("storage", engine="lake", lake=str(lake), mirror=str(copy))
    committer.ingest()
    assert LakeMaintenance(reader.app.base).mirror().copied.removed_files == 0
    shutil.rmtree(lake)
    committer.write("apples.md", "# Apples\n\nThey are green.\n")
    committer.clock.advance(REFRESH)
    committer.ingest()
    assert LakeMaintenance(reader.app.base).mirror().copied.removed_files > 0
    reader.close()
    assert found(reader, "green") == ["apples.md"]


@pytest.mark.enable_socket
def test_a_bucket_is_a_lake(committer: Base, reader: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_bucket() as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        url = f"s3://{BUCKET}/team/lake"
        committer.configure("storage", lake=url)
        reader.configure("storage", engine="lake", lake=url)
        with pytest.raises(NotIndexedError, match="published"):
            found(reader, "red")
        committer.ingest()
        assert sorted(found(reader, "red")) == ["apples.md", "rust.md"]
        assert reader.app.doctor().ok
        assert failed(committer) == {}
        server.is_careless = True
        assert failed(committer) == {"lake_fenced": "change_setting"}
        committer.write("apples.md", "# Apples\n\nThey are green.\n")
        with pytest.raises(StorageError, match="writes over"):
            committer.ingest()
        committer.clock.advance(REFRESH)
        assert sorted(found(reader, "red")) == ["apples.md", "rust.md"]


def test_a_reader_without_a_lake_is_told_which_setting_is_missing(base: Base) -> None:
    base.configure("storage", engine="lake")
    with pytest.raises(ConfigInvalidError, match=r"storage\.lake"):
        base.load()
