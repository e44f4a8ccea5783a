"""Ctrl-C while the program is still being loaded."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

INTERRUPT_AT_IMPORT = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupting(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == chosen:
            print("heard", flush=True)
            os.kill(os.getpid(), signal.SIGINT)
        return None

chosen = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupting())
from kebab_cli.start import start
start()
"""


@pytest.mark.parametrize(
    "module",
    [
        "click",
        "kebab_cli.main",
        "kebab_cli.commands.ingest",
        "pydantic",
        "kebab_config",
        "kebab_app.app",
    ],
)
def test_an_interrupt_during_an_import_ends_without_a_traceback(module: str, kb) -> None:  # type: ignore[no-untyped-def]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT_AT_IMPORT, module, "ingest", "--config", str(kb.config), "--quiet"],
        env=kb.kebab.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (128 + signal.SIGINT, "heard\n")
    assert done.stderr in {"", "\n"}  # click ends the line on which a terminal shows ^C
