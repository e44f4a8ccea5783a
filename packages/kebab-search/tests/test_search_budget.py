from collections.abc import Callable, Iterator

from hypothesis import given, strategies as st
from kebab_core import Budget, FurtherPassage, SearchHit, SearchQuery
from kebab_search.paging import MIN_SNIPPET_CHARS, fit_budget
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.retriever import OverlapRetriever
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

STORE = TemporaryStores().documents
STORE.replace_document(build_record(RecordSpec(paragraphs=("alpha",))))
HIT = OverlapRetriever(STORE, FixedClock()).search(SearchQuery(text="alpha")).hits[0]
FURTHER = FurtherPassage(
    rank=2, score=1.0, chunk_id=HIT.chunk_id, heading_path=(), snippet="x", citation=HIT.citation
)
FIXED_COST = 10


def hits_of(lengths: list[int], built: list[int] | None = None) -> Callable[[int, int], Iterator[SearchHit]]:
    def hits_at(chars: int, more: int) -> Iterator[SearchHit]:
        for rank, length in enumerate(lengths, start=1):
            if built is not None:
                built.append(rank)
            yield HIT.model_copy(
                update={"rank": rank, "snippet": "x" * min(length, chars), "more": (FURTHER,) * more}
            )

    return hits_at


def cost(hit: SearchHit) -> int:
    return FIXED_COST + len(hit.snippet) + FIXED_COST * len(hit.more)


def fit(lengths: list[int], *, max_tokens: int, chars: int = 220) -> tuple[list[int], bool]:
    hits, truncated = fit_budget(
        hits_of(lengths), snippet_chars=chars, more=0, budget=Budget(max_tokens, cost)
    )
    return [len(hit.snippet) for hit in hits], truncated


def test_everything_stays_where_the_budget_allows_it() -> None:
    assert fit([220, 220], max_tokens=460) == ([220, 220], False)


def test_snippets_are_halved_before_hits_go() -> None:
    assert fit([220, 220], max_tokens=459) == ([110, 110], True)
    assert fit([220, 220], max_tokens=239) == ([60, 60], True)


@walk(("max_tokens", "more", "chars"), [(500, 2, 220), (499, 0, 220), (459, 0, 110)])
def test_further_passages_go_before_snippets_are_halved(max_tokens: int, more: int, chars: int) -> None:
    hits, truncated = fit_budget(
        hits_of([220, 220]), snippet_chars=220, more=2, budget=Budget(max_tokens, cost)
    )
    assert [(len(hit.more), len(hit.snippet)) for hit in hits] == [(more, chars)] * 2
    assert truncated is (max_tokens < 500)


def test_hits_go_from_the_end_when_snippets_are_short() -> None:
    assert fit([220] * 5, max_tokens=3 * (60 + FIXED_COST)) == ([60, 60, 60], True)


def test_one_hit_stays_whatever_it_costs() -> None:
    assert fit([220, 220], max_tokens=1) == ([60], True)


def test_snippets_that_are_asked_for_shorter_are_not_lengthened() -> None:
    assert fit([220, 220], max_tokens=35, chars=20) == ([20], True)


def test_no_hits_cost_nothing() -> None:
    assert fit([], max_tokens=1) == ([], False)


def test_only_what_fits_is_built() -> None:
    built: list[int] = []
    fit_budget(hits_of([220] * 1000, built), snippet_chars=220, more=0, budget=Budget(700, cost))
    assert max(built) == 11


@given(st.lists(st.integers(0, 400), min_size=1, max_size=30), st.integers(1, 3000), st.integers(20, 500))
def test_the_budget_is_kept_and_a_greater_one_shows_no_less(
    lengths: list[int], max_tokens: int, chars: int
) -> None:
    snippets, truncated = fit(lengths, max_tokens=max_tokens, chars=chars)
    assert sum(length + FIXED_COST for length in snippets) <= max_tokens or len(snippets) == 1
    whole = [min(length, chars) for length in lengths]
    assert truncated is (sum(length + FIXED_COST for length in whole) > max_tokens)
    assert snippets == whole or truncated
    more, _ = fit(lengths, max_tokens=max_tokens + 100, chars=chars)
    assert len(more) >= len(snippets)


@walk("max_tokens", [1, 100, 10_000])
def test_ranks_stay_as_they_are(max_tokens: int) -> None:
    hits, _ = fit_budget(hits_of([220] * 4), snippet_chars=220, more=0, budget=Budget(max_tokens, cost))
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_snippets_have_their_minimum_length() -> None:
    assert MIN_SNIPPET_CHARS == 60
