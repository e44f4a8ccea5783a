"""Kills ingest at every named point and fills disks: `python -m bench.faults [NAME ...]`, a table and exit code 1."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.integration.full_disks import can_mount, find_faults_on_small_disk
from tests.integration.kill_points import POINTS
from tests.integration.killed_runs import find_faults
from tests.integration.killed_vectors import find_vector_faults
from tests.integration.vector_kill_points import VECTOR_POINTS

FREE_KB = (0, 4, 16, 40, 64, 100, 128, 160, 200, 240)


def collect_trials() -> dict[str, Callable[[Path], list[str]]]:
    # each takes an empty folder and returns what was not as promised
    trials: dict[str, Callable[[Path], list[str]]] = {
        f"kill: {point.name}": partial(find_faults, point=point) for point in POINTS
    }
    trials |= {f"kill: {p.name}": partial(find_vector_faults, point=p) for p in VECTOR_POINTS}
    if can_mount():
        for free_kb in FREE_KB:
            trials[f"disk: {free_kb} KB left"] = partial(find_faults_on_small_disk, free=free_kb * 1024)
    else:
        print("no file system can be mounted here: disks are not filled")
    return trials


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of trials; all of them without")
    wanted = parser.parse_args().names
    failed = tried = 0
    began = time.perf_counter()
    for name, trial in collect_trials().items():
        if wanted and not any(part in name for part in wanted):
            continue
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            faults = trial(Path(folder))
        tried += 1
        failed += bool(faults)
        print(f"{time.perf_counter() - started:6.1f} s  {name:52} {'; '.join(faults) or 'ok'}", flush=True)
    print(f"{tried} trials, {failed} failed, {time.perf_counter() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
