"""Records of long work: ingest runs, evaluation runs and jobs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from kebab_core import (
    IngestReport,
    IngestRun,
    IngestScope,
    InvalidInputError,
    JobFilter,
    JobId,
    JobKind,
    JobRow,
    JobStatus,
    RunId,
)
from pydantic import JsonValue

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.schema import (
    as_model,
    fields_of,
    insert_statement,
    json_array,
    json_text,
    pack_json,
    timestamp,
    unpack_json,
)

if TYPE_CHECKING:
    from kebab_core import EvalQueryResult, EvalRun, EvalRunId

_START = "INSERT INTO ingest_runs (run_id, scope_json, started_at) VALUES (?, ?, ?)"
_FINISH = """
    ON CONFLICT (run_id) DO UPDATE SET scanned = excluded.scanned, new_count = excluded.new_count,
      updated_count = excluded.updated_count, skipped_count = excluded.skipped_count,
      error_count = excluded.error_count, duration_ms = excluded.duration_ms, finished_at = excluded.finished_at,
      items = excluded.items, report_json = excluded.report_json
"""
_UNFINISHED = "SELECT * FROM ingest_runs WHERE finished_at IS NULL ORDER BY rowid DESC"
_NEWEST = "SELECT * FROM ingest_runs ORDER BY rowid DESC LIMIT ?"
_SETTLE = "UPDATE ingest_runs SET finished_at = ? WHERE run_id = ? AND finished_at IS NULL"
_FORGET = """
    DELETE FROM ingest_runs
    WHERE finished_at IS NOT NULL AND rowid <> (SELECT max(rowid) FROM ingest_runs)
      AND (started_at < :before OR rowid NOT IN (SELECT rowid FROM ingest_runs ORDER BY rowid DESC LIMIT :keep))
"""
_RUNS_WITH_ALL_ITEMS = 10
_TRIM = """
    UPDATE ingest_runs SET items = (
      SELECT pack_json(json_group_array(json(value))) FROM json_each(unpack_json(items)) WHERE value ->> 'kind' IN ('removed', 'moved')
    )
    WHERE unpack_json(items) IS NOT NULL
      AND rowid = (SELECT rowid FROM ingest_runs WHERE finished_at IS NOT NULL ORDER BY rowid DESC LIMIT 1 OFFSET ?)
"""
"""Shortens one run, the one that has just become too old."""


_PUT_EVAL_RESULT = "INSERT INTO eval_query_results (run_id, query_id, result_json) VALUES (?, ?, ?)"
_EVAL_RUNS = "SELECT * FROM eval_runs ORDER BY created_at DESC, rowid DESC LIMIT ?"
_EVAL_RESULTS = "SELECT * FROM eval_query_results WHERE run_id = ? ORDER BY query_id"
_CREATE = """
    INSERT INTO jobs (job_id, kind, status, payload_json, created_at, updated_at)
    SELECT printf('job_%08d', coalesce(CAST(substr(max(job_id), 5) AS INTEGER), 0) + 1), ?, 'running', ?, ?, ?
    FROM jobs
    RETURNING job_id
"""
_PROGRESS = "UPDATE jobs SET progress_json = ?, updated_at = ? WHERE job_id = ?"
_FINISH_JOB = "UPDATE jobs SET status = ?, error_json = ?, updated_at = ?, finished_at = ? WHERE job_id = ?"
_FORGET_JOBS = """
    DELETE FROM jobs
    WHERE kind = :kind AND finished_at IS NOT NULL AND rowid <> (SELECT max(rowid) FROM jobs)
      AND (created_at < :before
        OR rowid NOT IN (SELECT rowid FROM jobs WHERE kind = :kind ORDER BY rowid DESC LIMIT :keep))
"""
_LIST = """
    SELECT * FROM jobs WHERE (:kind IS NULL OR kind = :kind) AND (:status IS NULL OR status = :status)
    ORDER BY rowid DESC LIMIT :limit
"""


class SqliteJobRepo:
    """Implements `JobRepo`; jobs and runs are in the order of their recording, independent of the clock.

    A run that was never started is stored when it is finished.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def create(self, kind: JobKind, payload: Mapping[str, JsonValue], *, at: datetime) -> JobId:
        """Record the start of a job.

        Returns:
            The id of the job.
        """
        stamp = timestamp(at)
        with self._db.writing() as connection:
            (job_id,) = connection.execute(_CREATE, (kind, json_text(dict(payload)), stamp, stamp)).fetchone()
        return JobId(job_id)

    def update_progress(self, job_id: JobId, progress: Mapping[str, JsonValue], *, at: datetime) -> None:
        """Record the progress of a job.

        Raises:
            InvalidInputError: There is no such job.
        """
        self._update(job_id, _PROGRESS, (json_text(dict(progress)), timestamp(at), job_id))

    def finish(self, job_id: JobId, status: JobStatus, *, at: datetime, error: str | None = None) -> None:
        """Record the end of a job.

        Raises:
            InvalidInputError: There is no such job.
        """
        error_json = None if error is None else json_text({"message": error})
        self._update(job_id, _FINISH_JOB, (status, error_json, timestamp(at), timestamp(at), job_id))

    def forget(self, kind: JobKind, *, keep: int, before: datetime | None) -> int:
        """Delete the oldest finished jobs of a kind, never the newest job of all.

        Returns:
            The number of jobs deleted.
        """
        parameters = {"kind": kind, "keep": keep, "before": "" if before is None else timestamp(before)}
        return self._db.write(_FORGET_JOBS, parameters)

    def start_run(self, run_id: RunId, scopes: Sequence[IngestScope], *, started_at: datetime) -> None:
        """Record the start of a run."""
        self._db.write(_START, (run_id, _scopes_json(scopes), timestamp(started_at)))

    def finish_run(self, report: IngestReport) -> None:
        """Record the end of a run; an aborted run stays unfinished."""
        row = _finished_row(report)
        self._db.write(insert_statement("ingest_runs", row) + _FINISH, row)

    def settle_runs(self, run_ids: Sequence[RunId], *, at: datetime) -> None:
        """Mark unfinished runs as finished: nothing is left to do for them."""
        self._db.write_many(_SETTLE, [(timestamp(at), run_id) for run_id in run_ids])

    def forget_runs(self, *, keep: int, before: datetime | None) -> int:
        """Delete the oldest finished runs, never the newest; of all but ten the items other than removed and moved files.

        Returns:
            The number of runs deleted.
        """
        parameters = {"keep": keep, "before": "" if before is None else timestamp(before)}
        with self._db.writing() as connection:
            connection.execute(_TRIM, (_RUNS_WITH_ALL_ITEMS,))
            return connection.execute(_FORGET, parameters).rowcount

    def unfinished_runs(self) -> list[IngestRun]:
        """Return unfinished runs, newest first."""
        return self._db.read_all(_UNFINISHED, (), _run_of)

    def list_runs(self, *, limit: int = 20, with_items: bool = True) -> list[IngestRun]:
        """Return runs, newest first, with or without their items."""
        return self._db.read_all(_NEWEST, (limit,), partial(_run_of, with_items=with_items))

    def record_evaluation(self, run: EvalRun, results: Iterable[EvalQueryResult]) -> None:
        """Store a run of an evaluation with its results in one transaction; recording it again replaces it."""
        row = {
            "run_id": run.run_id,
            "suite": run.suite,
            "config_snapshot_json": json_text(run.config_snapshot),
            "aggregate_json": json_text(run.aggregate),
            "commit_hash": run.commit_hash,
            "created_at": timestamp(run.created_at),
        }
        queries = [(run.run_id, result.query_id, json_text(result.result)) for result in results]
        with self._db.writing() as connection:
            connection.execute(insert_statement("eval_runs", row, verb="INSERT OR REPLACE"), row)
            connection.executemany(_PUT_EVAL_RESULT, queries)

    def list_evaluations(self, *, limit: int = 20) -> list[EvalRun]:
        """Return runs of evaluations, newest first."""
        return self._db.read_all(_EVAL_RUNS, (limit,), _as_evaluation)

    def list_results(self, run_id: EvalRunId) -> list[EvalQueryResult]:
        """Return the results of a run, by query id."""
        return self._db.read_all(_EVAL_RESULTS, (run_id,), _as_result)

    def _update(self, job_id: JobId, sql: str, parameters: tuple[str | None, ...]) -> None:
        if self._db.write(sql, parameters) == 0:
            raise InvalidInputError("no job has the id {job_id!r}", job_id=job_id)

    def list(self, criteria: JobFilter) -> list[JobRow]:
        """Return jobs, newest first."""
        return self._db.read_all(_LIST, criteria.model_dump(), _job_of)


def _scopes_json(scopes: Sequence[IngestScope]) -> str:
    return json_array([scope.model_dump_json() for scope in scopes])


def _finished_row(report: IngestReport) -> dict[str, object]:
    counts, items = report.counts, report.items
    return {
        "run_id": report.run_id,
        "scope_json": _scopes_json(report.scopes),
        "scanned": counts.scanned,
        "new_count": counts.new,
        "updated_count": counts.updated,
        "skipped_count": counts.skipped,
        "error_count": counts.errors,
        "duration_ms": report.duration_ms,
        "started_at": timestamp(report.started_at),
        "finished_at": None if report.aborted else timestamp(report.finished_at),
        "items": None if items is None else pack_json(json_array(item.model_dump_json() for item in items)),
        "report_json": report.model_dump_json(exclude={"items"}),
    }


def _run_of(row: sqlite3.Row, *, with_items: bool = True) -> IngestRun:
    report = row["report_json"]
    if report is not None:  # the items have a column of their own
        items = unpack_json(row["items"]) if with_items and row["items"] is not None else "null"
        report = IngestReport.model_validate_json(f'{report[:-1]},"items":{items}}}')
    return IngestRun(
        run_id=row["run_id"],
        scopes=json.loads(row["scope_json"]),
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        report=report,
    )


def _as_evaluation(row: sqlite3.Row) -> EvalRun:
    from kebab_core import EvalRun

    return as_model(EvalRun)(row)


def _as_result(row: sqlite3.Row) -> EvalQueryResult:
    from kebab_core import EvalQueryResult

    return as_model(EvalQueryResult)(row)


def _job_of(row: sqlite3.Row) -> JobRow:
    fields = fields_of(row)
    return JobRow.model_validate({**fields, "error": fields["error"] and fields["error"]["message"]})
