"""Indexes with more vectors than are looked at one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kebab_core import LanguageDistribution
from kebab_store_vector import LanceVectorStore, approximate_index, store as store_module
from kebab_store_vector.approximate_index import partitions_for, settings_to_try
from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import LEAST_RECALL
from kebab_testing.numbered_vectors import INDEX, QUERY, numbered_chunks, numbered_key, put_numbered, state_of

ROWS = 900
EXACT = 300


@pytest.fixture
def indexed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> LanceVectorStore:
    # so many candidates that every index finds the nearest, however it was trained
    monkeypatch.setattr(approximate_index, "_REFINES", (90, 90))
    large = LanceVectorStore(folder, exact_rows=EXACT)
    put_numbered(large, range(ROWS))
    large.maintain(INDEX)
    return large


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Into how many partitions each index is divided that is built from now on."""
    partitions: list[int] = []
    build = LanceTable.build_index

    def note(table: LanceTable, count: int) -> None:
        partitions.append(count)
        build(table, count)

    monkeypatch.setattr(LanceTable, "build_index", note)
    return partitions


def test_an_index_is_built_above_the_limit_and_says_what_it_finds(indexed: LanceVectorStore) -> None:
    report = indexed.report(INDEX)
    assert report.approximate is not None
    assert report.approximate.kind == "IVF_RQ"
    assert report.approximate.recall >= LEAST_RECALL
    assert report.approximate.is_used
    assert (report.rows, report.unindexed_rows, report.matrix_is_current) == (ROWS, 0, True)


def test_no_index_is_built_up_to_the_limit(folder: Path, built: list[int]) -> None:
    small = LanceVectorStore(folder, exact_rows=EXACT)
    put_numbered(small, range(EXACT))
    small.maintain(INDEX)
    report = small.report(INDEX)
    assert (report.approximate, report.unindexed_rows, built) == (None, None, [])


def test_what_an_index_finds_has_the_cosines_of_an_exact_search(indexed: LanceVectorStore) -> None:
    found = indexed.search(INDEX, QUERY, limit=20)
    cosines = {hit.chunk_id: hit.cosine for hit in found}
    assert indexed.similarities(INDEX, QUERY, list(cosines)) == list(cosines.values())
    everything = state_of(indexed)
    best = sorted(everything, key=lambda chunk: (-everything[chunk][1], chunk))[:20]
    assert list(cosines) == best


def test_filters_hold_in_an_index(indexed: LanceVectorStore) -> None:
    for lang in ("ko", "en"):
        hits = indexed.search(INDEX, QUERY, limit=30, lang=lang)
        assert len(hits) == 30
        assert {hit.lang for hit in hits} == {lang}
    few = frozenset(numbered_key(number).doc_id for number in range(7))
    hits = indexed.search(INDEX, QUERY, limit=30, documents=few)
    assert {hit.chunk_id for hit in hits} == set(numbered_chunks(range(9)))
    assert indexed.search(INDEX, QUERY, limit=30, lang="fr") == []


def test_rows_written_after_the_index_are_found_and_removed_ones_are_not(indexed: LanceVectorStore) -> None:
    best = indexed.search(INDEX, QUERY, limit=1)[0].chunk_id
    indexed.delete(INDEX, [best])
    put_numbered(indexed, range(ROWS, ROWS + 50))
    exact = state_of(indexed)
    assert best not in exact
    assert set(numbered_chunks(range(ROWS, ROWS + 50))) < set(exact)
    assert best not in {hit.chunk_id for hit in indexed.search(INDEX, QUERY, limit=10)}
    assert indexed.report(INDEX).unindexed_rows == 50
    indexed.maintain(INDEX)
    assert indexed.report(INDEX).unindexed_rows == 0


def test_an_index_that_finds_too_little_is_told_and_neither_used_nor_built_again(
    folder: Path, built: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LanceTable, "nearest", lambda *_, **__: [])
    large = LanceVectorStore(folder, exact_rows=EXACT)
    put_numbered(large, range(ROWS))
    large.maintain(INDEX)
    found = large.report(INDEX).approximate
    assert found is not None
    assert (found.recall, found.is_used) == (0, False)
    assert len(large.search(INDEX, QUERY, limit=7)) == 7
    put_numbered(large, range(ROWS, ROWS + 10))
    large.maintain(INDEX)
    assert (large.report(INDEX).approximate, built) == (found, [8])


def test_an_index_is_built_again_when_its_recall_falls_or_the_rows_have_doubled(
    indexed: LanceVectorStore, built: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_numbered(indexed, range(ROWS, ROWS + 20))
    indexed.maintain(INDEX)
    assert built == []
    put_numbered(indexed, range(2 * ROWS))
    indexed.maintain(INDEX)
    assert built == [8]
    monkeypatch.setattr(LanceTable, "nearest", lambda *_, **__: [])
    indexed.delete(INDEX, numbered_chunks([0]))
    indexed.maintain(INDEX)
    assert built == [8, 8]


def test_an_index_that_cannot_be_read_leaves_the_search_exact(
    folder: Path, indexed: LanceVectorStore
) -> None:
    whole = state_of(indexed)
    for path in folder.glob("*.lance/_indices/**/*"):
        if path.is_file():
            path.unlink()
    hits = LanceVectorStore(folder, exact_rows=EXACT).search(INDEX, QUERY, limit=40)
    assert {hit.chunk_id: (hit.lang, hit.cosine) for hit in hits}.items() <= whole.items()
    assert len(hits) == 40


def test_distributions_of_an_index_come_from_a_sample_of_each_language(
    indexed: LanceVectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = {each.lang: each for each in _distributions(indexed, ROWS, monkeypatch)}
    sampled = _distributions(indexed, 300, monkeypatch)
    assert {each.vectors for each in sampled} == {300}
    for each in sampled:
        assert each.mean == pytest.approx(exact[each.lang].mean, abs=0.05)
        assert each.deviation == pytest.approx(exact[each.lang].deviation, abs=0.05)


def _distributions(
    store: LanceVectorStore, sample: int, patch: pytest.MonkeyPatch
) -> list[LanguageDistribution]:
    patch.setattr(store_module, "SPREAD_SAMPLE", sample)
    return store.cosine_distributions(INDEX, QUERY)


@pytest.mark.parametrize(("rows", "partitions"), [(1, 8), (100_000, 12), (1_000_000, 122)])
def test_partitions_grow_with_rows_and_probes_reach_all_of_them(rows: int, partitions: int) -> None:
    assert partitions_for(rows) == partitions
    settings = settings_to_try(partitions)
    assert settings == sorted(settings)
    assert settings[-1] == (partitions, 40)
    assert settings[0] == (8, 10) or partitions <= 16


def test_the_nearest_of_the_check_are_those_of_an_exact_search(indexed: LanceVectorStore) -> None:
    with indexed._snapshot(INDEX) as (_, snapshot):
        pass
    queries = approximate_index.sample_vectors(snapshot)
    nearest = approximate_index.find_exact_nearest(snapshot, queries)
    for query, chunks in zip(queries, nearest, strict=True):
        hits = snapshot.search(query / np.linalg.norm(query), limit=11, documents=None, lang=None)
        assert {hit.chunk_id for hit in hits} == chunks
