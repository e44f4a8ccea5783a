"""Stopping an ingest: asked once, asked twice, killed, all in the middle of a run, and what the next run makes of it.

No test waits for time to pass: each reacts to an event that the run prints, and the run is far longer than the reaction.
"""

from __future__ import annotations

import fcntl
import json
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import pexpect
import pytest

from tests.command_server import ForkedProcess

FILES = 120
FEW_FILES = 60
"""Whose events are more than two small pipes hold."""
PIPE_BYTES = 4096
WITHOUT_WORKERS = {"KEBAB_INGEST_WORKERS": "1"}
"""Where who reads the files is not the point."""
PARAGRAPH = "색인은 파일이 바뀌면 다시 만들어진다. Rolling back takes one command and five minutes.\n\n"


@pytest.fixture
def large(kb, inside):  # type: ignore[no-untyped-def]
    """Enough files that a run is still busy long after its first results were read."""
    for number in range(FILES):
        kb.write(f"many/{number:03d}.md", f"# {number}\n\n" + PARAGRAPH * 20)
    return inside(kb)


@pytest.fixture
def several(kb, inside):  # type: ignore[no-untyped-def]
    """Files for a run that prints events: it waits for whoever reads them."""
    for number in range(FEW_FILES):
        kb.write(f"many/{number:03d}.md", f"# {number}\n\n" + PARAGRAPH * 2)
    return inside(kb)


@contextmanager
def running(kb, *flags: str, env: Mapping[str, str] | None = None) -> Iterator[ForkedProcess]:  # type: ignore[no-untyped-def]
    with kb.kebab.begin("ingest", *flags, "--config", str(kb.config), env=env) as process:
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            fcntl.fcntl(process.stdout.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        try:
            yield process
        finally:
            process.kill()


def read_until(kind: str, stream: IO[str]) -> list[dict[str, object]]:
    seen = []
    for line in stream:
        seen.append(json.loads(line))
        if seen[-1].get("kind") == kind:
            return seen
    pytest.fail(f"the run ended without {kind}: {seen}")


def wait_and_read(process: ForkedProcess) -> tuple[list[dict[str, object]], str]:
    out, err = process.communicate(timeout=60)
    return [json.loads(line) for line in out.splitlines()], err


def assert_whole(kb, *, files: int = FEW_FILES) -> None:  # type: ignore[no-untyped-def]
    """The next run completes what is missing, and then everything is in order."""
    done = kb("ingest", "--json", "--summary-only", env=WITHOUT_WORKERS)
    assert done.code == 0
    assert done.last["errors"] == 0
    stats = kb("schema", "--json").last["stats"]
    assert stats["doc_count"] == files + 2  # type: ignore[index]
    healthy = kb("doctor", "--json")
    assert (healthy.code, healthy.last["ok"]) == (0, True)
    again = kb("ingest", "--json", "--summary-only").last
    assert (again["unchanged"], again["new"], again["updated"]) == (files + 2, 0, 0)


def test_one_interrupt_finishes_the_files_in_hand_and_reports(several) -> None:  # type: ignore[no-untyped-def]
    with running(several, "--json") as process:
        read_until("asset_finished", process.stdout)
        process.send_signal(signal.SIGINT)
        rest, errors = wait_and_read(process)
        assert process.returncode == 130
    *events, aborted, report = rest
    assert (aborted["kind"], report["schema_version"], report["aborted"]) == (
        "aborted",
        "ingest_report.v1",
        True,
    )
    assert {event["kind"] for event in events} <= {"asset_started", "asset_finished", "heartbeat"}
    assert errors == ""
    assert 0 < report["new"] < FEW_FILES  # type: ignore[operator]
    assert len(several("list", "docs", "--json").last["documents"]) == report["new"]  # type: ignore[arg-type]
    noticed = several("doctor", "--json")
    failed = [check["name"] for check in noticed.last["checks"] if not check["ok"]]  # type: ignore[attr-defined, union-attr]
    assert (noticed.code, failed) == (3, ["ingest_finished"])
    missed = several("search", "파스타", "--json").last
    coverage = missed["coverage"]
    assert missed["no_hit_reason"] == "nothing_matches"
    assert (coverage["ingest_running"], coverage["ingest_interrupted"]) == (False, True)  # type: ignore[index]
    told = several("search", "파스타").stdout
    assert "an ingest was interrupted" in told
    assert "hint: kebab ingest" in told
    assert_whole(several)
    assert several("search", "rollback", "--json").last["coverage"]["ingest_interrupted"] is False  # type: ignore[index]


def test_people_are_told_how_to_stop_at_once_and_how_to_go_on(large) -> None:  # type: ignore[no-untyped-def]
    with running(large) as process:
        read_line_with("122 files found", process.stderr)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
    assert "Ctrl-C again stops at once" in err
    assert out.startswith("stopped")
    assert out.splitlines()[-1] == "hint: run kebab ingest again to continue; finished work is kept"


def read_line_with(text: str, stream: IO[str] | None) -> None:
    assert stream is not None
    assert any(text in line for line in stream)


def test_two_interrupts_stop_at_once(large) -> None:  # type: ignore[no-untyped-def]
    huge = large.write("a huge one.md", "# Huge\n\n" + PARAGRAPH * 40_000)
    with running(large) as process:
        read_line_with("still running: ingest a huge one.md", process.stderr)
        process.send_signal(signal.SIGINT)
        read_line_with("Ctrl-C again stops at once", process.stderr)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
    assert (out, err) == ("", "")
    huge.unlink()
    assert_whole(large, files=FILES)


@pytest.mark.thorough
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_is_noticed_and_completed_by_the_next(sign: signal.Signals, several) -> None:  # type: ignore[no-untyped-def]
    with running(several, "--json", env=WITHOUT_WORKERS) as process:
        read_until("asset_finished", process.stdout)
        process.send_signal(sign)
        process.communicate(timeout=60)
        assert process.returncode == -sign
    noticed = several("doctor", "--json")
    failed = [check["name"] for check in noticed.last["checks"] if not check["ok"]]  # type: ignore[attr-defined, union-attr]
    assert (noticed.code, failed) == (3, ["ingest_finished"])
    found = several("search", "색인", "--k", "1")
    assert "was interrupted" in found.stdout
    assert_whole(several)


def test_two_runs_at_once_leave_one_refused_one_waiting_and_both_results_whole(several) -> None:  # type: ignore[no-untyped-def]
    with running(several, "--json", env=WITHOUT_WORKERS) as process:
        read_until("asset_finished", process.stdout)
        with held(process):
            refused = several("ingest", "--json")
            assert (refused.code, refused.error["code"]) == (2, "locked")
            assert refused.error["details"]["pid"] == process.pid  # type: ignore[index]
        with running(several, "--wait", "--json", env=WITHOUT_WORKERS) as waiting:
            events, _ = wait_and_read(process)
            assert (process.returncode, events[-1]["new"]) == (0, FEW_FILES + 2)
            late, _ = wait_and_read(waiting)
            assert (waiting.returncode, late[-1]["unchanged"]) == (0, FEW_FILES + 2)


def test_reading_during_a_run_finds_what_is_there_and_says_that_more_may_come(several) -> None:  # type: ignore[no-untyped-def]
    with running(several, "--json", env=WITHOUT_WORKERS) as process:
        read_until("asset_finished", process.stdout)
        with held(process):
            found = several("search", "rolling back", "--json")
            told = several("search", "rolling back")
            nothing = several("search", "파스타")
            healthy = several("doctor")
            missed = several("search", "파스타", "--json")
    assert (found.code, missed.code) == (0, 1)
    coverage = found.last["coverage"]
    assert (coverage["ingest_running"], coverage["ingest_interrupted"]) == (True, False)  # type: ignore[index]
    assert "note: an ingest is running, so more may be found later" in told.stdout
    assert "hint: search again when it is done" in nothing.stdout
    assert healthy.code == 0
    assert f"an ingest is running (pid {process.pid})" in healthy.stdout
    assert missed.last["no_hit_reason"] == "still_indexing"


@contextmanager
def held(process: ForkedProcess) -> Iterator[None]:
    """Stop a process inside the block, so that what it does next cannot come first."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def test_ctrl_c_typed_on_a_terminal_takes_the_bar_away_and_reports(large) -> None:  # type: ignore[no-untyped-def]
    environ = large.kebab.environment({"TERM": "xterm-256color"})
    command, *arguments = large.kebab.command("ingest", "--config", str(large.config))
    child = pexpect.spawn(command, arguments, env=environ, encoding="utf-8", dimensions=(24, 100), timeout=60)
    child.expect(r"\d+/122")
    child.sendintr()
    child.expect_exact("Ctrl-C again stops at once")
    child.expect("stopped")
    child.expect_exact("hint: run kebab ingest again to continue")
    child.expect(pexpect.EOF)
    assert "\x1b[?25l" not in child.before  # the cursor stays visible
    child.close()
    assert child.exitstatus == 130
