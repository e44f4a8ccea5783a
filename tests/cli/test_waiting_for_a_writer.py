"""`kebab ingest --wait`: it says for whom it waits, and Ctrl-C ends the wait as it ends any run."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pexpect
import pytest

from tests.command_server import ForkedProcess

HOLDER = f"`kebab ingest` (pid {os.getpid()}, host {platform.node()})"
STOPPED = re.compile(
    r"stopped  before any file was read  \(\d+\.\d s\)\n"
    r"hint: run kebab ingest again to continue; finished work is kept\n"
)


@pytest.fixture
def locked(kb) -> Iterator[None]:  # type: ignore[no-untyped-def]
    data = kb.folder / "data"
    data.mkdir(exist_ok=True)
    with (data / "writer.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        json.dump({"pid": os.getpid(), "host": platform.node(), "command": "kebab ingest"}, file)
        file.flush()
        yield


@contextmanager
def waiting(kb, *flags: str) -> Iterator[ForkedProcess]:  # type: ignore[no-untyped-def]
    with kb.kebab.begin("ingest", "--wait", *flags, "--config", str(kb.config)) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.usefixtures("locked")
def test_in_lines_the_wait_names_the_writer_and_ctrl_c_ends_it(kb) -> None:  # type: ignore[no-untyped-def]
    with waiting(kb) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert said == f"waiting for {HOLDER}\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
    assert STOPPED.fullmatch(out)
    assert "error" not in err


@pytest.mark.usefixtures("locked")
def test_programs_get_heartbeats_and_then_one_aborted_and_the_report(kb) -> None:  # type: ignore[no-untyped-def]
    with waiting(kb, "--json") as process:
        assert process.stdout is not None
        beat = json.loads(process.stdout.readline())
        assert (beat["kind"], beat["phase"]) == ("heartbeat", "wait")
        assert beat["waits_for"] == HOLDER
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (130, "")
    *events, aborted, report = [json.loads(line) for line in out.splitlines()]
    assert {event["kind"] for event in events} <= {"heartbeat"}
    assert (aborted["kind"], report["schema_version"], report["aborted"]) == (
        "aborted",
        "ingest_report.v1",
        True,
    )


@pytest.mark.usefixtures("locked")
def test_a_terminal_shows_for_whom_it_waits_and_ctrl_c_ends_it(kb) -> None:  # type: ignore[no-untyped-def]
    environ = kb.kebab.environment({"TERM": "xterm-256color"})
    command, *arguments = kb.kebab.command("ingest", "--wait", "--config", str(kb.config))
    child = pexpect.spawn(command, arguments, env=environ, encoding="utf-8", dimensions=(24, 200), timeout=60)
    child.expect_exact("waiting for")
    child.expect_exact(HOLDER)
    child.expect("waiting .*\r")
    assert "0/?" not in child.before + child.after
    child.sendintr()
    child.expect_exact("before any file was read")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


@pytest.mark.usefixtures("locked")
def test_quiet_waiting_says_nothing_and_leaves_the_report(kb) -> None:  # type: ignore[no-untyped-def]
    # Nothing tells when a quiet run waits, so it is interrupted where it asks for the lock for the first time.
    program = """
import fcntl, os, signal, sys
from kebab_cli.main import main

def ask(file, how, take=fcntl.flock):
    fcntl.flock = take
    os.kill(os.getpid(), signal.SIGINT)
    take(file, how)

fcntl.flock = ask
main(sys.argv[1:])
"""
    done = kb.kebab.run_program(program, "ingest", "--wait", "--quiet", "--config", str(kb.config))
    assert (done.code, done.stderr) == (130, "")
    assert STOPPED.fullmatch(done.stdout)
