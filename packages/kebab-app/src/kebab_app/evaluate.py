"""Evaluation as a use case: a set of judged queries against a throw-away knowledge base."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import IngestEvent, InvalidInputError, SearchMode, SearchQuery, SearchResponse

from kebab_app.evaluate_answers import build_asker
from kebab_app.evaluate_base import Collected, collect_folder, collect_passages, index_documents
from kebab_app.evaluate_options import EvaluateOptions
from kebab_app.evaluate_pairs import ask_without
from kebab_app.evaluate_record import describe_run, wire_answer_metrics
from kebab_app.evaluate_runs import Scores, compare_scores, keep_run, read_scores
from kebab_app.search import search

if TYPE_CHECKING:
    from kebab_eval import AnswerResult, AskedQuery, DocumentRanker, RetrievalSet, RunResult
    from kebab_ingest import EventSink
    from kebab_wire import EvalRunV1

    from kebab_app.knowledge_base import KnowledgeBase


def evaluate(
    base: KnowledgeBase,
    folder: Path,
    options: EvaluateOptions,
    *,
    sink: EventSink | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> EvalRunV1:
    """Measure how well kebab, as it is configured, finds what people judged relevant.

    Documents are indexed in a temporary folder by the ordinary ingest; the user's own are neither read nor written.
    The run is kept in the knowledge base, unless writing is switched off.

    Args:
        base: Whose settings apply, and where the run is kept.
        folder: The set, in the layout of BEIR.
        options: What to measure.
        sink: Gets the events of the ingest.
        progress: Gets how many queries are done, and how many there are.

    Returns:
        The run, with a comparison if one was asked for.

    Raises:
        InvalidInputError: The set is incomplete or broken, or there is no run to compare with.
        NotIndexedError: The mode asks for what is not there.
    """
    from kebab_eval import QueryChoice, open_retrieval_set

    before = None if options.compare is None else read_scores(base, options.compare)
    if not base.readonly:
        base.open_for_writing()  # a run that cannot be kept should say so before it takes minutes
    choice = QueryChoice(part=options.part, parts=options.parts, limit=options.limit)
    retrieval_set = open_retrieval_set(folder, choice, has_corpus=options.corpus is None)
    if before is not None:
        require_common(before, retrieval_set)
    asked = _read_asked(folder, options) if options.answers else []
    with _collect(base, retrieval_set, options, sink or _ignore) as collected:
        result = measure(collected, retrieval_set, options, progress or _ignore_count)
        answers = measure_answers(collected, asked, options, progress or _ignore_count)
        run = describe_run(base, collected, retrieval_set, result=result, options=options)
    if asked and options.left_out is not None:
        answers += ask_without(base, folder, asked, options=options, progress=progress or _ignore_count)
    return finish_run(base, run, result=result, answers=answers, before=before)


def _read_asked(folder: Path, options: EvaluateOptions) -> list[AskedQuery]:
    """Return the questions to ask: those of the set that belong to the part, unanswerable ones too."""
    from kebab_eval import read_asked, read_judgements, take_part

    asked = read_asked(folder, read_judgements(folder))
    return take_part(asked, part=options.part, parts=options.parts)[: options.limit]


def measure_answers(
    collected: Collected,
    asked: Sequence[AskedQuery],
    options: EvaluateOptions,
    progress: Callable[[int, int], None],
) -> tuple[AnswerResult, ...]:
    """Return what came of asking all questions."""
    from kebab_eval import run_answers

    ask = build_asker(collected, mode=options.mode, k=options.k)
    return run_answers(asked, ask, progress=progress)


def finish_run(
    base: KnowledgeBase,
    run: EvalRunV1,
    *,
    result: RunResult,
    answers: Sequence[AnswerResult],
    before: Scores | None,
) -> EvalRunV1:
    """Return a run with what its answers come to and the comparison that was asked for, kept where that is allowed.

    Args:
        base: Where it is kept.
        run: What is known of it so far.
        result: What came of its queries.
        answers: What came of its questions.
        before: The run to compare with.
    """
    if answers:
        run = run.model_copy(update={"answers": wire_answer_metrics(answers)})
    if before is not None:
        after = Scores(run.run_id, {one.query_id: one.metrics.ndcg_at_10 for one in result.queries})
        run = run.model_copy(update={"comparison": compare_scores(before, after)})
    return run if base.readonly else keep_run(base, run, result.queries, answers)


def require_common(before: Scores, retrieval_set: RetrievalSet) -> None:
    """Do nothing where a comparison is possible: that should be known before the work.

    Raises:
        InvalidInputError: The earlier run asked none of the queries.
    """
    if not any(query.query_id in before.ndcg_at_10 for query in retrieval_set.queries):
        raise InvalidInputError(
            f"the run {before.run_id} asked none of the queries of {retrieval_set.name!r}",
            hint="kebab eval list",
            run=before.run_id,
        )


def _ignore(_event: IngestEvent) -> None:
    pass


def _ignore_count(_done: int, _total: int) -> None:
    pass


def _collect(
    base: KnowledgeBase, retrieval_set: RetrievalSet, options: EvaluateOptions, sink: EventSink
) -> AbstractContextManager[Collected]:
    wanted = {
        doc_id for query in retrieval_set.queries for doc_id, grade in query.grades.items() if grade > 0
    }
    index = partial(index_documents, mode=options.mode, sink=sink)
    if options.corpus is None:
        return collect_passages(
            retrieval_set.folder, loaded=base.loaded, clock=base.clock, wanted=wanted, index=index
        )
    return collect_folder(
        options.corpus, options.include, loaded=base.loaded, clock=base.clock, wanted=wanted, index=index
    )


def measure(
    collected: Collected,
    retrieval_set: RetrievalSet,
    options: EvaluateOptions,
    progress: Callable[[int, int], None],
) -> RunResult:
    """Return what came of all queries, baselines beside them.

    Raises:
        InvalidInputError: A baseline that would be the run itself.
    """
    from kebab_eval import CUTOFF, add_baseline, rank_by_substrings, run_queries

    queries = retrieval_set.queries
    result = run_queries(queries, _ranker(collected, options.mode, options.depth), progress=progress)
    for name in options.baselines:
        if name == "grep":
            rankings = rank_by_substrings(queries, collected.texts(), depth=CUTOFF)
        elif options.mode is not SearchMode.LEXICAL:
            ranker = _ranker(collected, SearchMode.LEXICAL, CUTOFF)
            found = run_queries(queries, ranker, progress=_ignore_count).queries
            rankings = {query.query_id: query.ranked for query in found}
        else:
            raise InvalidInputError(
                "a lexical run is its own lexical baseline", hint="leave out --baseline lexical"
            )
        result = add_baseline(result, name, rankings, queries)
    return result


def _ranker(collected: Collected, mode: SearchMode, depth: int) -> DocumentRanker:
    from kebab_eval import DocumentRanker

    def ask(query: SearchQuery) -> SearchResponse:
        return search(collected.base, query)

    return DocumentRanker(
        search=ask,
        document_of=collected.document_of,
        mode=mode,
        depth=depth,
        timer=time.perf_counter,
        cpu_timer=time.process_time,
    )
