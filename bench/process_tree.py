"""Memory of a command and all processes it starts, sampled from `/proc` while it runs."""

from __future__ import annotations

import resource
import statistics
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
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
    course: list[tuple[float, float]]
    """Seconds since the start and the sum of PSS then, sample by sample."""


def run_watched(command: list[str], *, every_s: float = _SAMPLE_S) -> Watched:
    """Run a command to its end.

    Args:
        command: What to run.
        every_s: How long between two looks at its memory.

    Returns:
        What it printed and used.

    Raises:
        RuntimeError: It ended with a code that is neither success, a failed file nor a time-out.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        watch = _Watch(process.pid, every_s)
        output, errors = process.communicate()
        wall_s = time.perf_counter() - started
        course = watch.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in {0, 1, 124}:
        raise RuntimeError(f"{command} ended with {process.returncode}: {errors[-2000:]}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak_mb = max((mb for _, mb in course), default=0.0)
    return Watched(output, process.returncode, wall_s, cpu_s, peak_mb, course)


class _Watch:
    """Samples until it is stopped."""

    def __init__(self, pid: int, every_s: float) -> None:
        self._pid = pid
        self._every_s = every_s
        self._started = time.perf_counter()
        self._course: list[tuple[float, float]] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> list[tuple[float, float]]:
        self._stopped.set()
        self._thread.join()
        return self._course

    def _watch(self) -> None:
        while not self._stopped.wait(self._every_s):
            used = sum(map(pss_mb, family(self._pid)))
            self._course.append((time.perf_counter() - self._started, used))


def family(pid: int) -> list[int]:
    """Return a process and all that it, and they, have started."""
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


def process_ms(pid: int) -> float:
    """Return the CPU time of a process in milliseconds, by the clock of clock_getcpuclockid(3); 0 once it has ended."""
    with suppress(OSError):
        return time.clock_gettime(~pid << 3 | 2) * 1000
    return 0.0


def pss_mb(pid: int) -> float:
    """Return the memory of a process, what it shares divided by those who share it; 0 once it has ended."""
    return _rolled_up(pid, "Pss:")


def rss_mb(pid: int) -> float:
    """Return the memory of a process, what it shares counted whole; 0 once it has ended."""
    return _rolled_up(pid, "Rss:")


def mapped_mb(pid: int, folder: str) -> float:
    """Return the resident memory, in MB, of the files below a folder that a process maps, such as a dictionary."""
    count, is_inside = 0, False
    for line in Path("/proc", str(pid), "smaps").read_text(encoding="utf-8").splitlines():
        if line[0].isdecimal() or line[0].islower():
            is_inside = f"/{folder}/" in line
        elif is_inside and line.startswith("Rss:"):
            count += int(line.split()[1])
    return count / 1024


def _rolled_up(pid: int, field: str) -> float:
    try:
        rollup = Path("/proc", str(pid), "smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    line = next((line for line in rollup.splitlines() if line.startswith(field)), f"{field} 0 kB")
    return int(line.split()[1]) / 1024


def yardstick_ms() -> float:
    """CPU ms of a fixed computation of this process: what the machine makes of a millisecond just now."""
    begun = time.thread_time()
    sum(hash(str(number)) & 7 for number in range(20_000))
    return (time.thread_time() - begun) * 1000


def in_yardsticks(values: Sequence[float], yardsticks: Sequence[float]) -> str:
    """Say the middle and the 95th percentile of CPU ms as multiples of the yardstick that was taken between them."""
    one = statistics.median(yardsticks)
    middle, most = statistics.median(values) / one, statistics.quantiles(values, n=20)[-1] / one
    return f"{middle:.1f} and {most:.1f} times a loop that took {one:.1f} ms"
