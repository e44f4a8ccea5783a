"""What the server writes reaches the client whole and in order, however slowly it reads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from kebab_mcp.process_io import Output
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Base, RawServer

    Start = Callable[[Any], RawServer]

MORE_THAN_A_PIPE_HOLDS = 40
"""Lists of tools."""


def write(output: Output, *texts: str) -> None:
    async def work() -> None:
        for text in texts:
            await output.write(text)

    anyio.run(work)


@walk("length", [1, 4096, 4097, 1_000_000])
def test_a_message_of_any_length_is_written_whole(length: int) -> None:
    reading, writing = os.pipe()
    received: list[bytes] = []

    def read() -> None:
        with os.fdopen(reading, "rb") as pipe:
            received.append(pipe.read())

    reader = threading.Thread(target=read)
    reader.start()
    write(Output(writing), "가" * length, "\n")
    os.close(writing)
    reader.join()
    assert received == [("가" * length + "\n").encode()]


def test_a_client_that_reads_no_more_is_told_of() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        write(Output(writing), "a message")
    os.close(writing)


def test_a_client_that_does_not_read_gets_every_answer_when_it_does(base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters())
    server.greet()
    for request in range(1, MORE_THAN_A_PIPE_HOLDS):
        server.send("tools/list", request=request)
    server.send("ping", request=MORE_THAN_A_PIPE_HOLDS)
    answered = {server.read()["id"] for _ in range(MORE_THAN_A_PIPE_HOLDS)}
    assert answered == set(range(1, MORE_THAN_A_PIPE_HOLDS + 1))


def test_a_server_that_nobody_reads_still_ends_on_a_signal(base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters())
    server.greet()
    for request in range(1, MORE_THAN_A_PIPE_HOLDS):
        server.send("tools/list", request=request)
    server.read()  # it is at work on them
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(timeout=60) == 128 + signal.SIGTERM


PRINTS = """
import os, sys
from kebab_mcp.process_io import take_output
output = take_output()
print("by Python", flush=True)
os.system("echo by a process")
os.write(output.descriptor, b"a message")
"""


@walk("errors", [subprocess.PIPE, None])
def test_what_else_is_printed_does_not_reach_the_client(errors: int | None) -> None:
    script = PRINTS if errors else f"import os\nos.close(2)\n{PRINTS}"
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=errors, check=False)
    assert done.stdout == b"a message"
    if errors:
        assert sorted(done.stderr.split(b"\n")) == [b"", b"by Python", b"by a process"]
