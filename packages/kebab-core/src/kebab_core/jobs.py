"""Jobs: what is stored of long work; the ingest run of a job is in `ingest`."""

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
