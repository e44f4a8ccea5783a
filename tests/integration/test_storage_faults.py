"""Disks that are full: a clear end, nothing lost, and a next run that makes up for it."""

import json
import logging
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kebab_app import configure_logging
from kebab_app.logs import open_run_log
from kebab_core import ScanStarted, StorageError
from kebab_testing.fakes.clock import FixedClock

from tests.integration.full_disks import (
    faults_after,
    faults_of_full_run,
    limit_files,
    make_index,
    run_kebab,
)
from tests.integration.killed_runs import KilledBase

KB = 1024


@contextmanager
def full_disk(limit: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("limit", [0, 60 * KB, 200 * KB])
def test_a_run_on_a_full_disk_ends_in_one_error_and_loses_nothing(limit: int, tmp_path: Path) -> None:
    base, old = make_index(tmp_path)
    done = run_kebab(base, "ingest", prepare=limit_files(limit))
    assert faults_of_full_run(done) == []
    assert faults_after(base, old) == []


def test_a_copy_that_does_not_fit_is_no_fault_of_the_file(tmp_path: Path) -> None:
    base, old = make_index(tmp_path)
    base.write({"a.md": b"# large\n\n" + b"```\n" + b"x" * 300 * KB + b"\n```\n"})
    done = run_kebab(base, "ingest", prepare=limit_files(256 * KB))
    assert faults_of_full_run(done) == []
    assert "a.md" in json.loads(done.stderr)["message"]
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1]["kind"] == "aborted"
    assert faults_after(base, old) == []


def test_reading_goes_on_where_not_a_byte_can_be_written(tmp_path: Path) -> None:
    base, _ = make_index(tmp_path)
    found = run_kebab(base, "search", "노트", "--readonly", prepare=limit_files(0))
    assert (found.returncode, found.stderr) == (0, "")


def test_a_run_log_on_a_full_disk_is_a_clear_error_and_can_be_closed(tmp_path: Path) -> None:
    base, clock = KilledBase(tmp_path), FixedClock()
    event = ScanStarted(ts=clock.now(), root="r" * KB)
    with open_run_log(base.load(), clock=clock) as log, full_disk(KB), pytest.raises(StorageError) as caught:
        log(event)
    assert "disk space" in str(caught.value.hint)


def test_a_program_log_on_a_full_disk_spoils_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    configure_logging(KilledBase(tmp_path).load(), debug=False)
    with full_disk(0):
        logging.getLogger("kebab.ingest").error("cannot be written")
    (handler,) = logging.getLogger("kebab").handlers
    handler.close()
    logging.getLogger("kebab").removeHandler(handler)
    assert capfd.readouterr().err == ""
