import math

import pytest
from hypothesis import given, strategies as st
from kebab_core import Term, TermKind
from kebab_search.signals import coverage, lexical_evidence
from kebab_search.term_weights import WeightedQuery, missing_frequency, weigh_query
from kebab_testing.tables import walk
from kebab_text import inverse_document_frequency

ONCE = 1 / 2.2
WORDS = ("가", "나다", "ab", "abc", "x")
terms_of_queries = st.lists(
    st.builds(
        lambda text, start, length, kind: Term(text, start, start + length, kind),
        st.sampled_from(WORDS),
        st.integers(0, 9),
        st.integers(1, 4),
        st.sampled_from(TermKind),
    ),
    max_size=8,
).map(lambda terms: sorted(terms, key=lambda term: (term.start, -term.end)))


def query(*terms: Term, size: int = 100, **frequencies: int) -> WeightedQuery:
    counts = {term.text: frequencies.get(term.text, 1) for term in terms}
    return weigh_query(terms, frequencies=counts, corpus_size=size)


@given(terms_of_queries, st.frozensets(st.sampled_from(WORDS)), st.integers(0, 50))
def test_coverage_is_a_share_and_never_falls_with_more_terms(
    terms: list[Term], held: frozenset[str], size: int
) -> None:
    counts = {word: min(size, index) for index, word in enumerate(WORDS)}
    weighted = weigh_query(terms, frequencies=counts, corpus_size=size)
    assert 0 <= coverage(weighted, held) <= 1
    assert coverage(weighted, held) <= coverage(weighted, held | {WORDS[0]}) + 1e-9
    assert coverage(weighted, frozenset(WORDS)) == (pytest.approx(1) if weighted.terms else 0)


def test_stem_covers_its_word() -> None:
    asked = query(Term("running", 0, 7), Term("run", 0, 7, TermKind.STEM))
    assert coverage(asked, frozenset({"run"})) == pytest.approx(1)


def test_parts_cover_a_compound_in_proportion() -> None:
    asked = query(
        Term("대한민국", 0, 4), Term("대한", 0, 2, TermKind.PART), Term("민국", 2, 4, TermKind.PART)
    )
    assert coverage(asked, frozenset({"대한"})) == pytest.approx(0.5)
    assert coverage(asked, frozenset({"대한민국"})) == pytest.approx(1)


def test_rare_word_counts_more_than_a_common_one() -> None:
    asked = query(Term("rare", 0, 4), Term("common", 5, 11), rare=1, common=60)
    assert coverage(asked, frozenset({"rare"})) > 0.8


def test_word_that_no_chunk_holds_counts_against_all() -> None:
    asked = query(Term("known", 0, 5), Term("unknown", 6, 13), known=5, unknown=0)
    assert coverage(asked, frozenset({"known"})) < 0.5


def test_prefix_is_covered_by_any_word_it_begins() -> None:
    asked = weigh_query((), frequencies={}, corpus_size=10, prefixes=("임베",))
    assert coverage(asked, frozenset({"임베딩"})) == 1
    assert coverage(asked, frozenset({"딩"})) == 0


@walk("size", [1, 2, 10, 1000, 1_000_000])
def test_each_word_once_has_the_same_ratio_in_a_corpus_of_any_size(size: int) -> None:
    asked = query(Term("a", 0, 1), Term("b", 2, 3), size=size)
    assert lexical_evidence(asked, chunk_terms=("a", "x", "b")).bm25_ratio == pytest.approx(ONCE)


@walk("size", [1, 2, 10, 1000, 1_000_000])
def test_words_that_no_chunk_holds_lower_the_ratio_in_a_corpus_of_any_size(size: int) -> None:
    asked = query(Term("한", 0, 1), Term("없", 2, 3), Term("zzz", 4, 7), size=size, 한=1, 없=0, zzz=0)
    evidence = lexical_evidence(asked, chunk_terms=("한",) * 3)
    assert 0 < evidence.bm25_ratio < 0.5
    assert 0 < evidence.coverage < 0.4


def test_repeated_word_counts_more_but_does_not_make_up_for_another() -> None:
    asked = query(Term("a", 0, 1), Term("b", 2, 3))
    once, often, always = (lexical_evidence(asked, chunk_terms=("a",) * count) for count in (1, 3, 1000))
    assert once.bm25_ratio == pytest.approx(ONCE / 2)
    assert once.bm25_ratio < often.bm25_ratio < always.bm25_ratio < 0.5
    assert often.coverage == once.coverage
    assert lexical_evidence(asked, chunk_terms=("a", "b") * 99).bm25_ratio == pytest.approx(1, abs=0.02)


def test_part_of_a_compound_counts_as_one_occurrence() -> None:
    asked = query(
        Term("대한민국", 0, 4), Term("대한", 0, 2, TermKind.PART), Term("민국", 2, 4, TermKind.PART)
    )
    assert lexical_evidence(asked, chunk_terms=("대한",)).bm25_ratio == pytest.approx(ONCE / 2)


@given(terms_of_queries, st.lists(st.sampled_from(WORDS)), st.integers(0, 50))
def test_ratio_is_within_what_the_coverage_allows(terms: list[Term], held: list[str], size: int) -> None:
    counts = {word: min(size, index) for index, word in enumerate(WORDS)}
    weighted = weigh_query(terms, frequencies=counts, corpus_size=size)
    evidence = lexical_evidence(weighted, chunk_terms=held)
    assert evidence.coverage * ONCE - 1e-9 <= evidence.bm25_ratio <= evidence.coverage + 1e-9


def test_query_without_terms_has_no_evidence() -> None:
    evidence = lexical_evidence(query(), chunk_terms=("a",))
    assert (evidence.coverage, evidence.bm25_ratio) == (0, 0)


@given(st.integers(1, 300), st.integers(1, 300))
def test_what_the_index_lacks_makes_up_its_frequency(first: int, second: int) -> None:
    count, size = sorted((first, second))
    in_index = max(0.0, math.log((size - count + 0.5) / (count + 0.5)))
    assert in_index + missing_frequency(count, size) == pytest.approx(inverse_document_frequency(count, size))


def test_only_a_corpus_of_a_few_chunks_gets_back_what_the_index_lacks() -> None:
    assert query(Term("a", 0, 1), size=199).missing.keys() == {"a"}
    assert query(Term("a", 0, 1), size=200).missing == {}


def test_only_telling_terms_are_searched_in_a_corpus_of_some_size() -> None:
    terms = (Term("the", 0, 3), Term("rare", 4, 8), Term("absent", 9, 15))
    assert query(*terms, size=1000, the=900, rare=3, absent=0).searched == ("rare",)
    assert query(*terms, size=10, the=9, rare=3, absent=0).searched == ("the", "rare")
    assert query(terms[0], size=1000, the=900).searched == ("the",)


def test_very_long_question_keeps_its_rarest_terms() -> None:
    terms = [Term(f"w{number}", 3 * number, 3 * number + 2) for number in range(100)]
    counts = {term.text: 1 + number for number, term in enumerate(terms)}
    searched = weigh_query(terms, frequencies=counts, corpus_size=10_000).searched
    assert searched == tuple(f"w{number}" for number in range(64))


def test_part_of_one_letter_is_searched_only_beside_its_word() -> None:
    terms = (Term("외계인", 0, 3), Term("외계", 0, 2, TermKind.PART), Term("인", 2, 3, TermKind.PART))
    assert query(*terms, 외계인=0, 외계=0, 인=9).searched == ()
    assert query(*terms, 외계인=2, 외계=0, 인=9).searched == ("외계인", "인")
    assert query(Term("인", 0, 1), 인=9).searched == ("인",)
