from itertools import pairwise

import pytest
from hypothesis import given, strategies as st
from kebab_core import IndexedChunk, Term, TermKind
from kebab_search.ranking import boost, closeness
from kebab_search.term_weights import WeightedQuery, weigh_query
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

CORPUS = 1000


def query(*words: str, size: int = CORPUS, **frequencies: int) -> WeightedQuery:
    terms, at = [], 0
    for word in words:
        typed, _, stem = word.partition(">")
        terms.append(Term(typed, at, at + len(typed)))
        if stem:
            terms.append(Term(stem, at, at + len(typed), TermKind.STEM))
        at += len(typed) + 1
    counts = {term.text: frequencies.get(term.text, 5) for term in terms}
    return weigh_query(terms, frequencies=counts, corpus_size=size)


def chunk(text: str, *, title: str = "-") -> IndexedChunk:
    record = build_record(RecordSpec(paragraphs=(text,), title=title))
    store = TemporaryStores().documents
    store.replace_document(record)
    (found,) = store.get_chunks([record.chunks[0].chunk_id])
    return found


def test_words_side_by_side_lift_more_than_words_apart() -> None:
    asked = query("vector", "index")
    beside, near, far = (
        boost(asked, chunk(text))
        for text in ("vector index", "vector of an index", f"vector{' x' * 20} index")
    )
    assert beside > near > far > 0


def test_order_of_two_words_makes_no_difference() -> None:
    asked = query("벡터", "색인")
    assert boost(asked, chunk("벡터 색인")) == pytest.approx(boost(asked, chunk("색인 벡터")))


def test_words_in_one_sentence_lift_more_than_in_two() -> None:
    asked = query("alpha", "omega")
    gap = "and so on for a while"
    assert boost(asked, chunk(f"alpha {gap} omega")) > boost(asked, chunk(f"alpha. {gap}. omega"))


def test_match_in_a_short_title_lifts_more_than_in_a_long_one() -> None:
    asked = query("kebab")
    short, long, none = (
        boost(asked, chunk("kebab", title=title)) for title in ("Kebab", "Kebab and many more things", "X")
    )
    assert short > long > none


def test_word_as_typed_lifts_more_than_its_stem() -> None:
    asked = query("indexes>index")
    assert boost(asked, chunk("the indexes")) > boost(asked, chunk("the index")) > 0


def test_word_whose_stem_is_not_its_beginning_is_looked_for_as_typed() -> None:
    asked = query("happy>happi", "end")
    assert boost(asked, chunk("a happy end")) > boost(
        asked, chunk("happy, as nobody had expected, was the end")
    )


def test_rare_words_lift_more_than_common_ones() -> None:
    asked = query("common", "rare", common=400, rare=1)
    assert boost(asked, chunk("only rare here")) > boost(asked, chunk("only common here"))


def test_chunk_without_the_words_is_not_lifted() -> None:
    assert boost(query("missing"), chunk("something else")) == 0


def test_chunk_of_a_small_corpus_gets_back_what_the_index_lacks() -> None:
    assert boost(query("a", "b", size=2, a=1, b=1), chunk("a b")) > boost(
        query("a", "b", size=2, a=1, b=1), chunk("a")
    )


@given(st.lists(st.sampled_from(["가", "나다", "ab", "b", " ", ". ", "\n"]), max_size=40).map("".join))
def test_lift_is_never_negative_and_bounded_by_the_weights(text: str) -> None:
    asked = query("가", "나다", "ab>a")
    assert 0 <= boost(asked, chunk(text or "-")) <= 3 * sum(asked.weights.values())


@given(
    st.lists(st.integers(0, 99), max_size=8),
    st.lists(st.integers(0, 99), max_size=8),
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
)
def test_closeness_is_that_of_the_nearest_places(
    first: list[int], second: list[int], lengths: tuple[int, int]
) -> None:
    gaps = [b - a - lengths[0] for a in first for b in second] + [
        a - b - lengths[1] for a in first for b in second
    ]
    nearest = min((gap for gap in gaps if gap >= 0), default=13)
    got = closeness(sorted(first), sorted(second), lengths=lengths)
    assert got == pytest.approx(max(0.0, 1 - nearest / 13))
    assert got == pytest.approx(closeness(sorted(second), sorted(first), lengths=(lengths[1], lengths[0])))


@walk("order", list(pairwise(["a b c", "b c", "c", "-"])))
def test_more_words_never_lift_less(order: tuple[str, str]) -> None:
    more, fewer = order
    asked = query("a", "b", "c")
    assert boost(asked, chunk(more)) > boost(asked, chunk(fewer))
