"""`eval_run.v1`, `eval_run_list.v1` and `eval_compare.v1`."""

from __future__ import annotations

from typing import Literal

from kebab_core import SearchMode
from pydantic import JsonValue

from kebab_wire.base import Count, Position, Share, Timestamp, WireObject, WirePart


class EvalMetricsV1(WirePart):
    """Means over queries, each 0 to 1, 1 is best."""

    ndcg_at_10: Share
    """As trec_eval computes it: a document adds its grade over log2(rank + 1)."""
    mrr_at_10: Share
    recall_at_10: Share
    hit_at_1: Share


class EvalSliceV1(WirePart):
    """Queries that have something in common."""

    by: Literal["language", "kind"]
    name: str
    queries: Count
    metrics: EvalMetricsV1


class EvalLatencyV1(WirePart):
    """Milliseconds that one search took inside the running process."""

    p50: float
    p95: float
    mean: float
    max: float
    cpu_p50: float | None = None
    """The same of the time that the process worked, which other programs do not stretch."""
    cpu_p95: float | None = None


class EvalIntervalV1(WirePart):
    """A paired bootstrap interval of a mean difference."""

    low: float
    high: float
    level: float
    samples: Position
    seed: int


class EvalChangeV1(WirePart):
    """A query that two runs answer differently well."""

    query_id: str
    before: Share
    after: Share


class EvalCompareV1(WireObject):
    """What changed from a first run to a second; differences are second minus first."""

    schema_version: Literal["eval_compare.v1"] = "eval_compare.v1"
    first: str
    """Id of the run that was the baseline."""
    second: str
    metric: Literal["ndcg_at_10"] = "ndcg_at_10"
    queries: Count
    """Asked in both runs."""
    only_first: Count
    only_second: Count
    wins: Count
    """Queries that the second run answers better."""
    losses: Count
    ties: Count
    difference: float
    interval: EvalIntervalV1
    regressed: bool
    """The whole interval lies below 0."""
    improvements: tuple[EvalChangeV1, ...]
    """The wins, greatest gain first."""
    regressions: tuple[EvalChangeV1, ...]
    """The losses, greatest loss first."""


class EvalRunV1(WireObject):
    """One run of a set of judged queries, with everything needed to repeat it."""

    schema_version: Literal["eval_run.v1"] = "eval_run.v1"
    run_id: str
    suite: str
    """Name of the set's folder."""
    mode: SearchMode
    depth: Position
    """Documents that were ranked for each query."""
    part: str
    """Which part of the queries was asked: `1/1` is all of them."""
    created_at: Timestamp
    queries: Count
    """Asked and measured."""
    queries_skipped: Count
    """Without a relevant document, so not asked."""
    queries_failed: Count
    """Refused by the search; measured as having found nothing."""
    documents: Count
    """In the index."""
    documents_failed: Count
    """Could not be indexed."""
    documents_missing: Count
    """Relevant for some query and not in the collection."""
    metrics: EvalMetricsV1
    baselines: dict[str, EvalMetricsV1]
    """By name. grep: by how many distinct words of the query a document contains, letter for letter."""
    slices: tuple[EvalSliceV1, ...]
    latency_ms: EvalLatencyV1
    legs: tuple[SearchMode, ...]
    missing_legs: tuple[SearchMode, ...]
    """Legs that the mode asks for and that are not available."""
    versions: dict[str, str]
    seed: int
    """Of everything random in it."""
    config: dict[str, JsonValue]
    """The settings in force."""
    persisted: bool
    """Kept, to be listed and compared later."""
    run_dir: str | None
    """Folder of `per_query.jsonl` and `report.md`; null where nothing was kept."""
    comparison: EvalCompareV1 | None = None
    """With the run that was asked for."""


class EvalRunListV1(WireObject):
    """Runs that were kept, newest first."""

    schema_version: Literal["eval_run_list.v1"] = "eval_run_list.v1"
    runs: tuple[EvalRunV1, ...]
