"""Long work and how far it is."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from datetime import datetime

from kebab_core import InvalidInputError, JobFilter, JobId, JobKind, JobRow, JobStatus
from pydantic import JsonValue

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.timestamps import timestamp

_CREATE = """
    INSERT INTO jobs (job_id, kind, status, payload_json, created_at, updated_at)
    SELECT printf('job_%08d', coalesce(CAST(substr(max(job_id), 5) AS INTEGER), 0) + 1), ?, 'running', ?, ?, ?
    FROM jobs
    RETURNING job_id
"""
_PROGRESS = "UPDATE jobs SET progress_json = ?, updated_at = ? WHERE job_id = ?"
_FINISH = "UPDATE jobs SET status = ?, error_json = ?, updated_at = ?, finished_at = ? WHERE job_id = ?"
_FORGET = """
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
    """Implements `JobRepo`; ids count up, so that they sort by creation, whatever the clock said."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def create(self, kind: JobKind, payload: Mapping[str, JsonValue], *, at: datetime) -> JobId:
        """Record a running job.

        Returns:
            Its id.
        """
        stamp = timestamp(at)
        with self._db.writing() as connection:
            (job_id,) = connection.execute(_CREATE, (kind, json_text(dict(payload)), stamp, stamp)).fetchone()
        return JobId(job_id)

    def update_progress(self, job_id: JobId, progress: Mapping[str, JsonValue], *, at: datetime) -> None:
        """Record how far it is.

        Raises:
            InvalidInputError: There is no such job.
        """
        self._update(job_id, _PROGRESS, (json_text(dict(progress)), timestamp(at), job_id))

    def finish(self, job_id: JobId, status: JobStatus, *, at: datetime, error: str | None = None) -> None:
        """Record its end.

        Raises:
            InvalidInputError: There is no such job.
        """
        error_json = None if error is None else json_text({"message": error})
        self._update(job_id, _FINISH, (status, error_json, timestamp(at), timestamp(at), job_id))

    def forget(self, kind: JobKind, *, keep: int, before: datetime | None) -> int:
        """Delete the oldest jobs of a kind that have ended, never the newest of all.

        Returns:
            How many went.
        """
        parameters = {"kind": kind, "keep": keep, "before": "" if before is None else timestamp(before)}
        with self._db.writing() as connection:
            return connection.execute(_FORGET, parameters).rowcount

    def list(self, criteria: JobFilter) -> list[JobRow]:
        """Return jobs, newest first."""
        with self._db.reading() as connection:
            return [_job_of(row) for row in connection.execute(_LIST, criteria.model_dump())]

    def _update(self, job_id: JobId, sql: str, parameters: tuple[str | None, ...]) -> None:
        with self._db.writing() as connection:
            if connection.execute(sql, parameters).rowcount == 0:
                raise InvalidInputError(f"no job has the id {job_id!r}", job_id=job_id)


def _job_of(row: sqlite3.Row) -> JobRow:
    return JobRow(
        job_id=row["job_id"],
        kind=row["kind"],
        status=row["status"],
        payload=json.loads(row["payload_json"]),
        progress=None if row["progress_json"] is None else json.loads(row["progress_json"]),
        error=None if row["error_json"] is None else json.loads(row["error_json"])["message"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        finished_at=row["finished_at"],
    )
