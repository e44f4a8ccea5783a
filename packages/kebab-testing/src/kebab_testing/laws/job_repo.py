"""Laws of `JobRepo`: creating, updating and deleting jobs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kebab_core import InvalidInputError, JobFilter, JobId, JobKind, JobRepo, JobStatus

from kebab_testing.fakes.clock import START


class JobRepoLaws:
    """Subclass it and override the `jobs` fixture with an empty repository."""

    @pytest.fixture
    def jobs(self) -> JobRepo:
        """Give an empty repository."""
        raise NotImplementedError

    def test_a_job_runs_from_its_creation(self, jobs: JobRepo) -> None:
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

    def test_progress_and_end_are_recorded(self, jobs: JobRepo) -> None:
        job_id = jobs.create(JobKind.EMBED, {}, at=START)
        jobs.update_progress(job_id, {"done": 3, "of": None}, at=START + timedelta(seconds=1))
        (job,) = jobs.list(JobFilter())
        assert (job.progress, job.updated_at) == ({"done": 3, "of": None}, START + timedelta(seconds=1))
        jobs.finish(job_id, JobStatus.FAILED, at=START + timedelta(seconds=2), error="끊김")
        (job,) = jobs.list(JobFilter())
        assert (job.status, job.error) == (JobStatus.FAILED, "끊김")
        assert (job.finished_at, job.updated_at) == (START + timedelta(seconds=2),) * 2

    def test_jobs_come_newest_first_by_kind_and_status(self, jobs: JobRepo) -> None:
        kinds = [JobKind.INGEST, JobKind.EVAL, JobKind.INGEST]
        ids = [jobs.create(kind, {}, at=START + timedelta(hours=hour)) for hour, kind in enumerate(kinds)]
        jobs.finish(ids[0], JobStatus.SUCCEEDED, at=START + timedelta(hours=9))
        assert len(set(ids)) == 3
        assert _ids(jobs, JobFilter()) == ids[::-1]
        assert _ids(jobs, JobFilter(kind=JobKind.INGEST)) == [ids[2], ids[0]]
        assert _ids(jobs, JobFilter(status=JobStatus.RUNNING)) == [ids[2], ids[1]]
        assert _ids(jobs, JobFilter(kind=JobKind.INGEST, status=JobStatus.SUCCEEDED)) == [ids[0]]
        assert _ids(jobs, JobFilter(limit=1)) == [ids[2]]

    def test_the_oldest_jobs_of_a_kind_are_forgotten_but_none_that_runs(self, jobs: JobRepo) -> None:
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

    def test_an_unknown_job_is_the_callers_mistake(self, jobs: JobRepo) -> None:
        with pytest.raises(InvalidInputError):
            jobs.update_progress(JobId("nobody"), {}, at=START)
        with pytest.raises(InvalidInputError):
            jobs.finish(JobId("nobody"), JobStatus.CANCELED, at=START)


def _ids(jobs: JobRepo, criteria: JobFilter) -> list[JobId]:
    return [job.job_id for job in jobs.list(criteria)]
