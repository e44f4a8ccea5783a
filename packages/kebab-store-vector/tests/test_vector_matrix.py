"""The matrix that reads are served from: used while it equals the table, and never when it does not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from kebab_core import DatabaseCorruptError
from kebab_store_vector import LanceVectorStore, index_writer, matrix_writer
from kebab_store_vector.index_files import IndexPlace
from kebab_store_vector.lance_table import LanceTable
from kebab_store_vector.manifest import Intent, read_manifest, write_manifest
from kebab_store_vector.matrix_files import KEY
from kebab_store_vector.snapshot import IndexReader
from kebab_testing.numbered_vectors import DIMENSIONS, INDEX, QUERY, numbered_chunks, put_numbered, state_of
from kebab_testing.vectors import unit, vector_key

HEAVY = ("lancedb", "pyarrow", "numpy")


def _place(folder: Path) -> IndexPlace:
    return IndexPlace(folder, INDEX)


def _is_mapped(folder: Path) -> bool:
    reader = IndexReader(_place(folder))
    reader.snapshot()
    return reader.manifest is not None


def _loaded_after(code: str) -> str:
    script = f"import sys\n{code}\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout.strip()


def test_importing_the_package_and_opening_a_store_load_no_library(folder: Path) -> None:
    code = f"""
from pathlib import Path
import kebab_store_vector
from kebab_store_vector import LanceVectorStore
LanceVectorStore(Path({str(folder)!r}))
"""
    assert _loaded_after(code) == "[]"


def test_reading_loads_numpy_and_neither_lancedb_nor_arrow(folder: Path, store: LanceVectorStore) -> None:
    store.delete(INDEX, numbered_chunks(range(4)))
    code = f"""
from pathlib import Path
from kebab_store_vector import LanceVectorStore
from kebab_testing.numbered_vectors import state_of
store = LanceVectorStore(Path({str(folder)!r}), readonly=True)
assert len(state_of(store)) == 26
assert store.tables()[0].rows == 26
"""
    assert _loaded_after(code) == "['numpy']"


def test_listing_indexes_loads_no_library(folder: Path, store: LanceVectorStore) -> None:
    assert store.tables()
    code = f"""
from pathlib import Path
from kebab_store_vector import LanceVectorStore
assert LanceVectorStore(Path({str(folder)!r})).tables()[0].rows == 30
"""
    assert "lancedb" not in _loaded_after(code)


def test_writing_and_reading_the_table_write_nothing_to_stderr(folder: Path) -> None:
    code = f"""
from pathlib import Path
from kebab_store_vector import LanceVectorStore
from kebab_testing.numbered_vectors import *
folder = Path({str(folder)!r})
store = LanceVectorStore(folder, exact_rows=400)
put_numbered(store, range(700))
store.delete(INDEX, numbered_chunks(range(4)))
store.maintain(INDEX)
assert store.report(INDEX).approximate is not None
store.search(INDEX, QUERY, limit=5)
for path in folder.glob("*.matrix/*"):
    path.unlink()
assert len(state_of(store)) == 696
"""
    assert "lancedb" in _loaded_after(code)


def _without_matrix(folder: Path) -> None:
    shutil.rmtree(_place(folder).matrix)


def _without_manifest(folder: Path) -> None:
    (_place(folder).matrix / "current.json").unlink()


def _with_a_cut_manifest(folder: Path) -> None:
    path = _place(folder).matrix / "current.json"
    path.write_bytes(path.read_bytes()[:50])


def _with_a_cut_file(folder: Path) -> None:
    (path,) = _place(folder).matrix.glob("*.vectors")
    path.write_bytes(path.read_bytes()[:-1])


def _with_a_document_that_is_not_there(folder: Path) -> None:
    (path,) = _place(folder).matrix.glob("*.keys")
    keys = np.frombuffer(path.read_bytes(), KEY).copy()
    keys["document"][7] = 30
    path.write_bytes(keys.tobytes())


def _without_a_file(folder: Path) -> None:
    (path,) = _place(folder).matrix.glob("*.keys")
    path.unlink()


@pytest.mark.parametrize(
    "spoil",
    [
        _without_matrix,
        _without_manifest,
        _with_a_cut_manifest,
        _with_a_cut_file,
        _with_a_document_that_is_not_there,
        _without_a_file,
    ],
)
def test_a_spoiled_matrix_is_passed_over_and_mended_by_the_next_write(
    folder: Path, store: LanceVectorStore, spoil: Callable[[Path], None]
) -> None:
    whole = state_of(store)
    spoil(folder)
    assert not _is_mapped(folder)
    assert state_of(LanceVectorStore(folder, readonly=True)) == whole
    put_numbered(LanceVectorStore(folder), range(30, 33))
    assert _is_mapped(folder)
    assert whole.items() < state_of(LanceVectorStore(folder)).items()


def test_a_matrix_of_an_older_table_is_passed_over(folder: Path, store: LanceVectorStore) -> None:
    kept = folder.with_name("kept")
    shutil.copytree(_place(folder).matrix, kept)
    put_numbered(store, range(30, 40))
    now = state_of(store)
    shutil.rmtree(_place(folder).matrix)
    kept.rename(_place(folder).matrix)
    assert not _is_mapped(folder)
    assert state_of(store) == state_of(LanceVectorStore(folder)) == now


def test_a_matrix_of_another_table_with_the_same_number_of_versions_is_damage(
    folder: Path, store: LanceVectorStore
) -> None:
    kept = folder.with_name("kept")
    shutil.copytree(_place(folder).matrix, kept)
    store.drop(INDEX)
    put_numbered(store, range(10))
    shutil.rmtree(_place(folder).matrix)
    kept.rename(_place(folder).matrix)
    other = LanceVectorStore(folder)
    with pytest.raises(DatabaseCorruptError):
        state_of(other)
    other.drop(INDEX)
    put_numbered(other, range(10))
    assert len(state_of(LanceVectorStore(folder))) == 10


def test_what_another_program_writes_to_the_table_is_seen(folder: Path, store: LanceVectorStore) -> None:
    before = state_of(store)
    row = np.array([unit([1.0] * DIMENSIONS)], np.float32)
    LanceTable.open(_place(folder)).merge([vector_key("from outside")], row)
    assert len(state_of(store)) == 31
    assert before.items() < state_of(store).items()


@pytest.mark.parametrize(
    ("intent", "passed_over"), [(None, [0]), (Intent.WRITE, [0, 1]), (Intent.MAINTAIN, [0, 1, 2, 3])]
)
def test_only_commits_that_were_announced_are_passed_over(
    folder: Path, store: LanceVectorStore, intent: Intent | None, passed_over: list[int]
) -> None:
    assert state_of(store)
    place = _place(folder)
    manifest = read_manifest(place.matrix)
    assert manifest is not None
    write_manifest(place.matrix, manifest.model_copy(update={"intent": intent}))
    for commits in range(4):
        assert _is_mapped(folder) == (commits in passed_over)
        LanceTable.open(place).delete(["none"])


def test_a_copied_folder_is_read_from_its_matrix(folder: Path, store: LanceVectorStore) -> None:
    copied = folder.with_name("copied")
    shutil.copytree(folder, copied)
    assert _is_mapped(copied)
    assert state_of(LanceVectorStore(copied)) == state_of(store)


def test_small_writes_append_and_write_nothing_anew(folder: Path, store: LanceVectorStore) -> None:
    (path,) = _place(folder).matrix.glob("*.vectors")
    inode, size = path.stat().st_ino, path.stat().st_size
    for number in range(30, 36):
        put_numbered(store, [number, number - 10])
    assert [path] == list(_place(folder).matrix.glob("*.vectors"))
    assert path.stat().st_ino == inode
    assert path.stat().st_size == size + 12 * DIMENSIONS * 2


def test_many_writes_are_folded_on_the_way(
    folder: Path, store: LanceVectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_writer, "_COMMITS_PER_COMPACTION", 4)
    for number in range(30, 36):
        put_numbered(store, [number, number - 20])
        assert _is_mapped(folder)
    assert store.report(INDEX).fragments < 6
    mapped = state_of(store)
    _without_matrix(folder)
    assert state_of(store) == mapped
    assert len(mapped) == 36


def test_maintenance_orders_rows_and_forgets_what_is_gone(
    folder: Path, store: LanceVectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_writer, "_MIN_UNSORTED_ROWS", 0)
    put_numbered(store, range(10))
    store.delete(INDEX, numbered_chunks(range(20, 25)))
    now, held = state_of(store), IndexReader(_place(folder)).snapshot()
    store.maintain(INDEX)
    manifest = read_manifest(_place(folder).matrix)
    assert manifest is not None
    assert (manifest.rows, manifest.ordered, manifest.dead) == (25, 25, 0)
    assert manifest.documents == 9
    assert {path.stem for path in _place(folder).matrix.glob("*.*s")} == {str(manifest.generation)}
    assert state_of(store) == state_of(LanceVectorStore(folder)) == now
    assert len(held.chunks_of(held.live_rows())) == 25


def test_maintenance_without_news_leaves_everything_as_it_is(folder: Path, store: LanceVectorStore) -> None:
    store.maintain(INDEX)
    files = {path: path.stat().st_mtime_ns for path in folder.glob("**/*")}
    store.maintain(INDEX)
    LanceVectorStore(folder).maintain(INDEX)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("**/*")} == files


def test_files_are_for_their_owner_only(folder: Path, store: LanceVectorStore) -> None:
    assert folder.stat().st_mode & 0o777 == 0o700
    modes = {path.stat().st_mode & 0o777 for path in _place(folder).matrix.iterdir()}
    assert modes == {0o600}


def test_a_reader_that_was_open_sees_what_is_written_and_dropped(
    folder: Path, store: LanceVectorStore
) -> None:
    reader = LanceVectorStore(folder, readonly=True)
    assert len(state_of(reader)) == 30
    put_numbered(store, range(30, 40))
    assert len(state_of(reader)) == 40
    store.maintain(INDEX)
    assert len(state_of(reader)) == 40
    store.drop(INDEX)
    assert list(reader.chunk_ids(INDEX)) == []
    put_numbered(store, range(5))
    assert len(reader.search(INDEX, QUERY, limit=99)) == 5


def test_an_edition_is_told_without_any_library(folder: Path, store: LanceVectorStore) -> None:
    code = f"""
from pathlib import Path
from kebab_store_vector import LanceVectorStore
assert LanceVectorStore(Path({str(folder)!r})).content_version({str(INDEX)!r}) == {store.content_version(INDEX)!r}
"""
    assert _loaded_after(code) == "[]"


def test_an_edition_outlives_maintenance_and_the_loss_of_the_matrix_after_a_write(
    folder: Path, store: LanceVectorStore, tmp_path: Path
) -> None:
    put_numbered(store, range(30, 40))
    version = store.content_version(INDEX)
    shutil.copytree(folder, tmp_path / "copy")
    shutil.rmtree(_place(tmp_path / "copy").matrix)
    assert LanceVectorStore(tmp_path / "copy").content_version(INDEX) == version
    store.maintain(INDEX)
    assert LanceVectorStore(folder).content_version(INDEX) == version


def test_copies_that_went_different_ways_have_different_editions(
    folder: Path, store: LanceVectorStore, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    other = LanceVectorStore(tmp_path / "copy")
    assert other.content_version(INDEX) == store.content_version(INDEX)
    put_numbered(store, range(30, 31))
    put_numbered(other, range(30, 31))
    assert other.content_version(INDEX) != store.content_version(INDEX)


@pytest.mark.parametrize("suffix", ["vectors", "keys", "documents", "all"])
def test_maintenance_brings_a_matrix_back_that_is_cut_off_or_gone(
    folder: Path, store: LanceVectorStore, suffix: str
) -> None:
    store.maintain(INDEX)
    before = state_of(store)
    if suffix == "all":
        shutil.rmtree(_place(folder).matrix)
    else:
        (path,) = _place(folder).matrix.glob(f"*.{suffix}")
        path.write_bytes(path.read_bytes()[:-1])
    assert not _is_mapped(folder)
    for writer in (store, LanceVectorStore(folder)):
        writer.maintain(INDEX)
        assert _is_mapped(folder)
        assert state_of(LanceVectorStore(folder)) == before
