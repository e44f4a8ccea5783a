"""Runs of evaluations: the record of a run, its store, and its report as Markdown.

A stored run is a row in the database, and a folder with the results of each query.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kebab_core import (
    EvalComparison,
    EvalMetrics,
    EvalQueryResult,
    EvalRun,
    EvalRunId,
    EvaluationRun,
    InvalidInputError,
    JobRepo,
    Message,
    Model,
    Remedy,
    SearchMode,
    StorageError,
    UtcDatetime,
)
from pydantic import JsonValue

from kebab_eval.answers import AnswerResult
from kebab_eval.comparison import compare_runs
from kebab_eval.hits import SearchResult
from kebab_eval.ranking import QueryResult

LAST = "last"
"""Name of the newest run."""
_SEARCHED_RUNS = 10_000
_OPTIONAL = ("comparison", "golden", "answers", "hits")
_UNSAFE_CHARACTERS = re.compile(r"[^\w.-]+")


def name_run(created_at: UtcDatetime, *, suite: str, mode: SearchMode) -> str:
    """Return a new run id: time, suite, mode and a random suffix."""
    safe = _UNSAFE_CHARACTERS.sub("-", suite)
    return f"{created_at:%Y%m%dT%H%M%SZ}-{safe}-{mode.value}-{uuid.uuid4().hex[:4]}"


@dataclass(frozen=True, slots=True)
class RunScores:
    """nDCG@10 of each query of a run."""

    run_id: str
    ndcg_at_10: Mapping[str, float]
    """By query id."""


def compare_scores(first: RunScores, second: RunScores) -> EvalComparison:
    """Compare two runs. See `compare_runs`.

    Raises:
        InvalidInputError: They have no query in common.
    """
    return compare_runs(first.ndcg_at_10, second.ndcg_at_10, names=(first.run_id, second.run_id))


@dataclass(frozen=True, kw_only=True)
class RunStore:
    """Stored runs."""

    folder: Path
    """Parent of the folders of runs."""
    open_rows: Callable[[], JobRepo | None]
    """Opens the rows for reading; None where there is no database yet."""
    open_rows_for_writing: Callable[[], JobRepo] | None
    """None where runs are not stored."""

    def require_writable(self) -> None:
        """Open the rows for writing unless runs are not stored: an error should come before the work.

        Raises:
            StorageError: They cannot be written.
        """
        if self.open_rows_for_writing is not None:
            self.open_rows_for_writing()

    def save(
        self,
        run: EvaluationRun,
        queries: Sequence[QueryResult],
        answers: Sequence[AnswerResult] = (),
        searches: Sequence[SearchResult] = (),
    ) -> EvaluationRun:
        """Store a run, first its folder, then its row; return it unchanged where runs are not stored.

        Args:
            run: The run.
            queries: Results of its queries.
            answers: Results of its questions.
            searches: First hits of its queries.

        Returns:
            The run as it is stored.

        Raises:
            StorageError: Its folder cannot be written.
        """
        if self.open_rows_for_writing is None:
            return run
        folder = self.folder / run.run_id
        run = run.model_copy(update={"persisted": True, "run_dir": str(folder)})
        rows = [query.model_dump(mode="json") for query in queries]
        try:
            folder.mkdir(parents=True, mode=0o700)
            folder.parent.chmod(0o700)
            _write(folder / "per_query.jsonl", (json.dumps(row, ensure_ascii=False) for row in rows))
            for name, parts in (("per_answer.jsonl", answers), ("per_search.jsonl", searches)):
                if parts:
                    _write(folder / name, (part.model_dump_json() for part in parts))
            _write(folder / "report.md", write_report(run))
        except OSError as error:
            raise StorageError(
                "cannot write into {path!r}: {reason}",
                remedy=Remedy(
                    kind="check_permissions",
                    path=str(folder),
                    otherwise=Remedy(
                        kind="free_space", otherwise=Remedy(kind="use_argument", name="readonly")
                    ),
                ),
                path=str(folder),
                _reason=error.strerror,
            ) from error
        record = EvalRun(
            run_id=EvalRunId(run.run_id),
            suite=run.suite,
            config_snapshot=run.config,
            aggregate=_encode(run),
            created_at=run.created_at,
        )
        results = [
            EvalQueryResult(run_id=record.run_id, query_id=str(values["query_id"]), result=values)
            for values in rows
        ]
        self.open_rows_for_writing().record_evaluation(record, results)
        return run

    def list(self, *, limit: int) -> tuple[EvaluationRun, ...]:
        """List stored runs, newest first; none where there is no database yet."""
        return tuple(_decode(row) for row in self._rows(limit))

    def show(self, name: str) -> EvaluationRun:
        """Return one run by its id, a unique prefix of it, or `last`.

        Raises:
            InvalidInputError: There is none, or more than one.
        """
        return _decode(self._find(name))

    def read_scores(self, name: str) -> RunScores:
        """Read the scores of a run. See `show`.

        Raises:
            InvalidInputError: There is no such run.
        """
        run_id = self._find(name).run_id
        rows = self.open_rows()
        results = [
            QueryResult.model_validate(row.result) for row in (rows.list_results(run_id) if rows else ())
        ]
        return RunScores(run_id, {result.query_id: result.metrics.ndcg_at_10 for result in results})

    def _find(self, name: str) -> EvalRun:
        rows = self._rows(1 if name == LAST else _SEARCHED_RUNS)
        found = rows if name == LAST else [row for row in rows if row.run_id.startswith(name)]
        exact = [row for row in found if row.run_id == name]
        if len(exact or found) != 1 or not name:
            problem = Message("more than one run is called {run!r}", run=name)
            if not found:
                problem = Message("no run is called {run!r}", run=name)
            raise InvalidInputError(problem, remedy=Remedy(kind="list_stored", name="eval"), run=name)
        return (exact or found)[0]

    def _rows(self, limit: int) -> Sequence[EvalRun]:
        rows = self.open_rows()
        return () if rows is None else rows.list_evaluations(limit=limit)


def _encode(run: EvaluationRun) -> dict[str, JsonValue]:
    """Return the stored form: without the settings, which have a column of their own, and without absent parts."""
    values = run.model_dump(mode="json", exclude={"config"})
    latency = run.latency_ms.model_dump(mode="json", exclude_none=True)
    absent = {name for name in _OPTIONAL if values[name] is None}
    return {name: value for name, value in values.items() if name not in absent} | {"latency_ms": latency}


def _decode(row: EvalRun) -> EvaluationRun:
    return EvaluationRun.model_validate({**row.aggregate, "config": row.config_snapshot})


def _write(path: Path, lines: Iterable[str]) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def write_report(run: EvaluationRun) -> Iterator[str]:
    """Yield the lines of a report in Markdown: the table of figures, the versions and the settings."""
    yield f"# {run.suite}: {run.mode.value} search"
    yield ""
    yield (
        f"{run.queries} queries ({run.queries_skipped} without a relevant document left out, "
        f"{run.queries_failed} refused), {run.documents} documents, {run.created_at:%Y-%m-%d %H:%M} UTC."
    )
    if run.missing_legs:
        yield f"Not searched by: {', '.join(leg.value for leg in run.missing_legs)}."
    yield ""
    yield "| | queries | nDCG@10 | MRR@10 | recall@10 | hit@1 | hit@3 |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    yield _row(f"**{run.mode.value}**", run.queries, run.metrics)
    for name, metrics in run.baselines.items():
        yield _row(name, run.queries, metrics)
    for part in run.slices:
        yield _row(f"{run.mode.value}, {part.by} {part.name}", part.queries, part.metrics)
    yield ""
    yield f"One search took {run.latency_ms.p50:.1f} ms (median) and {run.latency_ms.p95:.1f} ms (95 %)."
    yield ""
    for title, measured in (("First hits", run.hits), ("Golden suite", run.golden), ("Answers", run.answers)):
        if measured is not None:
            yield from _report_table(title, measured)
    if run.hits is not None and run.hits.scores is not None:
        scores = run.hits.scores
        yield from _report_table("Scores", scores)
        yield from _report_rows("Reliability", scores.points)
    if run.answers is not None and run.answers.outcomes:
        yield from _report_rows("Outcomes", run.answers.outcomes)
    if run.comparison is not None:
        yield from _report_comparison(run.comparison)
    for title, values in (("Versions", run.versions), ("Settings", run.config)):
        yield f"## {title}"
        yield ""
        yield "```json"
        yield json.dumps(values, ensure_ascii=False, indent=2)
        yield "```"
        yield ""


def _report_table(title: str, part: Model) -> Iterator[str]:
    """Yield a table of the figures of a part; parts of its own have tables of their own."""
    yield f"## {title}"
    yield ""
    yield "| | |"
    yield "|---|---:|"
    for name, value in part.model_dump(exclude_none=True).items():
        if isinstance(value, (int, float)):
            yield f"| {name} | {_cell(value)} |"
    yield ""


def _report_rows(title: str, parts: Sequence[Model]) -> Iterator[str]:
    """Yield a table with a row for each part; nothing without parts."""
    if not parts:
        return
    yield f"## {title}"
    yield ""
    names = list(type(parts[0]).model_fields)
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for part in parts:
        yield f"| {' | '.join(_cell(getattr(part, name)) for name in names)} |"
    yield ""


def _cell(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)


def _report_comparison(comparison: EvalComparison) -> Iterator[str]:
    interval = comparison.interval
    yield (
        f"Against `{comparison.first}`: nDCG@10 {comparison.difference:+.4f}, 95 % between {interval.low:+.4f} and "
        f"{interval.high:+.4f}; {comparison.wins} queries better, {comparison.losses} worse, {comparison.ties} the same."
    )
    yield ""


def _row(name: str, queries: int, metrics: EvalMetrics) -> str:
    values = (metrics.ndcg_at_10, metrics.mrr_at_10, metrics.recall_at_10, metrics.hit_at_1, metrics.hit_at_3)
    return f"| {name} | {queries} | {' | '.join(map(_cell, values))} |"
