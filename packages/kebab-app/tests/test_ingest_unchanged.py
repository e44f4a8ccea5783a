"""What a run leaves alone because it was there before: unchanged files, files left out, kept copies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from kebab_app import IngestOptions
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_core import (
    ScanItem,
    SearchMode,
    SearchQuery,
    SourceConnector,
    SourceEntry,
    SourceFile,
    SourceId,
    SourceScope,
)

if TYPE_CHECKING:
    from conftest import Base, Outcome

DEFAULT = SourceId("default")
BINARY = b"\0" * 64


class Reading:
    """A connector that notes which files are read."""

    def __init__(self, inner: SourceConnector) -> None:
        self.inner = inner
        self.read_paths: list[str] = []

    def scan(self, scope: SourceScope) -> Iterator[ScanItem]:
        return self.inner.scan(scope)

    def read(self, entry: SourceEntry, *, discovered_at: datetime) -> SourceFile:
        self.read_paths.append(str(entry.workspace_path))
        return self.inner.read(entry, discovered_at=discovered_at)


def ingest_reading(base: Base, **asked: bool) -> tuple[Outcome, list[str]]:
    """Run over everything and return also what was read."""
    connector = Reading(build_ingest_resources(base.app.base).connector)
    return base.run_with(connector=connector, **asked), connector.read_paths


def kept_skips(base: Base) -> list[str]:
    return [str(skip.workspace_path) for skip in base.app.base.index.source_files.remembered_skips(DEFAULT)]


def test_unchanged_run_reads_no_file(base: Base) -> None:
    base.write("a.md", "one")
    base.write("sub/b.txt", "two")
    base.ingest()

    run, read = ingest_reading(base)

    assert (run.counts, read) == ({"scanned": 2, "unchanged": 2}, [])


def test_file_left_out_for_its_content_is_looked_into_once(base: Base) -> None:
    base.write("a.md", BINARY)
    base.write("b.md", "text")
    first, read_first = ingest_reading(base)
    second, read_second = ingest_reading(base)

    assert (read_first, read_second) == (["a.md", "b.md"], [])
    assert first.counts == {"scanned": 2, "new": 1, "skipped": 1}
    assert second.counts == {"scanned": 2, "unchanged": 1, "skipped": 1}
    assert second.report.skipped_by_reason == first.report.skipped_by_reason
    assert second.report.skip_examples == first.report.skip_examples
    finished = [event for event in second.events if event.kind == "asset_finished"]
    assert [(str(event.path), event.result.value, event.idx, event.total) for event in finished] == [
        ("b.md", "unchanged", 1, 2),
        ("a.md", "skipped", 2, 2),
    ]


def test_file_left_out_for_its_content_that_becomes_text_is_ingested(base: Base) -> None:
    base.write("a.md", BINARY)
    base.ingest()
    base.write("a.md", "text now")

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    assert kept_skips(base) == []


def test_text_that_becomes_binary_and_text_again_is_ingested_again(base: Base) -> None:
    base.write("a.md", "text")
    base.ingest()
    base.write("a.md", BINARY)
    assert base.ingest().counts == {"scanned": 1, "skipped": 1, "removed": 1}
    assert base.ingest().counts == {"scanned": 1, "skipped": 1}
    base.write("a.md", "text")

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    assert base.paths() == ["a.md"]


@pytest.mark.parametrize("flag", ["verify", "force"])
def test_file_left_out_for_its_content_is_looked_into_again_when_asked(base: Base, flag: str) -> None:
    base.write("a.md", BINARY)
    base.ingest()

    run, read = ingest_reading(base, **{flag: True})

    assert (run.counts, read) == ({"scanned": 1, "skipped": 1}, ["a.md"])


def test_file_left_out_for_its_content_is_looked_into_again_under_other_settings(base: Base) -> None:
    base.write("a.md", BINARY)
    base.ingest()
    base.configure("ingest.code", max_file_lines=7)

    assert ingest_reading(base)[1] == ["a.md"]
    assert ingest_reading(base)[1] == []


def test_file_left_out_for_its_content_is_looked_into_again_by_other_rules(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("a.md", BINARY)
    base.ingest()
    monkeypatch.setattr("kebab_source_fs.SNIFF_VERSION", "sniff@next")

    assert ingest_reading(base)[1] == ["a.md"]


def test_what_was_left_out_is_forgotten_with_its_file(base: Base) -> None:
    gone = base.write("sub/a.md", BINARY)
    base.write("b.md", BINARY)
    base.ingest()
    assert kept_skips(base) == ["b.md", "sub/a.md"]
    gone.unlink()

    base.ingest(base.root / "sub")

    assert kept_skips(base) == ["b.md"]


def test_what_was_left_out_below_a_folder_that_cannot_be_seen_is_kept_in_mind(
    base: Base, make_unreadable: object
) -> None:
    path = base.write("sub/a.md", BINARY)
    base.ingest()
    make_unreadable(path.parent)  # type: ignore[operator]

    base.ingest()

    assert kept_skips(base) == ["sub/a.md"]


def test_run_that_nobody_watches_counts_the_same_and_tells_of_no_unchanged_file(base: Base) -> None:
    base.write("a.md", "one")
    base.write("b.md", BINARY)
    base.write("c.md", "three")
    base.ingest()
    base.write("c.md", "changed")

    run, _ = ingest_reading(base, is_watched=False)

    assert run.counts == {"scanned": 3, "unchanged": 1, "skipped": 1, "updated": 1}
    told = [(event.kind, event.idx, event.total) for event in run.events if "asset" in event.kind]
    assert told == [("asset_started", 3, 3), ("asset_finished", 3, 3)]
    assert sum(run.report.skipped_by_reason.values()) == 1


def test_report_of_a_run_without_a_sink_equals_that_of_a_watched_one(base: Base) -> None:
    base.write("a.md", "one")
    base.ingest()

    watched = base.ingest().report
    alone = base.app.ingest(options=IngestOptions())

    assert alone.counts == watched.counts
    assert alone.items == watched.items == ()


def test_lost_copy_is_noticed_by_the_doctor_and_made_anew_from_an_unchanged_file(base: Base) -> None:
    base.write("a.md", "one")
    base.write("b.md", "two")
    base.ingest()
    before = base.asset_files()
    lost = next((base.data_dir / "assets").glob("*/*"))
    lost.unlink()

    assert any(not check.ok for check in base.app.doctor().checks if check.name == "assets_kept")
    base.ingest()

    assert base.asset_files() == before


def test_stray_copy_is_swept_by_a_run_that_changes_nothing(base: Base) -> None:
    base.write("a.md", "one")
    base.ingest()
    before = base.asset_files()
    stray = base.data_dir / "assets" / "ab" / ("ab" + "0" * 30)
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"left behind")

    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}

    assert base.asset_files() == before


def test_copy_that_a_small_change_makes_useless_goes_without_a_sweep(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_ingest.run.SWEEP_SHARE", 0.2)
    for number in range(6):
        base.write(f"{number}.md", f"note {number}")
    base.ingest()
    count = len(base.asset_files())
    base.write("0.md", "another")

    base.ingest()

    assert len(base.asset_files()) == count


def test_unchanged_file_with_another_inode_is_read_and_found_equal(base: Base) -> None:
    path = base.write("a.md", "one")
    status = path.stat()
    base.ingest()
    twin = base.root / "twin"
    twin.write_text("one", encoding="utf-8")
    os.utime(twin, ns=(status.st_mtime_ns, status.st_mtime_ns))
    twin.replace(path)

    run, read = ingest_reading(base)

    assert (run.counts, read) == ({"scanned": 1, "unchanged": 1}, ["a.md"])


def test_other_content_of_equal_size_time_and_inode_is_an_update(base: Base) -> None:
    path = base.write("a.md", "# one")
    before = path.stat()
    base.ingest()
    with path.open("r+b") as file:
        file.write(b"# two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (
        before.st_size,
        before.st_mtime_ns,
        before.st_ino,
    )

    (stale,) = base.app.search(SearchQuery(text="one", mode=SearchMode.LEXICAL)).hits
    assert stale.stale
    assert base.ingest().counts == {"scanned": 1, "updated": 1}
    assert base.documents()["a.md"].title == "two"


def test_text_under_the_stamp_of_a_file_that_was_left_out_is_ingested(base: Base) -> None:
    path = base.write("a.md", BINARY)
    before = path.stat()
    base.ingest()
    path.write_bytes(b"x" * len(BINARY))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert base.ingest().counts == {"scanned": 1, "new": 1}


@pytest.mark.parametrize("change", ["rights", "hard link"])
def test_what_changes_no_content_is_read_once_and_not_processed(base: Base, change: str) -> None:
    path = base.write("a.md", "one")
    base.ingest()
    if change == "rights":
        path.chmod(0o600)
    else:
        (base.home / "link").hardlink_to(path)

    assert not base.app.search(SearchQuery(text="one", mode=SearchMode.LEXICAL)).hits[0].stale
    first, read_first = ingest_reading(base)
    second, read_second = ingest_reading(base)
    assert first.counts == second.counts == {"scanned": 1, "unchanged": 1}
    assert (read_first, read_second) == (["a.md"], [])
