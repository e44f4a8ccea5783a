"""What an agent pays for: every token of the tools' definitions once a session, of a result each time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest
from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import Remedy, TokenCounter
from kebab_embed_local import UnigramTokenizer
from kebab_model_e5_small import files
from kebab_testing.tables import walk

ROOT = Path(__file__).parents[2]
MODEL = files()
KOREAN = (
    "## 색인을 다시 만드는 절차와 예외 처리 규칙: {name}\n\n{name}의 색인은 파일이 바뀌면 다시 만들어지고, 벡터 인덱스도 그때 함께 갱신된다. "
    "청크는 제목에서 나누되 표와 코드는 자르지 않으며, 형태소 분석은 조사와 어미를 떼어 낸 뒤 남은 말로 찾게 해 준다. "
    "뷁쀍 같은 드문 글자와 ‘따옴표’, 띄어쓰기없이길게이어쓴문장도그대로둔다.\n\n"
    "## 사라진 파일은 어떻게 되나: {name}\n\n{name}에서 사라진 파일은 다음 실행 때 색인에서 빠지고, 절반이 넘게 사라지면 먼저 묻는다.\n\n"
)
ENGLISH = (
    "## Rolling back a deployment of {name} that went wrong\n\nRolling back takes one command and five minutes; the index of {name} is "
    "rebuilt from the snapshot (see RFC-2119, §4.2) while reads continue against the previous generation.\n\n"
    "## Keeping a folder of {name} out of the index\n\nTo keep a folder of {name} out of the index, list it in `.{name}ignore`; "
    "the folder stays where it is.\n\n"
)
CODE = (
    "## `std::unordered_map<Key, T>::emplace_hint` in {name}\n\n```cpp\ntemplate <class... Args>\niterator emplace_hint("
    "const_iterator hint, Args&&... args) noexcept(noexcept(_M_h.emplace(args...)));\nauto it = {name}.emplace_hint({name}.end(), "
    "0x1F4A9u, std::make_pair<int, long long>(42, -1LL)); // index\n```\n\n"
)
PAGES = {
    **{
        f"프로젝트 문서/2026년 11월 정리/{name} 색인과 검색에 관한 자세한 설명.md": f"# {name} 색인과 검색에 관한 자세한 설명\n\n"
        + KOREAN.format(name=name) * 6
        for name in ("본사", "대전 연구소", "부산 지사", "고객 지원", "인사", "회계")
    },
    **{
        f"projects/2026-11/{name}-deployment-and-rollback-handbook.md": f"# Deployment and rollback handbook of {name}\n\n"
        + ENGLISH.format(name=name) * 6
        for name in ("billing", "gateway", "inventory", "ledger", "mailer", "payroll")
    },
    **{
        f"{folder}/containers/{name}/emplace_hint.md": "# Containers\n\n" + CODE.format(name=name) * 12
        for folder in ("reference", "mirrors/2026-11/reference")
        for name in ("unordered_map", "unordered_multimap", "map", "multimap", "flat_map", "set")
    },
}
"""Documents alike, of which only the references have copies: equal ones are one hit, which tells the others."""
DEFINITIONS_BUDGET = 2000
REPLY_BUDGET = 1000
TOLERANCE = 1.1
"""Budgets are estimates; the tokenizer is asked here alone, for it would have to be loaded for every search."""
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
QUERIES = [
    "색인은 언제 다시 만들어지나요?",
    "답이 없을 때는 어떻게 되나요?",
    "설정 파일은 어디에 있나요?",
    "사라진 파일은 어떻게 되나요",
    "how do I keep a folder out of the index?",
    "색인을 다시 만드는 절차와 형태소 분석 규칙",
    "rolling back a deployment from the snapshot",
    "std::unordered_map emplace_hint noexcept const_iterator",
]


@cache
def tokenizer() -> UnigramTokenizer | None:
    """Return the tokenizer that comes with kebab, where it came with its model."""
    return (
        None
        if MODEL is None
        else UnigramTokenizer(MODEL / "tokenizer.bin", remedy=Remedy(kind="reinstall_model"))
    )


def count(value: object) -> int:
    """Return the tokens of a value as JSON without spaces, which is how it is sent: cut, or estimated where more."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    exact = tokenizer()
    cut = 0 if exact is None else len(exact.encode([text])[0])
    return max(cut, TokenCounter().count(text))


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
    copytree(ROOT / "docs" / "guide", folder / "notes" / "guide", ignore=ignore_patterns("*.docx"))
    for path, text in PAGES.items():
        page = folder / "notes" / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    config = folder / "kebab.toml"
    config.write_text(
        '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n'
        "[ingest]\nworkers = 1\n",
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


@walk("query", QUERIES)
def test_a_search_that_asks_for_nothing_special_fits_its_budget(query: str, agent: Agent) -> None:
    found = agent.search(query=query)
    assert len(found["hits"]) == 3
    assert count(found) <= REPLY_BUDGET


@walk("query", QUERIES)
def test_a_search_for_much_more_fits_it_too_and_says_that_there_is_more(query: str, agent: Agent) -> None:
    found = agent.search(query=query, k=50, snippet_chars=1000)
    assert count(found) <= REPLY_BUDGET
    assert found["truncated"] is True


@walk("max_tokens", [200, 500, 3000])
def test_the_hits_cost_no_more_than_is_asked_for(max_tokens: int, agent: Agent) -> None:
    found = agent.search(query=QUERIES[0], k=20, max_tokens=max_tokens)
    assert 0 < sum(map(count, found["hits"])) <= max_tokens * TOLERANCE
