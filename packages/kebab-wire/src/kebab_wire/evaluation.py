"""`eval_run.v1`, `eval_run_list.v1` and `eval_compare.v1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kebab_core import Count, EvalComparison, EvaluationRun

from kebab_wire.base import WireObject, mirror


class EvalCompareV1(EvalComparison, WireObject):
    """Comparison of two runs; differences are second minus first."""


class EvalRunV1(EvaluationRun, WireObject):
    """One run of a set of judged queries, with everything needed to repeat it."""

    queries_unknown: Count = 0
    """Query ids in qrels.tsv that queries.jsonl does not have."""


class EvalRunListV1(WireObject):
    """Stored runs, newest first."""

    schema_version: Literal["eval_run_list.v1"] = "eval_run_list.v1"
    runs: tuple[EvalRunV1, ...]


def wire_eval_run(run: EvaluationRun) -> EvalRunV1:
    """Convert a run of an evaluation for the wire."""
    return mirror(EvalRunV1, run)


def wire_eval_run_list(runs: Sequence[EvaluationRun]) -> EvalRunListV1:
    """Convert runs of evaluations for the wire, in their order."""
    return EvalRunListV1(runs=tuple(map(wire_eval_run, runs)))


def wire_eval_compare(comparison: EvalComparison) -> EvalCompareV1:
    """Convert a comparison of two runs for the wire."""
    return mirror(EvalCompareV1, comparison)
