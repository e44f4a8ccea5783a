"""Runs of evaluations."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from kebab_core import EvalQueryResult, EvalRun, EvalRunId

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.timestamps import timestamp

_RUN = """
    INSERT OR REPLACE INTO eval_runs (run_id, suite, config_snapshot_json, aggregate_json, commit_hash, created_at)
    VALUES (?, ?, ?, ?, ?, ?)
"""
_RESULT = "INSERT INTO eval_query_results (run_id, query_id, result_json) VALUES (?, ?, ?)"


class SqliteEvalRunRepo:
    """Implements `EvalRunRepo`; recording a run again replaces it with all its queries."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def record_run(self, run: EvalRun, results: Iterable[EvalQueryResult]) -> None:
        """Store a run with its queries, all or nothing."""
        row = (
            run.run_id,
            run.suite,
            json_text(run.config_snapshot),
            json_text(run.aggregate),
            run.commit_hash,
            timestamp(run.created_at),
        )
        queries = [(run.run_id, result.query_id, json_text(result.result)) for result in results]
        with self._db.writing() as connection:
            connection.execute(_RUN, row)
            connection.executemany(_RESULT, queries)

    def get_run(self, run_id: EvalRunId) -> EvalRun | None:
        """Return one run."""
        with self._db.reading() as connection:
            row = connection.execute("SELECT * FROM eval_runs WHERE run_id = ?", (run_id,)).fetchone()
            return None if row is None else _run_of(row)

    def list_runs(self, *, limit: int = 20) -> list[EvalRun]:
        """Return runs, newest first."""
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM eval_runs ORDER BY created_at DESC, rowid DESC LIMIT ?", (limit,)
            )
            return [_run_of(row) for row in rows]

    def list_results(self, run_id: EvalRunId) -> list[EvalQueryResult]:
        """Return a run's queries by query id."""
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM eval_query_results WHERE run_id = ? ORDER BY query_id", (run_id,)
            )
            return [
                EvalQueryResult(
                    run_id=row["run_id"], query_id=row["query_id"], result=json.loads(row["result_json"])
                )
                for row in rows
            ]


def _run_of(row: sqlite3.Row) -> EvalRun:
    return EvalRun(
        run_id=row["run_id"],
        suite=row["suite"],
        config_snapshot=json.loads(row["config_snapshot_json"]),
        aggregate=json.loads(row["aggregate_json"]),
        commit_hash=row["commit_hash"],
        created_at=row["created_at"],
    )
