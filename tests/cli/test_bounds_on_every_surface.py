"""What a search may be given has bounds, and whoever passes one is told so in the same way everywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
import pytest_socket
from kebab_testing.tables import walk

from tests.integration.served import Served, ToolFailedError

TOO_MUCH: dict[str, Any] = {
    "many globs": {"path_glob": ["**/x"] * 33},
    "a long glob": {"path_glob": "**/" * 400},
    "many tags": {"tag": ["t"] * 101},
    "a long tag": {"tag": ["t" * 1001]},
    "many documents": {"doc_id": ["0" * 32] * 101},
    "a long source": {"source": ["s" * 1001]},
    "a long name of a language": {"lang": ["k" * 1001]},
    "many tokens": {"max_tokens": 10_000_001},
    "many hits": {"k": 1001},
}
HOSTILE_GLOB = "**/" * 24 + "x"


@pytest.fixture(scope="module")
def agent(tmp_path_factory, make_inside):  # type: ignore[no-untyped-def]
    pytest_socket.enable_socket()
    kb = make_inside(tmp_path_factory.mktemp("bounds"))
    kb.write("/".join("abcdefghijkl") + "/deep.md", "# 깊이\n\n색인은 깊은 곳에 있다.\n")
    assert kb("ingest").code == 0
    served = Served(kb.config)
    with served.process:
        served.start()
        yield kb, served
        served.kill()


@walk("matter", sorted(TOO_MUCH))
def test_too_much_is_the_same_invalid_input_for_programs_and_agents(matter, agent) -> None:  # type: ignore[no-untyped-def]
    kb, served = agent
    query = {"query": "색인", **TOO_MUCH[matter]}
    (name,) = TOO_MUCH[matter]
    with pytest.raises(ToolFailedError) as raised:
        served.call("search", **query)
    (item,) = kb("search", "--bulk", "--json", stdin=json.dumps(query)).objects
    (value,) = TOO_MUCH[matter].values()
    values = value if isinstance(value, list) else [value]
    flags = [part for each in values for part in (f"--{name.replace('_', '-')}", str(each))]
    done = kb("search", "색인", *flags, "--json")
    assert raised.value.code == item["error"]["code"] == done.error["code"] == "invalid_input"
    for said in (str(raised.value), item["error"]["message"], done.error["message"]):
        assert name.replace("_", "-") in said.replace("_", "-")
        assert len(said) < 500


def test_a_query_without_end_is_refused_by_search_and_ask(agent) -> None:  # type: ignore[no-untyped-def]
    kb, served = agent
    endless = "색인 " * 400_000
    for tool, argument in (("search", "query"), ("ask", "question")):
        with pytest.raises(ToolFailedError) as raised:
            served.call(tool, **{argument: endless})
        assert raised.value.code == "invalid_input"
    (item,) = kb("search", "--bulk", "--json", stdin=json.dumps({"query": endless})).objects
    assert item["error"]["code"] == "invalid_input"


@walk("glob", [HOSTILE_GLOB, "**/*a" * 150, "[a-z/]**" * 100])
def test_a_glob_of_many_wildcards_is_answered(glob: str, agent) -> None:  # type: ignore[no-untyped-def]
    _, served = agent
    assert served.call("search", query="색인", path_glob=[glob])["hits"] == []
    assert served.call("search", query="색인", path_glob=["**/" * 24 + "deep.md"])["hits"]
