"""`bulk_search`: what `search` does, several times in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kebab_testing.tables import walk
from kebab_wire import parse_wire

if TYPE_CHECKING:
    from conftest import Base, Session

KOREAN = "색인은 언제 다시 만들어지나요?"
QUERIES: list[dict[str, Any]] = [
    {"query": KOREAN},
    {"query": "색인 표 청크", "k": 1, "mode": "lexical", "snippet_chars": 40, "max_tokens": 200},
    {"query": "색인", "tag": "색인들"},
    {"query": "rollback", "lang": ["ko", "en"], "path_glob": "english/**", "media": "markdown"},
    {"query": "파스타 삶는 법"},
]


def test_every_query_finds_what_search_finds_and_comes_back_with_it(shared: Session) -> None:
    reply = shared.call("bulk_search", queries=QUERIES)
    assert not reply.is_error
    assert reply.structured == reply.value
    parse_wire(reply.text)
    assert [item["query"] for item in reply.value["results"]] == [query["query"] for query in QUERIES]
    alone = [shared.call("search", all_passages=True, **query).value for query in QUERIES]
    assert [item["response"] for item in reply.value["results"]] == alone
    assert not [item for item in reply.value["results"] if "error" in item]
    assert "failed" not in reply.value


def test_a_page_goes_on_where_it_ended(shared: Session) -> None:
    query = {"query": "색인 표 청크", "k": 1}
    first = shared.call("search", all_passages=True, **query).value
    (second,) = shared.call("bulk_search", queries=[{**query, "cursor": first["next_cursor"]}]).value[
        "results"
    ]
    assert second["response"]["hits"][0]["address"] != first["hits"][0]["address"]


@walk(
    ("wrong", "code"),
    [
        ({"query": " "}, "invalid_input"),
        ({"query": "색인", "trust_min": "certain"}, "invalid_input"),
        ({"query": "색인", "mode": "psychic"}, "invalid_input"),
        ({"query": "색인", "tags": "검색"}, "invalid_input"),
        ({"query": "색인", "cursor": "x"}, "stale_cursor"),
        ({"query": "색인", "mode": "vector"}, "not_indexed"),
        ({}, "invalid_input"),
    ],
)
def test_what_is_wrong_with_one_query_leaves_the_others_alone(
    wrong: dict[str, Any], code: str, shared: Session
) -> None:
    reply = shared.call("bulk_search", queries=[{"query": "색인"}, wrong, {"query": "rollback"}])
    assert not reply.is_error
    first, second, third = reply.value["results"]
    assert first["response"]["hits"]
    assert third["response"]["hits"]
    assert (second["query"], second["error"]["code"]) == (wrong.get("query", ""), code)
    assert "response" not in second
    assert second["error"]["hint"]
    assert reply.value["failed"] == 1


def test_what_a_line_of_the_command_may_have_is_taken(shared: Session) -> None:
    nothing = dict.fromkeys(("k", "lang", "tag", "max_tokens", "mode", "cursor", "path_glob", "trust_min"))
    query = {"query": "색인", **nothing, "trace": True, "schema_version": "bulk_search_input.v1"}
    (item,) = shared.call("bulk_search", queries=[query]).value["results"]
    assert item["query"] == "색인"
    assert item["response"] == shared.call("search", query="색인", all_passages=True).value
    assert shared.call("search", query="색인", all_passages=True, **nothing).value == item["response"]


@walk("wrong", [{"trace": 1}, {"trace": "yes"}, {"schema_version": "bulk_search_input.v2"}])
def test_what_no_line_of_the_command_may_have_is_refused(wrong: dict[str, Any], shared: Session) -> None:
    (item,) = shared.call("bulk_search", queries=[{"query": "색인", **wrong}]).value["results"]
    assert item["error"]["code"] == "invalid_input"


def test_no_query_is_no_error(shared: Session) -> None:
    reply = shared.call("bulk_search", queries=[])
    assert not reply.is_error
    assert reply.value == {"schema_version": "bulk_search_response.v2", "results": []}


def test_a_hundred_queries_are_taken_and_one_more_is_too_many(shared: Session) -> None:
    query = {"query": "색인", "k": 1}
    results = shared.call("bulk_search", queries=[query] * 100).value["results"]
    assert len([item for item in results if item["response"]["hits"]]) == 100
    reply = shared.call("bulk_search", queries=[query] * 101)
    assert (reply.is_error, reply.value["code"]) == (True, "too_many_queries")


def test_a_query_may_be_its_words_alone_and_a_wrong_one_leaves_the_others(shared: Session) -> None:
    reply = shared.call("bulk_search", queries=["색인", 5, {"question": "rollback", "limit": 1}, None])
    assert [one["query"] for one in reply.value["results"]] == ["색인", "", "rollback", ""]
    assert [one.get("error", {}).get("code") for one in reply.value["results"]] == [
        None,
        "invalid_input",
        None,
        "invalid_input",
    ]
    assert reply.value["results"][0]["response"]["hits"]


@walk("given", [{}, {"queries": "색인"}, {"queries": [], "limits": 1}])
def test_arguments_of_another_shape_are_refused(given: dict[str, Any], shared: Session) -> None:
    reply = shared.call("bulk_search", **given)
    assert (reply.is_error, reply.value["code"]) == (True, "invalid_input")


def test_a_note_that_another_process_added_is_found(base: Base, session: Session) -> None:
    queries = [{"query": "케밥은 맛있다"}, {"query": "색인"}]
    session.call("bulk_search", queries=queries)
    base.write("kebab.md", "# 케밥\n\n케밥은 맛있다.\n")
    base.ingest()
    found = session.call("bulk_search", queries=queries).value["results"]
    assert found[0]["response"]["hits"][0]["address"].startswith("kebab.md#")
