"""A small knowledge base, and its page."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from kebab_app import App
from kebab_config import load_settings
from kebab_testing.pdf_files import Line, PageSpec, write_pdf
from PIL import Image

from tests import chromium
from tests.web_server import Server, serve

HOSTILE = (
    "# Hostile\n\nSearch for the wolpertinger.\n\n<script>document.title = 'owned'</script>\n\n<img src=x onerror=\"alert(1)\">\n\n"
    "[dead](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) ![remote](https://example.org/spy.png)\n\n"
    '<iframe src="https://example.org"></iframe> **bold**\u202e drow\n\n[[<img src=x onerror=alert(1)>]]\n'
)
FOREIGN = (
    "<script>document.title = 'owned'</script><img src=x onerror=\"alert(1)\"><img src='https://example.org/spy.png'>"
    "<a href='javascript:alert(1)'>dead</a><svg onload='alert(1)'><a xlink:href='javascript:alert(1)'>dead</a></svg>"
    "<iframe src='https://example.org'></iframe><style>body { display: none }</style>"
)
NOTES = {
    "ops/backup.md": (
        "---\ntitle: Backup procedure\ntags: [ops]\n---\n# Backup procedure\n\nSee [[restore-drill]] and [the network](network.md).\n\n"
        "## Every week\n\n- The whole server is backed up every Sunday at 03:00.\n- Copies are kept for 90 days.\n"
    ),
    "ops/restore-drill.md": "---\nupdated: 2020-02-03\n---\n# Restore drill\n\nThe drill takes place on the first Monday of each quarter.\n",
    "ops/network.md": "# Network\n\nThe firewall allows port 443 only.\n\n![rack](rack.png) ![spy](https://example.org/spy.png)\n",
    "회의/백업.md": "# 백업 회의록\n\n## 결정\n\n- 백업은 매주 일요일 새벽 3시에 받습니다.\n- 담당자는 김지수입니다.\n",
    "tool.py": "def rotate_copies(folder):\n    return sorted(folder)\n",
    "costs.csv": "item,owner\ntapes,Kim\narchive storage,Park\n",
    "receipt.md": "# Receipt\n\n- soup 9\n- rice 2\n- tea 3\n- cake 4\n- grandtotal 18\n- thanks\n",
    "hostile.md": HOSTILE,
    "hostile.html": f"<html><body><h1>Trap</h1><p>Here lives the jackalope.</p>{FOREIGN}<p>after\u202e the trap</p></body></html>",
    "hostile.eml": (
        "From: a@example.org\nTo: b@example.org\nSubject: =?utf-8?q?Trap_=3Cscript=3Ealert=281=29=3C=2Fscript=3E?=\n"
        "MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n"
        f"<p>Here lives the basilisk.</p>{FOREIGN}\n"
    ),
    "hostile.ipynb": json.dumps({
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {
                "cell_type": "markdown",
                "metadata": {},
                "source": [f"# Trap\n\nHere lives the chimera.\n\n{FOREIGN}"],
            },
            {
                "cell_type": "code",
                "metadata": {},
                "execution_count": 1,
                "source": ["print('<script>alert(1)</script>')"],
                "outputs": [
                    {"output_type": "display_data", "metadata": {}, "data": {"text/html": [FOREIGN]}}
                ],
            },
        ],
    }),
    "hostile.svg": (
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><text>Here lives the griffin.</text>'
        '<image href="https://example.org/spy.png"/></svg>'
    ),
    "prices.html": (
        "<html><body><h1>Prices</h1><ul><li>soup for nine</li><li>the umbrellastand for twelve</li></ul>"
        "<table><tr><th>thing</th><th>owner</th></tr><tr><td>wheelbarrow</td><td>Miller</td></tr></table></body></html>"
    ),
}


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


def draw_picture(path: Path) -> None:
    """Write a PNG of four grey pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0\x60\xa0\0\xa0\x60")
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = make_base(tmp_path_factory.mktemp("web"), NOTES)
    pages = (
        PageSpec([Line(60, 40, "Retention policy")]),
        PageSpec([Line(60, 40, "Mail is retained for seven years.")]),
    )
    (folder / "notes" / "retention.pdf").write_bytes(write_pdf(*pages))
    draw_picture(folder / "notes" / "ops" / "rack.png")
    first, second = (Image.new("RGB", (60, 40), colour) for colour in ("red", "blue"))
    first.save(folder / "notes" / "ops" / "scan.tif", save_all=True, append_images=[second])
    with App(load_settings(config_path=folder / "kebab.toml", environ={"HOME": str(folder)})) as app:
        assert not app.ingest().aborted
    with serve(folder) as running:
        yield running


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    connected = server.connect()
    yield connected
    connected.close()


@pytest.fixture(scope="session")
def browser(server: Server) -> Iterator[chromium.Browser]:
    """One browser for all tests of a worker, which is in."""
    with chromium.start_chromium("--lang=en") as started:
        started.open(server.make_address())
        started.wait("location.pathname === '/'")
        yield started
