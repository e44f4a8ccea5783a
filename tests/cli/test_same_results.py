"""The same query, filters and budget give the same result, whoever asks: command line, library, agents, one or many."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from kebab_app import App
from kebab_config import load_settings
from kebab_core import DocumentId, KebabError, SearchFilters, SearchQuery
from kebab_model_e5_small import files
from kebab_testing.families import examples
from kebab_testing.tables import walk
from kebab_wire import (
    agent_hit_cost,
    brief_hit_cost,
    fetched_chunk_cost,
    hit_cost,
    wire_agent_search,
    wire_json,
    wire_search_brief,
    wire_search_response,
)

from tests.integration.served import Served, ToolFailedError

pytestmark = pytest.mark.skipif(files() is None, reason="the model comes without weights here")

NOTES = {
    "한국어/색인.md": "---\ntags: [검색, 색인]\n---\n# 색인\n\n색인은 파일이 바뀌면 다시 만들어진다. 벡터 인덱스도 마찬가지다.\n\n"
    "## 규칙\n\n청크는 제목에서 나눈다. 표는 자르지 않는다.\n",
    "한국어/배포.md": "---\ntags: [운영]\n---\n# 배포 절차\n\n매주 화요일에 블루 그린 방식으로 배포한다.\n\n## 되돌리기\n\n"
    "되돌리는 데에는 명령 하나와 오 분이면 된다.\n"
    + "배포 **기록**은 [창고](https://store.example/a_b)에 남긴다. " * 40
    + "\n",
    "한국어/김치찌개.md": "# 김치찌개\n\n묵은지와 돼지고기를 볶다가 물을 붓고 오래 끓인다.\n",
    "english/deployment.md": "---\ntags: [ops]\n---\n# Deployment\n\nWe deploy with a blue green switch every Tuesday.\n\n"
    "## Rollback\n\nRolling back takes one command and five minutes.\n",
    "english/backup, old.md": "# Backups\n\nThe database is copied to the vault every night at three.\n",
    "english/garden.txt": "Tomatoes want sun and water. Basil keeps the flies away.\n",
    "mixed/검색 index.md": "# Search 검색\n\nAn index 색인 holds terms 용어 and where they stand.\n\n## Ranking 순위\n\n"
    "BM25 weighs rare terms 드문 말 more.\n",
}
WORDS = [
    "색인",
    "배포",
    "벡터 인덱스",
    "되돌리기",
    "김치찌개는 어떻게 끓이나요?",
    "deploy",
    "rollback",
    "index",
    "검색 index",
    "how is the database backed up?",
]
ODD = [
    "파스타 삶는 법",
    "zxqv wvut",
    "ㅁㄴㅇㄹ",
    "",
    " ",
    "?",
    "...",
    "the",
    "은 는 이 가",
    '"블루 그린"',
    '"없는 문구"',
    "raw: 색인 OR deploy",
    "raw: (((",
    "🥙",
    "-k",
    "색인" * 40,
    "BM25",
    "É\u0301",
    "index\x00",
]
FILTERS: dict[str, list[object]] = {
    "tag": ["검색", "ops,운영", "없는태그", ["검색", "ops"], "색인들"],
    "lang": ["ko", "en", "ko,en", "xx"],
    "path_glob": [
        "한국어/**",
        "english/*",
        "english/backup, old.md",
        "absent/**",
        ["mixed/*", "english/*"],
        "default:english/*",
    ],
    "media": ["markdown", "text", "Markdown,TEXT", "pdf", "video"],
    "trust_min": ["primary", "Generated", "certain"],
    "source": ["default", "absent"],
    "source_type": ["note", "Markdown,note"],
    "ingested_after": ["2001-01-01", "2999-01-01T00:00:00+09:00", "언젠가"],
    "modified_since": ["2001-01-01", "2999-01-01"],
    "until": ["2001-01-01T00:00", "2999-01-01T00:00:00+09:00", "언젠가"],
    "doc_id": ["{first}", "0" * 32, "abc"],
    "repo": ["absent"],
    "code_lang": ["python"],
    "symbol": ["absent"],
}
NAMES_IN_LIBRARY = {"tag": "tags_any", "source": "source_id"}
queries = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(ODD),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
)
filters = st.dictionaries(st.sampled_from(sorted(FILTERS)), st.integers(0, 5), max_size=2).map(
    lambda chosen: {name: FILTERS[name][at % len(FILTERS[name])] for name, at in chosen.items()}
)
asked = st.fixed_dictionaries(
    {
        "query": queries,
        "k": st.integers(1, 12),
        "max_tokens": st.sampled_from([1, 90, 200, 500, 1300, 1_000_000]),
        "all_passages": st.booleans(),
    },
    optional={
        "mode": st.sampled_from(["lexical", "vector", "hybrid"]),
        "snippet_chars": st.sampled_from([20, 60, 400]),
        "cursor": st.just("x"),
    },
)


@dataclass
class Faces:
    """One knowledge base, and everyone who may be asked."""

    kb: Any
    agent: Served
    library: App

    def by_flags(self, asked: Mapping[str, Any], *flags: str) -> dict[str, Any]:
        given = [
            f"--{name.replace('_', '-')}={each}"
            for name, value in asked.items()
            if name not in {"query", "all_passages"}
            for each in _listed(value)
        ]
        given += ["--all"] * asked["all_passages"]
        done = self.kb.kebab(
            "search", "--config", str(self.kb.config), "--json", *flags, *given, "--", asked["query"]
        )
        if done.code == 2:
            assert done.stdout == ""
            return {"code": done.error["code"]}
        assert done.stderr == ""
        assert done.code == (0 if done.last["hits"] else 1)
        return done.last  # type: ignore[no-any-return]

    def by_lines(self, asked: Mapping[str, Any], *flags: str) -> dict[str, Any]:
        done = self.kb("search", "--bulk", "--json", *flags, stdin=json.dumps(asked))
        assert done.code == 0
        return _outcome(done.last)

    def by_tool(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self.agent.call("search", **asked)
        except ToolFailedError as error:
            return {"code": error.code}

    def by_many(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        first, second = self.agent.call("bulk_search", queries=[asked, asked])["results"]
        assert first == second
        return _outcome(first)

    def by_agents_library(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        try:
            query = _build(asked).model_copy(update={"source_snippets": True})
            found = self.library.search(query, count_hit=agent_hit_cost)
        except KebabError as error:
            return {"code": error.code}
        except ValueError:  # no query can hold it
            return {"code": "invalid_input"}
        told = _as_json(wire_agent_search(found, near_values=self.library.find_near_values(found)))
        told.pop("nearest", None)  # the tool has them where they are asked for
        return told

    def by_library(self, asked: Mapping[str, Any], *, brief: bool, of_agents: bool = False) -> dict[str, Any]:
        library = self.library
        try:
            query = _build(asked).model_copy(update={"source_snippets": of_agents})
            if not brief:
                count = agent_hit_cost if of_agents else hit_cost
                whole = library.search(query, count_hit=count)
                return _as_json(wire_search_response(whole, find_file=library.find_existing_file))
            found = library.search(query, count_hit=brief_hit_cost)
        except KebabError as error:
            return {"code": error.code}
        except ValueError:  # no query can hold it
            return {"code": "invalid_input"}
        return _as_json(wire_search_brief(found, near_values=self.library.find_near_values(found)))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _build(asked: Mapping[str, Any]) -> SearchQuery:
    """Return the query as a program writes it."""
    words = {
        name: [part for each in _listed(asked[name]) for part in str(each).split(",")]
        for name in FILTERS
        if name in asked
    }
    filters: dict[str, Any] = {NAMES_IN_LIBRARY.get(name, name): values for name, values in words.items()}
    for name in ("media", "source_type"):
        filters[name] = [value.lower() for value in filters.get(name, ())]
    if "path_glob" in asked:
        filters["path_glob"] = _listed(asked["path_glob"])
    if "trust_min" in asked:
        filters["trust_min"] = asked["trust_min"].lower()
    for name in asked.keys() & {"ingested_after", "modified_since", "until"}:
        filters[name] = datetime.fromisoformat(asked[name]).astimezone()
    filters["doc_id"] = [DocumentId(text) for text in filters.get("doc_id", ())]
    given = {name: value for name, value in asked.items() if name not in FILTERS and name != "query"}
    return SearchQuery(text=asked["query"], filters=SearchFilters.model_validate(filters), **given)


def _as_json(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(wire_json(value))
    return found


def _outcome(item: dict[str, Any]) -> dict[str, Any]:
    outcome: dict[str, Any] = item.get("response") or {"code": item["error"]["code"]}
    return outcome


@pytest.fixture(scope="module")
def faces(tmp_path_factory, make_inside) -> Iterator[Faces]:  # type: ignore[no-untyped-def]
    kb = make_inside(tmp_path_factory.mktemp("same"))
    kb.config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
    for path, text in NOTES.items():
        kb.write(path, text)
    assert kb("ingest").code == 0
    FILTERS["doc_id"][0] = kb.doc_id("english/deployment.md")
    loaded = load_settings(config_path=kb.config, environ={"HOME": str(kb.kebab.home)})
    agent = Served(kb.config, "--readonly")
    with agent.process, ExitStack() as stack:
        stack.callback(agent.kill)
        agent.start()
        chunk_cost = fetched_chunk_cost
        with App(loaded, readonly=True, chunk_cost=chunk_cost) as library:
            yield Faces(kb=kb, agent=agent, library=library)
        assert agent.end() == 0


@pytest.mark.thorough
@settings(max_examples=examples(40))
@given(asked=asked, filters=filters)
def test_everyone_who_asks_the_same_is_given_the_same(
    asked: dict[str, Any], filters: dict[str, object], faces: Faces
) -> None:
    query = {**asked, **filters}
    query.setdefault("snippet_chars", 150)
    for _ in range(3):  # pages
        told = faces.by_tool(query)
        assert faces.by_many(query) == told
        assert faces.by_agents_library(query) == told
        found = faces.by_library(query, brief=True)
        assert faces.by_flags(query, "--brief") == found
        assert faces.by_lines(query, "--brief") == found
        cursor = found.get("next_cursor")
        if cursor is None:
            return
        query = {**query, "cursor": cursor}


@walk(
    "asked",
    [
        {"tag": ["검색,ops"]},
        {"tag": ["검색", " ops"]},
        {"tag": ""},
        {"path_glob": ""},
        {"path_glob": [""]},
        {"ingested_after": "0001-01-01T00:00:00+14:00"},
        {"ingested_after": "9999-12-31T23:59:59-14:00"},
        {"since": "7d"},
        {"since": "지난주", "lang": "Korean"},
        {"lang": None, "path_glob": None, "trust_min": None, "mode": None},
        {"snippet_chars": "30"},
        {"k": True},
        {"k": 2.0},
    ],
)
def test_what_only_json_can_say_means_the_same_by_line_and_by_tool(
    asked: dict[str, Any], faces: Faces
) -> None:
    query = {"query": "색인", "max_tokens": 1300, "mode": "lexical", "k": 5, "all_passages": True, **asked}
    if query["mode"] is None:
        del query["mode"]
    told = faces.by_tool(query)
    assert faces.by_many(query) == told
    found = faces.by_lines(query, "--brief")
    assert [f"{hit['path']}#{hit['at']}" for hit in found.get("hits", ())] == [
        hit["address"] for hit in told.get("hits", ())
    ]


@pytest.mark.thorough
@settings(max_examples=examples(20))
@given(asked=asked, filters=filters)
def test_whole_hits_are_the_same_by_flag_by_line_and_by_library(
    asked: dict[str, Any], filters: dict[str, object], faces: Faces
) -> None:
    query = {**asked, **filters}
    found = faces.by_flags(query)
    assert faces.by_lines(query) == found
    assert faces.by_library(query, brief=False) == found


@pytest.mark.thorough
@settings(max_examples=examples(20))
@given(asked=asked, filters=filters)
def test_within_a_budget_for_all_of_them_hits_in_brief_are_the_whole_ones(
    asked: dict[str, Any], filters: dict[str, object], faces: Faces
) -> None:
    query = {**asked, **filters, "max_tokens": 1_000_000}
    query.setdefault("snippet_chars", 220)
    whole, brief = faces.by_library(query, brief=False, of_agents=True), faces.by_tool(query)
    if "code" in whole:
        assert brief == whole
        return
    assert [(hit["citation"]["address"], hit["snippet"]) for hit in whole["hits"]] == [
        (hit["address"], hit["snippet"]) for hit in brief["hits"]
    ]
    assert [round(hit["score"], 2) for hit in whole["hits"]] == [hit["score"] for hit in brief["hits"]]
    assert whole["next_cursor"] == brief.get("next_cursor")
    assert whole["no_hit_reason"] == brief.get("no_hit_reason")
    if "coverage" in brief:
        assert whole["coverage"]["documents_indexed"] == brief["coverage"]["indexed"]
        assert whole["coverage"]["missing_legs"] == brief["coverage"].get("missing_legs", [])
