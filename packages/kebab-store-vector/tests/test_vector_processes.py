"""One process writes and maintains, another reads meanwhile."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kebab_store_vector import LanceVectorStore
from kebab_testing.numbered_vectors import INDEX, QUERY, numbered_key, put_numbered

ROWS = 6
ROUNDS = 24
WRITER = f"""
import sys
from pathlib import Path
from kebab_store_vector import LanceVectorStore, matrix_writer
from kebab_testing.numbered_vectors import *
matrix_writer._MIN_UNSORTED_ROWS = 20
store = LanceVectorStore(Path(sys.argv[1]))
for number in range(1, {ROUNDS} + 1):
    put_numbered(store, range({ROWS} * number, {ROWS} * (number + 1)))
    print("wrote", number, flush=True)
    if number % 5 == 0:
        store.delete(INDEX, numbered_chunks(range({ROWS} * (number - 1), {ROWS} * number)))
        print("deleted", number - 1, flush=True)
        store.maintain(INDEX)
"""


@contextmanager
def _writer(folder: Path) -> Iterator[Iterator[tuple[str, int]]]:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        yield ((verb, int(number)) for verb, number in map(str.split, process.stdout))
        assert process.stderr.read() == ""
        assert process.wait() == 0


def _groups(store: LanceVectorStore) -> Counter[int]:
    """Return how many rows of each call are found."""
    group_of = {numbered_key(row).chunk_id: row // ROWS for row in range(ROWS * (ROUNDS + 1))}
    found = Counter(group_of[hit.chunk_id] for hit in store.search(INDEX, QUERY, limit=10_000))
    assert set(found.values()) <= {ROWS}
    return found


@pytest.mark.parametrize("is_kept_open", [True, False])
def test_readers_see_every_call_whole_as_soon_as_it_has_returned(
    folder: Path, store: LanceVectorStore, is_kept_open: bool
) -> None:
    store.drop(INDEX)
    put_numbered(store, range(ROWS))
    reader = LanceVectorStore(folder, readonly=True)
    there, gone, reads = {0}, set[int](), 0
    with _writer(folder) as reports:
        for verb, number in reports:
            # the writer may be further on than its reports
            (gone if verb == "deleted" else there).add(number)
            for _ in range(5):
                opened = reader if is_kept_open else LanceVectorStore(folder, readonly=True)
                found = set(_groups(opened))
                assert {group for group in there if not _is_deleted_later(group)} <= found
                assert not gone & found
                reads += 1
    assert set(_groups(reader)) == there - gone
    assert reads >= 5 * ROUNDS


def _is_deleted_later(group: int) -> bool:
    return (group + 1) % 5 == 0
