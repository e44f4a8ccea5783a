"""The completion script, in the shell that it is for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
COMPLETE = """\
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_kebab_completion kebab
printf '%s\\n' "${COMPREPLY[@]}"
"""


def complete_in_bash(kebab, *words: str) -> list[str]:  # type: ignore[no-untyped-def]
    """Return what bash would offer for the last of the words, with `kebab` on its PATH."""
    folder = kebab.home / "bin"
    folder.mkdir()
    (folder / "kebab").write_text(f'#!/bin/sh\nexec {sys.executable} -m kebab_cli "$@"\n')
    (folder / "kebab").chmod(0o755)
    environ = kebab.environment()
    environ["PATH"] = f"{folder}{os.pathsep}{environ['PATH']}"
    script = kebab.home / "kebab.bash"
    script.write_text(kebab("completion", "bash").stdout)
    done = subprocess.run(
        ["bash", "-c", COMPLETE, "bash", str(script), *words],
        env=environ,
        cwd=kebab.home,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    return done.stdout.split()


@needs_bash
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["kebab", "sea"], ["search"]),
        (["kebab", "fetch", ""], ["address", "chunk", "doc", "span"]),
        (["kebab", "search", "--expl"], ["--explain"]),
        (["kebab", "search", "x", "--mode", ""], ["lexical", "vector", "hybrid"]),
        (["kebab", "search", "x", "--media", "mark"], ["markdown"]),
        (["kebab", "list", "docs", "--source-type", "note,p"], ["note,paper"]),
        (["kebab", "search", "x", "--max"], ["--max-tokens"]),
        (["kebab", "completion", "b"], ["bash"]),
    ],
)
def test_bash_completes(words: list[str], offered: list[str], kebab) -> None:  # type: ignore[no-untyped-def]
    assert complete_in_bash(kebab, *words) == offered


@needs_bash
def test_the_key_of_bash_puts_what_is_picked_at_the_cursor_quoted(kebab) -> None:  # type: ignore[no-untyped-def]
    script = kebab.home / "kebab.bash"
    script.write_text(kebab("completion", "bash").stdout)
    pick = (
        'source "$1"; kebab() { [ "$1" = pick ] && echo "회의/my notes.md#L3"; }; READLINE_LINE="cat  | wc"; READLINE_POINT=4; '
        '_kebab_pick; printf "%s %s" "$READLINE_POINT" "$READLINE_LINE"'
    )
    done = subprocess.run(
        ["bash", "-c", pick, "bash", str(script)],
        env={**kebab.environment(), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout == r"22 cat 회의/my\ notes.md#L3 | wc"


def test_a_shell_asks_through_the_environment(kebab) -> None:  # type: ignore[no-untyped-def]
    done = kebab(env={"_KEBAB_COMPLETE": "bash_complete", "COMP_WORDS": "kebab in", "COMP_CWORD": "1"})
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "plain,init",
        "plain,ingest",
        "plain,ingest-file",
        "plain,ingest-stdin",
        "plain,inspect",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_is_for_kebab(shell: str, kebab) -> None:  # type: ignore[no-untyped-def]
    done = kebab("completion", shell)
    assert (done.code, done.stderr) == (0, "")
    assert f"_KEBAB_COMPLETE={shell}_complete" in done.stdout


def test_an_unknown_shell_is_answered_with_the_known_ones(kebab) -> None:  # type: ignore[no-untyped-def]
    done = kebab("completion", "tcsh")
    assert done.code == 2
    assert "bash, zsh, fish" in done.stderr
    assert done.stderr.splitlines()[-1] == "hint: kebab completion --help"


def test_completing_leaves_nothing_behind(kebab) -> None:  # type: ignore[no-untyped-def]
    before = list(Path(kebab.home).rglob("*"))
    kebab(env={"_KEBAB_COMPLETE": "zsh_complete", "COMP_WORDS": "kebab ", "COMP_CWORD": "1"})
    assert list(Path(kebab.home).rglob("*")) == before
