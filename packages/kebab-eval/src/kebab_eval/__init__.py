"""Measuring retrieval and answers: judged queries, golden suites, metrics, baselines, paired comparison of runs.

Searches and answers nothing itself: what does comes in as a callable. Reads the files of a set and writes none.

    >>> from kebab_eval import measure_ranking
    >>> measure_ranking(["b", "a"], {"a": 1}).mrr_at_10
    0.5
"""

from kebab_eval.answer_metrics import AnswerMetrics, summarize_answers
from kebab_eval.answering import (
    AnswerResult,
    Ask,
    GivenAnswer,
    GivenClaim,
    auroc,
    measure_answer,
    run_answers,
)
from kebab_eval.asked import AskedQuery, read_asked
from kebab_eval.compare import (
    LEVEL,
    SAMPLES,
    SEED,
    ChangedQuery,
    Comparison,
    bootstrap_interval,
    compare_runs,
)
from kebab_eval.golden import GoldenQuery, GoldenSuite, read_golden_suite
from kebab_eval.golden_metrics import GoldenMetrics, GoldenResult, measure_hits, summarize_golden
from kebab_eval.grep import rank_by_substrings
from kebab_eval.judgements import Judgements, read_judgements
from kebab_eval.metrics import CUTOFF, Metrics, mean_metrics, measure_ranking
from kebab_eval.passages import Passage, read_passages
from kebab_eval.queries import JudgedQuery, QuerySet, read_queries, take_part, tell_language
from kebab_eval.ranking import DocumentRanker, Ranking, Search, Timer
from kebab_eval.retrieval_set import QueryChoice, RetrievalSet, open_retrieval_set, require_folder
from kebab_eval.runner import Progress, QueryResult, RunResult, add_baseline, run_queries
from kebab_eval.summary import (
    Latency,
    Slice,
    find_percentile,
    slice_results,
    summarize,
    summarize_baselines,
    summarize_latency,
)

__all__ = [
    "CUTOFF",
    "LEVEL",
    "SAMPLES",
    "SEED",
    "AnswerMetrics",
    "AnswerResult",
    "Ask",
    "AskedQuery",
    "ChangedQuery",
    "Comparison",
    "DocumentRanker",
    "GivenAnswer",
    "GivenClaim",
    "GoldenMetrics",
    "GoldenQuery",
    "GoldenResult",
    "GoldenSuite",
    "JudgedQuery",
    "Judgements",
    "Latency",
    "Metrics",
    "Passage",
    "Progress",
    "QueryChoice",
    "QueryResult",
    "QuerySet",
    "Ranking",
    "RetrievalSet",
    "RunResult",
    "Search",
    "Slice",
    "Timer",
    "add_baseline",
    "auroc",
    "bootstrap_interval",
    "compare_runs",
    "find_percentile",
    "mean_metrics",
    "measure_answer",
    "measure_hits",
    "measure_ranking",
    "open_retrieval_set",
    "rank_by_substrings",
    "read_asked",
    "read_golden_suite",
    "read_judgements",
    "read_passages",
    "read_queries",
    "require_folder",
    "run_answers",
    "run_queries",
    "slice_results",
    "summarize",
    "summarize_answers",
    "summarize_baselines",
    "summarize_golden",
    "summarize_latency",
    "take_part",
    "tell_language",
]
