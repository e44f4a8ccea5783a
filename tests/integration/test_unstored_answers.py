"""A disk without room for the row of an answer keeps nobody from reading the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kebab_app import App
from kebab_core import SearchMode, SearchQuery, StorageError
from kebab_testing.full_disks import small_files

from tests.integration.full_disks import run_kebab
from tests.integration.killed_runs import KilledBase

NOTE = b"# Rollback\n\nRolling back takes one command and five minutes.\n"
SHARED_MEMORY = 32 * 1024
"""What SQLite writes as soon as it opens a database for writing."""
QUESTION = "how long does rolling back take?" + " " * 2 * SHARED_MEMORY
SIZES = {"while storing": SHARED_MEMORY, "before": 0}


@pytest.fixture
def base(tmp_path: Path) -> KilledBase:
    base = KilledBase(tmp_path)
    base.write({"rollback.md": NOTE})
    base.ingest()
    return base


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_an_answer_without_room_for_its_row_is_given_and_said_to_be_unstored(
    size: int, base: KilledBase
) -> None:
    done = run_kebab(base, "ask", QUESTION, "--json", max_bytes=size)
    answer = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (answer["grounded"], answer["persisted"]) == (True, False)
    assert "five minutes" in answer["answer"]
    with App(base.load()) as app:
        assert app.list_answers() == []


@pytest.mark.parametrize(("size", "flags"), [(SHARED_MEMORY, []), (0, ["--stream"])])
def test_people_are_warned_that_an_answer_is_not_stored(
    size: int, flags: list[str], base: KilledBase
) -> None:
    done = run_kebab(base, "ask", QUESTION, *flags, max_bytes=size)
    assert done.returncode == 0
    assert done.stdout.startswith("▎ Rolling back takes one command and five minutes.\n└ [1]\n")
    assert done.stderr.startswith("warning: the answer is not stored: the disk of the index is full")
    assert len(done.stderr.splitlines()) == 1


def test_a_full_disk_can_be_searched_and_not_written(base: KilledBase) -> None:
    assert run_kebab(base, "search", "rolling back", "--json", max_bytes=0).returncode == 0
    base.write({"more.md": b"# More\n\nMore.\n"})
    refused = run_kebab(base, "ingest", "--json", max_bytes=0)
    assert (refused.returncode, json.loads(refused.stderr)["code"]) == (2, "io_error")


def test_a_database_opened_for_reading_on_a_full_disk_refuses_writes_as_full(base: KilledBase) -> None:
    with App(base.load()) as app:
        with small_files(0):
            found = app.search(SearchQuery(text="rolling back", mode=SearchMode.LEXICAL))
            with pytest.raises(StorageError, match="full"):
                app.base.open_for_writing()
        assert found.hits
        assert app.base.unwritable is not None
