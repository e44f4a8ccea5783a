"""Servers for agents, ingest and searches on the command line at once, on one knowledge base with vectors.

What an ingest has committed every server must find from its next call on, and nothing may fail meanwhile.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from typing import Any

from tests.integration.changing_notes import Changes, ChangingNotes
from tests.integration.served import PATIENCE_S, Served, ToolFailedError

SERVERS = 4
_MODES = ("lexical", "vector", "hybrid")
_WORDS_ONLY_EVERY = 4
"""One in so many ingests leaves the vectors to a command of their own."""
_MOST_THINKING_S = 0.2
_MOST_THINKING_OF_PEOPLE_S = 2.0
"""Between two calls of an agent, and two commands: most of what there is of the machine is for the ingest."""
_LOST = (EOFError, TimeoutError, OSError, ValueError)


@dataclass
class MixReport:
    """What happened."""

    ingests: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Mix:
    """One knowledge base that is read and written from all sides.

    Args:
        home: An empty folder.
        notes: How many there are to begin with.
        servers: How many there are.
    """

    def __init__(self, home: Path, *, notes: int, servers: int = SERVERS) -> None:
        self.config = home / "kebab.toml"
        self.config.write_text(
            '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nthreads = 1\n',
            encoding="utf-8",
        )
        self.report = MixReport()
        self._notes = ChangingNotes(home / "notes", Random(1))  # noqa: S311 - what happens is no secret
        self._stopped = threading.Event()
        self._ingest(self._notes.add(notes))
        self.servers = [
            Served(self.config, *(["--readonly"] if number % 2 else [])) for number in range(servers)
        ]
        self._errands: list[SimpleQueue[Future[list[str]]]] = [SimpleQueue() for _ in self.servers]
        self._expected = Changes()

    def run(self, goes_on: Callable[[int], bool]) -> MixReport:
        """Have all at work until a number of ingests, or whatever else is asked, is reached."""
        threads = [
            threading.Thread(target=self._converse, args=(number,)) for number, _ in enumerate(self.servers)
        ]
        threads.append(threading.Thread(target=self._search_by_command))
        for thread in threads:
            thread.start()
        try:
            while goes_on(self.report.ingests):
                self._change_and_check()
        finally:
            self._stopped.set()
            for thread in threads:
                thread.join()
        return self.report

    def end(self) -> MixReport:
        """Ask every server whether all is well, and end it."""
        for number, server in enumerate(self.servers):
            try:
                checks = server.call("doctor")["checks"]
                self._blame([f"doctor of {number}: {check}" for check in checks if not check["ok"]])
                if code := server.end():
                    self._blame([f"server {number} ended with {code}"])
            except (*_LOST, ToolFailedError, subprocess.TimeoutExpired) as error:
                self._blame([f"server {number}: {error!r}"])
                server.kill()
        return self.report

    def _change_and_check(self) -> None:
        changes = self._notes.shuffle()
        if self.report.ingests % _WORDS_ONLY_EVERY == 1:
            self._ingest(changes, "--no-embed")
            self._check_servers(changes, has_vectors=False)
            self._command("embed", "--json")
        else:
            self._ingest(changes)
        self._check_servers(changes, has_vectors=True)

    def _ingest(self, changes: Changes, *flags: str) -> None:
        self.report.ingests += 1
        output = self._command("ingest", "--json", "--summary-only", *flags)
        report = json.loads(output.splitlines()[-1]) if output else {}
        counts = {name: report.get(name) for name in changes.counts}
        if counts != changes.counts or report.get("errors"):
            self._blame([f"ingest {self.report.ingests}: {counts} where {changes.counts} was done: {report}"])

    def _check_servers(self, changes: Changes, *, has_vectors: bool) -> None:
        """Have every server look, in its next call, for what was committed."""
        futures: list[Future[list[str]]] = []
        self._expected, self._expects_vectors = changes, has_vectors
        for errands in self._errands:
            futures.append(future := Future[list[str]]())
            errands.put(future)
        for number, future in enumerate(futures):
            self._blame([f"server {number}: {fault}" for fault in future.result(3 * PATIENCE_S)])

    def _converse(self, number: int) -> None:
        """Call one server until the end."""
        server, random = self.servers[number], Random(number)  # noqa: S311
        with suppress(*_LOST):
            server.start()
        while not self._stopped.is_set():
            try:
                future = self._errands[number].get_nowait()
            except Empty:
                self._stopped.wait(random.random() * _MOST_THINKING_S)
                self._blame([f"server {number}: {fault}" for fault in self._call_any(server, random)])
            else:
                future.set_result(self._look_for(server))

    def _call_any(self, server: Served, random: Random) -> list[str]:
        """Call one tool, and return what was wrong with that."""
        mode, question = random.choice(_MODES), self._notes.question()
        tool = random.choices(["search", "bulk_search", "fetch", "ask"], [12, 2, 3, 1])[0]
        self.report.calls[tool if tool != "search" else mode] += 1
        try:
            if tool == "ask":
                server.call("ask", question=question)
            elif tool == "bulk_search":
                server.call("bulk_search", queries=[{"query": question, "mode": mode} for mode in _MODES])
            else:
                hits = server.call("search", query=question, mode=mode)["hits"]
                if tool == "fetch" and hits:
                    server.call("fetch", address=random.choice(hits)["address"])
        except ToolFailedError as error:
            # what was found a moment ago may be gone
            return [] if tool == "fetch" and error.code == "doc_not_found" else [f"{tool} {mode}: {error}"]
        except _LOST as error:
            self._stopped.wait(1)
            return [f"{tool} {mode}: {error!r}"]
        return []

    def _look_for(self, server: Served) -> list[str]:
        """Return which of the changes a server does not know."""
        changes, has_vectors = self._expected, self._expects_vectors
        words = [*(note.word for note in changes.found.values()), *changes.gone]
        queries: list[dict[str, Any]] = [{"query": word, "mode": "lexical"} for word in words]
        for path, note in changes.found.items() if has_vectors else ():
            queries.append({"query": note.text, "mode": "vector", "path_glob": path, "k": 1})
        try:
            results = server.call("bulk_search", queries=queries)["results"]
        except (ToolFailedError, *_LOST) as error:
            return [f"a look at what was committed: {error!r}"]
        paths = [*changes.found] + [None] * len(changes.gone) + [*changes.found] * has_vectors
        return [
            f"{path or 'no more'} is expected: {result} for {query}"
            for query, path, result in zip(queries, paths, results, strict=True)
            if _find_top(result) != path
        ]

    def _search_by_command(self) -> None:
        """Search by the command line until the end."""
        random = Random(len(self.servers))  # noqa: S311
        while not self._stopped.wait(random.random() * _MOST_THINKING_OF_PEOPLE_S):
            self._command("search", "--mode", random.choice(_MODES), "--json", "--", self._notes.question())
            self.report.calls["command"] += 1

    def _command(self, *arguments: str) -> str:
        """Return what a command prints."""
        command = [sys.executable, "-m", "kebab_cli", "--config", str(self.config), *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode not in {0, 1} or (done.returncode and arguments[0] != "search"):
            self._blame([f"{arguments[0]} ended with {done.returncode}: {done.stderr[-1000:]}"])
        return done.stdout

    def _blame(self, faults: list[str]) -> None:
        self.report.faults += faults


def _find_top(result: dict[str, Any]) -> str | None:
    """Return the path of the best hit; None where there is none."""
    hits = result.get("response", {"hits": [{"address": "an error"}]})["hits"]
    return hits[0]["address"].partition("#")[0] if hits else None
