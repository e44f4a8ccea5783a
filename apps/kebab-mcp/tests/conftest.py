"""A small knowledge base, the server as a process, and the client of the protocol's own library to talk to it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import SearchHit, SearchMode, SearchQuery
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.stdio import get_default_environment

from tests.command_server import MCP, ForkedProcess, find_command_server, forwarding_command

_SERVER = ("-P", "-m", "kebab_mcp")

NOTES = {
    "한국어/색인 노트.md": (
        "---\ntags: [검색, 색인]\n---\n# 색인\n\n색인은 파일이 바뀌면 다시 만들어진다. 벡터 인덱스도 마찬가지다.\n\n"
        "## 규칙\n\n청크는 제목에서 나눈다. 표는 자르지 않는다.\n"
    ),
    "english/deployment.md": (
        "# Deployment\n\nWe deploy with a blue green switch every Tuesday.\n\n## Rollback\n\n"
        "Rolling back takes one command and five minutes.\n"
    ),
}


@dataclass(frozen=True)
class Base:
    """A folder with notes, data and a configuration file."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "kebab.toml"

    @property
    def notes(self) -> Path:
        return self.folder / "notes"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def write(self, path: str, text: str) -> Path:
        target = self.notes / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def open(self) -> App:
        return App(load_settings(config_path=self.config, environ={"HOME": str(self.folder)}))

    def ingest(self) -> None:
        with self.open() as app:
            assert not app.ingest().aborted

    def find(self, text: str) -> SearchHit:
        """Return the first hit as the library has it, with the ids that agents are not shown."""
        with self.open() as app:
            return app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL)).hits[0]

    def parameters(self, *flags: str, env: dict[str, str] | None = None) -> StdioServerParameters:
        return StdioServerParameters(
            command=sys.executable,
            args=[*_SERVER, "--config", str(self.config), *flags],
            env={
                "HOME": str(self.folder),
                "PYTHONWARNINGS": "error",
                **{name: value for name, value in read_environment().items() if name == "PYTHONPATH"},
                **(env or {}),
            },
            cwd=self.folder,
        )


@dataclass
class Reply:
    """What a tool returned."""

    is_error: bool
    text: str
    structured: Any
    notices: list[tuple[float, float | None, str | None]] = field(default_factory=list)

    @property
    def value(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found


class Session:
    """A client in a thread of its own, so that tests need not be coroutines."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self.client = client
        self.portal = portal
        self.hear: Callable[[str | None], None] = lambda _message: None
        """Called with each notice of progress, as it comes."""

    def call(self, tool: str, /, **arguments: Any) -> Reply:
        notices: list[tuple[float, float | None, str | None]] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            notices.append((progress, total, message))
            self.hear(message)

        async def work() -> Reply:
            result = await self.client.call_tool(tool, arguments, progress_callback=hear)
            (block,) = result.content
            return Reply(result.is_error, block.text, result.structured_content, notices)  # type: ignore[union-attr]

        return self.portal.call(work)

    def tools(self) -> dict[str, Any]:
        async def work() -> dict[str, Any]:
            return {tool.name: tool for tool in (await self.client.list_tools()).tools}

        return self.portal.call(work)


def can_fork(parameters: StdioServerParameters) -> bool:
    """Tell whether a process forked from one that has imported the server is as good as a new one."""
    return tuple(parameters.args[: len(_SERVER)]) == _SERVER and "PYTHONPATH" not in (parameters.env or {})


def forked(parameters: StdioServerParameters) -> StdioServerParameters:
    """Return parameters by which the same server is forked from a process that has imported it."""
    environ = {**get_default_environment(), **(parameters.env or {})}
    command, *args = forwarding_command(find_command_server(environ), MCP, parameters.args[len(_SERVER) :])
    return parameters.model_copy(update={"command": command, "args": args})


@asynccontextmanager
async def _connected(parameters: StdioServerParameters) -> Any:
    chosen = forked(parameters) if can_fork(parameters) else parameters
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        async with Client(stdio_client(chosen, errlog=nothing)) as client:
            yield client


@contextmanager
def connect(parameters: StdioServerParameters) -> Iterator[Session]:
    """Start a server and talk to it; it ends with the block."""
    with start_blocking_portal() as portal:
        manager: AbstractAsyncContextManager[Client] = _connected(parameters)
        with portal.wrap_async_context_manager(manager) as client:
            yield Session(client, portal)


def make_base(folder: Path, notes: dict[str, str]) -> Base:
    base = Base(folder)
    base.notes.mkdir(parents=True)
    for path, text in notes.items():
        base.write(path, text)
    base.config.write_text(
        '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n',
        encoding="utf-8",
    )
    return base


@pytest.fixture(scope="session")
def ingested_once(tmp_path_factory: pytest.TempPathFactory) -> Base:
    base = make_base(tmp_path_factory.mktemp("mcp") / "kb", NOTES)
    base.ingest()
    return base


@pytest.fixture
def base(tmp_path: Path, ingested_once: Base) -> Base:
    """Two notes, ingested; a copy that the test may spoil."""
    shutil.copytree(ingested_once.folder, tmp_path / "kb")
    return Base(tmp_path / "kb")


@pytest.fixture(scope="session")
def shared(ingested_once: Base) -> Iterator[Session]:
    """A server for tests that only read."""
    with connect(ingested_once.parameters("--readonly")) as session:
        yield session


@pytest.fixture
def session(base: Base) -> Iterator[Session]:
    """A server that may write, over a knowledge base of the test's own."""
    with connect(base.parameters()) as opened:
        yield opened


@pytest.fixture(scope="session")
def serve_base() -> Callable[[StdioServerParameters], Any]:
    """Starts further servers."""
    return connect


class RawServer:
    """The server as a process, spoken to in bytes."""

    def __init__(self, parameters: StdioServerParameters, *, pass_fds: Sequence[int] = ()) -> None:
        environ = {**(parameters.env or {}), "PATH": read_environment()["PATH"]}
        self.process: subprocess.Popen[bytes] | ForkedProcess
        if can_fork(parameters) and not pass_fds:
            server, arguments = find_command_server(environ), parameters.args[len(_SERVER) :]
            self.process = ForkedProcess(
                server.address, arguments, environ=environ, cwd=Path(parameters.cwd or "."), module=MCP
            )
        else:
            self.process = subprocess.Popen(
                [parameters.command, *parameters.args],
                env=environ,
                cwd=parameters.cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=pass_fds,
            )
        self.received: list[bytes] = []

    def send(self, method: str, params: dict[str, Any] | None = None, *, request: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        self.send_line(json.dumps(message | ({"id": request} if request is not None else {})))

    def send_line(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        self.received.append(line)
        value: dict[str, Any] = json.loads(line)
        return value

    def answer(self, request: int) -> dict[str, Any]:
        """Read up to the answer to a request."""
        while (found := self.read()).get("id") != request:
            continue
        return found

    def ask(self, method: str, params: dict[str, Any] | None = None, *, request: int) -> dict[str, Any]:
        self.send(method, params, request=request)
        return self.answer(request)

    def greet(self, version: str = "2025-11-25") -> dict[str, Any]:
        client = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        result: dict[str, Any] = self.ask("initialize", client, request=0)["result"]
        self.send("notifications/initialized")
        return result

    def end_input(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=60)


@pytest.fixture(scope="module")
def greeted(ingested_once: Base) -> Iterator[RawServer]:
    """A server for tests that only read, spoken to in bytes; each test reads all that it is answered."""
    server = RawServer(ingested_once.parameters("--readonly"))
    with server.process:
        try:
            server.greet()
            yield server
            server.end_input()
        finally:
            server.process.kill()


@pytest.fixture
def serve_raw() -> Iterator[Callable[..., RawServer]]:
    """Starts servers; they end with the test."""
    with ExitStack() as stack:

        def start(parameters: StdioServerParameters, *, pass_fds: Sequence[int] = ()) -> RawServer:
            server = RawServer(parameters, pass_fds=pass_fds)
            stack.enter_context(server.process)
            stack.callback(server.process.kill)
            return server

        yield start
