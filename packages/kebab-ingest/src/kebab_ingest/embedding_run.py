"""A run of the embedding pass alone, recorded as a job: vectors that are missing are made without a look at any file."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from kebab_core import (
    Aborted,
    CancelToken,
    Completed,
    EmbeddingSummary,
    IngestCounts,
    IngestReport,
    JobFilter,
    JobId,
    JobKind,
    JobStatus,
    RunId,
    StorageError,
)

from kebab_ingest.embedding_pass import PHASE, run_embedding_pass
from kebab_ingest.progress import EventSink, EventStream
from kebab_ingest.resources import EmbeddingResources, ReadyModel

if TYPE_CHECKING:
    from kebab_core import JobRepo


@dataclass(frozen=True, kw_only=True)
class EmbeddingRun:
    """One run. The caller holds the writer lock and the embedding lock, so any other running one has died."""

    resources: EmbeddingResources
    jobs: JobRepo
    sink: EventSink
    cancel: CancelToken
    time_limit_s: float | None = None
    """Seconds after which no further batch begins; None is no limit."""

    def run(self) -> IngestReport:
        """Carry the run out; the last event is `completed` or `aborted`.

        Returns:
            The report, also after a cancel.

        Raises:
            ExternalError: The model cannot be used, or failed on the way; what it had made is stored.
            StorageError: Vectors cannot be stored.
        """
        clock = self.resources.clock
        events = EventStream(self.sink, clock=clock)
        run_id, started_at = RunId(f"run_{uuid.uuid4().hex[:16]}"), clock.now()
        job_id = self._create_job(run_id, at=started_at)
        events.record_in(self.jobs, job_id)
        started_ms = clock.monotonic_ms()
        events.enter(PHASE)
        try:
            with events.beating():
                summary = self._embed(events)
        except BaseException as error:
            with suppress(StorageError):
                self.jobs.finish(job_id, JobStatus.FAILED, at=clock.now(), error=str(error))
                events.emit(Aborted(ts=clock.now(), counts=IngestCounts()))
            raise
        report = IngestReport(
            run_id=run_id,
            scopes=(),
            counts=IngestCounts(embeddings_indexed=summary.computed + summary.reused),
            aborted=self.cancel.is_cancelled,
            duration_ms=clock.monotonic_ms() - started_ms,
            started_at=started_at,
            finished_at=clock.now(),
            items=(),
            embedding=summary,
        )
        status = JobStatus.CANCELED if report.aborted else JobStatus.SUCCEEDED
        self.jobs.finish(job_id, status, at=clock.now())
        terminal = Aborted if report.aborted else Completed
        events.emit(terminal(ts=report.finished_at, counts=report.counts))
        return report

    def _create_job(self, run_id: RunId, *, at: datetime) -> JobId:
        """Record that the run begins; jobs of runs that died are closed."""
        for dead in self.jobs.list(JobFilter(kind=JobKind.EMBED, status=JobStatus.RUNNING)):
            message = "interrupted; a later run goes on"
            self.jobs.finish(dead.job_id, JobStatus.FAILED, at=at, error=message)
        return self.jobs.create(JobKind.EMBED, {"run_id": run_id}, at=at)

    def _embed(self, events: EventStream) -> EmbeddingSummary:
        resources = self.resources
        if isinstance(resources.model, ReadyModel):
            damaged = resources.store.find_damaged(resources.model.identity)
            resources.repo.delete(damaged)
        summary, error = run_embedding_pass(resources, events, self.cancel, time_limit_s=self.time_limit_s)
        if error is not None:
            raise error
        return summary
