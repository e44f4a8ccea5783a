"""Vectors of forgotten documents."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from kebab_core import SearchQuery, StorageError, TextHash
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

from tests.remedies import say

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Base, Embedding

SHARED = "# Door\n\nThe code is under the mat.\n"
SECRET = "\n## Safe\n\nThe safe opens with xyzzy.\n"


@pytest.fixture
def given(base: Base, embedding: Embedding) -> Embedding:
    """Two documents with a passage in common, of which the one has a secret besides; its file is gone."""
    base.write("kept.md", SHARED)
    base.write("gone.md", SHARED + SECRET)
    base.ingest()
    (base.root / "gone.md").unlink()
    return embedding


def texts_of(base: Base, path: str) -> frozenset[TextHash]:
    return base.app.base.index.embeddings.text_hashes([base.documents()[path].doc_id])


def vector_files(base: Base) -> list[Path]:
    return [path for path in (base.data_dir / "vectors").rglob("*") if path.is_file()]


def test_vectors_of_its_texts_go_and_those_that_another_document_has_too_stay(
    base: Base, given: Embedding
) -> None:
    kept, gone = texts_of(base, "kept.md"), texts_of(base, "gone.md")
    asked = len(given.texts)
    find = base.app.base.index.embeddings.find_vectors
    secret = gone - kept
    assert len(secret) == len(kept & gone) == 1
    (vector,) = find(given.embedder.identity, secret).values()

    assert base.app.forget(["gone.md"]).documents == ("gone.md",)

    assert find(given.embedder.identity, gone).keys() == kept
    given.assert_complete()
    base.close()
    files = [base.data_dir / "kebab.sqlite", *vector_files(base)]
    assert len(files) > 1
    assert not [path for path in files if vector in path.read_bytes()]
    base.app.embed()
    base.ingest()
    assert len(given.texts) == asked


def test_vectors_of_every_model_go(base: Base, given: Embedding) -> None:
    other = given.switch(BagOfWordsEmbedder(dimensions=32, model_id="other"))
    base.app.embed()
    secret = texts_of(base, "gone.md") - texts_of(base, "kept.md")
    find = base.app.base.index.embeddings.find_vectors
    vectors = [
        vector for model in (given, other) for vector in find(model.embedder.identity, secret).values()
    ]
    assert len(vectors) == 2

    base.app.forget(["gone.md"])

    base.close()
    assert len(vector_files(base)) == 2
    files = [base.data_dir / "kebab.sqlite", *vector_files(base)]
    assert not [path for path in files for vector in vectors if vector in path.read_bytes()]
    other.assert_complete()


def test_the_last_document_takes_the_files_along(base: Base, embedding: Embedding) -> None:
    base.write("gone.md", SECRET)
    base.ingest()
    (base.root / "gone.md").unlink()
    assert vector_files(base)
    base.app.forget(["gone.md"])
    assert vector_files(base) == []
    embedding.assert_complete()


def test_what_is_in_the_way_of_the_files_is_told_after_all_else_is_erased(
    base: Base, given: Embedding
) -> None:
    secret = texts_of(base, "gone.md") - texts_of(base, "kept.md")
    base.close()
    for path in vector_files(base):
        path.unlink()
    folder = base.data_dir / "vectors"
    folder.rmdir()
    folder.write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageError) as raised:
        base.app.forget(["gone.md"])
    assert "away" in str(say(raised.value))
    assert base.paths() == ["kept.md"]
    assert base.app.base.index.embeddings.find_vectors(given.embedder.identity, secret) == {}
    base.close()
    assert b"xyzzy" not in (base.data_dir / "kebab.sqlite").read_bytes()


def test_without_a_model_there_are_no_vectors_to_forget(base: Base) -> None:
    base.write("gone.md", SECRET)
    base.ingest()
    (base.root / "gone.md").unlink()
    assert base.app.forget(["gone.md"]).documents == ("gone.md",)
    assert base.paths() == []
    assert not (base.data_dir / "vectors").exists()


def test_a_path_on_disk_that_is_that_of_another_file_deletes_nothing(base: Base) -> None:
    """As a database of somebody else may have it."""
    mine = base.write("mine/b.md", "# Mine\n")
    base.ingest()
    base.write("_external/l.md", "# Letter\n\nIt is not mine.\n")
    base.ingest()
    letter = "_external/l.md"
    base.close()
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection, connection:
        connection.execute("UPDATE documents SET disk_path = ? WHERE workspace_path = ?", (str(mine), letter))
    base.app.forget([letter], keep_answers=True)
    assert mine.read_text("utf-8") == "# Mine\n"
    assert not (base.root / letter).exists()


def test_erasing_leaves_nothing_of_a_document_in_any_folder_of_the_base(
    base: Base, embedding: Embedding
) -> None:
    words = ("조르블락스", "quixotrop")
    base.write("kept.md", SHARED)
    base.ingest()
    base.app.ingest_text("The quixotrop fee is 900 euros.\n", title="조르블락스 계약")
    note = "kebab-notes:조르블락스 계약.md"
    base.app.base.index.pictures.put_results("ocr", {"key": b"quixotrop"}, at=base.app.base.clock.now())
    kept = base.data_dir / "replaced"
    for name, content in (
        ("schema-11", "SELECT 1"),
        ("schema-10", "DELETE FROM documents WHERE title <> 'Door'"),
    ):
        (kept / name).mkdir(parents=True)
        with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection:
            connection.execute("VACUUM INTO ?", (str(kept / name / "kebab.sqlite"),))
        with closing(sqlite3.connect(kept / name / "kebab.sqlite")) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute(content)
            connection.commit()
    (log_lines,) = [
        path for path in base.data_dir.rglob("ingest-*.ndjson") if words[0] in path.read_text("utf-8")
    ]

    plan = base.app.plan_forget([note], erase=True)
    assert plan.replaced == (kept / "schema-11",)
    assert base.app.plan_forget([note]).replaced == ()
    assert set(base.app.forget([note], erase=True).removed_paths) == {*plan.copies, *plan.replaced}

    base.close()
    files = [path for path in base.data_dir.rglob("*") if path.is_file() and "schema-10" not in path.parts]
    left = [
        path for path in files for word in words if word.encode() in path.read_bytes() or word in path.name
    ]
    assert left == []
    assert log_lines.exists()
    assert (kept / "schema-10").exists()
    assert base.app.search("door code").hits
    embedding.assert_complete()


def places_of(base: Base, word: bytes) -> list[str]:
    files = (path for path in base.data_dir.rglob("*") if path.is_file())
    return [path.name for path in files if word in path.read_bytes()]


def test_next_command_erases_what_a_reader_kept_in_the_log(base: Base, given: Embedding) -> None:
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM documents").fetchone()
        assert not base.app.forget(["gone.md"], erase=True).erased
        reader.rollback()
        base.close()
        assert places_of(base, b"xyzzy")
        hits = base.app.search(SearchQuery(text="door")).hits
        assert [hit.doc_path for hit in hits] == ["kept.md"]
        assert places_of(base, b"xyzzy") == []


def test_next_command_finishes_an_erasure_that_failed_after_its_commit(base: Base, given: Embedding) -> None:
    secret = texts_of(base, "gone.md") - texts_of(base, "kept.md")
    (vector,) = base.app.base.index.embeddings.find_vectors(given.embedder.identity, secret).values()
    base.close()
    for path in vector_files(base):
        path.unlink()
    folder = base.data_dir / "vectors"
    folder.rmdir()
    folder.write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageError):
        base.app.forget(["gone.md"])
    base.close()
    folder.unlink()
    base.app.search(SearchQuery(text="door"))
    assert vector_files(base)
    assert places_of(base, vector) == places_of(base, b"xyzzy") == []
    given.assert_complete()


def test_next_run_erases_the_text_of_documents_that_a_killed_run_removed(base: Base) -> None:
    base.write("kept.md", SHARED)
    gone = base.write("gone.md", SHARED + SECRET)
    base.ingest()
    gone.unlink()
    base.app.base.index.documents.remove_documents([base.documents()["gone.md"].doc_id])
    base.close()
    assert places_of(base, b"xyzzy")
    base.ingest()
    base.close()
    assert places_of(base, b"xyzzy") == []
