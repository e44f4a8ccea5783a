"""Memory of a command and all processes it starts, sampled from `/proc` while it runs."""

from __future__ import annotations

import resource
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

_SAMPLE_S = 0.05


@dataclass(frozen=True)
class Watched:
    """One finished command."""

    output: str
    code: int
    wall_s: float
    cpu_s: float
    """Of all its processes."""
    peak_mb: float
    """Largest sum of PSS: memory that processes share, such as a mapped dictionary, counts once."""


def run_watched(command: list[str]) -> Watched:
    """Run a command to its end.

    Returns:
        What it printed and used.

    Raises:
        RuntimeError: It ended with a code that is neither success, a failed file nor a time-out.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        peak = _Peak(process.pid)
        output, errors = process.communicate()
        wall_s = time.perf_counter() - started
        peak_mb = peak.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in {0, 1, 124}:
        raise RuntimeError(f"{command} ended with {process.returncode}: {errors[-2000:]}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Watched(output, process.returncode, wall_s, cpu_s, peak_mb)


class _Peak:
    """Samples until it is stopped."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._largest_mb = 0.0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        self._stopped.set()
        self._thread.join()
        return self._largest_mb

    def _watch(self) -> None:
        while not self._stopped.wait(_SAMPLE_S):
            self._largest_mb = max(self._largest_mb, sum(map(_pss_mb, _family(self._pid))))


def _family(pid: int) -> list[int]:
    pids = [pid]
    for parent in pids:
        pids.extend(_children(parent))
    return pids


def _children(pid: int) -> list[int]:
    try:
        threads = list(Path("/proc", str(pid), "task").iterdir())
        return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return []


def _pss_mb(pid: int) -> float:
    try:
        rollup = Path("/proc", str(pid), "smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    line = next((line for line in rollup.splitlines() if line.startswith("Pss:")), "Pss: 0 kB")
    return int(line.split()[1]) / 1024
