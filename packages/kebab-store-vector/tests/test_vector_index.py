"""Bases with more vectors than are compared one by one: an index of LanceDB proposes what is compared."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from kebab_core import DocumentId, ReadonlyModeError, VectorHit, VectorMatrix, VectorRow, vector_index_of
from kebab_store_vector import (
    LanceVectorStore,
    MatrixVectorStore,
    approximate_index,
    lance_store as store_module,
)
from kebab_store_vector.approximate_index import LEAST_RECALL, partitions_for, settings_to_try
from kebab_store_vector.lance_table import LanceTable
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import MODEL, numbered_chunks, put_numbered, state_of
from kebab_testing.tables import walk
from kebab_testing.vectors import hex_id, identity_of, matrix_of, vector_row
from numpy.typing import NDArray

ROWS = 5_200
EXACT = 300
D = 48
CLUSTERED = identity_of(D, model="clustered")
TOPICS = 60
REFINES = (40, 90)
"""With so many candidates the index finds the nearest however it was trained, which is by chance."""


@cache
def _clustered(rows: int) -> NDArray[np.float32]:
    """Return vectors around some topics, as those of texts are."""
    chance = np.random.default_rng(7)
    topics = chance.normal(size=(TOPICS, D))
    vectors = topics[chance.integers(TOPICS, size=rows)] + 0.6 * chance.normal(size=(rows, D))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _row(number: int) -> VectorRow:
    return vector_row(str(number), document=str(number // 10), lang="ko" if number % 4 == 0 else "en")


def _put(source: InMemoryVectorSource, vectors: NDArray[np.float32], first: int = 0) -> None:
    source.put(CLUSTERED, {_row(number): row for number, row in enumerate(vectors.tolist(), first)})


class Built(NamedTuple):
    source: InMemoryVectorSource
    folder: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Clustered vectors and their files; tests work with copies."""
    source, folder = InMemoryVectorSource(), tmp_path_factory.mktemp("built") / "vectors"
    _put(source, _clustered(ROWS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(approximate_index, "_REFINES", REFINES)
        LanceVectorStore(folder, source, exact_rows=EXACT).update(CLUSTERED)
    return Built(source, folder)


@pytest.fixture(autouse=True)
def few_queries(monkeypatch: pytest.MonkeyPatch, built: Built) -> None:
    """Let recall be measured by few searches, but for the files that most tests work with."""
    monkeypatch.setattr(approximate_index, "_QUERIES", 10)
    monkeypatch.setattr(approximate_index, "_REFINES", REFINES)


@pytest.fixture(autouse=True)
def none_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every update bring the table up to date."""
    monkeypatch.setattr(store_module, "_MAX_BEHIND", 0)


@pytest.fixture
def full(built: Built) -> InMemoryVectorSource:
    return built.source.copy()


@pytest.fixture
def indexed(folder: Path, built: Built, full: InMemoryVectorSource) -> LanceVectorStore:
    """A store with a current table."""
    shutil.copytree(built.folder, folder)
    return LanceVectorStore(folder, full, exact_rows=EXACT)


@pytest.fixture
def exact(tmp_path: Path, full: InMemoryVectorSource) -> MatrixVectorStore:
    return MatrixVectorStore(tmp_path / "exact", full)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The limits of the searches in tables from now on."""
    limits: list[int] = []
    nearest = LanceTable.nearest

    def note(table: LanceTable, query: NDArray[np.float32], **options: int) -> list[str]:
        limits.append(options["limit"])
        return nearest(table, query, **options)

    monkeypatch.setattr(LanceTable, "nearest", note)
    return limits


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of partitions of the indexes that are built from now on."""
    partitions: list[int] = []
    build = LanceTable.build_index

    def note(table: LanceTable, count: int) -> None:
        partitions.append(count)
        build(table, count)

    monkeypatch.setattr(LanceTable, "build_index", note)
    return partitions


def _queries(count: int = 50) -> list[VectorMatrix]:
    vectors = _clustered(ROWS)
    chance = np.random.default_rng(11)
    moved = vectors[chance.integers(ROWS, size=count)] + 0.1 * chance.normal(size=(count, D))
    return [matrix_of(row) for row in (moved / np.linalg.norm(moved, axis=1, keepdims=True)).tolist()]


def _table(folder: Path) -> Path:
    return folder / f"{vector_index_of(CLUSTERED)}.lance"


def _json(folder: Path) -> Path:
    return folder / f"{vector_index_of(CLUSTERED)}.json"


def _chunks(hits: list[VectorHit]) -> list[str]:
    return [hit.chunk_id for hit in hits]


def test_the_recall_of_an_index_is_measured_and_kept(
    indexed: LanceVectorStore, exact: MatrixVectorStore, asked: list[int]
) -> None:
    index = indexed.find_index(CLUSTERED)
    assert index is not None
    assert (index.rows, index.partitions, index.is_used) == (ROWS, 8, True)
    assert index.recall >= LEAST_RECALL
    shared = 0
    queries = _queries(20)
    for query in queries:
        found = set(_chunks(indexed.search(CLUSTERED, query, limit=10)))
        shared += len(found.intersection(_chunks(exact.search(CLUSTERED, query, limit=10))))
    assert shared >= LEAST_RECALL * 10 * len(queries)
    assert len(asked) == len(queries)


def test_hits_of_an_index_have_the_cosines_of_an_exact_search(
    indexed: LanceVectorStore, exact: MatrixVectorStore
) -> None:
    for query in _queries(5):
        hits = indexed.search(CLUSTERED, query, limit=20)
        assert [hit.cosine for hit in hits] == exact.similarities(
            CLUSTERED, query, [hit.chunk_id for hit in hits]
        )
        assert hits == sorted(hits, key=lambda hit: (-hit.cosine, hit.chunk_id))


def test_filters_hold_in_an_index(
    indexed: LanceVectorStore, exact: MatrixVectorStore, asked: list[int]
) -> None:
    (query,) = _queries(1)
    some = frozenset(DocumentId(hex_id(str(number))) for number in range(500))
    few = frozenset(DocumentId(hex_id(str(number))) for number in range(3))
    for lang in ("ko", "en"):
        hits = indexed.search(CLUSTERED, query, limit=30, lang=lang)
        assert len(hits) == 30
        assert {hit.lang for hit in hits} == {lang}
    hits = indexed.search(CLUSTERED, query, limit=30, documents=some, lang="en")
    assert set(_chunks(hits)) <= {_row(number).chunk_id for number in range(5000) if number % 4}
    assert len(hits) == 30
    assert len(asked) == 3
    assert indexed.search(CLUSTERED, query, limit=30, documents=few) == exact.search(
        CLUSTERED, query, limit=30, documents=few
    )
    assert indexed.search(CLUSTERED, query, limit=30, lang="fr") == []
    assert len(asked) == 3


def test_passages_behind_the_index_are_found_and_removed_ones_are_not(
    indexed: LanceVectorStore, full: InMemoryVectorSource, exact: MatrixVectorStore, asked: list[int]
) -> None:
    (query,) = _queries(1)
    best = indexed.search(CLUSTERED, query, limit=1)[0].chunk_id
    full.remove([best])
    _put(full, np.array([query.tolist()[0]] * 20, np.float32), ROWS)
    behind = {_row(number).chunk_id for number in range(ROWS, ROWS + 20)}
    for limit in (1, 20, 25):
        hits = indexed.search(CLUSTERED, query, limit=limit)
        assert hits == exact.search(CLUSTERED, query, limit=limit)
        assert set(_chunks(hits[:20])) <= behind
    assert len(asked) == 4
    indexed.update(CLUSTERED)
    now = indexed.find_index(CLUSTERED)
    assert now is not None
    assert now.content_version == full.content_version()
    assert set(_chunks(indexed.search(CLUSTERED, query, limit=20))) == behind
    assert best not in _chunks(indexed.search(CLUSTERED, query, limit=100))


@pytest.fixture
def some_behind(none_behind: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 32 rows be unknown to the table."""
    monkeypatch.setattr(store_module, "_MAX_BEHIND", 32)


@pytest.mark.usefixtures("some_behind")
def test_few_new_passages_leave_the_table_as_it_is_and_are_found_beside_it(
    folder: Path, indexed: LanceVectorStore, full: InMemoryVectorSource, exact: MatrixVectorStore
) -> None:
    (query,) = _queries(1)
    files = {path: path.stat().st_mtime_ns for path in _table(folder).glob("**/*")}
    best = indexed.search(CLUSTERED, query, limit=1)[0].chunk_id
    for first in (ROWS, ROWS + 15):
        full.remove([best])
        _put(full, np.array([query.tolist()[0]] * 15, np.float32), first)
        indexed.update(CLUSTERED)
        assert indexed.is_current(CLUSTERED)
        behind = {_row(number).chunk_id for number in range(ROWS, first + 15)}
        for limit in (1, 15, 40):
            hits = indexed.search(CLUSTERED, query, limit=limit)
            assert hits[:30] == exact.search(CLUSTERED, query, limit=limit)[:30]
            assert set(_chunks(hits[: len(behind)])) <= behind
    assert {path: path.stat().st_mtime_ns for path in _table(folder).glob("**/*")} == files
    _put(full, np.array([query.tolist()[0]] * 15, np.float32), ROWS + 30)
    indexed.update(CLUSTERED)
    index = indexed.find_index(CLUSTERED)
    assert index is not None
    assert index.content_version == full.content_version()


def test_a_matrix_of_which_the_index_knows_no_state_is_searched_exactly(
    folder: Path, indexed: LanceVectorStore, full: InMemoryVectorSource, asked: list[int]
) -> None:
    (query,) = _queries(1)
    _put(full, np.array([query.tolist()[0]], np.float32), ROWS)
    (path,) = folder.glob("*.matrix")
    path.unlink()
    MatrixVectorStore(folder, full).update(CLUSTERED)
    assert _chunks(indexed.search(CLUSTERED, query, limit=1)) == [_row(ROWS).chunk_id]
    assert asked == []


@pytest.mark.parametrize("numbers", [range(EXACT), range(1)])
def test_up_to_the_limit_no_table_is_written_and_one_that_is_there_goes(
    folder: Path, source: InMemoryVectorSource, numbers: range
) -> None:
    put_numbered(source, range(EXACT + 10))
    LanceVectorStore(folder, source, exact_rows=EXACT).update(MODEL)
    name = vector_index_of(MODEL)
    files = {f"{name}.matrix", f"{name}.lance", f"{name}.json"}
    assert {path.name for path in folder.iterdir()} == files
    source.remove(set(numbered_chunks(range(EXACT + 10))) - set(numbered_chunks(numbers)))
    small = LanceVectorStore(folder, source, exact_rows=EXACT)
    assert set(state_of(small)) == set(numbered_chunks(numbers))
    small.update(MODEL)
    assert {path.name for path in folder.iterdir()} == {f"{name}.matrix"}
    assert set(state_of(small)) == set(numbered_chunks(numbers))


def test_a_batch_makes_no_table(folder: Path, full: InMemoryVectorSource) -> None:
    LanceVectorStore(folder, full, exact_rows=EXACT).update(CLUSTERED, complete=False)
    assert [path.suffix for path in folder.iterdir()] == [".matrix"]


def test_an_index_with_a_low_recall_is_neither_used_nor_built_again(
    folder: Path, full: InMemoryVectorSource, trained: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LanceTable, "nearest", lambda *_, **__: [])
    store = LanceVectorStore(folder, full, exact_rows=EXACT)
    store.update(CLUSTERED)
    index = store.find_index(CLUSTERED)
    assert index is not None
    assert (index.recall, index.is_used) == (0, False)
    assert len(store.search(CLUSTERED, _queries(1)[0], limit=7)) == 7
    _put(full, _clustered(10), ROWS)
    store.update(CLUSTERED)
    assert trained == [8]
    later = store.find_index(CLUSTERED)
    assert later is not None
    assert (later.rows, later.is_used, later.content_version) == (ROWS, False, full.content_version())


def test_an_index_is_built_again_when_its_recall_falls_or_the_rows_have_doubled(
    indexed: LanceVectorStore,
    full: InMemoryVectorSource,
    trained: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _put(full, _clustered(20), ROWS)
    indexed.update(CLUSTERED)
    assert trained == []
    _put(full, _clustered(ROWS)[:, ::-1].copy(), ROWS)
    indexed.update(CLUSTERED)
    assert trained == [8]
    monkeypatch.setattr(LanceTable, "nearest", lambda *_, **__: [])
    full.remove([_row(0).chunk_id])
    indexed.update(CLUSTERED)
    assert trained == [8, 8]


def _without_table(folder: Path) -> None:
    shutil.rmtree(_table(folder))


def _without_json(folder: Path) -> None:
    _json(folder).unlink()


def _with_a_damaged_json(folder: Path) -> None:
    _json(folder).write_bytes(_json(folder).read_bytes()[:50])


def _with_a_folder_in_place_of_the_json(folder: Path) -> None:
    _json(folder).unlink()
    _json(folder).mkdir()


def _files(folder: Path, pattern: str) -> list[Path]:
    found = [path for path in _table(folder).glob(pattern) if path.is_file()]
    assert found
    return found


def _cut(pattern: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        for path in _files(folder, pattern):
            os.truncate(path, path.stat().st_size // 2)

    return damage


def _scramble(pattern: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        for path in _files(folder, pattern):
            path.write_bytes(bytes(range(256)) * (path.stat().st_size // 256 + 1))

    return damage


def _remove(pattern: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        for path in _files(folder, pattern):
            path.unlink()

    return damage


@pytest.mark.thorough
@pytest.mark.parametrize(
    "damage",
    [
        _without_table,
        _without_json,
        _with_a_damaged_json,
        _with_a_folder_in_place_of_the_json,
        _cut("data/*"),
        _scramble("data/*"),
        _remove("data/*"),
        _cut("_versions/*.manifest"),
        _scramble("_versions/*.manifest"),
        _remove("_versions/*"),
        _cut("_indices/**/*"),
        _scramble("_indices/**/*"),
        _remove("_indices/**/*"),
    ],
)
def test_a_damaged_table_changes_no_result_and_is_made_anew(
    folder: Path, indexed: LanceVectorStore, exact: MatrixVectorStore, damage: Callable[[Path], None]
) -> None:
    full = indexed._source
    damage(folder)
    queries = _queries(5)
    expected = [exact.search(CLUSTERED, query, limit=10) for query in queries]
    for readonly in (True, False):
        store = LanceVectorStore(folder, full, exact_rows=EXACT, readonly=readonly)
        assert [store.search(CLUSTERED, query, limit=10) for query in queries] == expected
    store.update(CLUSTERED)
    for reader in (store, LanceVectorStore(folder, full, exact_rows=EXACT)):
        index = reader.find_index(CLUSTERED)
        assert index is not None
        assert index.content_version == full.content_version()
        assert index.is_used
        assert reader.search(CLUSTERED, queries[0], limit=10)[0] == expected[0][0]


def test_a_damaged_matrix_leaves_the_search_exact(
    folder: Path, indexed: LanceVectorStore, exact: MatrixVectorStore, asked: list[int]
) -> None:
    (query,) = _queries(1)
    (path,) = folder.glob("*.matrix")
    path.unlink()
    assert indexed.search(CLUSTERED, query, limit=10) == exact.search(CLUSTERED, query, limit=10)
    assert asked == []
    indexed.update(CLUSTERED)
    assert indexed.is_current(CLUSTERED)
    assert indexed.search(CLUSTERED, query, limit=1) == exact.search(CLUSTERED, query, limit=1)
    assert len(asked) == 1


def test_a_new_table_has_each_row_once(built: Built) -> None:
    files = built.folder.rglob("data/*.lance")
    assert sum(path.stat().st_size for path in files) < 1.5 * ROWS * (4 * D + 2 * 32)


def test_a_table_that_another_process_compacts_is_read_on(
    folder: Path, indexed: LanceVectorStore, full: InMemoryVectorSource
) -> None:
    (query,) = _queries(1)
    first = indexed.search(CLUSTERED, query, limit=5)
    _put(full, _clustered(50)[:, ::-1].copy(), ROWS)
    LanceVectorStore(folder, full, exact_rows=EXACT).update(CLUSTERED)
    assert first[0] in indexed.search(CLUSTERED, query, limit=5)


def test_a_store_for_reading_writes_nothing(
    folder: Path, indexed: LanceVectorStore, full: InMemoryVectorSource
) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.glob("**/*")}
    reader = LanceVectorStore(folder, full, exact_rows=EXACT, readonly=True)
    reader.search(CLUSTERED, _queries(1)[0], limit=5)
    reader.cosine_distributions(CLUSTERED, _queries(1)[0])
    with pytest.raises(ReadonlyModeError):
        reader.update(CLUSTERED)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("**/*")} == before
    assert indexed.find_index(CLUSTERED) == reader.find_index(CLUSTERED)


WITHOUT_LANCEDB = """
import logging, sys
from pathlib import Path
sys.modules["lancedb"] = None
logging.basicConfig(format="%(levelname)s %(message)s")
from kebab_store_vector import LanceVectorStore
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import *
source = InMemoryVectorSource()
put_numbered(source, range(700))
store = LanceVectorStore(Path(sys.argv[1]), source, exact_rows=300)
for _ in range(3):
    STEPS
"""


@pytest.mark.parametrize(
    "steps",
    ["print(len(state_of(store))); store.update(MODEL)", "print(len(store.search(MODEL, QUERY, limit=9)))"],
)
def test_where_lancedb_cannot_be_loaded_searches_are_exact_with_one_warning(
    folder: Path, source: InMemoryVectorSource, steps: str
) -> None:
    put_numbered(source, range(700))
    if "update" not in steps:
        filled = InMemoryVectorSource()
        put_numbered(filled, range(700))
        LanceVectorStore(folder, filled, exact_rows=EXACT).update(MODEL)
    command = [sys.executable, "-c", WITHOUT_LANCEDB.replace("STEPS", steps), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == (["700"] if "update" in steps else ["9"]) * 3
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("WARNING LanceDB cannot be loaded, searches compare every vector: ")


def test_building_and_searching_an_index_write_nothing_to_stderr(folder: Path) -> None:
    code = f"""
from pathlib import Path
from kebab_store_vector import LanceVectorStore, approximate_index
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import *
approximate_index._QUERIES = 10
source = InMemoryVectorSource()
put_numbered(source, range(6000))
store = LanceVectorStore(Path({str(folder)!r}), source, exact_rows=300)
store.update(MODEL)
assert store.find_index(MODEL).partitions
source.remove(numbered_chunks(range(4)))
store.update(MODEL)
assert len(store.search(MODEL, QUERY, limit=5)) == 5
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_distributions_of_an_index_come_from_a_sample_of_each_language(
    indexed: LanceVectorStore, exact: MatrixVectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (query,) = _queries(1)
    whole = {each.lang: each for each in exact.cosine_distributions(CLUSTERED, query)}
    assert {lang: each.vectors for lang, each in whole.items()} == {"en": 3900, "ko": 1300}
    monkeypatch.setattr(store_module, "_SAMPLE", 800)
    sampled = indexed.cosine_distributions(CLUSTERED, query)
    assert {each.vectors for each in sampled} == {800}
    for each in sampled:
        assert each.mean == pytest.approx(whole[each.lang].mean, abs=0.02)
        assert each.deviation == pytest.approx(whole[each.lang].deviation, abs=0.02)


@walk(("rows", "partitions"), [(1, 8), (100_000, 12), (1_000_000, 122)])
def test_partitions_grow_with_rows_and_probes_reach_all_of_them(rows: int, partitions: int) -> None:
    assert partitions_for(rows) == partitions
    settings = settings_to_try(partitions)
    assert settings == sorted(settings)
    few, many = REFINES
    assert settings[-1] == (partitions, many)
    assert settings[0] == (8, few) or partitions <= 16
