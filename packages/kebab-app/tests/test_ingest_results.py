"""What becomes of each file: new, unchanged, updated, moved, removed."""

from __future__ import annotations

import os
import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING

from kebab_core import AssetStarted, FileStamp, IngestResult

if TYPE_CHECKING:
    from conftest import Base

_DAY = timedelta(days=1)


def test_first_run_takes_in_every_supported_file(base: Base) -> None:
    base.write("a.md", "# 가\n\n안녕하세요.\n")
    base.write("deep/b.txt", "plain")
    base.write("deep/c.bin", b"\0\1")

    run = base.ingest()

    assert run.counts == {"scanned": 3, "new": 2, "skipped": 1}
    assert run.report.counts.chunks_indexed == 2
    assert base.paths() == ["a.md", "deep/b.txt"]
    assert run.report.skipped_by_extension == {"bin": 1}
    item = run.item("a.md")
    assert item.kind is IngestResult.NEW
    assert item.doc_id == base.documents()["a.md"].doc_id
    assert (item.parser_version, item.chunker_version) == ("md-v7", "md-heading-v4")


def test_second_run_over_an_unchanged_tree_reads_and_writes_nothing(base: Base) -> None:
    base.write("a.md")
    base.write("b.md")
    base.ingest()
    revision = base.app.base.index.documents.corpus_revision()
    base.clock.advance(_DAY)

    run = base.ingest()

    assert run.counts == {"scanned": 2, "unchanged": 2}
    assert not any(isinstance(event, AssetStarted) for event in run.events)
    assert base.app.base.index.documents.corpus_revision() == revision
    assert run.report.items == ()
    (scan,) = base.app.base.index.source_files.list_scans()
    assert scan.completed_at == base.clock.now()


def test_touched_file_with_equal_content_is_unchanged_and_read_once_only(base: Base) -> None:
    path = base.write("a.md")
    base.ingest()
    before = base.documents()
    revision = base.app.base.index.documents.corpus_revision()
    base.touch(path)

    read = base.ingest()
    unread = base.ingest()

    assert read.counts == unread.counts == {"scanned": 1, "unchanged": 1}
    assert "asset_started" in read.kinds
    assert "asset_started" not in unread.kinds
    assert base.app.base.index.documents.corpus_revision() == revision
    assert base.documents()["a.md"].indexed_at == before["a.md"].indexed_at


def test_edited_file_replaces_its_document(base: Base) -> None:
    base.write("a.md", "first")
    old = base.ingest().item("a.md").doc_id
    base.write("a.md", "second and longer")

    run = base.ingest()

    assert run.counts == {"scanned": 1, "updated": 1}
    assert base.paths() == ["a.md"]
    assert base.documents()["a.md"].doc_id != old
    assert base.app.base.index.documents.get_document(old) is None
    document = base.app.inspect_document(base.documents()["a.md"].doc_id)
    assert document.doc_version == 2
    assert len(base.asset_files()) == 1


def test_edit_that_the_file_system_tells_nothing_of_is_found_by_verify(base: Base) -> None:
    path = base.write("a.md", "one")
    base.ingest()
    path.write_text("two", encoding="utf-8")
    status = path.stat()
    base.app.base.open_for_writing()
    base.app.base.index.source_files.touch_file(
        base.documents()["a.md"].doc_id,
        stamp=FileStamp(status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns),
        disk_path=str(path),
    )

    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}
    assert base.ingest(verify=True).counts == {"scanned": 1, "updated": 1}


def test_force_processes_every_file_again(base: Base) -> None:
    base.write("a.md")
    base.write("b.md")
    base.ingest()

    assert base.ingest(force=True).counts == {"scanned": 2, "updated": 2}


def test_removed_file_leaves_with_everything_made_from_it(base: Base) -> None:
    gone = base.write("a.md", "# gone")
    base.write("b.md", "# stays")
    base.ingest()
    gone.unlink()

    run = base.ingest()

    assert run.counts == {"scanned": 1, "unchanged": 1, "removed": 1}
    assert run.paths(IngestResult.REMOVED) == ["a.md"]
    assert base.paths() == ["b.md"]
    assert base.app.base.index.documents.stats().chunk_count == 1
    assert len(base.asset_files()) == 1


def test_file_that_is_ignored_later_leaves_and_returns_when_it_is_not(base: Base) -> None:
    base.write("a.md")
    base.write("b.md")
    base.ingest()
    rules = base.write(".kebabignore", "a.md\n")

    ignored = base.ingest()
    rules.unlink()
    unignored = base.ingest()

    assert ignored.counts == {"scanned": 2, "unchanged": 1, "skipped": 1, "removed": 1}
    assert unignored.counts == {"scanned": 2, "unchanged": 1, "new": 1}
    assert base.paths() == ["a.md", "b.md"]


def test_excluded_by_configuration_later_leaves(base: Base) -> None:
    base.write("a.md")
    base.write("drafts/b.md")
    base.ingest()
    base.configure("workspace", exclude=["drafts/**"])

    assert base.ingest().counts["removed"] == 1
    assert base.paths() == ["a.md"]


def test_moved_file_is_moved_and_says_from_where(base: Base) -> None:
    path = base.write("a.md", "# unique")
    base.write("b.md", "# other!")
    base.ingest()
    (base.root / "sub").mkdir()
    path.rename(base.root / "sub" / "renamed.md")

    run = base.ingest()

    assert run.counts == {"scanned": 2, "unchanged": 1, "moved": 1}
    assert run.item("sub/renamed.md").moved_from == "a.md"
    assert base.paths() == ["b.md", "sub/renamed.md"]
    assert base.ingest().counts == {"scanned": 2, "unchanged": 2}


def test_move_of_one_of_two_twins_is_ambiguous_and_no_move(base: Base) -> None:
    first = base.write("a.md", "same")
    second = base.write("b.md", "same")
    base.ingest()
    first.rename(base.root / "c.md")
    second.rename(base.root / "d.md")

    assert base.ingest().counts == {"scanned": 2, "new": 2, "removed": 2}
    assert base.paths() == ["c.md", "d.md"]


def test_one_file_that_turns_up_twice_is_ambiguous_and_no_move(base: Base) -> None:
    base.write("a.md", "same").rename(base.root / "c.md")
    base.ingest()
    (base.root / "c.md").rename(base.root / "d.md")
    base.write("e.md", "same")

    assert base.ingest().counts == {"scanned": 2, "new": 2, "removed": 1}


def test_two_files_of_which_one_turns_up_are_ambiguous_and_no_move(base: Base) -> None:
    base.write("a.md", "same")
    gone = base.write("b.md", "same")
    base.ingest()
    gone.unlink()
    (base.root / "a.md").rename(base.root / "c.md")

    assert base.ingest().counts == {"scanned": 1, "new": 1, "removed": 2}


def test_copy_beside_its_original_is_new_and_not_a_move(base: Base) -> None:
    base.write("a.md", "same")
    base.ingest()
    base.write("b.md", "same")

    assert base.ingest().counts == {"scanned": 2, "unchanged": 1, "new": 1}


def test_file_that_moved_onto_a_known_path_updates_it(base: Base) -> None:
    base.write("a.md", "new text")
    base.write("b.md", "old")
    base.ingest()
    (base.root / "a.md").replace(base.root / "b.md")

    assert base.ingest().counts == {"scanned": 1, "updated": 1, "removed": 1}
    assert base.paths() == ["b.md"]


def test_renamed_by_case_is_moved(base: Base) -> None:
    base.write("Notes.md", "# unique").rename(base.root / "tmp.md")
    (base.root / "tmp.md").rename(base.root / "Notes.md")
    base.ingest()
    (base.root / "Notes.md").rename(base.root / "notes.md")

    run = base.ingest()

    assert run.counts == {"scanned": 1, "moved": 1}
    assert base.paths() == ["notes.md"]


def test_twins_are_two_documents_over_one_asset_and_part_peacefully(base: Base) -> None:
    first = base.write("a.md", "same")
    base.write("b.md", "same")
    base.ingest()
    assert base.app.base.index.documents.stats().doc_count == 2
    assert base.app.base.index.documents.stats().asset_count == 1
    assert base.ingest().counts == {"scanned": 2, "unchanged": 2}
    first.unlink()

    assert base.ingest().counts == {"scanned": 1, "unchanged": 1, "removed": 1}
    document = base.documents()["b.md"]
    assert len(base.asset_files()) == 1
    assert base.app.base.index.documents.read_asset(_asset_of(base, document.doc_id)) == b"same"


def test_twins_above_the_copy_threshold_stay_readable_when_one_goes(base: Base) -> None:
    base.configure("storage", copy_threshold_mb=0)
    first = base.write("a.md", "same")
    base.write("b.md", "same")
    base.ingest()
    first.unlink()
    base.ingest()

    assert base.asset_files() == set()
    document = base.documents()["b.md"]
    assert base.app.base.index.documents.read_asset(_asset_of(base, document.doc_id)) == b"same"


def test_decomposed_name_on_disk_is_one_document_under_its_composed_name(base: Base) -> None:
    name = "한글.md"
    base.write(unicodedata.normalize("NFD", name))

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    assert base.paths() == [name]
    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}


def test_every_scanned_file_is_in_exactly_one_counter(base: Base) -> None:
    base.write("a.md")
    base.write("b.md")
    base.write("c.png", b"\x89PNG")
    base.write("drafts/d.md")
    base.write("binary.md", b"\0" * 100)
    base.write(".gitignore", "drafts/\n")

    report = base.ingest().report
    counts = report.counts

    results = (counts.new, counts.updated, counts.unchanged, counts.skipped, counts.moved, counts.errors)
    assert counts.scanned == sum(results)
    assert sum(report.skipped_by_reason.values()) == counts.skipped
    assert {example.reason for example in report.skip_examples} == set(report.skipped_by_reason)


def test_summary_only_lists_no_files(base: Base) -> None:
    base.write("a.md")

    report = base.ingest(summary_only=True).report

    assert report.items is None
    assert report.counts.new == 1


def test_empty_folder_completes_with_nothing_scanned(base: Base) -> None:
    run = base.ingest()

    assert run.counts == {}
    assert run.kinds == ["scan_started", "scan_completed", "completed"]
    assert not run.report.aborted


def test_moved_root_is_compared_by_content_and_its_places_renewed(base: Base) -> None:
    base.configure("storage", copy_threshold_mb=0)
    base.write("a.md", "text")
    base.ingest()
    base.root.rename(base.home / "elsewhere")
    base.configure("workspace", root=str(base.home / "elsewhere"))

    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}
    document = base.documents()["a.md"]
    assert base.app.base.index.documents.read_asset(_asset_of(base, document.doc_id)) == b"text"


def test_file_time_beyond_the_calendar_is_no_reason_to_fail(base: Base) -> None:
    _set_time(base.write("a.md"), 400_000_000_000 * 10**9)

    assert base.ingest().counts == {"scanned": 1, "new": 1}


def _asset_of(base: Base, doc_id: object) -> object:
    return base.app.base.index.documents.get_asset(doc_id).asset_id


def _set_time(path: object, stamp: int) -> None:
    os.utime(path, ns=(stamp, stamp))
