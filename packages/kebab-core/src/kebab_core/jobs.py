"""Jobs and runs of evaluations: what is stored of long work; ingest runs are in `ingest`."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

from pydantic import Field, JsonValue

from kebab_core.model import Model, UtcDatetime

JobId = NewType("JobId", str)


class JobKind(StrEnum):
    """Kind of long work."""

    INGEST = "ingest"
    EMBED = "embed"
    EVAL = "eval"


class JobStatus(StrEnum):
    """State of a job."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"


class JobRow(Model):
    """One job."""

    job_id: JobId
    kind: JobKind
    status: JobStatus
    payload: dict[str, JsonValue]
    progress: dict[str, JsonValue] | None = None
    error: str | None = None
    created_at: UtcDatetime
    updated_at: UtcDatetime
    finished_at: UtcDatetime | None = None


class JobFilter(Model):
    """Filter of jobs; None does not filter."""

    kind: JobKind | None = None
    status: JobStatus | None = None
    limit: int = Field(default=100, ge=1)


EvalRunId = NewType("EvalRunId", str)


class EvalRun(Model):
    """One run of a suite with everything needed to repeat it."""

    run_id: EvalRunId
    suite: str
    config_snapshot: dict[str, JsonValue]
    aggregate: dict[str, JsonValue]
    commit_hash: str | None = None
    created_at: UtcDatetime


class EvalQueryResult(Model):
    """One query of a run."""

    run_id: EvalRunId
    query_id: str
    result: dict[str, JsonValue] = Field(default_factory=dict)
