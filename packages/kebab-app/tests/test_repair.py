"""`doctor` names damage and the way out of it; with `repair` it goes that way where nothing is lost by it."""

from __future__ import annotations

import fcntl
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from kebab_core import DatabaseCorruptError, DocFilter, LockedError, ReadonlyModeError, SearchQuery

from tests.remedies import say

if TYPE_CHECKING:
    from kebab_diagnose import HealthReport

    from conftest import Base

REPAIR, START_OVER = "kebab doctor --repair", "kebab reset --data-only"


@pytest.fixture
def indexed(base: Base) -> Base:
    for number in range(30):
        base.write(f"{number}.md", f"# Title {number}\n\n검색 색인 text {number}\n\n## Part\n\nmore\n")
    base.ingest()
    base.close()
    return base


def damage_page(base: Base, table: str) -> None:
    path = base.data_dir / "kebab.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x5a" * size)


def failed(report: HealthReport) -> dict[str, str]:
    return {check.name: str(say(check)) for check in report.checks if not check.ok}


def found(base: Base) -> list[str]:
    return [hit.chunk_id for hit in base.app.search(SearchQuery(text="색인", k=100)).hits]


@pytest.mark.parametrize("table", ["chunks_fts_data", "chunks_exact_data", "chunks_fts_docsize"])
def test_damaged_full_text_index_is_named_and_mended(indexed: Base, table: str) -> None:
    before = found(indexed)
    indexed.close()
    damage_page(indexed, table)

    sick = indexed.app.doctor()
    assert failed(sick)
    assert set(failed(sick).values()) == {REPAIR}
    assert sick.repaired is None

    report = indexed.app.doctor(repair=True)
    assert (report.ok, len(report.repaired or ())) == (True, 1)
    assert found(indexed) == before
    assert indexed.app.doctor(repair=True).repaired == ()
    assert indexed.ingest().counts == {"scanned": 30, "unchanged": 30}


@pytest.mark.parametrize("table", ["documents", "chunks", "document_parts", "sqlite_schema"])
def test_damage_that_costs_rows_is_named_with_the_way_to_start_over(indexed: Base, table: str) -> None:
    if table == "sqlite_schema":
        (indexed.data_dir / "kebab.sqlite").write_bytes(b"\x5a" * 100_000)
    else:
        damage_page(indexed, table)

    report = indexed.app.doctor(repair=True)

    assert (report.ok, report.repaired) == (False, ())
    assert "sqlite_integrity" in failed(report)
    assert all(hint.startswith(START_OVER) for hint in failed(report).values())


@pytest.mark.parametrize("act", ["search", "list", "ingest"])
def test_whoever_meets_the_damage_is_told_of_the_doctor(indexed: Base, act: str) -> None:
    damage_page(indexed, "documents")
    indexed.write("new.md")
    acts = {
        "search": lambda: indexed.app.search(SearchQuery(text="색인")),
        "list": lambda: indexed.app.list_documents(DocFilter()),
        "ingest": indexed.ingest,
    }

    with pytest.raises(DatabaseCorruptError) as caught:
        acts[act]()
    assert say(caught.value) == REPAIR


def test_run_that_meets_damaged_terms_ends_and_blames_no_file(indexed: Base) -> None:
    damage_page(indexed, "chunks_fts_data")
    indexed.write("new.md", "# new")

    with pytest.raises(DatabaseCorruptError):
        indexed.ingest()

    assert indexed.app.doctor(repair=True).repaired
    assert indexed.app.base.index.source_files.list_failures() == []
    assert indexed.ingest().counts == {"scanned": 31, "unchanged": 30, "new": 1}


def test_repair_of_nothing_does_nothing(base: Base) -> None:
    assert base.app.doctor(repair=True).repaired == ()
    assert not base.data_dir.exists()


def test_readonly_does_not_repair(indexed: Base) -> None:
    damage_page(indexed, "chunks_fts_data")
    indexed.readonly = True
    before = (indexed.data_dir / "kebab.sqlite").read_bytes()

    with pytest.raises(ReadonlyModeError):
        indexed.app.doctor(repair=True)
    assert (indexed.data_dir / "kebab.sqlite").read_bytes() == before


def test_repair_is_refused_while_another_process_writes(indexed: Base) -> None:
    with (indexed.data_dir / "writer.lock").open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LockedError):
            indexed.app.doctor(repair=True)
