"""Which files a run looks at, and that what it did not look at stays."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    InvalidInputError,
    NotIndexedError,
    SearchMode,
    SearchQuery,
    StorageError,
    UnreadableFolder,
    WorkspacePath,
)
from kebab_store_sqlite import check_integrity
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.source import MemorySource

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base


def two_sources(base: Base) -> tuple[Path, Path]:
    work, home = base.home / "work", base.home / "private"
    base.set_sources({"id": "work", "root": str(work)}, {"id": "private", "root": str(home)})
    base.write("same.md", "# at work", root=work)
    base.write("same.md", "# at home", root=home)
    return work, home


def test_equal_paths_in_two_sources_are_two_documents(base: Base) -> None:
    work, _ = two_sources(base)

    assert base.ingest().counts == {"scanned": 2, "new": 2}
    assert base.paths() == ["private:same.md", "work:same.md"]
    (work / "same.md").unlink()
    assert base.ingest().counts == {"scanned": 1, "unchanged": 1, "removed": 1}
    assert base.paths() == ["private:same.md"]


def test_equal_content_that_appears_in_another_source_is_no_move(base: Base) -> None:
    work, home = two_sources(base)
    base.ingest()
    (work / "same.md").rename(home / "moved.md")

    assert base.ingest().counts == {"scanned": 2, "unchanged": 1, "new": 1, "removed": 1}


def test_path_of_one_source_leaves_the_other_alone(base: Base) -> None:
    work, home = two_sources(base)
    base.ingest()
    (work / "same.md").unlink()
    (home / "same.md").unlink()

    assert base.ingest(work).counts == {"removed": 1}
    assert base.paths() == ["private:same.md"]


def test_file_narrows_the_run_to_itself(base: Base) -> None:
    base.write("a.md", "one")
    gone = base.write("b.md")
    base.ingest()
    gone.unlink()
    base.write("a.md", "three")
    base.write("c.md")

    assert base.ingest(base.root / "a.md").counts == {"scanned": 1, "updated": 1}
    assert base.paths() == ["a.md", "b.md"]


def test_folder_narrows_the_run_to_what_is_below_it(base: Base) -> None:
    outside = base.write("a.md")
    inside = base.write("sub/b.md")
    base.write("sub/c.md")
    base.write("subway/d.md")
    base.ingest()
    outside.unlink()
    inside.unlink()

    assert base.ingest(base.root / "sub").counts == {"scanned": 1, "unchanged": 1, "removed": 1}
    assert base.paths() == ["a.md", "sub/c.md", "subway/d.md"]


def test_narrowed_run_is_no_complete_scan_and_what_it_indexed_ages_by_itself(base: Base) -> None:
    base.write("sub/a.md")

    base.ingest(base.root / "sub")

    assert base.app.base.index.source_files.list_scans() == []
    assert not base.app.is_stale(base.documents()["sub/a.md"])
    base.clock.advance(timedelta(days=31))
    assert base.app.is_stale(base.documents()["sub/a.md"])


def test_root_itself_is_the_whole_source(base: Base) -> None:
    base.write("a.md").unlink()

    base.ingest(base.root)

    assert len(base.app.base.index.source_files.list_scans()) == 1


def test_relative_path_with_dots_is_understood(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    base.write("sub/a.md")
    base.write("b.md")
    monkeypatch.chdir(base.root / "sub")

    assert base.ingest(Path("../b.md")).counts == {"scanned": 1, "new": 1}
    assert base.ingest(Path("..")).counts == {"scanned": 2, "new": 1, "unchanged": 1}


def test_path_that_leads_in_through_a_link_is_inside(base: Base) -> None:
    base.write("sub/a.md")
    base.write("b.md")
    link = base.home / "shortcut"
    link.symlink_to(base.root / "sub")

    assert base.ingest(link).counts == {"scanned": 1, "new": 1}
    assert base.paths() == ["sub/a.md"]


def test_path_in_a_root_that_is_a_link_may_be_spelled_either_way(base: Base) -> None:
    base.write("a.md")
    link = base.home / "link"
    link.symlink_to(base.root)
    base.configure("workspace", root=str(link))

    assert base.ingest(base.root / "a.md").counts == {"scanned": 1, "new": 1}
    assert base.ingest(link / "a.md").counts == {"scanned": 1, "unchanged": 1}


def test_path_in_a_source_inside_another_belongs_to_both(base: Base) -> None:
    inner = base.root / "inner"
    base.set_sources({"id": "outer", "root": str(base.root)}, {"id": "inner", "root": str(inner)})
    base.write("inner/a.md")
    base.write("b.md")

    assert base.ingest(inner / "a.md").counts == {"scanned": 2, "new": 2}
    assert base.paths() == ["inner:a.md", "outer:inner/a.md"]


def test_path_outside_every_source_is_refused_with_the_command_that_adds_it(base: Base) -> None:
    outside = base.home / "other notes"
    outside.mkdir()

    with pytest.raises(InvalidInputError) as caught:
        base.ingest(outside)

    assert say(caught.value) == f"kebab config add-source {shlex.quote(str(outside))}"
    assert not base.data_dir.exists()


def test_path_outside_without_a_configuration_file_is_refused_with_init(base: Base) -> None:
    from kebab_app import App
    from kebab_config import load_settings

    loaded = load_settings(config_path=None, environ=base.environ)

    with App(loaded, clock=base.clock) as app, pytest.raises(InvalidInputError) as caught:
        app.ingest(base.root)

    assert say(caught.value) == f"kebab init --root {shlex.quote(str(base.root))}"


def test_missing_root_is_an_error_and_removes_nothing(base: Base) -> None:
    base.write("a.md")
    base.ingest()
    base.root.rename(base.home / "away")

    with pytest.raises(StorageError):
        base.ingest()

    assert base.paths() == ["a.md"]


def test_missing_root_of_two_is_reported_and_the_other_goes_on(base: Base) -> None:
    work, home = two_sources(base)
    base.ingest()
    work.rename(base.home / "away")
    base.write("more.md", root=home)

    report = base.ingest().report

    assert (report.counts.new, report.counts.removed, report.counts.errors) == (1, 0, 0)
    assert base.paths() == ["private:more.md", "private:same.md", "work:same.md"]
    assert [str(work) in message for message in report.unreadable_folders] == [True]
    assert [scan.files for scan in base.app.base.index.source_files.list_scans()] == [2, 1]


def test_several_roots_all_missing_are_an_error(base: Base) -> None:
    work, home = two_sources(base)
    base.ingest()
    work.rename(base.home / "away")
    home.rename(base.home / "away too")

    with pytest.raises(StorageError):
        base.ingest()

    assert base.paths() == ["private:same.md", "work:same.md"]


def test_unreadable_folder_keeps_its_documents_and_is_reported(
    base: Base, make_unreadable: Callable[[Path], Path]
) -> None:
    base.write("sub/deep/a.md")
    gone = base.write("b.md")
    base.ingest()
    scanned_at = base.app.base.index.source_files.list_scans()[0].completed_at
    base.clock.advance(base.hour)
    gone.unlink()
    make_unreadable(base.root / "sub")

    run = base.ingest()

    assert run.counts == {"removed": 1}
    assert base.paths() == ["sub/deep/a.md"]
    assert [message.startswith("sub: ") for message in run.report.unreadable_folders] == [True]
    assert base.app.base.index.source_files.list_scans()[0].completed_at == scanned_at


def test_unreadable_folder_is_shown_and_its_documents_are_stale_until_it_is_seen_again(
    base: Base, make_unreadable: Callable[[Path], Path]
) -> None:
    base.write("sub/a.md", "alpha")
    base.write("subway/b.md", "beta")
    base.ingest()
    rules = make_unreadable(base.root / "sub")
    base.ingest()

    assert [failure.workspace_path for failure in base.app.base.index.source_files.list_failures()] == [
        "sub",
        "sub/a.md",
    ]
    doctor = {check.name: check for check in base.app.doctor().checks}
    assert not doctor["files_readable"].ok
    assert doctor["files_readable"].detail.startswith("sub: ")
    found = base.app.search(SearchQuery(text="alpha beta"))
    assert {hit.doc_path: hit.stale for hit in found.hits} == {"sub/a.md": True, "subway/b.md": False}
    assert (found.coverage.documents_failed, found.coverage.documents_stale) == (1, 1)

    base.ingest(base.root / "subway")
    assert len(base.app.base.index.source_files.list_failures()) == 2
    rules.unlink()

    assert base.ingest().counts == {"scanned": 2, "unchanged": 2}
    assert base.app.base.index.source_files.list_failures() == []
    assert not base.app.search(SearchQuery(text="alpha")).hits[0].stale


def test_root_reported_as_an_unreadable_folder_is_a_missing_root(base: Base) -> None:
    class Unlistable(MemorySource):
        def scan(self, scope: object) -> object:
            yield UnreadableFolder(workspace_path=None, message="permission denied")

    base.write("a.md")
    base.ingest()

    with pytest.raises(StorageError):
        base.run_with(connector=Unlistable(str(base.root), {}))

    assert base.paths() == ["a.md"]


def test_scan_that_misses_most_of_a_source_holds_the_removal_until_prune(base: Base) -> None:
    files = [base.write(f"{number:02d}.md", f"note {number}") for number in range(30)]
    base.ingest()
    for file in files[:21]:
        file.unlink()

    held = base.ingest()
    assert held.counts == {"scanned": 9, "unchanged": 9, "removal_held": 21}
    assert len(base.paths()) == 30
    assert base.app.base.index.documents.stats().held_document_count == 21

    assert base.ingest(prune=True).counts == {"scanned": 9, "unchanged": 9, "removed": 21}
    assert len(base.paths()) == 9
    assert base.app.base.index.documents.stats().held_document_count == 0


@pytest.mark.parametrize("is_root_there", [True, False])
def test_documents_whose_files_are_gone_are_searched_after_a_change_of_the_analyser(
    base: Base, is_root_there: bool
) -> None:
    for number in range(30):
        base.write(f"{number:02d}.md", "# 회의\n\n" + f"수달은 강가에 산다. {number}\n\n" * 40)
    base.run_with(analyzer=WordAnalyzer())
    query = SearchQuery(text="수달이 사는 곳", mode=SearchMode.LEXICAL)
    with pytest.raises(NotIndexedError):
        base.app.search(query)
    base.root.rename(base.home / "unplugged")
    if is_root_there:
        base.root.mkdir()
        assert base.ingest().counts == {"removal_held": 30}
    else:
        with pytest.raises(StorageError):
            base.ingest()

    found = base.app.search(query)
    assert found.coverage.documents_indexed == 30
    assert "수달" in found.hits[0].snippet
    assert check_integrity(base.app.base.open_for_reading()) == []
    if is_root_there:
        base.root.rmdir()
    (base.home / "unplugged").rename(base.root)
    assert base.ingest().counts == {"scanned": 30, "updated": 30}


def test_held_documents_stay_without_a_word_when_their_files_return(base: Base) -> None:
    files = [base.write(f"{number:02d}.md", f"note {number}") for number in range(25)]
    base.ingest()
    base.root.rename(base.home / "mounted")
    base.root.mkdir()
    assert base.ingest().counts == {"removal_held": 25}
    base.root.rmdir()
    (base.home / "mounted").rename(base.root)

    assert base.ingest().counts == {"scanned": 25, "unchanged": 25}
    assert base.app.base.index.documents.stats().held_document_count == 0
    assert all(file.exists() for file in files)


@pytest.mark.parametrize(("stored", "gone"), [(20, 20), (42, 21)])
def test_removal_of_few_or_of_no_more_than_half_is_not_held(base: Base, stored: int, gone: int) -> None:
    base.configure("ingest", workers=1)
    files = [base.write(f"{number:02d}.md", f"note {number}") for number in range(stored)]
    base.ingest()
    for file in files[:gone]:
        file.unlink()

    assert base.ingest().counts["removed"] == gone


def test_new_files_do_not_make_a_loss_look_small(base: Base) -> None:
    files = [base.write(f"{number:02d}.md", f"note {number}") for number in range(21)]
    base.ingest()
    for number, file in enumerate(files):
        file.unlink()
        base.write(f"new {number:02d}.md", f"another note {number}")

    assert base.ingest().counts == {"scanned": 21, "new": 21, "removal_held": 21}


def test_moving_everything_is_not_held(base: Base) -> None:
    for number in range(25):
        base.write(f"{number:02d}.md", f"note {number}")
    base.ingest()
    (base.root / "sub").mkdir()
    for file in base.root.glob("*.md"):
        file.rename(base.root / "sub" / file.name)

    assert base.ingest().counts == {"scanned": 25, "moved": 25}


@pytest.mark.parametrize("name", ["kebab-data", "[my] *data*?", "back\\slash"])
def test_data_folder_inside_the_root_is_not_ingested(base: Base, name: str) -> None:
    base.data_dir = base.root / name
    base.write("a.md")
    base.ingest()
    (base.data_dir / "stray.md").write_text("kebab's own", encoding="utf-8")

    assert base.ingest().counts == {"scanned": 2, "unchanged": 1, "skipped": 1}
    assert base.paths() == ["a.md"]


def test_data_folder_inside_a_root_that_is_a_link_is_not_ingested(base: Base) -> None:
    link = base.home / "link"
    link.symlink_to(base.root)
    base.configure("workspace", root=str(link))
    base.data_dir = base.root / "kb"
    base.write("a.md")
    base.ingest()
    (base.data_dir / "stray.md").write_text("kebab's own", encoding="utf-8")

    assert base.ingest().counts["unchanged"] == 1
    assert base.paths() == ["a.md"]


def test_link_to_a_note_is_not_a_second_document(base: Base) -> None:
    base.write("a.md")
    (base.root / "b.md").symlink_to(base.root / "a.md")

    assert base.ingest().counts == {"scanned": 2, "new": 1, "skipped": 1}
    assert WorkspacePath("a.md") in base.paths()


def test_what_a_new_rule_leaves_out_is_not_taken_for_gone(base: Base) -> None:
    for number in range(30):
        base.write(f"drafts/{number}.md", f"# {number}")
    base.write("kept.md", "# kept")
    base.ingest()
    base.write(".kebabignore", "drafts/\n")
    assert base.ingest().counts == {"scanned": 2, "unchanged": 1, "skipped": 1, "removed": 30}


def test_an_ignore_file_of_kebab_is_no_file_that_it_cannot_read(base: Base) -> None:
    base.write("a.md", "# a")
    base.write(".kebabignore", "drafts/\n")
    base.write("sub/.kebabignore", "")
    report = base.ingest().report
    assert (report.counts.scanned, report.counts.skipped, report.skipped_by_extension) == (1, 0, {})
