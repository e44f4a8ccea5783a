"""What an error advises can be done with the tools, or by the user."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Base, Session

NOWHERE = "0" * 32


@walk(
    ("tool", "arguments", "hint"),
    [
        (
            "fetch",
            {"kind": "doc", "doc_id": NOWHERE},
            "call `search` or `list`: they name the documents there are",
        ),
        ("search", {"query": " "}, "give words or a question"),
        ("ask", {"question": " "}, "give a question"),
    ],
)
def test_an_error_advises_what_an_agent_can_do(
    tool: str, arguments: dict[str, Any], hint: str, shared: Session
) -> None:
    reply = shared.call(tool, **arguments)
    assert (reply.is_error, reply.value["hint"]) == (True, hint)


def test_one_of_many_searches_advises_the_same(shared: Session) -> None:
    (item,) = shared.call("bulk_search", queries=[{"query": ""}]).value["results"]
    assert item["error"]["hint"] == "give words or a question"


def test_what_stands_in_an_answer_is_advised_likewise(base: Base, serve_base: Callable[..., Any]) -> None:
    text = base.config.read_text(encoding="utf-8").replace(
        'provider = "none"',
        'provider = "ollama"\nmodel = "none"\ndimensions = 4\nendpoint = "http://127.0.0.1:9"',
    )
    base.config.write_text(text, encoding="utf-8")
    with serve_base(base.parameters("--readonly")) as session:
        one = session.call("search", query="색인").value["coverage"]["leg_failure"]["hint"]
        (item,) = session.call("bulk_search", queries=[{"query": "색인"}]).value["results"]
        assert item["response"]["coverage"]["leg_failure"]["hint"] == one
        answer = session.call("ask", question="색인은 언제 다시 만들어지나요?").value
        hints = [check.get("hint") for check in session.call("doctor").value["checks"] if not check["ok"]]
    told = [one, *filter(None, hints)]
    assert told
    assert [hint for hint in told if hint.startswith("kebab ")] == []
    assert (answer.get("coverage") or {}).get("leg_failure", {}).get("hint", one) == one


def test_an_agent_is_told_how_the_user_makes_a_new_index_in_place_of_an_old_one(
    base: Base, serve_base: Callable[..., Any]
) -> None:
    with closing(sqlite3.connect(base.data / "kebab.sqlite")) as connection, connection:
        connection.execute("UPDATE schema_meta SET value = '11' WHERE key = 'schema_version'")
    with serve_base(base.parameters()) as session:
        for tool, arguments in (
            ("search", {"query": "색인"}),
            ("list", {}),
            ("ask", {"question": "색인은?"}),
        ):
            reply = session.call(tool, **arguments)
            assert (reply.is_error, reply.value["code"]) == (True, "schema_too_old")
            assert reply.value["hint"] == (
                "the user can run: kebab doctor --repair; then the user can run: kebab ingest"
            )


def test_a_folder_is_refused_with_what_the_user_can_do(session: Session, base: Base) -> None:
    reply = session.call("ingest_file", path=str(base.notes))
    assert reply.value["hint"] == f"the user can run: kebab config add-source {base.notes}"


def test_a_long_argument_of_the_wrong_kind_is_not_read_back_whole(shared: Session) -> None:
    for given in ({"query": {"a": "색인" * 5000}}, {"query": "색인", "trust_min": "x" * 5000}):
        reply = shared.call("search", **given)
        assert reply.is_error
        assert len(reply.text) < 700


def test_an_unknown_tool_is_answered_with_those_there_are(shared: Session) -> None:
    with pytest.raises(Exception, match=r"there is no tool 'serch'; there are search, .*, doctor$"):
        shared.call("serch")
