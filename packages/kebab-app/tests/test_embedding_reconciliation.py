"""The vectors that are stored and the rows that say so come back into step, whatever happened to either."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_app.knowledge_base import VectorParts
from kebab_core import ChunkId, DatabaseCorruptError, IndexModelMismatchError, StorageError, vector_index_of
from kebab_store_vector import LanceVectorStore
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.vectors import hex_id, identity_of, matrix_of, vector_key

if TYPE_CHECKING:
    from conftest import Base, Embedding


@pytest.fixture
def filled(base: Base, embedding: Embedding) -> Embedding:
    """A knowledge base with vectors in step; the model has forgotten that it was asked."""
    for name in "abcd":
        base.write(f"{name}.md", f"# {name}\n\nfirst {name}\n\n## more\n\nsecond {name}\n")
    base.ingest()
    embedding.assert_in_step()
    embedding.embedder.asked.clear()
    return embedding


def test_lost_vectors_come_back_without_the_model(base: Base, filled: Embedding) -> None:
    index_id = vector_index_of(filled.embedder.identity)
    filled.store.delete(index_id, [ChunkId(chunk) for chunk in sorted(filled.stored)[:3]])
    report = base.ingest().report
    filled.assert_in_step()
    assert filled.texts == []
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused) == (0, 3)


def test_an_index_that_is_gone_comes_back_without_the_model(base: Base, filled: Embedding) -> None:
    filled.store.drop(vector_index_of(filled.embedder.identity))
    base.ingest()
    filled.assert_in_step()
    assert filled.texts == []


def test_vectors_that_no_row_knows_go(base: Base, filled: Embedding) -> None:
    identity = filled.embedder.identity
    row = [1.0, *[0.0] * (identity.dimensions - 1)]
    filled.store.upsert(vector_index_of(identity), [vector_key("stranger")], matrix_of(row))
    base.ingest()
    assert hex_id("stranger") not in filled.stored
    filled.assert_in_step()


def test_vectors_whose_rows_were_never_committed_are_committed(base: Base, filled: Embedding) -> None:
    filled.base.app.base.embeddings.reopen(filled.embedder.identity)
    base.ingest()
    filled.assert_in_step()
    assert filled.texts == []


def test_a_tombstone_whose_vector_is_gone_is_buried(base: Base, filled: Embedding) -> None:
    doomed = next(iter(base.app.base.embeddings.committed(filled.embedder.identity)))
    filled.store.delete(vector_index_of(filled.embedder.identity), [doomed])
    for name in "abcd":
        (base.root / f"{name}.md").unlink()
    base.ingest()
    filled.assert_in_step()
    assert filled.stored == set()


@pytest.mark.parametrize("failing", ["tables", "upsert", "chunk_ids"])
def test_an_index_that_is_damaged_is_made_anew(
    base: Base, filled: Embedding, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    drop = filled.store.drop

    def refuse(*_: object) -> None:
        raise DatabaseCorruptError("the file ends too early")

    with monkeypatch.context() as patch:

        def mend(index_id: object) -> None:
            patch.undo()
            drop(index_id)  # type: ignore[arg-type]

        patch.setattr(filled.store, failing, refuse)
        patch.setattr(filled.store, "drop", mend)
        base.write("new.md", "# new\n\nsomething new\n")
        (base.root / "a.md").unlink()
        base.ingest()
    filled.assert_in_step()
    assert ["something new" in text for text in filled.texts] == [True]


def test_an_index_that_stays_damaged_fails_the_run(
    base: Base, filled: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseCorruptError("the file ends too early")

    monkeypatch.setattr(filled.store, "tables", refuse)
    with pytest.raises(StorageError):
        base.ingest()


def test_an_index_of_another_model_under_this_name_is_made_anew(base: Base, filled: Embedding) -> None:
    index_id = vector_index_of(filled.embedder.identity)
    filled.store.drop(index_id)
    filled.store.ensure_table(index_id, identity_of(3))
    with pytest.raises(IndexModelMismatchError):
        filled.store.ensure_table(index_id, filled.embedder.identity)
    base.ingest()
    filled.assert_in_step()


def test_an_index_with_a_table_file_cut_off_is_made_anew_by_embedding_without_the_model(base: Base) -> None:
    embedder = BagOfWordsEmbedder()
    base.vectors = VectorParts(embedder, LanceVectorStore(base.data_dir / "lancedb"))
    for name in "abcd":
        base.write(f"{name}.md", f"# {name}\n\nfirst {name}\n")
    base.ingest()
    base.close()
    for path in (base.data_dir / "lancedb").glob("*.lance/data/*"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    base.vectors = VectorParts(embedder, LanceVectorStore(base.data_dir / "lancedb"))
    assert not checked(base, "lancedb_open")
    report = base.app.embed()
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused) == (0, 4)
    assert checked(base, "lancedb_open")
    assert checked(base, "vectors_complete")


def checked(base: Base, name: str) -> bool:
    return next(check.ok for check in base.app.doctor().checks if check.name == name)
