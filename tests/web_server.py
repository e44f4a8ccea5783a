"""The page of a knowledge base served by a process of its own, forked from one that has imported it, and clients with the cookie of a browser."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from kebab_app import SystemClock
from kebab_config import load_settings
from kebab_web import Entrance

from tests.command_server import WEB, ForkedProcess, Outcome, find_command_server

_PATIENCE_S = 60
_PAUSE_S = 0.1


@dataclass(frozen=True)
class Server:
    """A running server."""

    folder: Path
    """Home of its user, with the configuration."""
    config: str | None
    """Name of the configuration file there; None is the default one."""
    port: int

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    process: ForkedProcess

    def make_address(self) -> str:
        """Return an address that lets one browser in, with a code such as the command writes."""
        named = self.folder / self.config if self.config else None
        paths = load_settings(config_path=named, environ=environment(self.folder)).paths
        return f"{self.origin}/enter?code={Entrance(paths.state_dir, SystemClock()).make_code()}"

    def start_again(self, *flags: str) -> str:
        """Run the command a second time and return the address that it prints."""
        done = run(self.folder, self.config, *flags)
        assert done.code == 0, done.stderr
        return find_address(done.stdout)

    def connect(self, **headers: str) -> httpx.Client:
        """Enter as a browser does."""
        client = httpx.Client(base_url=self.origin, timeout=_PATIENCE_S, headers=headers)
        assert client.get(self.make_address()).status_code == 200
        return client


def environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "LANG": "C.UTF-8", "VISUAL": str(folder / "kate")}


def start(
    folder: Path, config: str | None, *flags: str, settings: Mapping[str, str] | None = None
) -> ForkedProcess:
    """Start the command; arguments are those of `serve`."""
    named = ["--config", str(folder / config)] if config else []
    environ = {**environment(folder), **(settings or {})}
    server = find_command_server(environ)
    arguments = [*named, "--no-open", *flags]
    return ForkedProcess(server.address, arguments, environ=environ, cwd=Path.cwd(), module=WEB, text=True)


def run(folder: Path, config: str | None, *flags: str) -> Outcome:
    """Run the command to its end."""
    process = start(folder, config, *flags)
    printed = process.communicate(_PATIENCE_S)
    return Outcome(process.wait(), *printed)


def find_address(printed: str) -> str:
    found = re.search(r"http://\S+", printed)
    assert found, printed
    return found[0]


@contextmanager
def serve(
    folder: Path, *flags: str, config: str | None = "kebab.toml", settings: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Serve a page on a free port until the block ends, unless it has been killed.

    Args:
        folder: Home of its user.
        flags: Of the command.
        config: Name of the configuration file there; None is the default one.
        settings: Further variables of its environment.
    """
    process = start(folder, config, "--port", "0", *flags, settings=settings)
    try:
        lines = process.stdout.readline() + process.stdout.readline()
        port = int(re.findall(r"127\.0\.0\.1:(\d+)", lines)[0])
        yield Server(folder, config, port, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode in {128 + signal.SIGINT, -signal.SIGKILL}
    assert said == "", said


def wait_for_work(client: httpx.Client) -> None:
    """Wait until nothing is read; the server is asked some times a second, since each answer costs it time too."""
    pause = threading.Event()
    while client.get("/x/work").json()["running"]:
        pause.wait(_PAUSE_S)
