"""The server as a process: what it writes, which protocols it speaks, and when it ends."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from kebab_mcp.tool import READERS
from kebab_testing.families import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Base, RawServer

    Start = Callable[[Any], RawServer]

PATIENCE_S = 60
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def tool_call(name: str, /, **arguments: object) -> dict[str, Any]:
    return {"name": name, "arguments": arguments, "_meta": {"progressToken": name}}


def text_of(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
    return found


def wait_for_end(pid: int) -> None:
    """Wait for a process that need not be a child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], PATIENCE_S)[0], "the process lives on"
    finally:
        os.close(descriptor)


@contextmanager
def writers_kept_out(base: Base) -> Iterator[None]:
    """Hold the database so that whoever writes waits."""
    with closing(sqlite3.connect(base.data / "kebab.sqlite", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.rollback()


def assert_unlocked(base: Base) -> None:
    lock = base.data / "writer.lock"
    if lock.exists():
        with lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_nothing_but_json_rpc_is_written_to_standard_output(base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters())
    server.greet()
    server.ask("tools/list", request=1)
    server.ask("tools/call", tool_call("search", query="색인"), request=2)
    server.ask("tools/call", tool_call("ask", question="색인은 언제 다시 만들어지나요?"), request=3)
    server.ask("tools/call", tool_call("ingest_stdin", content="글", title="제목"), request=4)
    server.ask("tools/call", tool_call("search", query=""), request=5)
    server.send_line("{no json")
    server.ask("ping", request=6)
    assert server.end_input() == 0
    assert server.process.stdout is not None
    server.received += server.process.stdout.readlines()
    assert all(line.endswith(b"\n") and json.loads(line)["jsonrpc"] == "2.0" for line in server.received)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_protocol_with_a_handshake_is_spoken(version: str, base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters("--readonly"))
    assert server.greet(version)["protocolVersion"] == version
    assert len(server.ask("tools/list", request=1)["result"]["tools"]) == len(READERS)
    answer = server.ask("tools/call", tool_call("search", query="색인"), request=2)
    assert text_of(answer)["hits"]


def test_the_protocol_without_a_handshake_is_spoken(base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters("--readonly"))
    found = server.ask("server/discover", {"_meta": ENVELOPE}, request=1)["result"]
    assert "2026-07-28" in found["supportedVersions"]
    assert len(server.ask("tools/list", {"_meta": ENVELOPE}, request=2)["result"]["tools"]) == len(READERS)
    call = tool_call("search", query="색인") | {"_meta": ENVELOPE}
    assert text_of(server.ask("tools/call", call, request=3))["hits"]


def test_a_protocol_of_the_future_is_answered_with_one_that_is_spoken(base: Base, serve_raw: Start) -> None:
    assert serve_raw(base.parameters()).greet("2099-01-01")["protocolVersion"] == "2025-11-25"


def test_a_cancelled_call_is_not_answered_and_the_server_goes_on(base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters())
    server.greet()
    with writers_kept_out(base):  # which an answer is, when it is stored
        server.send("tools/call", tool_call("ask", question="색인은 언제 다시 만들어지나요?"), request=1)
        while server.read().get("method") != "notifications/progress":
            continue
        server.send("notifications/cancelled", {"requestId": 1})
        answer = server.ask("tools/call", tool_call("search", query="색인"), request=2)
        assert text_of(answer)["hits"]
    server.ask("ping", request=3)
    assert not [line for line in map(json.loads, server.received) if line.get("id") == 1]


def test_a_client_that_is_gone_ends_the_server_in_the_middle_of_work(base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters())
    server.greet()
    assert server.process.stdout is not None
    with writers_kept_out(base):
        server.send("tools/call", tool_call("ingest_stdin", content="글", title="제목"), request=1)
        server.read()
        server.process.stdout.close()
        assert server.end_input() == 0
    assert_unlocked(base)


def line(method: str, params: dict[str, Any] | None = None, **members: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}, **members}) + "\n"


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
PIPED = [
    line("initialize", HELLO, id=0),
    line("notifications/initialized"),
    line("tools/list", id="한"),
    line("tools/call", tool_call("search", query="색인"), id=2),
    line("tools/call", tool_call("ask", question="색인은 언제 다시 만들어지나요?"), id=3),
    line("tools/call", tool_call("bulk_search", queries=[{"query": "색인"}] * 20), id=4),
    line("tools/call", tool_call("ingest_stdin", content="글", title="제목"), id=5),
    line("tools/call", tool_call("grep", pattern="x"), id=6),
    line("no/such/method", id=7),
    "{no json\n",
]


@pytest.mark.parametrize(
    "modern",
    [False, True],
)
def test_whatever_was_asked_before_the_input_ended_is_answered(base: Base, *, modern: bool) -> None:
    parameters = base.parameters()
    enveloped = line("tools/call", tool_call("search", query="색인") | {"_meta": ENVELOPE}, id=1)
    sent = [enveloped] if modern else PIPED
    done = subprocess.run(
        [parameters.command, *parameters.args],
        env=parameters.env,
        input="".join([*sent, '{"jsonrpc": "2.0", "id": 99, "method": "tools/li']).encode(),
        capture_output=True,
        check=True,
        timeout=PATIENCE_S,
    )
    answers = [json.loads(each) for each in done.stdout.splitlines()]
    ids = {answer["id"] for answer in answers if "id" in answer}
    assert ids - {None} == ({1} if modern else {0, "한", 2, 3, 4, 5, 6, 7})
    assert_unlocked(base)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server(number: signal.Signals, base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters())
    server.greet()
    server.ask("tools/call", tool_call("search", query="색인"), request=1)
    server.process.send_signal(number)
    assert server.process.wait(timeout=PATIENCE_S) == 128 + number
    assert_unlocked(base)


STARTER = """
import os, subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=int(os.environ["SERVER_INPUT"]), stdout=subprocess.PIPE)
server.stdout.readline()
print(server.pid, flush=True)
sys.stdin.read()
"""
"""A client that starts a server, waits for its first answer, and then does nothing."""


def test_the_server_ends_with_its_parent_though_the_input_stays_open(base: Base) -> None:
    reading, writing = os.pipe()
    parameters = base.parameters()
    greeting = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
    os.write(writing, json.dumps(greeting).encode() + b"\n")
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, parameters.command, *parameters.args],
        env={**(parameters.env or {}), "SERVER_INPUT": str(reading)},
        pass_fds=[reading],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as client:
        assert client.stdout is not None
        pid = int(client.stdout.readline())
        client.kill()
    wait_for_end(pid)
    os.close(reading)
    os.close(writing)


def test_files_of_the_folder_that_the_server_is_started_in_are_not_imported(
    base: Base, serve_raw: Start
) -> None:
    for name in ("types.py", "mcp.py", "kebab_mcp.py", "anyio.py"):
        (base.folder / name).write_text("raise SystemExit('a stranger')\n", encoding="utf-8")
    assert serve_raw(base.parameters()).greet()["serverInfo"]["name"] == "kebab"


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.thorough
def test_short_sessions_leave_nothing_behind(base: Base, serve_raw: Start) -> None:
    before = files_below(base.folder)
    pids = []
    for _ in sample(range(20)):
        server = serve_raw(base.parameters())
        pids.append(server.process.pid)
        server.greet()
        server.ask("tools/list", request=1)
        assert text_of(server.ask("tools/call", tool_call("search", query="색인"), request=2))["hits"]
        assert server.end_input() == 0
    for pid in pids:
        wait_for_end(pid)
    assert files_below(base.folder) - before <= {"data/kebab.sqlite-wal", "data/kebab.sqlite-shm"}
    assert_unlocked(base)
