"""Evaluation of a knowledge base on a judged set or a golden suite.

`kebab_app` hands in a factory of throw-away bases, the base in force and the store of runs; everything between is here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from kebab_core import (
    Answer,
    Claim,
    Clock,
    EvalComparison,
    EvaluationRun,
    GoldenMetrics,
    InvalidInputError,
    KebabError,
    Message,
    Remedy,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
)
from pydantic import JsonValue

from kebab_eval.answers import (
    AnswerResult,
    GivenAnswer,
    GivenClaim,
    Question,
    read_questions,
    run_questions,
    summarize_answers,
)
from kebab_eval.comparison import SEED
from kebab_eval.corpus import CorpusIndexer, EventSink, IndexedCorpus, OpenBase, take_indexed
from kebab_eval.evaluation_base import EvaluationBase
from kebab_eval.golden import GoldenSuite, measure_hits, read_golden_suite, summarize_golden
from kebab_eval.grep import rank_by_substrings
from kebab_eval.hits import HitExaminer, summarize_hits
from kebab_eval.metrics import CUTOFF
from kebab_eval.passages import read_passages
from kebab_eval.queries import (
    RetrievalSet,
    open_retrieval_set,
    part_of,
    read_judgements,
)
from kebab_eval.ranking import (
    DocumentRanker,
    Progress,
    RunResult,
    Search,
    add_baseline,
    run_queries,
    slice_results,
    summarize,
    summarize_baselines,
    summarize_latency,
)
from kebab_eval.runs import RunScores, RunStore, compare_scores, name_run

Baseline = Literal["grep", "lexical"]

_LEFT_OUT_SUFFIX = "#left-out"
_ROUNDS = 4
_MS = 1000


def _ignore(*_event: object) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """Measures and baselines of an evaluation."""

    corpus: Path | None = None
    """Folder of files to search instead of the set's own documents."""
    include: tuple[str, ...] = ()
    """Patterns of files to take from it; none takes all."""
    mode: SearchMode = SearchMode.LEXICAL
    depth: int = 10
    """Number of documents to rank for each query, at least 10."""
    part: int = 1
    parts: int = 1
    """Number of parts of the queries, of which one is asked."""
    limit: int | None = None
    """Maximum number of queries."""
    baselines: tuple[Baseline, ...] = ("grep",)
    compare: str | None = None
    """An earlier run to compare with."""
    answers: bool = False
    """Also ask the questions whose answers are known."""
    left_out: Literal["relevant", "related"] | None = None
    """Ask answerable questions a second time without the documents that answer them, or without all of their titles."""
    k: int | None = None
    """Hits that golden suites look at, and passages that answers are made of; None is the configured number."""


@dataclass(frozen=True, kw_only=True)
class Evaluator:
    """Evaluations of one knowledge base, with its settings."""

    open_base: OpenBase
    """Makes the throw-away bases."""
    current: EvaluationBase
    """The base in force, for suites without a corpus."""
    runs: RunStore
    clock: Clock
    config: Mapping[str, JsonValue]
    """Settings in force that apply to results; stored with each run."""
    default_k: int
    """The configured number of hits."""

    def evaluate_set(
        self,
        folder: Path,
        options: EvaluateOptions,
        *,
        sink: EventSink = _ignore,
        progress: Progress = _ignore,
    ) -> EvaluationRun:
        """Measure search, and answers where asked for, on a set of judged queries.

        The documents are indexed in a temporary folder by the ordinary ingest. The run is stored unless writing is
        switched off.

        Args:
            folder: The set, in the layout of BEIR.
            options: Measures and baselines.
            sink: Receives the events of the ingest.
            progress: Called after every query.

        Returns:
            The run, with a comparison if one was asked for.

        Raises:
            InvalidInputError: The set is incomplete or broken, or there is no run to compare with.
            NotIndexedError: The index for the mode cannot be made.
        """
        before = self._read_baseline(options)
        judged = open_retrieval_set(
            folder,
            part=options.part,
            parts=options.parts,
            limit=options.limit,
            has_corpus=options.corpus is None,
        )
        _require_common(before, judged)
        questions = _read_questions(folder, options) if options.answers else []
        with self._index_set(judged, options, sink) as corpus:
            result = _measure_queries(corpus, judged, options, progress)
            answers = _ask_all(corpus, questions, options, progress)
            run = self._describe(corpus, judged, result=result, options=options)
        if questions and options.left_out is not None:
            answers += self._ask_left_out(folder, questions, options, progress)
        return self._finish(run, result=result, answers=answers, before=before)

    def evaluate_suite(
        self, path: Path, options: EvaluateOptions, *, sink: EventSink = _ignore, progress: Progress = _ignore
    ) -> EvaluationRun:
        """Measure search, and answers where asked for, on a golden suite.

        A suite with a corpus is measured on a temporary index of it, any other on the base in force. The run is stored
        unless writing is switched off; answers are not.

        Args:
            path: The suite.
            options: Measures.
            sink: Receives the events of an ingest.
            progress: Called after every query.

        Returns:
            The run, with a comparison if one was asked for.

        Raises:
            InvalidInputError: The suite cannot be used, or there is no run to compare with.
            NotIndexedError: There is nothing to search.
        """
        before = self._read_baseline(options)
        suite = read_golden_suite(path)
        with self._index_suite(path, suite, options, sink) as corpus:
            suite = suite.with_documents(corpus.named)
            queries = suite.to_searches()
            skipped = sum(not query.has_relevant for query in queries)
            judged = RetrievalSet(name=suite.suite, folder=path.parent, queries=queries, skipped=skipped)
            _require_common(before, judged)
            seen: dict[SearchQuery, SearchResponse] = {}

            def search(query: SearchQuery) -> SearchResponse:
                found = seen[query] = corpus.base.search(query)
                return found

            result = _measure_queries(corpus, judged, options, progress, search=search)
            answers = _ask_all(corpus, suite.to_questions(), options, progress) if options.answers else ()
            run = self._describe(corpus, judged, result=result, options=options)
            golden = _measure_golden(corpus.base, suite, options.mode, options.k or self.default_k, seen=seen)
        run = run.model_copy(update={"golden": golden})
        return self._finish(run, result=result, answers=answers, before=before)

    def compare(self, first: str, second: str) -> EvalComparison:
        """Compare two stored runs query by query. See `RunStore.show` for their names.

        Raises:
            InvalidInputError: One of them does not exist, or they have no query in common.
        """
        return compare_scores(self.runs.read_scores(first), self.runs.read_scores(second))

    def _read_baseline(self, options: EvaluateOptions) -> RunScores | None:
        before = None if options.compare is None else self.runs.read_scores(options.compare)
        self.runs.require_writable()
        return before

    @property
    def _indexer(self) -> CorpusIndexer:
        return CorpusIndexer(open_base=self.open_base, clock=self.clock)

    def _index_set(
        self, judged: RetrievalSet, options: EvaluateOptions, sink: EventSink
    ) -> AbstractContextManager[IndexedCorpus]:
        wanted = {doc_id for query in judged.queries for doc_id, grade in query.grades.items() if grade > 0}
        if options.corpus is None:
            return self._indexer.index_passages(judged.folder, wanted=wanted, mode=options.mode, sink=sink)
        return self._indexer.index_folder(
            options.corpus, options.include, wanted=wanted, mode=options.mode, sink=sink
        )

    def _index_suite(
        self, path: Path, suite: GoldenSuite, options: EvaluateOptions, sink: EventSink
    ) -> AbstractContextManager[IndexedCorpus]:
        corpus = options.corpus or (path.parent / suite.corpus if suite.corpus else None)
        if corpus is None:
            return nullcontext(take_indexed(self.current, suite.document_names))
        include = options.include or suite.include
        return self._indexer.index_folder(
            corpus, include, wanted=suite.document_names, mode=options.mode, sink=sink
        )

    def _describe(
        self, corpus: IndexedCorpus, judged: RetrievalSet, *, result: RunResult, options: EvaluateOptions
    ) -> EvaluationRun:
        """Build the record of a run that is not stored yet."""
        now, queries = self.clock.now(), result.queries
        return EvaluationRun(
            run_id=name_run(now, suite=judged.name, mode=options.mode),
            suite=judged.name,
            mode=options.mode,
            depth=options.depth,
            part=f"{options.part}/{options.parts}",
            created_at=now,
            queries=len(queries),
            queries_skipped=judged.skipped,
            queries_unknown=judged.unknown,
            queries_failed=sum(query.error is not None for query in queries),
            documents=len(corpus.base.list_documents()),
            documents_failed=corpus.base.failed_documents,
            documents_missing=len(corpus.missing),
            metrics=summarize(queries),
            baselines=summarize_baselines(queries),
            slices=slice_results(queries),
            hits=summarize_hits(result.searches),
            latency_ms=summarize_latency(queries),
            legs=result.legs,
            missing_legs=result.missing_legs,
            versions=dict(corpus.base.versions),
            seed=SEED,
            config=dict(self.config),
            persisted=False,
            run_dir=None,
        )

    def _finish(
        self,
        run: EvaluationRun,
        *,
        result: RunResult,
        answers: Sequence[AnswerResult],
        before: RunScores | None,
    ) -> EvaluationRun:
        """Add the measures of answers and the comparison, and store the run."""
        if answers:
            run = run.model_copy(update={"answers": summarize_answers(answers)})
        if before is not None:
            after = RunScores(run.run_id, {one.query_id: one.metrics.ndcg_at_10 for one in result.queries})
            run = run.model_copy(update={"comparison": compare_scores(before, after)})
        return self.runs.save(run, result.queries, answers, result.searches)

    def _ask_left_out(
        self, folder: Path, questions: Sequence[Question], options: EvaluateOptions, progress: Progress
    ) -> tuple[AnswerResult, ...]:
        """Ask answerable questions of an index without the documents that answer them.

        Goes in rounds, each with a part of the questions and an index without the documents of these, so that most
        documents are there to be misled by.

        Args:
            folder: The set.
            questions: All questions; those that can be answered and whose documents are known are asked.
            options: The documents to leave out.
            progress: Called after every question.

        Returns:
            Results as of unanswerable questions, under ids of their own.

        Raises:
            InvalidInputError: There is no such question, or the documents are not those of the set.
        """
        chosen = [question for question in questions if question.answerable and question.relevant]
        if not chosen or options.corpus is not None:
            raise InvalidInputError(
                "nothing can be left out",
                remedy=Remedy(advice=Message("use a set with its own corpus.jsonl and relevant documents")),
            )
        rounds = [
            [each for each in chosen if part_of(each.query_id, parts=_ROUNDS) == part]
            for part in range(1, _ROUNDS + 1)
        ]
        results: list[AnswerResult] = []
        for round_ in filter(None, rounds):
            left_out = _find_left_out(folder, round_, options.left_out or "relevant")
            with self._indexer.index_passages(
                folder, wanted=(), mode=options.mode, sink=lambda _event: None, left_out=left_out
            ) as corpus:
                results += _ask_all(corpus, [_without_answer(each) for each in round_], options, progress)
        return tuple(results)


def _read_questions(folder: Path, options: EvaluateOptions) -> list[Question]:
    """Read the questions of the chosen part of a set, unanswerable ones too."""
    questions = read_questions(folder, read_judgements(folder))
    chosen = [each for each in questions if part_of(each.query_id, parts=options.parts) == options.part]
    return chosen[: options.limit]


def _require_common(before: RunScores | None, judged: RetrievalSet) -> None:
    """Check before the work that a comparison will be possible.

    Raises:
        InvalidInputError: The earlier run asked none of the queries.
    """
    if before is not None and not any(query.query_id in before.ndcg_at_10 for query in judged.queries):
        raise InvalidInputError(
            "the run {run} asked none of the queries of {name!r}",
            remedy=Remedy(kind="list_stored", name="eval"),
            run=before.run_id,
            _name=judged.name,
        )


def _measure_queries(
    corpus: IndexedCorpus,
    judged: RetrievalSet,
    options: EvaluateOptions,
    progress: Progress,
    *,
    search: Search | None = None,
) -> RunResult:
    """Measure all queries, and the baselines beside them.

    Raises:
        InvalidInputError: A baseline equals the run itself.
    """
    queries = judged.queries
    examiner = HitExaminer(corpus)
    result = run_queries(
        queries,
        _build_ranker(corpus, options.mode, options.depth, search),
        examiner,
        progress=progress,
    )
    for name in options.baselines:
        if name == "grep":
            rankings = rank_by_substrings(queries, corpus.texts(), depth=CUTOFF)
        elif options.mode is not SearchMode.LEXICAL:
            ranker = _build_ranker(corpus, SearchMode.LEXICAL, CUTOFF)
            lexical = run_queries(queries, ranker, progress=lambda _done, _total: None).queries
            rankings = {query.query_id: query.ranked for query in lexical}
        else:
            raise InvalidInputError(
                "a lexical run is its own lexical baseline",
                remedy=Remedy(advice=Message("leave out the lexical baseline")),
            )
        result = add_baseline(result, name, rankings, queries)
    return result


def _build_ranker(
    corpus: IndexedCorpus, mode: SearchMode, depth: int, search: Search | None = None
) -> DocumentRanker:
    return DocumentRanker(
        search=search or corpus.base.search,
        document_of=corpus.document_of,
        mode=mode,
        depth=depth,
        timer=time.perf_counter,
        cpu_timer=time.process_time,
    )


def _ask_all(
    corpus: IndexedCorpus, questions: Sequence[Question], options: EvaluateOptions, progress: Progress
) -> tuple[AnswerResult, ...]:
    base, document_of = corpus.base, corpus.document_of

    def ask(question: Question) -> GivenAnswer:
        started, cpu_started = time.perf_counter(), time.process_time()
        answer, hits = base.ask(question.text, mode=options.mode, k=options.k)
        latency_ms = (time.perf_counter() - started) * _MS
        cpu_ms = (time.process_time() - cpu_started) * _MS
        cited = [each.passage or each.citation for each in answer.citations if each.marker]
        return GivenAnswer(
            text=answer.answer,
            grounded=answer.grounded,
            refusal_reason=answer.refusal_reason,
            top_score=answer.retrieval.top_score,
            claims=_given_claims(answer) if answer.grounded else (),
            cited_documents=tuple(
                document_of(hit) for citation in cited for hit in hits if hit.citation == citation
            ),
            cited_texts=base.read_citations(answer, hits),
            latency_ms=round(latency_ms, 3),
            cpu_ms=round(cpu_ms, 3),
        )

    return run_questions(questions, ask, progress=progress)


def _given_claims(answer: Answer) -> tuple[GivenClaim, ...]:
    return tuple(
        GivenClaim(text=claim.text, is_cited=bool(claim.sources), is_verbatim=_is_verbatim(claim))
        for claim in answer.claims
    )


def _is_verbatim(claim: Claim) -> bool:
    """Return True where some cited passage holds every run of a claim word for word."""
    cited = {source.marker for source in claim.sources}
    unfound = {source.marker for source in claim.sources if source.quote is None}
    return bool(cited - unfound)


def _without_answer(question: Question) -> Question:
    return replace(
        question,
        query_id=question.query_id + _LEFT_OUT_SUFFIX,
        answerable=False,
        answers=(),
        relevant=frozenset(),
    )


def _find_left_out(
    folder: Path, questions: Sequence[Question], which: Literal["relevant", "related"]
) -> frozenset[str]:
    """Return the ids of documents that answer a question, and for `related` those under the same titles."""
    relevant = frozenset(doc_id for question in questions for doc_id in question.relevant)
    if which == "relevant":
        return relevant
    titles = {passage.title for passage in read_passages(folder) if passage.doc_id in relevant} - {""}
    related = (passage.doc_id for passage in read_passages(folder) if passage.title in titles)
    return relevant.union(related)


def _measure_golden(
    base: EvaluationBase,
    suite: GoldenSuite,
    mode: SearchMode,
    k: int,
    *,
    seen: Mapping[SearchQuery, SearchResponse],
) -> GoldenMetrics:
    """Measure the first `k` hits of the queries that expect something; a response that was seen is not asked for again."""
    results = []
    for query in suite.queries:
        if not (query.expected_doc_ids or query.expected_chunk_ids):
            continue
        try:
            has_chunks = bool(query.expected_chunk_ids)  # else a hit is a document
            request = SearchQuery(text=query.query, mode=mode, k=k, all_passages=has_chunks)
            hits: Sequence[SearchHit] = (seen.get(request) or base.search(request)).hits
        except KebabError:
            hits = ()
        results.append(measure_hits(query, hits, k=k))
    return summarize_golden(results, k=k)
