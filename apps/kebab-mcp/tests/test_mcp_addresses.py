"""Addresses in requests: what a server says of a path does not depend on what else lies on the machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Base, Session

TOOLS = [("fetch", "address"), ("related", "address"), ("why", "path"), ("forget_note", "address")]
NOTE = "한국어/색인 노트.md"


@pytest.mark.parametrize(("tool", "argument"), TOOLS)
def test_a_file_outside_of_all_sources_is_told_from_no_file_by_nobody(
    tool: str, argument: str, session: Session, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.md"
    paths = [str(secret), f"{secret}#L1", str(tmp_path), f"{Path.cwd()}/../{Path.cwd().name}/secret.md"]
    before = [session.call(tool, **{argument: path}).value for path in paths]
    secret.write_text("password", encoding="utf-8")
    assert [session.call(tool, **{argument: path}).value for path in paths] == before
    assert {value["code"] for value in before} <= {"doc_not_found", "invalid_input"}


def test_the_path_of_an_indexed_file_is_an_address_by_its_spelling(session: Session, base: Base) -> None:
    path = base.notes / NOTE
    assert session.call("fetch", address=f"{path}#L1").value["address"] == f"{NOTE}#L1"
    path.unlink()
    assert session.call("fetch", address=str(path)).value["address"] == NOTE


def test_a_file_of_a_source_that_is_not_indexed_is_an_unknown_address(session: Session, base: Base) -> None:
    path = base.notes / "new.md"
    missing = session.call("fetch", address=str(path)).value
    path.write_text("new", encoding="utf-8")
    assert session.call("fetch", address=str(path)).value == missing
    assert missing["code"] == "doc_not_found"
