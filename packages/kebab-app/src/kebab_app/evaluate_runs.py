"""Runs of evaluations that were kept: a row each, and a folder with what each query found."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import EvalQueryResult, EvalRun, EvalRunId, InvalidInputError, StorageError

if TYPE_CHECKING:
    from kebab_eval import AnswerResult, QueryResult
    from kebab_wire import EvalCompareV1, EvalRunListV1, EvalRunV1

    from kebab_app.knowledge_base import KnowledgeBase

_SEARCHED_RUNS = 10_000
LAST = "last"
"""Stands for the newest run."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What the queries of a run scored."""

    run_id: str
    ndcg_at_10: Mapping[str, float]
    """By query id."""


def keep_run(
    base: KnowledgeBase,
    run: EvalRunV1,
    queries: Sequence[QueryResult],
    answers: Sequence[AnswerResult] = (),
) -> EvalRunV1:
    """Keep a run: its folder, then its row.

    Returns:
        The run as it is kept.

    Raises:
        StorageError: Its folder cannot be written.
    """
    from kebab_store_sqlite import SqliteEvalRunRepo

    from kebab_app.evaluate_report import write_report

    folder = base.data_dir / "runs" / run.run_id
    run = run.model_copy(update={"persisted": True, "run_dir": str(folder)})
    rows = [query.model_dump(mode="json") for query in queries]
    try:
        folder.mkdir(parents=True, mode=0o700)
        folder.parent.chmod(0o700)
        _write(folder / "per_query.jsonl", (json.dumps(row, ensure_ascii=False) for row in rows))
        if answers:
            _write(folder / "per_answer.jsonl", (answer.model_dump_json() for answer in answers))
        _write(folder / "report.md", write_report(run))
    except OSError as error:
        raise StorageError(
            f"cannot write into {str(folder)!r}: {error.strerror}",
            hint="check its permissions and the space on its drive, or use --readonly",
            path=str(folder),
        ) from error
    aggregate = run.model_dump(mode="json", exclude={"config"})
    row = EvalRun(
        run_id=EvalRunId(run.run_id),
        suite=run.suite,
        config_snapshot=run.config,
        aggregate=aggregate,
        created_at=run.created_at,
    )
    results = [
        EvalQueryResult(run_id=row.run_id, query_id=str(values["query_id"]), result=values) for values in rows
    ]
    SqliteEvalRunRepo(base.open_for_writing()).record_run(row, results)
    return run


def list_eval_runs(base: KnowledgeBase, *, limit: int) -> EvalRunListV1:
    """Return the runs that were kept, newest first; none where there is no database yet."""
    from kebab_wire import EvalRunListV1

    return EvalRunListV1(runs=tuple(_read(row) for row in _rows(base, limit)))


def show_eval_run(base: KnowledgeBase, name: str) -> EvalRunV1:
    """Return one run. See `find_run`."""
    return _read(find_run(base, name))


def compare_eval_runs(base: KnowledgeBase, first: str, second: str) -> EvalCompareV1:
    """Compare two runs that were kept. See `kebab_eval.compare_runs`.

    Returns:
        The comparison.

    Raises:
        InvalidInputError: One of them does not exist, or they have no query in common.
    """
    return compare_scores(read_scores(base, first), read_scores(base, second))


def read_scores(base: KnowledgeBase, name: str) -> Scores:
    """Return what a run's queries scored.

    Raises:
        InvalidInputError: There is no such run.
    """
    from kebab_eval import QueryResult
    from kebab_store_sqlite import SqliteEvalRunRepo

    run_id = find_run(base, name).run_id
    rows = SqliteEvalRunRepo(base.open_for_reading()).list_results(run_id)
    results = (QueryResult.model_validate(row.result) for row in rows)
    return Scores(run_id, {result.query_id: result.metrics.ndcg_at_10 for result in results})


def find_run(base: KnowledgeBase, name: str) -> EvalRun:
    """Return a run by its id, the beginning of its id that no other has, or `last`.

    Raises:
        InvalidInputError: There is none, or more than one.
    """
    rows = _rows(base, 1 if name == LAST else _SEARCHED_RUNS)
    found = rows if name == LAST else [row for row in rows if row.run_id.startswith(name)]
    exact = [row for row in found if row.run_id == name]
    if len(exact or found) != 1 or not name:
        count = "no run" if not found else "more than one run"
        raise InvalidInputError(f"{count} is called {name!r}", hint="kebab eval list", run=name)
    return (exact or found)[0]


def _rows(base: KnowledgeBase, limit: int) -> list[EvalRun]:
    from kebab_store_sqlite import SqliteEvalRunRepo

    return SqliteEvalRunRepo(base.open_for_reading()).list_runs(limit=limit) if base.has_database else []


def _read(row: EvalRun) -> EvalRunV1:
    from kebab_wire import EvalRunV1

    return EvalRunV1.model_validate({**row.aggregate, "config": row.config_snapshot})


def compare_scores(first: Scores, second: Scores) -> EvalCompareV1:
    """Compare two runs. See `kebab_eval.compare_runs`.

    Returns:
        The comparison.

    Raises:
        InvalidInputError: They have no query in common.
    """
    from kebab_eval import LEVEL, SAMPLES, SEED, compare_runs
    from kebab_wire import EvalChangeV1, EvalCompareV1, EvalIntervalV1

    found = compare_runs(first.ndcg_at_10, second.ndcg_at_10)
    return EvalCompareV1(
        first=first.run_id,
        second=second.run_id,
        interval=EvalIntervalV1(low=found.low, high=found.high, level=LEVEL, samples=SAMPLES, seed=SEED),
        regressed=found.is_regression,
        improvements=tuple(EvalChangeV1.model_validate(c.model_dump()) for c in found.improvements),
        regressions=tuple(EvalChangeV1.model_validate(c.model_dump()) for c in found.regressions),
        **found.model_dump(exclude={"low", "high", "improvements", "regressions"}),
    )


def _write(path: Path, lines: Iterable[str]) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
