"""A small knowledge base, its page served by a process of its own, and a client with the cookie of a browser."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from kebab_app import App
from kebab_config import load_settings
from kebab_testing.pdf_files import Line, PageSpec, write_pdf

HOSTILE = (
    "# Hostile\n\nSearch for the wolpertinger.\n\n<script>document.title = 'owned'</script>\n\n<img src=x onerror=\"alert(1)\">\n\n"
    "[dead](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) ![remote](https://example.org/spy.png)\n\n"
    '<iframe src="https://example.org"></iframe> **bold**\u202e drow\n\n[[<img src=x onerror=alert(1)>]]\n'
)
NOTES = {
    "ops/backup.md": (
        "---\ntitle: Backup procedure\ntags: [ops]\n---\n# Backup procedure\n\nSee [[restore-drill]] and [the network](network.md).\n\n"
        "## Every week\n\n- The whole server is backed up every Sunday at 03:00.\n- Copies are kept for 90 days.\n"
    ),
    "ops/restore-drill.md": "# Restore drill\n\nThe drill takes place on the first Monday of each quarter.\n",
    "ops/network.md": "# Network\n\nThe firewall allows port 443 only.\n",
    "회의/백업.md": "# 백업 회의록\n\n## 결정\n\n- 백업은 매주 일요일 새벽 3시에 받습니다.\n- 담당자는 김지수입니다.\n",
    "tool.py": "def rotate_copies(folder):\n    return sorted(folder)\n",
    "costs.csv": "item,owner\ntapes,Kim\narchive storage,Park\n",
    "hostile.md": HOSTILE,
}
_PATIENCE_S = 60


@dataclass(frozen=True)
class Server:
    """A running server."""

    folder: Path
    port: int
    first_lines: str
    """What it printed at its start."""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start_again(self) -> str:
        """Run the command a second time and return the address that it prints."""
        done = subprocess.run(
            command(self.folder),
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
        assert client.get(self.start_again()).status_code == 200
        return client


def command(folder: Path, *flags: str) -> list[str]:
    return [
        sys.executable,
        "-P",
        "-m",
        "kebab_web",
        "--config",
        str(folder / "kebab.toml"),
        "--no-open",
        *flags,
    ]


def environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "LANG": "C.UTF-8"}


def find_address(printed: str) -> str:
    found = re.search(r"http://\S+", printed)
    assert found, printed
    return found[0]


def make_base(folder: Path, notes: dict[str, str]) -> Path:
    for path, text in notes.items():
        target = folder / "notes" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    (folder / "kebab.toml").write_text(
        f'[storage]\ndata_dir = "{folder}/data"\n\n[[workspace.sources]]\nid = "default"\nroot = "{folder}/notes"\n',
        encoding="utf-8",
    )
    return folder


@contextmanager
def serve(folder: Path, *flags: str) -> Iterator[Server]:
    process = subprocess.Popen(
        command(folder, "--port", "0", *flags),
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = process.stdout.readline() + process.stdout.readline()
        port = int(re.findall(r"127\.0\.0\.1:(\d+)", lines)[0])
        yield Server(folder, port, lines)
    finally:
        process.terminate()
        process.communicate(timeout=_PATIENCE_S)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = make_base(tmp_path_factory.mktemp("web"), NOTES)
    pages = (
        PageSpec([Line(60, 40, "Retention policy")]),
        PageSpec([Line(60, 40, "Mail is retained for seven years.")]),
    )
    (folder / "notes" / "retention.pdf").write_bytes(write_pdf(*pages))
    with App(load_settings(config_path=folder / "kebab.toml", environ={"HOME": str(folder)})) as app:
        assert not app.ingest().aborted
    with serve(folder) as running:
        yield running


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    connected = server.connect()
    yield connected
    connected.close()
