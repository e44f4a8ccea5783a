"""Pages in order and rows that cannot be read: whoever meets them says so, the doctor finds them, its advice heals."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from kebab_app import ResetScope
from kebab_core import DatabaseCorruptError, DocFilter, NotIndexedError, SearchQuery
from kebab_rag import AskRequest

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base

START_OVER = "kebab reset --data-only"
NO_TEXT = "CAST(x'ec83ff41' AS TEXT)"

DAMAGES = {
    "a title that is no text": f"UPDATE documents SET title = {NO_TEXT}",
    "passages that are not compressed": "UPDATE document_parts SET chunks = x'ec83ff41'",
    "passages that are cut off": "UPDATE document_parts SET chunks = substr(chunks, 1, length(chunks) - 30)",
    "a path that is no text": f"UPDATE documents SET workspace_path = {NO_TEXT} || rowid",
    "a path that is none": "UPDATE documents SET workspace_path = '../' || rowid",
    "an id that is none": "UPDATE chunks SET chunk_id = 'chunk ' || rowid",
    "passages that are nowhere": "UPDATE chunks SET part_no = 1000",
    "a time that is none": "UPDATE documents SET indexed_at = 'soon'",
    "documents that are gone": "DELETE FROM documents",
    "a table that is gone": "DELETE FROM sqlite_schema WHERE name = 'documents'",
    "a schema that is garbage": "UPDATE sqlite_schema SET sql = 'garbage' WHERE name = 'chunks'",
    "a schema that is no text": f"UPDATE sqlite_schema SET sql = {NO_TEXT} WHERE name = 'idx_docs_lang'",
}


@pytest.fixture
def indexed(base: Base) -> Base:
    for number in range(5):
        base.write(f"{number}.md", f"# Title {number}\n\n검색 색인 text {number}\n\n## Part\n\n색인 more\n")
    base.ingest()
    base.app.ingest_text("색인 by hand\n", title="Letter")
    base.app.ask(AskRequest(question="What is the text of title 3?"))
    base.close()
    return base


def damage(base: Base, statement: str) -> None:
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement)


def found(base: Base) -> list[str]:
    hits = base.app.search(SearchQuery(text="색인", k=100)).hits
    return sorted(f"{hit.doc_path} {hit.chunk_id}" for hit in hits)


def hints(base: Base) -> list[str]:
    return [str(say(check)) for check in base.app.doctor().checks if not check.ok]


@pytest.mark.thorough
@pytest.mark.parametrize("name", DAMAGES)
def test_rows_that_cannot_be_read_are_told_found_and_healed(name: str, indexed: Base) -> None:
    whole = found(indexed)
    indexed.close()
    damage(indexed, DAMAGES[name])

    with pytest.raises(DatabaseCorruptError) as caught:
        indexed.app.search(SearchQuery(text="색인", k=100))
    assert say(caught.value) == "kebab doctor --repair"

    indexed.close()
    assert hints(indexed)
    assert {hint.split(" (")[0] for hint in hints(indexed)} == {START_OVER}
    assert "stored answers and eval runs are lost" in hints(indexed)[0]
    assert hints(indexed)[0].endswith("; then kebab ingest")
    indexed.app.reset(ResetScope.DATA_ONLY)
    indexed.ingest()
    assert hints(indexed) == []
    assert found(indexed) == whole


@pytest.mark.thorough
@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE answers SET query = {NO_TEXT}",
        "UPDATE answers SET answer_json = replace(answer_json, 'extractive', '\"')",
        "UPDATE document_parts SET blocks = chunks",
        "UPDATE document_parts SET terms = x''",
        "UPDATE ingest_runs SET report_json = '{'",
        "UPDATE chunks SET ordinal = ordinal + 1 WHERE ordinal = (SELECT max(ordinal) FROM chunks)",
    ],
)
def test_rows_that_no_search_reads_are_found_by_the_doctor(indexed: Base, statement: str) -> None:
    damage(indexed, statement)
    assert hints(indexed)
    for use in (
        lambda: indexed.app.list_answers(),
        lambda: [indexed.app.inspect_document(d.doc_id) for d in indexed.app.list_documents(DocFilter())],
    ):
        with suppress(DatabaseCorruptError):
            use()


def test_a_document_that_damage_keeps_out_is_no_bug(indexed: Base) -> None:
    damage(indexed, "UPDATE chunks SET doc_no = doc_no + 1000, chunk_no = chunk_no + 1000")
    with pytest.raises(DatabaseCorruptError) as caught:
        indexed.ingest(force=True)
    assert say(caught.value) == "kebab doctor --repair"


def test_what_is_told_of_a_text_that_is_none_is_not_the_text(indexed: Base) -> None:
    damage(indexed, "UPDATE documents SET title = title || CAST(x'ff' AS TEXT)")
    with pytest.raises(DatabaseCorruptError) as caught:
        indexed.app.search(SearchQuery(text="색인"))
    assert not re.search("Title|Letter", caught.value.message)


def test_a_database_that_is_gone_is_told_by_the_copies_beside_it(indexed: Base) -> None:
    for path in indexed.data_dir.glob("kebab.sqlite*"):
        path.unlink()
    with pytest.raises(NotIndexedError):
        found(indexed)
    (hint,) = hints(indexed)
    assert "backup" in hint
    assert "kebab ingest" in hint
    indexed.ingest()
    assert hints(indexed) == []


def test_a_database_that_is_older_than_the_copies_beside_it_is_told(indexed: Base) -> None:
    older = (indexed.data_dir / "kebab.sqlite").read_bytes()
    indexed.write("late.md", "# late\n\n색인\n")
    indexed.ingest()
    indexed.close()
    for path in indexed.data_dir.glob("kebab.sqlite-*"):
        path.unlink()
    (indexed.data_dir / "kebab.sqlite").write_bytes(older)
    assert hints(indexed) == ["kebab ingest"]
    indexed.ingest()
    assert hints(indexed) == []
