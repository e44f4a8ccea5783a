"""Notes what a process of Python tries to connect to: a folder for its `PYTHONPATH`."""

from __future__ import annotations

from pathlib import Path

SCRIPT = "sitecustomize.py"
"""The file of the folder that watches, imported by Python at its start."""
_WATCH = """\
import os, sys

def watch(event, details):
    if event in {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}:
        with open(os.path.join(os.path.dirname(__file__), "calls"), "a") as file:
            file.write(event + "\\n")

sys.addaudithook(watch)
open(os.path.join(os.path.dirname(__file__), "watching"), "w").close()
"""


def make_watch(folder: Path) -> Path:
    """Write what watches into a folder."""
    folder.mkdir(exist_ok=True)
    (folder / SCRIPT).write_text(_WATCH, encoding="utf-8")
    return folder


def noted(folder: Path) -> list[str]:
    """Return what the processes tried, by the names of audit events; there was one at least."""
    assert (folder / "watching").exists()
    calls = folder / "calls"
    return calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []
