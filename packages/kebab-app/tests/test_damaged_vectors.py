"""Damage to vectors: in the files that are made of them it changes no result, in the database the next run heals it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from kebab_core import DatabaseCorruptError, SearchMode, SearchQuery, SearchResponse, VectorHit

from tests.remedies import say

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Base, Embedding

PASSAGES = 3
BEHIND = "repair updates it"
QUERY = "plums quinces"


@pytest.fixture
def vectors(base: Base, embedding: Embedding) -> Embedding:
    """A knowledge base with three vectors; the model has forgotten that it was asked."""
    base.write("a.md", "# A\n\napples and pears\n\n## B\n\nplums\n")
    base.write("b.md", "# B\n\nquinces\n")
    base.ingest()
    embedding.assert_complete()
    embedding.embedder.asked.clear()
    return embedding


def search(base: Base, mode: SearchMode) -> SearchResponse:
    return base.app.search(SearchQuery(text=QUERY, mode=mode, k=20))


def found(base: Base, mode: SearchMode = SearchMode.HYBRID) -> list[str]:
    response = search(base, mode)
    assert response.coverage.leg_failure is None
    return [hit.chunk_id for hit in response.hits]


def examine(base: Base, name: str) -> tuple[bool, str, str | None]:
    """Return the result of a check of the doctor: passed or not, detail and remedy."""
    (check,) = [check for check in base.app.doctor().checks if check.name == name]
    return check.ok, str(check.detail), say(check)


def matrix_of(base: Base) -> Path:
    (path,) = (base.data_dir / "vectors").glob("*.matrix")
    return path


def overwrite(path: Path, content: bytes, *, at: int = 0) -> None:
    with path.open("r+b") as file:
        file.seek(at, os.SEEK_END if at < 0 else os.SEEK_SET)
        file.write(content)


FILE_DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: path.unlink(),
    "gone with its folder": lambda path: shutil.rmtree(path.parent),
    "empty": lambda path: os.truncate(path, 0),
    "cut off": lambda path: os.truncate(path, path.stat().st_size // 2),
    "a vector that is no number": lambda path: overwrite(path, b"\x00\x7e" * 64),
    "another vector": lambda path: overwrite(path, path.read_bytes()[128:256]),
    "garbage at the end": lambda path: overwrite(path, b"\xff" * 12, at=-12),
}


@pytest.mark.thorough
@pytest.mark.parametrize("damage", FILE_DAMAGES.values(), ids=list(FILE_DAMAGES))
@pytest.mark.parametrize("command", ["embed", "ingest", "ingest of a new file", "repair"])
def test_damaged_files_change_no_result_and_are_made_again_without_the_model(
    base: Base, vectors: Embedding, damage: Callable[[Path], object], command: str
) -> None:
    expected = {mode: found(base, mode) for mode in SearchMode}
    nearest = vectors.nearest(QUERY)
    base.close()
    damage(matrix_of(base))

    assert {mode: found(base, mode) for mode in SearchMode} == expected
    assert vectors.nearest(QUERY) == nearest
    ok, detail, _ = examine(base, "lancedb_open")
    assert ok
    assert BEHIND in detail

    base.close()
    asked = len(vectors.texts)
    match command:
        case "embed":
            base.app.embed()
        case "ingest":
            base.ingest()
        case "ingest of a new file":
            base.write("c.md", "# C\n\nfigs\n")
            asked += 1
            assert base.ingest().counts["new"] == 1
        case "repair":
            assert base.app.doctor(repair=True).repaired == ("the search file of 3 vectors was rebuilt",)
            assert base.app.doctor(repair=True).repaired == ()
    vectors.assert_complete()
    assert len(vectors.texts) == asked
    assert base.app.doctor().ok
    assert BEHIND not in examine(base, "lancedb_open")[1]


def test_files_that_are_cut_off_between_two_searches_cost_neither(base: Base, vectors: Embedding) -> None:
    both = found(base)
    os.truncate(matrix_of(base), 0)
    other = base.app.search(SearchQuery(text="quinces plums", mode=SearchMode.HYBRID))
    assert {hit.chunk_id for hit in other.hits} >= set(found(base, SearchMode.LEXICAL))
    assert found(base) == both


VECTOR_DAMAGES = ["zeroblob(length(vector))", "x'00'", "randomblob(length(vector))", "x''"]


def spoil(base: Base, value: str, *, passages: int = PASSAGES) -> None:
    """Damage the vectors of passages, those of queries too where it is all."""
    base.close()
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection, connection:
        where = f"WHERE text_hash IN (SELECT text_hash FROM chunks ORDER BY chunk_id LIMIT {passages})"
        changed = connection.execute(
            f"UPDATE vectors SET vector = {value} {where if passages < PASSAGES else ''}"
        )
        assert changed.rowcount >= passages


@pytest.mark.thorough
@pytest.mark.parametrize("value", VECTOR_DAMAGES)
@pytest.mark.parametrize("passages", [1, PASSAGES])
@pytest.mark.parametrize("command", ["embed", "ingest", "ingest of a new file"])
def test_damaged_vectors_leave_the_words_and_are_made_again(
    base: Base, vectors: Embedding, *, value: str, passages: int, command: str
) -> None:
    words, both = found(base, SearchMode.LEXICAL), found(base)
    spoil(base, value, passages=passages)
    shutil.rmtree(base.data_dir / "vectors")

    assert found(base, SearchMode.LEXICAL) == words
    response = search(base, SearchMode.HYBRID)
    assert [hit.chunk_id for hit in response.hits] == words
    failure = response.coverage.leg_failure
    assert failure is not None
    assert failure.code == "database_corrupt"
    assert "kebab embed" in str(say(failure))
    ok, detail, remedy = examine(base, "lancedb_open")
    assert (ok, remedy) == (False, "kebab embed")
    assert detail == ("1 vector is damaged" if passages == 1 else f"{passages} vectors are damaged")

    base.close()
    asked = len(vectors.texts)
    match command:
        case "embed":
            base.app.embed()
        case "ingest":
            base.ingest()
        case "ingest of a new file":
            base.write("c.md", "# C\n\nfigs\n")
            assert base.ingest().counts["new"] == 1
            asked += 1
    assert len(vectors.texts) == asked + passages
    vectors.assert_complete()
    assert base.app.doctor().ok
    assert [chunk_id for chunk_id in found(base) if chunk_id in both] == both


def test_an_approximate_index_that_is_due_and_not_there_is_told(
    base: Base, vectors: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = vectors.nearest(QUERY)
    assert "exact" in examine(base, "lancedb_open")[1]
    assert "due" not in examine(base, "lancedb_open")[1]
    monkeypatch.setitem(sys.modules, "lancedb", None)
    base.configure("storage", vector_index="lancedb")
    base.write("c.md", "# C\n\nfigs\n")
    base.ingest()
    assert "without the approximate index that is due" in examine(base, "lancedb_open")[1]
    assert [hit for hit in vectors.nearest(QUERY) if hit in expected] == expected


@pytest.mark.parametrize("command", ["embed", "ingest", "ingest of a new file"])
def test_a_vector_that_is_lost_is_told_and_made_again(base: Base, vectors: Embedding, command: str) -> None:
    base.close()
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection, connection:
        lost = "SELECT text_hash FROM chunks ORDER BY chunk_id LIMIT 1"
        connection.execute(f"DELETE FROM vectors WHERE text_hash IN ({lost})")
    ok, detail, remedy = examine(base, "vectors_complete")
    assert (ok, remedy) == (False, "kebab embed")
    assert detail == "1 passage has lost its vector; 2 passages have vectors"
    if command == "embed":
        base.app.embed()
    else:
        if command == "ingest of a new file":
            base.write("c.md", "# C\n\nfigs\n")
        base.ingest()
    assert len(vectors.texts) == (2 if command == "ingest of a new file" else 1)
    vectors.assert_complete()
    assert base.app.doctor().ok


def test_damaged_hashes_of_texts_end_the_pass_and_are_made_again(base: Base, vectors: Embedding) -> None:
    base.close()
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection, connection:
        connection.execute("UPDATE chunks SET text_hash = x'0011'")
    with pytest.raises(DatabaseCorruptError):
        base.app.embed()
    assert not base.app.doctor().ok
    base.ingest(force=True)
    vectors.assert_complete()
    assert base.app.doctor().ok


@pytest.mark.parametrize("value", VECTOR_DAMAGES)
def test_damaged_vectors_beside_files_that_are_whole_are_found_by_their_rounded_copies_and_are_told(
    base: Base, vectors: Embedding, value: str
) -> None:
    expected: list[VectorHit] = vectors.nearest(QUERY)
    spoil(base, value)
    assert vectors.nearest(QUERY) == [
        hit._replace(cosine=pytest.approx(hit.cosine, abs=0.01)) for hit in expected
    ]
    assert examine(base, "lancedb_open") == (False, "3 vectors are damaged", "kebab embed")
    base.app.embed()
    assert len(vectors.texts) == PASSAGES
    assert base.app.doctor().ok
    shutil.rmtree(base.data_dir / "vectors")
    assert vectors.nearest(QUERY) == expected


def test_a_damaged_vector_of_a_text_that_comes_back_is_made_again(base: Base, vectors: Embedding) -> None:
    (base.root / "b.md").unlink()
    base.ingest()
    spoil(base, "zeroblob(length(vector))")
    base.write("b.md", "# B\n\nquinces\n")
    base.ingest()
    assert sum("quinces" in text for text in vectors.texts) == 1
    assert {hit.chunk_id for hit in vectors.nearest()} == base.chunk_ids()
    base.app.embed()
    vectors.assert_complete()


def test_damage_in_what_was_measured_of_the_model_is_told_and_measured_again(
    base: Base, vectors: Embedding
) -> None:
    base.close()
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection, connection:
        changed = connection.execute(
            "UPDATE kv SET value = replace(value, '0.1', '0.9') WHERE key LIKE 'anchors:%'"
        )
        assert changed.rowcount == 1
    assert [say(check) for check in base.app.doctor().checks if not check.ok] == ["kebab embed"]
    base.app.embed()
    assert base.app.doctor().ok
