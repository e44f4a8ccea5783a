"""Disks that are full: a clear end, nothing lost, and a next run that makes up for it."""

import json
from pathlib import Path
from random import Random

import pytest

from tests.integration.full_disks import (
    faults_after,
    faults_of_full_run,
    make_index,
    run_kebab,
)

KB = 1024
NOISE = Random(0).randbytes(280 * KB).hex().encode()  # noqa: S311 - text that compression does not make small


@pytest.mark.parametrize("limit", [0, 60 * KB, 200 * KB])
def test_a_run_on_a_full_disk_ends_in_one_error_and_loses_nothing(limit: int, tmp_path: Path) -> None:
    base, old = make_index(tmp_path)
    done = run_kebab(base, "ingest", "--json", max_bytes=limit)
    assert faults_of_full_run(done) == []
    assert faults_after(base, old) == []


def test_a_copy_that_does_not_fit_is_no_fault_of_the_file(tmp_path: Path) -> None:
    base, old = make_index(tmp_path)
    base.write({"a.md": b"# large\n\n" + b"```\n" + NOISE + b"\n```\n"})
    done = run_kebab(base, "ingest", "--json", max_bytes=256 * KB)
    assert faults_of_full_run(done) == []
    assert "a.md" in json.loads(done.stderr)["message"]
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1]["kind"] == "aborted"
    assert faults_after(base, old) == []


def test_reading_goes_on_where_not_a_byte_can_be_written(tmp_path: Path) -> None:
    base, _ = make_index(tmp_path)
    found = run_kebab(base, "search", "노트", "--readonly", "--json", max_bytes=0)
    assert (found.returncode, found.stderr) == (0, "")
