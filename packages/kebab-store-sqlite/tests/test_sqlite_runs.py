"""Jobs, runs of ingest and evaluations: stored, listed and deleted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kebab_core import (
    EvalQueryResult,
    EvalRun,
    EvalRunId,
    IngestCounts,
    IngestItem,
    IngestReport,
    IngestResult,
    IngestScope,
    InvalidInputError,
    JobFilter,
    JobId,
    JobKind,
    JobStatus,
    RunId,
    SkipExample,
    SkipReason,
    SourceId,
    WorkspacePath,
)
from kebab_store_sqlite import SqliteDatabase, SqliteJobRepo
from kebab_testing.fakes.clock import START

SCOPES = (
    IngestScope(root="/notes", include=("**/*.md",)),
    IngestScope(source_id=SourceId("일"), root="/일", under=WorkspacePath("가/나"), exclude=("tmp/",)),
)


@pytest.fixture
def jobs(database: SqliteDatabase) -> SqliteJobRepo:
    return SqliteJobRepo(database)


def test_a_job_runs_from_its_creation(jobs: SqliteJobRepo) -> None:
    job_id = jobs.create(JobKind.INGEST, {"root": "/노트", "n": 1}, at=START)
    (job,) = jobs.list(JobFilter())
    assert (job.job_id, job.kind, job.status) == (job_id, JobKind.INGEST, JobStatus.RUNNING)
    assert (job.payload, job.progress, job.error, job.finished_at) == (
        {"root": "/노트", "n": 1},
        None,
        None,
        None,
    )
    assert (job.created_at, job.updated_at) == (START, START)


def test_progress_and_end_are_recorded(jobs: SqliteJobRepo) -> None:
    job_id = jobs.create(JobKind.EMBED, {}, at=START)
    jobs.update_progress(job_id, {"done": 3, "of": None}, at=START + timedelta(seconds=1))
    (job,) = jobs.list(JobFilter())
    assert (job.progress, job.updated_at) == ({"done": 3, "of": None}, START + timedelta(seconds=1))
    jobs.finish(job_id, JobStatus.FAILED, at=START + timedelta(seconds=2), error="끊김")
    (job,) = jobs.list(JobFilter())
    assert (job.status, job.error) == (JobStatus.FAILED, "끊김")
    assert (job.finished_at, job.updated_at) == (START + timedelta(seconds=2),) * 2


def test_jobs_come_newest_first_by_kind_and_status(jobs: SqliteJobRepo) -> None:
    kinds = [JobKind.INGEST, JobKind.EVAL, JobKind.INGEST]
    ids = [jobs.create(kind, {}, at=START + timedelta(hours=hour)) for hour, kind in enumerate(kinds)]
    jobs.finish(ids[0], JobStatus.SUCCEEDED, at=START + timedelta(hours=9))
    assert len(set(ids)) == 3
    assert _ids(jobs, JobFilter()) == ids[::-1]
    assert _ids(jobs, JobFilter(kind=JobKind.INGEST)) == [ids[2], ids[0]]
    assert _ids(jobs, JobFilter(status=JobStatus.RUNNING)) == [ids[2], ids[1]]
    assert _ids(jobs, JobFilter(kind=JobKind.INGEST, status=JobStatus.SUCCEEDED)) == [ids[0]]
    assert _ids(jobs, JobFilter(limit=1)) == [ids[2]]


def test_the_oldest_jobs_of_a_kind_are_forgotten_but_none_that_runs(jobs: SqliteJobRepo) -> None:
    kinds = [JobKind.INGEST, JobKind.INGEST, JobKind.EVAL, JobKind.INGEST, JobKind.INGEST, JobKind.INGEST]
    ids = [jobs.create(kind, {}, at=START + timedelta(hours=hour)) for hour, kind in enumerate(kinds)]
    for number in (0, 2, 3, 4, 5):
        jobs.finish(ids[number], JobStatus.SUCCEEDED, at=START + timedelta(hours=9))
    assert jobs.forget(JobKind.INGEST, keep=5, before=None) == 0
    assert jobs.forget(JobKind.INGEST, keep=3, before=None) == 1
    assert _ids(jobs, JobFilter()) == [ids[number] for number in (5, 4, 3, 2, 1)]
    assert jobs.forget(JobKind.INGEST, keep=3, before=START + timedelta(hours=4)) == 1
    assert jobs.forget(JobKind.INGEST, keep=0, before=None) == 1
    assert _ids(jobs, JobFilter()) == [ids[number] for number in (5, 2, 1)]
    assert jobs.create(JobKind.INGEST, {}, at=START) not in ids


def test_an_unknown_job_is_the_callers_mistake(jobs: SqliteJobRepo) -> None:
    with pytest.raises(InvalidInputError):
        jobs.update_progress(JobId("nobody"), {}, at=START)
    with pytest.raises(InvalidInputError):
        jobs.finish(JobId("nobody"), JobStatus.CANCELED, at=START)


def test_a_started_run_is_unfinished_and_has_no_report(jobs: SqliteJobRepo) -> None:
    jobs.start_run(RunId("r1"), SCOPES, started_at=START)
    (run,) = jobs.unfinished_runs()
    assert (run.run_id, run.scopes, run.started_at) == ("r1", SCOPES, START)
    assert (run.finished_at, run.report) == (None, None)
    assert jobs.list_runs() == [run]


@pytest.mark.parametrize(
    "items", [None, (), (IngestItem(kind=IngestResult.NEW, doc_path=WorkspacePath("가.md")),)]
)
def test_a_finished_run_keeps_its_whole_report(
    jobs: SqliteJobRepo, items: tuple[IngestItem, ...] | None
) -> None:
    report = _report("r1", items=items)
    jobs.start_run(RunId("r1"), SCOPES, started_at=START)
    jobs.finish_run(report)
    (run,) = jobs.list_runs()
    assert jobs.unfinished_runs() == []
    assert (run.report, run.finished_at, run.scopes) == (report, report.finished_at, SCOPES)
    (brief,) = jobs.list_runs(with_items=False)
    assert brief.report == report.model_copy(update={"items": None})


def test_an_aborted_run_keeps_its_report_and_is_unfinished_until_it_is_settled(jobs: SqliteJobRepo) -> None:
    report = _report("r1").model_copy(update={"aborted": True})
    jobs.start_run(RunId("r1"), SCOPES, started_at=START)
    jobs.finish_run(report)
    (run,) = jobs.unfinished_runs()
    assert (run.report, run.finished_at) == (report, None)
    jobs.settle_runs([RunId("r1")], at=START + timedelta(hours=1))
    (run,) = jobs.list_runs()
    assert jobs.unfinished_runs() == []
    assert (run.report, run.finished_at) == (report, START + timedelta(hours=1))


def test_only_unfinished_runs_that_are_named_are_settled(jobs: SqliteJobRepo) -> None:
    for name in ("a", "b", "c"):
        jobs.start_run(RunId(name), SCOPES, started_at=START)
    finished = _report("c")
    jobs.finish_run(finished)
    jobs.settle_runs([RunId("a"), RunId("c"), RunId("unknown")], at=START + timedelta(hours=1))
    jobs.settle_runs([], at=START)
    assert [run.run_id for run in jobs.unfinished_runs()] == ["b"]
    ends = {str(run.run_id): (run.finished_at, run.report) for run in jobs.list_runs()}
    assert ends["a"] == (START + timedelta(hours=1), None)
    assert ends["c"] == (finished.finished_at, finished)
    assert len(ends) == 3


def test_the_oldest_runs_are_forgotten_but_none_that_is_unfinished(jobs: SqliteJobRepo) -> None:
    for hour, name in enumerate("abcdef"):
        jobs.start_run(RunId(name), SCOPES, started_at=START + timedelta(hours=hour))
        if name != "b":
            jobs.finish_run(_report(name))
    assert jobs.forget_runs(keep=6, before=None) == 0
    assert jobs.forget_runs(keep=4, before=None) == 1
    assert _names(jobs) == ["f", "e", "d", "c", "b"]
    assert jobs.forget_runs(keep=4, before=START + timedelta(hours=3)) == 1
    assert _names(jobs) == ["f", "e", "d", "b"]
    assert jobs.forget_runs(keep=0, before=START + timedelta(hours=9)) == 2
    assert _names(jobs) == ["f", "b"]


def test_runs_come_newest_first(jobs: SqliteJobRepo) -> None:
    for hour, name in enumerate(["a", "b", "c", "d"]):
        jobs.start_run(RunId(name), SCOPES, started_at=START + timedelta(hours=hour))
    jobs.finish_run(_report("c"))
    assert [run.run_id for run in jobs.list_runs(limit=3)] == ["d", "c", "b"]
    assert [run.run_id for run in jobs.unfinished_runs()] == ["d", "b", "a"]


def test_a_run_comes_back_with_its_queries_by_id(jobs: SqliteJobRepo) -> None:
    run = _run("r1")
    results = [_result("r1", query_id) for query_id in ("q2", "q1", "가")]
    jobs.record_evaluation(run, iter(results))
    assert jobs.list_evaluations() == [run]
    assert jobs.list_results(EvalRunId("r1")) == [results[1], results[0], results[2]]


def test_what_was_not_recorded_is_empty(jobs: SqliteJobRepo) -> None:
    assert jobs.list_results(EvalRunId("r")) == []
    assert jobs.list_evaluations() == []


def test_recording_a_run_again_replaces_its_queries(jobs: SqliteJobRepo) -> None:
    jobs.record_evaluation(_run("r1"), [_result("r1", "old")])
    jobs.record_evaluation(_run("r1"), [_result("r1", "new")])
    assert [result.query_id for result in jobs.list_results(EvalRunId("r1"))] == ["new"]


def test_evaluations_come_newest_first(jobs: SqliteJobRepo) -> None:
    for hour, name in enumerate("abc"):
        jobs.record_evaluation(
            _run(name).model_copy(update={"created_at": START + timedelta(hours=hour)}), []
        )
    assert [run.run_id for run in jobs.list_evaluations(limit=2)] == ["c", "b"]


def _ids(jobs: SqliteJobRepo, criteria: JobFilter) -> list[JobId]:
    return [job.job_id for job in jobs.list(criteria)]


def _names(jobs: SqliteJobRepo) -> list[str]:
    return [run.run_id for run in jobs.list_runs()]


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


def _run(run_id: str) -> EvalRun:
    return EvalRun(
        run_id=EvalRunId(run_id),
        suite="한국어",
        config_snapshot={"search": {"k": 10, "on": True}},
        aggregate={"mrr": 0.5, "missing": None},
        commit_hash="abc",
        created_at=START,
    )


def _result(run_id: str, query_id: str) -> EvalQueryResult:
    return EvalQueryResult(run_id=EvalRunId(run_id), query_id=query_id, result={"hits": ["가", 1]})
