"""Evaluations: metrics, runs with everything needed to repeat them, comparisons of two runs, and the rows that are stored."""

from __future__ import annotations

from typing import Literal, NewType

from pydantic import Field, JsonValue

from kebab_core.model import Count, Model, Position, Share, UtcDatetime
from kebab_core.search import SearchMode


class EvalMetrics(Model):
    """Metrics of one ranking, or their means over queries; each 0 to 1, 1 is best."""

    ndcg_at_10: Share
    """As trec_eval computes it: a document adds its grade over log2(rank + 1)."""
    mrr_at_10: Share
    """One over the rank of the first relevant document; 0 where it is not among the first ten."""
    recall_at_10: Share
    """Share of all relevant documents that are among the first ten."""
    hit_at_1: Share
    """1 where the first document is relevant, else 0."""
    hit_at_3: Share | None = None
    """1 where a relevant document is among the first three, else 0; null in runs that did not measure it."""


class EvalSlice(Model):
    """Metrics of the queries of one language or kind."""

    by: Literal["language", "kind"]
    name: str
    queries: Count
    metrics: EvalMetrics


class EvalLatency(Model):
    """Milliseconds of one search inside the running process; percentiles are nearest ranks, times of real queries."""

    p50: float
    p95: float
    mean: float
    max: float
    cpu_p50: float | None = None
    """CPU time of the process, which does not depend on other programs."""
    cpu_p95: float | None = None


class GoldenMetrics(Model):
    """Metrics of the first `k` hits against a golden suite; null where no query has such an expectation."""

    k: Position
    chunk_queries: Count
    """Queries that expect passages."""
    doc_queries: Count
    """Queries that expect documents."""
    hit_at_k: Share | None
    """Share of the queries that expect passages and find one."""
    mrr: Share | None
    """Mean of one over the rank of the first expected passage."""
    precision_at_k_chunk: Share | None
    """Expected passages among the hits over `k`, also where fewer were found."""
    recall_at_k_doc: Share | None
    """Share of the expected documents that are found."""


class ReliabilityPoint(Model):
    """One of the bins of hits of similar scores."""

    hits: Position
    score: Share
    """Mean score of its hits."""
    relevant: Share
    """Share of its hits that are relevant."""


class ScoreMetrics(Model):
    """Agreement of the scores of the first ten hits with their judgements, where scores are from 0 to 1."""

    hits: Count
    """Judged hits."""
    unjudged: Count
    """Hits without a judgement, which the other figures leave out."""
    calibration_error: Share | None
    """Mean difference of score and share of relevant hits, over 15 bins of equally many hits."""
    brier: Share | None
    """Mean squared difference of score and judgement, 1 for a relevant hit and 0 for any other."""
    points: tuple[ReliabilityPoint, ...]
    """The bins, lowest scores first."""


class HitMetrics(Model):
    """Quality of the first hits of all searches; shares from 0 to 1, null where there is nothing to measure."""

    searches: Count
    boilerplate: Share | None
    """Share of the first hits whose passage has no words of its own; 0 is best."""
    strangers: Share | None
    """Share of the first five hits in another script that share no term with the query and are not relevant; 0 is best."""
    absent: Count
    """Searches for topics that no document is about."""
    absent_no_hit: Share | None
    """Share of these that find nothing; 1 is best."""
    judged_no_hit: Share | None
    """Share of the searches with relevant documents that find nothing; 0 is best."""
    distinct_scores: Share | None
    """Number of different scores among the first ten hits over the number of these, mean over searches; 1 is best."""
    saturated: Share | None
    """Share of the searches with ten hits whose scores are all the same; 0 is best."""
    scores: ScoreMetrics | None = None


class AnswerOutcomes(Model):
    """Outcomes of the questions of one kind; the last four add up to their number."""

    kind: str | None
    """As the suite says; null for the questions without one."""
    answerable: bool
    questions: Position
    right: Count
    """Answered, and right as far as the suite says what is."""
    wrong: Count
    """Answered, and not right."""
    not_sure: Count
    """Passages quoted that are said to be no answer."""
    refused: Count


class AnswerMetrics(Model):
    """Quality of the answers; shares from 0 to 1, 1 is best, null where there is nothing to measure."""

    questions: Count
    answerable: Count
    unanswerable: Count
    failed: Count
    """Questions that ended with an error; they count as not answered."""
    answered: Share | None
    """Share of the answerable questions with a grounded answer."""
    answer_in_citations: Share | None
    """Share of the questions with a known answer that a cited passage holds."""
    answer_in_printed: Share | None
    """Share of the same questions whose printed answer holds it."""
    must_contain: Share | None
    """Share of the answers with required text that contain it."""
    forbidden: Share | None
    """Share of the answers with forbidden text that do not contain it."""
    quotes_verbatim: Share | None
    """Share of all cited claims that are verbatim in the lines they cite."""
    citation_coverage: Share | None
    """Share of the claims of grounded answers that are cited."""
    citation_precision: Share | None
    """Share of the citations of a relevant document, among questions with known relevant documents."""
    refusal_precision: Share | None
    """Share of the refusals that were right."""
    refusal_recall: Share | None
    """Share of the unanswerable questions that were refused."""
    refusal_auroc: Share | None
    """Probability that the evidence score of an answerable question exceeds that of an unanswerable one."""
    in_language: Share | None
    """Share of the texts in the language of their question."""
    latency_p50: float
    """Milliseconds of one answer, search included."""
    latency_p95: float
    cpu_p50: float
    """CPU time of the process for one answer, in milliseconds."""
    cpu_p95: float
    answered_right: Share | None = None
    """Share of the grounded answers that are right: precision."""
    answerable_right: Share | None = None
    """Share of the answerable questions that are answered right: recall."""
    not_sure: Share | None = None
    """Share of all questions with the outcome not sure."""
    near_answered: Share | None = None
    """Share of the questions on the subject of documents that nothing answers with a grounded answer; 0 is best."""
    absent_answered: Share | None = None
    """Share of the questions on topics that no document is about with a grounded answer; 0 is best."""
    outcomes: tuple[AnswerOutcomes, ...] | None = None
    """By kind; null in runs that did not count them."""


class EvalInterval(Model):
    """A paired bootstrap interval of a mean difference."""

    low: float
    high: float
    level: float
    samples: Position
    seed: int


class EvalChange(Model):
    """A query with different quality in two runs."""

    query_id: str
    before: Share
    after: Share


class EvalComparison(Model):
    """Comparison of two runs; differences are second minus first."""

    schema_version: Literal["eval_compare.v1"] = "eval_compare.v1"
    first: str
    """Id of the baseline run."""
    second: str
    metric: Literal["ndcg_at_10"] = "ndcg_at_10"
    queries: Count
    """Queries of both runs."""
    only_first: Count
    only_second: Count
    wins: Count
    """Queries that the second run answers better."""
    losses: Count
    ties: Count
    difference: float
    interval: EvalInterval
    regressed: bool
    """The whole interval lies below 0."""
    improvements: tuple[EvalChange, ...]
    """The wins, greatest gain first."""
    regressions: tuple[EvalChange, ...]
    """The losses, greatest loss first."""


class EvaluationRun(Model):
    """One run of a set of judged queries, with everything needed to repeat it."""

    schema_version: Literal["eval_run.v1"] = "eval_run.v1"
    run_id: str
    suite: str
    """Name of the set's folder."""
    mode: SearchMode
    depth: Position
    """Documents ranked for each query."""
    part: str
    """Part of the queries in this run: `1/1` is all of them."""
    created_at: UtcDatetime
    queries: Count
    """Queries run and measured."""
    queries_skipped: Count
    """Queries without a relevant document, not run."""
    queries_failed: Count
    """Queries refused by the search; measured as no result."""
    documents: Count
    """In the index."""
    documents_failed: Count
    """Could not be indexed."""
    documents_missing: Count
    """Relevant for some query and not in the collection."""
    metrics: EvalMetrics
    baselines: dict[str, EvalMetrics]
    """By name. `grep`: documents ranked by the number of distinct query words they contain literally."""
    slices: tuple[EvalSlice, ...]
    latency_ms: EvalLatency
    legs: tuple[SearchMode, ...]
    missing_legs: tuple[SearchMode, ...]
    """Legs of the mode that are not available."""
    versions: dict[str, str]
    seed: int
    """Seed of all random numbers in it."""
    config: dict[str, JsonValue]
    """The settings in force."""
    persisted: bool
    """Whether it is stored, to be listed and compared later."""
    run_dir: str | None
    """Folder of `per_query.jsonl`, `per_search.jsonl` and `report.md`; null where nothing was stored."""
    comparison: EvalComparison | None = None
    """Comparison with the requested run."""
    golden: GoldenMetrics | None = None
    """Metrics of golden suites."""
    answers: AnswerMetrics | None = None
    """Quality of answers, where questions were asked too."""
    hits: HitMetrics | None = None
    """Quality of the first hits; null in runs that did not measure it."""
    queries_unknown: Count = 0
    """Query ids in qrels.tsv that queries.jsonl does not have."""


EvalRunId = NewType("EvalRunId", str)


class EvalRun(Model):
    """One run of a suite with everything needed to repeat it."""

    run_id: EvalRunId
    suite: str
    config_snapshot: dict[str, JsonValue]
    aggregate: dict[str, JsonValue]
    commit_hash: str | None = None
    created_at: UtcDatetime


class EvalQueryResult(Model):
    """One query of a run."""

    run_id: EvalRunId
    query_id: str
    result: dict[str, JsonValue] = Field(default_factory=dict)
