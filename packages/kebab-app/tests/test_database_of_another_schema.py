"""A data folder of another version of kebab is one error, and its repair loses nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from kebab_app import ResetScope
from kebab_core import DocFilter, FetchDocument, SchemaTooNewError, SchemaTooOldError, SearchMode, SearchQuery
from kebab_store_sqlite import SCHEMA_VERSION

from tests.remedies import say

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Base


def call_it_another_schema(base: Base, version: int) -> None:
    base.close()
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection, connection:
        connection.execute("UPDATE schema_meta SET value = ? WHERE key = 'schema_version'", (str(version),))


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def contents(base: Base) -> dict[str, str | None]:
    documents = base.app.list_documents(DocFilter())
    return {each.doc_path: base.app.fetch(FetchDocument(doc_id=each.doc_id)).text for each in documents}


@pytest.fixture
def filled(base: Base) -> Base:
    base.write("a.md", "# Index\n\n색인은 밤에 다시 만든다.\n")
    base.ingest()
    base.app.ingest_text("수달을 만난다.\n", title="회의록")
    base.app.ingest_file(base.write("letter.md", "# 편지\n\n서울에 산다.\n", root=base.home / "downloads"))
    base.app.forget(["kebab-notes:회의록.md"])
    base.app.undo_forget()
    return base


@pytest.mark.parametrize(
    ("version", "error", "advice"),
    [
        (11, SchemaTooOldError, "kebab doctor --repair; then kebab ingest"),
        (
            SCHEMA_VERSION + 1,
            SchemaTooNewError,
            "use a newer kebab, or kebab doctor --repair; then kebab ingest",
        ),
    ],
)
def test_the_repair_and_an_ingest_bring_back_documents_notes_and_single_files(
    filled: Base, version: int, error: type[Exception], advice: str
) -> None:
    before, copies = contents(filled), files_below(filled.data_dir / "assets")
    call_it_another_schema(filled, version)
    kept = files_below(filled.data_dir)
    for use in (filled.app.ingest, filled.app.list_answers, filled.app.base.open_for_writing):
        with pytest.raises(error, match="notes and copies of single files; stored answers") as caught:
            use()
        assert say(caught.value) == advice  # type: ignore[arg-type]
        filled.close()
    failed = [check for check in filled.app.doctor().checks if not check.ok]
    assert {say(check) for check in failed} == {advice}
    assert {check.detail for check in failed[1:]} == {"the same as sqlite_open"}
    assert files_below(filled.data_dir).items() >= kept.items()

    report = filled.app.doctor(repair=True)
    folder = filled.data_dir / "replaced" / f"schema-{version}"
    assert report.ok
    assert str(folder) in (report.repaired or ())[0]
    assert files_below(folder / "assets") == copies
    with closing(sqlite3.connect(folder / "kebab.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (len(before),)
    assert files_below(filled.data_dir / "notes") == {
        name.removeprefix("notes/"): content for name, content in kept.items() if name.startswith("notes/")
    }

    filled.ingest()
    assert contents(filled) == before
    for word in ("색인", "수달", "서울"):
        assert filled.app.search(SearchQuery(text=word, mode=SearchMode.LEXICAL)).hits
    assert filled.app.doctor(repair=True).repaired == ()
    assert (folder / "kebab.sqlite").exists()
    filled.app.reset(ResetScope.DATA_ONLY)
    assert not folder.exists()
    assert (filled.data_dir / "notes" / "회의록.md").exists()
