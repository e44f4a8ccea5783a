"""The CPU time of each test file, measured: `python -m tests.ledger` runs the tests in one process and writes `tests/ledger.toml`.

Given files or folders, it measures those and keeps what it knows of the others. What counts is CPU time of the process and of
its children, import of the file included; a fixture counts where it is first used. Of children that still run, such as servers
of commands, only Linux tells.
"""

from __future__ import annotations

import os
import resource
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / "tests" / "ledger.toml"
NOTABLE_S = 20
"""A file that takes more CPU seconds says why."""
_HEAD = """\
# CPU seconds of each test file as `.ci/run` runs it, to a tenth, measured by `python -m tests.ledger`; nothing depends on them.
# A file above 20 s says why, and so may others.
"""


class CpuMeter:
    """A plugin of pytest that adds up CPU seconds by file."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[None]:
        with self._measured(collector.nodeid if isinstance(collector, pytest.Module) else ""):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        with self._measured(item.nodeid.partition("::")[0]):
            return (yield)

    @contextmanager
    def _measured(self, file: str) -> Iterator[None]:
        before = _cpu_s()
        yield
        if file:
            self.seconds[file] += _cpu_s() - before


def _cpu_s() -> float:
    own = sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
    return own + _of_children_s(os.getpid())


def _of_children_s(pid: int) -> float:
    """CPU seconds of the children of a process that still run, with theirs, as proc(5) has them."""
    seconds = 0.0
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, listed.read_text("ascii").split()):
                fields = Path(f"/proc/{child}/stat").read_text("utf-8").rpartition(")")[2].split()
                seconds += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + _of_children_s(child)
    return seconds


class Ledger(NamedTuple):
    """What is known of test files, by path."""

    seconds: dict[str, float]
    why: dict[str, str]
    """Reasons why some take long."""
    unmeasured: set[str]
    """Files that are to be measured; no other is missing."""


def read_ledger() -> Ledger:
    """Return what the ledger says."""
    tables = tomllib.loads(LEDGER.read_text("utf-8")) if LEDGER.exists() else {}
    return Ledger(tables.get("cpu_s", {}), tables.get("why", {}), set(tables.get("unmeasured", ())))


def write_ledger(ledger: Ledger) -> None:
    """Write what is known of files that exist."""
    seconds, why, unmeasured = ledger
    lines = [_HEAD]
    if left := sorted(path for path in unmeasured - seconds.keys() if (ROOT / path).is_file()):
        lines += ["unmeasured = [", *(f'  "{path}",' for path in left), "]", ""]
    lines += ["[why]"]
    lines += [f'"{path}" = "{why[path]}"' for path in sorted(why) if (ROOT / path).is_file()]
    lines += ["", "[cpu_s]"]
    lines += [f'"{path}" = {seconds[path]:.1f}' for path in sorted(seconds) if (ROOT / path).is_file()]
    LEDGER.write_text("\n".join(lines) + "\n", "utf-8")


def main(arguments: list[str]) -> int:
    """Measure what pytest's arguments select, and write it if all of that was run."""
    meter = CpuMeter()
    code = pytest.main(["-q", "-n", "0", "-p", "no:randomly", *arguments], plugins=[meter])
    if code in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        ledger = read_ledger()
        write_ledger(ledger._replace(seconds=ledger.seconds | meter.seconds))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
