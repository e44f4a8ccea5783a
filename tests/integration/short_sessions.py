"""Short sessions with a server for agents that end in every way there is, and what they leave behind: nothing."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from kebab_config import load_settings, read_environment

from tests.integration.served import PATIENCE_S, Lines, Served, server_command

ROOT = Path(__file__).parents[2]
QUERY = "색인은 언제 다시 만들어지나요?"
_BY_MEANING_EVERY = 5
_BESIDE_THE_DATABASE = {"kebab.sqlite-wal", "kebab.sqlite-shm"}
"""What SQLite keeps while anybody reads, and takes up again after a process that was killed."""


def run_sessions(
    config: Path, count: int, *, at_once: int = 1, tell: Callable[[int], object] = lambda _: None
) -> list[str]:
    """Hold so many sessions, and return what was not as promised, in them and after them.

    Args:
        config: Of the knowledge base, which has been ingested.
        count: How many.
        at_once: How many at the same time.
        tell: Is told how many are over.
    """
    data = load_settings(config_path=config, environ=read_environment()).paths.data_dir
    before = _files_below(data)
    with tempfile.TemporaryDirectory() as scratch:
        sessions = _Sessions(config, {**read_environment(), "TMPDIR": scratch})
        with ThreadPoolExecutor(at_once) as pool:
            faults = []
            for number, found in enumerate(pool.map(sessions.hold, range(count)), start=1):
                faults += found
                tell(number)
        faults += [f"a process is left: {line}" for line in _find_servers(config)]
        faults += [f"a temporary file is left: {name}" for name in _files_below(Path(scratch))]
    faults += [f"a file is left: {name}" for name in _files_below(data) - before - _BESIDE_THE_DATABASE]
    return faults + _find_locks(data)


class _Sessions:
    """Sessions, each ended in another way than the one before."""

    def __init__(self, config: Path, env: dict[str, str]) -> None:
        self._config = config
        self._env = env
        self._endings: tuple[Callable[[bool], str], ...] = (
            self._close_input,
            self._send_signal,
            self._kill_client,
        )

    def hold(self, number: int) -> list[str]:
        """Hold one session, and return what was wrong."""
        ending = self._endings[number % len(self._endings)]
        try:
            fault = ending(number % _BY_MEANING_EVERY == 0)
        except (OSError, EOFError, ValueError, subprocess.TimeoutExpired) as error:
            fault = repr(error)
        return [f"session {number}: {fault}"] if fault else []

    def _close_input(self, by_meaning: bool) -> str:
        server = self._open(by_meaning)
        code = server.end()
        return f"ended with {code}" if code else ""

    def _send_signal(self, by_meaning: bool) -> str:
        server = self._open(by_meaning)
        server.post("tools/call", {"name": "search", "arguments": {"query": QUERY}})
        code = server.terminate()
        return f"ended with {code}" if code != 128 + signal.SIGTERM else ""

    def _open(self, by_meaning: bool) -> Served:
        server = Served(self._config, env=self._env, forks=False)
        converse(server, by_meaning=by_meaning)
        return server

    def _kill_client(self, by_meaning: bool) -> str:
        command = [sys.executable, "-m", __name__, str(self._config), *(["by meaning"] if by_meaning else [])]
        with subprocess.Popen(
            command, cwd=ROOT, env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        ) as client:
            server = int(Lines(client.stdout).read())
            client.kill()
        return "" if has_ended(server, within_s=PATIENCE_S) else "outlives its client"


def converse(server: Served, *, by_meaning: bool) -> None:
    """Greet a server, list its tools and search once."""
    server.start()
    found = server.call("search", query=QUERY, **({} if by_meaning else {"mode": "lexical"}))
    if "hits" not in found:
        raise ValueError(f"no result: {found}")


def has_ended(pid: int, *, within_s: float) -> bool:
    """Return whether a process, which need not be a child, ends."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], within_s)[0])
    finally:
        os.close(descriptor)


def _files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def _find_servers(config: Path) -> list[str]:
    """Return the command lines of servers that run on; the watchdog of one that was killed ends a moment after it."""
    wanted = " ".join(server_command(config)[1:])
    lines = {}
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines[int(process.parent.name)] = (
                process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
        except OSError:
            continue
    return [line for pid, line in lines.items() if wanted in line and not has_ended(pid, within_s=PATIENCE_S)]


def _find_locks(data: Path) -> list[str]:
    """Return which locks are held."""
    held = []
    with closing(sqlite3.connect(data / "kebab.sqlite", timeout=0, isolation_level=None)) as database:
        try:
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            held.append(f"the database: {error}")
    if (lock := data / "writer.lock").exists():
        with lock.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append("the lock of writers is held")
    return held


def _hold_until_killed(config: Path, *, by_meaning: bool) -> None:
    """Be a client that is killed in the middle of a call."""
    server = Served(config, forks=False)
    converse(server, by_meaning=by_meaning)
    server.post("tools/call", {"name": "search", "arguments": {"query": QUERY}})
    print(server.process.pid, flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    _hold_until_killed(Path(sys.argv[1]), by_meaning=len(sys.argv) > 2)
