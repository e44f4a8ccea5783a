"""Writers that are killed between any two of their steps, in the middle of a file, or by the system."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kebab_core import vector_index_of
from kebab_store_vector import LanceVectorStore, MatrixVectorStore, approximate_index, lance_store, matrix
from kebab_store_vector.lance_table import LanceTable
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import MODEL, QUERY, numbered_chunks, put_numbered, state_of

STEPS: list[tuple[Any, str]] = [
    (LanceTable, "create"),
    (LanceTable, "add"),
    (LanceTable, "delete"),
    (LanceTable, "compact"),
    (LanceTable, "nearest"),
    (matrix, "crc32"),
    (os, "fsync"),
    (Path, "replace"),
    (Path, "write_bytes"),
    (Path, "unlink"),
]
ROWS = 60


class Killed(BaseException):
    """Nothing of the product looks at it."""


@pytest.fixture(autouse=True)
def few_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each recall be measured by few searches, so that there are few steps."""
    monkeypatch.setattr(approximate_index, "_QUERIES", 2)
    monkeypatch.setattr(lance_store, "_MAX_BEHIND", 0)


def _open(folder: Path, source: InMemoryVectorSource, kind: str) -> MatrixVectorStore:
    if kind == "lance":
        return LanceVectorStore(folder, source, exact_rows=10)
    return MatrixVectorStore(folder, source)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["matrix", "lance"])
@pytest.mark.parametrize("change", ["first", "many rows", "few rows"])
def test_a_killed_update_changes_no_result_and_the_next_one_completes_it(
    folder: Path, source: InMemoryVectorSource, kind: str, change: str
) -> None:
    if change != "first":
        _open(folder, source, kind).update(MODEL)
        put_numbered(source, range(25, ROWS) if change == "many rows" else [30])
        source.remove(numbered_chunks(range(5) if change == "many rows" else [0]))
    expected, kept = state_of(MatrixVectorStore(folder, source)), folder.with_name("kept")
    folder.mkdir(exist_ok=True, parents=True)
    shutil.copytree(folder, kept)
    steps = _count_steps(lambda: _open(folder, source, kind).update(MODEL))
    assert steps >= 5
    for kill_at in range(1, steps + 1):
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        _kill(lambda: _open(folder, source, kind).update(MODEL), kill_at)
        reader = _open(folder, source, kind)
        assert state_of(reader) == expected, kill_at
        _open(folder, source, kind).update(MODEL)
        assert reader.is_current(MODEL)
        assert state_of(reader) == expected, kill_at
        index = reader.find_index(MODEL)
        assert kind == "matrix" or index is not None
        assert index is None or index.content_version == source.content_version()


@pytest.mark.thorough
@pytest.mark.parametrize("written", [0, 1, 1000])
def test_a_file_written_by_half_is_never_the_matrix(
    folder: Path, store: MatrixVectorStore, source: InMemoryVectorSource, written: int
) -> None:
    path = folder / f"{vector_index_of(MODEL)}.matrix"
    old = path.read_bytes()
    put_numbered(source, range(30, ROWS))
    store.update(MODEL)
    new, expected = path.read_bytes(), state_of(store)
    path.write_bytes(old)
    (folder / f".{path.name}.4711").write_bytes(new[:written])
    reader = MatrixVectorStore(folder, source)
    assert state_of(reader) == expected
    reader.update(MODEL)
    assert path.read_bytes() == new
    assert list(folder.iterdir()) == [path]


WRITER = """
import sys
from pathlib import Path
from kebab_store_vector import MatrixVectorStore
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import *
source = InMemoryVectorSource()
store = MatrixVectorStore(Path(sys.argv[1]), source)
for number in range(100_000):
    put_numbered(source, range(8 * number, 8 * number + 8))
    store.update(MODEL, complete=False)
    print(number, flush=True)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("calls", [1, 6, 20])
def test_a_writer_killed_by_the_system_leaves_the_old_matrix_or_the_new_one(folder: Path, calls: int) -> None:
    command = [sys.executable, "-c", WRITER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(calls):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    source = InMemoryVectorSource()
    reader, current = MatrixVectorStore(folder, source), []
    for number in range(calls + 1000):
        put_numbered(source, range(8 * number, 8 * number + 8))
        if reader.is_current(MODEL):
            current.append(number)
            break
    assert len(current) == 1
    assert current[0] >= calls - 1
    assert len(reader.search(MODEL, QUERY, limit=100_000)) == 8 * (current[0] + 1)
    MatrixVectorStore(folder, source).update(MODEL)
    assert len(list(folder.iterdir())) == 1


class _Steps:
    """Counts steps, and kills before one of them, which is after the one that went before."""

    def __init__(
        self, patch: pytest.MonkeyPatch, steps: list[tuple[Any, str]], *, kill_at: int | None = None
    ) -> None:
        self.count = 0
        self._kill_at = kill_at
        for owner, name in steps:
            patch.setattr(owner, name, self._wrapped(owner, name))

    def _wrapped(self, owner: Any, name: str) -> Any:
        function = getattr(owner, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self.count += 1
            if self.count >= (self._kill_at or sys.maxsize):
                raise Killed
            return function(*arguments, **named)

        return staticmethod(call) if isinstance(owner.__dict__[name], classmethod) else call


def _count_steps(write: Callable[[], None]) -> int:
    with pytest.MonkeyPatch.context() as patch:
        steps = _Steps(patch, STEPS)
        write()
    return steps.count


def _kill(write: Callable[[], None], at: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        _Steps(patch, STEPS, kill_at=at)
        with pytest.raises(Killed):
            write()
