"""Reranking: the first hits change places, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from kebab_core import (
    RERANKED,
    Budget,
    CancelToken,
    ConfigInvalidError,
    ModelRef,
    Reranker,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    StaleCursorError,
    WorkCancelledError,
)
from kebab_search import SearchRetriever
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER = WordAnalyzer()
WORDS = ("alpha", "beta", "gamma", "pad", "stuff", "more")


class LastLetters:
    """A reranker for which a passage is the better the later its last letters stand in the alphabet, in steps of ten."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def model_ref(self) -> ModelRef:
        return ModelRef(id="last-letters", provider="testing")

    def score(self, query: str, passages: Sequence[str], *, cancel: CancelToken | None = None) -> list[float]:
        assert query == "alpha beta"
        self.asked.append(len(passages))
        for _ in passages:
            if cancel is not None:
                cancel.raise_if_cancelled()
        return [sum(map(ord, passage[-3:])) % 10 / 10 for passage in passages]


def build_stores() -> TemporaryStores:
    """Return forty documents of one to four passages, of which some have a translation."""
    stores = TemporaryStores()
    for number in range(40):
        texts = [
            " ".join(WORDS[(number * 5 + at * 7 + step) % len(WORDS)] for step in range(2 + at % 5))
            + f" alpha n{number} p{at}"
            for at in range(1 + number % 4)
        ]
        for lang in ("en", "ko")[: 1 + (number % 5 == 0)]:
            path = f"{lang}/{number}.md"
            terms = [ANALYZER.analyze_chunk(title=path, heading_path=(), text=text) for text in texts]
            spec = RecordSpec(path=path, paragraphs=tuple(texts), terms=terms, title=path, lang=lang)
            stores.documents.replace_document(build_record(spec))
    return stores


STORES = build_stores()
STORE = STORES.documents


def build(model: Reranker | None, *, settings: SearchSettings | None = None) -> SearchRetriever:
    return SearchRetriever(
        index=STORES.index,
        documents=STORE,
        analyzer=ANALYZER,
        clock=FixedClock(),
        settings=settings or SearchSettings(),
        reranker=None if model is None else lambda: model,
    )


def search(
    retriever: SearchRetriever,
    *,
    cancel: CancelToken | None = None,
    count: Callable[[SearchHit], int] = lambda hit: len(hit.snippet),
    **fields: object,
) -> SearchResponse:
    query = SearchQuery.model_validate({"text": "alpha beta", "mode": SearchMode.LEXICAL, **fields})
    budget = None if query.max_tokens is None else Budget(query.max_tokens, count)
    return retriever.search(query, budget=budget, cancel=cancel)


def pages(retriever: SearchRetriever, sizes: Sequence[int], **fields: object) -> Iterator[SearchResponse]:
    cursor, turn = None, 0
    while True:
        page = search(retriever, k=sizes[turn % len(sizes)], cursor=cursor, **fields)
        yield page
        cursor, turn = page.next_cursor, turn + 1
        if cursor is None:
            return


def as_before(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """Return hits without their places and the scores of the reranker."""
    return [
        hit.model_copy(
            update={"rank": 1, "retrieval": hit.retrieval.model_copy(update={"rerank_score": None})}
        )
        for hit in hits
    ]


@walk("all_passages", [False, True])
def test_the_first_hits_are_ordered_by_the_reranker_and_stay_what_they_were(all_passages: bool) -> None:
    retriever = build(LastLetters())
    before = search(retriever, k=1000, all_passages=all_passages).hits
    after = search(retriever, k=1000, all_passages=all_passages, rerank=True).hits
    head, rest = after[:RERANKED], after[RERANKED:]
    scores = [hit.retrieval.rerank_score for hit in head]
    assert None not in scores
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    places = {hit.chunk_id: hit.rank for hit in before}
    assert head == tuple(
        sorted(head, key=lambda hit: (-(hit.retrieval.rerank_score or 0), places[hit.chunk_id]))
    )
    assert as_before(rest) == as_before(before[RERANKED:])
    assert sorted(as_before(head), key=lambda hit: hit.chunk_id) == sorted(
        as_before(before[:RERANKED]), key=lambda hit: hit.chunk_id
    )
    assert [hit.rank for hit in after] == list(range(1, len(after) + 1))
    assert all(hit.retrieval.rerank_score is None for hit in (*rest, *before))


@walk(("sizes", "all_passages"), [([9], False), ([7, 15], False), ([40], False), ([3, 30], True)])
def test_pages_of_any_sizes_together_are_the_reranked_result(sizes: list[int], all_passages: bool) -> None:
    retriever = build(LastLetters())
    whole = search(retriever, k=1000, all_passages=all_passages, rerank=True).hits
    read = [
        hit for page in pages(retriever, sizes, all_passages=all_passages, rerank=True) for hit in page.hits
    ]
    assert read == list(whole)


def test_no_more_passages_are_scored_than_there_are_places_for() -> None:
    model = LastLetters()
    retriever = build(model)
    search(retriever, k=1, rerank=True)
    search(retriever, k=1000, rerank=True)
    assert model.asked == [RERANKED, RERANKED]


def test_a_budget_cuts_the_reranked_order() -> None:
    retriever = build(LastLetters())
    whole = search(retriever, k=1000, rerank=True).hits
    page = search(retriever, k=10, rerank=True, max_tokens=1)
    assert page.truncated
    assert [hit.chunk_id for hit in page.hits] == [whole[0].chunk_id]
    rest = search(retriever, k=10, rerank=True, cursor=page.next_cursor)
    assert [hit.chunk_id for hit in rest.hits] == [hit.chunk_id for hit in whole[1:11]]


def test_the_trace_has_the_scores_and_the_ranks_of_the_hits() -> None:
    response = search(build(LastLetters()), k=1000, rerank=True, trace=True)
    assert response.trace is not None
    traced = {each.chunk_id: each for each in response.trace.rrf_inputs}
    for hit in response.hits:
        each = traced[hit.chunk_id]
        assert (each.rerank_score, each.hit_rank) == (hit.retrieval.rerank_score, hit.rank)


def test_a_cursor_holds_for_the_order_that_it_was_made_for() -> None:
    retriever = build(LastLetters())
    cursor = search(retriever, k=5, rerank=True).next_cursor
    with pytest.raises(StaleCursorError):
        search(retriever, k=5, cursor=cursor)


def test_a_cancelled_search_stops_between_passages() -> None:
    class Cancelling(LastLetters):
        def score(
            self, query: str, passages: Sequence[str], *, cancel: CancelToken | None = None
        ) -> list[float]:
            token.cancel()
            return super().score(query, passages, cancel=cancel)

    token = CancelToken()
    with pytest.raises(WorkCancelledError):
        search(build(Cancelling()), rerank=True, cancel=token)


def test_the_settings_decide_where_the_query_does_not() -> None:
    always = build(LastLetters(), settings=SearchSettings(rerank=True))
    assert search(always).hits == search(always, rerank=True).hits
    assert search(always, rerank=False).hits == search(build(None)).hits


def test_a_search_that_asks_for_a_reranker_is_not_run_without_one() -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        search(build(None), rerank=True)
    assert caught.value.remedy is not None


def test_names_are_not_reranked() -> None:
    model = LastLetters()
    search(build(model), text="alpha", by_symbol=True, rerank=True)
    assert model.asked == []
