"""Runs of ingest."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from kebab_core import IngestReport, IngestRun, IngestScope, RunId

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.json_fields import json_array, scopes_type
from kebab_store_sqlite.timestamps import optional_instant, timestamp

_START = "INSERT INTO ingest_runs (run_id, scope_json, started_at) VALUES (?, ?, ?)"
_FINISH = """
    INSERT INTO ingest_runs (run_id, scope_json, scanned, new_count, updated_count, skipped_count, error_count,
      duration_ms, started_at, finished_at, items_json, report_json)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (run_id) DO UPDATE SET scanned = excluded.scanned, new_count = excluded.new_count,
      updated_count = excluded.updated_count, skipped_count = excluded.skipped_count,
      error_count = excluded.error_count, duration_ms = excluded.duration_ms, finished_at = excluded.finished_at,
      items_json = excluded.items_json, report_json = excluded.report_json
"""

_SETTLE = "UPDATE ingest_runs SET finished_at = ? WHERE run_id = ? AND finished_at IS NULL"
_FORGET = """
    DELETE FROM ingest_runs
    WHERE finished_at IS NOT NULL AND rowid <> (SELECT max(rowid) FROM ingest_runs)
      AND (started_at < :before OR rowid NOT IN (SELECT rowid FROM ingest_runs ORDER BY rowid DESC LIMIT :keep))
"""


class SqliteIngestRunRepo:
    """Implements `IngestRunRepo`; a run that was never started is stored when it is finished.

    Newest is what was recorded last, whatever the clock said.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def start_run(self, run_id: RunId, scopes: Sequence[IngestScope], *, started_at: datetime) -> None:
        """Record that a run began."""
        with self._db.writing() as connection:
            connection.execute(_START, (run_id, _scopes_json(scopes), timestamp(started_at)))

    def finish_run(self, report: IngestReport) -> None:
        """Record that a run ended; one that was aborted stays unfinished."""
        with self._db.writing() as connection:
            connection.execute(_FINISH, _finished_row(report))

    def settle_runs(self, run_ids: Sequence[RunId], *, at: datetime) -> None:
        """Record that nothing is left to do of unfinished runs."""
        with self._db.writing() as connection:
            connection.executemany(_SETTLE, [(timestamp(at), run_id) for run_id in run_ids])

    def forget_runs(self, *, keep: int, before: datetime | None) -> int:
        """Delete the oldest runs that are finished, never the newest.

        Returns:
            How many went.
        """
        parameters = {"keep": keep, "before": "" if before is None else timestamp(before)}
        with self._db.writing() as connection:
            return connection.execute(_FORGET, parameters).rowcount

    def unfinished_runs(self) -> list[IngestRun]:
        """Return runs that did not come to their end and are not settled, newest first."""
        return self._runs("WHERE finished_at IS NULL ORDER BY rowid DESC")

    def list_runs(self, *, limit: int = 20) -> list[IngestRun]:
        """Return runs, newest first."""
        return self._runs("ORDER BY rowid DESC LIMIT ?", limit)

    def _runs(self, which: str, *parameters: int) -> list[IngestRun]:
        with self._db.reading() as connection:
            rows = connection.execute(f"SELECT * FROM ingest_runs {which}", parameters)  # noqa: S608 - our own words
            return [_run_of(row) for row in rows]


def _scopes_json(scopes: Sequence[IngestScope]) -> str:
    return json_array([scope.model_dump_json() for scope in scopes])


def _finished_row(report: IngestReport) -> tuple[object, ...]:
    counts = report.counts
    items = None if report.items is None else json_array([item.model_dump_json() for item in report.items])
    return (
        report.run_id,
        _scopes_json(report.scopes),
        counts.scanned,
        counts.new,
        counts.updated,
        counts.skipped,
        counts.errors,
        report.duration_ms,
        timestamp(report.started_at),
        None if report.aborted else timestamp(report.finished_at),
        items,
        report.model_dump_json(exclude={"items"}),
    )


def _run_of(row: sqlite3.Row) -> IngestRun:
    return IngestRun(
        run_id=row["run_id"],
        scopes=scopes_type().validate_json(row["scope_json"]),
        started_at=row["started_at"],
        finished_at=optional_instant(row["finished_at"]),
        report=_report_of(row),
    )


def _report_of(row: sqlite3.Row) -> IngestReport | None:
    """Return a run's report with its items, which have a column of their own."""
    if row["report_json"] is None:
        return None
    return IngestReport.model_validate_json(
        f'{row["report_json"][:-1]},"items":{"null" if row["items_json"] is None else row["items_json"]}}}'
    )
