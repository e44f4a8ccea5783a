"""A clock that is set back, between runs or within one, costs nothing that was indexed and no sense."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from kebab_core import JobFilter, SearchFilters, SearchQuery
from kebab_store_sqlite import SqliteJobRepo
from kebab_testing.fakes.clock import START, FixedClock

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_core import IngestRun

    from conftest import Base

YEAR = timedelta(days=365)


class BackwardClock(FixedClock):
    """Its wall time falls by a minute whenever anyone looks; the time it measures by does not."""

    def __init__(self) -> None:
        super().__init__()
        self._looks = 0

    def now(self) -> datetime:
        self._looks += 1
        return super().now() - self._looks * timedelta(minutes=1)

    def monotonic_ms(self) -> int:
        return self._looks


def found(base: Base, **filters: datetime) -> list[str]:
    response = base.app.search(SearchQuery(text="text", filters=SearchFilters(**filters)))
    return sorted(hit.doc_path for hit in response.hits)


def runs(base: Base) -> list[IngestRun]:
    return SqliteJobRepo(base.app.base.open_for_reading()).list_runs()


def test_run_within_which_the_clock_falls_measures_no_negative_time(base: Base) -> None:
    base.clock = BackwardClock()
    for name in "abc":
        base.write(f"{name}.md")

    first = base.ingest()
    base.write("a.md", "text, edited")
    (base.root / "b.md").unlink()
    second = base.ingest()

    assert first.counts == {"scanned": 3, "new": 3}
    assert second.counts == {"scanned": 2, "updated": 1, "unchanged": 1, "removed": 1}
    for outcome in (first, second):
        assert outcome.report.duration_ms >= 0
        assert all(event.ms >= 0 for event in outcome.events if event.kind == "asset_finished")
        assert outcome.kinds[-1] == "completed"
    assert base.app.doctor().ok
    assert found(base) == ["a.md", "c.md"]


def test_run_after_the_clock_was_set_back_is_the_newest_and_finishes_its_job(base: Base) -> None:
    base.write("a.md")
    first = base.ingest().report.run_id
    base.clock.advance(-YEAR)
    base.write("b.md")
    second = base.ingest().report.run_id

    assert [run.run_id for run in runs(base)] == [second, first]
    jobs = SqliteJobRepo(base.app.base.open_for_reading()).list(JobFilter())
    assert [(job.status.value, job.payload["run_id"]) for job in jobs] == [
        ("succeeded", second),
        ("succeeded", first),
    ]


def test_documents_of_the_future_are_neither_stale_nor_lost(base: Base) -> None:
    base.write("a.md", "text")
    base.ingest()
    base.clock.advance(-YEAR)
    base.write("b.md", "text of b")
    base.ingest(base.root / "b.md")

    assert found(base) == ["a.md", "b.md"]
    assert not any(base.app.is_stale(document) for document in base.documents().values())
    assert found(base, ingested_after=START - timedelta(days=1)) == ["a.md"]
    assert found(base, ingested_after=START - 2 * YEAR) == ["a.md", "b.md"]
    assert (
        base.app.base.index.documents.coverage(now=base.clock.now(), stale_threshold_days=1).documents_stale
        == 0
    )


def test_interrupted_run_of_the_future_is_made_good(base: Base) -> None:
    from kebab_core import RunId

    base.write("a.md")
    SqliteJobRepo(base.app.base.open_for_writing()).start_run(RunId("run_dead"), [], started_at=START + YEAR)
    base.ingest()

    assert base.app.doctor().ok
    (dead,) = [run for run in runs(base) if run.run_id == "run_dead"]
    assert dead.finished_at is not None


@pytest.mark.parametrize("keep", [1, 2])
def test_log_of_a_run_is_kept_though_those_of_the_future_are_too_many(base: Base, keep: int) -> None:
    base.configure("logging", keep_runs=keep)
    base.write("a.md")
    for _ in range(3):
        base.ingest()
        base.clock.advance(timedelta(hours=1))
    base.clock.advance(-YEAR)

    base.write("b.md")
    base.ingest()

    assert any("b.md" in log.read_text("utf-8") for log in run_logs(base))


def run_logs(base: Base) -> list[Path]:
    return list(base.app.loaded.paths.log_dir.glob("ingest-*.ndjson"))
