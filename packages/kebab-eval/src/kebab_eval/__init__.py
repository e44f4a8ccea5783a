"""Evaluation of retrieval and answers: judged sets, golden suites, metrics, baselines, stored runs and their comparison.

Searches, asks and indexes nothing itself: `kebab_app` hands in each knowledge base, as an `EvaluationBase`. Writes the folders of runs, and temporary folders of documents.

    >>> from kebab_eval import measure_ranking
    >>> measure_ranking(["b", "a"], {"a": 1}).mrr_at_10
    0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_eval.answers import (
        AnswerResult as AnswerResult,
        Ask as Ask,
        GivenAnswer as GivenAnswer,
        GivenClaim as GivenClaim,
        Question as Question,
        measure_answer as measure_answer,
        read_questions as read_questions,
        run_questions as run_questions,
        summarize_answers as summarize_answers,
    )
    from kebab_eval.comparison import bootstrap_interval as bootstrap_interval, compare_runs as compare_runs
    from kebab_eval.corpus import Corpus as Corpus
    from kebab_eval.evaluation import EvaluateOptions as EvaluateOptions, Evaluator as Evaluator
    from kebab_eval.evaluation_base import EvaluationBase as EvaluationBase
    from kebab_eval.golden import (
        GoldenQuery as GoldenQuery,
        GoldenResult as GoldenResult,
        GoldenSuite as GoldenSuite,
        measure_hits as measure_hits,
        read_golden_suite as read_golden_suite,
        summarize_golden as summarize_golden,
    )
    from kebab_eval.grep import rank_by_substrings as rank_by_substrings
    from kebab_eval.hits import (
        HitExaminer as HitExaminer,
        HitResult as HitResult,
        SearchResult as SearchResult,
        has_words as has_words,
        measure_scores as measure_scores,
        summarize_hits as summarize_hits,
    )
    from kebab_eval.metrics import (
        auroc as auroc,
        find_percentile as find_percentile,
        mean_metrics as mean_metrics,
        measure_ranking as measure_ranking,
    )
    from kebab_eval.passages import (
        Passage as Passage,
        PassageExtractor as PassageExtractor,
        read_passage_id as read_passage_id,
        read_passages as read_passages,
        write_passages as write_passages,
    )
    from kebab_eval.queries import (
        JudgedQuery as JudgedQuery,
        RetrievalSet as RetrievalSet,
        classify_language as classify_language,
        open_retrieval_set as open_retrieval_set,
        part_of as part_of,
        read_judgements as read_judgements,
    )
    from kebab_eval.ranking import (
        DocumentRanker as DocumentRanker,
        Progress as Progress,
        QueryResult as QueryResult,
        Ranking as Ranking,
        RunResult as RunResult,
        add_baseline as add_baseline,
        run_queries as run_queries,
        slice_results as slice_results,
        summarize as summarize,
        summarize_baselines as summarize_baselines,
        summarize_latency as summarize_latency,
    )
    from kebab_eval.runs import RunStore as RunStore

__getattr__, __dir__ = lazy_exports(__name__)
