"""Laws of `JobRepo`: starting, finishing and deleting runs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kebab_core import (
    IngestCounts,
    IngestItem,
    IngestReport,
    IngestResult,
    IngestScope,
    JobRepo,
    RunId,
    SkipExample,
    SkipReason,
    SourceId,
    WorkspacePath,
)

from kebab_testing.fakes.clock import START

SCOPES = (
    IngestScope(root="/notes", include=("**/*.md",)),
    IngestScope(source_id=SourceId("일"), root="/일", under=WorkspacePath("가/나"), exclude=("tmp/",)),
)


class IngestRunRepoLaws:
    """Subclass it and override the `runs` fixture with an empty repository."""

    @pytest.fixture
    def runs(self) -> JobRepo:
        """Give an empty repository."""
        raise NotImplementedError

    def test_a_started_run_is_unfinished_and_has_no_report(self, runs: JobRepo) -> None:
        runs.start_run(RunId("r1"), SCOPES, started_at=START)
        (run,) = runs.unfinished_runs()
        assert (run.run_id, run.scopes, run.started_at) == ("r1", SCOPES, START)
        assert (run.finished_at, run.report) == (None, None)
        assert runs.list_runs() == [run]

    @pytest.mark.parametrize(
        "items", [None, (), (IngestItem(kind=IngestResult.NEW, doc_path=WorkspacePath("가.md")),)]
    )
    def test_a_finished_run_keeps_its_whole_report(
        self, runs: JobRepo, items: tuple[IngestItem, ...] | None
    ) -> None:
        report = _report("r1", items=items)
        runs.start_run(RunId("r1"), SCOPES, started_at=START)
        runs.finish_run(report)
        (run,) = runs.list_runs()
        assert runs.unfinished_runs() == []
        assert (run.report, run.finished_at, run.scopes) == (report, report.finished_at, SCOPES)

    def test_an_aborted_run_keeps_its_report_and_is_unfinished_until_it_is_settled(
        self, runs: JobRepo
    ) -> None:
        report = _report("r1").model_copy(update={"aborted": True})
        runs.start_run(RunId("r1"), SCOPES, started_at=START)
        runs.finish_run(report)
        (run,) = runs.unfinished_runs()
        assert (run.report, run.finished_at) == (report, None)
        runs.settle_runs([RunId("r1")], at=START + timedelta(hours=1))
        (run,) = runs.list_runs()
        assert runs.unfinished_runs() == []
        assert (run.report, run.finished_at) == (report, START + timedelta(hours=1))

    def test_only_unfinished_runs_that_are_named_are_settled(self, runs: JobRepo) -> None:
        for name in ("a", "b", "c"):
            runs.start_run(RunId(name), SCOPES, started_at=START)
        finished = _report("c")
        runs.finish_run(finished)
        runs.settle_runs([RunId("a"), RunId("c"), RunId("unknown")], at=START + timedelta(hours=1))
        runs.settle_runs([], at=START)
        assert [run.run_id for run in runs.unfinished_runs()] == ["b"]
        ends = {str(run.run_id): (run.finished_at, run.report) for run in runs.list_runs()}
        assert ends["a"] == (START + timedelta(hours=1), None)
        assert ends["c"] == (finished.finished_at, finished)
        assert len(ends) == 3

    def test_the_oldest_runs_are_forgotten_but_none_that_is_unfinished(self, runs: JobRepo) -> None:
        for hour, name in enumerate("abcdef"):
            runs.start_run(RunId(name), SCOPES, started_at=START + timedelta(hours=hour))
            if name != "b":
                runs.finish_run(_report(name))
        assert runs.forget_runs(keep=6, before=None) == 0
        assert runs.forget_runs(keep=4, before=None) == 1
        assert _names(runs) == ["f", "e", "d", "c", "b"]
        assert runs.forget_runs(keep=4, before=START + timedelta(hours=3)) == 1
        assert _names(runs) == ["f", "e", "d", "b"]
        assert runs.forget_runs(keep=0, before=START + timedelta(hours=9)) == 2
        assert _names(runs) == ["f", "b"]

    def test_runs_come_newest_first(self, runs: JobRepo) -> None:
        for hour, name in enumerate(["a", "b", "c", "d"]):
            runs.start_run(RunId(name), SCOPES, started_at=START + timedelta(hours=hour))
        runs.finish_run(_report("c"))
        assert [run.run_id for run in runs.list_runs(limit=3)] == ["d", "c", "b"]
        assert [run.run_id for run in runs.unfinished_runs()] == ["d", "b", "a"]


def _names(runs: JobRepo) -> list[str]:
    return [run.run_id for run in runs.list_runs()]


def _report(run_id: str, *, items: tuple[IngestItem, ...] | None = None) -> IngestReport:
    return IngestReport(
        run_id=RunId(run_id),
        scopes=SCOPES,
        counts=IngestCounts(scanned=7, new=1, updated=2, skipped=3, errors=1),
        skipped_by_reason={SkipReason.BINARY_CONTENT: 3},
        skipped_by_extension={"<no-ext>": 1},
        skip_examples=(SkipExample(reason=SkipReason.BINARY_CONTENT, paths=("가.txt",)),),
        duration_ms=1234,
        started_at=START,
        finished_at=START + timedelta(microseconds=1),
        items=items,
    )
