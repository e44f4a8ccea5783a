"""One server over a base in SQLite or a lake: concurrent readers of `kebab mcp --http` or `kebab web`, alone and beside an ingest.

python -m bench.server KEBAB_TOML [--web] [--text FILE] [--readers 1,4,16] [--searches N] [--writer KEBAB_TOML]

CPU milliseconds of the server for a search say what a core carries; times by the clock hold for this machine and its load.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from itertools import chain
from pathlib import Path
from random import Random

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / _TICKS


async def read_page(url: str, cookie: str, queries: list[str]) -> list[float]:
    """Search one query after the other in the page; the milliseconds of each."""
    spent = []
    async with httpx2.AsyncClient(timeout=300, headers={"Cookie": cookie}) as http:
        for query in queries:
            started = time.monotonic()
            (await http.get(url, params={"q": query})).raise_for_status()
            spent.append((time.monotonic() - started) * 1000)
    return spent


def enter(entry: str) -> tuple[str, str]:
    """Return the address of the page, and the cookie of whoever has come in."""
    cookies = httpx2.get(entry).cookies
    return f"{entry.partition('/enter')[0]}/", "; ".join(f"{name}={cookies[name]}" for name in cookies)


async def read(url: str, token: str, queries: list[str]) -> list[float]:
    """Search one query after the other; the milliseconds of each."""
    spent = []
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=300) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        for query in queries:
            started = time.monotonic()
            await client.call_tool("search", {"query": query})
            spent.append((time.monotonic() - started) * 1000)
    return spent


Reader = Callable[[str, str, list[str]], Awaitable[list[float]]]


async def measure(
    reader: Reader, url: str, token: str, *, pid: int, readers: int, searches: int, words: list[str]
) -> str:
    chance = Random(readers)  # noqa: S311 - the same queries each time
    queries = [[" ".join(chance.choices(words, k=3)) for _ in range(searches)] for _ in range(readers)]
    before, started = cpu_ms(pid), time.monotonic()
    found = await asyncio.gather(*(reader(url, token, each) for each in queries))
    spent = sorted(chain.from_iterable(found))
    seconds = time.monotonic() - started
    return (
        f"{readers} readers: p50 {spent[len(spent) // 2]:.0f} ms, p95 {spent[len(spent) * 95 // 100]:.0f} ms, "
        f"{len(spent) / seconds:.1f} searches a second, {(cpu_ms(pid) - before) / len(spent):.1f} CPU ms each"
    )


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--readers", default="1,4,16")
    parser.add_argument("--searches", type=int, default=40)
    parser.add_argument("--writer", type=Path, help="of a base that publishes what the other one reads")
    parser.add_argument("--web", action="store_true", help="ask the page in place of MCP")
    parser.add_argument(
        "--text", type=Path, help="with the words of queries; a note beside KEBAB_TOML by default"
    )
    options = parser.parse_args()
    kebab = [sys.executable, "-P", "-m", "kebab_cli"]
    flags = ["--config", str(options.config)]
    text = (options.text or next(options.config.parent.glob("notes/*.md"))).read_text("utf-8")
    words = sorted(set(re.findall(r"\w{2,}", text)))
    face = ["web", "--no-open", "--port", "0"] if options.web else ["mcp", "--http", "0"]
    server = subprocess.Popen(
        [*kebab, *face, *flags], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert server.stdout is not None  # noqa: S101 - a pipe was asked for
    line = server.stdout.readline()
    url = re.findall(r"http://\S+", line)[0]
    if options.web:
        reader, (url, token) = read_page, enter(url)
    else:
        reader, token = read, Path(re.findall(r"/\S+(?=;)", line)[-1]).read_text("utf-8").strip()

    def run(readers: int) -> str:
        return asyncio.run(
            measure(
                reader, url, token, pid=server.pid, readers=readers, searches=options.searches, words=words
            )
        )

    try:
        print(f"warm-up, {run(1)}")
        for readers in map(int, options.readers.split(",")):
            print(run(readers), flush=True)
        ingest = [*kebab, "ingest", "--force", "--quiet", "--config", str(options.writer or options.config)]
        with subprocess.Popen(ingest) as writer:
            print(f"beside an ingest of everything, {run(4)}")
            print(f"the ingest was {'over' if writer.poll() is not None else 'still running'} then")
            writer.terminate()
        status = Path(f"/proc/{server.pid}/status").read_text("ascii")
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        print(f"memory of the server, at most {int(peak.split()[1]) // 1024} MB")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
