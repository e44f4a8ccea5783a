"""The pager: `$PAGER`, else `less`, for results that are longer than the screen."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_LINK = re.compile(r"\x1b\]8;;[^\x1b]*\x1b\\")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_DEFAULT = "less"
_LESS_FLAGS = "FRX"
"""End on a short text, show colours, leave the text on the screen. Used unless LESS is set, as git does."""


class Pager(NamedTuple):
    """A program that shows text by screens."""

    command: Sequence[str]
    environ: Mapping[str, str]

    def show(self, text: str) -> None:
        """Print a text, by the program if it is longer than the screen.

        Args:
            text: With the escape sequences of styles and links.
        """
        columns, rows = shutil.get_terminal_size()
        if count_rows(text, columns) < rows:
            sys.stdout.write(text)
            return
        import subprocess

        # Older versions of less show links as what they are made of.
        shown = _LINK.sub("", text).encode(sys.stdout.encoding or "utf-8", errors="replace")
        environ = {"LESS": _LESS_FLAGS, **self.environ}
        sys.stdout.flush()
        held = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager
        try:
            subprocess.run(self.command, input=shown, env=environ, check=False)  # noqa: S603 - the user's own
        except OSError:
            sys.stdout.write(text)
        finally:
            signal.signal(signal.SIGINT, held)


def find_pager(environ: Mapping[str, str]) -> Pager | None:
    """Return the pager of the environment; None where there is none."""
    try:
        command = shlex.split(environ.get("PAGER", _DEFAULT))
    except ValueError:
        return None
    found = command and shutil.which(command[0], path=environ.get("PATH"))
    return Pager(command, environ) if found else None


def count_rows(text: str, columns: int) -> int:
    """Count the rows that a text takes on a terminal of so many columns."""
    from rich.cells import cell_len

    lines = _STYLE.sub("", _LINK.sub("", text)).expandtabs().splitlines()
    return sum(max(1, -(-cell_len(line) // columns)) for line in lines)
