"""Laws of `JobRepo`: storing and reading runs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kebab_core import EvalQueryResult, EvalRun, EvalRunId, JobRepo

from kebab_testing.fakes.clock import START


class EvalRunRepoLaws:
    """Subclass it and override the `evaluations` fixture with an empty repository."""

    @pytest.fixture
    def evaluations(self) -> JobRepo:
        """Give an empty repository."""
        raise NotImplementedError

    def test_a_run_comes_back_with_its_queries_by_id(self, evaluations: JobRepo) -> None:
        run = _run("r1")
        results = [_result("r1", query_id) for query_id in ("q2", "q1", "가")]
        evaluations.record_evaluation(run, iter(results))
        assert evaluations.list_evaluations() == [run]
        assert evaluations.list_results(EvalRunId("r1")) == [results[1], results[0], results[2]]

    def test_what_was_not_recorded_is_empty(self, evaluations: JobRepo) -> None:
        assert evaluations.list_results(EvalRunId("r")) == []
        assert evaluations.list_evaluations() == []

    def test_recording_a_run_again_replaces_its_queries(self, evaluations: JobRepo) -> None:
        evaluations.record_evaluation(_run("r1"), [_result("r1", "old")])
        evaluations.record_evaluation(_run("r1"), [_result("r1", "new")])
        assert [result.query_id for result in evaluations.list_results(EvalRunId("r1"))] == ["new"]

    def test_runs_come_newest_first(self, evaluations: JobRepo) -> None:
        for hour, name in enumerate("abc"):
            evaluations.record_evaluation(
                _run(name).model_copy(update={"created_at": START + timedelta(hours=hour)}), []
            )
        assert [run.run_id for run in evaluations.list_evaluations(limit=2)] == ["c", "b"]


def _run(run_id: str) -> EvalRun:
    return EvalRun(
        run_id=EvalRunId(run_id),
        suite="한국어",
        config_snapshot={"search": {"k": 10, "on": True}},
        aggregate={"mrr": 0.5, "missing": None},
        commit_hash="abc",
        created_at=START,
    )


def _result(run_id: str, query_id: str) -> EvalQueryResult:
    return EvalQueryResult(run_id=EvalRunId(run_id), query_id=query_id, result={"hits": ["가", 1]})
