"""What an agent pays for: every token of the tools' definitions once a session, of a result each time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kebab_analysis import ScriptTokenCounter
from kebab_app import App
from kebab_config import load_settings, read_environment

GUIDES = Path(__file__).parents[2] / "docs" / "guide"
DEFINITIONS_BUDGET = 2000
REPLY_BUDGET = 1500
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
QUERIES = [
    "색인은 언제 다시 만들어지나요?",
    "답이 없을 때는 어떻게 되나요?",
    "설정 파일은 어디에 있나요?",
    "사라진 파일은 어떻게 되나요",
    "how do I keep a folder out of the index?",
]


def count(value: object) -> int:
    """Return the estimated tokens of a value as JSON without spaces, which is how it is sent."""
    return ScriptTokenCounter().count(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


class Agent:
    """A client that keeps what it is sent."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._asked = 0

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        while (answer := json.loads(self._process.stdout.readline())).get("id") != self._asked:
            continue
        result: dict[str, Any] = answer["result"]
        return result

    def search(self, **arguments: object) -> dict[str, Any]:
        result = self.ask("tools/call", name="search", arguments={"mode": "lexical", **arguments})
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        found: dict[str, Any] = result["structuredContent"]
        return found


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    folder = tmp_path_factory.mktemp("agent")
    config = folder / "kebab.toml"
    config.write_text(
        f'[workspace]\nroot = "{GUIDES}"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n',
        encoding="utf-8",
    )
    with App(load_settings(config_path=config, environ={"HOME": str(folder)})) as app:
        app.ingest()
    kept = {name: value for name, value in read_environment().items() if name in {"PATH", "PYTHONPATH"}}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "kebab_mcp", "--config", str(config)],
        env={**kept, "HOME": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        opened = Agent(process)
        opened.ask("initialize", **CLIENT)
        yield opened


def test_all_definitions_together_fit_their_budget(agent: Agent) -> None:
    assert count(agent.ask("tools/list")["tools"]) <= DEFINITIONS_BUDGET


@pytest.mark.parametrize("query", QUERIES)
def test_a_search_that_asks_for_nothing_special_fits_its_budget(query: str, agent: Agent) -> None:
    found = agent.search(query=query)
    assert len(found["hits"]) == 5
    assert count(found) <= REPLY_BUDGET


@pytest.mark.parametrize("query", QUERIES)
def test_a_search_for_much_more_fits_it_too_and_says_that_there_is_more(query: str, agent: Agent) -> None:
    found = agent.search(query=query, k=50, snippet_chars=1000)
    assert count(found) <= REPLY_BUDGET
    assert found["truncated"] is True


@pytest.mark.parametrize("max_tokens", [200, 500, 3000])
def test_the_hits_cost_no_more_than_is_asked_for(max_tokens: int, agent: Agent) -> None:
    found = agent.search(query=QUERIES[0], k=20, max_tokens=max_tokens)
    assert 0 < sum(map(count, found["hits"])) <= max_tokens
