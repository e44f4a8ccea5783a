"""The server for agents as a process: how fast it starts, what a call costs over the library, memory, what it leaves.

python -m bench.mcp KEBAB_TOML [--queries JSONL] [--mode lexical|hybrid]   start, search, memory
python -m bench.mcp KEBAB_TOML --sessions 1000 [--at-once 1]               short sessions; nothing may remain
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import anyio
from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import SearchMode, SearchQuery
from kebab_wire import brief_hit_cost
from mcp import Client, StdioServerParameters, stdio_client

from bench.process_tree import pss_mb, rss_mb
from tests.integration.served import Served, server_command
from tests.integration.short_sessions import run_sessions

RUNS = 7
K, MAX_TOKENS = 5, 1300
"""Of a search that says neither."""
MAX_START = 1.2
MAX_OVER_MS = 20
TICKS = os.sysconf("SC_CLK_TCK")
QUERIES = ("색인은 언제 다시 만드나요?", "의존성 주입", "비밀번호 해시", "how do I test it?", "파일 업로드")


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def waited_s(pid: int) -> float:
    """Return how long the threads of a process were ready and had no core, so far."""
    total = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((thread / "schedstat").read_text(encoding="utf-8").split()[1])
        except OSError:
            continue
    return total / 1e9


def timed(run: Callable[[], object]) -> float:
    """Return milliseconds by the clock."""
    started = time.perf_counter()
    run()
    return (time.perf_counter() - started) * 1000


def verdict(*, kept: bool) -> str:
    return "ok" if kept else "MISSED"


def say_spread(name: str, values: Sequence[float]) -> float:
    """Print the median of milliseconds, and what all but one in twenty keep below.

    Returns:
        The latter.
    """
    ordered = sorted(values)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"{name}: p50 {statistics.median(ordered):.1f} ms, p95 {p95:.1f} ms", flush=True)
    return p95


def import_alone() -> tuple[float, float]:
    """Return wall and CPU seconds of a process that imports the protocol's server."""
    started, before = time.perf_counter(), os.times()
    subprocess.run([sys.executable, "-P", "-c", "import mcp.server"], check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, cpu


def measure_start(config: Path) -> None:
    """Start servers and bare imports by turns."""
    ratios = []
    for _ in range(RUNS):
        started = time.perf_counter()
        server = Served(config, "--readonly")
        server.start()
        wall, cpu = time.perf_counter() - started, cpu_s(server.process.pid)
        server.end()
        alone = import_alone()
        ratios.append((cpu / alone[1], wall / alone[0], wall))
    cpu_ratio, wall_ratio, wall = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(
        f"start to tools/list: {cpu_ratio:.2f} x the CPU time of import mcp.server, {wall_ratio:.2f} x by the clock "
        f"({wall:.2f} s); at most {MAX_START}: {verdict(kept=cpu_ratio <= MAX_START)}"
    )


def measure_search(config: Path, queries: Sequence[str], mode: SearchMode) -> None:
    """Compare calls with the same searches by the library, by turns; CPU time counts where a machine is shared."""
    server = Served(config, "--readonly")
    server.start()
    pid = server.process.pid
    listed = memory(pid)
    loaded = load_settings(config_path=config, environ=read_environment())
    with App(loaded, readonly=True) as app:

        def search(query: str) -> None:
            asked = SearchQuery(text=query, mode=mode, k=K, max_tokens=MAX_TOKENS)
            app.search(asked, count_hit=brief_hit_cost)

        for query in queries[:5]:
            server.call("search", query=query, mode=mode)
            search(query)
        calls, alone, quiet, served, used = [], [], [], cpu_s(pid), 0.0
        for query in queries:
            waited = [waited_s(pid) + waited_s(os.getpid())]
            calls.append(timed(lambda: server.call("search", query=query, mode=mode)))  # noqa: B023 - called at once
            waited.append(waited_s(pid) + waited_s(os.getpid()))
            before = time.process_time()
            alone.append(timed(lambda: search(query)))  # noqa: B023
            used += time.process_time() - before
            waited.append(waited_s(os.getpid()) + waited_s(pid))
            first, second = ((later - sooner) * 1000 for sooner, later in pairwise(waited))
            quiet.append(calls[-1] - first - (alone[-1] - second))
        served = cpu_s(pid) - served
    count = len(queries)
    print(
        f"{count} {mode} searches, CPU: server {served / count * 1000:.1f} ms, library {used / count * 1000:.1f} ms"
    )
    say_spread("call", calls)
    say_spread("library", alone)
    say_spread("call over library", [call - other for call, other in zip(calls, alone, strict=True)])
    p95 = say_spread("call over library, without what either waited for a core", quiet)
    print(f"at most {MAX_OVER_MS}: {verdict(kept=p95 <= MAX_OVER_MS)}")
    print(f"memory: {listed} when the tools are listed, {memory(pid)} after the searches")
    measure_layers(server)
    server.end()


def measure_layers(server: Served) -> None:
    """Print what a call costs that does nothing: by way of the event loop alone, and of a thread for work, too."""
    layers: dict[str, Callable[[], object]] = {
        "the protocol": lambda: server.ask("ping"),
        "the protocol and a thread": lambda: server.ask(
            "tools/call", {"name": "search", "arguments": {"nothing": 1}}
        ),
    }
    for name, call in layers.items():
        before = cpu_s(server.process.pid)
        times = [timed(call) for _ in range(300)]
        cpu = (cpu_s(server.process.pid) - before) / len(times) * 1000
        say_spread(f"{name} alone, {cpu:.2f} ms of CPU", times)


def memory(pid: int) -> str:
    return f"{pss_mb(pid):.0f} MB (RSS {rss_mb(pid):.0f})"


async def measure_client(config: Path, queries: Sequence[str], mode: SearchMode) -> None:
    """Print what the protocol's own client adds, in its process: it holds results against their schemas."""
    command = server_command(config, "--readonly")
    parameters = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(stdio_client(parameters)) as client:
        await client.list_tools()
        for query in queries[:5]:
            await client.call_tool("search", {"query": query, "mode": mode.value})
        before = time.process_time()
        for query in queries:
            await client.call_tool("search", {"query": query, "mode": mode.value})
        used = time.process_time() - before
    print(f"the protocol's own client: {used / len(queries) * 1000:.1f} ms of CPU a call in its own process")


def tell_of_sessions(number: int) -> None:
    """Print how many are over, now and then."""
    if number % 100 == 0:
        print(f"{number} sessions, load {os.getloadavg()[0]:.1f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path)
    parser.add_argument("--queries", type=Path, help="JSON lines with `text`")
    parser.add_argument("--mode", type=SearchMode, choices=list(SearchMode), action="append")
    parser.add_argument("--sessions", type=int)
    parser.add_argument("--at-once", type=int, default=1, help="sessions at once")
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    if given.sessions:
        started = time.perf_counter()
        faults = run_sessions(given.config, given.sessions, at_once=given.at_once, tell=tell_of_sessions)
        spent = time.perf_counter() - started
        print(
            f"{given.sessions} sessions in {spent:.0f} s, load {os.getloadavg()[0]:.1f}: {len(faults)} faults"
        )
        print("\n".join(faults[:20]) or "no process, no lock and no file is left")
        return 1 if faults else 0
    lines = given.queries.read_text(encoding="utf-8").splitlines() if given.queries else []
    queries = [json.loads(line)["text"] for line in lines] or list(QUERIES) * 20
    measure_start(given.config)
    for mode in given.mode or (SearchMode.LEXICAL, SearchMode.HYBRID):
        measure_search(given.config, queries, mode)
        anyio.run(measure_client, given.config, queries, mode)
    return 0


if __name__ == "__main__":
    sys.exit(main())
