from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_eval import JudgedQuery, classify_language, rank_by_substrings

DOCUMENTS = [
    ("b", "색인은 매일 만든다"),
    ("a", "색인은 매일 만든다"),
    ("c", "The INDEX is rebuilt, 매일"),
    ("d", "nothing here"),
]


def ask(text: str, *, excluded: str | None = None) -> JudgedQuery:
    return JudgedQuery(
        query_id=text,
        text=text,
        language=classify_language(text),
        kind=None,
        grades={"a": 1},
        excluded=excluded,
    )


def rank(text: str, *, depth: int = 10, excluded: str | None = None) -> tuple[str, ...]:
    return rank_by_substrings([ask(text, excluded=excluded)], DOCUMENTS, depth=depth)[text]


def test_more_distinct_words_come_first_and_ties_by_id() -> None:
    assert rank("색인 매일?") == ("a", "b", "c")
    assert rank("매일 매일 매일 index") == ("c", "a", "b")


def test_words_are_found_inside_words_and_in_any_case() -> None:
    assert rank("Dex") == ("c",)
    assert rank("색인을") == ()


def test_the_excluded_document_leaves_its_place_to_the_next() -> None:
    assert rank("색인", depth=1) == ("a",)
    assert rank("색인", depth=1, excluded="a") == ("b",)


@given(
    queries=st.lists(st.text(alphabet="ab cB_", min_size=1, max_size=8), min_size=1, max_size=4, unique=True),
    texts=st.lists(st.text(alphabet="ab cB_.", max_size=12), max_size=8),
    depth=st.integers(1, 5),
)
def test_one_pass_over_all_queries_finds_what_looking_for_each_word_finds(
    queries: list[str], texts: list[str], depth: int
) -> None:
    documents = [(f"d{number}", text) for number, text in enumerate(texts)]
    found = rank_by_substrings([ask(text) for text in queries], documents, depth=depth)
    for query in queries:
        words = set(query.casefold().split())
        counted = [(-sum(word in text.casefold() for word in words), name) for name, text in documents]
        assert found[query] == tuple(name for count, name in sorted(counted) if count)[:depth]
