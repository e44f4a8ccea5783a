"""The screens as a terminal shows them: cursor, borders, the editor and back, and every kind of end."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.tui_terminal import NOTES, open_base, open_terminal, write_notes

DOWN, LEFT, ESCAPE, CTRL_Q, CTRL_Y = "\x1b[B", "\x1b[D", "\x1b", "\x11", "\x19"


def write_editor(folder: Path, *lines: str) -> str:
    """Write a program that stands for an editor by its name, and takes the place of one."""
    editor = folder / "bin" / "vim"
    editor.parent.mkdir(exist_ok=True)
    editor.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    editor.chmod(0o755)
    return str(editor)


def test_a_picker_prints_the_address_alone_and_its_cursor_is_where_the_next_letter_stands(
    config: Path, tmp_path: Path
) -> None:
    found = tmp_path / "found"
    with open_terminal(config, line=f"$KEBAB --pick >{found}") as terminal:
        terminal.until_seen("Recently changed")
        for typed, column in (("abc", 4), ("한글", 8), (LEFT, 6), (ESCAPE, 1), ("백업은", 7)):
            terminal.press(typed)
            terminal.until(lambda at=column: terminal.cursor == (at, 1), (typed, column))
        terminal.until_seen("회의/백업.md#L1-L6", "▌5 - 백업은")
        terminal.press("\r")
        assert terminal.wait() == 0
        assert termios.tcgetattr(terminal.process.child_fd) == terminal.modes
    assert found.read_text(encoding="utf-8") == "회의/백업.md#L1-L6\n"


def test_the_right_border_stays_in_its_column_whatever_is_shown_and_however_wide(config: Path) -> None:
    with open_terminal(config, "--", "wolpertinger", size=(120, 40)) as terminal:
        terminal.until_seen("[bold]x[/bold] [@click=app.bell]y[/]", "\ufffd[31mred\ufffd[0m")
        terminal.until_framed()
        for size in ((80, 24), (60, 20), (20, 8), (120, 16)):
            terminal.resize(*size)
            terminal.until_framed()
        terminal.press(ESCAPE)
        terminal.until_seen("Recently changed")
        terminal.press("나비")
        terminal.until_seen("한글 나비 목록입니다")
        terminal.until_framed()
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0


def test_the_editor_opens_at_the_line_and_comes_back_and_one_that_is_killed_is_told(
    config: Path, tmp_path: Path
) -> None:
    log = tmp_path / "arguments"
    editor = write_editor(tmp_path, f'echo "$@" >>{log}', f"[ $(wc -l <{log}) -lt 2 ] || kill -9 $$")
    with open_terminal(config, "--", "every Sunday", VISUAL=editor) as terminal:
        terminal.until_seen("ops/backup.md#L9-L12", "▌11 - The whole server")
        terminal.press(CTRL_Y)
        terminal.until(lambda: b"\x1b]52;c;" in terminal.sent)
        terminal.until_seen("Sent to the terminal")
        terminal.press("\r")
        terminal.until(log.exists)
        assert log.read_text().split() == ["+9", str(config.parent / "notes/ops/backup.md")]
        terminal.until(lambda: terminal.sent.count(b"\x1b[?1049h") > 1)
        terminal.press("\r")
        terminal.until_seen("ended with code -9")
        terminal.press("x")
        terminal.until(lambda: terminal.cursor == (14, 1))
        terminal.process.kill(signal.SIGTERM)
        assert terminal.wait() == 128 + signal.SIGTERM
        assert termios.tcgetattr(terminal.process.child_fd) == terminal.modes


def test_a_base_that_goes_away_is_told_in_a_line(tmp_path: Path) -> None:
    config = write_notes(tmp_path, {"a.md": NOTES["ops/backup.md"]})
    with open_base(config) as app:
        app.ingest()
    with open_terminal(config) as terminal:
        terminal.until_seen("Backup procedure")
        shutil.rmtree(tmp_path / "data")
        shutil.rmtree(tmp_path / "notes")
        terminal.press("Sunday")
        terminal.until_seen("nothing has been indexed yet")
        terminal.press(CTRL_Q)
        assert terminal.wait() == 0


def test_the_screens_end_with_their_terminal(config: Path) -> None:
    with open_terminal(config) as terminal:
        terminal.until_seen("Recently changed")
        terminal.press("Sunday backup drill")
        terminal.hang_up()


def test_an_address_that_nobody_reads_is_no_error(config: Path) -> None:
    with open_terminal(config, line="$KEBAB --pick backup | true; echo status $?") as terminal:
        terminal.until_seen("ops/backup.md")
        terminal.press("\r")
        assert terminal.wait() == 0
        assert "Error" not in terminal.text


@pytest.mark.parametrize("language", ["en", "ko"])
def test_without_a_terminal_a_line_says_so(language: str, config: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "kebab_tui", "--config", str(config)],
        env={"HOME": str(config.parent), "KEBAB_LANG": language},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert {"en": "error: the screens need a terminal", "ko": "화면에는 터미널이 필요합니다"}[
        language
    ] in done.stderr
    assert "Traceback" not in done.stderr
