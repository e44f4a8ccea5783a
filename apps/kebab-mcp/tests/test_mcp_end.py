"""The server ends when it is to end, whatever its threads do."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Base, RawServer

    Start = Callable[..., RawServer]

PATIENCE_S = 60
STUCK = {
    "holding the global lock": "__import__('re').match('(a+)+$', 'a' * 64 + 'b')",
    "in Python": "exec('while True: pass')",
    "in a read without end": "__import__('os').read(__import__('os').pipe()[0], 1)",
}
SCRIPT = """
import os, sys
from kebab_mcp import serve
from kebab_mcp.shared_app import parse_options
from kebab_mcp.tool import load_tool

def hang(call, arguments):
    os.write({begun}, b"!")
    {work}

object.__setattr__(load_tool("schema"), "run", hang)
serve(parse_options(sys.argv[1:]))
"""
"""A server with a tool that never returns."""


@pytest.fixture
def stuck(base: Base, serve_raw: Start) -> Callable[[str], RawServer]:
    """Starts a server and has a call get stuck in it."""

    def start(work: str) -> RawServer:
        begins, begun = os.pipe()
        parameters = base.parameters()
        script = SCRIPT.format(begun=begun, work=STUCK[work])
        server = serve_raw(
            parameters.model_copy(update={"args": ["-P", "-c", script, *parameters.args[3:]]}),
            pass_fds=[begun],
        )
        os.close(begun)
        server.greet()
        server.send("tools/call", {"name": "schema", "arguments": {}}, request=1)
        assert os.read(begins, 1)
        os.close(begins)
        return server

    return start


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("work", "number"),
    [
        *[(work, signal.SIGTERM) for work in STUCK],
        ("holding the global lock", signal.SIGINT),
        ("holding the global lock", signal.SIGHUP),
    ],
)
def test_a_signal_ends_the_server_though_a_call_is_stuck(
    work: str, number: signal.Signals, stuck: Callable[[str], RawServer]
) -> None:
    server = stuck(work)
    server.process.send_signal(number)
    assert server.process.wait(timeout=PATIENCE_S) in {128 + number, -signal.SIGKILL}


@pytest.mark.thorough
@pytest.mark.parametrize("work", sorted(STUCK))
def test_a_client_that_is_gone_ends_the_server_though_a_call_is_stuck(
    work: str, stuck: Callable[[str], RawServer]
) -> None:
    server = stuck(work)
    assert server.process.stdout is not None
    server.process.stdout.close()
    server.end_input()


def test_no_process_is_left_when_the_server_is_killed(base: Base, serve_raw: Start) -> None:
    reading, writing = os.pipe()
    server = serve_raw(base.parameters(), pass_fds=[writing])
    os.close(writing)
    server.greet()
    server.process.kill()
    assert os.read(reading, 1) == b""
    os.close(reading)
