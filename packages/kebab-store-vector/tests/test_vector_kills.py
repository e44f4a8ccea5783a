"""Writes that are killed between any two of their steps, or in the middle of a file."""

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
from kebab_core import VectorStore
from kebab_store_vector import LanceVectorStore, index_writer, matrix_files, matrix_writer
from kebab_store_vector.lance_table import LanceTable
from kebab_testing.numbered_vectors import INDEX, numbered_chunks, put_numbered, state_of

STEPS: list[tuple[Any, str]] = [
    (LanceTable, "create"),
    (LanceTable, "add"),
    (LanceTable, "merge"),
    (LanceTable, "delete"),
    (LanceTable, "compact"),
    (LanceTable, "clean"),
    (index_writer, "flush_new_files"),
    (index_writer, "remove_files"),
    (index_writer, "write_matrix"),
    (matrix_writer, "append_rows"),
    (matrix_writer, "write_manifest"),
    (matrix_writer, "write_generation"),
    (matrix_writer, "remove_other_generations"),
    (matrix_files, "_write_at"),
    (os, "fsync"),
]


class Killed(BaseException):
    """Nothing of the product looks at it."""


def _delete(store: VectorStore) -> None:
    store.delete(INDEX, numbered_chunks(range(5, 25)))


def _upsert(store: VectorStore) -> None:
    put_numbered(store, range(20, 60))


def _add(store: VectorStore) -> None:
    put_numbered(store, range(30, 40))


def _upsert_and_maintain(store: VectorStore) -> None:
    _upsert(store)
    store.maintain(INDEX)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing wait for the disk, which a kill does not empty, and let maintenance write all anew."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(matrix_writer, "_MIN_UNSORTED_ROWS", 0)


@pytest.mark.parametrize("write", [_add, _delete, _upsert, _upsert_and_maintain])
def test_a_killed_write_is_seen_whole_or_not_at_all_and_mended_by_the_next(
    folder: Path, store: LanceVectorStore, write: Callable[[VectorStore], None]
) -> None:
    store.delete(INDEX, numbered_chunks(range(3)))
    before, kept = state_of(store), folder.with_name("kept")
    shutil.copytree(folder, kept)
    steps = _count_steps(lambda: write(store))
    after = state_of(store)
    assert before != after
    assert steps > 8
    for kill_at in range(1, steps + 1):
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        _kill(lambda: write(LanceVectorStore(folder)), kill_at)
        reader = LanceVectorStore(folder, readonly=True)
        assert state_of(reader) in (before, after), kill_at
        write(LanceVectorStore(folder))
        assert state_of(reader) == after, kill_at
        if kill_at % 4 == 1:
            assert reader.report(INDEX).matrix_is_current
            _lose_matrix(folder)
            assert state_of(reader) == after, kill_at


def test_an_index_that_was_half_made_is_made_by_the_next_run(folder: Path) -> None:
    def make() -> None:
        put_numbered(LanceVectorStore(folder), range(10))

    steps = _count_steps(make)
    whole = state_of(LanceVectorStore(folder))
    for kill_at in range(1, steps + 1):
        shutil.rmtree(folder)
        _kill(make, kill_at)
        assert [table.rows for table in LanceVectorStore(folder).tables()] in ([], [0], [10])
        make()
        assert state_of(LanceVectorStore(folder)) == whole


@pytest.mark.parametrize("kill_at", range(1, 4))
def test_an_index_that_was_half_dropped_is_not_there(
    folder: Path, store: LanceVectorStore, kill_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = state_of(store)
    with monkeypatch.context() as patch:
        _Steps(patch, [(Path, "rename"), (shutil, "rmtree")], kill_at=kill_at)
        _expect_kill(lambda: store.drop(INDEX))
    assert LanceVectorStore(folder).tables() == [] or kill_at == 1
    put_numbered(LanceVectorStore(folder), range(30))
    assert state_of(LanceVectorStore(folder)) == whole


def test_files_written_by_half_count_for_nothing(
    folder: Path, store: LanceVectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state_of(store)

    def half(path: Path, start: int, *pieces: Any, checksum: int = 0) -> None:
        with path.open("r+b") as file:
            file.seek(start)
            whole = b"".join(piece.tobytes() for piece in pieces)
            file.write(whole[: len(whole) // 2])
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(matrix_files, "_write_at", half)
        _expect_kill(lambda: put_numbered(store, range(25, 40)))
    assert state_of(LanceVectorStore(folder)) == before
    put_numbered(LanceVectorStore(folder), range(25, 40))
    assert len(state_of(LanceVectorStore(folder))) == 40


WRITER = """
import sys
from pathlib import Path
from kebab_store_vector import LanceVectorStore
from kebab_testing.numbered_vectors import *
store = LanceVectorStore(Path(sys.argv[1]))
for number in range(100_000):
    put_numbered(store, range(8 * number, 8 * number + 8))
    if number % 4 == 2:
        store.delete(INDEX, numbered_chunks(range(8 * number, 8 * number + 8)))
        store.maintain(INDEX)
    print(number, flush=True)
"""


@pytest.mark.parametrize("calls", [1, 6])
def test_a_writer_that_is_killed_for_good_leaves_whole_calls(folder: Path, calls: int) -> None:
    command = [sys.executable, "-c", WRITER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(calls):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    found = state_of(LanceVectorStore(folder))
    assert len(found) % 8 == 0
    assert len(found) >= 8 * (calls - (calls + 1) // 4)
    put_numbered(LanceVectorStore(folder), range(8))
    _lose_matrix(folder)
    assert len(state_of(LanceVectorStore(folder))) % 8 == 0


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
            if self.count == self._kill_at:
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
        _expect_kill(write)


def _expect_kill(write: Callable[[], None]) -> None:
    with pytest.raises(Killed):
        write()


def _lose_matrix(folder: Path) -> None:
    for path in folder.glob("*.matrix/*"):
        path.unlink()
