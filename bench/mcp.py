"""The server for agents as a process: how fast it starts, what a call costs over the library, memory, and what it leaves.

    python bench/mcp.py KEBAB_TOML [--queries JSONL]     start, search, memory
    python bench/mcp.py KEBAB_TOML --sessions 1000       short sessions; nothing of them may remain
    python bench/mcp.py KEBAB_TOML --together 300        four servers, one ingest and one command line at once

The last one writes: it wants a knowledge base of its own, whose first source it may add files to.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from kebab_app import App, count_brief_hit
from kebab_config import LoadedSettings, load_settings, read_environment
from kebab_core import SearchMode, SearchQuery

RUNS = 7
TICKS = os.sysconf("SC_CLK_TCK")
CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
QUERIES = ("색인은 언제 다시 만드나요?", "의존성 주입", "비밀번호 해시", "how do I test it?", "파일 업로드")


class Server:
    """One server and a client for it."""

    def __init__(self, config: Path, *flags: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "kebab_mcp", "--config", str(config), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._into: Any = self.process.stdin
        self._out: Any = self.process.stdout
        self._asked = 0

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Return the result of a request."""
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self._into.write(json.dumps(message).encode() + b"\n")
        self._into.flush()
        while (answer := json.loads(self._out.readline())).get("id") != self._asked:
            continue
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return what a tool returns."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        found: dict[str, Any] = json.loads(result["content"][0]["text"])
        return found

    def start(self) -> None:
        """Greet, and have the tools listed."""
        self.ask("initialize", **CLIENT)
        self.ask("tools/list")

    def end(self) -> int:
        """Return the exit code, after closing the input."""
        self._into.close()
        return self.process.wait()

    def cpu_s(self) -> float:
        """Return the CPU seconds spent so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident_mb(self) -> float:
        """Return the memory in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def import_alone() -> tuple[float, float]:
    """Return wall and CPU seconds of a process that imports the protocol's server."""
    started, before = time.perf_counter(), os.times()
    subprocess.run([sys.executable, "-P", "-c", "import mcp.server"], check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, cpu


def measure_start(config: Path) -> None:
    ratios = []
    for _ in range(RUNS):
        started = time.perf_counter()
        server = Server(config, "--readonly")
        server.start()
        wall, cpu = time.perf_counter() - started, server.cpu_s()
        server.end()
        alone = import_alone()
        ratios.append((wall / alone[0], cpu / alone[1], wall))
    print(
        f"start to tools/list: {statistics.median(r[1] for r in ratios):.2f} x CPU of import mcp.server, "
        f"{statistics.median(r[0] for r in ratios):.2f} x wall ({statistics.median(r[2] for r in ratios):.2f} s)"
    )


def measure_search(loaded: LoadedSettings, config: Path, queries: list[str]) -> None:
    """Compare calls with the same searches by the library, by turns; CPU time counts where a machine is shared."""
    server = Server(config, "--readonly")
    server.start()
    listed = server.resident_mb()
    with App(loaded, readonly=True, hit_cost=count_brief_hit) as app:

        def search(query: str) -> None:
            app.search(SearchQuery(text=query, mode=SearchMode.LEXICAL, k=5, max_tokens=1300))

        for query in queries[:5]:
            server.call("search", query=query, mode="lexical")
            search(query)
        pairs, served, alone = [], server.cpu_s(), 0.0
        for query in queries:
            started = time.perf_counter()
            server.call("search", query=query, mode="lexical")
            middle, busy = time.perf_counter(), time.process_time()
            search(query)
            pairs.append((middle - started, time.perf_counter() - middle))
            alone += time.process_time() - busy
        served = server.cpu_s() - served
    over = sorted((ours - theirs) * 1000 for ours, theirs in pairs)
    count = len(pairs)
    print(
        f"{count} searches: {served / count * 1000:.1f} ms of CPU by the server, {alone / count * 1000:.1f} by the "
        f"library; wall over the library's p50 {statistics.median(over):.1f}, p95 {over[int(count * 0.95) - 1]:.1f} ms"
    )
    print(
        f"memory: {listed:.0f} MB when the tools are listed, {server.resident_mb():.0f} MB after the searches"
    )
    server.end()


def measure_sessions(loaded: LoadedSettings, config: Path, count: int) -> None:
    data = loaded.paths.data_dir
    before = {path.name for path in data.iterdir()}
    pids, started = [], time.perf_counter()
    for _ in range(count):
        server = Server(config)
        pids.append(server.process.pid)
        server.start()
        server.call("search", query=QUERIES[0], mode="lexical")
        if code := server.end():
            print(f"a session ended with {code}")
    left = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    files = {path.name for path in data.iterdir()} - before - {"kebab.sqlite-wal", "kebab.sqlite-shm"}
    print(
        f"{count} sessions in {time.perf_counter() - started:.0f} s: processes left {left}, files left {sorted(files)}"
    )
    if (lock := data / "writer.lock").exists():
        with lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    print("the lock is free")


class Together:
    """Servers and a command line search while documents come in, each of which all servers must find at once."""

    def __init__(self, loaded: LoadedSettings, config: Path) -> None:
        self.root = loaded.paths.sources[0].root
        self.flags = ["--config", str(config)]
        self.servers = [Server(config) for _ in range(4)]
        self.turns = [threading.Lock() for _ in self.servers]
        self.searches = self.commands = self.ingests = 0
        self.faults: list[object] = []
        self.stop = threading.Event()

    def run(self, seconds: float) -> None:
        """Have all at work for so long."""
        for server in self.servers:
            server.start()
        threads = [threading.Thread(target=self.search_on, args=(number,)) for number in range(4)]
        threads.append(threading.Thread(target=self.command_on))
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.ingest_one()
        self.stop.set()
        for thread in threads:
            thread.join()

    def search(self, number: int, query: str) -> dict[str, Any]:
        """Return what one server finds; one call at a time."""
        with self.turns[number]:
            return self.servers[number].call("search", query=query, mode="lexical")

    def search_on(self, number: int) -> None:
        """Search by one server until the end."""
        while not self.stop.is_set():
            found = self.search(number, QUERIES[self.searches % len(QUERIES)])
            self.searches += 1
            if "hits" not in found:
                self.faults.append(found)

    def command(self, *arguments: str) -> int:
        """Return the exit code of a command."""
        command = [sys.executable, "-m", "kebab_cli", *arguments, *self.flags]
        done = subprocess.run(command, check=False, capture_output=True)
        if done.returncode not in {0, 1}:
            self.faults.append(done.stderr.decode())
        return done.returncode

    def command_on(self) -> None:
        """Search by the command line until the end."""
        while not self.stop.is_set():
            self.command("search", QUERIES[1], "--mode", "lexical", "--json")
            self.commands += 1

    def ingest_one(self) -> None:
        """Add a document and look for it by every server."""
        self.ingests += 1
        word = f"zq{self.ingests:05d}x"
        (self.root / f"bench-{self.ingests:05d}.md").write_text(
            f"# {word}\n\n{word} 문서\n", encoding="utf-8"
        )
        self.command("ingest", "--no-embed", "--quiet")
        for number in range(len(self.servers)):
            if not (found := self.search(number, word)).get("hits"):
                self.faults.append(f"server {number} missed {word}: {found}")

    def report(self) -> None:
        """Print what happened, and what a check of the whole says; ends the servers."""
        failed = [check for check in self.servers[0].call("doctor")["checks"] if not check["ok"]]
        codes = [server.end() for server in self.servers]
        print(
            f"{self.searches} searches by servers, {self.commands} by commands, {self.ingests} ingests: "
            f"{len(self.faults)} faults {self.faults[:3]}; doctor {failed or 'clean'}; servers ended with {codes}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path)
    parser.add_argument("--queries", type=Path, help="JSON lines with `text`")
    parser.add_argument("--sessions", type=int)
    parser.add_argument("--together", type=float, metavar="SECONDS")
    given = parser.parse_args()
    loaded = load_settings(config_path=given.config, environ=read_environment())
    if given.sessions:
        measure_sessions(loaded, given.config, given.sessions)
    elif given.together:
        together = Together(loaded, given.config)
        together.run(given.together)
        together.report()
    else:
        lines = given.queries.read_text(encoding="utf-8").splitlines() if given.queries else []
        measure_start(given.config)
        measure_search(
            loaded, given.config, [json.loads(line)["text"] for line in lines] or list(QUERIES) * 20
        )


if __name__ == "__main__":
    main()
