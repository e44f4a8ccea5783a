"""The pager: which program it is, and how long a text is on a terminal."""

from __future__ import annotations

from pathlib import Path

from kebab_cli.render import count_rows, find_pager
from kebab_testing.tables import walk


@walk(
    ("text", "rows"),
    [
        ("", 0),
        ("one\ntwo\n", 2),
        ("x" * 40 + "\n", 1),
        ("x" * 41 + "\n", 2),
        ("가" * 21 + "\n", 2),
        ("\x1b[1m" + "x" * 40 + "\x1b[0m\n", 1),
        ("\x1b]8;;https://notes.example/a/very/long/path/to/a/file\x1b\\place\x1b]8;;\x1b\\\n", 1),
        ("\n\n", 2),
    ],
)
def test_rows_are_counted_as_a_terminal_shows_them(text: str, rows: int) -> None:
    assert count_rows(text, 40) == rows


def test_the_pager_is_that_of_the_environment_if_it_is_there(tmp_path: Path) -> None:
    program = tmp_path / "my pager"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    found = find_pager({"PAGER": f"'{program}' -x", "PATH": "/usr/bin"})
    assert found is not None
    assert list(found.command) == [str(program), "-x"]
    assert find_pager({"PAGER": "no-such-program", "PATH": "/usr/bin"}) is None
    assert find_pager({"PAGER": "", "PATH": "/usr/bin"}) is None
    assert find_pager({"PAGER": "it's", "PATH": "/usr/bin"}) is None
