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
    SourceId,
    Translation,
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


class ListedDocuments:
    """Finds the documents of a list, whatever is asked, in pages of no more than so many."""

    def __init__(self, paths: Sequence[str], *, most: int = 1000) -> None:
        self._paths = paths
        self._most = most
        self.asked: list[int] = []

    def search(self, query: SearchQuery) -> SearchResponse:
        if not query.text.strip():
            raise InvalidInputError("the query is empty")
        self.asked.append(query.k)
        start = int(query.cursor or 0)
        end = start + min(query.k, self._most)
        found = list(enumerate(self._paths, start=1))[start:end]
        return SearchResponse(
            query=query,
            hits=tuple(hit(path, rank) for rank, path in found),
            coverage=Coverage(
                documents_indexed=1, legs=(SearchMode.LEXICAL,), missing_legs=(SearchMode.VECTOR,)
            ),
            no_hit_reason=None if found else NoHitReason.NOTHING_MATCHES,
            next_cursor=str(end) if end < len(self._paths) else None,
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


def test_documents_are_ranked_as_they_are_found() -> None:
    found = ListedDocuments(["b", "a", "c"])
    ranking = ranker(found.search).rank(query())
    assert ranking.documents == ("b", "a", "c")
    assert found.asked == [10]
    assert ranking.seconds == pytest.approx(0.02)


def test_translations_follow_the_hit_that_they_are_told_beside() -> None:
    def search(asked: SearchQuery) -> SearchResponse:
        response = ListedDocuments(["b", "a"]).search(asked)
        first = response.hits[0]
        told = Translation(
            doc_id=DocumentId("1" * 32),
            source_id=first.source_id,
            doc_path=WorkspacePath("b.ko"),
            title="",
            lang="ko",
        )
        hits = (first.model_copy(update={"translations": (told,)}), *response.hits[1:])
        return response.model_copy(update={"hits": hits})

    assert ranker(search).rank(query()).documents == ("b", "b.ko", "a")


def test_a_result_is_read_on_until_there_are_enough_documents() -> None:
    found = ListedDocuments([f"d{number}" for number in range(30)], most=4)
    ranking = ranker(found.search).rank(query())
    assert ranking.documents == tuple(f"d{number}" for number in range(10))
    assert len(found.asked) == 3
    assert ranking.seconds == pytest.approx(0.02), "only the search that users make is timed"


def test_the_excluded_document_is_replaced_by_the_next() -> None:
    found = ListedDocuments(["a", *(f"d{number}" for number in range(20))])
    ranked = ranker(found.search).rank(query(excluded="a")).documents
    assert ranked == tuple(f"d{number}" for number in range(10))


def test_a_query_that_is_refused_counts_as_one_that_found_nothing() -> None:
    run = run_queries(
        [query("q1"), query("q2", " ")], ranker(ListedDocuments(["b"]).search), progress=lambda *_: None
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
        ranker(ListedDocuments([]).search),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(1, 2), (2, 2)]


def test_a_baseline_is_measured_for_every_query_also_where_it_found_nothing() -> None:
    asked = [query("q1"), query("q2")]
    run = run_queries(asked, ranker(ListedDocuments(["b"]).search), progress=lambda *_: None)
    run = add_baseline(run, "grep", {"q1": ("b", "a")}, asked)
    assert [result.baselines["grep"].ndcg_at_10 for result in run.queries] == [1.0, 0.0]
    assert summarize_baselines(run.queries)["grep"].hit_at_1 == 0.5
    assert run.queries[0].relevant == ("b", "a")


def test_slices_are_by_language_and_by_kind_where_it_is_known() -> None:
    asked = [query("q1", kind="fact"), query("q2")]
    run = run_queries(asked, ranker(ListedDocuments(["b"]).search), progress=lambda *_: None)
    assert [(part.by, part.name, part.queries) for part in slice_results(run.queries)] == [
        ("language", "ko", 2),
        ("kind", "fact", 1),
    ]


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(number) for number in range(1, 21)]
    assert [find_percentile(values, percent) for percent in (50, 95, 100)] == [10.0, 19.0, 20.0]
    assert find_percentile([3.0], 95) == 3.0
    assert summarize_latency([]).p95 == 0
