"""`kebab search --exact`: lines that have a text as it is written, with counts for each document."""

from __future__ import annotations

import pytest


@pytest.fixture
def todos(kb, inside):  # type: ignore[no-untyped-def]
    kb.write(
        "todo.md",
        "---\ntags: [work]\n---\n# Todo\n\n"
        + "".join(f"- [ ] item {n}\n" for n in range(7))
        + "- [x] done\n",
    )
    kb.write("code.md", "# Code\n\n`a => b => c` and - [ ] too\n")
    kb = inside(kb)
    kb("ingest", "--quiet")
    return kb


def test_lines_are_printed_with_their_numbers_and_counts(todos) -> None:  # type: ignore[no-untyped-def]
    done = todos("search", "--exact", "- [ ]")
    assert (done.code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:3] == ["1. Code  1 match", "   code.md#L3", "   3 ▎ `a => b => c` and - [ ] too"]
    assert lines[4:8] == [
        "2. Todo  7 matches",
        "   todo.md#L6",
        "    6 ▎ - [ ] item 0",
        "    7 ▎ - [ ] item 1",
    ]
    assert "   + 2 more (--all)" in lines
    assert lines[-1] == "8 matches  2 of 4 documents"
    assert "item 6" in todos("search", "--exact", "--all", "- [ ]").stdout
    assert todos("search", "--exact", "=>").stdout.splitlines()[-1] == "2 matches  1 of 4 documents"
    assert todos("search", "--exact", "- [ ]", "-k", "1").stdout.splitlines()[-1].startswith("note: 1 more")


def test_filters_narrow_it_and_what_is_not_there_is_exit_code_1(todos) -> None:  # type: ignore[no-untyped-def]
    assert (
        todos("search", "--exact", "- [ ]", "--tag", "work")
        .stdout.splitlines()[-1]
        .endswith("1 of 1 document")
    )
    done = todos("search", "--exact", "ITEM")
    assert (done.code, done.stdout) == (1, "0 matches  0 of 4 documents\n")


def test_programs_get_every_line_with_ranges(todos) -> None:  # type: ignore[no-untyped-def]
    found = todos("search", "--exact", "- [ ]", "-k", "5", "--json").last
    assert (found["document_count"], found["match_count"], found["searched_count"]) == (2, 8, 4)
    todo = found["documents"][1]  # type: ignore[index]
    assert (todo["matches"], len(todo["lines"]), todo["file"]) == (7, 7, str(todos.notes / "todo.md"))
    assert todo["lines"][0] == {
        "line": 6,
        "text": "- [ ] item 0",
        "matched": [{"start": 0, "end": 5}],
        "at": "L6",
    }
    assert todos("fetch", todo["address"]).stdout == "- [ ] item 0\n"


def test_flags_that_rank_or_cut_passages_are_refused(todos) -> None:  # type: ignore[no-untyped-def]
    done = todos("search", "--exact", "x", "--mode", "lexical", "--explain")
    assert (done.code, done.stderr.splitlines()[0]) == (
        2,
        "error: --exact cannot be used with --mode, --explain",
    )
    assert todos("search", "--exact", " ").stderr.startswith("error: the query is empty\nhint: ")
