"""The rows that record a run: one of `ingest_runs`, one of `jobs`, and runs that died before."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from kebab_core import (
    Clock,
    IngestCounts,
    IngestReport,
    IngestRun,
    IngestRunRepo,
    IngestScope,
    JobFilter,
    JobId,
    JobKind,
    JobRepo,
    JobStatus,
    RunId,
)

from kebab_app.ingest.removal import is_beneath
from kebab_app.ingest.tally import Tally


@dataclass(frozen=True, kw_only=True)
class RunBook:
    """One run's rows. Its holder has the writer lock, so any other unfinished run is dead."""

    runs: IngestRunRepo
    jobs: JobRepo
    clock: Clock
    run_id: RunId
    job_id: JobId
    scopes: tuple[IngestScope, ...]
    started_at: datetime
    started_ms: int

    @classmethod
    def open(cls, runs: IngestRunRepo, jobs: JobRepo, clock: Clock, scopes: Sequence[IngestScope]) -> RunBook:
        """Return the book of a run that begins now."""
        run_id, started_at = RunId(f"run_{uuid.uuid4().hex[:16]}"), clock.now()
        runs.start_run(run_id, scopes, started_at=started_at)
        job_id = jobs.create(JobKind.INGEST, {"run_id": run_id}, at=started_at)
        return cls(
            runs=runs,
            jobs=jobs,
            clock=clock,
            run_id=run_id,
            job_id=job_id,
            scopes=tuple(scopes),
            started_at=started_at,
            started_ms=clock.monotonic_ms(),
        )

    def close(
        self,
        tally: Tally,
        *,
        unreadable_folders: tuple[str, ...],
        covers: Callable[[IngestScope], bool],
        aborted: bool,
        error: BaseException | None = None,
    ) -> IngestReport:
        """Record the run's end, and that of runs that died before it.

        Args:
            tally: What was counted.
            unreadable_folders: What could not be seen.
            covers: Whether the run saw all of a scope.
            aborted: Whether it stopped before its end.
            error: Why, if it was not the user's wish.

        Returns:
            The report.
        """
        report = IngestReport(
            run_id=self.run_id,
            scopes=self.scopes,
            counts=tally.counts,
            skipped_by_reason=tally.skipped_by_reason,
            skipped_by_extension=tally.skipped_by_extension,
            skip_examples=tally.skip_examples,
            unreadable_folders=unreadable_folders,
            aborted=aborted,
            duration_ms=self.clock.monotonic_ms() - self.started_ms,
            started_at=self.started_at,
            finished_at=self.clock.now(),
            items=tally.items,
        )
        self.runs.finish_run(report)
        if error is not None:
            status = JobStatus.FAILED
        else:
            status = JobStatus.CANCELED if aborted else JobStatus.SUCCEEDED
        self.jobs.finish(self.job_id, status, at=report.finished_at, error=str(error) if error else None)
        if not aborted:
            self._bury_dead_runs(covers, at=report.finished_at)
        return report

    def _bury_dead_runs(self, covers: Callable[[IngestScope], bool], *, at: datetime) -> None:
        """Record the end of dead runs whose work is now done; what nobody has looked at since stays open."""
        dead = {run.run_id: run for run in self.runs.unfinished_runs() if all(map(covers, run.scopes))}
        for run in dead.values():
            self.runs.finish_run(_dead_report(run, at))
        for job in self.jobs.list(JobFilter(kind=JobKind.INGEST, status=JobStatus.RUNNING)):
            if job.payload.get("run_id") in dead:
                message = "interrupted; a later run completed"
                self.jobs.finish(job.job_id, JobStatus.FAILED, at=at, error=message)


def is_within(scope: IngestScope, seen: IngestScope) -> bool:
    """Return whether a run that saw `seen` to its end saw all of `scope`."""
    if scope.source_id != seen.source_id:
        return False
    return seen.under is None or (scope.under is not None and is_beneath(scope.under, seen.under))


def _dead_report(run: IngestRun, at: datetime) -> IngestReport:
    return IngestReport(
        run_id=run.run_id,
        scopes=run.scopes,
        counts=IngestCounts(),
        aborted=True,
        duration_ms=0,
        started_at=run.started_at,
        finished_at=at,
    )
