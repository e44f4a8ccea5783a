"""25 tasks of a user, each a fixed sequence of tool calls as an agent makes them that follows the skill.

python -m bench.agent_tasks KEBAB_TOML             the tasks: done or not, calls, tokens, and tokens of the replies of before
python -m bench.agent_tasks KEBAB_TOML --replies   the cost of a search that asks for nothing special

KEBAB_TOML is the configuration of an indexed base over the vaults wiki-ko (source `wiki`), obsidian-ko (`obsidian`) and
fastapi-en (`fastapi`); two notes are written to it and removed again. Tokens are those of the tokenizer of
multilingual-e5-small over the JSON of arguments and results; definitions and the model's own words are not counted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from kebab_app import App, AskRequest, build_fetch_query, build_search_query
from kebab_config import load_settings, read_environment
from kebab_core import InvalidInputError, Remedy
from kebab_embed_local import UnigramTokenizer
from kebab_model_e5_small import files
from kebab_wire import brief_hit_cost, wire_answer, wire_fetch_result, wire_json, wire_search_brief

from tests.integration.served import Served, ToolFailedError

SUITES = Path(__file__).parent / "suites"
ASKED = 50
WANTED = 23
"""Tasks that must be done."""
JAVA_NOTES, JAVA_NOTES_SINCE, TUTORIALS = 76, 6, 51
"""Documents of the vaults: with the tag, of them since July 2024, in the folder."""
MANY = 100
BEFORE = {"k": 5, "snippet_chars": 220, "max_tokens": 1300}
"""Defaults of a search before results had addresses in place of ids."""
DISCOUNT = "obsidian:라이선스 및 결제/교육 및 비영리 할인.md"
TITLES = ("결정: 배포 요일", "결정: 배포 요일 변경")


def count(value: object) -> int:
    """Return the tokens of a value as JSON without spaces."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(_tokenizer().encode([text])[0])


def _tokenizer(found: list[UnigramTokenizer] = []) -> UnigramTokenizer:  # noqa: B006 - made once
    if not found:
        folder = files()
        if folder is None:
            raise SystemExit("the package kebab-model-e5-small is installed without weights")
        found.append(UnigramTokenizer(folder / "tokenizer.bin", remedy=Remedy(kind="reinstall_model")))
    return found[0]


@dataclass
class Agent:
    """Calls tools and counts: calls, tokens, and what the same calls cost in the replies of before."""

    server: Served
    library: App
    calls: int = 0
    tokens: int = 0
    before: int = 0
    is_new: bool = False
    """Whether a tool was called that there was not before."""
    names: list[str] = field(default_factory=list)

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: D102
        found: dict[str, Any] = self.server.call(tool, **arguments)
        spent = count(arguments) + count(found)
        self.calls += 1
        self.names.append(tool)
        self.tokens += spent
        former = self._reply_before(tool, arguments)
        self.before += spent if former is None else count(arguments) + count(former)
        self.is_new = self.is_new or tool in {"list", "related", "why"}
        return found

    def _reply_before(self, tool: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the reply to the same call in its earlier form; None where that is the same, or there was none."""
        library = self.library
        match tool:
            case "search":
                return self._search_before(arguments)
            case "bulk_search":
                return "".join(
                    self._search_before({"all_passages": True, **each}) for each in arguments["queries"]
                )
            case "ask":
                return wire_json(wire_answer(library.ask(AskRequest(question=arguments["question"]))))
            case "fetch":
                query = build_fetch_query(
                    complain=_complain, kind="address", **{"max_tokens": 4000, **arguments}
                )
                return wire_json(wire_fetch_result(library.fetch(query)))
        return None

    def _search_before(self, arguments: Mapping[str, Any]) -> str:
        given = {**BEFORE, **arguments}
        names = ("mode", "k", "snippet_chars", "max_tokens", "cursor", "all_passages")
        query = build_search_query(
            self.library.base,
            given["query"],
            filters=given,
            complain=_complain,
            **{name: given[name] for name in names if name in given},
        )
        found = self.library.search(query, count_hit=brief_hit_cost)
        return wire_json(wire_search_brief(found))


def _complain(problem: Any) -> InvalidInputError:
    return InvalidInputError(f"{problem.argument}: {problem.detail}")


def first(found: Mapping[str, Any]) -> str:
    """Return the address of the first hit."""
    return str(found["hits"][0]["address"])


def path_of(address: str) -> str:
    return address.partition("#")[0]


Task = Callable[[Agent], bool]
TASKS: dict[str, Task] = {}


def task(name: str) -> Callable[[Task], Task]:
    """Register a task under what the user asks."""

    def register(run: Task) -> Task:
        TASKS[name] = run
        return run

    return register


@task("find a note by what it says, in Korean")
def _find(agent: Agent) -> bool:
    return first(agent("search", query="워드스타를 몇 달 만에 만든 프로그래머")).startswith(
        "wiki:_wiki/legend/wordstar.md#"
    )


@task("find an English page by a Korean question")
def _cross(agent: Agent) -> bool:
    found = agent("search", query="FastAPI에서 응답을 보낸 뒤 백그라운드 작업 실행하기", source="fastapi")
    return any("background-tasks.md" in hit["address"] for hit in found["hits"])


@task("read the whole section of a hit")
def _section(agent: Agent) -> bool:
    hit = first(agent("search", query="텍스트 편집기 개발을 맡은 바나비 137,000 행"))
    return agent("fetch", address=hit, section=True)["text"].startswith("## 인용: 초난감 기업의 조건")


@task("how many notes have the tag java, and which are the latest")
def _tag(agent: Agent) -> bool:
    found = agent("list", tag="java", limit=5)
    return found["total"] == JAVA_NOTES and found["documents"][0]["date"] >= found["documents"][-1]["date"]


@task("which notes with a tag changed since a day")
def _changed(agent: Agent) -> bool:
    found = agent("list", tag="java", since="2024-07")
    return found["total"] == JAVA_NOTES_SINCE and all(one["date"] >= "2024-07" for one in found["documents"])


@task("what was written last week")
def _last_week(agent: Agent) -> bool:
    written = agent("write_note", title=TITLES[0], content="배포는 월요일에 한다.")
    found = agent("list", since="7d", source=path_of(written["address"]).partition(":")[0])
    return any(one["address"] == written["address"] for one in found["documents"])


@task("the headings of a long note")
def _outline(agent: Agent) -> bool:
    found = agent("fetch", address="wiki:_wiki/java/gc/zgc.md", outline=True)
    return len(found["outline"]) > 1 and found["outline"][0].startswith("L")


@task("one section of a long note, by its headings")
def _by_outline(agent: Agent) -> bool:
    path = "wiki:_wiki/legend/wordstar.md"
    line = agent("fetch", address=path, outline=True)["outline"][1]
    text: str = agent("fetch", address=f"{path}#{line.split()[0]}")["text"]
    return text.startswith("## 인용: 소프트웨어는 어떻게 밥벌이가 되었나")


@task("read a long page to its end")
def _to_the_end(agent: Agent) -> bool:
    found = agent("fetch", address="wiki:_wiki/java/enhancements.md", max_tokens=3000)
    text = found["text"]
    while "next" in found:
        found = agent("fetch", address=found["next"], max_tokens=3000)
        text += found["text"]
    return len(text.splitlines()) == found["total_lines"] > MANY


@task("correct a note")
def _correct(agent: Agent) -> bool:
    done = agent("write_note", title=TITLES[0], content="배포는 화요일에 한다.")
    return done["status"] == "updated" and "화요일" in agent("fetch", address=done["address"])["text"]


@task("the later of two decisions")
def _latest(agent: Agent) -> bool:
    agent("write_note", title=TITLES[1], content="배포 요일을 목요일로 바꾼다.")
    found = agent("search", query="배포 요일 결정", k=3)
    return any("목요일" in hit["snippet"] for hit in found["hits"][:2])


@task("delete a note")
def _delete(agent: Agent) -> bool:
    address = path_of(first(agent("search", query=TITLES[1], k=1)))
    gone = agent("forget_note", address=address)["status"] == "forgotten"
    kept = agent("list", name=TITLES[0], limit=3)["documents"][0]["address"]
    return gone and address != kept and agent("forget_note", address=kept)["status"] == "forgotten"


@task("what is in here")
def _overview(agent: Agent) -> bool:
    found = agent("list")
    return found["total"] > MANY and found["sources"].keys() >= {"wiki", "obsidian", "fastapi"}


@task("which folders a source has")
def _folders(agent: Agent) -> bool:
    return agent("list", by="folders", source="fastapi")["folders"]["fastapi:tutorial/"] == TUTORIALS


@task("which notes link to this one")
def _backlinks(agent: Agent) -> bool:
    linked = agent("related", address="wiki:_wiki/legend/wordstar.md", limit=3)["linked_from"]
    return any(one["address"].startswith("wiki:_wiki/root-index.md#L") for one in linked)


@task("where a note leads, and what is near to it")
def _links(agent: Agent) -> bool:
    found = agent("related", address=DISCOUNT, limit=3)
    return any("Sync" in one["address"] for one in found["links_to"]) and bool(found["similar"])


@task("open a file by a part of its name")
def _by_name(agent: Agent) -> bool:
    found = agent("list", name="wordstar")
    return "워드스타" in agent("fetch", address=found["documents"][0]["address"])["text"]


@task("answer a question with its source, and check it")
def _ask(agent: Agent) -> bool:
    answer = agent("ask", question="옵시디언 교육 할인은 누가 받을 수 있어요?")
    cited = answer["citations"][0]["address"]
    return (
        answer["grounded"] and path_of(cited) == DISCOUNT and "할인" in agent("fetch", address=cited)["text"]
    )


@task("an English question with its source, and check it")
def _ask_english(agent: Agent) -> bool:
    answer = agent("ask", question="When does a FastAPI background task run?")
    cited = answer["citations"][0]["address"]
    return cited.startswith("fastapi:") and bool(agent("fetch", address=cited)["text"])


@task("a question that the documents do not answer")
def _refuse(agent: Agent) -> bool:
    return not agent("ask", question="우리 회사 양자 컴퓨터 회의는 몇 시에 시작하나요?")["grounded"]


@task("an exact phrase")
def _phrase(agent: Agent) -> bool:
    found = agent("search", query='"일류 어셈블리 프로그래머"', k=2)
    return first(found).startswith("wiki:_wiki/legend/wordstar.md#")


@task("only in one folder")
def _in_folder(agent: Agent) -> bool:
    found = agent("search", query="가비지 컬렉터", path_glob="wiki:_wiki/java/gc/**")
    return all(hit["address"].startswith("wiki:_wiki/java/gc/") for hit in found["hits"]) and bool(
        found["hits"]
    )


@task("all passages of one document about something")
def _passages(agent: Agent) -> bool:
    found = agent("search", query="할인 신청", path_glob=DISCOUNT, all_passages=True, k=3)
    return len({hit["address"] for hit in found["hits"]}) > 1


@task("two parts of a question at once")
def _bulk(agent: Agent) -> bool:
    queries = [{"query": "Obsidian Sync 요금", "k": 2}, {"query": "Obsidian Publish 요금", "k": 2}]
    results = agent("bulk_search", queries=queries)["results"]
    return all(one["response"]["hits"] for one in results)


@task("why a note is not found by a query")
def _why(agent: Agent) -> bool:
    found = agent("why", path="wiki:_wiki/legend/wordstar.md", query="벡터 인덱스 배포")
    return bool(found["verdict"] != "found" and found["summary"])


def run_tasks(config: Path) -> int:
    """Print a row for each task, and the sums; 1 where too few are done."""
    rows: list[tuple[str, bool, Agent]] = []
    server = Served(config)
    with _library(config) as library, server.process:
        try:
            server.start()
            for name, run in TASKS.items():
                agent = Agent(server, library)
                try:
                    done = run(agent)
                except (KeyError, IndexError, ToolFailedError) as error:
                    done = print(f"{name}: {error!r}", file=sys.stderr) is not None
                rows.append((name, done, agent))
        finally:
            server.kill()
    print("| task | done | calls | tokens | replies of before |")
    print("|---|---|---:|---:|---:|")
    for name, done, agent in rows:
        former = "not possible" if agent.is_new else agent.before
        print(f"| {name} | {'yes' if done else 'NO'} | {agent.calls} | {agent.tokens} | {former} |")
    same = [agent for _, _, agent in rows if not agent.is_new]
    ratio = statistics.median(agent.tokens / agent.before for agent in same)
    now, then = sum(agent.tokens for agent in same), sum(agent.before for agent in same)
    finished = sum(done for _, done, _ in rows)
    calls, tokens = sum(agent.calls for *_, agent in rows), sum(agent.tokens for *_, agent in rows)
    print(f"| all | {finished} of {len(rows)} | {calls} | {tokens} | |")
    print(
        f"{len(same)} tasks with tools that there were before: {now} tokens, {then} in the replies of before: "
        f"{now / then:.2f} of them, {ratio:.2f} in the middle"
    )
    return 0 if finished >= WANTED else 1


def measure_replies(config: Path) -> int:
    """Print what a search costs that asks for nothing special, now and in the reply of before."""
    questions = [
        each["query"]
        for name in ("vaults-ko-a", "vaults-en-a")
        for each in yaml.safe_load((SUITES / f"{name}.yaml").read_text(encoding="utf-8"))["queries"][::2][
            : ASKED // 2
        ]
    ]
    now, then = [], []
    server = Served(config, "--readonly")
    with _library(config) as library, server.process:
        try:
            server.start()
            for question in questions:
                agent = Agent(server, library)
                if agent("search", query=question)["hits"]:
                    now.append(agent.tokens - count({"query": question}))
                    then.append(agent.before - count({"query": question}))
        finally:
            server.kill()
    for name, costs in (("now", now), ("before", then)):
        print(
            f"{name}: {len(costs)} searches, {statistics.median(costs):.0f} tokens in the middle, {max(costs)} at most"
        )
    return 0


def _library(config: Path) -> App:
    loaded = load_settings(config_path=config, environ=read_environment())
    return App(loaded, readonly=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path)
    parser.add_argument("--replies", action="store_true", help="measure searches alone")
    given = parser.parse_args()
    return measure_replies(given.config) if given.replies else run_tasks(given.config)


if __name__ == "__main__":
    sys.exit(main())
