"""Notes for the screens, and a terminal with them in it, read as a terminal shows them."""

from __future__ import annotations

import os
import re
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pyte
from kebab_app import App
from kebab_config import load_settings

HOSTILE = (
    "# Hostile [red]x[/red]\n\nSearch for the wolpertinger [bold]x[/bold] [@click=app.bell]y[/].\n\n"
    "\x1b[31mred\x1b[0m \x07bell \u202edrow\ttab\n"
)
NOTES = {
    "ops/backup.md": (
        "---\ntitle: Backup procedure\ntags: [ops]\n---\n# Backup procedure\n\nSee [[restore-drill]] and [the network](network.md).\n\n"
        "## Every week\n\n- The whole server is backed up every Sunday at 03:00.\n- Copies are kept for 90 days.\n"
    ),
    "ops/restore-drill.md": "# Restore drill\n\nThe drill takes place on the first Monday of each quarter. It restores a backup.\n",
    "ops/network.md": "# Network\n\nThe firewall allows port 443 only.\n",
    "회의/백업.md": "# 백업 회의록\n\n## 결정\n\n- 백업은 매주 일요일 새벽 3시에 받습니다.\n- 담당자는 김지수입니다.\n",
    # letters in parts, as names on a Mac have them
    "회의/이름.md": "# 이름\n\n\u1112\u1161\u11ab\u1100\u1173\u11af \u1102\u1161\u1107\u1175 목록입니다. 한글 나비도 있습니다.\n",
    "tool.py": "def rotate_copies(folder):\n    return sorted(folder)\n",
    "costs.csv": "item,owner\ntapes,Kim\narchive storage,Park\n",
    "hostile.md": HOSTILE,
}


def write_notes(folder: Path, notes: dict[str, str]) -> Path:
    """Write notes and a configuration that finds them by words; return that file."""
    for path, text in notes.items():
        target = folder / "notes" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    (folder / "notes").mkdir(exist_ok=True)
    config = folder / "kebab.toml"
    config.write_text(
        f'[storage]\ndata_dir = "{folder}/data"\n[models.embedding]\nprovider = "none"\n'
        f'[[workspace.sources]]\nid = "default"\nroot = "{folder}/notes"\n',
        encoding="utf-8",
    )
    return config


def open_base(config: Path) -> App:
    return App(load_settings(config_path=config, environ={"HOME": str(config.parent)}))


_PATIENCE_S = 120.0
_KITTY_KEYS = re.compile(rb"\x1b\[[<>=][0-9;]*u")
"""Asked of the terminal, which pyte would print."""


class Terminal:
    """A pseudo-terminal with the screens in it.

    Args:
        config: Of the knowledge base.
        flags: Of `python -m kebab_tui`.
        size: Columns and rows.
        line: A command line that is run in its place, with `$KEBAB` for its beginning.
        environ: Further variables.
    """

    def __init__(
        self, config: Path, *flags: str, size: tuple[int, int] = (80, 24), line: str = "", **environ: str
    ) -> None:
        columns, rows = size
        command = [sys.executable, "-P", "-m", "kebab_tui", "--config", str(config)]
        env = {
            "HOME": str(config.parent),
            "PATH": os.environ["PATH"],  # noqa: TID251 - of the editor
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "KEBAB": " ".join(command),
            **environ,
        }
        if line:
            command, flags = ["/bin/sh", "-c", line], ()
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.has_hung_up = False
        self.sent = b""
        """All that came from the program."""
        self.process = pexpect.spawn(
            command[0], [*command[1:], *flags], env=env, dimensions=(rows, columns), timeout=_PATIENCE_S
        )
        self.modes = termios.tcgetattr(self.process.child_fd)
        """Of the terminal before the program changed them."""

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the terminal's cursor, from 0."""
        assert not self.screen.cursor.hidden
        return self.screen.cursor.x, self.screen.cursor.y

    def press(self, keys: str) -> None:
        self.process.send(keys)

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def read(self) -> bool:
        """Take what has come; False at its end."""
        try:
            data = self.process.read_nonblocking(65_536, timeout=0.1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.sent += data
        self._stream.feed(_KITTY_KEYS.sub(b"", data))
        return True

    def until(self, is_so: Callable[[], bool], what: object = "") -> None:
        """Read until something is seen."""
        end = time.monotonic() + _PATIENCE_S
        while not is_so():
            assert self.read(), f"{what}: it has ended\n{self.text}"
            assert time.monotonic() < end, f"{what}\n{self.text}"

    def until_seen(self, *texts: str) -> None:
        self.until(lambda: all(each in self.text for each in texts), texts)

    def wait(self) -> int:
        """Wait for the end, and return the exit code; the terminal is as it was before."""
        end = time.monotonic() + _PATIENCE_S
        while self.read():
            assert time.monotonic() < end, self.text
        self.process.wait()
        for sequence in (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?25h"):
            assert sequence in self.sent
        assert self.sent.rindex(b"\x1b[?1049l") > self.sent.rindex(b"\x1b[?1049h")
        assert b"Traceback" not in self.sent
        return int(
            self.process.exitstatus if self.process.signalstatus is None else -self.process.signalstatus
        )

    def hang_up(self) -> None:
        """Take the terminal away, and wait for the end."""
        os.close(self.process.child_fd)
        os.waitpid(self.process.pid, 0)
        self.has_hung_up = True

    def until_framed(self) -> None:
        """Read until the right border stands in the last column of every row."""
        self.until(lambda: all(row[-1] in "│╮╯" for row in self.screen.display), "borders")


@contextmanager
def open_terminal(
    config: Path, *flags: str, size: tuple[int, int] = (80, 24), line: str = "", **environ: str
) -> Iterator[Terminal]:
    terminal = Terminal(config, *flags, size=size, line=line, **environ)
    try:
        yield terminal
    finally:
        if not terminal.has_hung_up:
            if terminal.process.isalive():
                terminal.process.kill(signal.SIGKILL)
                terminal.process.wait()
            terminal.process.close()
