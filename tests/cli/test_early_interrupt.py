"""Ctrl-C at the very moment of a chosen import: while the program is loaded, and over the first file of an ingest."""

from __future__ import annotations

import json
import re
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
            try:
                os.kill(os.getpid(), signal.SIGINT)
                os.getpid()
            except BaseException:
                raise ImportError(name)  # as compiled modules do, which import others
        return None

chosen = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupting())
from kebab_cli.start import start
start()
"""


INTERRUPTED = 128 + signal.SIGINT
IN_THE_FIRST_FILE = "markdown_it"
"""Imported when the first Markdown is parsed."""


def interrupted_at(module: str, kb, *flags: str) -> subprocess.CompletedProcess[str]:  # type: ignore[no-untyped-def]
    """Ingest, with a SIGINT just before a module is imported; stdout then holds `heard`."""
    return subprocess.run(
        [sys.executable, "-c", INTERRUPT_AT_IMPORT, module, "ingest", "--config", str(kb.config), *flags],
        env=kb.kebab.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.thorough
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
@pytest.mark.parametrize("flag", ["--quiet", "--json"])
def test_an_interrupt_during_an_import_ends_without_a_word_where_none_is_wanted(
    flag: str, module: str, kb
) -> None:  # type: ignore[no-untyped-def]
    done = interrupted_at(module, kb, flag)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "heard\n", "")


@pytest.mark.thorough
@pytest.mark.parametrize("module", ["click", "kebab_cli.main", "kebab_config", "kebab_app.app"])
def test_an_early_interrupt_is_confirmed_in_one_word(module: str, kb) -> None:  # type: ignore[no-untyped-def]
    done = interrupted_at(module, kb)
    assert (done.returncode, done.stdout) == (INTERRUPTED, "heard\n")
    assert done.stderr == "interrupted\n"


INTERRUPT_IN_A_STATEMENT = """
import os, signal, sys
from kebab_store_sqlite import document_parts

inner = document_parts.passage_terms

def interrupted(*arguments):
    print("heard", flush=True)
    os.kill(os.getpid(), signal.SIGINT)
    return inner(*arguments)

document_parts.passage_terms = interrupted
from kebab_cli.start import start
start()
"""


def test_an_interrupt_in_a_function_that_sqlite_calls_is_no_damage(indexed) -> None:  # type: ignore[no-untyped-def]
    backup = indexed.data.parent / "backup.zip"
    done = indexed.kebab.run_program(
        INTERRUPT_IN_A_STATEMENT, "export", str(backup), "--config", str(indexed.config)
    )
    assert (done.code, done.stdout, done.stderr) == (INTERRUPTED, "heard\n", "interrupted\n")
    assert not backup.exists()


INTERRUPT_IN_A_COMMAND = """
import os, signal, sqlite3, sys
from pathlib import Path
import kebab_cli.main
from kebab_store_sqlite import connection, schema

pack = schema.pack

def interrupted(*arguments):
    os.kill(os.getpid(), signal.SIGINT)
    return pack(*arguments)

schema.pack = interrupted

def main():
    opened = connection.connect(Path(sys.argv[1]), connection.Access.READ_WRITE)
    try:
        opened.execute("SELECT pack_json('[1]')").fetchall() if sys.argv[2] == "SQL" else schema.pack_json("[1]")
    except sqlite3.Error:
        print("damaged")
    finally:
        print("cleaned")
        print("up")

kebab_cli.main.main = main
from kebab_cli.start import start
start()
"""


@pytest.mark.parametrize("caller", ["SQL", "Python"])
def test_an_interrupt_in_a_function_of_the_database_comes_once_whoever_called_it(
    indexed, caller: str
) -> None:  # type: ignore[no-untyped-def]
    done = indexed.kebab.run_program(INTERRUPT_IN_A_COMMAND, str(indexed.data / "kebab.sqlite"), caller)
    assert (done.code, done.stdout, done.stderr) == (INTERRUPTED, "cleaned\nup\n", "interrupted\n")


REQUEST = "stopping after the current file; Ctrl-C again stops at once"
REPORT = re.compile(
    r"heard\nstopped  after 1 of 2 files, 1 new  \(\d passages?, \d+\.\d s\)\n"
    r"hint: run kebab ingest again to continue; finished work is kept\n"
    r"(?:  slow [^\n]*+\n)?"  # on a busy machine
)


def test_an_aborted_run_in_lines_tells_how_to_stop_at_once_and_how_to_go_on(kb) -> None:  # type: ignore[no-untyped-def]
    done = interrupted_at(IN_THE_FIRST_FILE, kb)
    assert done.returncode == INTERRUPTED
    told = [line for line in done.stderr.splitlines() if not line.startswith("still at work")]
    assert told == [f"scanning {kb.notes}", "2 files found", REQUEST]
    assert REPORT.fullmatch(done.stdout)


def test_an_aborted_run_that_is_quiet_leaves_the_report(kb) -> None:  # type: ignore[no-untyped-def]
    done = interrupted_at(IN_THE_FIRST_FILE, kb, "--quiet")
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")
    assert REPORT.fullmatch(done.stdout)


def test_an_aborted_run_for_programs_ends_in_aborted_and_the_report(kb) -> None:  # type: ignore[no-untyped-def]
    done = interrupted_at(IN_THE_FIRST_FILE, kb, "--json")
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")
    *events, report = [json.loads(line) for line in done.stdout.splitlines() if line != "heard"]
    kinds = [event["kind"] for event in events if event["kind"] != "heartbeat"]
    assert kinds == ["scan_started", "scan_completed", "asset_started", "asset_finished", "aborted"]
    assert (report["aborted"], report["new"]) == (True, 1)


def test_a_run_that_was_stopped_before_its_scan_does_not_say_that_there_is_nothing(kb) -> None:  # type: ignore[no-untyped-def]
    done = interrupted_at("sqlite3", kb)
    assert done.returncode == INTERRUPTED
    assert re.fullmatch(
        r"heard\nstopped  before any file was read  \(\d+\.\d s\)\nhint: run kebab ingest again .*\n",
        done.stdout,
    )
