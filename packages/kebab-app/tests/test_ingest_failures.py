"""One bad file never stops a run, and never takes an earlier version with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_core import (
    CanonicalDocument,
    DatabaseCorruptError,
    DocumentEncryptedError,
    DocumentRecord,
    ExtractContext,
    Extractor,
    FetchDocument,
    IngestEvent,
    IngestResult,
    MediaType,
    PackedDocument,
    ScanItem,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceScope,
)
from kebab_ingest import Recipe
from kebab_store_sqlite import SqliteDocumentStore

if TYPE_CHECKING:
    from conftest import Base

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


class Refusing:
    """An extractor that fails on files whose bytes hold a mark."""

    def __init__(self, inner: Extractor, error: Exception) -> None:
        self.inner = inner
        self.error = error

    def supports(self, media_type: MediaType) -> bool:
        return self.inner.supports(media_type)

    def parser_version(self) -> str:
        return self.inner.parser_version()

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        if b"BAD" in content:
            raise self.error
        return self.inner.extract(context, content)


def refusing(base: Base, error: Exception | None = None) -> Sequence[Recipe]:
    error = error or DocumentEncryptedError("a password is needed")
    return [replace(recipe, extractor=Refusing(recipe.extractor, error)) for recipe in base.recipes()]


def test_file_that_fails_is_an_error_item_and_the_others_are_ingested(base: Base) -> None:
    base.write("a.md", "good")
    base.write("b.md", "BAD")
    base.write("c.md", "good too")

    run = base.run_with(recipes=refusing(base))

    assert run.counts == {"scanned": 3, "new": 2, "errors": 1}
    error = run.item("b.md").error
    assert error is not None
    assert error.code == "document_encrypted"
    assert base.paths() == ["a.md", "c.md"]
    assert [failure.workspace_path for failure in base.app.base.index.source_files.list_failures()] == [
        "b.md"
    ]
    assert run.kinds[-1] == "completed"


def test_bug_met_in_one_file_is_internal_and_names_the_log(base: Base) -> None:
    base.write("a.md", "BAD")
    base.write("b.md", "good")

    run = base.run_with(recipes=refusing(base, ZeroDivisionError("division by zero")))

    error = run.item("a.md").error
    assert error is not None
    assert error.code == "internal"
    assert "error id" in error.message
    assert base.paths() == ["b.md"]


def test_earlier_version_stays_and_is_stale_until_a_good_one_comes(base: Base) -> None:
    base.write("a.md", "first")
    base.ingest()
    base.write("a.md", "BAD second")

    failed = base.run_with(recipes=refusing(base))
    document = base.documents()["a.md"]
    assert failed.counts == {"scanned": 1, "errors": 1}
    assert base.app.is_stale(document)
    fetched = base.app.fetch(FetchDocument(doc_id=document.doc_id))
    assert (fetched.text, fetched.stale) == ("first", True)

    again = base.run_with(recipes=refusing(base))
    assert again.counts == {"scanned": 1, "errors": 1}

    base.write("a.md", "third")
    assert base.ingest().counts == {"scanned": 1, "updated": 1}
    assert not base.app.is_stale(base.documents()["a.md"])
    assert base.app.base.index.source_files.list_failures() == []


def test_file_that_is_good_again_without_a_change_is_unchanged(base: Base) -> None:
    base.write("a.md", "first")
    base.ingest()
    base.write("a.md", "BAD")
    base.run_with(recipes=refusing(base))
    base.write("a.md", "first")

    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}
    assert not base.app.is_stale(base.documents()["a.md"])


def test_file_put_back_as_it_was_indexed_is_looked_at_again_and_no_longer_stale(base: Base) -> None:
    path = base.write("a.md", "first")
    stamp = path.stat().st_mtime_ns
    base.ingest()
    base.write("a.md", "BAD")
    base.run_with(recipes=refusing(base))
    path.write_text("first", encoding="utf-8")
    os.utime(path, ns=(stamp, stamp))

    base.ingest()

    assert not base.app.is_stale(base.documents()["a.md"])
    assert base.app.base.index.source_files.list_failures() == []


def test_failures_of_a_source_that_seems_gone_are_kept_with_its_documents(base: Base) -> None:
    for number in range(21):
        base.write(f"{number}.md", f"note {number}")
    base.write("bad.md", "BAD")
    base.run_with(recipes=refusing(base))
    base.root.rename(base.home / "away")
    base.root.mkdir()

    assert base.ingest().counts == {"removal_held": 21}
    assert [failure.workspace_path for failure in base.app.base.index.source_files.list_failures()] == [
        "bad.md"
    ]


def test_failure_of_a_file_that_is_gone_is_forgotten(base: Base) -> None:
    bad = base.write("a.md", "BAD")
    base.run_with(recipes=refusing(base))
    bad.unlink()

    base.ingest()

    assert base.app.base.index.source_files.list_failures() == []


def test_failure_below_a_narrowed_folder_is_forgotten_and_others_are_not(base: Base) -> None:
    inside = base.write("sub/a.md", "BAD")
    outside = base.write("b.md", "BAD")
    base.write("sub/c.md", "good")
    base.run_with(recipes=refusing(base))
    inside.unlink()
    outside.unlink()

    base.ingest(base.root / "sub")

    assert [failure.workspace_path for failure in base.app.base.index.source_files.list_failures()] == [
        "b.md"
    ]


def test_moved_file_that_cannot_be_processed_leaves_its_old_place(base: Base) -> None:
    path = base.write("a.md", "BAD but once readable")
    base.ingest()
    path.rename(base.root / "b.md")

    run = base.run_with(recipes=refusing(base))

    assert run.counts == {"scanned": 1, "errors": 1, "removed": 1}
    assert base.paths() == []


def test_file_that_vanishes_after_the_scan_is_an_error_item(base: Base) -> None:
    path = base.write("a.md")
    base.write("b.md")

    def delete(event: IngestEvent) -> None:
        if event.kind == "scan_completed":
            path.unlink()

    report = base.app.ingest(sink=delete)

    assert (report.counts.errors, report.counts.new) == (1, 1)
    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}
    assert base.app.base.index.source_files.list_failures() == []


def test_binary_content_under_a_text_name_is_skipped(base: Base) -> None:
    base.write("a.md", PNG)

    run = base.ingest()

    assert run.counts == {"scanned": 1, "skipped": 1}
    assert run.report.skipped_by_reason == {SkipReason.BINARY_CONTENT: 1}
    assert [example.paths for example in run.report.skip_examples] == [("a.md",)]
    finished = [event for event in run.events if event.kind == "asset_finished"]
    assert [event.result for event in finished] == [IngestResult.SKIPPED]


def test_document_whose_file_turned_binary_leaves(base: Base) -> None:
    base.write("a.md", "text")
    base.ingest()
    base.write("a.md", PNG)

    assert base.ingest().counts == {"scanned": 1, "skipped": 1, "removed": 1}
    assert base.paths() == []
    assert base.asset_files() == set()
    assert base.app.base.index.source_files.list_failures() == []


def test_empty_file_does_no_harm(base: Base) -> None:
    base.write("a.md", "")
    base.write("b.txt", "\n\n")

    assert base.ingest().counts == {"scanned": 2, "new": 2}
    assert base.ingest().counts == {"scanned": 2, "unchanged": 2}


@pytest.mark.parametrize(
    ("encoding", "name"), [("cp949", "cp949"), ("utf-16", "utf-16-le"), ("utf-16-be", "utf-16-be")]
)
def test_text_in_another_encoding_is_ingested_with_a_warning(base: Base, encoding: str, name: str) -> None:
    text = "# 한국어 문서\n\n이 문서는 오래된 프로그램으로 쓴 것이다. Plain ASCII words follow here.\n"
    base.write("a.md", text.encode(encoding))

    item = base.ingest().item("a.md")

    assert item.kind is IngestResult.NEW
    assert any(name in warning for warning in item.warnings)
    assert base.app.fetch(FetchDocument(doc_id=base.documents()["a.md"].doc_id)).text == text


def test_damaged_store_stops_the_run_instead_of_failing_file_by_file(base: Base) -> None:
    base.write("a.md", "first")
    base.write("b.md", "second")
    events: list = []

    class DamagedStore(SqliteDocumentStore):
        def replace_document(self, document: DocumentRecord | PackedDocument) -> None:
            raise DatabaseCorruptError("the database is damaged")

    with pytest.raises(DatabaseCorruptError):
        base.run_with(documents=DamagedStore(base.app.base.open_for_writing()), sink=events)

    assert events[-1].kind == "aborted"
    assert base.app.base.index.source_files.list_failures() == []


def test_a_file_that_cannot_be_looked_at_keeps_its_document(base: Base) -> None:
    base.write("a.md", "kept")
    base.write("b.md", "other")
    base.ingest()
    inner = build_ingest_resources(base.app.base).connector

    class Hiding:
        def scan(self, scope: SourceScope) -> Iterator[ScanItem]:
            for item in inner.scan(scope):
                if isinstance(item, SourceEntry) and item.workspace_path == "a.md":
                    yield SkippedPath(workspace_path=item.workspace_path, reason=SkipReason.UNREADABLE)
                else:
                    yield item

        read = inner.read

    outcome = base.run_with(connector=Hiding())

    assert outcome.counts == {"scanned": 2, "skipped": 1, "unchanged": 1}
    assert base.paths() == ["a.md", "b.md"]


def test_lost_copies_are_made_again_by_the_next_run(base: Base) -> None:
    base.write("a.md", "# A\n\ntext")
    base.write("b.md", "# B\n\ntext")
    base.ingest()
    shutil.rmtree(base.data_dir / "assets")
    assert {check.name for check in base.app.doctor().checks if not check.ok} == {"assets_kept"}

    assert base.ingest().counts == {"scanned": 2, "updated": 2}

    assert base.app.fetch(FetchDocument(doc_id=base.documents()["a.md"].doc_id)).text == "# A\n\ntext"
    assert base.app.doctor().ok
