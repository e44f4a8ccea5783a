"""The row that records a run over vectors alone."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from kebab_core import (
    Clock,
    EmbeddingSummary,
    IngestCounts,
    IngestReport,
    JobFilter,
    JobId,
    JobKind,
    JobRepo,
    JobStatus,
    RunId,
)


@dataclass(frozen=True, kw_only=True)
class JobBook:
    """One run's row. Its holder has the writer lock, so any other running one has died."""

    jobs: JobRepo
    clock: Clock
    run_id: RunId
    job_id: JobId
    started_at: datetime
    started_ms: int

    @classmethod
    def open(cls, jobs: JobRepo, clock: Clock) -> JobBook:
        """Return the book of a run that begins now; runs that died are closed."""
        run_id, started_at = RunId(f"run_{uuid.uuid4().hex[:16]}"), clock.now()
        for dead in jobs.list(JobFilter(kind=JobKind.EMBED, status=JobStatus.RUNNING)):
            jobs.finish(
                dead.job_id, JobStatus.FAILED, at=started_at, error="interrupted; a later run goes on"
            )
        return cls(
            jobs=jobs,
            clock=clock,
            run_id=run_id,
            job_id=jobs.create(JobKind.EMBED, {"run_id": run_id}, at=started_at),
            started_at=started_at,
            started_ms=clock.monotonic_ms(),
        )

    def report(self, summary: EmbeddingSummary, *, aborted: bool) -> IngestReport:
        """Return the report of the run, which ends now."""
        return IngestReport(
            run_id=self.run_id,
            scopes=(),
            counts=IngestCounts(embeddings_indexed=summary.computed + summary.reused),
            aborted=aborted,
            duration_ms=self.clock.monotonic_ms() - self.started_ms,
            started_at=self.started_at,
            finished_at=self.clock.now(),
            items=(),
            embedding=summary,
        )

    def close(self, status: JobStatus, *, error: str | None = None) -> None:
        """Record the run's end."""
        self.jobs.finish(self.job_id, status, at=self.clock.now(), error=error)
