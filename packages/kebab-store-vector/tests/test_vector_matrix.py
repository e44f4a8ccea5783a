"""The matrix that searches read: used while it is whole and of this model, and never otherwise."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import EmbeddingIdentity, TextHash, vector_index_of
from kebab_store_vector import (
    LanceVectorStore,
    MatrixVectorStore,
    matrix as matrix_module,
    store as store_module,
)
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.families import examples
from kebab_testing.numbered_vectors import DIMENSIONS, MODEL, QUERY, numbered_chunks, put_numbered, state_of
from kebab_testing.vectors import identity_of, unit, vector_row

HEAVY = ("lancedb", "pyarrow", "numpy")
OTHER = identity_of(DIMENSIONS, model="other")


class CountedSource(InMemoryVectorSource):
    """Counts the vectors that are read."""

    def __init__(self) -> None:
        super().__init__()
        self.read = 0

    def vectors(self, identity: EmbeddingIdentity, text_hashes: Iterable[TextHash]) -> Iterator[bytes]:
        for vector in super().vectors(identity, text_hashes):
            self.read += 1
            yield vector


def _matrix(folder: Path, identity: EmbeddingIdentity = MODEL) -> Path:
    return folder / f"{vector_index_of(identity)}.matrix"


def _loaded_after(code: str) -> str:
    script = f"import sys\n{code}\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.strip()


def test_importing_the_package_and_opening_a_store_load_no_library(folder: Path) -> None:
    code = f"""
from pathlib import Path
import kebab_store_vector
from kebab_store_vector import LanceVectorStore, MatrixVectorStore
from kebab_testing.fakes.vector_source import InMemoryVectorSource
for store in (MatrixVectorStore, LanceVectorStore):
    assert store(Path({str(folder)!r}), InMemoryVectorSource()).embedded_models() == []
"""
    assert _loaded_after(code) == "[]"


@pytest.mark.parametrize("kind", ["MatrixVectorStore", "LanceVectorStore"])
def test_writing_and_searching_few_vectors_load_numpy_and_neither_lancedb_nor_arrow(
    folder: Path, kind: str
) -> None:
    code = f"""
from pathlib import Path
from kebab_store_vector import {kind}
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import *
source = InMemoryVectorSource()
put_numbered(source, range(700))
store = {kind}(Path({str(folder)!r}), source)
for _ in range(2):
    assert len(state_of(store)) == 700
    assert store.find_damaged(MODEL) == []
    store.update(MODEL)
assert store.is_current(MODEL)
"""
    assert _loaded_after(code) == "['numpy']"
    assert [path.suffix for path in folder.iterdir()] == [".matrix"]


def test_of_the_vectors_in_the_matrix_only_the_nearest_are_read_from_the_source_again(folder: Path) -> None:
    source = CountedSource()
    put_numbered(source, range(300))
    MatrixVectorStore(folder, source).update(MODEL)
    store = MatrixVectorStore(folder, source, readonly=True)
    source.read = 0
    assert len(store.search(MODEL, QUERY, limit=5)) == 5
    assert source.read < 20
    source.read = 0
    assert len(store.cosine_distributions(MODEL, QUERY)) == 2
    assert source.read == 0
    put_numbered(source, range(290, 310))
    source.remove(numbered_chunks(range(5)))
    assert len(store.cosine_distributions(MODEL, QUERY)) == 2
    assert source.read == 10
    assert len(state_of(store)) == 305


def test_new_and_dead_rows_are_appended_and_what_stands_in_the_file_stays(folder: Path) -> None:
    source = CountedSource()
    put_numbered(source, range(300))
    store = MatrixVectorStore(folder, source)
    store.update(MODEL)
    for step in range(4):
        before = _matrix(folder).read_bytes()
        put_numbered(source, range(300 + 5 * step, 305 + 5 * step))
        source.remove(numbered_chunks([step, 300 + 5 * step]))
        source.read = 0
        store.update(MODEL)
        assert source.read == 4
        assert _matrix(folder).read_bytes()[: len(before)] == before
        assert MatrixVectorStore(folder, source).is_current(MODEL)
        fresh = MatrixVectorStore(folder.with_name("none"), source)
        assert state_of(MatrixVectorStore(folder, source)) == state_of(store) == state_of(fresh)


def test_a_file_with_many_appended_or_dead_rows_is_written_anew(folder: Path) -> None:
    source = CountedSource()
    put_numbered(source, range(300))
    store = MatrixVectorStore(folder, source)
    store.update(MODEL)
    for change in (
        lambda: put_numbered(source, range(300, 340)),
        lambda: source.remove(numbered_chunks(range(45))),
    ):
        put_numbered(source, [300])
        store.update(MODEL)
        change()
        store.update(MODEL)
        written = matrix_module.open_matrix(_matrix(folder), MODEL)
        assert written is not None
        assert len(written.sizes) == 1
        assert len(written.rows.keys) == len(state_of(store))
        assert state_of(store) == state_of(MatrixVectorStore(folder.with_name("none"), source))


def test_a_file_of_many_segments_is_written_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_module, "_MAX_SEGMENTS", 3)
    source, inodes = InMemoryVectorSource(), set()
    put_numbered(source, range(300))
    store = MatrixVectorStore(folder, source)
    for number in range(300, 306):
        store.update(MODEL)
        kept = folder.with_name(f"kept {number}")  # or its inode may be used again
        os.link(_matrix(folder), kept)
        inodes.add(kept.stat().st_ino)
        put_numbered(source, [number])
    assert len(inodes) == 2
    assert len(state_of(store)) == 306


def test_an_append_that_was_cut_at_any_place_changes_no_result_and_is_made_again(folder: Path) -> None:
    source = InMemoryVectorSource()
    put_numbered(source, range(30))
    store = MatrixVectorStore(folder, source)
    store.update(MODEL)
    first = _matrix(folder).stat().st_size
    put_numbered(source, [30, 31])
    source.remove(numbered_chunks([3]))
    store.update(MODEL)
    content, expected = _matrix(folder).read_bytes(), state_of(store)
    assert first < len(content)
    for end in [*range(first, len(content), 7), len(content) - 1]:
        _replace(_matrix(folder), content[:end])
        reader = MatrixVectorStore(folder, source)
        assert not reader.is_current(MODEL)
        assert state_of(reader) == expected
        reader.update(MODEL)
        assert reader.is_current(MODEL)
        assert state_of(reader) == expected


@pytest.mark.thorough
@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whatever_changes_every_search_is_that_of_all_vectors(tmp_path: Path, data: st.DataObject) -> None:
    folder, source = Path(mkdtemp(dir=tmp_path), "vectors"), InMemoryVectorSource()
    put_numbered(source, range(40))
    store = MatrixVectorStore(folder, source)
    reader = MatrixVectorStore(folder, source, readonly=True)
    exact = MatrixVectorStore(folder.with_name("none"), source)
    for _ in range(data.draw(st.integers(1, 5))):
        numbers = data.draw(st.lists(st.integers(0, 60), max_size=4), label="put")
        put_numbered(source, numbers)
        source.remove(numbered_chunks(data.draw(st.lists(st.integers(0, 60), max_size=3), label="removed")))
        if data.draw(st.booleans(), label="updated"):
            store.update(MODEL)
        limit = data.draw(st.integers(1, 70), label="limit")
        assert reader.search(MODEL, QUERY, limit=limit) == exact.search(MODEL, QUERY, limit=limit)
        assert state_of(store) == state_of(exact)


def test_an_update_without_news_leaves_the_file_as_it_is(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    def written() -> tuple[int, int, bytes]:  # not when it was read, which an update may do
        stat = _matrix(folder).stat()
        return stat.st_ino, stat.st_mtime_ns, _matrix(folder).read_bytes()

    before = written()
    store.update(MODEL)
    store.update(MODEL, complete=False)
    MatrixVectorStore(folder, source).update(MODEL)
    assert written() == before


def test_an_update_writes_what_has_changed(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    put_numbered(source, range(25, 40))
    source.remove(numbered_chunks(range(10)))
    now = state_of(store)
    assert set(now) == set(numbered_chunks(range(10, 40)))
    assert not store.is_current(MODEL)
    store.update(MODEL)
    assert store.is_current(MODEL)
    assert state_of(store) == state_of(MatrixVectorStore(folder, source)) == now
    assert MatrixVectorStore(folder, source).is_current(MODEL)


def test_a_batch_writes_a_large_matrix_anew_only_when_much_of_it_is_old(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_SMALL_ROWS", 10)
    put_numbered(source, range(30, 33))
    store.update(MODEL, complete=False)
    assert not store.is_current(MODEL)
    source.remove(numbered_chunks(range(3)))
    store.update(MODEL, complete=False)
    assert store.is_current(MODEL)
    assert set(state_of(store)) == set(numbered_chunks(range(3, 33)))
    put_numbered(source, [33])
    store.update(MODEL)
    assert store.is_current(MODEL)


def test_searches_do_not_notice_when_the_matrix_is_made_anew(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    reader = MatrixVectorStore(folder, source, readonly=True)
    before = state_of(reader)
    put_numbered(source, range(60))
    store.update(MODEL)
    source.remove(numbered_chunks(range(30, 60)))
    assert state_of(reader) == before


def _without(path: Path) -> None:
    path.unlink()


def _with_a_folder_there(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "1.vectors").write_bytes(b"of an earlier version")


def _replace(path: Path, content: bytes) -> None:
    """Put another file in its place, as a writer does."""
    path.unlink()
    path.write_bytes(content)


def _empty(path: Path) -> None:
    _replace(path, b"")


def _without_the_last_byte(path: Path) -> None:
    _replace(path, path.read_bytes()[:-1])


def _without_a_row(path: Path) -> None:
    _replace(path, path.read_bytes()[2 * DIMENSIONS :])


def _with_a_longer_end(path: Path) -> None:
    _replace(path, path.read_bytes() + bytes(64))


def _with_a_huge_footer(path: Path) -> None:
    _replace(path, path.read_bytes()[:-12] + b"\xff\xff\xff\xff" + path.read_bytes()[-8:])


def _of_another_model(path: Path) -> None:
    other = InMemoryVectorSource()
    other.put(OTHER, {vector_row("0"): unit([1.0] * DIMENSIONS)})
    folder = path.with_name("other")
    MatrixVectorStore(folder, other).update(OTHER)
    _replace(path, _matrix(folder, OTHER).read_bytes())
    shutil.rmtree(folder)


def _of_another_state(path: Path) -> None:
    other = InMemoryVectorSource()
    for numbers in (range(20, 50), range(60), range(7)):
        put_numbered(other, numbers)
        other.remove(numbered_chunks([3, 21]))
    folder = path.with_name("other")
    MatrixVectorStore(folder, other).update(MODEL)
    _replace(path, _matrix(folder).read_bytes())
    shutil.rmtree(folder)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "spoil",
    [
        _without,
        _with_a_folder_there,
        _empty,
        _without_the_last_byte,
        _without_a_row,
        _with_a_longer_end,
        _with_a_huge_footer,
        _of_another_model,
        _of_another_state,
    ],
)
def test_a_matrix_that_is_not_the_right_one_changes_no_result_and_is_made_again(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource, spoil: Callable[[Path], None]
) -> None:
    whole = state_of(store)
    spoil(_matrix(folder))
    assert state_of(store) == whole
    assert state_of(MatrixVectorStore(folder, source, readonly=True)) == whole
    assert not MatrixVectorStore(folder, source).is_current(MODEL)
    store.update(MODEL)
    assert MatrixVectorStore(folder, source).is_current(MODEL)
    assert state_of(store) == state_of(MatrixVectorStore(folder, source)) == whole


@pytest.mark.thorough
@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_flipped_bit_or_cut_changes_a_result(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource, data: st.DataObject
) -> None:
    whole, content = state_of(store), _matrix(folder).read_bytes()
    place = data.draw(st.integers(0, len(content) - 1), label="place")
    if data.draw(st.booleans(), label="cut"):
        changed = content[:place]
    else:
        flipped = content[place] ^ 1 << data.draw(st.integers(0, 7), label="bit")
        changed = content[:place] + bytes([flipped]) + content[place + 1 :]
    try:
        _matrix(folder).write_bytes(changed)
        assert state_of(MatrixVectorStore(folder, source)) == whole
        assert not MatrixVectorStore(folder, source).is_current(MODEL)
    finally:
        _matrix(folder).write_bytes(content)


@pytest.mark.parametrize("queries", [1, 20])
def test_a_matrix_that_is_cut_while_it_is_open_changes_no_result(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource, queries: int
) -> None:
    for _ in range(queries):
        store.search(MODEL, QUERY, limit=5)
    os.truncate(_matrix(folder), 100)
    expected = state_of(MatrixVectorStore(folder.with_name("none"), source))
    assert state_of(store) == expected
    store.update(MODEL)
    assert store.is_current(MODEL)
    assert state_of(store) == expected


def test_a_matrix_that_is_cut_before_new_vectors_come_changes_no_result(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    assert state_of(store)
    os.truncate(_matrix(folder), 100)
    put_numbered(source, range(30, 35))
    expected = state_of(MatrixVectorStore(folder.with_name("none"), source))
    assert state_of(store) == expected
    store.update(MODEL)
    assert store.is_current(MODEL)
    assert state_of(store) == expected


def test_a_reader_keeps_the_file_that_it_has_open(folder: Path) -> None:
    source = CountedSource()
    put_numbered(source, range(300))
    MatrixVectorStore(folder, source).update(MODEL)
    store = MatrixVectorStore(folder, source, readonly=True)
    before = store.search(MODEL, QUERY, limit=5)
    _replace(_matrix(folder), b"damaged")
    source.read = 0
    assert store.search(MODEL, QUERY, limit=5) == before
    _matrix(folder).unlink()
    assert store.search(MODEL, QUERY, limit=5) == before
    assert source.read < 40


def test_the_version_of_the_content_decides_and_not_the_age_of_the_file(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    old = _matrix(folder).read_bytes()
    put_numbered(source, range(20, 40))
    store.update(MODEL)
    now = state_of(store)
    _matrix(folder).write_bytes(old)
    reader = MatrixVectorStore(folder, source)
    assert not reader.is_current(MODEL)
    assert state_of(reader) == now


def test_a_copied_folder_is_read_from_its_matrix(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    copied = folder.with_name("copied")
    shutil.copytree(folder, copied)
    copy = MatrixVectorStore(copied, source, readonly=True)
    assert copy.is_current(MODEL)
    assert state_of(copy) == state_of(store)


def test_files_of_models_without_vectors_go_and_foreign_files_stay(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    source.put(OTHER, {vector_row("0"): unit([1.0] * DIMENSIONS)})
    store.update(OTHER)
    old = vector_index_of(identity_of(DIMENSIONS, model="old"))
    (folder / f"{old}.matrix").write_bytes(b"x")
    (folder / f".{vector_index_of(MODEL)}.matrix.99999").write_bytes(b"of a writer that was killed")
    (folder / f"{old}.lance").mkdir()
    (folder / f"{old}.json").write_bytes(b"{}")
    foreign = {folder / "notes.md", folder / "mine.matrix", folder / f"{old}.txt"}
    for path in foreign:
        path.write_bytes(b"mine")
    store.update(MODEL, complete=False)
    assert (folder / f"{old}.matrix").exists()
    store.update(MODEL)
    assert set(folder.iterdir()) == {*foreign, _matrix(folder), _matrix(folder, OTHER)}
    source.remove(numbered_chunks(range(30)))
    store.update(MODEL)
    assert set(folder.iterdir()) == foreign
    assert state_of(store) == {}


def test_files_are_for_their_owner_only(folder: Path, store: MatrixVectorStore) -> None:
    assert store.is_current(MODEL)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_the_size_is_that_of_the_files(folder: Path, store: MatrixVectorStore) -> None:
    assert store.size_bytes(MODEL) == _matrix(folder).stat().st_size
    assert store.size_bytes(OTHER) == 0


def test_a_lance_store_reads_the_same_matrix(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    other = LanceVectorStore(folder, source)
    assert other.is_current(MODEL)
    assert state_of(other) == state_of(store)
