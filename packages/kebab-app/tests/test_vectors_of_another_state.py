"""Files of vectors that are not those of the database: of an older copy, of a newer one, or gone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_app import App
from kebab_core import SearchMode, SearchQuery
from kebab_testing.families import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conftest import Base, Embedding

QUERY = "cherries bananas"


def copy_parts(base: Base, to: Path, *names: str) -> None:
    """Copy the database or the files of the vectors of a closed knowledge base."""
    base.close()
    for name in names:
        source, target = base.data_dir / name, to / name
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
        else:
            to.mkdir(exist_ok=True)
            shutil.copy(source, target)


def put_back(base: Base, backup: Path, name: str) -> None:
    base.close()
    place = base.data_dir / name
    if place.is_dir():
        shutil.rmtree(place)
        shutil.copytree(backup / name, place)
    else:
        for path in base.data_dir.glob(f"{name}*"):
            path.unlink()
        shutil.copy(backup / name, place)


def results(base: Base) -> list[str]:
    """Return hits by words, by meaning and by both, in order."""
    hits: list[str] = []
    for mode in SearchMode:
        response = base.app.search(SearchQuery(text=QUERY, mode=mode, k=50))
        assert response.coverage.leg_failure is None
        hits += [hit.chunk_id for hit in response.hits]
    return hits


def compare(base: Base, embedding: Embedding) -> None:
    """The results equal those of the same database without any files."""
    found, nearest = results(base), embedding.nearest(QUERY)
    base.close()
    shutil.rmtree(base.data_dir / "vectors", ignore_errors=True)
    assert results(base) == found
    assert embedding.nearest(QUERY) == nearest
    base.close()


def change(base: Base) -> None:
    """Remove a note, change one, add one; the text of one moves to another."""
    (base.root / "b.md").unlink()
    base.write("a.md", "# a\n\napples and cherries\n")
    base.write("c.md", "# c\n\ncherries\n")
    (base.root / "d.md").rename(base.root / "e.md")
    base.ingest(prune=True)


@pytest.fixture
def notes(base: Base, embedding: Embedding) -> Base:
    for name, text in (("a", "apples"), ("b", "bananas"), ("d", "dates")):
        base.write(f"{name}.md", f"# {name}\n\n{text}\n")
    base.ingest()
    return base


@pytest.mark.parametrize("restored", ["vectors", "kebab.sqlite"])
def test_results_are_those_of_the_database_beside_files_of_another_state(
    notes: Base, embedding: Embedding, restored: str
) -> None:
    copy_parts(notes, notes.home / "backup", "vectors", "kebab.sqlite")
    before = results(notes)
    change(notes)
    after = results(notes)
    assert before != after
    put_back(notes, notes.home / "backup", restored)

    assert results(notes) == (before if restored == "kebab.sqlite" else after)
    assert {hit.chunk_id for hit in embedding.nearest()} == notes.chunk_ids()
    compare(notes, embedding)


@pytest.mark.thorough
@pytest.mark.parametrize("restored", ["vectors", "kebab.sqlite"])
@pytest.mark.parametrize("command", ["embed", "ingest", "repair"])
def test_the_next_run_makes_the_files_of_the_database_without_the_model(
    notes: Base, embedding: Embedding, restored: str, command: str
) -> None:
    copy_parts(notes, notes.home / "backup", "vectors", "kebab.sqlite")
    change(notes)
    put_back(notes, notes.home / "backup", restored)
    asked = len(embedding.texts)
    if command == "repair":
        assert notes.app.doctor(repair=True).repaired == ("the search file of 3 vectors was rebuilt",)
    elif command == "embed" or restored == "vectors":
        report = notes.app.embed() if command == "embed" else notes.ingest().report
        assert report.embedding is not None
        assert (report.embedding.computed, report.embedding.removed) == (0, 0)
    else:  # the files are newer than the restored database
        notes.ingest(prune=True)
        asked += 2
    assert len(embedding.texts) == asked
    embedding.assert_complete()


def test_two_histories_after_one_copy_are_not_taken_for_each_other(notes: Base, embedding: Embedding) -> None:
    """Both make as many changes, so that a counter would be equal."""
    backup, first = notes.home / "backup", notes.home / "first"
    copy_parts(notes, backup, "vectors", "kebab.sqlite")
    notes.write("x.md", "# x\n\ncherries\n")
    notes.ingest()
    copy_parts(notes, first, "vectors")
    put_back(notes, backup, "kebab.sqlite")
    put_back(notes, backup, "vectors")
    (notes.root / "x.md").unlink()
    notes.write("y.md", "# y\n\nbananas\n")
    notes.ingest()
    after = results(notes)
    put_back(notes, first, "vectors")

    assert results(notes) == after
    assert {hit.chunk_id for hit in embedding.nearest()} == notes.chunk_ids()
    compare(notes, embedding)


def test_a_search_in_another_process_s_place_sees_what_was_ingested_since(
    notes: Base, embedding: Embedding
) -> None:
    with App(notes.load(), readonly=True, clock=notes.clock, embedder=embedding.embedder) as reader:

        def paths() -> list[str]:
            query = SearchQuery(text="cherries", mode=SearchMode.HYBRID)
            return [str(hit.doc_path) for hit in reader.search(query).hits]

        assert paths() == []
        change(notes)
        assert set(paths()) == {"a.md", "c.md"}


def test_looking_with_files_of_another_state_writes_nothing(notes: Base, embedding: Embedding) -> None:
    copy_parts(notes, notes.home / "backup", "vectors")
    change(notes)
    after = results(notes)
    put_back(notes, notes.home / "backup", "vectors")
    notes.readonly = True
    before = {path: path.stat().st_mtime_ns for path in (notes.data_dir / "vectors").iterdir()}
    assert results(notes) == after
    assert notes.app.doctor().checks
    assert {path: path.stat().st_mtime_ns for path in (notes.data_dir / "vectors").iterdir()} == before


WORDS = ["apple", "banana", "cherry", "date", "fig", "grape", "색인", "검색 색인"]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 4), st.lists(st.sampled_from(WORDS), max_size=4)),
        st.tuples(st.just("remove"), st.integers(0, 4), st.just([])),
        st.tuples(st.just("files lost"), st.just(0), st.just([])),
        st.tuples(st.just("files of before"), st.just(0), st.just([])),
        st.tuples(st.just("words only"), st.just(0), st.just([])),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.thorough
@settings(
    max_examples=examples(15),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
def test_results_are_those_of_the_database_after_any_history(
    base: Base, embedding: Embedding, steps: Sequence[tuple[str, int, list[str]]]
) -> None:
    base.write("first.md", "# first\n\nbananas and cherries\n")
    base.ingest(prune=True)
    backup = base.home / "backup"
    copy_parts(base, backup, "vectors")
    for kind, number, words in steps:
        path = base.root / f"{number}.md"
        match kind:
            case "write":
                sections = "\n\n".join(f"## {at}\n\n{word}" for at, word in enumerate(words))
                base.write(path.name, f"# {number}\n\n{sections}\n")
                base.ingest(prune=True)
            case "remove":
                path.unlink(missing_ok=True)
                base.ingest(prune=True)
            case "files lost":
                base.close()
                shutil.rmtree(base.data_dir / "vectors", ignore_errors=True)
            case "files of before":
                base.close()
                shutil.rmtree(base.data_dir / "vectors", ignore_errors=True)
                shutil.copytree(backup / "vectors", base.data_dir / "vectors")
            case _:
                base.write("words.md", f"# words\n\n{number} not embedded {len(steps)}\n")
                base.ingest(embed=False)
    nearest = embedding.nearest(QUERY)
    assert {hit.chunk_id for hit in nearest} == embedding.stored
    compare(base, embedding)
    base.app.embed()
    embedding.assert_complete()
    for path in base.root.iterdir():
        path.unlink()


def test_every_kind_of_index_gives_the_same_hits(base: Base, embedding: Embedding) -> None:
    words = [f"{first} {second}" for first in WORDS for second in WORDS]
    for number in range(30):
        parts = range(number * 10, number * 10 + 10)
        texts = [f"# {part}\n\n{words[part % len(words)]} {part % 7} {part}\n" for part in parts]
        base.write(f"{number}.md", "\n".join(texts))
    base.ingest(embed=False)
    found = []
    for name in ("matrix", "lancedb", "auto"):
        base.configure("storage", vector_index=name)
        base.app.embed()
        found.append((results(base), embedding.nearest(QUERY)[:50]))
        assert base.app.doctor().ok
        embedding.assert_complete()
        assert bool(list((base.data_dir / "vectors").glob("*.lance"))) == (name == "lancedb")
    assert len(embedding.texts) == 300
    assert found[0] == found[1] == found[2]
