"""Runs of an evaluation and their comparison."""

from __future__ import annotations

from kebab_core import (
    AnswerMetrics,
    AnswerOutcomes,
    EvalChange,
    EvalComparison,
    EvalInterval,
    EvalLatency,
    EvalMetrics,
    EvalSlice,
    EvaluationRun,
    GoldenMetrics,
    HitMetrics,
    ReliabilityPoint,
    ScoreMetrics,
    SearchMode,
)
from kebab_wire import WireObject, wire_eval_compare, wire_eval_run, wire_eval_run_list

from tools.wire.examples.documents import DATA, START

_BEFORE = "20260102T030405Z-notes-lexical-1f3a"
_RUN = "20260103T030405Z-notes-lexical-09cd"
_METRICS = EvalMetrics(ndcg_at_10=0.91, mrr_at_10=0.89, recall_at_10=0.98, hit_at_1=0.84, hit_at_3=0.95)
_COMPARISON = EvalComparison(
    first=_BEFORE,
    second=_RUN,
    queries=120,
    only_first=0,
    only_second=2,
    wins=7,
    losses=1,
    ties=112,
    difference=0.012,
    interval=EvalInterval(low=0.002, high=0.024, level=0.95, samples=10_000, seed=0),
    regressed=False,
    improvements=(EvalChange(query_id="q-17", before=0.0, after=1.0),),
    regressions=(EvalChange(query_id="q-3", before=1.0, after=0.63),),
)
_GOLDEN = GoldenMetrics(
    k=10,
    chunk_queries=20,
    doc_queries=24,
    hit_at_k=0.95,
    mrr=0.88,
    precision_at_k_chunk=0.1,
    recall_at_k_doc=1.0,
)
_ANSWERS = AnswerMetrics(
    questions=30,
    answerable=24,
    unanswerable=6,
    failed=0,
    answered=0.96,
    answer_in_citations=None,
    answer_in_printed=None,
    must_contain=0.92,
    forbidden=1.0,
    quotes_verbatim=1.0,
    citation_coverage=1.0,
    citation_precision=0.93,
    refusal_precision=0.86,
    refusal_recall=1.0,
    refusal_auroc=0.99,
    in_language=1.0,
    latency_p50=21.4,
    latency_p95=48.0,
    cpu_p50=20.1,
    cpu_p95=45.3,
    answered_right=0.92,
    answerable_right=0.88,
    not_sure=0.1,
    near_answered=0.25,
    absent_answered=0.0,
    outcomes=(
        AnswerOutcomes(kind="when", answerable=True, questions=24, right=21, wrong=2, not_sure=1, refused=0),
        AnswerOutcomes(kind="near", answerable=False, questions=4, right=0, wrong=1, not_sure=2, refused=1),
        AnswerOutcomes(kind="absent", answerable=False, questions=2, right=0, wrong=0, not_sure=0, refused=2),
    ),
)
_HITS = HitMetrics(
    searches=30,
    boilerplate=0.0,
    strangers=0.02,
    absent=2,
    absent_no_hit=0.5,
    judged_no_hit=0.0,
    distinct_scores=0.98,
    saturated=0.0,
    scores=ScoreMetrics(
        hits=240,
        unjudged=40,
        calibration_error=0.05,
        brier=0.07,
        points=(
            ReliabilityPoint(hits=120, score=0.1, relevant=0.05),
            ReliabilityPoint(hits=120, score=0.9, relevant=0.85),
        ),
    ),
)


def build_evaluations() -> dict[str, WireObject]:
    """Return a run, one that was compared and not kept, a list and a comparison by name."""
    run = EvaluationRun(
        run_id=_RUN,
        suite="notes",
        mode=SearchMode.LEXICAL,
        depth=10,
        part="1/1",
        created_at=START,
        queries=122,
        queries_skipped=3,
        queries_failed=0,
        documents=1400,
        documents_failed=0,
        documents_missing=0,
        metrics=_METRICS,
        baselines={"grep": EvalMetrics(ndcg_at_10=0.6, mrr_at_10=0.55, recall_at_10=0.75, hit_at_1=0.46)},
        slices=(EvalSlice(by="language", name="ko", queries=122, metrics=_METRICS),),
        latency_ms=EvalLatency(p50=3.1, p95=7.9, mean=3.6, max=12.4, cpu_p50=2.9, cpu_p95=7.1),
        legs=(SearchMode.LEXICAL,),
        missing_legs=(),
        versions={"kebab": "0.1.0", "analyzer": "ko-en@1"},
        seed=0,
        config={"search": {"default_k": 10}},
        persisted=True,
        run_dir=f"{DATA}/runs/{_RUN}",
    )
    compared = run.model_copy(update={"persisted": False, "run_dir": None, "comparison": _COMPARISON})
    return {
        "eval_compare": wire_eval_compare(_COMPARISON),
        "eval_run": wire_eval_run(run),
        "eval_run.compared": wire_eval_run(compared),
        "eval_run.golden": wire_eval_run(
            run.model_copy(update={"golden": _GOLDEN, "answers": _ANSWERS, "hits": _HITS})
        ),
        "eval_run_list": wire_eval_run_list([run]),
    }
