"""A folder of vectors that is not the one the database knows: an older copy, or another machine's."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import ChunkId, DatabaseCorruptError, SearchMode, SearchQuery
from kebab_store_vector import LanceVectorStore
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Base, Embedding


@pytest.fixture
def swapped(base: Base) -> Base:
    """A knowledge base of two notes whose folder of vectors is from before one took the place of another."""
    folder = base.data_dir / "lancedb"
    reopen(base)
    base.write("a.md", "# a\n\napples\n")
    base.write("b.md", "# b\n\nbananas\n")
    base.ingest()
    copy(folder, base.home / "backup")
    (base.root / "b.md").unlink()
    base.write("c.md", "# c\n\ncherries\n")
    base.ingest()
    copy(base.home / "backup", folder)
    reopen(base)
    return base


def copy(folder: Path, to: Path) -> None:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)


def reopen(base: Base) -> None:
    base.close()
    base.embedder = BagOfWordsEmbedder()


def pending(base: Base, mode: SearchMode = SearchMode.HYBRID) -> int:
    return base.app.search(SearchQuery(text="cherries", mode=mode)).coverage.documents_pending


def found(base: Base) -> list[str]:
    hits = base.app.search(SearchQuery(text="cherries", mode=SearchMode.VECTOR)).hits
    return [str(hit.doc_path) for hit in hits]


def complete(base: Base) -> tuple[bool, str]:
    check = next(check for check in base.app.doctor().checks if check.name == "vectors_complete")
    return check.ok, check.detail


@pytest.mark.parametrize("mode", list(SearchMode))
def test_a_search_tells_which_documents_have_lost_their_vectors(swapped: Base, mode: SearchMode) -> None:
    assert pending(swapped, mode) == 1
    assert swapped.app.count_waiting_passages() == 1


def test_the_doctor_tells_that_vectors_are_lost(swapped: Base) -> None:
    assert complete(swapped) == (False, "the vectors of 1 of 2 passages are lost")


@pytest.mark.parametrize("command", ["embed", "ingest"])
def test_the_next_run_mends_it_without_the_model(swapped: Base, command: str) -> None:
    report = swapped.app.embed() if command == "embed" else swapped.ingest().report
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused, report.embedding.removed) == (0, 1, 1)
    assert pending(swapped) == 0
    assert found(swapped)[0] == "c.md"
    assert complete(swapped) == (True, "2 passages have vectors")
    assert swapped.app.embed().embedding == report.embedding.model_copy(update={"reused": 0, "removed": 0})


def test_a_database_from_before_is_noticed_and_mended_too(base: Base) -> None:
    reopen(base)
    base.write("a.md", "# a\n\napples\n")
    base.ingest()
    base.close()
    database = base.data_dir / "kebab.sqlite"
    shutil.copy(database, base.home / "backup.sqlite")
    (base.root / "a.md").unlink()
    base.write("c.md", "# c\n\ncherries\n")
    base.ingest(prune=True)
    base.close()
    for path in base.data_dir.glob("kebab.sqlite*"):
        path.unlink()
    shutil.copy(base.home / "backup.sqlite", database)
    reopen(base)
    assert pending(base) == 1
    base.ingest(prune=True)
    assert pending(base) == 0
    assert found(base) == ["c.md"]


def test_vectors_in_step_are_not_looked_at_one_by_one(
    base: Base, embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("a.md", "# a\n\napples\n")
    base.ingest()

    def refuse(_: object) -> Iterator[ChunkId]:
        raise AssertionError

    monkeypatch.setattr(embedding.store, "chunk_ids", refuse)
    assert pending(base) == 0
    base.ingest()
    base.app.embed()
    base.write("c.md", "# c\n\ncherries\n")
    (base.root / "a.md").unlink()
    base.ingest(prune=True)
    base.app.embed()
    assert pending(base) == 0


def test_lost_vectors_are_looked_for_once_in_one_state(
    base: Base, embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("apples", "cherries"):
        base.write(f"{name}.md", f"# {name}\n\n{name}\n")
    base.ingest()
    (table,) = embedding.store.tables()
    embedding.store.delete(table.index_id, list(embedding.store.chunk_ids(table.index_id))[:1])
    looks = []
    chunk_ids = embedding.store.chunk_ids

    def counted(index_id: object) -> Iterator[ChunkId]:
        looks.append(index_id)
        return chunk_ids(index_id)  # type: ignore[arg-type]

    monkeypatch.setattr(embedding.store, "chunk_ids", counted)
    assert [pending(base) for _ in range(3)] == [1, 1, 1]
    assert len(looks) == 1


def test_a_base_of_a_version_that_noted_no_state_is_taken_as_it_is_and_looked_at_by_the_next_run(
    base: Base, embedding: Embedding
) -> None:
    base.write("c.md", "# c\n\ncherries\n")
    base.ingest()
    with base.app.base.open_for_writing().writing() as connection:
        connection.execute("DELETE FROM kv WHERE key LIKE 'vectors:%'")
    assert pending(base) == 0
    base.app.embed()
    identity = embedding.embedder.identity
    assert base.app.base.embeddings.checkpoint_version(identity) is not None
    embedding.assert_complete()
    assert len(embedding.texts) == 1


def test_all_documents_are_pending_where_the_vectors_are_damaged(
    base: Base, embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("c.md", "# c\n\ncherries\n")
    base.ingest()

    def refuse(*_: object, **__: object) -> None:
        raise DatabaseCorruptError("the file ends too early")

    for name in ("search", "cosine_distributions", "similarities"):
        monkeypatch.setattr(embedding.store, name, refuse)
    assert pending(base) == 1


@pytest.mark.parametrize("command", ["embed", "ingest", "repair"])
@pytest.mark.parametrize("is_gone", [True, False])
def test_what_reads_are_served_from_is_made_anew_with_nothing_else_to_do(
    base: Base, command: str, is_gone: bool
) -> None:
    reopen(base)
    base.write("a.md", "# a\n\ncherries\n")
    base.ingest()
    (matrix,) = (base.data_dir / "lancedb").glob("*.matrix")
    if is_gone:
        shutil.rmtree(matrix)
    else:
        for path in matrix.glob("*.vectors"):
            path.write_bytes(b"")
    reopen(base)
    store = LanceVectorStore(base.data_dir / "lancedb", readonly=True)
    (table,) = store.tables()
    assert not store.report(table.index_id).matrix_is_current
    match command:
        case "embed":
            base.app.embed()
        case "ingest":
            base.ingest()
        case _:
            assert base.app.doctor(repair=True).repaired == ("what searches read of 1 vector was made anew",)
            assert base.app.doctor(repair=True).repaired == ()
    assert store.report(table.index_id).matrix_is_current
    assert store.content_version(table.index_id) == base.app.base.embeddings.checkpoint_version(
        table.identity
    )
    assert found(base) == ["a.md"]
