"""What every `IngestRunRepo` remembers of runs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kebab_core import (
    IngestCounts,
    IngestItem,
    IngestReport,
    IngestResult,
    IngestRunRepo,
    IngestScope,
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
    def runs(self) -> IngestRunRepo:
        """Give an empty repository."""
        raise NotImplementedError

    def test_a_started_run_is_unfinished_and_has_no_report(self, runs: IngestRunRepo) -> None:
        runs.start_run(RunId("r1"), SCOPES, started_at=START)
        (run,) = runs.unfinished_runs()
        assert (run.run_id, run.scopes, run.started_at) == ("r1", SCOPES, START)
        assert (run.finished_at, run.report) == (None, None)
        assert runs.list_runs() == [run]

    @pytest.mark.parametrize(
        "items", [None, (), (IngestItem(kind=IngestResult.NEW, doc_path=WorkspacePath("가.md")),)]
    )
    def test_a_finished_run_keeps_its_whole_report(
        self, runs: IngestRunRepo, items: tuple[IngestItem, ...] | None
    ) -> None:
        report = _report("r1", items=items)
        runs.start_run(RunId("r1"), SCOPES, started_at=START)
        runs.finish_run(report)
        (run,) = runs.list_runs()
        assert runs.unfinished_runs() == []
        assert (run.report, run.finished_at, run.scopes) == (report, report.finished_at, SCOPES)

    def test_runs_come_newest_first(self, runs: IngestRunRepo) -> None:
        for hour, name in enumerate(["a", "b", "c", "d"]):
            runs.start_run(RunId(name), SCOPES, started_at=START + timedelta(hours=hour))
        runs.finish_run(_report("c"))
        assert [run.run_id for run in runs.list_runs(limit=3)] == ["d", "c", "b"]
        assert [run.run_id for run in runs.unfinished_runs()] == ["d", "b", "a"]


def _report(run_id: str, *, items: tuple[IngestItem, ...] | None = None) -> IngestReport:
    return IngestReport(
        run_id=RunId(run_id),
        scopes=SCOPES,
        counts=IngestCounts(scanned=7, new=1, updated=2, skipped=3, errors=1),
        skipped_by_reason={SkipReason.BINARY_CONTENT: 3},
        skipped_by_extension={"<no-ext>": 1},
        skip_examples=(SkipExample(reason=SkipReason.BINARY_CONTENT, paths=("가.txt",)),),
        aborted=True,
        duration_ms=1234,
        started_at=START,
        finished_at=START + timedelta(microseconds=1),
        items=items,
    )
