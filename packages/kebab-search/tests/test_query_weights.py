from kebab_core import Term, TermKind
from kebab_search.term_weights import WeightedQuery, weigh_query
from kebab_text import split_words

INDEXES = (Term("indexes", 0, 7), Term("index", 0, 7, TermKind.STEM))


def weigh(*terms: Term, size: int = 1000, **frequencies: int) -> WeightedQuery:
    counts = {term.text: frequencies.get(term.text, 5) for term in terms}
    return weigh_query(terms, frequencies=counts, corpus_size=size)


def test_inflected_word_is_asked_for_by_its_stem_alone() -> None:
    weighted = weigh(*INDEXES, Term("search", 8, 14))
    assert weighted.searched == ("index", "search")
    assert weighted.inflected == {"indexes": "index"}
    assert weighted.words == (("indexes", "index"), ("search",))


def test_noun_in_the_place_of_a_longer_stem_is_asked_for_too() -> None:
    weighted = weigh(Term("공부하", 0, 2, TermKind.STEM), Term("공부", 0, 2, TermKind.PART))
    assert set(weighted.searched) == {"공부하", "공부"}


def test_other_morpheme_in_the_place_of_a_word_is_not_its_stem() -> None:
    weighted = weigh(Term("유타", 0, 3), Term("주", 0, 3, TermKind.STEM))
    assert weighted.searched == ("유타", "주")
    assert weighted.inflected == {}


def test_word_that_is_asked_for_elsewhere_as_a_stem_stays() -> None:
    weighted = weigh(*INDEXES, Term("index", 8, 13))
    assert weighted.searched == ("index",)
    assert weighted.words == (("indexes", "index"), ("index",))


def test_word_that_no_chunk_holds_is_asked_for_by_its_stem_but_looked_for_nowhere() -> None:
    weighted = weigh(*INDEXES, indexes=0)
    assert weighted.searched == ("index",)
    assert weighted.inflected == {}


def test_terms_of_one_word_stay_together() -> None:
    words = list(split_words([*INDEXES, Term("a", 8, 9)]))
    assert [[term.text for term in word] for word in words] == [["indexes", "index"], ["a"]]


def test_share_that_is_known_goes_by_weight() -> None:
    zebra = Term("zebra", 8, 13)
    assert weigh(*INDEXES, zebra).known_share == 1
    assert weigh(zebra, zebra=0).known_share == 0
    assert 0 < weigh(*INDEXES, zebra, zebra=0).known_share < 0.5
    assert weigh().known_share == 1
