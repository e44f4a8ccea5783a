"""Measuring retrieval and answers: judged queries, golden suites, metrics, baselines, paired comparison of runs.

Searches and answers nothing itself: what does comes in as a callable. Reads the files of a set and writes none.

    >>> from kebab_eval import measure_ranking
    >>> measure_ranking(["b", "a"], {"a": 1}).mrr_at_10
    0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_eval.answer_metrics import (
        AnswerMetrics as AnswerMetrics,
        summarize_answers as summarize_answers,
    )
    from kebab_eval.answering import (
        AnswerResult as AnswerResult,
        Ask as Ask,
        GivenAnswer as GivenAnswer,
        GivenClaim as GivenClaim,
        auroc as auroc,
        measure_answer as measure_answer,
        run_answers as run_answers,
    )
    from kebab_eval.asked import AskedQuery as AskedQuery, read_asked as read_asked
    from kebab_eval.compare import (
        LEVEL as LEVEL,
        SAMPLES as SAMPLES,
        SEED as SEED,
        ChangedQuery as ChangedQuery,
        Comparison as Comparison,
        bootstrap_interval as bootstrap_interval,
        compare_runs as compare_runs,
    )
    from kebab_eval.golden import (
        GoldenQuery as GoldenQuery,
        GoldenSuite as GoldenSuite,
        read_golden_suite as read_golden_suite,
    )
    from kebab_eval.golden_metrics import (
        GoldenMetrics as GoldenMetrics,
        GoldenResult as GoldenResult,
        measure_hits as measure_hits,
        summarize_golden as summarize_golden,
    )
    from kebab_eval.grep import rank_by_substrings as rank_by_substrings
    from kebab_eval.judgements import Judgements as Judgements, read_judgements as read_judgements
    from kebab_eval.metrics import (
        CUTOFF as CUTOFF,
        Metrics as Metrics,
        mean_metrics as mean_metrics,
        measure_ranking as measure_ranking,
    )
    from kebab_eval.passages import Passage as Passage, read_passages as read_passages
    from kebab_eval.queries import (
        JudgedQuery as JudgedQuery,
        QuerySet as QuerySet,
        read_queries as read_queries,
        take_part as take_part,
        tell_language as tell_language,
    )
    from kebab_eval.ranking import (
        DocumentRanker as DocumentRanker,
        Ranking as Ranking,
        Search as Search,
        Timer as Timer,
    )
    from kebab_eval.retrieval_set import (
        QueryChoice as QueryChoice,
        RetrievalSet as RetrievalSet,
        open_retrieval_set as open_retrieval_set,
        require_folder as require_folder,
    )
    from kebab_eval.runner import (
        Progress as Progress,
        QueryResult as QueryResult,
        RunResult as RunResult,
        add_baseline as add_baseline,
        run_queries as run_queries,
    )
    from kebab_eval.summary import (
        Latency as Latency,
        Slice as Slice,
        find_percentile as find_percentile,
        slice_results as slice_results,
        summarize as summarize,
        summarize_baselines as summarize_baselines,
        summarize_latency as summarize_latency,
    )

__getattr__, __dir__ = lazy_exports(__name__)
