"""How the page is started: once for a knowledge base, with a link, following the folders, and on kebab's own guides."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from kebab_app import App
from kebab_config import load_settings
from kebab_core import InvalidInputError
from kebab_testing.tables import walk
from kebab_web.process import parse_link

from tests.web_server import Server, environment, find_address, run, serve

pytestmark = pytest.mark.enable_socket
PATIENCE_S = 60


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "backup.md").write_text("# Backup\n\nCopies are kept for 90 days.\n", "utf-8")
    (tmp_path / "kebab.toml").write_text(
        f'[storage]\ndata_dir = "{tmp_path}/data"\n[models.embedding]\nprovider = "none"\n'
        f'[[workspace.sources]]\nid = "default"\nroot = "{tmp_path}/notes"\n',
        "utf-8",
    )
    return tmp_path


def test_the_start_after_a_kill_serves_anew_and_one_beside_a_server_finds_it(base: Path) -> None:
    with serve(base) as killed:
        killed.process.send_signal(signal.SIGKILL)
        killed.process.wait()
    with serve(base) as server:
        assert httpx.get(killed.start_again()).url.port == server.port
        beside = run(base, "kebab.toml", "--port", "1")
        assert "open already" in beside.stdout
        assert urlsplit(find_address(beside.stdout)).port == server.port


def test_a_link_leads_to_a_page_of_this_server_and_what_is_none_is_refused(server: Server) -> None:
    entered = httpx.get(server.start_again("--open=kebab://open?a=notes%2Fa%20b.md%23L10-L42"))
    assert 'content="0;url=/?d=notes%2Fa+b.md%23L10-L42"' in entered.text
    refused = run(server.folder, "kebab.toml", "--open=-rf")
    assert (refused.code, refused.stdout) == (2, "")
    assert "kebab://open?a=ADDRESS" in refused.stderr


@walk(
    ("link", "target"),
    [
        ("kebab://open?a=notes%2Fa%20b.md%23L10-L42", {"d": "notes/a b.md#L10-L42"}),
        ("kebab://open?a=plan.md#L10", {"d": "plan.md#L10"}),
        ("kebab://open/?a=plan.md", {"d": "plan.md"}),
        ("kebab://search?q=%EB%B0%B1%EC%97%85", {"q": "백업"}),
        ("KEBAB://search?q=c%2B%2B", {"q": "c++"}),
        ("kebab://search?q=%22%3E%3Cscript%3E", {"q": '"><script>'}),
        ("kebab://open?a=https://example.org", {"d": "https://example.org"}),
    ],
)
def test_a_link_names_a_document_or_a_query(*, link: str, target: dict[str, str]) -> None:
    assert parse_link(link) == target


@walk(
    "link",
    [
        "https://example.org",
        "kebab://run?a=ls",
        "kebab://open?q=plan.md",
        "kebab://open?a=",
        "kebab://search?q=%0d%0aSet-Cookie",
        f"kebab://search?q={'a' * 9000}",
        "-rf",
    ],
)
def test_what_is_no_link_is_refused(*, link: str) -> None:
    with pytest.raises(InvalidInputError):
        parse_link(link)


def test_a_server_that_ends_while_an_answer_is_written_says_nothing(base: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # a model server that never answers
        (base / "kebab.toml").write_text(
            (base / "kebab.toml").read_text("utf-8")
            + f'[models.llm]\nprovider = "openai"\nmodel = "m"\nendpoint = "http://127.0.0.1:{silent.getsockname()[1]}/v1"\n',
            "utf-8",
        )
        with App(load_settings(config_path=base / "kebab.toml", environ={"HOME": str(base)})) as app:
            app.ingest()
        with serve(base) as server, closing(server.connect()) as client:
            data = {"q": "How long are copies kept?"}
            job = client.post("/x/ask", data=data, headers={"X-Kebab": "1"}).json()["id"]
            with client.stream("GET", f"/x/ask/{job}") as stream:
                assert next(stream.iter_lines()) == "event: found"
                server.process.send_signal(signal.SIGINT)
                server.process.wait(PATIENCE_S)


def test_a_page_that_follows_the_folders_finds_what_is_saved_while_it_is_open(base: Path) -> None:
    with serve(base, "--watch") as server, closing(server.connect()) as client:
        _wait(client, "backup")
        (base / "notes" / "later.md").write_text("# Later\n\nThe wombat moves in.\n", "utf-8")
        _wait(client, "wombat")
        assert "read as they are saved" in client.get("/library").text


def test_following_is_refused_where_nothing_may_be_written(base: Path) -> None:
    with App(load_settings(config_path=base / "kebab.toml", environ={"HOME": str(base)})) as app:
        app.ingest()
    refused = run(base, "kebab.toml", "--watch", "--readonly", "--port", "0")
    assert (refused.code, refused.stdout) == (2, "")


def test_the_demo_serves_the_guides_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folders = tmp_path / "tmp"
    folders.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "kebab_web", "--no-open", "--demo", "--port", "0"],
        env={**environment(tmp_path), "TMPDIR": str(folders)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    url = find_address(process.stdout.readline())
    with httpx.Client(base_url=url.partition("/enter")[0], timeout=PATIENCE_S) as client:
        client.get(url)
        _wait(client, "configuration")
        assert "Where is my data stored?" in client.get("/").text
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + signal.SIGTERM
    assert [each.name for each in folders.iterdir() if "kebab" in each.name] == []
    assert [each.name for each in tmp_path.iterdir()] == ["tmp"]


def _wait(client: httpx.Client, query: str) -> None:
    """Search until something is found."""
    pause = threading.Event()
    for _ in range(600):
        if 'class="hit ' in client.get("/x/hits", params={"q": query, "stage": "words"}).text:
            return
        pause.wait(0.1)
    raise AssertionError(query)
