"""Rankings of documents: search for every query of a set, metrics of each ranking, and their summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kebab_core import (
    EvalLatency,
    EvalMetrics,
    EvalSlice,
    InvalidInputError,
    Model,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    Translation,
)

from kebab_eval.hits import HitExaminer, SearchResult
from kebab_eval.metrics import find_percentile, mean_metrics, measure_ranking
from kebab_eval.queries import JudgedQuery

Search = Callable[[SearchQuery], SearchResponse]
Timer = Callable[[], float]
"""Seconds from an arbitrary start."""

_MIN_SNIPPET_CHARS = 20
"""Length of a snippet that nobody reads."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The documents that one query finds."""

    documents: tuple[str, ...]
    """Ids, best first."""
    response: SearchResponse
    """Response to the search that a user would make."""
    seconds: float
    """Wall-clock time of that search."""
    cpu_seconds: float
    """CPU time of this process, which other programs do not slow down."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentRanker:
    """Ranks documents in the order of search."""

    search: Search
    document_of: Callable[[SearchHit | Translation], str]
    """Id of a document, as the test set names it."""
    mode: SearchMode
    depth: int
    """Number of documents to rank."""
    timer: Timer
    """Wall-clock time."""
    cpu_timer: Timer
    """CPU time of this process."""

    def rank(self, query: JudgedQuery) -> Ranking:
        """Rank documents for one query: those of the hits, each followed by its translations.

        The timed search asks for as many hits as documents are wanted, as a user would. Where they are too few, the
        result is read on, without snippets.

        Raises:
            KebabError: As raised by the search.
        """
        asked = SearchQuery(text=query.text, mode=self.mode, k=self.depth)
        started, cpu_started = self.timer(), self.cpu_timer()
        page = response = self.search(asked)
        seconds, cpu_seconds = self.timer() - started, self.cpu_timer() - cpu_started
        ranked = self._documents(page, query.excluded)
        while len(ranked) < self.depth and page.next_cursor is not None:
            changes = {"cursor": page.next_cursor, "snippet_chars": _MIN_SNIPPET_CHARS}
            page = self.search(asked.model_copy(update=changes))
            ranked += self._documents(page, query.excluded)
        return Ranking(tuple(dict.fromkeys(ranked))[: self.depth], response, seconds, cpu_seconds)

    def _documents(self, page: SearchResponse, excluded: str | None) -> list[str]:
        shown: list[SearchHit | Translation] = []
        for hit in page.hits:
            shown += [hit, *hit.translations]
        return [doc_id for doc_id in map(self.document_of, shown) if doc_id != excluded]


Progress = Callable[[int, int], None]
"""Receives the number of finished queries and the number of all."""


class QueryResult(Model):
    """Ranking and metrics of one query."""

    query_id: str
    text: str
    language: str
    kind: str | None = None
    metrics: EvalMetrics
    baselines: dict[str, EvalMetrics]
    """By name of the baseline."""
    ranked: tuple[str, ...]
    """Document ids, best first."""
    relevant: tuple[str, ...]
    """Ids of the relevant documents, highest grade first."""
    latency_ms: float
    cpu_ms: float | None = None
    """CPU time of this process; None in runs that did not measure it."""
    error: str | None = None
    """Code of the error that the search ended with; the ranking is then empty."""


class RunResult(Model):
    """Results of all queries, in their order."""

    queries: tuple[QueryResult, ...]
    legs: tuple[SearchMode, ...] = ()
    missing_legs: tuple[SearchMode, ...] = ()
    """Legs that the mode asks for and that did not take part."""
    searches: tuple[SearchResult, ...] = ()
    """First hits of each query."""


def run_queries(
    queries: Sequence[JudgedQuery],
    ranker: DocumentRanker,
    examiner: HitExaminer | None = None,
    *,
    progress: Progress,
) -> RunResult:
    """Rank documents for every query and measure the rankings.

    A query that the search refuses counts as one without results.

    Args:
        queries: The queries; rankings are measured for those with relevant documents.
        ranker: Ranks documents for one query.
        examiner: Measures the first hits; None leaves them out.
        progress: Called after every query.

    Returns:
        One result for each query with relevant documents, and the first hits of every query.
    """
    results: list[QueryResult] = []
    searches: list[SearchResult] = []
    hits: tuple[SearchHit, ...]
    code: str | None
    legs: dict[SearchMode, None] = {}
    missing: dict[SearchMode, None] = {}
    for done, query in enumerate(queries, start=1):
        try:
            ranking = ranker.rank(query)
        except InvalidInputError as error:
            hits, code = (), error.code
            results.append(_result(query, None, error=error.code))
        else:
            hits, code = ranking.response.hits, None
            legs.update(dict.fromkeys(ranking.response.coverage.legs))
            missing.update(dict.fromkeys(ranking.response.coverage.missing_legs))
            results.append(_result(query, ranking))
        if examiner is not None:
            searches.append(examiner.examine(query, hits, error=code))
        progress(done, len(queries))
    judged = (result for query, result in zip(queries, results, strict=True) if query.has_relevant)
    return RunResult(
        queries=tuple(judged), legs=tuple(legs), missing_legs=tuple(missing), searches=tuple(searches)
    )


def add_baseline(
    run: RunResult, name: str, rankings: dict[str, tuple[str, ...]], queries: Sequence[JudgedQuery]
) -> RunResult:
    """Return a run with the metrics of another ranking beside its own."""
    grades = {query.query_id: query.grades for query in queries}
    measured = tuple(
        result.model_copy(
            update={
                "baselines": {
                    **result.baselines,
                    name: measure_ranking(rankings.get(result.query_id, ()), grades[result.query_id]),
                }
            }
        )
        for result in run.queries
    )
    return run.model_copy(update={"queries": measured})


def _result(query: JudgedQuery, ranking: Ranking | None, *, error: str | None = None) -> QueryResult:
    relevant = sorted((-grade, doc_id) for doc_id, grade in query.grades.items() if grade > 0)
    documents = ranking.documents if ranking else ()
    return QueryResult(
        query_id=query.query_id,
        text=query.text,
        language=query.language,
        kind=query.kind,
        metrics=measure_ranking(documents, query.grades),
        baselines={},
        ranked=documents,
        relevant=tuple(doc_id for _, doc_id in relevant),
        latency_ms=round(ranking.seconds * 1000, 3) if ranking else 0.0,
        cpu_ms=round(ranking.cpu_seconds * 1000, 3) if ranking else None,
        error=error,
    )


def summarize(results: Sequence[QueryResult]) -> EvalMetrics:
    """Return the mean of each metric over all queries."""
    return mean_metrics([result.metrics for result in results])


def summarize_baselines(results: Sequence[QueryResult]) -> dict[str, EvalMetrics]:
    """Return the mean metrics of every baseline, by name."""
    names = dict.fromkeys(name for result in results for name in result.baselines)
    return {name: mean_metrics([result.baselines[name] for result in results]) for name in names}


def slice_results(results: Sequence[QueryResult]) -> tuple[EvalSlice, ...]:
    """Group queries by language, then by kind where the set has kinds, each in the order of names."""
    languages = _group("language", ((result.language, result) for result in results))
    kinds = _group("kind", ((result.kind, result) for result in results if result.kind is not None))
    return (*languages, *kinds)


def summarize_latency(results: Sequence[QueryResult]) -> EvalLatency:
    """Summarize the latencies of the queries without error; all 0 where there is none."""
    times = sorted(result.latency_ms for result in results if result.error is None)
    if not times:
        return EvalLatency(p50=0, p95=0, mean=0, max=0)
    cpu_times = sorted(result.cpu_ms for result in results if result.cpu_ms is not None)
    return EvalLatency(
        p50=find_percentile(times, 50),
        p95=find_percentile(times, 95),
        mean=round(sum(times) / len(times), 3),
        max=times[-1],
        cpu_p50=find_percentile(cpu_times, 50) if cpu_times else None,
        cpu_p95=find_percentile(cpu_times, 95) if cpu_times else None,
    )


def _group(by: Literal["language", "kind"], named: Iterable[tuple[str, QueryResult]]) -> list[EvalSlice]:
    groups: dict[str, list[QueryResult]] = {}
    for name, result in named:
        groups.setdefault(name, []).append(result)
    return [
        EvalSlice(by=by, name=name, queries=len(members), metrics=summarize(members))
        for name, members in sorted(groups.items())
    ]
