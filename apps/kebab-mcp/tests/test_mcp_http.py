"""The server on a port: for the protocol's own client, for several at once, and closed to everyone without the token."""

from __future__ import annotations

import json
import shutil
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_config import read_environment
from kebab_testing.families import examples
from kebab_testing.tables import walk
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.command_server import CODE, MCP, ForkedProcess, find_command_server
from tests.frame_server import OLLAMA, Reply, chat_replies, ollama_frames, serve_frames

if TYPE_CHECKING:
    from conftest import Base

PATIENCE_S = 60
SLOW = "import kebab_runtime.loopback as http; http._REQUEST_S = 0.2; import runpy; runpy.run_module('kebab_mcp', run_name='__main__')"
"""A server that waits less long for a request."""
FEW = "import kebab_mcp.http as http; http.MAX_SESSIONS = 3; import runpy; runpy.run_module('kebab_mcp', run_name='__main__')"
"""A server for three hosts at once."""
GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


@dataclass(frozen=True)
class HttpServer:
    """A running server."""

    process: ForkedProcess
    url: str
    token_path: Path

    @property
    def token(self) -> str:
        return self.token_path.read_text(encoding="ascii").strip()

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port

    def request(self, method: str = "POST", path: str = "/mcp", **headers: str) -> httpx2.Response:
        given = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json, text/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return httpx2.request(
            method,
            f"http://127.0.0.1:{self.port}{path}",
            headers={name: value for name, value in given.items() if value},
            json=GREETING if method == "POST" else None,
            timeout=PATIENCE_S,
        )

    def speak(self, content: bytes) -> bytes:
        """Send bytes and return all that comes back until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as connection:
            connection.sendall(content)
            received = b""
            while block := connection.recv(1 << 16):
                received += block
            return received

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {self.token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http,
            Client(streamable_http_client(self.url, http_client=http)) as client,
        ):
            yield client


Serve = Callable[..., HttpServer]


def _begin(base: Base, *flags: str, program: str = "") -> ForkedProcess:
    """Start the server, or a program that does so in its own way."""
    parameters = base.parameters(*flags)
    environ = {**(parameters.env or {}), "PATH": read_environment()["PATH"]}
    arguments = [*((CODE, program) if program else ()), *parameters.args[3:]]
    return ForkedProcess(
        find_command_server(environ).address,
        arguments,
        environ=environ,
        cwd=base.folder,
        module=MCP,
        text=True,
    )


pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def serve_http() -> Iterator[Serve]:
    with ExitStack() as stack:

        def start(base: Base, *, program: str = "") -> HttpServer:
            process = stack.enter_context(_begin(base, "--http", "0", program=program))
            stack.callback(process.kill)
            line = process.stderr.readline()
            assert line.startswith("serving http://127.0.0.1:"), line
            return HttpServer(process, line.split()[1], base.data / "mcp-token")

        yield start


@pytest.fixture(scope="module")
def server(ingested_once: Base, serve_http: Serve, tmp_path_factory: pytest.TempPathFactory) -> HttpServer:
    folder = tmp_path_factory.mktemp("http") / "kb"
    shutil.copytree(ingested_once.folder, folder)
    return serve_http(type(ingested_once)(folder))


def test_the_client_of_the_protocol_lists_and_calls_tools(server: HttpServer) -> None:
    notices: list[str | None] = []

    async def hear(_progress: float, _total: float | None, message: str | None) -> None:
        notices.append(message)

    async def work() -> tuple[set[str], dict[str, Any]]:
        async with server.client() as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            stored = await client.call_tool(
                "write_note", {"title": "over http", "content": "A kestrel hovers."}, progress_callback=hear
            )
            assert not stored.is_error
            found = await client.call_tool("search", {"query": "kestrel"})
            return tools, json.loads(found.content[0].text)  # type: ignore[union-attr]

    tools, found = anyio.run(work)
    assert {"search", "ask", "fetch", "write_note"} <= tools
    assert "kestrel" in found["hits"][0]["snippet"]
    assert notices


def test_several_hosts_share_one_process(server: HttpServer) -> None:
    counts: list[int] = []

    async def host() -> None:
        async with server.client() as client:
            for _ in range(3):
                found = await client.call_tool("search", {"query": "rollback"})
                counts.append(len(json.loads(found.content[0].text)["hits"]))  # type: ignore[union-attr]

    async def work() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(host)

    anyio.run(work)
    assert len(counts) == 15
    assert all(counts)


def test_the_session_that_was_idle_for_longest_makes_room_for_a_new_host(
    base: Base, serve_http: Serve
) -> None:
    server = serve_http(base, program=FEW)

    def is_open(session: str) -> bool:
        return server.request("DELETE", mcp_session_id=session).is_success

    opened = [server.request() for _ in range(7)]
    assert all(each.is_success for each in opened)
    sessions = [each.headers["mcp-session-id"] for each in opened]
    assert [is_open(each) for each in sessions] == [False] * 4 + [True] * 3


def test_a_call_whose_client_has_gone_is_stopped(base: Base, serve_http: Serve) -> None:
    begun = Reply(ollama_frames()[:1], ending="silent")
    with serve_frames({**chat_replies(OLLAMA), "/api/chat": begun}) as models:
        model = f'[models.llm]\nprovider = "ollama"\nmodel = "qwen3:4b"\nendpoint = "{models.address}"\n'
        base.config.write_text(base.config.read_text("utf-8") + model, "utf-8")
        server = serve_http(base)
        session = server.request().headers["mcp-session-id"]
        call = {"name": "ask", "arguments": {"question": "색인은 언제 다시 만들어지나요?"}}
        body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}).encode()
        lines = [
            "POST /mcp HTTP/1.1",
            f"Host: 127.0.0.1:{server.port}",
            f"Authorization: Bearer {server.token}",
            "Accept: application/json, text/event-stream",
            "Content-Type: application/json",
            f"Mcp-Session-Id: {session}",
            f"Content-Length: {len(body)}",
        ]
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
            models.wait_for(1, "/api/chat")
        assert models.hung_up.wait(PATIENCE_S)


def test_the_token_is_the_users_alone_and_stays_the_same(base: Base, serve_http: Serve) -> None:
    first = serve_http(base)
    token = first.token
    assert len(token) >= 40
    assert first.token_path.stat().st_mode & 0o777 == 0o600
    first.process.send_signal(signal.SIGTERM)
    first.process.wait(PATIENCE_S)
    assert serve_http(base).token == token


@walk(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": "Basic a2ViYWI6a2ViYWI="}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Content_Type": "text/plain"}, 400),
    ],
)
def test_a_request_that_is_not_the_owners_is_refused(
    server: HttpServer, headers: dict[str, str], status: int
) -> None:
    response = server.request(**headers)
    assert response.status_code == status
    assert server.token not in response.text
    assert "kebab" not in response.text


def test_the_owners_request_is_answered(server: HttpServer) -> None:
    assert server.request().status_code == 200
    assert server.request(Origin=f"http://localhost:{server.port}").status_code == 200


@walk(
    "path",
    [
        "/",
        "/mcp/../mcp-token",
        "/mcp-token",
        "/..%2f..%2fetc/passwd",
        "//mcp",
        "/mcp/",
        "/mcp%00",
        "/%2e%2e/mcp",
    ],
)
def test_there_is_nothing_beside_the_path_of_the_protocol(server: HttpServer, path: str) -> None:
    request = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
    )
    answer = server.speak(f"{request}Connection: close\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 404"), answer


def test_a_body_that_is_too_large_is_refused_unread(server: HttpServer) -> None:
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {100 << 20}\r\nConnection: close\r\n\r\n"
    )
    assert server.speak(head.encode()).startswith(b"HTTP/1.1 413")


def test_a_request_that_does_not_arrive_is_not_waited_for(base: Base, serve_http: Serve) -> None:
    server = serve_http(base, program=SLOW)
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.token}\r\n"
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S))
            for _ in range(3)
        ]
        for connection, begun in zip(
            connections, ("", head[:30], f"{head}Content-Length: 9\r\n\r\n{{"), strict=True
        ):
            connection.sendall(begun.encode())
        for connection in connections:
            with suppress(ConnectionResetError):
                while connection.recv(1 << 16):
                    continue
    assert server.request().status_code == 200


def test_the_first_line_is_in_the_language_of_whoever_starts_it(base: Base) -> None:
    with _begin(base, "--http", "0", "--start-line", "주소 {url} 토큰 {path}") as process:
        line = process.stderr.readline()
        process.terminate()
    assert line.startswith("주소 http://127.0.0.1:")
    assert line.endswith("mcp-token\n")


def test_connections_without_the_token_lock_nobody_out(server: HttpServer) -> None:
    parts = (b"", b"POST /mcp HTTP/1.1\r\n", b"GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n")
    with ExitStack() as stack:
        for number in range(300):
            connection = stack.enter_context(
                socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
            )
            with suppress(ConnectionError):
                connection.sendall(parts[number % len(parts)])
        for _ in range(3):
            assert server.request().status_code == 200
    assert server.request().status_code == 200


@pytest.mark.thorough
@settings(
    max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(min_size=1, max_size=400), headed=st.booleans())
def test_garbage_never_reaches_a_tool(server: HttpServer, content: bytes, *, headed: bool) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" if headed else b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as connection:
        connection.sendall(head + content + b"\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while block := connection.recv(1 << 16):
            answer += block
    assert not answer.startswith(b"HTTP/1.1 2")
    assert server.process.poll() is None


def test_a_signal_ends_it_while_clients_are_connected(base: Base, serve_http: Serve) -> None:
    server = serve_http(base)

    async def work() -> int:
        async with server.client() as client:
            await client.list_tools()
            server.process.send_signal(signal.SIGTERM)
            return await anyio.to_thread.run_sync(server.process.wait, PATIENCE_S)

    assert anyio.run(work) == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ('http_host = "0.0.0.0"', "other machines reach 0.0.0.0"),
        ('http_host = "localhost"', "is no IP address"),
        ('http_public_url = "http://notes.example"', "is no https address"),
    ],
)
def test_an_address_that_others_reach_is_refused(base: Base, setting: str, said: str) -> None:
    base.config.write_text(f"{base.config.read_text(encoding='utf-8')}[mcp]\n{setting}\n", encoding="utf-8")
    assert said in _fail(base, "0")


def test_a_port_that_is_taken_is_an_error_with_a_next_step(base: Base, server: HttpServer) -> None:
    said = _fail(base, str(server.port))
    assert f"port {server.port}" in said
    assert "hint: choose another port" in said


def test_a_token_that_others_may_read_is_refused(base: Base) -> None:
    path = base.data / "mcp-token"
    path.write_text("secret\n", encoding="ascii")
    path.chmod(0o644)
    said = _fail(base, "0")
    assert "other users may read the token" in said
    assert "secret" not in said


def _fail(base: Base, port: str) -> str:
    """Start a server that cannot serve, and return what it says."""
    with _begin(base, "--http", port) as process:
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    return str(said)
