import pytest
from hypothesis import given, strategies as st
from kebab_core import Evidence, FoundTerms, Term, TermKind
from kebab_search.signals import passage_evidence
from kebab_search.term_weights import WeightedQuery, weigh_query

words = st.lists(st.sampled_from(["a", "b", "c", "one", "two", ".", "\n"]), max_size=30).map(" ".join)


def split(text: str) -> list[Term]:
    terms, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        terms.append(Term(word.strip("."), at, at + len(word)))
        at += len(word)
    return [term for term in terms if term.text]


def terms_of(text: str) -> FoundTerms:
    return FoundTerms(split(text), len(split(text)))


def query(text: str) -> WeightedQuery:
    terms = split(text)
    return weigh_query(terms, frequencies={term.text: 1 for term in terms}, corpus_size=1000)


def evidence(asked: str, text: str, *, title: str = "") -> Evidence:
    return passage_evidence(query(asked), text=text, terms=terms_of(text), around=split(title))


@given(words.map("one ".__add__), words, words)
def test_every_signal_is_a_share(asked: str, text: str, title: str) -> None:
    found = evidence(asked, text, title=title)
    for signal in (found.density, found.sentence_coverage, found.proximity):
        assert signal is not None
        assert 0 <= signal <= 1


def test_words_of_one_sentence_count_more_than_words_of_many() -> None:
    together = evidence("one two three", "one two three. four. five. six")
    apart = evidence("one two three", "one. four. two. five. three. six")
    assert together.coverage == apart.coverage
    assert together.sentence_coverage == pytest.approx(1)
    assert apart.sentence_coverage == pytest.approx(1 / 3)


def test_next_sentence_and_the_title_belong_to_a_sentence() -> None:
    assert evidence("one two", "one. two. x").sentence_coverage == pytest.approx(1)
    assert evidence("one two", "one. x. x", title="two").sentence_coverage == pytest.approx(1)


def test_neighbouring_words_of_the_query_are_near_where_they_touch() -> None:
    assert evidence("one two", "one two").proximity == pytest.approx(1, abs=0.1)
    assert evidence("one two", "one " + "x " * 20 + "two").proximity == 0
    assert evidence("one", "one").proximity == 0


def test_repeated_words_are_denser_and_long_passages_less() -> None:
    once, twice = evidence("one", "one x x"), evidence("one", "one one x")
    long = evidence("one", "one " + "x " * 500)
    assert long.density < once.density < twice.density  # type: ignore[operator]


def test_title_alone_makes_nothing_dense() -> None:
    assert evidence("one", "x x", title="one").density == 0


def test_parts_of_a_compound_count_in_proportion() -> None:
    asked = weigh_query(
        [Term("대한민국", 0, 4), Term("대한", 0, 2, TermKind.PART), Term("민국", 2, 4, TermKind.PART)],
        frequencies={"대한민국": 1, "대한": 1, "민국": 1},
        corpus_size=1000,
    )
    found = passage_evidence(asked, text="대한", terms=FoundTerms([Term("대한", 0, 2)], 1), around=[])
    assert found.sentence_coverage == pytest.approx(0.5)


def test_passage_without_the_words_gives_nothing() -> None:
    found = evidence("one two", "x y z")
    assert (found.density, found.sentence_coverage, found.proximity) == (0, 0, 0)


def test_query_of_beginnings_alone_says_nothing_of_places() -> None:
    asked = weigh_query([], frequencies={}, corpus_size=1000, prefixes=("on",))
    found = passage_evidence(asked, text="one two", terms=terms_of("one two"), around=[])
    assert found.coverage == pytest.approx(1)
    assert (found.density, found.sentence_coverage, found.proximity) == (None, None, None)
