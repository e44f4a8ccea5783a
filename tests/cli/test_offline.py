"""Nothing leaves the machine: no command so much as looks an address up, nor does the demo (`test_readme.py`)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.connection_watch import SCRIPT, make_watch, noted

WATCHED = """
import sys
from pathlib import Path

watch = sys.argv.pop(1)
exec(compile(Path(watch).read_text(), watch, "exec"), {"__file__": watch})
from kebab_cli.start import start
start()
"""


def test_the_watcher_notices_a_look_up(kebab) -> None:  # type: ignore[no-untyped-def]
    watch = make_watch(kebab.home)
    look_up = "import socket; socket.getaddrinfo('127.0.0.1', 80)"
    subprocess.run([sys.executable, "-c", look_up], env={"PYTHONPATH": str(watch)}, check=True)
    assert noted(watch) == ["socket.getaddrinfo"]


@pytest.mark.parametrize(
    "command",
    [
        "init",
        "ingest --force",
        "search 색인",
        "list docs",
        "list recent",
        "list tags",
        "find 색인",
        "fetch doc {doc}",
        "why {doc} --query 색인",
        "doctor",
        "schema",
        "reset --yes",
    ],
)
def test_no_connection_is_tried_by(command: str, indexed, places) -> None:  # type: ignore[no-untyped-def]
    watch = make_watch(indexed.folder / "watch")
    arguments = [*command.format(**places).split(), "--config", str(indexed.config)]
    done = indexed.kebab.run_program(WATCHED, str(watch / SCRIPT), *arguments)
    assert done.code == 0, done.stderr
    assert noted(watch) == []
