"""What people see at a terminal: long results by the pager, and where one stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_addresses import run_in_terminal


@pytest.fixture
def pager(tmp_path: Path) -> dict[str, str]:
    """An environment with a pager that counts lines."""
    program = tmp_path / "count lines"
    program.write_text("#!/bin/sh\necho paged $(wc -l)\n", encoding="utf-8")
    program.chmod(0o755)
    return {"PAGER": f"'{program}'"}


@pytest.fixture
def long(kb, inside):  # type: ignore[no-untyped-def]
    """A note of 100 lines beside two short ones."""
    kb.write("long.md", "# Long\n\n" + "".join(f"line {number}\n\n" for number in range(49)))
    inside(kb)("ingest", "--quiet")
    return kb


def test_a_text_longer_than_the_screen_is_shown_by_the_pager(long, terminal, pager) -> None:  # type: ignore[no-untyped-def]
    def shown(*arguments: str, **how) -> str:  # type: ignore[no-untyped-def]
        return terminal(long, *arguments, typed="", **{"env": pager, **how}).stdout

    assert shown("fetch", "long.md").splitlines()[-1] == "paged 100"
    assert "paged" not in shown("fetch", "english/deployment.md")
    for how in (["--no-pager"], ["--json"]):
        assert "paged" not in shown("fetch", "long.md", *how)
    assert "paged" not in terminal(long, "fetch", "long.md", env=pager).stdout  # nobody sits there
    assert "paged" not in shown("fetch", "long.md", streams=["stderr"])


def test_kebab_alone_says_where_one_stands_and_what_to_do(kb, inside, terminal) -> None:  # type: ignore[no-untyped-def]
    before = terminal(kb, env={"TERM": "dumb"}).stdout.splitlines()
    assert before[0] == f"default  0 documents  {kb.notes}"
    assert before[2].split()[:2] == ["kebab", "ingest"]
    inside(kb)("ingest", "--quiet")
    lines = terminal(kb, env={"NO_COLOR": "1", "TERM": "dumb"}).stdout.splitlines()
    assert lines[0] == f"default  2 documents  {kb.notes}"
    assert lines[1].startswith("last run ")
    assert lines[1].endswith("2 files, 2 new, 0 updated, 0 removed, 0 failed")
    assert [line.split()[1] for line in lines[3:]] == ["ask", "search", "find", "--help"]
    kb.notes.rename(kb.folder / "away")
    lines = terminal(kb, env={"TERM": "dumb"}).stdout.splitlines()
    assert lines[0] == f"default  missing  {kb.notes}"
    assert "kebab doctor" in lines[3]


def test_kebab_alone_before_init_leads_to_init(kb) -> None:  # type: ignore[no-untyped-def]
    shown = run_in_terminal(kb, "", flags=[])
    assert shown.splitlines()[0].startswith("kebab init --root")


def test_kebab_alone_in_a_pipe_is_help_as_ever(kebab) -> None:  # type: ignore[no-untyped-def]
    done = kebab()
    assert done.code == 2
    assert "Usage: kebab" in done.stdout + done.stderr
    wrong = kebab("--readonly")
    assert (wrong.code, wrong.stderr.splitlines()) == (2, ["error: missing command", "hint: kebab --help"])
