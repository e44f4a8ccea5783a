"""Vectors that are damaged in the database, disks that are full, and folders that are not to be written."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import DatabaseCorruptError, InvalidInputError, ReadonlyModeError, Remedy, StorageError
from kebab_store_vector import LanceVectorStore, MatrixVectorStore, errors
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.families import examples
from kebab_testing.full_disks import run_with_small_files
from kebab_testing.numbered_vectors import (
    DIMENSIONS,
    MODEL,
    QUERY,
    numbered_chunks,
    numbered_row,
    put_numbered,
    state_of,
)
from kebab_testing.tables import walk
from kebab_testing.vectors import identity_of, matrix_of, vector_row

NAME = "0123456789abcdef" * 2
ROUNDING = 0.01
"""Of a cosine of numbered vectors in 8 bits."""


@pytest.mark.parametrize(
    "vector",
    [
        b"",
        bytes(2 * DIMENSIONS),
        b"\xff" * 2 * DIMENSIONS,
        b"\0\x7c" * DIMENSIONS,
        b"\0\x3c" * (DIMENSIONS - 1),
    ],
    ids=["missing", "zeros", "not numbers", "infinite", "short"],
)
def test_a_damaged_vector_in_the_database_is_named_and_never_written_to_a_matrix(
    folder: Path, source: InMemoryVectorSource, vector: bytes
) -> None:
    damaged = [numbered_row(number).text_hash for number in (3, 20)]
    whole = {text: source.stored[MODEL, text] for text in damaged}
    source.stored.update({(MODEL, text): vector for text in damaged})
    store = MatrixVectorStore(folder, source)
    for read in (
        lambda: store.search(MODEL, QUERY, limit=5),
        lambda: store.similarities(MODEL, QUERY, numbered_chunks([3])),
        lambda: store.cosine_distributions(MODEL, QUERY),
        lambda: store.update(MODEL),
    ):
        with pytest.raises(DatabaseCorruptError) as caught:
            read()
        assert caught.value.remedy == Remedy(kind="remake_vectors")
    assert sorted(store.find_damaged(MODEL)) == sorted(damaged)
    assert not folder.exists()
    source.stored.update({(MODEL, text): stored for text, stored in whole.items()})
    assert store.find_damaged(MODEL) == []
    store.update(MODEL)
    assert len(state_of(store)) == 30


@pytest.mark.parametrize("vector", [b"", bytes(2 * DIMENSIONS), b"\xff" * 2 * DIMENSIONS])
def test_a_vector_that_is_damaged_after_the_matrix_was_made_is_named_and_found_by_its_rounded_copy(
    store: MatrixVectorStore, source: InMemoryVectorSource, vector: bytes
) -> None:
    before = state_of(store)
    text, chunk = numbered_row(7).text_hash, numbered_row(7).chunk_id
    source.stored[MODEL, text] = vector
    assert store.find_damaged(MODEL) == [text]
    after = state_of(store)
    assert after.pop(chunk) == (before[chunk][0], pytest.approx(before.pop(chunk)[1], abs=ROUNDING))
    assert after == before


@pytest.mark.thorough
@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 2 * DIMENSIONS - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_that_changes_the_norm_is_found(
    store: MatrixVectorStore, source: InMemoryVectorSource, place: int, bit: int
) -> None:
    key = MODEL, numbered_row(5).text_hash
    whole = source.stored[key]
    flipped = bytearray(whole)
    flipped[place] ^= 1 << bit
    with np.errstate(over="ignore", invalid="ignore"):
        norm = float(np.sum(np.frombuffer(flipped, np.float16).astype(np.float64) ** 2))
    source.stored[key] = bytes(flipped)
    try:
        assert (store.find_damaged(MODEL) == [key[1]]) == (not abs(norm - 1) <= 0.01)
    finally:
        source.stored[key] = whole


@pytest.mark.parametrize("kind", [MatrixVectorStore, LanceVectorStore])
def test_a_store_for_reading_refuses_every_write_and_makes_nothing(
    folder: Path, source: InMemoryVectorSource, kind: type[MatrixVectorStore]
) -> None:
    reader = kind(folder, source, readonly=True)
    for complete in (True, False):
        with pytest.raises(ReadonlyModeError):
            reader.update(MODEL, complete=complete)
    assert len(state_of(reader)) == 30
    assert reader.find_damaged(MODEL) == []
    assert not reader.is_current(MODEL)
    assert not folder.exists()


def test_reading_changes_no_file(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    assert store.is_current(MODEL)
    put_numbered(source, range(40))
    before = {path: path.stat().st_mtime_ns for path in (folder, *folder.iterdir())}
    for readonly in (True, False):
        assert len(state_of(MatrixVectorStore(folder, source, readonly=readonly))) == 40
    assert {path: path.stat().st_mtime_ns for path in (folder, *folder.iterdir())} == before


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions bind no superuser")
def test_a_folder_that_cannot_be_written_is_reported_and_still_read(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource
) -> None:
    whole = state_of(store)
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert state_of(MatrixVectorStore(folder, source)) == whole
        put_numbered(source, range(40))
        with pytest.raises(StorageError) as caught:
            store.update(MODEL)
        assert caught.value.remedy == Remedy(kind="check_permissions")
        assert len(state_of(store)) == 40
    finally:
        folder.chmod(stat.S_IRWXU)


WRITER = """
import sys
from pathlib import Path
from kebab_core import StorageError
from kebab_store_vector import {kind}
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import *
source = InMemoryVectorSource()
put_numbered(source, range(30))
put_numbered(source, range(600))
store = {kind}(Path(sys.argv[1]), source{options})
try:
    store.update(MODEL)
except StorageError as error:
    print(error.code, error.remedy.kind == "free_space", error.details["model"] == MODEL.model_id)
print(len(state_of(store)))
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "max_bytes"),
    [
        (MatrixVectorStore, 0),
        (MatrixVectorStore, 700),
        (MatrixVectorStore, 19_000),
        (LanceVectorStore, 700),
        (LanceVectorStore, 45_000),
    ],
)
def test_a_full_disk_is_reported_and_searches_go_on(
    folder: Path, source: InMemoryVectorSource, kind: type[MatrixVectorStore], max_bytes: int
) -> None:
    """No file may grow beyond so many bytes: a full disk without a disk."""
    store = MatrixVectorStore(folder, source)
    store.update(MODEL)
    before = state_of(store)
    options = ", exact_rows=300" if kind is LanceVectorStore else ""
    code = WRITER.format(kind=kind.__name__, options=options)
    done = run_with_small_files(
        [sys.executable, "-c", code, str(folder)], max_bytes=max_bytes, env={"HOME": str(folder.parent)}
    )
    assert done.stderr == "" or "the approximate index is made anew" in done.stderr
    assert (done.returncode, done.stdout) == (0, "io_error True True\n600\n")
    assert not list(folder.glob(".*"))
    assert state_of(MatrixVectorStore(folder, source)) == before
    put_numbered(source, range(600))
    store.update(MODEL)
    assert store.is_current(MODEL)
    assert len(state_of(store)) == 600


def test_a_current_matrix_is_searched_without_a_copy_of_its_vectors(folder: Path) -> None:
    rows, dimensions = 4000, 512
    model, source = identity_of(dimensions), InMemoryVectorSource()
    vectors = np.random.default_rng(1).normal(size=(rows, dimensions))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    source.put(model, {vector_row(str(number)): row for number, row in enumerate(vectors.tolist())})
    MatrixVectorStore(folder, source).update(model)
    query = matrix_of(vectors[0].tolist())
    store = MatrixVectorStore(folder, source, readonly=True)
    tracemalloc.start()
    try:
        assert store.search(model, query, limit=1)[0].cosine == pytest.approx(1, abs=1e-3)
        assert len(store.cosine_distributions(model, query)) == 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.75 * 2 * rows * dimensions


class PanicException(BaseException):
    """Stands for the one of Rust."""


@walk(
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
    with pytest.raises(StorageError) as caught, errors.lance_errors(MODEL, "read"):
        raise error
    assert type(caught.value) is kind
    assert caught.value.remedy
    assert caught.value.details["model"] == MODEL.model_id
    assert caught.value.__cause__ is error


@walk("error", [KeyboardInterrupt(), SystemExit(), InvalidInputError("ours")])
def test_what_is_not_the_librarys_passes_through(error: BaseException) -> None:
    with pytest.raises(type(error)), errors.lance_errors(MODEL, "read"):
        raise error


@walk(
    ("said", "shown"),
    [
        (
            f"lance error: Not found: home/me/my notes/vectors/{NAME}.lance/data/1.lance",
            f"Not found: {NAME}.lance/data/1.lance",
        ),
        (
            f"cannot open file home/me/vectors/{NAME}.lance/data/1.lance, x/y.rs:3:4",
            f"cannot open file {NAME}.lance/data/1.lance",
        ),
        (
            'lance error: LanceError(IO): file has b"\\x7f\\0\\"$78" and b\'LA\' at its end, /src/x.rs:12:9',
            "file has \N{HORIZONTAL ELLIPSIS} and \N{HORIZONTAL ELLIPSIS} at its end",
        ),
        (
            "LanceError(IO): file size is too small, /some/where/lance-io-13.0.0/src/utils.rs:172:20",
            "file size is too small",
        ),
        ("the end is \x7f\x00", "the end is \N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"),
        ("a very odd thing", "a very odd thing"),
    ],
)
def test_errors_of_lancedb_are_readable(said: str, shown: str) -> None:
    with pytest.raises(StorageError) as raised, errors.lance_errors(MODEL, "read"):
        raise RuntimeError(said)
    assert raised.value.message == f"cannot read the vector index: {shown}"


def test_errors_of_the_disk_name_the_path() -> None:
    with pytest.raises(StorageError) as raised, errors.disk_errors(MODEL, "read"):
        raise PermissionError(errno.EACCES, "Permission denied", "/home/me/vectors/1.matrix")
    assert (
        raised.value.message == "cannot read the vector index: permission denied: /home/me/vectors/1.matrix"
    )
