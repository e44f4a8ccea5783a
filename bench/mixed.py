"""Four servers for agents, one ingest and one search loop on the command line at once, with the bundled model.

`python -m bench.mixed [--minutes 5]`: errors, missed commits, what `doctor` says in the end, memory of the servers
over time, and exit code 1 if anything was not as promised.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from bench.process_tree import pss_mb, rss_mb
from tests.integration.mixed_faces import Mix

NOTES = 120
SAMPLE_S = 2.0
MAX_GROWTH = 1.05
"""Median memory of a server in the last quarter against the third; before that it may still be warming up."""
ROWS = 10


class Watch:
    """Memory and open files of servers, until it is stopped."""

    def __init__(self, pids: list[int]) -> None:
        self._pids = pids
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.course: list[list[tuple[float, float, int]]] = []
        """For each look, of each server: PSS and RSS in MB, and open files."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(SAMPLE_S):
            self.course.append([(pss_mb(pid), rss_mb(pid), count_files(pid)) for pid in self._pids])


def count_files(pid: int) -> int:
    """Return how many files a process has open or mapped."""
    try:
        mapped = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines()
        names = {line.split(maxsplit=5)[5] for line in mapped if line.count("/")}
        return len(list(Path(f"/proc/{pid}/fd").iterdir())) + len(names)
    except OSError:
        return 0


def say_memory(course: list[list[tuple[float, float, int]]]) -> list[str]:
    """Print memory over time.

    Returns:
        Which servers grew.
    """
    rows = min(ROWS, len(course))
    for row in range(rows):
        part = course[row * len(course) // rows]
        figures = "  ".join(f"{pss:4.0f} / {rss:4.0f} MB, {files} files" for pss, rss, files in part)
        print(f"{row * len(course) // rows * SAMPLE_S:5.0f} s   {figures}")
    grown = []
    quarter = len(course) // 4
    for server in range(len(course[0]) if quarter else 0):
        early, late = (
            statistics.median(look[server][1] for look in course[part * quarter : (part + 1) * quarter])
            for part in (2, 3)
        )
        print(f"server {server}: RSS {early:.0f} MB in the third quarter, {late:.0f} in the last")
        if late > MAX_GROWTH * early:
            grown.append(f"server {server} grew from {early:.0f} to {late:.0f} MB")
    return grown


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--keep", type=Path, help="an empty folder for the knowledge base, which is left")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        mix = Mix(given.keep or Path(scratch), notes=given.notes)
        watch = Watch([server.process.pid for server in mix.servers])
        until = time.monotonic() + 60 * given.minutes
        mix.run(lambda _: time.monotonic() < until)
        watch.stop()
        report = mix.end()
    print(
        f"{report.ingests} ingests, calls {dict(report.calls)}, load {os.getloadavg()}: {len(report.faults)} faults"
    )
    faults = Counter(report.faults + say_memory(watch.course))
    for fault, times in faults.most_common(12):
        print(f"{times} × {fault[:400]}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
