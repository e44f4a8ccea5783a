"""Runs come back from their store as they were saved, and the stored form says which format it is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kebab_core import (
    EvalLatency,
    EvalMetrics,
    EvalQueryResult,
    EvalRun,
    EvalRunId,
    EvalSlice,
    EvaluationRun,
    InvalidInputError,
    SearchMode,
)
from kebab_eval import QueryResult, RunStore, compare_runs

HALF = EvalMetrics(ndcg_at_10=0.5, mrr_at_10=0.5, recall_at_10=1.0, hit_at_1=0.0)
RUN = EvaluationRun(
    run_id="20260102T030405Z-set-lexical-0000",
    suite="set",
    mode=SearchMode.LEXICAL,
    depth=10,
    part="1/1",
    created_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    queries=1,
    queries_skipped=0,
    queries_failed=0,
    documents=2,
    documents_failed=0,
    documents_missing=0,
    metrics=HALF,
    baselines={"grep": HALF},
    slices=(EvalSlice(by="language", name="ko", queries=1, metrics=HALF),),
    latency_ms=EvalLatency(p50=1.0, p95=1.0, mean=1.0, max=1.0),
    legs=(SearchMode.LEXICAL,),
    missing_legs=(),
    versions={"kebab": "0.1.0"},
    seed=0,
    config={"search": {"default_k": 10}},
    persisted=False,
    run_dir=None,
)
QUERY = QueryResult(
    query_id="q",
    text="?",
    language="ko",
    metrics=HALF,
    baselines={"grep": HALF},
    ranked=("b", "a"),
    relevant=("a",),
    latency_ms=1.0,
)


class InMemoryRows:
    """Implements the part of `JobRepo` that evaluations use."""

    def __init__(self) -> None:
        self.runs: list[EvalRun] = []
        self.results: list[EvalQueryResult] = []

    def record_evaluation(self, run: EvalRun, results: Iterable[EvalQueryResult]) -> None:
        self.runs.insert(0, run)
        self.results += results

    def list_evaluations(self, *, limit: int = 20) -> list[EvalRun]:
        return self.runs[:limit]

    def list_results(self, run_id: EvalRunId) -> list[EvalQueryResult]:
        return [result for result in self.results if result.run_id == run_id]


@pytest.fixture
def rows() -> InMemoryRows:
    return InMemoryRows()


@pytest.fixture
def store(rows: InMemoryRows, tmp_path: Path) -> RunStore:
    return RunStore(folder=tmp_path / "runs", open_rows=lambda: rows, open_rows_for_writing=lambda: rows)


def test_a_run_comes_back_as_it_was_saved(store: RunStore) -> None:
    comparison = compare_runs({"q": 1.0}, {"q": 0.5}, names=("first", RUN.run_id), samples=10)
    saved = store.save(RUN.model_copy(update={"comparison": comparison}), [QUERY])
    assert saved.persisted
    assert store.show("last") == store.show(RUN.run_id[:8]) == saved
    assert store.list(limit=1) == (saved,)
    assert store.read_scores("last").ndcg_at_10 == {"q": 0.5}
    assert sorted(path.name for path in Path(saved.run_dir or "").iterdir()) == [
        "per_query.jsonl",
        "report.md",
    ]


def test_absent_parts_are_not_stored_and_settings_stand_apart(store: RunStore, rows: InMemoryRows) -> None:
    store.save(RUN, [QUERY])
    stored = rows.runs[0].aggregate
    assert next(iter(stored.items())) == ("schema_version", "eval_run.v1")
    assert not {"config", "comparison", "golden", "answers"} & stored.keys()
    assert stored["latency_ms"] == {"p50": 1.0, "p95": 1.0, "mean": 1.0, "max": 1.0}
    assert rows.runs[0].config_snapshot == RUN.config


def test_nothing_is_stored_where_writing_is_switched_off(rows: InMemoryRows, tmp_path: Path) -> None:
    store = RunStore(folder=tmp_path / "runs", open_rows=lambda: rows, open_rows_for_writing=None)
    assert store.save(RUN, [QUERY]) == RUN
    assert (rows.runs, list(tmp_path.iterdir())) == ([], [])


def test_without_a_database_there_are_no_runs(tmp_path: Path) -> None:
    store = RunStore(folder=tmp_path / "runs", open_rows=lambda: None, open_rows_for_writing=None)
    assert store.list(limit=5) == ()
    with pytest.raises(InvalidInputError):
        store.show("last")


def test_a_name_that_fits_two_runs_or_none_is_an_error(store: RunStore) -> None:
    store.save(RUN, [QUERY])
    store.save(RUN.model_copy(update={"run_id": RUN.run_id[:-1] + "1"}), [QUERY])
    for name in ("2026", "nope", ""):
        with pytest.raises(InvalidInputError):
            store.show(name)
    assert store.show(RUN.run_id).run_id == RUN.run_id
