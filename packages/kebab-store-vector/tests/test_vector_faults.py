"""What breaks from outside: files that are gone, cut, foreign or not to be written."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from kebab_core import (
    DatabaseCorruptError,
    IndexModelMismatchError,
    InvalidInputError,
    NotIndexedError,
    ReadonlyModeError,
    Remedy,
    StorageError,
)
from kebab_store_vector import LanceVectorStore, errors, matrix_files
from kebab_store_vector.index_files import IndexPlace
from kebab_store_vector.lance_table import LanceTable
from kebab_testing.full_disks import run_with_small_files
from kebab_testing.numbered_vectors import (
    DIMENSIONS,
    INDEX,
    QUERY,
    numbered_chunks,
    numbered_key,
    put_numbered,
    state_of,
)
from kebab_testing.vectors import identity_of, matrix_of, unit

UNIT = matrix_of(unit([1.0] * DIMENSIONS))


def _cut(folder: Path, pattern: str) -> None:
    for path in folder.glob(f"*.lance/{pattern}"):
        os.truncate(path, path.stat().st_size // 2)


def _scramble(folder: Path, pattern: str) -> None:
    for path in folder.glob(f"*.lance/{pattern}"):
        path.write_bytes(bytes(range(256)) * (path.stat().st_size // 256 + 1))


def _remove(folder: Path, pattern: str) -> None:
    for path in folder.glob(f"*.lance/{pattern}"):
        path.unlink()


def _lose_matrix(folder: Path) -> None:
    shutil.rmtree(IndexPlace(folder, INDEX).matrix)


@pytest.mark.parametrize(
    ("damage", "pattern"),
    [
        (_cut, "data/*"),
        (_scramble, "data/*"),
        (_remove, "data/*"),
        (_cut, "_versions/*.manifest"),
        (_scramble, "_versions/*.manifest"),
    ],
)
def test_a_damaged_table_is_told_with_its_index_and_can_be_made_again(
    folder: Path, store: LanceVectorStore, damage: Callable[[Path, str], None], pattern: str
) -> None:
    whole = state_of(store)
    damage(folder, pattern)
    _lose_matrix(folder)
    reader = LanceVectorStore(folder)
    for read in (
        lambda: reader.search(INDEX, QUERY, limit=5),
        lambda: list(reader.chunk_ids(INDEX)),
        lambda: reader.cosine_distributions(INDEX, QUERY),
        lambda: put_numbered(reader, range(40)),
    ):
        with pytest.raises(DatabaseCorruptError) as caught:
            read()
        assert caught.value.details["index_id"] == INDEX
        assert caught.value.remedy == Remedy(kind="remake_vectors")
    reader.drop(INDEX)
    put_numbered(reader, range(30))
    assert state_of(reader) == whole


def test_a_damaged_manifest_under_a_whole_matrix_is_noticed(folder: Path, store: LanceVectorStore) -> None:
    _cut(folder, "_versions/*.manifest")
    for broken in (store, LanceVectorStore(folder)):
        with pytest.raises(DatabaseCorruptError):
            broken.search(INDEX, QUERY, limit=5)
        with pytest.raises(DatabaseCorruptError):
            broken.tables()


@pytest.mark.parametrize("name", ["", "{}.lance", "{}.lance/_versions"])
def test_an_index_whose_folder_is_gone_is_not_indexed(
    folder: Path, store: LanceVectorStore, name: str
) -> None:
    shutil.rmtree(folder / name.format(INDEX))
    for reader in (store, LanceVectorStore(folder, readonly=True)):
        with pytest.raises(NotIndexedError) as caught:
            reader.search(INDEX, QUERY, limit=5)
        assert caught.value.remedy == Remedy(kind="embed")
        assert reader.tables() == []
        assert list(reader.chunk_ids(INDEX)) == []
    store.ensure_table(INDEX, identity_of(DIMENSIONS, model="other"))
    assert store.search(INDEX, QUERY, limit=5) == []


@pytest.mark.parametrize("is_matrix_lost", [False, True])
def test_an_index_of_another_model_is_told_whatever_is_left_of_it(
    folder: Path, store: LanceVectorStore, is_matrix_lost: bool
) -> None:
    if is_matrix_lost:
        _lose_matrix(folder)
    for writer in (store, LanceVectorStore(folder)):
        with pytest.raises(IndexModelMismatchError) as caught:
            writer.ensure_table(INDEX, identity_of(DIMENSIONS, model="other"))
        assert caught.value.details["index_id"] == INDEX


def test_a_store_for_reading_refuses_every_write_and_makes_nothing(folder: Path) -> None:
    reader = LanceVectorStore(folder, readonly=True)
    for write in (
        lambda: reader.ensure_table(INDEX, identity_of(DIMENSIONS)),
        lambda: reader.upsert(INDEX, [numbered_key(1)], UNIT),
        lambda: reader.delete(INDEX, numbered_chunks([1])),
        lambda: reader.maintain(INDEX),
        lambda: reader.drop(INDEX),
    ):
        with pytest.raises(ReadonlyModeError):
            write()
    assert reader.tables() == []
    with pytest.raises(NotIndexedError):
        reader.search(INDEX, QUERY, limit=5)
    assert not folder.exists()


def test_reading_changes_no_file(folder: Path, store: LanceVectorStore) -> None:
    store.maintain(INDEX)
    before = {path: path.stat().st_mtime_ns for path in folder.glob("**/*")}
    reader = LanceVectorStore(folder, readonly=True)
    state_of(reader)
    reader.tables()
    reader.report(INDEX)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("**/*")} == before


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions bind no superuser")
def test_a_folder_that_cannot_be_written_is_told_and_still_read(
    folder: Path, store: LanceVectorStore
) -> None:
    whole, folders = state_of(store), [folder, *(path for path in folder.glob("**/*") if path.is_dir())]
    for path in folders:
        path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert state_of(LanceVectorStore(folder)) == whole
        with pytest.raises(StorageError) as caught:
            put_numbered(LanceVectorStore(folder), range(40))
        assert not isinstance(caught.value, DatabaseCorruptError)
    finally:
        for path in folders:
            path.chmod(stat.S_IRWXU)


WRITER = """
import sys
from pathlib import Path
from kebab_core import StorageError
from kebab_store_vector import LanceVectorStore
from kebab_testing.numbered_vectors import *
try:
    put_numbered(LanceVectorStore(Path(sys.argv[1])), range(20, 120))
except StorageError as error:
    print(error.code, error.remedy.kind == "free_space")
"""


@pytest.mark.parametrize("max_bytes", [0, 700, 4000])
def test_a_full_disk_is_told_and_what_was_stored_is_still_read(
    folder: Path, store: LanceVectorStore, max_bytes: int
) -> None:
    """No file may grow beyond so many bytes: a full disk without a disk."""
    before = state_of(store)
    done = run_with_small_files(
        [sys.executable, "-c", WRITER, str(folder)], max_bytes=max_bytes, env={"HOME": str(folder.parent)}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "io_error True\n", "")
    assert state_of(LanceVectorStore(folder)) == before
    put_numbered(store, range(20, 120))
    assert len(state_of(LanceVectorStore(folder))) == 120


def test_a_disk_that_is_full_for_the_matrix_alone_is_told_and_mended(
    folder: Path, store: LanceVectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state_of(store)

    def full(path: Path, *_: object, checksum: int = 0) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(matrix_files, "_write_at", full)
        with pytest.raises(StorageError) as caught:
            put_numbered(store, range(20, 40))
    assert caught.value.remedy == Remedy(kind="free_space", then=Remedy(kind="embed"))
    assert state_of(LanceVectorStore(folder)) == before
    put_numbered(store, range(20, 40))
    assert len(state_of(LanceVectorStore(folder))) == 40


class PanicException(BaseException):
    """Stands for the one of Rust."""


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RuntimeError("lance error: No space left on device (os error 28)"), StorageError),
        (OSError(13, "Permission denied"), StorageError),
        (RuntimeError("Retryable commit conflict for version 7"), StorageError),
        (ValueError("Table 'x' was not found"), DatabaseCorruptError),
        (PanicException("index out of bounds"), DatabaseCorruptError),
        (MemoryError(), DatabaseCorruptError),
        (pa.lib.ArrowInvalid("not a schema"), DatabaseCorruptError),
        (pa.lib.ArrowTypeError("not a list"), DatabaseCorruptError),
        (AttributeError("list_size"), DatabaseCorruptError),
    ],
)
def test_every_failure_of_the_library_is_one_of_kebab(error: BaseException, kind: type[StorageError]) -> None:
    with pytest.raises(StorageError) as caught, errors.lance_errors(INDEX, "read"):
        raise error
    assert type(caught.value) is kind
    assert caught.value.remedy
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), InvalidInputError("ours")])
def test_what_is_not_the_librarys_passes_through(error: BaseException) -> None:
    with pytest.raises(type(error)), errors.lance_errors(INDEX, "read"):
        raise error


def test_places_in_the_source_of_the_library_are_left_out_of_messages() -> None:
    with pytest.raises(StorageError) as caught, errors.lance_errors(INDEX, "read"):
        raise RuntimeError(
            "LanceError(IO): file size is too small, /some/where/lance-io-13.0.0/src/utils.rs:172:20"
        )
    assert caught.value.message == "cannot read the vector index: file size is too small"


@pytest.mark.parametrize(("suffix", "size"), [("vectors", 32), ("keys", 24), ("documents", 16)])
def test_a_matrix_that_says_something_else_than_its_table_is_reported(
    folder: Path, store: LanceVectorStore, suffix: str, size: int
) -> None:
    store.delete(INDEX, numbered_chunks(range(3)))
    assert store.report(INDEX).rows == 27
    (path,) = IndexPlace(folder, INDEX).matrix.glob(f"*.{suffix}")
    whole = path.read_bytes()
    path.write_bytes(whole[: -2 * size] + whole[-size:] + whole[-2 * size : -size])
    _forget_checksums(folder)
    with pytest.raises(DatabaseCorruptError) as caught:
        LanceVectorStore(folder).report(INDEX)
    assert caught.value.details["index_id"] == INDEX


@pytest.mark.parametrize("suffix", ["vectors", "keys", "documents", "dead"])
@pytest.mark.parametrize("appended", [False, True])
def test_a_bit_that_turned_in_a_matrix_changes_no_result(
    folder: Path, store: LanceVectorStore, suffix: str, appended: bool
) -> None:
    store.delete(INDEX, numbered_chunks(range(3)))
    if appended:
        put_numbered(store, range(30, 40))
    before = state_of(LanceVectorStore(folder))
    (path,) = IndexPlace(folder, INDEX).matrix.glob(f"*.{suffix}")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    assert state_of(LanceVectorStore(folder)) == before
    assert not LanceVectorStore(folder).report(INDEX).matrix_is_current
    LanceVectorStore(folder).maintain(INDEX)
    assert LanceVectorStore(folder).report(INDEX).matrix_is_current
    assert state_of(LanceVectorStore(folder)) == before


def _forget_checksums(folder: Path) -> None:
    (manifest,) = IndexPlace(folder, INDEX).matrix.glob("current.json")
    state = json.loads(manifest.read_text("utf-8"))
    del state["checksums"]
    manifest.write_text(json.dumps(state), "utf-8")


@pytest.mark.parametrize("damage", [_cut, _remove])
def test_a_damaged_table_under_a_whole_matrix_is_reported(
    folder: Path, store: LanceVectorStore, damage: Callable[[Path, str], None]
) -> None:
    damage(folder, "data/*")
    assert len(state_of(store)) == 30
    with pytest.raises(DatabaseCorruptError):
        store.report(INDEX)


def test_a_report_while_another_process_writes_finds_no_damage(
    folder: Path, store: LanceVectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = LanceTable.open

    def open_then_write(place: IndexPlace) -> LanceTable:
        table = opened(place)
        monkeypatch.setattr(LanceTable, "open", opened)
        put_numbered(store, range(30, 35))
        return table

    state_of(store)
    monkeypatch.setattr(LanceTable, "open", open_then_write)
    assert LanceVectorStore(folder).report(INDEX).rows == 30


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "lance error: Not found: home/me/my notes/lancedb/{id}.lance/data/1.lance",
            "Not found: {id}.lance/data/1.lance",
        ),
        (
            "cannot open file home/me/lancedb/{id}.lance/data/1.lance, x/y.rs:3:4",
            "cannot open file {id}.lance/data/1.lance",
        ),
        (
            'lance error: LanceError(IO): file has b"\\x7f\\0\\"$78" and b\'LA\' at its end, /src/x.rs:12:9',
            "file has \N{HORIZONTAL ELLIPSIS} and \N{HORIZONTAL ELLIPSIS} at its end",
        ),
        ("the end is \x7f\x00", "the end is \N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"),
        ("a very odd thing", "a very odd thing"),
    ],
)
def test_what_lancedb_says_is_told_so_that_people_can_read_it(said: str, shown: str) -> None:
    with pytest.raises(StorageError) as raised, errors.lance_errors(INDEX, "read"):
        raise RuntimeError(said.replace("{id}", str(INDEX)))
    assert raised.value.message == f"cannot read the vector index: {shown.replace('{id}', str(INDEX))}"


def test_what_the_disk_refuses_is_told_with_its_path() -> None:
    with pytest.raises(StorageError) as raised, errors.disk_errors(INDEX, "read"):
        raise PermissionError(errno.EACCES, "Permission denied", "/home/me/lancedb/1.keys")
    assert raised.value.message == "cannot read the vector index: permission denied: /home/me/lancedb/1.keys"


@pytest.mark.parametrize("kind", ["matrix", "lance"])
def test_a_file_in_the_place_of_a_folder_of_an_index_goes_with_it(
    folder: Path, store: LanceVectorStore, kind: str
) -> None:
    path = folder / f"{INDEX}.{kind}"
    shutil.rmtree(path)
    path.write_bytes(b"")
    store.drop(INDEX)
    put_numbered(LanceVectorStore(folder), range(30))
    assert len(state_of(LanceVectorStore(folder))) == 30
