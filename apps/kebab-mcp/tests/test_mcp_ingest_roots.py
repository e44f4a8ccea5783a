"""Which files agents can have ingested: those of sources and of folders that the user allows, links resolved."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Base, Reply, Session

SECRET = "# 비밀\n\n고구마는 자주색이다.\n"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of everything that the configuration names."""
    path = tmp_path / "outside" / "secret.md"
    path.parent.mkdir()
    path.write_text(SECRET, encoding="utf-8")
    return path


def assert_refused(reply: Reply, base: Base) -> None:
    assert (reply.is_error, reply.value["code"]) == (True, "invalid_input")
    assert "mcp.ingest_roots" in reply.value["hint"]
    assert reply.value["details"]["setting"] == "mcp.ingest_roots"
    own = [path for path in base.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not [path for path in own if "고구마".encode() in path.read_bytes()]


def test_a_file_outside_of_all_sources_is_refused(secret: Path, session: Session, base: Base) -> None:
    assert_refused(session.call("ingest_file", path=str(secret)), base)
    assert_refused(session.call("ingest_file", path=f"{base.notes}/../../outside/secret.md"), base)


def test_a_link_in_a_source_to_a_file_outside_is_refused(secret: Path, session: Session, base: Base) -> None:
    (base.notes / "sym.md").symlink_to(secret)
    (base.notes / "folder").symlink_to(secret.parent)
    assert_refused(session.call("ingest_file", path=str(base.notes / "sym.md")), base)
    assert_refused(session.call("ingest_file", path=str(base.notes / "folder" / "secret.md")), base)


def test_whether_a_refused_file_exists_is_not_told(secret: Path, session: Session) -> None:
    there = session.call("ingest_file", path=str(secret)).value
    nowhere = session.call("ingest_file", path=str(secret.with_name("nowhere.md"))).value
    assert there["message"].replace("secret", "nowhere") == nowhere["message"]


def test_a_file_in_a_folder_that_the_user_allows_is_ingested(
    secret: Path, base: Base, serve_base: Callable[..., Any]
) -> None:
    with base.config.open("a", encoding="utf-8") as config:
        config.write('[mcp]\ningest_roots = ["../outside"]\n')
    (secret.parent / "escape.md").symlink_to("/etc/hostname")
    with serve_base(base.parameters()) as session:
        assert session.call("ingest_file", path=str(secret)).value["status"] == "created"
        assert session.call("search", query="고구마").value["hits"]
        refused = session.call("ingest_file", path=str(secret.parent / "escape.md"))
    assert refused.value["code"] == "invalid_input"


def test_a_source_that_is_reached_by_a_link_is_a_source(session: Session, base: Base, tmp_path: Path) -> None:
    base.write("새 글.md", "# 새 글\n\n바나나는 노랗다.\n")
    (tmp_path / "link").symlink_to(base.notes)
    assert session.call("ingest_file", path=str(tmp_path / "link" / "새 글.md")).value["status"] == "created"


def test_people_may_ingest_any_file(secret: Path, base: Base) -> None:
    with base.open() as app:
        (item,) = app.ingest_file(secret).items or ()
        assert str(item.doc_path).startswith("files/")


def test_a_pipe_is_refused_at_once(session: Session, base: Base) -> None:
    os.mkfifo(base.notes / "pipe.md")
    assert session.call("ingest_file", path=str(base.notes / "pipe.md")).value["code"] == "invalid_input"
