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


class EvalGoldenV1(WirePart):
    """How well the first `k` hits are what a golden suite expects; null where no query expects such a thing."""

    k: Position
    chunk_queries: Count
    """Queries that expect passages."""
    doc_queries: Count
    """Queries that expect documents."""
    hit_at_k: Share | None
    """Of the queries that expect passages, how many find one."""
    mrr: Share | None
    """Mean of one over the rank of the first expected passage."""
    precision_at_k_chunk: Share | None
    """Expected passages among the hits over `k`, also where fewer were found."""
    recall_at_k_doc: Share | None
    """Share of the expected documents that are found."""


class EvalAnswersV1(WirePart):
    """How good the answers are; shares from 0 to 1, 1 is best, null where nothing can be measured by it."""

    questions: Count
    answerable: Count
    unanswerable: Count
    failed: Count
    """Ended with an error; they count as not answered."""
    answered: Share | None
    """Of the answerable questions, how many got a grounded answer."""
    answer_in_citations: Share | None
    """Of the questions with a known answer, how often a cited passage holds it."""
    answer_in_printed: Share | None
    """Of these, how often what is printed holds it."""
    must_contain: Share | None
    """Of the answers that have to contain something, how many do."""
    forbidden: Share | None
    """Of the answers that must not contain something, how many do not."""
    quotes_verbatim: Share | None
    """Of all cited claims, how many stand word for word in the lines they cite."""
    citation_coverage: Share | None
    """Of all claims of grounded answers, how many are cited."""
    citation_precision: Share | None
    """Of all citations where relevant documents are known, how many are of one."""
    refusal_precision: Share | None
    """Of all refusals, how many were right."""
    refusal_recall: Share | None
    """Of all unanswerable questions, how many were refused."""
    refusal_auroc: Share | None
    """How often the evidence of an answerable question exceeds that of an unanswerable one."""
    in_language: Share | None
    """Of all texts, how many are in the language of their question."""
    latency_p50: float
    """Milliseconds of one answer, search included."""
    latency_p95: float
    cpu_p50: float
    """The same of the time that the process worked."""
    cpu_p95: float


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
    golden: EvalGoldenV1 | None = None
    """Of golden suites."""
    answers: EvalAnswersV1 | None = None
    """Where questions were also asked."""
    queries_unknown: Count = 0
    """Ids that qrels.tsv judges and queries.jsonl does not have."""


class EvalRunListV1(WireObject):
    """Runs that were kept, newest first."""

    schema_version: Literal["eval_run_list.v1"] = "eval_run_list.v1"
    runs: tuple[EvalRunV1, ...]
