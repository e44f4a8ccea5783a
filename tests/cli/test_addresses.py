"""Addresses as people use them: printed by a search, and taken by the next command."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import shlex
import termios
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command_server import CODE

KOREAN = "한국어/색인.md"
NOTE = "회의록/C# 회의 100% (초안).md"


SHELL = """
import fcntl, json, os, shlex, subprocess, sys, termios

os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
flags, commands = map(json.loads, sys.argv[1:])
for command in commands:
    if command.startswith("!"):
        subprocess.run(["sh", "-c", command[1:]], check=True)
        continue
    words = shlex.split(command)
    reader = None
    if words[-2:] == ["|", "cat"]:
        words, reader = words[:-2], subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    elif words[-2:] == [">", "/dev/null"]:
        words, reader = words[:-2], subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    if process := os.fork():
        os.waitpid(process, 0)
        if reader is not None:
            reader.communicate()
    else:
        if reader is not None:
            sys.stdout.flush()
            os.dup2(reader.stdin.fileno(), 1)
            reader.stdin.close()
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.argv = ["kebab", *flags, *words]
        from kebab_cli.start import start

        start()
        sys.exit()
"""
"""Runs command lines of kebab one after the other in the terminal that it makes its own, and those after `!` by a shell."""


def run_in_terminal(kb, *commands: str, flags: Sequence[str] | None = None) -> str:  # type: ignore[no-untyped-def]
    """Run commands one after the other in one terminal, and return all that it shows.

    Args:
        kb: The knowledge base.
        commands: Without `kebab`; may end in `| cat` or `> /dev/null`. What follows `!` is run by a shell.
        flags: Before each command, in place of those that name the configuration.
    """
    given = ["--config", str(kb.config)] if flags is None else list(flags)
    reading, writing = pty.openpty()
    fcntl.ioctl(writing, termios.TIOCSWINSZ, b"\x18\x00\xff\x00\x00\x00\x00\x00")
    wait = kb.kebab.start(
        *(CODE, SHELL, json.dumps(given), json.dumps(commands)),
        environ=kb.kebab.environment({"TERM": "dumb"}),
        streams=[writing] * 3,
        cwd=kb.folder,
    )
    os.close(writing)
    shown = b""
    while True:
        try:
            part = os.read(reading, 65536)
        except OSError:  # how Linux says that a terminal has no writer left
            break
        if not part:
            break
        shown += part
    assert wait() == 0
    os.close(reading)
    return shown.decode().replace("\r\n", "\n")


def test_the_address_of_a_hit_fetches_its_lines(quick) -> None:  # type: ignore[no-untyped-def]
    hit = quick("search", "rollback", "--json").last["hits"][0]  # type: ignore[index]
    assert hit["address"] == hit["citation"]["address"] == "english/deployment.md#L5-L7"
    assert hit["file"] == str(quick.notes / "english" / "deployment.md")
    assert f"  {hit['address']}\n" in quick("search", "rollback").stdout
    done = quick("fetch", hit["address"])
    assert done.stdout == "## Rollback\n\nRolling back takes one command and five minutes.\n"
    assert done.stderr == "[english/deployment.md lines 5-7 of 7]\n"


def test_every_form_of_an_address_reads_the_same_lines(quick, places) -> None:  # type: ignore[no-untyped-def]
    forms = [
        f"{KOREAN}#L7",
        f"default:{KOREAN}#L7-7",
        "%ED%95%9C%EA%B5%AD%EC%96%B4/%EC%83%89%EC%9D%B8.md#L7-L7",
        f"{quick.notes}/{KOREAN}#L7",
        f"{places['doc']}#L7",
        f"{places['doc'][:8]}#L7",
    ]
    found = {form: quick("fetch", form) for form in forms}
    assert {done.code for done in found.values()} == {0}, found
    assert {done.stdout for done in found.values()} == {
        "색인은 파일이 바뀌면 다시 만들어진다. 벡터 인덱스도 마찬가지다.\n"
    }


def test_flags_may_stand_before_and_after_the_address(quick) -> None:  # type: ignore[no-untyped-def]
    before, after = quick("fetch", "--section", f"{KOREAN}#L10"), quick("fetch", f"{KOREAN}#L10", "--section")
    assert before.stdout == after.stdout == "## 규칙\n\n청크는 제목에서 나눈다. 표는 자르지 않는다.\n"
    assert quick("fetch", KOREAN, "--outline").stdout == "색인  L5-L11\n  규칙  L9-L11\n"
    wrong = quick("fetch", KOREAN, "--section", "--outline")
    assert (wrong.code, "cannot be used together" in wrong.stderr) == (2, True)


def test_an_awkward_name_can_be_copied_from_the_screen(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.write(NOTE, "# 회의\n\nzebra 이야기\n")
    kb = inside(kb)
    kb("ingest", "--quiet")
    place = kb("search", "zebra").stdout.splitlines()[1].strip()
    assert place == f"{NOTE}#L1-L3"
    assert kb("fetch", place).stdout == "# 회의\n\nzebra 이야기\n"
    assert NOTE in kb("list", "docs").stdout
    assert kb("fetch", NOTE, "--json").last["address"] == NOTE


def test_lines_past_the_end_are_an_error_that_says_how_many_there_are(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("fetch", "english/deployment.md#L5-L99")
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: english/deployment.md has 7 lines, and no line 99",
        "hint: kebab fetch 'english/deployment.md#L5-L7'",
    ]
    error = quick("fetch", "english/deployment.md#L99", "--json").error
    assert (error["code"], error["details"]["total_lines"]) == ("invalid_input", 7)  # type: ignore[index]


def test_an_ambiguous_address_lists_what_it_may_mean(kb, inside) -> None:  # type: ignore[no-untyped-def]
    for name in ("one", "two"):
        (kb.folder / name).mkdir()
        (kb.folder / name / "same.md").write_text(f"# Same\n\nof {name}\n", encoding="utf-8")
    sources = "".join(f'[[workspace.sources]]\nid = "{name}"\nroot = "{name}"\n' for name in ("one", "two"))
    rest = kb.config.read_text(encoding="utf-8").partition("[storage]")[2]
    kb.config.write_text(f"{sources}[storage]{rest}", encoding="utf-8")
    kb = inside(kb)
    kb("ingest", "--quiet")
    done = kb("fetch", "same.md")
    assert (done.code, done.stderr.splitlines()) == (
        2,
        ["error: 'same.md' is ambiguous", "hint: one of: one:same.md, two:same.md"],
    )
    error = kb("fetch", "same.md", "--json").error
    assert error["code"] == "ambiguous_address"
    assert error["details"]["candidates"] == ["one:same.md", "two:same.md"]  # type: ignore[index]
    assert kb("fetch", "two:same.md#L3").stdout == "of two\n"
    nested = kb("fetch", "no.md")
    assert (nested.code, nested.stderr.splitlines()[0]) == (2, "error: no document has the address 'no.md'")


def test_a_file_that_is_not_indexed_is_told_from_one_that_does_not_exist(quick) -> None:  # type: ignore[no-untyped-def]
    new = quick.write("새 글.md", "# 새 글\n")
    assert "is a file that is not in the index" in quick("fetch", str(new)).stderr


def test_a_budget_ends_at_the_end_of_a_line_and_says_where_to_go_on(quick) -> None:  # type: ignore[no-untyped-def]
    whole = quick("fetch", KOREAN).stdout
    first = quick("fetch", KOREAN, "--max-tokens", "20", "--json").last
    assert first["truncated"] is True
    text, following = str(first["text"]), first["next"]
    while following:
        found = quick("fetch", str(following), "--max-tokens", "60", "--json").last
        text, following = text + str(found["text"]), found.get("next")
    assert text == whole


def test_citations_and_near_candidates_have_addresses(quick) -> None:  # type: ignore[no-untyped-def]
    answer = quick("ask", "how long does a rollback take?", "--json").last
    address = answer["citations"][0]["citation"]["address"]  # type: ignore[index]
    assert "Rolling back takes one command" in quick("fetch", address).stdout
    assert answer["citations"][0]["file"] == str(quick.notes / "english" / "deployment.md")  # type: ignore[index]
    refused = quick("ask", "rollback 색인 quantum", "--json").last
    for cited in refused["citations"]:  # type: ignore[attr-defined]
        assert quick("fetch", cited["citation"]["address"]).code == 0


def test_a_hit_of_the_last_search_in_a_terminal_has_its_rank_as_address(indexed) -> None:  # type: ignore[no-untyped-def]
    shown = run_in_terminal(
        indexed,
        "search rollback",
        "fetch @1",
        "search 색인 --json > /dev/null",
        "fetch @1 | cat",
        "fetch @9",
        "ask 'how long does a rollback take?'",
        "fetch @1",
    )
    expected = [
        "[english/deployment.md lines 5-7 of 7]\n## Rollback\n",
        "[한국어/색인.md lines 3-7 of 11]\n",
        "error: the last result in this terminal has no hit @9\n",
        "[1] english/deployment.md#L",
        "[english/deployment.md line",
    ]
    at = [shown.find(each) for each in expected[:-1]] + [shown.rfind(expected[-1])]
    assert -1 not in at
    assert at == sorted(at)
    (kept,) = (indexed.data / "cache" / "terminals").iterdir()
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_two_terminals_know_nothing_of_each_other_and_a_pipe_has_none(indexed) -> None:  # type: ignore[no-untyped-def]
    run_in_terminal(indexed, "search rollback")
    assert "has no hit @1" in run_in_terminal(indexed, "fetch @1")
    assert indexed("search", "rollback").code == 0
    if not has_terminal():
        assert "has no hit @1" in indexed("fetch", "@1").stderr


def test_a_search_that_must_write_nothing_remembers_nothing(indexed) -> None:  # type: ignore[no-untyped-def]
    shown = run_in_terminal(indexed, "search rollback --readonly", "fetch @1")
    assert "has no hit @1" in shown
    assert not (indexed.data / "cache" / "terminals").exists()


def test_only_the_newest_terminals_are_remembered(indexed) -> None:  # type: ignore[no-untyped-def]
    folder = Path(indexed.data, "cache", "terminals")
    folder.mkdir(parents=True)
    for number in range(60):
        kept = folder / f"{number:032x}"
        kept.write_text(json.dumps({"data_dir": "", "hits": {}}), encoding="utf-8")
        os.utime(kept, (number, number))
    run_in_terminal(indexed, "search rollback")
    assert len(list(folder.iterdir())) == 50
    assert not (folder / f"{0:032x}").exists()


def has_terminal() -> bool:
    try:
        os.close(os.open(os.ctermid(), os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"data_dir": "/elsewhere", "hits": {"1": "x"}}'])
def test_a_damaged_record_of_a_terminal_is_as_if_it_were_not_there(content: str, indexed) -> None:  # type: ignore[no-untyped-def]
    folder = indexed.data / "cache" / "terminals"
    code = (
        f"!for file in {shlex.quote(str(folder))}/*; do printf '%s' {shlex.quote(content)} > \"$file\"; done"
    )
    shown = run_in_terminal(indexed, "search rollback", code, "fetch @1")
    assert "has no hit @1" in shown


def test_an_address_is_taken_where_an_id_was(quick) -> None:  # type: ignore[no-untyped-def]
    hit = quick("search", "rollback", "--json").last["hits"][0]
    path, address = hit["doc_path"], hit["address"]
    for one in (path, hit["doc_id"], hit["doc_id"][:8]):
        assert quick("inspect", "doc", one, "--json").last["doc_id"] == hit["doc_id"]
        assert quick("fetch", "doc", one, "--json").last["doc_id"] == hit["doc_id"]
        assert quick("fetch", "span", one, "5", "5", "--json").last["doc_id"] == hit["doc_id"]
    for one in (address, hit["chunk_id"]):
        assert quick("inspect", "chunk", one, "--json").last["chunk_id"] == hit["chunk_id"]
        assert quick("fetch", "chunk", one, "--json").last["chunk"]["chunk_id"] == hit["chunk_id"]
    found = quick("search", "rollback", "--doc-id", path, "--json", "--brief").last["hits"]
    assert {one["path"] for one in found} == {path}
    assert found[0]["address"] == address
    (listed,) = quick("list", "docs", "--doc-id", path, "--json").last["documents"]
    assert listed["doc_id"] == hit["doc_id"]
    wrong = quick("search", "rollback", "--doc-id", "absent.md")
    assert (wrong.code, "no document has the address 'absent.md'" in wrong.stderr) == (2, True)


def test_other_lines_of_a_hit_are_fetched_by_its_rank(quick) -> None:  # type: ignore[no-untyped-def]
    shown = run_in_terminal(quick, "search rollback --quiet", "fetch @1#L1", "fetch @9")
    assert "english/deployment.md line 1 of" in shown
    assert "has no hit @9" in shown


def test_a_line_that_cannot_be_leads_to_the_document(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("fetch", "english/deployment.md#L0")
    assert (done.code, "hint: kebab fetch english/deployment.md" in done.stderr) == (2, True)
