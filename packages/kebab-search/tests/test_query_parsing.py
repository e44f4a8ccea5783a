import unicodedata

import pytest
from hypothesis import given, strategies as st
from kebab_core import InvalidInputError, SyntaxGroup, SyntaxWords
from kebab_search import ParsedQuery, parse_query, parse_syntax
from kebab_testing.tables import walk


@walk(
    ("text", "parsed"),
    [
        ("벡터 인덱스", ParsedQuery(words="벡터 인덱스")),
        ("  벡터 \n", ParsedQuery(words="벡터")),
        ('"vector index"', ParsedQuery(words="  vector index  ", phrases=("vector index",))),
        ("“벡터 인덱스” 언제", ParsedQuery(words="  벡터 인덱스   언제", phrases=("벡터 인덱스",))),
        ('"a" "b"', ParsedQuery(words="  a     b  ", phrases=("a", "b"))),
        ('say "half', ParsedQuery(words="say half")),
        ("“임베* 모델", ParsedQuery(words="모델", prefixes=("임베",))),
        ("롤* a", ParsedQuery(words="a", prefixes=("롤",))),
        ('alpha ""', ParsedQuery(words="alpha    ")),
        ("임베* search", ParsedQuery(words="  search", prefixes=("임베",))),
        ("Emb* emb*", ParsedQuery(words="    ", prefixes=("emb",))),
        ("a* *bold* 2*3", ParsedQuery(words="a* *bold* 2*3")),
        ("raw: (alpha OR beta*)", ParsedQuery(words=" alpha   beta  ", raw="(alpha OR beta*)")),
        ("'alpha AND beta'", ParsedQuery(words="alpha   beta", raw="alpha AND beta")),
        ("it's", ParsedQuery(words="it's")),
    ],
)
def test_query_is_taken_apart(text: str, parsed: ParsedQuery) -> None:
    found = parse_query(text)
    assert found.words.split() == parsed.words.split()
    assert (found.phrases, found.prefixes, found.raw) == (parsed.phrases, parsed.prefixes, parsed.raw)


A, B, C = (SyntaxWords((word,)) for word in "abc")


@walk(
    ("text", "syntax"),
    [
        ("a", A),
        ("a b", SyntaxGroup("AND", (A, B))),
        ("A AND b AND c", SyntaxGroup("AND", (A, B, C))),
        ("a OR b c", SyntaxGroup("OR", (A, SyntaxGroup("AND", (B, C))))),
        ("a AND b OR c", SyntaxGroup("OR", (SyntaxGroup("AND", (A, B)), C))),
        ("a AND b NOT c", SyntaxGroup("AND", (A, SyntaxGroup("NOT", (B, C))))),
        ("a NOT b NOT c", SyntaxGroup("NOT", (A, SyntaxGroup("OR", (B, C))))),
        ("(a OR b) AND c", SyntaxGroup("AND", (SyntaxGroup("OR", (A, B)), C))),
        ('"a b" *', SyntaxWords(("a", "b"), is_open=True)),
        ("색인* 롤백", SyntaxGroup("AND", (SyntaxWords(("색인",), is_open=True), SyntaxWords(("롤백",))))),
        ('"c++" OR "say ""x"""', SyntaxGroup("OR", (SyntaxWords(("c++",)), SyntaxWords(("say", '"x"'))))),
    ],
)
def test_full_text_syntax_is_read_as_operators_over_words(
    text: str, syntax: SyntaxWords | SyntaxGroup
) -> None:
    assert parse_syntax(text) == syntax


@walk(
    "text",
    [
        *('"open', "a AND (b", "(", '"', "a AND", "NOT a", "a OR OR b", "a)", "a (b)", '""', "*", "(a)*"),
        *("title : a", "^a", "a + b", "NEAR(a b)", "c++", "(" * 60 + "a" + ")" * 60, "a " * 1_001),
    ],
)
def test_wrong_full_text_syntax_is_the_callers_mistake(text: str) -> None:
    with pytest.raises(InvalidInputError):
        parse_syntax(text)


@walk("text", ["", "  ", "\n", "raw:", "raw:  ", "''", "' '", '""', "“ ”", '"'])
def test_empty_query_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        parse_query(text)


def test_a_phrase_and_a_prefix_go_together() -> None:
    parsed = parse_query('"vector index" emb*')
    assert (parsed.words.split(), parsed.phrases, parsed.prefixes) == (
        ["vector", "index"],
        ("vector index",),
        ("emb",),
    )


def test_decomposed_query_is_composed() -> None:
    assert parse_query(unicodedata.normalize("NFD", "한국")).words == "한국"


@given(st.text())
def test_any_text_parses_into_something_or_is_refused(text: str) -> None:
    try:
        parsed = parse_query(text)
    except InvalidInputError:
        return
    assert parsed.words.strip() or parsed.prefixes or parsed.raw


@given(words=st.lists(st.text("ab한글", min_size=1, max_size=3000), min_size=1, max_size=20))
def test_of_a_long_query_as_many_whole_words_are_asked_by_meaning_as_there_is_room_for(
    words: list[str],
) -> None:
    text = unicodedata.normalize("NFC", " ".join(words))
    parsed = parse_query(text)
    assert text.startswith(parsed.embedding_text)
    assert len(parsed.embedding_text) <= 2_000
    assert (parsed.embedding_chars is None) == (parsed.embedding_text == parsed.words)
    if len(text) > 2_000 and len(text.split()[0]) <= 2_000:
        assert text[len(parsed.embedding_text)] == " "
        following = text[len(parsed.embedding_text) :].split()[0]
        assert len(parsed.embedding_text) + 1 + len(following) > 2_000


def test_a_very_long_query_is_read_in_part_and_syntax_of_that_length_is_refused() -> None:
    assert parse_query("ab " * 6_000).read_chars is None
    assert parse_query("abcde " * 9_000).read_chars == 19_997
    assert parse_query("a" * 30_000).read_chars == 20_000
    for syntax in ("raw:" + "ab " * 9_000, "'" + "ab " * 9_000 + "'"):
        with pytest.raises(InvalidInputError):
            parse_query(syntax)
