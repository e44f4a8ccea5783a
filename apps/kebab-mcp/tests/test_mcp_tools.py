"""Every tool, as an agent uses it."""

from __future__ import annotations

import json
from dataclasses import replace
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest
from kebab_testing.tables import walk
from kebab_wire import parse_wire
from mcp import MCPError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Base, Session

NOWHERE = "0" * 32
QUESTION = "색인은 언제 다시 만들어지나요?"


@pytest.fixture(scope="module")
def unused(
    tmp_path_factory: pytest.TempPathFactory, ingested_once: Base, serve_base: Callable[..., Any]
) -> Iterator[Session]:
    """A server that may write, for tests after which its documents are what they were."""
    base = replace(ingested_once, folder=tmp_path_factory.mktemp("unused") / "kb")
    copytree(ingested_once.folder, base.folder)
    with serve_base(base.parameters()) as session:
        yield session


def test_all_tools_are_listed_with_what_they_are_for_and_whether_they_write(unused: Session) -> None:
    tools = unused.tools()
    readers = ["search", "bulk_search", "ask", "fetch", "list", "related", "why", "doctor"]
    writers = ["write_note", "forget_note", "ingest_file"]
    assert list(tools) == readers + writers
    assert [name for name, tool in tools.items() if not tool.annotations.read_only_hint] == writers
    assert all(tool.description for tool in tools.values())


def test_the_server_says_who_it_is_and_how_to_use_it(shared: Session) -> None:
    assert (shared.client.server_info.name, bool(shared.client.server_info.version)) == ("kebab", True)
    assert "search" in (shared.client.instructions or "")


def test_search_in_korean_finds_the_passage_and_says_where_it_stands(shared: Session) -> None:
    value = shared.call("search", query=QUESTION).value
    hit = value["hits"][0]
    assert hit["address"].startswith("한국어/색인 노트.md#L")
    assert hit["title"] == "색인"
    assert "벡터 인덱스도 마찬가지다" in hit["snippet"]


MARKED = """\
# 표시

- **재시도**는 [세 번](https://example.org/retry?a=1)까지 한다.
- `timeout_s`는 ==30초==다[^1].

> [!note] 인용도 _그대로_ 나온다: 재시도 표.

| 항목 | 값 |
| --- | ---: |
| 재시도 | **3** |

[^1]: 각주.
"""


@pytest.mark.parametrize("chars", [20, 60, 150, 1000])
def test_snippets_stand_in_the_file_word_for_word(chars: int, session: Session, base: Base) -> None:
    base.notes.joinpath("marks.md").write_text(MARKED, encoding="utf-8")
    session.call("ingest_file", path=str(base.notes / "marks.md"))
    found = session.call("search", query="재시도 timeout_s", snippet_chars=chars, all_passages=True)
    hits = found.value["hits"]
    pieces = [
        hit["snippet"].removeprefix("…").removesuffix("…") for hit in hits if "marks.md" in hit["address"]
    ]
    assert pieces
    assert all(piece in MARKED for piece in pieces)


def test_symbol_without_a_query_is_looked_up_and_beside_one_is_a_filter(session: Session, base: Base) -> None:
    base.notes.joinpath("core.py").write_text("def close_all(files):\n    pass\n", encoding="utf-8")
    session.call("ingest_file", path=str(base.notes / "core.py"))
    for symbol in ("close_all", "close_al"):
        (hit,) = session.call("search", query="", symbol=symbol).value["hits"]
        assert hit["address"] == "core.py#L1-L2"
    (hit,) = session.call("search", query="files", symbol=["closeAll", "absent"]).value["hits"]
    assert hit["address"] == "core.py#L1-L2"
    assert session.call("search", query="files", symbol="close_al").value["hits"] == []


def test_every_argument_of_search_is_taken(shared: Session) -> None:
    reply = shared.call(
        "search",
        query="색인",
        mode="lexical",
        k=2,
        all_passages=True,
        snippet_chars=60,
        max_tokens=500,
        tag="검색,없는태그",
        lang="ko,en",
        path_glob="한국어/**",
        media="markdown",
        source="default",
        source_type="note,markdown",
        trust_min="generated",
        ingested_after="2001-01-01",
    )
    found = [hit["address"].partition("#")[0] for hit in reply.value["hits"]]
    assert found == ["한국어/색인 노트.md"] * 2
    assert all(len(hit["snippet"]) <= 62 for hit in reply.value["hits"])


@walk("tool", ["search", "ask", "list"])
def test_filters_are_taken_as_one_object_too(tool: str, shared: Session) -> None:
    asked = {"search": {"query": "색인"}, "ask": {"question": "색인은 언제 만들어져?"}}.get(tool, {})
    apart = shared.call(tool, **asked, media="markdown", lang="ko", tag="없다")
    together = shared.call(tool, **asked, filters={"media": "markdown", "lang": "ko"}, tag="없다")
    assert together.value == apart.value
    unknown = shared.call(tool, **asked, filters={"medai": "markdown"})
    assert (unknown.value["code"], "'media'" in unknown.value["message"]) == ("invalid_input", True)
    twice = shared.call(tool, **asked, filters={"tag": "a"}, tag="b")
    assert (twice.value["code"], twice.value["details"]["argument"]) == ("invalid_input", "tag")


def test_the_nearest_passages_come_only_where_they_are_asked_for(shared: Session) -> None:
    nothing = shared.call("search", query="zxqv wvut").value
    assert (nothing["hits"], "nearest" in nothing) == ([], False)
    bulk = shared.call("bulk_search", queries=[{"query": "zxqv wvut"}]).value["results"][0]["response"]
    assert "nearest" not in bulk
    assert not shared.call("search", query="zxqv wvut", nearest=True).is_error


def test_a_list_does_as_well_as_words_with_commas(shared: Session) -> None:
    assert shared.call("search", query="색인", lang=["ko", "en"]).value["hits"]
    assert shared.call("search", query="색인", lang=["en"]).value["no_hit_reason"] == "filtered_out"


def test_a_comma_separates_words_but_not_the_values_of_a_list(shared: Session) -> None:
    assert shared.call("search", query="색인", tag="검색,없음").value["hits"]
    assert shared.call("search", query="색인", tag=["검색,없음"]).value["no_hit_reason"] == "filtered_out"


def test_the_case_of_a_kind_does_not_count(shared: Session) -> None:
    kinds = {"media": "Markdown,TEXT", "source_type": "Note,markdown", "trust_min": "Generated", "lang": "KO"}
    assert shared.call("search", query="색인", **kinds).value["hits"]


def test_a_misspelt_filter_comes_back_with_what_was_meant(shared: Session) -> None:
    assert shared.call("search", query="색인", tag="검섹").value["no_hit_reason"] == "filtered_out"
    assert shared.call("search", query="색인", tag="색인들").value["did_you_mean"] == {"색인들": "색인"}
    known = shared.call("search", query="색인", tag="zebra", source="zebra").value["existing_values"]
    assert known["source"] == ["default"]
    assert {"색인", "검색"} & {*known["tag"]}


def test_the_next_page_goes_on_where_the_first_ended(shared: Session) -> None:
    first = shared.call("search", query="색인 deploy", k=1).value
    second = shared.call("search", query="색인 deploy", k=1, cursor=first["next_cursor"]).value
    first_path, second_path = (one["hits"][0]["address"].partition("#")[0] for one in (first, second))
    assert first_path != second_path


def test_an_answer_carries_its_places(unused: Session) -> None:
    reply = unused.call("ask", question=QUESTION)
    assert reply.value["grounded"] is True
    assert reply.value["citations"][0]["address"].startswith("한국어/색인 노트.md#L")
    assert reply.notices[0][2] == "looking for passages"
    assert [p for p, _, _ in reply.notices] == sorted({p for p, _, _ in reply.notices})


def test_a_refusal_is_a_result_and_no_error(shared: Session) -> None:
    reply = shared.call("ask", question="파스타 삶는 법", lang="ko", mode="lexical", k=3)
    assert (reply.is_error, reply.value["grounded"]) == (False, False)
    assert reply.value["refusal_reason"]


def test_ids_of_earlier_versions_are_fetched_whole_and_in_part(shared: Session, ingested_once: Base) -> None:
    hit = ingested_once.find(QUESTION).model_dump()
    address = hit["citation"]["path"]
    assert shared.call("fetch", address=hit["doc_id"]).value["address"] == address
    assert shared.call("fetch", address=hit["chunk_id"]).value["address"].startswith(f"{address}#L")
    chunk = shared.call("fetch", kind="chunk", chunk_id=hit["chunk_id"], context=1).value
    both = shared.call("fetch", chunk_id=hit["chunk_id"], doc_id=hit["doc_id"], context=1).value
    assert both == chunk
    assert [len(chunk[side]) for side in ("context_before", "context_after")] == [0, 1]
    assert (
        shared
        .call("fetch", kind="doc", doc_id=hit["doc_id"])
        .value["text"]
        .startswith("---\ntags: [검색, 색인]")
    )
    span = shared.call("fetch", kind="span", doc_id=hit["doc_id"], line_start=4, line_end=4).value
    assert span["text"] == "# 색인\n"
    cut = shared.call("fetch", kind="doc", doc_id=hit["doc_id"], max_tokens=5).value
    assert cut["truncated"] is True


def test_a_hit_and_a_citation_are_fetched_by_address(shared: Session) -> None:
    hit = shared.call("search", query=QUESTION).value["hits"][0]
    address = hit["address"]
    found = shared.call("fetch", address=address).value
    assert found["address"] == address
    assert "벡터 인덱스도 마찬가지다" in found["text"]
    cited = shared.call("ask", question=QUESTION).value["citations"][0]["address"]
    assert "벡터 인덱스도 마찬가지다" in shared.call("fetch", address=cited).value["text"]
    section = shared.call("fetch", address=cited, section=True).value
    assert section["text"].startswith("# 색인\n")
    path = address.partition("#")[0]
    first = shared.call("fetch", address=path, outline=True).value["outline"][0]
    at, mark, text = first.split(maxsplit=2)
    assert (mark, text) == ("#", "색인")
    whole = shared.call("fetch", address=f"{path}#{at}").value
    assert whole["text"].startswith("# 색인\n")


def test_a_page_is_read_to_its_end_by_what_comes_next(session: Session, base: Base) -> None:
    text = "".join(f"{n}번째 줄은 살구 이야기다.\n" for n in range(300))
    base.write("긴 글.md", text)
    base.ingest()
    found, pages = session.call("fetch", address="긴 글.md", max_tokens=1000).value, []
    while True:
        pages.append(found["text"])
        if "next" not in found:
            break
        found = session.call("fetch", address=found["next"], max_tokens=1000).value
    assert len(pages) > 2
    assert "".join(pages) == text


def test_passages_around_a_hit_come_within_the_budget(session: Session, base: Base) -> None:
    pages = "".join(f"## {n}장\n\n" + f"{n}번째 살구 이야기다. " * 9 + "\n\n" for n in range(90))
    base.write("긴 글.md", f"# 긴 글\n\n{pages}")
    base.ingest()
    hit = base.find("45번째 살구").model_dump()
    reply = session.call("fetch", kind="chunk", chunk_id=hit["chunk_id"], context=1000)
    assert reply.value["truncated"] is True
    assert 0 < len(reply.value["context_before"]) + len(reply.value["context_after"]) < 20
    cut = session.call("fetch", kind="chunk", chunk_id=hit["chunk_id"], context=1, max_tokens=5).value
    assert (cut["truncated"], cut["context_before"], cut["context_after"]) == (True, [], [])
    whole = session.call("fetch", kind="chunk", chunk_id=hit["chunk_id"]).value
    assert whole["truncated"] is False
    assert whole["chunk"]["text"].startswith(cut["chunk"]["text"])


def test_a_long_query_that_is_read_in_part_comes_back_with_how_much(shared: Session) -> None:
    reply = shared.call("search", query="색인 " * 50_000)
    assert 0 < reply.value["coverage"]["lexical_query_chars"] < 150_000
    assert "coverage" not in shared.call("search", query="색인").value


def test_schema_and_doctor_tell_of_the_index(shared: Session) -> None:
    assert shared.call("schema").value["stats"]["doc_count"] == 2
    assert shared.call("doctor", capabilities=True).value["stats"]["doc_count"] == 2
    well = shared.call("doctor").value
    assert well["ok"] is True
    assert [check["name"] for check in well["checks"]] == ["others"]


def test_a_text_that_was_taken_in_is_found(session: Session) -> None:
    reply = session.call("ingest_stdin", content="# 회의\n\n결정: 금요일에 배포한다.\n", title="회의록 🥙")
    assert (reply.value["new"], reply.value["items"][0]["kind"]) == (1, "new")
    assert [progress for progress, _, _ in reply.notices] == sorted(p for p, _, _ in reply.notices)
    found = session.call("search", query="금요일 배포 결정").value["hits"][0]
    assert found["title"].startswith("회의록 🥙")


def test_a_note_is_written_corrected_found_at_once_and_forgotten(session: Session, base: Base) -> None:
    written = session.call("write_note", title="회의록", content="수달을 배포한다.\n").value
    assert (written["address"], written["status"]) == ("kebab-notes:회의록.md", "created")
    assert session.call("search", query="수달", mode="lexical").value["hits"]
    again = session.call("write_note", title="회의록", content="족제비를 배포한다.\n").value
    assert again == {**written, "status": "updated"}
    assert not session.call("search", query="수달", mode="lexical").value["hits"]
    assert session.call("forget_note", address=written["address"]).value["status"] == "forgotten"
    assert not session.call("search", query="족제비", mode="lexical").value["hits"]
    assert session.call("forget_note", address=written["address"]).value["code"] == "doc_not_found"


def test_an_agent_brings_back_what_it_forgot_or_replaced(session: Session) -> None:
    session.call("write_note", title="회의록", content="수달을 배포한다.\n")
    address = session.call("write_note", title="회의록", content="족제비를 배포한다.\n").value["address"]
    refused = session.call("forget_note", address=f"{address}#L4")
    assert refused.value["code"] == "invalid_input"
    back = session.call("forget_note", address=address, undo=True).value
    assert (back["address"], back["status"]) == (address, "updated")
    assert session.call("search", query="수달", mode="lexical").value["hits"]
    session.call("forget_note", address=address)
    assert session.call("forget_note", address=address, undo=True).value["status"] == "created"
    assert session.call("search", query="수달", mode="lexical").value["hits"]


def test_a_note_of_the_user_cannot_be_forgotten(session: Session) -> None:
    refused = session.call("forget_note", address="한국어/색인 노트.md")
    assert (refused.is_error, refused.value["code"]) == (True, "invalid_input")


def test_a_file_that_changed_is_read_again(session: Session, base: Base) -> None:
    path = base.write("한국어/새 글.md", "# 새 글\n\n바나나는 노랗다.\n")
    told = session.call("ingest_file", path=str(path)).value
    assert told == {
        "schema_version": "note_result.v1",
        "address": "한국어/새 글.md",
        "status": "created",
        "warnings": [],
    }
    assert session.call("ingest_file", path=str(path)).value["status"] == "unchanged"
    assert session.call("search", query="바나나").value["hits"][0]["address"].startswith("한국어/새 글.md#")


def test_what_another_process_commits_is_found_at_once(session: Session, base: Base) -> None:
    assert session.call("search", query="자두나무").value["no_hit_reason"] == "nothing_matches"
    base.write("한국어/자두.md", "# 자두\n\n자두나무는 봄에 꽃이 핀다.\n")
    base.ingest()
    assert session.call("search", query="자두나무").value["hits"][0]["address"].startswith("한국어/자두.md#")


READING: list[tuple[str, dict[str, Any]]] = [
    ("list", {}),
    ("list", {"by": "tags"}),
    ("related", {"address": "english/deployment.md"}),
    ("why", {"path": "english/deployment.md"}),
    ("doctor", {"capabilities": True}),
    ("search", {"query": "색인"}),
    ("search", {"query": "없는말뿐"}),
    ("ask", {"question": QUESTION}),
    ("ask", {"question": "파스타 삶는 법"}),
    ("schema", {}),
    ("doctor", {}),
]


@walk(("tool", "arguments"), READING)
def test_a_result_is_a_wire_object_and_stands_there_twice(
    tool: str, arguments: dict[str, Any], shared: Session
) -> None:
    reply = shared.call(tool, **arguments)
    assert not reply.is_error
    assert json.loads(reply.text) == reply.structured
    parse_wire(reply.text)


SAME: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("search", {"question": "색인", "limit": 2}, {"query": "색인", "k": 2}),
    ("ask", {"query": "색인은 언제 다시 만드나요?"}, {"question": "색인은 언제 다시 만드나요?"}),
    ("fetch", {"path": "한국어/색인 노트.md"}, {"address": "한국어/색인 노트.md"}),
    ("related", {"path": "한국어/색인 노트.md", "k": 1}, {"address": "한국어/색인 노트.md", "limit": 1}),
    ("list", {"by": "path", "k": 2}, {"by": "path", "limit": 2}),
    ("why", {"address": "한국어/색인 노트.md"}, {"path": "한국어/색인 노트.md"}),
]


@walk(("tool", "given", "meant"), SAME)
def test_an_argument_is_taken_by_its_name_in_another_tool(
    tool: str, given: dict[str, Any], meant: dict[str, Any], shared: Session
) -> None:
    reply = shared.call(tool, **given)
    assert not reply.is_error
    assert reply.value == shared.call(tool, **meant).value


def test_text_of_a_note_is_its_content(session: Session) -> None:
    assert session.call("write_note", name="회의록", text="수달").value["status"] == "created"


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("search", {}, "'query' is missing"),
    ("search", {"querry": "색인"}, "did you mean 'query'"),
    ("search", {"query": "  "}, ""),
    ("search", {"query": "색인", "mode": "fuzzy"}, "'lexical', 'vector' or 'hybrid'"),
    ("search", {"query": "색인", "k": 0}, "greater than or equal to 1"),
    ("search", {"query": "색인", "k": "many"}, "k: "),
    ("search", {"query": "색인", "k": True}, "k: "),
    ("search", {"query": "색인", "k": 1.5}, "k: "),
    ("search", {"query": "색인", "k": "1.5"}, "k: "),
    ("ask", {"question": "색인?", "k": False}, "k: "),
    ("fetch", {"kind": "doc", "doc_id": NOWHERE, "max_tokens": "a few"}, "max_tokens: "),
    ("search", {"query": "색인", "ingested_after": "0001-01-01T00:00:00+14:00"}, "ingested_after: "),
    ("search", {"query": "색인", "unknown": None}, "no argument 'unknown'"),
    ("search", {"query": None}, "'query' is missing"),
    ("search", {"query": "색인", "media": "video"}, "media: "),
    ("search", {"query": "색인", "trust_min": "most"}, "trust_min: "),
    ("search", {"query": "색인", "ingested_after": "언젠가"}, "ingested_after: "),
    ("search", {"query": "색인", "doc_id": "x"}, "doc_id: "),
    ("ask", {"question": ""}, ""),
    ("ask", {"question": "색인?", "multi_hop": True}, "no argument 'multi_hop'"),
    ("fetch", {"kind": "page"}, "'chunk', 'doc' or 'span'"),
    ("fetch", {}, "needs the argument 'address'"),
    ("fetch", {"address": "@1"}, "a hit of the last search in a terminal"),
    ("fetch", {"address": "한국어/색인 노트.md#L999"}, "lines, and no line 999"),
    (
        "fetch",
        {"address": "한국어/색인 노트.md", "section": True, "outline": True},
        "cannot be used together",
    ),
    ("fetch", {"address": "한국어/색인 노트.md", "line_start": 1}, "no argument 'line_start'"),
    ("fetch", {"kind": "chunk"}, "needs the argument 'chunk_id'"),
    ("fetch", {"kind": "chunk", "chunk_id": "abc"}, ""),
    ("fetch", {"kind": "chunk", "chunk_id": NOWHERE, "line_start": 5}, "no argument 'line_start'"),
    ("fetch", {"kind": "span", "doc_id": NOWHERE, "line_start": 1}, "needs the argument 'line_end'"),
    ("list", {"by": "tag"}, "did you mean 'tags'"),
    ("search", {"query": "색인", "mode": "lexicl"}, "did you mean 'lexical'"),
    ("search", {"query": "색인", "question": "색인?"}, "no argument 'question'"),
    ("schema", {"verbose": True}, "takes no arguments"),
]


@walk(
    "arguments",
    [
        {"k": "1"},
        {"k": 1.0},
        {"k": 1, "tag": "", "path_glob": [], "cursor": "", "mode": None},
        {"k": "1.0", "all_passages": "false"},
    ],
)
def test_an_argument_whose_meaning_is_clear_is_taken(arguments: dict[str, Any], shared: Session) -> None:
    assert (
        shared.call("search", query=QUESTION, **arguments).value
        == shared.call("search", query=QUESTION, k=1).value
    )


@walk(("tool", "arguments", "said"), REFUSED)
def test_a_bad_argument_is_an_error_that_names_it(
    tool: str, arguments: dict[str, Any], said: str, shared: Session
) -> None:
    reply = shared.call(tool, **arguments)
    assert (reply.is_error, reply.structured, reply.value["code"]) == (True, reply.value, "invalid_input")
    assert said in f"{reply.value['message']} {reply.value['hint']}"
    assert reply.value["hint"]
    parse_wire(reply.text)


@walk(
    ("tool", "arguments", "code"),
    [
        ("fetch", {"kind": "chunk", "chunk_id": NOWHERE}, "chunk_not_found"),
        ("fetch", {"kind": "doc", "doc_id": NOWHERE}, "doc_not_found"),
        ("fetch", {"address": "없는 글.md"}, "doc_not_found"),
        ("search", {"query": "색인", "cursor": "x"}, "stale_cursor"),
        ("ingest_stdin", {"content": "글", "title": "제목"}, "readonly_mode"),
        ("ingest_file", {"path": "/nowhere.md"}, "readonly_mode"),
    ],
)
def test_what_goes_wrong_has_its_code(
    tool: str, arguments: dict[str, Any], code: str, shared: Session
) -> None:
    reply = shared.call(tool, **arguments)
    assert (reply.is_error, reply.value["code"]) == (True, code)


@walk(
    ("tool", "arguments", "code"),
    [
        ("ingest_file", {"path": "a.md"}, "invalid_input"),
        ("ingest_file", {"path": "/nowhere/a.md"}, "invalid_input"),
        ("ingest_file", {"path": "~nobody-here/a.md"}, "invalid_input"),
        ("ingest_file", {"path": "/nowhere/\0a.md"}, "invalid_input"),
        ("ingest_stdin", {"content": "", "title": "제목"}, "invalid_input"),
        ("ingest_stdin", {"content": "글", "title": " "}, "invalid_input"),
    ],
)
def test_a_document_that_cannot_be_taken_is_an_error(
    tool: str, arguments: dict[str, Any], code: str, unused: Session
) -> None:
    reply = unused.call(tool, **arguments)
    assert (reply.is_error, reply.value["code"]) == (True, code)


def test_a_read_only_server_offers_no_tool_that_writes(shared: Session) -> None:
    assert not {"ingest_file", "write_note", "forget_note", "ingest_stdin"} & shared.tools().keys()
    assert all(tool.annotations.read_only_hint for tool in shared.tools().values())


def test_the_environment_makes_a_server_read_only_too(base: Base, serve_base: Callable[..., Any]) -> None:
    with serve_base(base.parameters(env={"KEBAB_READONLY": "1"})) as session:
        assert "ingest_file" not in session.tools()
        assert session.call("ask", question=QUESTION).value["grounded"] is True


def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol(shared: Session) -> None:
    with pytest.raises(MCPError, match="no tool 'grep'"):
        shared.call("grep", pattern="색인")


def test_a_broken_configuration_is_said_by_every_tool_and_examined_by_doctor(
    base: Base, serve_base: Callable[..., Any]
) -> None:
    base.config.write_text("[search]\ndefault_k = 0\n", encoding="utf-8")
    with serve_base(base.parameters()) as session:
        assert session.call("search", query="색인").value["code"] == "config_invalid"
        assert session.call("doctor").value["ok"] is False
        base.config.write_text(
            '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8"
        )
        assert session.call("search", query="색인", mode="lexical").value["hits"]


def test_a_changed_configuration_is_in_force_from_the_next_call_on(
    base: Base, serve_base: Callable[..., Any]
) -> None:
    sound = base.config.read_text("utf-8")
    with serve_base(base.parameters()) as session:
        assert session.call("search", query="색인", mode="lexical").value["hits"]
        base.config.write_text(f"{sound}[storage]\n", encoding="utf-8")
        assert session.call("search", query="색인", mode="lexical").value["code"] == "config_invalid"
        base.config.write_text(sound.replace('"data"', '"elsewhere"'), encoding="utf-8")
        assert session.call("search", query="색인", mode="lexical").value["code"] == "not_indexed"
        base.config.write_text(sound, encoding="utf-8")
        assert session.call("search", query="색인", mode="lexical").value["hits"]


def test_without_an_index_the_tools_say_what_to_do(base: Base, serve_base: Callable[..., Any]) -> None:
    base.config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "other"\n', encoding="utf-8")
    with serve_base(base.parameters("--readonly")) as session:
        reply = session.call("search", query="색인", mode="lexical")
        assert (reply.value["code"], reply.value["hint"]) == ("not_indexed", "the user can run: kebab ingest")
    assert not (base.folder / "other").exists()


@pytest.mark.parametrize("missing", ["content", "title"])
def test_the_hint_for_a_text_without_words_says_what_the_tool_takes(missing: str, session: Session) -> None:
    reply = session.call("ingest_stdin", **{"content": "글", "title": "제목", missing: " "})
    assert reply.value["hint"] == "give `write_note` both `title` and `content`"
