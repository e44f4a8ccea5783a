"""One process writes matrices, another reads meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from kebab_store_vector import MatrixVectorStore
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import MODEL, numbered_chunks, put_numbered, state_of

ROUNDS = 40
ROWS = 6
WRITER = f"""
import sys
from pathlib import Path
from kebab_store_vector import MatrixVectorStore
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import *
source = InMemoryVectorSource()
store = MatrixVectorStore(Path(sys.argv[1]), source)
for number in range({ROUNDS}):
    put_numbered(source, range({ROWS} * number, {ROWS} * (number + 1)))
    store.update(MODEL, complete=number % 2 == 0)
    print(number, flush=True)
"""


@pytest.mark.parametrize("is_kept_open", [True, False])
def test_readers_have_the_results_of_their_own_state_whatever_another_process_writes(
    folder: Path, is_kept_open: bool
) -> None:
    """The state of the reader is before, at, or behind that of the writer, as that of a database may be."""
    source = InMemoryVectorSource()
    reader = MatrixVectorStore(folder, source, readonly=True)
    command = [sys.executable, "-c", WRITER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for number in map(int, process.stdout):
            put_numbered(source, range(ROWS * number, ROWS * (number + 1)))
            for _ in range(3):
                opened = reader if is_kept_open else MatrixVectorStore(folder, source, readonly=True)
                assert set(state_of(opened)) == set(numbered_chunks(range(ROWS * (number + 1))))
        assert process.stderr.read() == ""
        assert process.wait() == 0
    assert MatrixVectorStore(folder, source).is_current(MODEL)
    assert state_of(reader) == state_of(MatrixVectorStore(folder.with_name("none"), source))


def test_two_writers_of_one_state_leave_one_matrix(folder: Path) -> None:
    command = [sys.executable, "-c", WRITER.replace("number % 2 == 0", "False"), str(folder)]
    with (
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as first,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as second,
    ):
        assert [first.communicate()[1], second.communicate()[1]] == ["", ""]
    source = InMemoryVectorSource()
    for number in range(ROUNDS):
        put_numbered(source, range(ROWS * number, ROWS * (number + 1)))
    assert MatrixVectorStore(folder, source).is_current(MODEL)
    assert len(list(folder.iterdir())) == 1
