"""Nothing leaves the machine: no command so much as looks an address up."""

from __future__ import annotations

import subprocess
import sys

import pytest

WATCH = """\
import os, sys

def watch(event, details):
    if event in {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}:
        with open(os.path.join(os.path.dirname(__file__), "calls"), "a") as file:
            file.write(event + "\\n")

sys.addaudithook(watch)
open(os.path.join(os.path.dirname(__file__), "watching"), "w").close()
"""


def test_the_watcher_notices_a_look_up(kebab) -> None:  # type: ignore[no-untyped-def]
    (kebab.home / "sitecustomize.py").write_text(WATCH)
    look_up = "import socket; socket.getaddrinfo('127.0.0.1', 80)"
    subprocess.run([sys.executable, "-c", look_up], env={"PYTHONPATH": str(kebab.home)}, check=True)
    assert (kebab.home / "calls").read_text().splitlines() == ["socket.getaddrinfo"]


@pytest.mark.parametrize(
    "command",
    [
        "demo",
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
    watcher = indexed.folder / "watcher"
    watcher.mkdir()
    (watcher / "sitecustomize.py").write_text(WATCH)
    done = indexed(*command.format(**places).split(), env={"PYTHONPATH": str(watcher)})
    assert done.code == 0, done.stderr
    assert (watcher / "watching").exists()
    assert not (watcher / "calls").exists()
