"""What a fresh process of `kebab` does before and after its command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROBE = """
import atexit, gc, sys
from kebab_cli.start import start
atexit.register(lambda: print("AT EXIT", gc.get_freeze_count() > 10_000, gc.isenabled()))
sys.argv[1:] = {arguments!r}
start()
"""


def ended(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROBE.format(arguments=list(arguments))],
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_end_of_a_command_looks_for_no_cycles_and_runs_what_waits_for_it(tmp_path: Path) -> None:
    done = ended("--help", home=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: kebab")
    assert done.stdout.endswith("AT EXIT True True\n")


def test_a_command_that_fails_keeps_its_exit_code(tmp_path: Path) -> None:
    done = ended("search", "x", "--config", str(tmp_path / "none.toml"), home=tmp_path)
    assert done.returncode == 2
    assert done.stdout.endswith("AT EXIT True True\n")
    assert "Traceback" not in done.stderr


def test_libraries_are_told_to_start_lightly_before_anything_is_searched(tmp_path: Path) -> None:
    told = "atexit.register(lambda: print(__import__('os').environ['PYDANTIC_DISABLE_PLUGINS']))\nstart()\n"
    done = subprocess.run(
        [sys.executable, "-c", PROBE.replace("start()\n", told).format(arguments=["list", "docs"])],
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "__all__\n" in done.stdout
