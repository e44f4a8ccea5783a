from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st
from kebab_core import ChunkId, Message, Remedy, SearchFilters, SearchMode, SearchQuery, StaleCursorError
from kebab_search.candidate_finder import PageStart
from kebab_search.paging import Cursor, decode_cursor, digest_query, open_page, require_place
from kebab_testing.tables import walk

DIGEST = st.text("0123456789abcdef", min_size=8, max_size=8)
cursors = st.builds(
    Cursor, offset=st.integers(1, 10**9 - 1), revision=st.integers(0, 2**53), query=DIGEST, last=DIGEST
)


@given(cursors)
def test_cursor_reads_back(cursor: Cursor) -> None:
    assert decode_cursor(cursor.encode()) == cursor


@given(cursors)
def test_cursor_can_stand_in_a_url_or_a_shell_as_it_is(cursor: Cursor) -> None:
    text = cursor.encode()
    assert text.isascii()
    assert text.replace("-", "").isalnum()
    assert len(text) < 60


@walk(
    "text",
    [
        "",
        " ",
        "abc",
        "%%%",
        "한글",
        "\ud800",
        "1" * 10_000,
        "10-5-00000000",
        "10-5-00000000-",
        "10-5-00000000-00000000-00000000",
        "0-5-00000000-00000000",
        "-1-5-00000000-00000000",
        "01-5-00000000-00000000",
        "1.0-5-00000000-00000000",
        f"{10**30}-5-00000000-00000000",
        "10-٥-00000000-00000000",
        "10--00000000-00000000",
        "10-5-00000000-0000000g",
        "10-5-00000000-00000000=",
        "10-5-00000000-00000000\n",
        "WzEsMTAsNSwiMDAwMDAwMDAwMDAwIiwiMDAwMDAwMDAwMDAwIl0",
    ],
)
def test_what_was_not_made_here_is_refused(text: str) -> None:
    with pytest.raises(StaleCursorError, match="cannot be read") as refused:
        decode_cursor(text)
    assert refused.value.remedy == Remedy(advice=Message("search again without the cursor"))


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(StaleCursorError):
        assert decode_cursor(text).encode() == text


@walk("query", ["0" * 8, "2" * 8])
def test_cursor_of_another_state_of_the_index_says_so_whatever_else_changed(query: str) -> None:
    text = Cursor(10, 5, "0" * 8, "1" * 8).encode()
    assert open_page(text, revision=5, query="0" * 8).offset == 10
    with pytest.raises(StaleCursorError, match="the index has changed") as refused:
        open_page(text, revision=6, query=query)
    assert refused.value.details == {"cursor_revision": 5, "corpus_revision": 6}


def test_cursor_of_another_query_is_stale() -> None:
    with pytest.raises(StaleCursorError, match="another query"):
        open_page(Cursor(10, 5, "0" * 8, "1" * 8).encode(), revision=5, query="2" * 12)


def test_cursor_of_an_order_that_is_no_longer_there_is_stale() -> None:
    chunks = [ChunkId(digit * 32) for digit in "123"]
    require_place(PageStart(5, (), offset=2, last="2" * 12), chunks)
    for offset in (2, 4):
        with pytest.raises(StaleCursorError, match="another index"):
            require_place(PageStart(5, (), offset=offset, last="3" * 12), chunks)


BASE = SearchQuery(text="alpha beta", mode=SearchMode.LEXICAL)


def digest(**changes: object) -> str:
    return digest_query(SearchQuery.model_validate({**dict(BASE), **changes}), order=("a",))


@walk(
    "changes",
    [
        {"text": "alpha beta gamma"},
        {"text": "Alpha beta"},
        {"mode": SearchMode.HYBRID},
        {"filters": SearchFilters(lang=("ko",))},
        {"filters": SearchFilters(tags_any=("ko",))},
        {"filters": SearchFilters(ingested_after=datetime(2026, 1, 1, tzinfo=UTC))},
        {"all_passages": True},
    ],
)
def test_whatever_changes_the_result_changes_the_digest(changes: dict[str, object]) -> None:
    assert digest(**changes) != digest()


@walk(
    "changes",
    [
        {"k": 3},
        {"max_tokens": 100},
        {"snippet_chars": 50},
        {"trace": True},
        {"cursor": "x"},
        {"text": " alpha beta\n"},
    ],
)
def test_what_only_changes_the_page_does_not(changes: dict[str, object]) -> None:
    assert digest(**changes) == digest()


def test_digest_does_not_depend_on_the_order_of_values() -> None:
    one, other = SearchFilters(lang=("ko", "en")), SearchFilters(lang=("en", "KO"))
    assert digest(filters=one) == digest(filters=other)


def test_digest_depends_on_how_hits_are_ordered() -> None:
    assert digest_query(BASE, order=("a",)) != digest_query(BASE, order=("b",))


def test_a_time_ago_is_the_same_query_a_moment_later() -> None:
    def digest(second: int) -> str:
        since = datetime(2026, 1, 1, 12, 0, second, tzinfo=UTC)
        return digest_query(SearchQuery(text="x", filters=SearchFilters(since=since)), order=())

    assert digest(1) == digest(59)
