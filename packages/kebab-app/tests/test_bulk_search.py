"""Several searches in one call: each as it would be alone, in one batch, none in the way of another."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_app import MAX_QUERIES
from kebab_core import (
    EmbeddingKind,
    InvalidInputError,
    KebabError,
    NotIndexedError,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchResponse,
    StaleCursorError,
    TooManyQueriesError,
)
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.families import examples

NOTES = {
    "색인.md": "---\ntags: [검색]\n---\n# 색인\n\n색인은 파일이 바뀌면 다시 만든다.\n\n## 규칙\n\n표는 자르지 않는다.\n",
    "deploy.md": "# Deployment\n\nWe deploy with a blue green switch.\n\n## Rollback\n\nRolling back takes a minute.\n",
    "purchase.md": "# Purchases\n\nWe buy an automobile each year.\n",
}
BAD_CURSOR = "x"

queries = st.builds(
    SearchQuery,
    text=st.sampled_from([
        "색인은 언제 만드나요?",
        "rollback",
        '"blue green" switch',
        "자동차 구매",
        "표 자르지",
        "raw: 색인",
        " ",
        "없는말",
    ]),
    mode=st.sampled_from(SearchMode),
    k=st.integers(1, 4),
    filters=st.sampled_from([
        SearchFilters(),
        SearchFilters(tags_any=("검색",)),
        SearchFilters(path_glob=("*.md",), lang=("en",)),
    ]),
    snippet_chars=st.none() | st.integers(20, 60),
    max_tokens=st.none() | st.integers(1, 400),
    cursor=st.sampled_from([None, None, None, BAD_CURSOR]),
    trace=st.booleans(),
)


@pytest.fixture
def embedder() -> BagOfWordsEmbedder:
    return BagOfWordsEmbedder(96, synonyms={"자동차": "automobile", "구매": "buy"})


@pytest.fixture
def library(base, embedder):  # type: ignore[no-untyped-def]
    """Three notes with vectors; nothing else has asked the model."""
    base.embedder = embedder
    for path, text in NOTES.items():
        base.write(path, text)
    base.ingest()
    embedder.asked.clear()
    return base


def alone(app, query: SearchQuery) -> SearchResponse | tuple[type[KebabError], str]:  # type: ignore[no-untyped-def]
    try:
        found: SearchResponse = app.search(query)
    except KebabError as error:
        return type(error), error.message
    return found


def in_bulk(app, asked: list[SearchQuery]) -> list[SearchResponse | tuple[type[KebabError], str]]:  # type: ignore[no-untyped-def]
    return [
        (type(found), found.message) if isinstance(found, KebabError) else found
        for found in app.bulk_search(asked)
    ]


@pytest.mark.thorough
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(100))
@given(asked=st.lists(queries, max_size=6))
def test_every_query_finds_what_it_finds_alone(library, asked: list[SearchQuery]) -> None:  # type: ignore[no-untyped-def]
    assert in_bulk(library.app, asked) == [alone(library.app, query) for query in asked]


@pytest.mark.thorough
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(100))
@given(asked=st.lists(queries, max_size=6))
def test_all_queries_go_through_the_model_together(library, embedder, asked: list[SearchQuery]) -> None:  # type: ignore[no-untyped-def]
    embedder.asked.clear()
    list(library.app.bulk_search(asked))
    assert len(embedder.asked) <= 1
    assert all(kind is EmbeddingKind.QUERY for _, kind in embedder.asked)


def test_words_alone_ask_no_model(library, embedder) -> None:  # type: ignore[no-untyped-def]
    asked = [SearchQuery(text=text, mode=SearchMode.LEXICAL) for text in ("색인", "rollback")]
    assert [bool(found.hits) for found in library.app.bulk_search(asked)] == [True, True]
    assert embedder.asked == []


def test_pages_go_on_where_they_ended(library) -> None:  # type: ignore[no-untyped-def]
    first = library.app.search(SearchQuery(text="색인 규칙 표", k=1, all_passages=True))
    assert first.next_cursor is not None
    query = SearchQuery(text="색인 규칙 표", k=1, all_passages=True, cursor=first.next_cursor)
    (second,) = library.app.bulk_search([query])
    assert second == library.app.search(query)
    assert second.hits[0].chunk_id != first.hits[0].chunk_id


def test_nothing_asked_finds_nothing_even_where_nothing_is_indexed(base) -> None:  # type: ignore[no-untyped-def]
    assert list(base.app.bulk_search([])) == []
    assert not base.data_dir.exists()


def test_one_wrong_query_of_three_leaves_two_results(library) -> None:  # type: ignore[no-untyped-def]
    asked = [
        SearchQuery(text="색인", mode=SearchMode.LEXICAL),
        SearchQuery(text="색인", mode=SearchMode.LEXICAL, cursor=BAD_CURSOR),
        SearchQuery(text="rollback", mode=SearchMode.LEXICAL),
    ]
    first, second, third = library.app.bulk_search(asked)
    assert first.hits
    assert isinstance(second, StaleCursorError)
    assert third.hits


def test_a_query_that_could_not_be_read_comes_back_in_its_place(library) -> None:  # type: ignore[no-untyped-def]
    unread = InvalidInputError("trust_min: must be one of three")
    found = list(library.app.bulk_search([unread, SearchQuery(text="색인"), unread]))
    assert (found[0], found[2]) == (unread, unread)
    assert found[1].hits


def test_without_an_index_every_query_says_so(base) -> None:  # type: ignore[no-untyped-def]
    found = list(
        base.app.bulk_search([SearchQuery(text="가"), SearchQuery(text="나", mode=SearchMode.LEXICAL)])
    )
    assert [type(each) for each in found] == [NotIndexedError, NotIndexedError]


def test_as_many_as_are_allowed_are_searched_for_and_one_more_is_refused_at_once(library) -> None:  # type: ignore[no-untyped-def]
    query = SearchQuery(text="색인", mode=SearchMode.LEXICAL, k=1)
    assert len(list(library.app.bulk_search([query] * MAX_QUERIES))) == MAX_QUERIES == 100
    with pytest.raises(TooManyQueriesError) as raised:
        library.app.bulk_search([query] * (MAX_QUERIES + 1))
    assert raised.value.details == {"limit": MAX_QUERIES}


def test_a_file_that_was_indexed_meanwhile_is_found_by_the_next_query(library) -> None:  # type: ignore[no-untyped-def]
    query = SearchQuery(text="케밥은 맛있다", k=1)
    results = library.app.bulk_search([query, query])
    assert "kebab.md" not in [hit.doc_path for hit in next(results).hits]
    library.write("kebab.md", "# 케밥\n\n케밥은 맛있다.\n")
    library.ingest()
    assert [hit.doc_path for hit in next(results).hits] == ["kebab.md"]
