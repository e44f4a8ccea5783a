"""Functions that worker processes of the tests carry out; the processes import this module by name."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from kebab_core import DocumentError

MB = 1024 * 1024


def loop() -> str:
    while True:
        pass


def pause() -> str:
    signal.pause()
    return "woken"


def eat() -> str:
    eaten = []
    while True:
        eaten.append(bytearray(1024 * MB))


def hold() -> str:
    return str(len(bytearray(32 * MB)))


def end() -> str:
    os._exit(3)


def kill() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return "still here"


def refuse() -> str:
    raise DocumentError("no", reason="because")


def crash() -> str:
    raise ZeroDivisionError("a bug")


def write() -> str:
    sys.stdout.write("not an answer")
    return "written"


def load_for_ever() -> Callable[[str], str]:
    Path("pid").write_text(str(os.getpid()), encoding="ascii")
    signal.pause()
    return str


FUNCTIONS: dict[str, Callable[[], str]] = {
    function.__name__: function for function in (loop, pause, eat, hold, end, kill, refuse, crash, write)
}


def carry_out(task: str) -> str:
    """Call the function of that name; every other word is its own result."""
    return FUNCTIONS[task]() if task in FUNCTIONS else task


def make() -> Callable[[str], str]:
    """Make the function."""
    return carry_out
