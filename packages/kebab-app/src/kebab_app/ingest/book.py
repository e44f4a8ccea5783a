"""The rows that record a run: one of `ingest_runs`, one of `jobs`, and runs that did not come to their end before."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from kebab_core import (
    Clock,
    IngestReport,
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
    """One run's rows. Its holder has the writer lock, so any other unfinished run has died or was aborted."""

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
        is_read: bool = False,
        leaves_work: bool = True,
        error: BaseException | None = None,
    ) -> IngestReport:
        """Record the run's end; one that completed settles the unfinished runs whose work it has done.

        Args:
            tally: What was counted.
            unreadable_folders: What could not be seen.
            covers: Whether the run saw all of a scope.
            aborted: Whether it stopped before its end; it then stays unfinished until a later run does its work.
            is_read: Whether every file was done, so that at most vectors are missing, of which there is a book of its
                own; an aborted run then leaves no more undone than one that completed.
            leaves_work: Whether an aborted run is to be made good.
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
            embedding=tally.embedding,
        )
        self.runs.finish_run(report)
        if error is not None:
            status = JobStatus.FAILED
        else:
            status = JobStatus.CANCELED if aborted else JobStatus.SUCCEEDED
        self.jobs.finish(self.job_id, status, at=report.finished_at, error=str(error) if error else None)
        if not aborted or is_read:
            self._settle_covered(covers, at=report.finished_at)
        elif not leaves_work:
            self.runs.settle_runs([self.run_id], at=report.finished_at)
        return report

    def _settle_covered(self, covers: Callable[[IngestScope], bool], *, at: datetime) -> None:
        """Settle runs whose work is now done; what nobody has looked at since stays unfinished."""
        covered = [run.run_id for run in self.runs.unfinished_runs() if all(map(covers, run.scopes))]
        self.runs.settle_runs(covered, at=at)
        for job in self.jobs.list(JobFilter(kind=JobKind.INGEST, status=JobStatus.RUNNING)):
            if job.payload.get("run_id") in covered:
                message = "interrupted; a later run completed"
                self.jobs.finish(job.job_id, JobStatus.FAILED, at=at, error=message)


def is_within(scope: IngestScope, seen: IngestScope) -> bool:
    """Return whether a run that saw `seen` to its end saw all of `scope`."""
    if scope.source_id != seen.source_id:
        return False
    return seen.under is None or (scope.under is not None and is_beneath(scope.under, seen.under))
