"""Match of a query with a passage and with names."""

import pytest
from kebab_core import IndexedChunk, Term, TermKind
from kebab_search.signals import PassageMatch
from kebab_search.symbol_search import SymbolNames
from kebab_search.term_weights import weigh_query
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER = WordAnalyzer()


def passage(text: str, *, title: str = "other") -> IndexedChunk:
    store = TemporaryStores().documents
    terms = ANALYZER.analyze_chunk(title=title, heading_path=(), text=text)
    record = build_record(RecordSpec(path="a.md", paragraphs=(text,), terms=[terms], title=title))
    store.replace_document(record)
    (chunk,) = store.get_chunks([each.chunk_id for each in record.chunks])
    return chunk


def match(typed: str, *terms: Term) -> PassageMatch:
    counts = {term.text: 1 for term in terms}
    weighted = weigh_query(terms, frequencies=counts, corpus_size=1000)
    return PassageMatch(
        weighted,
        analyzer=ANALYZER,
        frequencies=lambda texts: dict.fromkeys(texts, 1),
        corpus_size=1000,
        symbols=SymbolNames(),
        typed=typed,
    )


EMAIL = (Term("email", 0, 5),)
HYPHENATED = (Term("e-mail", 0, 6), Term("email", 0, 6, TermKind.PART))
NUMBER = (Term("0315551234", 0, 10),)
GROUPED = (Term("031-555-1234", 0, 12), Term("0315551234", 0, 12, TermKind.PART))
APART = (Term("snowplough", 0, 11), Term("snow", 0, 4), Term("plough", 5, 11))


@walk(
    ("typed", "terms", "text"),
    [
        ("email", EMAIL, "Send an e-mail to them."),
        ("email", EMAIL, "Send an email to them."),
        ("e-mail", HYPHENATED, "Send an e-mail to them."),
        ("e-mail", HYPHENATED, "Send an email to them."),
        ("0315551234", NUMBER, "Call 031-555-1234 first."),
        ("031-555-1234", GROUPED, "Call 0315551234 first."),
        ("snow plough", APART, "The snow-plough came late."),
        ("snow plough", APART, "The snowplough came late."),
    ],
)
def test_word_is_held_whether_it_is_written_in_one_or_with_a_hyphen(
    typed: str, terms: tuple[Term, ...], text: str
) -> None:
    assert match(typed, *terms).share(passage(text)) == pytest.approx(1)
    assert match(typed, *terms).share(passage("nothing", title=text)) == pytest.approx(1)
    assert match(typed, *terms).share(passage("nothing of it")) == 0


@walk("text", ["보증금은 3천만원이다.", "보증금은 30,000,000원이다.", "It costs 30 million."])
def test_an_amount_is_held_in_digits_and_in_units_of_numbers(text: str) -> None:
    asked = match("3천만원", Term("30000000", 0, 3))
    assert asked.share(passage(text)) == pytest.approx(1)
    assert asked.share(passage("nothing", title=text)) == pytest.approx(1)
    assert asked.share(passage("보증금은 4천만원이다.")) == 0


def test_digits_beside_a_hyphen_are_not_written_in_one() -> None:
    assert match("45", Term("45", 0, 2)).share(passage("from 3-4 to 4-5")) == 0


@walk(
    ("typed", "text", "held"),
    [
        ("123456", "1234567 in all", 0),
        ("123456", "7123456 in all", 0),
        ("123456", "1234567, of that 123456", 1),
        ("v3", "since v31", 0),
        ("v3", "since v3.1", 1),
        ("5월", "15월", 0),
        ("5월", "5월에", 1),
    ],
)
def test_number_is_not_held_by_a_longer_one(typed: str, text: str, held: float) -> None:
    asked = match(typed, Term(typed, 0, len(typed)))
    assert asked.share(passage(text)) == pytest.approx(held)
    assert asked.share(passage("nothing", title=text)) == pytest.approx(held)


def test_of_forms_of_one_length_the_first_by_letters_counts_in_every_process() -> None:
    text = "The {} is here with snow. The {} is there."
    for first, second in zip("abcdefghijkl", "mnopqrstuvwx", strict=True):
        forms = f"{first}oat", f"{second}oat"
        words = [Term(form, 0, 4, TermKind.WORD) for form in forms]
        asked = match("oat snow", *words, Term("snow", 5, 9))
        assert asked.share(passage(text.format(*forms))) == pytest.approx(1)
        assert asked.share(passage(text.format(*reversed(forms)))) < 1
