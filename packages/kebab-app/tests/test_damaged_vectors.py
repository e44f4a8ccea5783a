"""Vectors that are damaged cost no search by words and no ingest, and what the doctor advises heals them."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from kebab_app import ResetScope
from kebab_core import SearchMode, SearchQuery, SearchResponse
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

from tests.remedies import say

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Base

DIMENSIONS = 64
LIST, NO_LIST = b"fixed_size_list", b"fixed_sije_list"
"""LanceDB's Rust panics over a type that it does not know."""


def newest_manifest(base: Base) -> Path:
    return min(base.data_dir.glob("lancedb/*.lance/_versions/*.manifest"))


def rename_a_type(base: Base) -> None:
    manifest = newest_manifest(base)
    content = manifest.read_bytes()
    assert LIST in content
    manifest.write_bytes(content.replace(LIST, NO_LIST))


def rename_a_type_and_lose_the_matrix(base: Base) -> None:
    rename_a_type(base)
    for path in base.data_dir.glob("lancedb/*.matrix/*"):
        path.unlink()


def cut_the_manifest(base: Base) -> None:
    os.truncate(newest_manifest(base), 100)


def spoil_a_vector(base: Base) -> None:
    (vectors,) = base.data_dir.glob("lancedb/*.matrix/*.vectors")
    with vectors.open("r+b") as file:
        file.write(b"\x00\x7e" * DIMENSIONS)  # not a number


def spoil_a_vector_without_checksums(base: Base) -> None:
    spoil_a_vector(base)
    (manifest,) = base.data_dir.glob("lancedb/*.matrix/current.json")
    state = json.loads(manifest.read_text("utf-8"))
    del state["checksums"]  # as an earlier kebab wrote it
    manifest.write_text(json.dumps(state), "utf-8")


TOLD_BY_THEMSELVES = [rename_a_type, rename_a_type_and_lose_the_matrix, cut_the_manifest]
"""An ingest meets them, and need not be told to mend them."""
CASES = [(damage, "ingest") for damage in TOLD_BY_THEMSELVES] + [
    (damage, "embed") for damage in (*TOLD_BY_THEMSELVES, spoil_a_vector_without_checksums)
]


@pytest.fixture
def vectors(base: Base) -> Base:
    base.write("a.md", "# A\n\napples and pears\n\n## B\n\nplums\n")
    base.write("b.md", "# B\n\nquinces\n")
    reopen(base)
    base.ingest()
    return base


def reopen(base: Base) -> None:
    base.close()
    base.embedder = BagOfWordsEmbedder()


def search(base: Base, mode: SearchMode) -> SearchResponse:
    return base.app.search(SearchQuery(text="plums quinces", mode=mode, k=20))


@pytest.mark.parametrize(("damage", "remedy"), CASES)
def test_damaged_vectors_leave_the_words_and_are_healed(
    vectors: Base, damage: Callable[[Base], None], remedy: str
) -> None:
    words = [hit.chunk_id for hit in search(vectors, SearchMode.LEXICAL).hits]
    both = [hit.chunk_id for hit in search(vectors, SearchMode.HYBRID).hits]
    vectors.close()
    damage(vectors)
    reopen(vectors)

    assert [hit.chunk_id for hit in search(vectors, SearchMode.LEXICAL).hits] == words
    found = search(vectors, SearchMode.HYBRID)
    assert [hit.chunk_id for hit in found.hits] == words
    failure = found.coverage.leg_failure
    assert failure is not None
    assert failure.code == "database_corrupt"
    assert "kebab embed" in str(say(failure))

    reopen(vectors)
    failed = {check.name: say(check) for check in vectors.app.doctor().checks if not check.ok}
    assert "lancedb_open" in failed
    assert all("kebab embed" in hint for hint in failed.values())

    reopen(vectors)
    vectors.write("c.md", "# C\n\nfigs\n")
    assert vectors.ingest().counts["new"] == 1
    if remedy == "embed":
        vectors.app.embed()
    reopen(vectors)
    if remedy == "embed":
        assert vectors.app.doctor().ok
    assert [hit.chunk_id for hit in search(vectors, SearchMode.HYBRID).hits] == both
    assert search(vectors, SearchMode.HYBRID).coverage.leg_failure is None


def test_a_spoiled_vector_changes_no_result_and_is_told(vectors: Base) -> None:
    both = [hit.chunk_id for hit in search(vectors, SearchMode.HYBRID).hits]
    vectors.close()
    spoil_a_vector(vectors)
    reopen(vectors)

    found = search(vectors, SearchMode.HYBRID)
    assert [hit.chunk_id for hit in found.hits] == both
    assert found.coverage.leg_failure is None
    assert "repair makes it current" in _told_of_vectors(vectors)
    vectors.app.doctor(repair=True)
    reopen(vectors)
    assert "repair makes it current" not in _told_of_vectors(vectors)
    assert [hit.chunk_id for hit in search(vectors, SearchMode.HYBRID).hits] == both


def _told_of_vectors(base: Base) -> str:
    report = base.app.doctor()
    assert report.ok
    return next(check.detail for check in report.checks if check.name == "lancedb_open")


@pytest.mark.parametrize("payload", ["zeroblob(length(payload))", "x'00'", "randomblob(length(payload))"])
def test_damage_in_what_the_model_made_before_is_made_again(vectors: Base, payload: str) -> None:
    both = [hit.chunk_id for hit in search(vectors, SearchMode.HYBRID).hits]
    vectors.app.reset(ResetScope.VECTOR_ONLY)
    with closing(sqlite3.connect(vectors.data_dir / "kebab.sqlite")) as connection, connection:
        connection.execute(f"UPDATE derivation_cache SET payload = {payload}")  # noqa: S608
    reopen(vectors)
    report = vectors.app.embed().embedding
    assert report is not None
    assert report.reused == 0
    assert [hit.chunk_id for hit in search(vectors, SearchMode.HYBRID).hits] == both


def test_damage_in_what_was_measured_of_the_model_is_told_and_measured_again(vectors: Base) -> None:
    vectors.close()
    with closing(sqlite3.connect(vectors.data_dir / "kebab.sqlite")) as connection, connection:
        changed = connection.execute(
            "UPDATE kv SET value = replace(value, '0.1', '0.9') WHERE key LIKE 'anchors:%'"
        )
        assert changed.rowcount == 1
    reopen(vectors)
    assert [say(check) for check in vectors.app.doctor().checks if not check.ok] == ["kebab embed"]
    vectors.app.embed()
    assert vectors.app.doctor().ok


def test_vectors_that_are_cut_off_between_two_searches_cost_neither(vectors: Base) -> None:
    words = {hit.chunk_id for hit in search(vectors, SearchMode.LEXICAL).hits}
    both = [hit.chunk_id for hit in search(vectors, SearchMode.HYBRID).hits]
    (file,) = vectors.data_dir.glob("lancedb/*.matrix/*.vectors")
    os.truncate(file, 0)

    other = vectors.app.search(SearchQuery(text="quinces plums", mode=SearchMode.HYBRID))
    assert {hit.chunk_id for hit in other.hits} >= words
    assert [hit.chunk_id for hit in search(vectors, SearchMode.HYBRID).hits] == both
