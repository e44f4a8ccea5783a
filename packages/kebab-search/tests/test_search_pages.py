from collections.abc import Iterator

import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import (
    Budget,
    CancelToken,
    NoHitReason,
    SearchFilters,
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
from kebab_testing.families import examples
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER = WordAnalyzer()
WORDS = ("alpha", "beta", "gamma", "delta", "pad", "stuff")


class Shelf:
    """Passages that can be searched page by page; a hit costs as much as its snippet is long."""

    def __init__(self, *passages: str, lang: str = "en") -> None:
        self.stores = TemporaryStores()
        self.store = self.stores.documents
        self.put("notes/a.md", passages, lang=lang)
        self.retriever = SearchRetriever(
            index=self.stores.index,
            documents=self.store,
            analyzer=ANALYZER,
            clock=FixedClock(),
            settings=SearchSettings(),
        )

    def put(self, path: str, passages: tuple[str, ...], *, lang: str = "en") -> None:
        terms = [ANALYZER.analyze_chunk(title="t", heading_path=(), text=text) for text in passages]
        self.store.replace_document(
            build_record(RecordSpec(path=path, paragraphs=passages, terms=terms, title="t", lang=lang))
        )

    def search(self, text: str = "alpha beta", **fields: object) -> SearchResponse:
        asked = {"text": text, "mode": SearchMode.LEXICAL, "all_passages": True, **fields}
        query = SearchQuery.model_validate(asked)
        budget = None if query.max_tokens is None else Budget(query.max_tokens, lambda hit: len(hit.snippet))
        return self.retriever.search(query, budget=budget)

    def pages(self, sizes: list[int], **fields: object) -> Iterator[SearchResponse]:
        """Yield every page of the result; the sizes are used in turn, over and over."""
        cursor: str | None = None
        turn = 0
        while True:
            page = self.search(k=sizes[turn % len(sizes)], cursor=cursor, **fields)
            yield page
            cursor, turn = page.next_cursor, turn + 1
            if cursor is None:
                return


def passages(number: int) -> tuple[str, ...]:
    """Return passages with ever other words in ever other places, so that boosts reorder what the index found."""
    return tuple(
        " ".join(WORDS[(n * 7 + n // 3 * step) % len(WORDS)] for step in range(1, 5 + n % 7)) + f" n{n}"
        for n in range(number)
    )


LARGE = Shelf(*passages(64))
WHOLE = LARGE.search(k=1000)


@pytest.mark.thorough
@settings(max_examples=examples(10), deadline=None)
@given(st.lists(st.integers(4, 40), min_size=1, max_size=4))
def test_pages_of_any_sizes_together_are_the_whole_result(sizes: list[int]) -> None:
    assert [hit for page in LARGE.pages(sizes) for hit in page.hits] == list(WHOLE.hits)


def test_whole_result_has_no_next_page() -> None:
    assert WHOLE.next_cursor is None
    assert len(WHOLE.hits) > 20


def test_pages_end_and_ranks_go_on() -> None:
    pages = list(LARGE.pages([10]))
    ranks = [hit.rank for page in pages for hit in page.hits]
    assert ranks == list(range(1, len(ranks) + 1))
    assert all(len(page.hits) == 10 for page in pages[:-1])
    assert 1 <= len(pages[-1].hits) <= 10
    assert len({hit.chunk_id for page in pages for hit in page.hits}) == len(ranks)


@walk("k", [1, 5, 10, 11, 25])
def test_more_hits_begin_with_the_same(k: int) -> None:
    assert LARGE.search(k=k).hits == WHOLE.hits[:k]


@walk(("count", "is_more"), [(4, False), (5, False), (6, True)])
def test_next_cursor_is_there_exactly_when_there_is_more(count: int, is_more: bool) -> None:
    response = Shelf(*(f"alpha {n}" for n in range(count))).search("alpha", k=5)
    assert (response.next_cursor is not None) is is_more
    assert not response.truncated


@walk(("others", "is_more"), [(0, False), (1, True)])
def test_a_document_that_fills_all_candidates_while_a_word_is_typed_is_followed_by_a_page_only_if_there_is_another(
    others: int, is_more: bool
) -> None:
    shelf = Shelf(*("alpha " * 9 for _ in range(90)))
    for number in range(others):
        shelf.put(f"notes/other{number}.md", ("alpha and pad stuff",))
    found = shelf.search("alp", unfinished=True, all_passages=False, k=1)
    assert (found.next_cursor is not None) == is_more
    if found.next_cursor:
        assert shelf.search("alp", unfinished=True, all_passages=False, k=1, cursor=found.next_cursor).hits


def test_nothing_found_has_no_next_page() -> None:
    assert LARGE.search("absent").next_cursor is None


def test_pages_may_differ_in_everything_but_the_question() -> None:
    first = LARGE.search(k=10)
    page = LARGE.search(k=3, cursor=first.next_cursor, snippet_chars=20, trace=True)
    assert [hit.chunk_id for hit in page.hits] == [hit.chunk_id for hit in LARGE.search(k=13).hits[10:]]


@walk(
    "change",
    [{"text": "alpha"}, {"mode": SearchMode.HYBRID}, {"filters": SearchFilters(lang=("en",))}],
)
def test_cursor_does_not_go_on_in_another_question(change: dict[str, object]) -> None:
    cursor = LARGE.search(k=10).next_cursor
    with pytest.raises(StaleCursorError):
        LARGE.search(**{"text": "alpha beta", "k": 10, "cursor": cursor, **change})  # type: ignore[arg-type]


def test_cursor_does_not_outlive_a_change_of_the_index() -> None:
    shelf = Shelf(*passages(20))
    cursor = shelf.search(k=5).next_cursor
    assert shelf.search(k=5, cursor=cursor).hits
    shelf.put("notes/b.md", ("something else",))
    with pytest.raises(StaleCursorError):
        shelf.search(k=5, cursor=cursor)


def test_cursor_of_another_knowledge_base_is_refused_although_its_revision_fits() -> None:
    shelf, other = Shelf(*passages(20)), Shelf(*reversed(passages(20)))
    assert shelf.store.corpus_revision() == other.store.corpus_revision()
    with pytest.raises(StaleCursorError):
        other.search(k=5, cursor=shelf.search(k=5).next_cursor)


def test_filtered_pages_go_on_within_the_filter() -> None:
    shelf = Shelf(*passages(30))
    shelf.put("notes/ko.md", passages(30), lang="ko")
    filters = SearchFilters(lang=("ko",))
    whole = shelf.search(k=1000, filters=filters).hits
    joined = [hit for page in shelf.pages([7], filters=filters) for hit in page.hits]
    assert joined == list(whole)
    assert {hit.doc_path for hit in joined} == {"notes/ko.md"}


def ids(hits: tuple[SearchHit, ...]) -> list[str]:
    return [hit.chunk_id for hit in hits]


@walk("max_tokens", [1, 30, 150, 100_000])
def test_pages_within_a_budget_show_every_hit_once(max_tokens: int) -> None:
    pages = list(LARGE.pages([10], max_tokens=max_tokens))
    assert [i for page in pages for i in ids(page.hits)] == ids(WHOLE.hits)
    for page in pages:
        assert sum(len(hit.snippet) for hit in page.hits) <= max_tokens or len(page.hits) == 1


def test_a_cancelled_search_stops_at_the_hit_in_hand() -> None:
    counted: list[str] = []
    cancel = CancelToken()

    def count(hit: SearchHit) -> int:
        counted.append(hit.chunk_id)
        cancel.cancel()
        return 1

    query = SearchQuery(text="alpha beta", mode=SearchMode.LEXICAL, all_passages=True)
    with pytest.raises(WorkCancelledError):
        LARGE.retriever.search(query, budget=Budget(100, count), cancel=cancel)
    assert len(counted) == 1
    with pytest.raises(WorkCancelledError):
        LARGE.retriever.search(query, cancel=cancel)


def test_a_page_cut_by_its_budget_says_so_and_goes_on_at_the_first_hit_left_out() -> None:
    cut = LARGE.search(k=10, max_tokens=60)
    assert cut.truncated
    assert 1 <= len(cut.hits) < 10
    following = LARGE.search(k=10, cursor=cut.next_cursor)
    assert following.hits[0].chunk_id == LARGE.search(k=10).hits[len(cut.hits)].chunk_id
    assert following.hits[0].rank == len(cut.hits) + 1


def test_a_cut_last_page_still_has_a_next() -> None:
    shelf = Shelf(*(f"alpha {n} " + "pad " * 100 for n in range(3)))
    cut = shelf.search("alpha", k=10, max_tokens=70)
    assert (len(cut.hits), cut.truncated) == (1, True)
    assert cut.next_cursor is not None


def test_trace_tells_terms_candidates_order_and_time() -> None:
    shelf = Shelf("alpha beta", *(f"alpha {n}" for n in range(9)), *(f"pad {n}" for n in range(20)))
    response = shelf.search("alpha beta absent", k=3, trace=True)
    trace = response.trace
    assert trace is not None
    assert {term.text: term.searched for term in trace.terms} == {
        "alpha": True,
        "beta": True,
        "absent": False,
    }
    assert [candidate.rank for candidate in trace.lexical] == list(range(1, len(trace.lexical) + 1))
    assert [fused.chunk_id for fused in trace.rrf_inputs[:3]] == ids(response.hits)
    assert [fused.fusion_score for fused in trace.rrf_inputs[:3]] == [hit.score for hit in response.hits]
    by_id = {candidate.chunk_id: candidate for candidate in trace.lexical}
    for hit in response.hits:
        assert by_id[hit.chunk_id].rank == hit.retrieval.lexical_rank
        assert by_id[hit.chunk_id].score == hit.retrieval.lexical_score
    assert trace.vector == ()


def test_trace_is_there_exactly_when_it_is_asked_for() -> None:
    assert LARGE.search().trace is None
    empty = LARGE.search("absent", trace=True).trace
    assert empty is not None
    assert (empty.lexical, empty.rrf_inputs) == ((), ())


def test_trace_changes_nothing_else() -> None:
    plain, traced = LARGE.search(k=7), LARGE.search(k=7, trace=True)
    assert (plain.hits, plain.next_cursor) == (traced.hits, traced.next_cursor)


@walk(
    ("filters", "blamed"),
    [
        (SearchFilters(lang=("ja",)), ("lang",)),
        (SearchFilters(lang=("ja",), path_glob=("notes/**",)), ("lang",)),
        (SearchFilters(path_glob=("absent/**",), lang=("en",)), ("path_glob",)),
        (SearchFilters(lang=("ja",), path_glob=("absent/**",)), ("lang", "path_glob")),
        (SearchFilters(lang=("ko",), path_glob=("notes/a.md",)), ("lang", "path_glob")),
    ],
)
def test_an_empty_result_names_the_filters_that_are_the_reason(
    filters: SearchFilters, blamed: tuple[str, ...]
) -> None:
    shelf = Shelf("alpha")
    shelf.put("notes/b.md", ("alpha",), lang="ko")
    response = shelf.search("alpha", filters=filters)
    assert (response.no_hit_reason, response.filtered_out_by) == (NoHitReason.FILTERED_OUT, blamed)


def test_filters_are_not_blamed_for_words_that_are_nowhere() -> None:
    response = LARGE.search("absent", filters=SearchFilters(lang=("en",)))
    assert response.coverage.documents_searched
    assert (response.no_hit_reason, response.filtered_out_by) == (NoHitReason.NOTHING_MATCHES, ())


def test_filters_that_no_document_passes_are_blamed_whatever_the_words() -> None:
    response = LARGE.search("absent", filters=SearchFilters(lang=("ja",)))
    assert (response.no_hit_reason, response.filtered_out_by) == (NoHitReason.FILTERED_OUT, ("lang",))
