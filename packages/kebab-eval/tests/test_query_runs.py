from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import count

import pytest
from kebab_core import (
    ChunkerVersion,
    ChunkId,
    Coverage,
    DocumentId,
    FusionInput,
    IndexVersion,
    InvalidInputError,
    LineCitation,
    NoHitReason,
    NotIndexedError,
    RetrievalDetail,
    ScoreKind,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchTrace,
    SourceId,
    TraceCandidate,
    TrustLevel,
    WorkspacePath,
)
from kebab_eval import (
    DocumentRanker,
    JudgedQuery,
    add_baseline,
    find_percentile,
    run_queries,
    slice_results,
    summarize,
    summarize_baselines,
    summarize_latency,
)


def hit(path: str, rank: int) -> SearchHit:
    return SearchHit(
        rank=rank,
        score=1.0,
        score_kind=ScoreKind.BM25,
        chunk_id=ChunkId(f"{rank:032x}"),
        doc_id=DocumentId("0" * 32),
        source_id=SourceId("default"),
        doc_path=WorkspacePath(path),
        title="",
        heading_path=(),
        snippet="",
        citation=LineCitation(path=WorkspacePath(path), start=1, end=1),
        retrieval=RetrievalDetail(
            method=SearchMode.LEXICAL,
            fusion_score=1.0,
            lexical_score=1.0,
            vector_score=None,
            lexical_rank=1,
            vector_rank=None,
        ),
        index_version=IndexVersion("lexical:test"),
        chunker_version=ChunkerVersion("md-heading-v1"),
        indexed_at=datetime(2026, 1, 1, tzinfo=UTC),
        stale=False,
        lang="ko",
        trust_level=TrustLevel.PRIMARY,
    )


class ListedPassages:
    """Finds the passages of a list, whatever is asked."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self.asked: list[int] = []
        self.shown = 0

    def search(self, query: SearchQuery) -> SearchResponse:
        if not query.text.strip():
            raise InvalidInputError("the query is empty")
        self.asked.append(query.k)
        everything = [hit(path, rank) for rank, path in enumerate(self._paths[: query.k], start=1)]
        hits = tuple(everything if query.max_tokens is None else everything[:1])
        self.shown += len(hits)
        return SearchResponse(
            query=query,
            hits=hits,
            coverage=Coverage(
                documents_indexed=1, legs=(SearchMode.LEXICAL,), missing_legs=(SearchMode.VECTOR,)
            ),
            no_hit_reason=None if hits else NoHitReason.NOTHING_MATCHES,
            trace=trace_of(everything) if query.trace else None,
        )


def trace_of(hits: Sequence[SearchHit]) -> SearchTrace:
    """Return a trace that tells the order of hits and, by another order, what they are passages of."""
    return SearchTrace(
        lexical=tuple(
            TraceCandidate(
                chunk_id=found.chunk_id, doc_id=found.doc_id, doc_path=found.doc_path, rank=rank, score=1.0
            )
            for rank, found in enumerate(reversed(hits), start=1)
        ),
        rrf_inputs=tuple(
            FusionInput(chunk_id=found.chunk_id, lexical_rank=1, vector_rank=None, fusion_score=1.0)
            for found in hits
        ),
    )


def ranker(search: Callable[[SearchQuery], SearchResponse], *, depth: int = 10) -> DocumentRanker:
    ticks = count()
    return DocumentRanker(
        search=search,
        document_of=lambda found: str(found.doc_path),
        mode=SearchMode.HYBRID,
        depth=depth,
        timer=lambda: next(ticks) / 100,
        cpu_timer=lambda: next(ticks) / 1000,
    )


def query(
    query_id: str = "q", text: str = "질문", *, kind: str | None = None, excluded: str | None = None
) -> JudgedQuery:
    return JudgedQuery(
        query_id=query_id, text=text, language="ko", kind=kind, grades={"a": 1, "b": 2}, excluded=excluded
    )


def test_passages_of_one_document_count_once_at_the_best_of_them() -> None:
    passages = ListedPassages(["b", "a", "b", "c", "a"])
    ranking = ranker(passages.search).rank(query())
    assert ranking.documents == ("b", "a", "c")
    assert passages.asked == [10]
    assert ranking.seconds == pytest.approx(0.02)


def test_more_hits_are_asked_for_until_there_are_enough_documents() -> None:
    passages = ListedPassages(["a"] * 35 + [f"d{number}" for number in range(20)])
    ranking = ranker(passages.search).rank(query())
    assert ranking.documents == ("a", *(f"d{number}" for number in range(9)))
    assert passages.asked == [10, 40, 160]
    assert passages.shown == 12, "further down, only the order of passages is wanted"
    assert ranking.seconds == pytest.approx(0.02), "only the search that users make is timed"


def test_one_document_of_very_many_passages_does_not_search_forever() -> None:
    passages = ListedPassages(["a"] * 2000)
    assert ranker(passages.search).rank(query()).documents == ("a",)
    assert passages.asked[-1] == 1000


def test_the_excluded_document_is_replaced_by_the_next() -> None:
    passages = ListedPassages(["a", *(f"d{number}" for number in range(20))])
    ranked = ranker(passages.search).rank(query(excluded="a")).documents
    assert ranked == tuple(f"d{number}" for number in range(10))


def test_a_query_that_is_refused_counts_as_one_that_found_nothing() -> None:
    run = run_queries(
        [query("q1"), query("q2", " ")], ranker(ListedPassages(["b"]).search), progress=lambda *_: None
    )
    assert [result.error for result in run.queries] == [None, "invalid_input"]
    assert run.queries[1].metrics.ndcg_at_10 == 0
    assert summarize(run.queries).hit_at_1 == 0.5
    assert summarize_latency(run.queries).p50 == 20.0
    assert summarize_latency(run.queries).cpu_p95 == 2.0
    assert (run.legs, run.missing_legs) == ((SearchMode.LEXICAL,), (SearchMode.VECTOR,))


def test_a_search_that_cannot_work_at_all_ends_the_run() -> None:
    def refuse(_query: SearchQuery) -> SearchResponse:
        raise NotIndexedError("there are no vectors to search")

    with pytest.raises(NotIndexedError):
        run_queries([query()], ranker(refuse), progress=lambda *_: None)


def test_progress_is_told_after_every_query() -> None:
    told: list[tuple[int, int]] = []
    run_queries(
        [query("q1"), query("q2")],
        ranker(ListedPassages([]).search),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(1, 2), (2, 2)]


def test_a_baseline_is_measured_for_every_query_also_where_it_found_nothing() -> None:
    asked = [query("q1"), query("q2")]
    run = run_queries(asked, ranker(ListedPassages(["b"]).search), progress=lambda *_: None)
    run = add_baseline(run, "grep", {"q1": ("b", "a")}, asked)
    assert [result.baselines["grep"].ndcg_at_10 for result in run.queries] == [1.0, 0.0]
    assert summarize_baselines(run.queries)["grep"].hit_at_1 == 0.5
    assert run.queries[0].relevant == ("b", "a")


def test_slices_are_by_language_and_by_kind_where_it_is_known() -> None:
    asked = [query("q1", kind="fact"), query("q2")]
    run = run_queries(asked, ranker(ListedPassages(["b"]).search), progress=lambda *_: None)
    assert [(part.by, part.name, part.queries) for part in slice_results(run.queries)] == [
        ("language", "ko", 2),
        ("kind", "fact", 1),
    ]


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(number) for number in range(1, 21)]
    assert [find_percentile(values, percent) for percent in (50, 95, 100)] == [10.0, 19.0, 20.0]
    assert find_percentile([3.0], 95) == 3.0
    assert summarize_latency([]).p95 == 0
