"""Stored runs of an evaluation."""

from __future__ import annotations

from typing import NewType

from pydantic import Field, JsonValue

from kebab_core.model import Model, UtcDatetime

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
