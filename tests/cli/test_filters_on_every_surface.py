"""Every filter, wherever it can be given: it lets some documents through and holds others back, and says when none is left."""

from __future__ import annotations

import sqlite3

import click
import pytest
from kebab_cli.main import cli
from kebab_testing.families import sample
from kebab_testing.tables import walk

BOTH = "메모"
"""A word in every document."""

MEETING = """\
---
title: 회의록
tags: [회의, 2026]
trust_level: primary
source_type: note
---
# 회의록

메모: 다음 주에 배포한다. 한국어로 쓴 글이다.
"""
PAPER = """\
---
title: A paper
tags: [research]
trust_level: generated
source_type: paper
date: 2024-05-03
---
# A paper

메모 This paper is written in English and measures retrieval of short passages.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory, make_inside):  # type: ignore[no-untyped-def]
    """Three documents of two sources that differ in everything a filter looks at."""
    kb = make_inside(tmp_path_factory.mktemp("library"))
    kb.write("2026/meeting.md", MEETING)
    (kb.folder / "papers").mkdir()
    (kb.folder / "papers" / "paper.md").write_text(PAPER, encoding="utf-8")
    (kb.folder / "papers" / "plain.txt").write_text(
        "메모 plain text, in English words only.\n", encoding="utf-8"
    )
    kb.config.write_text(
        '[[workspace.sources]]\nid = "notes"\nroot = "notes"\n'
        '[[workspace.sources]]\nid = "papers"\nroot = "papers"\ntrust_level = "secondary"\nsource_type = "inbox"\n'
        '[storage]\ndata_dir = "data"\n'
    )
    assert kb("ingest").code == 0
    # no document of a kind that this kebab reads has these
    with sqlite3.connect(kb.data / "kebab.sqlite") as database:
        database.execute(
            "UPDATE documents SET repo = 'tools', code_lang = 'python' WHERE source_id = 'notes'"
        )
        database.execute(
            "INSERT INTO code_symbols (chunk_no, place, name, symbol) "
            "SELECT chunk_no, 0, 'invokeall', 'core.Group.invoke_all' FROM chunks JOIN documents USING (doc_no) "
            "WHERE source_id = 'notes' AND ordinal = 0"
        )
        database.execute(
            "UPDATE documents SET indexed_at = '2020-01-01T00:00:00.000000Z' WHERE source_id = 'papers'"
        )
    database.close()
    return kb


MEETING_PATH, PAPER_PATH, PLAIN_PATH = "2026/meeting.md", "paper.md", "plain.txt"
EVERYTHING = {MEETING_PATH, PAPER_PATH, PLAIN_PATH}
CASES: list[tuple[list[str], set[str]]] = [
    (["--tag", "회의"], {MEETING_PATH}),
    (["--tag", "회의", "--tag", "research"], {MEETING_PATH, PAPER_PATH}),
    (["--tag", "회의,research"], {MEETING_PATH, PAPER_PATH}),
    (["--tag", "absent"], set()),
    (["--tag", "absent,nor this"], set()),
    (["--lang", "ko"], {MEETING_PATH}),
    (["--lang", "ko,en"], EVERYTHING),
    (["--lang", "ko", "--lang", "en"], EVERYTHING),
    (["--lang", "fr", "--lang", "ko"], {MEETING_PATH}),
    (["--lang", "ko", "--lang", "fr"], {MEETING_PATH}),
    (["--lang", "fr"], set()),
    (["--lang", "fr,de"], set()),
    (["--path-glob", "2026/**"], {MEETING_PATH}),
    (["--path-glob", "*.md"], {PAPER_PATH}),
    (["--path-glob", "2026/**", "--path-glob", "*.txt"], {MEETING_PATH, PLAIN_PATH}),
    (["--path-glob", "absent/**"], set()),
    (["--path-glob", "absent/**", "--path-glob", "gone/*"], set()),
    (["--path-glob", "*.md,*.txt"], set()),
    (["--media", "text"], {PLAIN_PATH}),
    (["--media", "text,markdown"], EVERYTHING),
    (["--media", "text", "--media", "pdf"], {PLAIN_PATH}),
    (["--media", "pdf"], set()),
    (["--source", "papers"], {PAPER_PATH, PLAIN_PATH}),
    (["--source", "notes,papers"], EVERYTHING),
    (["--source", "notes", "--source", "papers"], EVERYTHING),
    (["--source", "absent"], set()),
    (["--source", "papers", "--media", "text"], {PLAIN_PATH}),
    (["--source", "notes", "--media", "text"], set()),
    (["--lang", "KO"], {MEETING_PATH}),
    (["--media", "Text"], {PLAIN_PATH}),
    (["--trust-min", "primary"], {MEETING_PATH}),
    (["--trust-min", "secondary"], {MEETING_PATH, PLAIN_PATH}),
    (["--trust-min", "generated"], EVERYTHING),
    (["--ingested-after", "2025-06-01"], {MEETING_PATH}),
    (["--ingested-after", "2019-06-01T00:00:00+09:00"], EVERYTHING),
    (["--ingested-after", "2999-01-01"], set()),
    (["--doc-id", "{meeting}"], {MEETING_PATH}),
    (["--doc-id", "0" * 32, "--doc-id", "{meeting}"], {MEETING_PATH}),
    (["--doc-id", "{meeting}," + "0" * 32], {MEETING_PATH}),
    (["--doc-id", "{meeting}", "--doc-id", "{paper}"], {MEETING_PATH, PAPER_PATH}),
    (["--doc-id", "0" * 32], set()),
    (["--doc-id", "0" * 32 + "," + "1" * 32], set()),
    (["--repo", "tools"], {MEETING_PATH}),
    (["--repo", "tools", "--repo", "absent"], {MEETING_PATH}),
    (["--repo", "absent,tools"], {MEETING_PATH}),
    (["--repo", "absent"], set()),
    (["--code-lang", "python,rust"], {MEETING_PATH}),
    (["--code-lang", "rust", "--code-lang", "python"], {MEETING_PATH}),
    (["--code-lang", "rust"], set()),
    (["--symbol", "Group.invokeAll"], {MEETING_PATH}),
    (["--symbol", "absent", "--symbol", "invoke_all()"], {MEETING_PATH}),
    (["--symbol", "absent,invoke_all"], {MEETING_PATH}),
    (["--symbol", "invoke"], set()),
    (["--source-type", "note"], {MEETING_PATH}),
    (["--source-type", "paper,inbox"], {PAPER_PATH, PLAIN_PATH}),
    (["--source-type", "paper", "--source-type", "note"], {MEETING_PATH, PAPER_PATH}),
    (["--source-type", "reference"], set()),
    (["--source-type", "NOTE"], {MEETING_PATH}),
    (["--since", "1h"], {MEETING_PATH, PLAIN_PATH}),
    (["--since", "2024-05-03"], EVERYTHING),
    (["--until", "2024-05-03"], {PAPER_PATH}),
    (["--until", "2024-05-02"], set()),
    (["--since", "2024-05", "--until", "2024-05"], {PAPER_PATH}),
    (["--modified-since", "1h"], EVERYTHING),
    (["--modified-since", "2999"], set()),
    (["--since", "2999-01"], set()),
    (["--lang", "한국어"], {MEETING_PATH}),
    (["--tag", "#회의"], {MEETING_PATH}),
    (["--path-glob", "papers:**"], {PAPER_PATH, PLAIN_PATH}),
    (["--trust-min", "Primary"], {MEETING_PATH}),
    (["--code-lang", "Python"], {MEETING_PATH}),
]
"""Filters of `search` and of `list docs`."""
CLOSED = {
    "--media": "video",
    "--trust-min": "high",
    "--source-type": "novel",
    "--ingested-after": "soon",
    "--until": "later",
}
"""Filters with a fixed set of values, and a value outside it."""


def named(case: tuple[list[str], set[str]]) -> str:
    return " ".join(case[0])


def filled(arguments: list[str], kb) -> list[str]:  # type: ignore[no-untyped-def]
    if not any("{" in part for part in arguments):
        return arguments
    return [part.format(meeting=kb.doc_id(MEETING_PATH), paper=kb.doc_id(PAPER_PATH)) for part in arguments]


def assert_found(case: tuple[list[str], set[str]], library, mode: str) -> None:  # type: ignore[no-untyped-def]
    arguments, expected = filled(case[0], library), case[1]
    done = library("search", BOTH, *arguments, "--mode", mode, "--json")
    assert {hit["doc_path"] for hit in done.last["hits"]} == expected  # type: ignore[attr-defined, union-attr, index]
    assert done.code == (0 if expected else 1)
    assert done.last["no_hit_reason"] == (None if expected else "filtered_out")


@walk("case", CASES)
def test_search_finds_what_passes_and_nothing_else(case: tuple[list[str], set[str]], library) -> None:  # type: ignore[no-untyped-def]
    assert_found(case, library, "lexical")


@pytest.mark.thorough
@walk("case", sample(CASES, key=named))
def test_search_by_meaning_keeps_to_the_filters_too(case: tuple[list[str], set[str]], library) -> None:  # type: ignore[no-untyped-def]
    assert_found(case, library, "hybrid")


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=named)
def test_people_see_the_same(case: tuple[list[str], set[str]], library) -> None:  # type: ignore[no-untyped-def]
    arguments, expected = filled(case[0], library), case[1]
    done = library("search", BOTH, *arguments)
    for path in EVERYTHING:
        assert (f":{path}#L" in done.stdout) is (path in expected)
    assert ("no hits: the filters leave no document" in done.stdout) is (not expected)
    assert done.code == (0 if expected else 1)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=named)
@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["people", "json"])
def test_list_docs_lists_what_passes(flags: list[str], case: tuple[list[str], set[str]], library) -> None:  # type: ignore[no-untyped-def]
    done = library("list", "docs", *filled(case[0], library), *flags)
    assert done.code == 0
    if flags:
        listed = {document["doc_path"] for document in done.last["documents"]}  # type: ignore[attr-defined, union-attr, index]
    else:
        listed = {line.split("\t")[0].partition(":")[2] for line in done.stdout.splitlines()}
    assert listed == case[1]


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=named)
def test_why_tells_of_each_document_whether_the_filters_keep_it_out(
    case: tuple[list[str], set[str]], library
) -> None:  # type: ignore[no-untyped-def]
    arguments, expected = filled(case[0], library), case[1]
    for source, path in (("notes", MEETING_PATH), ("papers", PAPER_PATH), ("papers", PLAIN_PATH)):
        done = library("why", f"{source}:{path}", "--query", BOTH, *arguments, "--mode", "lexical", "--json")
        assert done.last["verdict"] == ("found" if path in expected else "filtered_out")
        assert done.code == (0 if path in expected else 1)


@walk("flag", CLOSED)
def test_a_value_that_no_document_can_have_is_an_error_naming_the_flag(flag: str, library) -> None:  # type: ignore[no-untyped-def]
    done = library("search", BOTH, flag, CLOSED[flag], "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    human = library("search", BOTH, flag, CLOSED[flag])
    assert (human.code, human.stdout) == (2, "")
    assert CLOSED[flag] in human.stderr


@walk(
    ("given", "nearest"),
    [
        (["--media", "markdwon"], "markdown"),
        (["--media", "text,PDFs"], "pdf"),
        (["--trust-min", "secondry"], "secondary"),
        (["--source-type", "notes"], "note"),
    ],
)
@walk("command", [["search", BOTH], ["list", "docs"]])
def test_a_misspelt_value_is_answered_with_the_nearest(
    command: list[str], given: list[str], nearest: str, library
) -> None:  # type: ignore[no-untyped-def]
    done = library(*command, *given, "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert f"did you mean '{nearest}'?" in done.error["message"]


def test_an_empty_answer_names_the_filters_to_blame_as_flags(library) -> None:  # type: ignore[no-untyped-def]
    def blamed(*arguments: str) -> object:
        return library("search", BOTH, *arguments, "--json").last.get("filtered_out_by")

    assert blamed("--tag", "absent", "--lang", "ko") == ["tag"]
    assert blamed("--source", "absent", "--lang", "fr") == ["lang", "source"]
    assert blamed("--lang", "ko") is None


@walk(
    ("given", "meant"),
    [
        (["--tag", "reserch"], "'research'"),
        (["--tag", "회이", "--lang", "ko"], "'회의'"),
        (["--source", "paper"], "'papers'"),
        (["--repo", "tool"], "'tools'"),
        (["--code-lang", "pyton"], "'python'"),
        (["--tag", "researhc", "--source", "note"], "'research', 'notes'"),
        (["--lang", "fr"], None),
        (["--path-glob", "2025/**"], None),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest_that_a_document_has(
    given: list[str], meant: str | None, library
) -> None:  # type: ignore[no-untyped-def]
    hint = library("search", BOTH, *given).stdout.splitlines()[1]
    assert hint.startswith("hint: try it with")
    assert hint.partition("; did you mean ")[2] == (f"{meant}?" if meant else "")


def test_an_error_of_a_filter_leads_to_the_help_of_its_command(library) -> None:  # type: ignore[no-untyped-def]
    assert "hint: kebab list docs --help" in library("list", "docs", "--media", "video").stderr
    assert "hint: kebab search --help" in library("search", BOTH, "--media", "video").stderr


def test_every_filter_flag_is_tried_here() -> None:
    search = cli.get_command(click.Context(cli), "search")
    plain = cli.get_command(click.Context(cli), "schema")
    group = cli.get_command(click.Context(cli), "list")
    assert isinstance(group, click.Group)
    listing = group.get_command(click.Context(group), "docs")
    assert search is not None
    assert listing is not None
    assert plain is not None
    asking_why = cli.get_command(click.Context(cli), "why")
    assert asking_why is not None
    about_hits = {
        "--k",
        "--limit",
        "--mode",
        "--snippet-chars",
        "--all",
        "--all-passages",
        "--max-tokens",
        "--cursor",
        "--brief",
        "--explain",
        "--rerank",
        "--trace",
        "--bulk",
        "--exact",
        "--oneline",
    }
    tried = {part for arguments, _ in CASES for part in arguments if part.startswith("--")}
    assert tried == flags_of(search) - about_hits - flags_of(plain)
    assert tried == flags_of(listing) - {"--limit", "--brief", "--cursor", "--max-tokens"} - flags_of(plain)
    assert tried == flags_of(asking_why) - {"--query", *about_hits} - flags_of(plain)


def flags_of(command: click.Command) -> set[str]:
    return {flag for parameter in command.params for flag in parameter.opts if flag.startswith("--")}


@walk("flag", ["--tag", "--lang", "--media", "--source", "--doc-id", "--repo", "--source-type"])
@walk("value", ["", " , "])
def test_a_list_without_a_value_is_an_error(flag: str, value: str, library) -> None:  # type: ignore[no-untyped-def]
    done = library("search", BOTH, flag, value, "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")


def test_an_unfiltered_search_finds_all(library) -> None:  # type: ignore[no-untyped-def]
    found = library("search", BOTH, "--json").last["hits"]
    assert {hit["doc_path"] for hit in found} == EVERYTHING  # type: ignore[index, union-attr, attr-defined]


def test_filters_are_repeated_in_the_answer(library) -> None:  # type: ignore[no-untyped-def]
    query = library("search", BOTH, "--lang", "ko", "--source", "notes", "--json").last["query"]
    assert query["filters"] == {"lang": ["ko"], "source": ["notes"]}  # type: ignore[index]
