"""Running all queries of a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kebab_core import InvalidInputError, Model, SearchMode

from kebab_eval.metrics import Metrics, measure_ranking
from kebab_eval.queries import JudgedQuery
from kebab_eval.ranking import DocumentRanker, Ranking

Progress = Callable[[int, int], None]
"""Gets how many queries are done, and how many there are."""


class QueryResult(Model):
    """What came of one query."""

    query_id: str
    text: str
    language: str
    kind: str | None = None
    metrics: Metrics
    baselines: dict[str, Metrics]
    """By name of the baseline."""
    ranked: tuple[str, ...]
    """Document ids, best first."""
    relevant: tuple[str, ...]
    """Ids of the relevant documents, highest grade first."""
    latency_ms: float
    cpu_ms: float | None = None
    """Of this process; None in runs that did not measure it."""
    error: str | None = None
    """Code of the error that the search ended with; the ranking is then empty."""


class RunResult(Model):
    """What came of all queries, in their order."""

    queries: tuple[QueryResult, ...]
    legs: tuple[SearchMode, ...] = ()
    missing_legs: tuple[SearchMode, ...] = ()
    """Legs that the mode asks for and that did not take part."""


def run_queries(queries: Sequence[JudgedQuery], ranker: DocumentRanker, *, progress: Progress) -> RunResult:
    """Search for every query and measure what is found.

    A query that the search refuses counts as one that found nothing.

    Args:
        queries: What to search for.
        ranker: Searches.
        progress: Is told after every query.

    Returns:
        One result for each query.
    """
    results: list[QueryResult] = []
    legs: dict[SearchMode, None] = {}
    missing: dict[SearchMode, None] = {}
    for done, query in enumerate(queries, start=1):
        try:
            ranking = ranker.rank(query)
        except InvalidInputError as error:
            results.append(_result(query, None, error=error.code))
        else:
            legs.update(dict.fromkeys(ranking.response.coverage.legs))
            missing.update(dict.fromkeys(ranking.response.coverage.missing_legs))
            results.append(_result(query, ranking))
        progress(done, len(queries))
    return RunResult(queries=tuple(results), legs=tuple(legs), missing_legs=tuple(missing))


def add_baseline(
    run: RunResult, name: str, rankings: dict[str, tuple[str, ...]], queries: Sequence[JudgedQuery]
) -> RunResult:
    """Return a run whose queries are also measured by another ranking."""
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
