"""What `kebab search` shows to people: rank, title and headings; address; passage; then what was searched."""

from __future__ import annotations

import re
import sqlite3

import pytest

ESCAPE = "\x1b"


def test_a_hit_is_title_address_and_passage_and_a_footer_sums_up(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("search", "rollback")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "1. Deployment > Rollback",
        "   english/deployment.md#L5-L7",
        "   ▎ Rolling back takes one command and five minutes.",
        "",
        "1 hit  lexical  2 documents",
    ]
    explained = quick("search", "rollback", "--explain").stdout.splitlines()[-1]
    assert re.fullmatch(r"1 hit  lexical  2 documents  lexical:\S+", explained)


def test_hits_are_numbered_and_the_best_comes_first(kb, inside) -> None:  # type: ignore[no-untyped-def]
    for number in range(3):
        kb.write(f"more/{number}.md", f"# 색인 {number}\n\n색인 색인 검색 {number}\n")
    kb = inside(kb)
    kb("ingest")
    lines = kb("search", "색인 검색", "--k", "3").stdout.splitlines()
    assert [head[1] for line in lines if (head := re.match(r"(\d+)\. ", line))] == ["1", "2", "3"]
    scores = [hit["score"] for hit in kb("search", "색인 검색", "--k", "3", "--json").last["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert lines[-1].startswith("3 hits  ")


def test_lists_and_tables_are_lines_in_a_pipe_too_without_colour(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.write("list.md", "# 목록\n\n- 하나 형태소\n- 둘\n\n  셋\n\n| 가 | 나 |\n|---|---|\n| 형태소 | 다 |\n")
    kb = inside(kb)
    kb("ingest")
    done = kb("search", "형태소", "--k", "1")
    passage = [line for line in done.stdout.splitlines() if "▎" in line]
    assert passage == ["   ▎ - 하나 형태소", "   ▎ - 둘", "   ▎   셋", "   ▎ 가 | 나", "   ▎ 형태소 | 다"]
    assert ESCAPE not in done.stdout
    rows = [f"{n} | 2024-05-0{n} | card payment of the second account | zebra crossing {n}" for n in (1, 2)]
    kb.write("bank.csv", "\n".join(["id,day,kind,name", *(row.replace(" | ", ",") for row in rows)]))
    kb("ingest")
    assert [f"   ▎ {row}" for row in rows] == [
        line for line in kb("search", "zebra crossing", "--k", "1").stdout.splitlines() if "▎" in line
    ][-2:]


def test_code_keeps_its_lines_and_a_paragraph_is_joined(kb, inside) -> None:  # type: ignore[no-untyped-def]
    prose = "The zebra command writes what the editor broke at eighty columns\nof a line, and reads on.\n"
    kb.write("code.md", f"# Code\n\n{prose}\n```\ndef zebra():\n    return 1\n```\n")
    kb = inside(kb)
    kb("ingest")
    assert kb("search", "zebra", "-k", "1").stdout.splitlines()[2:5] == [
        "   ▎ The zebra command writes what the editor broke at eighty columns of a line, and reads on.",
        "   ▎ def zebra():",
        "   ▎     return 1",
    ]


def test_a_terminal_gets_a_link_and_matches_in_colour(indexed, terminal) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(indexed, "search", "rolling back", columns=80).stdout
    target = f"file://{indexed.notes}/english/deployment.md#L"
    assert f"{ESCAPE}]8;;{target}" in shown
    assert f"{ESCAPE}[1;31mRolling{ESCAPE}[0m" in shown


def test_no_color_loses_the_colours_only(indexed, terminal) -> None:  # type: ignore[no-untyped-def]
    coloured, plain = (
        terminal(indexed, "search", "rolling back", columns=40, env=env).stdout
        for env in ({}, {"NO_COLOR": "1"})
    )
    assert not re.search(rf"{ESCAPE}\[(?:[0-9;]*;)?[349][0-9]m", plain)
    assert f"{ESCAPE}]8;;file://" in plain
    assert f"{ESCAPE}[1mRolling{ESCAPE}[0m" in plain
    words = [re.sub(rf"{ESCAPE}\[[0-9;]*m", "", each) for each in (coloured, plain)]
    assert words[0] == words[1]


def test_a_dumb_terminal_gets_plain_lines(indexed, terminal) -> None:  # type: ignore[no-untyped-def]
    assert ESCAPE not in terminal(indexed, "search", "rollback", env={"TERM": "dumb"}).stdout


@pytest.mark.parametrize("columns", [1, 20, 40, 80])
def test_snippets_wrap_hangul_by_its_width(columns: int, kb, inside, terminal) -> None:  # type: ignore[no-untyped-def]
    from rich.cells import cell_len

    sentence = "형태소 분석은 조사와 어미를 떼어 낸 뒤 남은 말로 찾게 해 준다 "
    kb.write("wide.md", "# 넓은 글\n\n" + sentence * 3)
    inside(kb)("ingest")
    done = terminal(kb, "search", "형태소", "--k", "1", columns=columns)
    plain = re.sub(r"\x1b\][^\x1b]*\x1b\\|\x1b\[[0-9;]*m", "", done.stdout)
    snippet = [line for line in plain.splitlines() if line.startswith("   ▎ ")]
    assert len(snippet) > 1 or columns == 80
    assert all(cell_len(line) <= max(columns, 20) for line in snippet)
    assert "".join("".join(snippet).replace("▎", "").split()).startswith("형태소분석은조사와")


def test_explain_says_how_each_hit_was_found(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("search", "rollback", "--explain")
    details = [line.split()[0:2] for line in done.stdout.splitlines() if re.match(r" +[├└]", line)]
    assert details == [["├", "lexical"], ["├", "probability"], ["├", "evidence"], ["└", "md-heading-v4"]]
    ids = re.search(r"chunk ([0-9a-f]{32})  doc ([0-9a-f]{32})", done.stdout)
    assert ids is not None
    assert quick("fetch", "chunk", ids[1]).code == 0
    assert quick("fetch", "doc", ids[2]).code == 0


def test_a_stale_document_is_marked_where_it_is_found_and_in_the_footer(quick) -> None:  # type: ignore[no-untyped-def]
    assert "[stale]" not in quick("search", "rollback").stdout
    with sqlite3.connect(quick.data / "kebab.sqlite") as database:
        database.execute("UPDATE source_scans SET completed_at = '2020-01-01T00:00:00Z'")
    database.close()
    done = quick("search", "rollback")
    assert done.stdout.splitlines()[0].endswith("  [stale]")
    assert "note: 2 stale documents (kebab ingest)" in done.stdout


def test_a_filtered_search_says_how_many_documents_it_looked_at(quick) -> None:  # type: ignore[no-untyped-def]
    assert "  1 of 2 documents\n" in quick("search", "rollback", "--lang", "en").stdout
    assert "  2 documents\n" in quick("search", "rollback").stdout
    coverage = quick("search", "rollback", "--lang", "en", "--json").last["coverage"]
    assert (coverage["documents_indexed"], coverage["documents_searched"]) == (2, 1)


def test_documents_whose_files_have_changed_or_gone_are_marked_in_hits_and_listings(quick) -> None:  # type: ignore[no-untyped-def]
    assert "[stale]" not in quick("list", "docs").stdout
    (quick.notes / "english" / "deployment.md").unlink()
    found, listed = quick("search", "rollback"), quick("list", "docs")
    assert found.stdout.splitlines()[0].endswith("  [stale]")
    assert "note: 1 stale document (kebab ingest)" in found.stdout
    assert [line.endswith("\t[stale]") for line in listed.stdout.splitlines()] == [True, False]
    assert [doc["stale"] for doc in quick("list", "docs", "--json").last["documents"]] == [True, False]


def test_failed_files_are_noted_below_the_hits(indexed, ordinary_user) -> None:  # type: ignore[no-untyped-def]
    indexed.write("locked.md", "# Locked").chmod(0)
    assert indexed("ingest").code == 0
    assert "note: 1 document that could not be read (kebab doctor)" in indexed("search", "rollback").stdout


@pytest.mark.parametrize(
    ("provider", "reason"),
    [("none", "no embedding model is configured"), ("bundled", "no passage has a vector yet (kebab embed)")],
)
def test_a_leg_that_is_missing_is_noted_with_the_reason(provider: str, reason: str, quick) -> None:  # type: ignore[no-untyped-def]
    env = {"KEBAB_MODELS_EMBEDDING_PROVIDER": provider}
    done = quick("search", "rollback", "--mode", "hybrid", env=env)
    assert done.code == 0
    lines = done.stdout.splitlines()
    assert f"note: not searched by vector: {reason}" in lines
    assert "1 hit  lexical  2 documents" in lines


def test_the_first_hint_of_a_search_without_hits_is_how_to_search_by_meaning(quick) -> None:  # type: ignore[no-untyped-def]
    env = {"KEBAB_MODELS_EMBEDDING_PROVIDER": "bundled"}
    done = quick("search", "파스타 삶는 법", "--mode", "hybrid", env=env)
    assert done.code == 1
    assert done.stdout.splitlines()[1] == "hint: kebab embed"


@pytest.mark.parametrize(
    ("arguments", "reason", "hint"),
    [
        (
            ["파스타 삶는 법"],
            "nothing matches (2 documents searched)",
            "try other or fewer words; kebab why FILE --query TEXT explains why a file is not found",
        ),
        (
            ["rollback", "--lang", "fr"],
            "the filters leave no document (0 of 2 documents searched)",
            "try it without --lang\nhint: --lang: existing values: en, ko",
        ),
        (
            ["rollback", "--lang", "ko"],
            "nothing matches within the filters (1 of 2 documents searched)",
            "try it without --lang",
        ),
        (
            ["rollback", "--lang", "fr", "--tag", "검색"],
            "the filters leave no document (0 of 2 documents searched)",
            "try it with fewer filters than --tag, --lang\nhint: --lang: existing values: en, ko",
        ),
        (
            ["rollback", "--lang", "en", "--path-glob", "absent/**", "--media", "pdf,markdown"],
            "the filters leave no document (0 of 2 documents searched)",
            "try it without --path-glob",
        ),
        (
            ["rollback", "--path-glob", "/absent/**"],
            "the filters leave no document (0 of 2 documents searched)",
            "try it without --path-glob, whose paths begin inside a source",
        ),
    ],
)
def test_no_hit_says_why_and_what_to_try(arguments: list[str], reason: str, hint: str, quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("search", *arguments)
    assert (done.code, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [f"no hits: {reason}", *f"hint: {hint}".splitlines()]


def test_k_comes_from_flag_then_environment_then_file(kb, inside) -> None:  # type: ignore[no-untyped-def]
    for number in range(6):
        kb.write(f"more/{number}.md", f"# 글 {number}\n\n형태소 {number}\n")
    kb.config.write_text(kb.config.read_text() + "[search]\ndefault_k = 2\n")
    kb = inside(kb)
    kb("ingest")

    def hits(*flags: str, env: dict[str, str] | None = None) -> int:
        return len(kb("search", "형태소", "--json", *flags, env=env).last["hits"])

    variable = {"KEBAB_SEARCH_DEFAULT_K": "3"}
    assert (hits(), hits(env=variable), hits("--k", "4", env=variable)) == (2, 3, 4)


def test_an_unknown_variable_is_a_warning_with_the_nearest_name(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("search", "rollback", env={"KEBAB_SEARCH_DEFAULT_KK": "3"})
    assert done.code == 0
    assert re.fullmatch(r"warning: .*KEBAB_SEARCH_DEFAULT_KK.*KEBAB_SEARCH_DEFAULT_K\?\n", done.stderr)
    assert quick("search", "rollback", "--json", env={"KEBAB_SEARCH_DEFAULT_KK": "3"}).stderr == ""


AWKWARD = {
    "a#b?.md": "a#b?.md",
    "50% of it.md": "50% of it.md",
    "두 줄\n이름.md": "두 줄%0A이름.md",
    "tab\there.md": "tab%09here.md",
    "escape\x1b[31m.md": "escape%1B[31m.md",
    " space.md": "%20space.md",
    "-dash.md": "-dash.md",
    "[glob]*/x.md": "[glob]*/x.md",
    "\u1112\u1161\u11ab\u1100\u1173\u11af.md": "한글.md",
}
"""File names as they are on disk, and as their addresses show: whatever is in a name, it takes one line."""


def test_awkward_file_names_are_found_and_shown_on_one_line(kb, inside) -> None:  # type: ignore[no-untyped-def]
    for number, name in enumerate(AWKWARD):
        kb.write(name, f"# 글 {number}\n\nmarker{number}\n")
    kb = inside(kb)
    assert kb("ingest").stdout.startswith(f"done  {len(AWKWARD) + 2} files, {len(AWKWARD) + 2} new")
    listed = [line.split("\t") for line in kb("list", "docs").stdout.splitlines()]
    assert {row[0] for row in listed} >= set(AWKWARD.values())
    assert all(len(row) == 2 for row in listed)
    for number, shown in enumerate(AWKWARD.values()):
        place = kb("search", f"marker{number}", "--k", "1").stdout.splitlines()[1]
        assert re.fullmatch(rf"   {re.escape(shown)}#L\d+-L\d+", place)


@pytest.mark.parametrize(
    ("root", "hint"),
    [("notes", "hint: kebab ingest"), ("new", "hint: put documents into the folder, then run kebab ingest")],
)
def test_the_next_step_after_init_follows_the_folder(root: str, hint: str, kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb = inside(kb)
    (kb.folder / "kebab.toml").unlink()
    assert kb("init", "--root", str(kb.folder / root), "--yes").stdout.splitlines()[-1] == hint


@pytest.mark.parametrize("narrowed", [True, False])
def test_an_empty_list_says_whether_filters_are_the_reason(narrowed: bool, kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb = inside(kb)
    kb("init")
    done = kb("list", "docs", *(["--lang", "fr"] if narrowed else []))
    assert (done.code, done.stdout) == (0, "")
    expected = (
        "no document passes the filters (kebab list docs)"
        if narrowed
        else "there are no documents (kebab ingest)"
    )
    assert done.stderr == expected + "\n"


def test_a_missing_folder_is_said_with_what_was_found_in_it(quick) -> None:  # type: ignore[no-untyped-def]
    quick.notes.rename(quick.folder / "elsewhere")
    shown = quick("search", "rollback").stdout
    assert f"note: {quick.notes} is missing, so what was found there may be outdated (kebab doctor)" in shown
