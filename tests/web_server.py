"""The page of a knowledge base served by a process of its own, and clients with the cookie of a browser."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from kebab_app import SystemClock
from kebab_config import load_settings
from kebab_web import Entrance

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

    process: subprocess.Popen[str]

    def make_address(self) -> str:
        """Return an address that lets one browser in, with a code such as the command writes."""
        named = self.folder / self.config if self.config else None
        paths = load_settings(config_path=named, environ=environment(self.folder)).paths
        return f"{self.origin}/enter?code={Entrance(paths.state_dir, SystemClock()).make_code()}"

    def start_again(self, *flags: str) -> str:
        """Run the command a second time and return the address that it prints."""
        done = subprocess.run(
            command(self.folder, self.config, *flags),
            env=environment(self.folder),
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr
        return find_address(done.stdout)

    def connect(self, **headers: str) -> httpx.Client:
        """Enter as a browser does."""
        client = httpx.Client(base_url=self.origin, timeout=_PATIENCE_S, headers=headers)
        assert client.get(self.make_address()).status_code == 200
        return client


def command(folder: Path, config: str | None, *flags: str) -> list[str]:
    named = ["--config", str(folder / config)] if config else []
    return [sys.executable, "-P", "-m", "kebab_web", *named, "--no-open", *flags]


def environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "LANG": "C.UTF-8", "VISUAL": str(folder / "kate")}


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
    process = subprocess.Popen(
        command(folder, config, "--port", "0", *flags),
        env={**environment(folder), **(settings or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = process.stdout.readline() + process.stdout.readline()
        port = int(re.findall(r"127\.0\.0\.1:(\d+)", lines)[0])
        yield Server(folder, config, port, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode in {128 + signal.SIGINT, -signal.SIGKILL}
    assert said == ""


def wait_for_work(client: httpx.Client) -> None:
    """Wait until nothing is read; the server is asked some times a second, since each answer costs it time too."""
    pause = threading.Event()
    while client.get("/x/work").json()["running"]:
        pause.wait(_PAUSE_S)
