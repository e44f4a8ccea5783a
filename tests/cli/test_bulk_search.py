"""`kebab search --bulk`: one query on each line in, one result on each line out."""

from __future__ import annotations

import json
from typing import Any

import pytest

FLAGS: dict[str, Any] = {
    "mode": "lexical",
    "k": 1,
    "snippet_chars": 40,
    "max_tokens": 300,
    "tag": "검색,absent",
    "lang": "KO",
    "path_glob": "한국어/**",
    "trust_min": "Generated",
    "media": "Markdown",
    "ingested_after": "2001-01-01",
    "source": "default",
    "source_type": "note,markdown",
}
EACH_FLAG = [{name: value} for name, value in FLAGS.items()]
MORE = [
    {},
    FLAGS,
    {"tag": ["absent"]},
    {"lang": ["en", "ko"]},
    {"path_glob": ["english/*", "absent/**"]},
    {"path_glob": "english/*,한국어/*"},
    {"doc_id": "0" * 32},
    {"repo": "absent"},
    {"code_lang": ["python", "rust"]},
    {"symbol": "absent,nothing"},
    {"media": "text"},
    {"ingested_after": "2999-01-01T00:00:00+09:00"},
    {"mode": "hybrid"},
]


def ask(kb, *lines: object, flags: tuple[str, ...] = ("--json",)) -> Any:  # type: ignore[no-untyped-def]
    written = (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    return kb("search", "--bulk", *flags, stdin="\n".join(written))


def summary(done: Any) -> dict[str, int]:
    told = done.error
    assert told.pop("schema_version") == "bulk_search_summary.v1"
    counts: dict[str, int] = told
    return counts


def counts(total: int, succeeded: int, failed: int) -> dict[str, int]:
    return {"total": total, "succeeded": succeeded, "failed": failed}


def as_flags(fields: dict[str, Any]) -> list[str]:
    return [
        part
        for name, value in fields.items()
        for each in (value if isinstance(value, list) else [value])
        for part in (f"--{name.replace('_', '-')}", str(each))
    ]


def test_every_line_gives_a_line_with_its_input_and_its_result(quick) -> None:  # type: ignore[no-untyped-def]
    first, second = {"query": "색인은 언제 다시 만들어지나요?", "k": 1, "lang": None}, {"query": "rollback"}
    done = ask(quick, first, second)
    assert done.code == 0
    assert [item["query"] for item in done.objects] == [first, second]
    assert [item["error"] for item in done.objects] == [None, None]
    assert [item["response"]["hits"][0]["doc_path"] for item in done.objects] == [
        "한국어/색인.md",
        "english/deployment.md",
    ]
    assert summary(done) == counts(2, 2, 0)


@pytest.mark.parametrize("fields", EACH_FLAG + MORE, ids=lambda fields: ",".join(fields) or "plain")
def test_a_field_means_what_its_flag_means(fields: dict[str, Any], quick) -> None:  # type: ignore[no-untyped-def]
    alone = quick("search", "색인 청크 Rolling", *as_flags(fields), "--all", "--json")
    (item,) = ask(quick, {"query": "색인 청크 Rolling", **fields}).objects
    assert item["response"] == alone.last


def test_hits_are_passages_unless_a_line_wants_documents(quick) -> None:  # type: ignore[no-untyped-def]
    lines = [{"query": "색인 청크", "all_passages": value} for value in (None, True, False)]
    default, passages, documents = (item["response"] for item in ask(quick, *lines).objects)
    assert default == passages == quick("search", "색인 청크", "--all", "--json").last
    assert documents == quick("search", "색인 청크", "--json").last
    assert len(documents["hits"]) < len(passages["hits"])


def test_the_next_page_of_one_query_goes_on_where_it_ended(quick) -> None:  # type: ignore[no-untyped-def]
    query = {"query": "색인 청크 표", "k": 1}
    (first,) = ask(quick, query).objects
    (second,) = ask(quick, {**query, "cursor": first["response"]["next_cursor"]}).objects
    assert first["response"]["hits"][0]["chunk_id"] != second["response"]["hits"][0]["chunk_id"]


def test_in_brief_is_said_once_for_all_lines(quick) -> None:  # type: ignore[no-untyped-def]
    alone = quick("search", "색인", "--all", "--brief", "--json").last
    done = ask(quick, {"query": "색인"}, {"query": "색인", "k": 1}, flags=("--json", "--brief"))
    assert done.objects[0]["response"] == alone
    assert [item["response"]["schema_version"] for item in done.objects] == ["search_brief.v1"] * 2


def test_a_trace_is_told_where_it_is_asked_for(quick) -> None:  # type: ignore[no-untyped-def]
    done = ask(quick, {"query": "색인", "trace": True}, {"query": "색인", "trace": False})
    assert ["trace" in item["response"] for item in done.objects] == [True, False]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"trust_min": "certain"}, "invalid_input"),
        ({"media": ["foo"]}, "invalid_input"),
        ({"mode": "psychic"}, "invalid_input"),
        ({"mode": "vector"}, "not_indexed"),
        ({"k": 0}, "invalid_input"),
        ({"k": "many"}, "invalid_input"),
        ({"k": True}, "invalid_input"),
        ({"tags": "검색"}, "invalid_input"),
        ({"doc_id": "abc"}, "invalid_input"),
        ({"ingested_after": "soon"}, "invalid_input"),
        ({"schema_version": "search_response.v1"}, "invalid_input"),
        ({"cursor": "x"}, "stale_cursor"),
        ({"query": " "}, "invalid_input"),
        ({"query": None}, "invalid_input"),
        ({"query": "raw: ((("}, "invalid_input"),
    ],
)
def test_what_is_wrong_with_one_query_leaves_the_others_alone(fields, code: str, quick) -> None:  # type: ignore[no-untyped-def]
    wrong = {"query": "색인", **fields}
    done = ask(quick, {"query": "색인"}, wrong, {"query": "rollback"})
    assert done.code == 0
    first, second, third = done.objects
    assert (bool(first["response"]["hits"]), bool(third["response"]["hits"])) == (True, True)
    assert (second["query"], second["response"], second["error"]["code"]) == (wrong, None, code)
    assert second["error"]["hint"]
    assert summary(done) == counts(3, 2, 1)


def test_a_query_without_text_names_what_is_missing(quick) -> None:  # type: ignore[no-untyped-def]
    (item,) = ask(quick, {"mode": "lexical"}).objects
    assert (item["query"], "query" in item["error"]["message"]) == ({"mode": "lexical"}, True)


@pytest.mark.parametrize("stdin", ["", "\n", " \n\r\n\n"])
def test_no_query_is_no_error(stdin: str, quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("search", "--bulk", "--json", stdin=stdin)
    assert (done.code, done.stdout, summary(done)) == (0, "", counts(0, 0, 0))


def test_blank_lines_line_ends_and_a_byte_order_mark_are_passed_over(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick(
        "search", "--bulk", "--json", stdin='\ufeff{"query": "색인"}\r\n\r\n  {"query": "rollback"}  '
    )
    assert summary(done) == counts(2, 2, 0)


@pytest.mark.parametrize(
    "line",
    ["not json", "3", "[]", '"색인"', "null", '{"query": "색인"', '{"query": NaN}', '{"query": "\\ud800"}'],
)
def test_a_line_that_is_no_object_is_one_error_among_the_results(line: str, quick) -> None:  # type: ignore[no-untyped-def]
    done = ask(quick, {"query": "색인"}, "", line, {"query": "색인"})
    assert (done.code, summary(done)) == (2, counts(3, 2, 1))
    bad = done.objects[1]
    assert (bad["query"], bad["response"]) == ({}, None)
    assert (bad["error"]["code"], bad["error"]["details"]) == ("invalid_input", {"line": 3})  # type: ignore[index]


def test_lines_of_which_none_is_an_object_are_an_error(quick) -> None:  # type: ignore[no-untyped-def]
    done = ask(quick, "not json", "3")
    assert (done.code, done.stdout, done.error["code"]) == (2, "", "invalid_input")
    assert done.error["details"] == {"line": 1}


def test_a_hundred_queries_are_taken_and_one_more_is_too_many(quick) -> None:  # type: ignore[no-untyped-def]
    query = {"query": "색인", "k": 1}
    assert summary(ask(quick, *[query] * 100)) == counts(100, 100, 0)
    done = ask(quick, *[query] * 101)
    assert (done.code, done.stdout, done.error["code"]) == (2, "", "too_many_queries")


def test_people_see_the_hits_in_blocks_below_their_queries(quick) -> None:  # type: ignore[no-untyped-def]
    lines = ({"query": "색인"}, {"query": "색인", "k": 0}, {"query": "파스타 삶는 법"})
    done = ask(quick, *lines, flags=())
    assert done.code == 0
    blocks = done.stdout.rstrip("\n").split("\n\n")
    assert blocks[0].startswith("1. ")
    assert blocks[-1].startswith("no hits: nothing matches")
    told = done.stderr.splitlines()
    assert [line for line in told if line.startswith("#")] == [
        "# Query 1: 색인",
        "# Query 2: 색인",
        "# Query 3: 파스타 삶는 법",
    ]
    assert told[told.index("# Query 2: 색인") + 1].startswith("error: k: ")
    assert told[-1] == "3 queries: 2 succeeded, 1 failed"


def test_each_block_is_what_one_search_prints(quick) -> None:  # type: ignore[no-untyped-def]
    queries = ("색인", "rollback")
    alone = [quick("search", query, "--all").stdout for query in queries]
    done = ask(quick, *({"query": query} for query in queries), flags=())
    assert done.stdout == "".join(f"{block}\n" for block in alone)


def test_a_query_cannot_drive_the_terminal(quick) -> None:  # type: ignore[no-untyped-def]
    done = ask(quick, {"query": "색인\x1b[2J\n# Query 2: no"}, flags=())
    assert done.stderr.splitlines()[0] == "# Query 1: 색인�[2J # Query 2: no"


def test_what_means_one_query_is_said_not_to_count(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("search", "rollback", "--bulk", "--k", "1", stdin='{"query": "색인 청크 표"}')
    assert done.stdout.startswith("1. ")
    assert "\n2. " in done.stdout
    assert (
        done.stderr.splitlines()[0] == "warning: ignored with --bulk, where each line has its own: QUERY, --k"
    )


def test_without_bulk_a_query_is_needed(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("search", "--json", stdin='{"query": "색인"}')
    assert (done.code, done.error["message"]) == (2, "missing argument 'QUERY'")


def test_without_an_index_every_line_says_so(kb, inside) -> None:  # type: ignore[no-untyped-def]
    done = ask(inside(kb), {"query": "색인"}, {"query": "표"})
    assert [item["error"]["code"] for item in done.objects] == ["not_indexed"] * 2
    assert (done.code, summary(done)) == (0, counts(2, 0, 2))


def test_schema_says_that_many_searches_can_be_asked_at_once(quick) -> None:  # type: ignore[no-untyped-def]
    assert quick("schema", "--json").last["capabilities"]["bulk_search"] is True
