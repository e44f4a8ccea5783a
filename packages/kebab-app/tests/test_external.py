"""Documents that are given one by one: where they go, and that nothing takes them away again."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_app import ResetScope
from kebab_core import (
    IngestEvent,
    IngestReport,
    IngestResult,
    InvalidInputError,
    KebabError,
    LockedError,
    ReadonlyModeError,
    SearchMode,
    SearchQuery,
    SkipReason,
    SourceName,
    SourceSettings,
    StorageError,
    UnsupportedMediaError,
)
from kebab_ingest import FileCopies, SourceTarget, TrashFolder, make_notes_source
from kebab_store_sqlite import hold_writer_lock
from kebab_testing.fakes.clock import START
from kebab_testing.families import examples

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base

LETTER = "# 편지\n\n보낸 사람은 서울에 산다.\n"


def outside(base: Base, name: str = "letter.md", content: str | bytes = LETTER) -> Path:
    return base.write(name, content, root=base.home / "downloads")


def files_folder(base: Base) -> Path:
    return base.data_dir / "notes" / "files"


def external_files(base: Base) -> list[Path]:
    return sorted(path for path in files_folder(base).rglob("*") if path.is_file())


def only_path(report: IngestReport) -> str:
    (item,) = report.items or ()
    return str(item.doc_path)


def disk(base: Base, path: str) -> Path:
    return base.data_dir / "notes" / path


def give_letter(base: Base) -> str:
    return only_path(base.app.ingest_file(outside(base)))


def test_file_from_elsewhere_is_copied_into_the_data_folder_under_its_own_name(base: Base) -> None:
    original = outside(base, "편지 한 통.MD")

    path = only_path(base.app.ingest_file(original))

    assert re.fullmatch(r"files/[0-9a-f]{8}/편지 한 통\.md", path)
    assert base.paths() == [f"kebab-notes:{path}"]
    assert disk(base, path).read_bytes() == original.read_bytes() == LETTER.encode()
    assert not base.root.exists() or list(base.root.iterdir()) == []


def test_a_file_that_is_given_again_updates_its_copy_and_the_earlier_text_is_kept(base: Base) -> None:
    path = give_letter(base)
    report = base.app.ingest_file(outside(base, content=LETTER + "\n추신.\n"))
    (item,) = report.items or ()
    assert (item.kind, item.doc_path, item.warnings) == (IngestResult.UPDATED, path, ())
    (kept,) = (base.data_dir / "trash").rglob("*.md")
    assert kept.read_text(encoding="utf-8") == LETTER


def test_files_of_one_name_from_two_folders_are_two_documents(base: Base) -> None:
    first = give_letter(base)
    second = only_path(
        base.app.ingest_file(base.write("letter.md", "# 다른 편지\n", root=base.home / "other"))
    )
    assert first != second
    assert Path(first).name == Path(second).name == "letter.md"
    assert len(base.paths()) == 2


def test_a_copy_is_forgotten_and_comes_back(base: Base) -> None:
    name = f"kebab-notes:{give_letter(base)}"
    base.app.forget([name])
    assert base.paths() == []
    base.app.undo_forget()
    assert base.paths() == [name]


@pytest.mark.thorough
@settings(
    deadline=None, max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.text(min_size=1, max_size=40).filter(lambda name: not set(name) & {"/", "\0"}))
def test_every_name_of_a_file_makes_a_name_of_a_copy(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("copies")
    try:
        path = Path(f"/elsewhere/{name}.md")
        os.fsencode(path)
    except UnicodeEncodeError:
        return
    source = make_notes_source(first=SourceSettings(id=SourceName("default"), root="/"))
    copies = FileCopies(
        source=SourceTarget(source=source, root=home / "notes"),
        trash=TrashFolder(root=home / "trash"),
        reads_name=lambda _: True,
    )
    kept = copies.keep(path, b"text", by_agent=False, at=START)
    assert copies.keep(path, b"text", by_agent=False, at=START) == kept
    assert copies.find(path, b"other", by_agent=False) == kept
    assert copies.find(Path("/a/b.md"), b"text", by_agent=True) == kept
    assert kept.under is not None
    assert (kept.root / kept.under).read_bytes() == b"text"


def test_copy_can_be_opened_by_its_owner_only(base: Base) -> None:
    copy = disk(base, give_letter(base))
    assert (copy.stat().st_mode & 0o777, copy.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_equal_content_is_the_same_document_and_unchanged(base: Base) -> None:
    path = give_letter(base)

    report = base.app.ingest_file(outside(base, "copy.md"))

    assert (report.counts.unchanged, report.counts.scanned) == (1, 1)
    (item,) = report.items or ()
    assert (item.kind, item.doc_path, item.doc_id) == (
        IngestResult.UNCHANGED,
        path,
        base.documents()[f"kebab-notes:{path}"].doc_id,
    )
    assert len(external_files(base)) == 1


RULES = {
    "no rule": lambda base: None,
    "gitignore": lambda base: base.write(".gitignore", "*\n"),
    "kebabignore": lambda base: base.write(".kebabignore", "files/\n"),
    "rule inside": lambda base: base.write(".gitignore", "*\n", root=base.data_dir / "notes"),
    "exclude": lambda base: base.configure("workspace", exclude=["files/**"]),
    "include": lambda base: base.configure("workspace", include=["papers/**"]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("when", ["before", "after"])
def test_given_documents_survive_every_later_run_and_reset(rule: str, when: str, base: Base) -> None:
    if when == "before":
        RULES[rule](base)
    tea = outside(base, "tea.md", "보리차\n")
    given = sorted([give_letter(base), only_path(base.app.ingest_file(tea))])
    if when == "after":
        RULES[rule](base)
    base.write("note.md", "# note")

    for options in ({}, {"verify": True}, {"force": True}, {"prune": True}):
        assert base.ingest(**options).counts.get("removed", 0) == 0
    base.app.reset(ResetScope.ORPHANS_ONLY)

    assert [path for path in base.paths() if path.startswith("kebab-notes:")] == [
        f"kebab-notes:{path}" for path in given
    ]


def test_whole_run_finds_given_documents_again_after_all_data_is_deleted(base: Base) -> None:
    path = give_letter(base)
    base.app.reset(ResetScope.DATA_ONLY)
    base.ingest()
    assert base.paths() == [f"kebab-notes:{path}"]


def test_given_document_whose_file_is_deleted_leaves_in_the_next_run(base: Base) -> None:
    disk(base, give_letter(base)).unlink()
    assert base.ingest().counts == {"removed": 1}


def test_given_documents_do_not_touch_those_of_any_source(base: Base) -> None:
    work, private = base.home / "work", base.home / "private"
    base.set_sources({"id": "work", "root": str(work)}, {"id": "private", "root": str(private)})
    base.write("a.md", "# a", root=work)
    base.write("b.md", "# b", root=private)
    base.ingest()
    (work / "a.md").unlink()
    (private / "b.md").unlink()

    path = give_letter(base)

    assert base.paths() == [f"kebab-notes:{path}", "private:b.md", "work:a.md"]


def test_file_inside_a_source_is_ingested_in_place_and_alone(base: Base) -> None:
    private = base.home / "private"
    base.set_sources({"id": "work", "root": str(base.root)}, {"id": "private", "root": str(private)})
    inside = base.write("deep/b.md", "# b", root=private)
    base.write("c.md", "# c", root=private)

    assert only_path(base.app.ingest_file(inside)) == "deep/b.md"
    assert base.paths() == ["private:deep/b.md"]
    assert not files_folder(base).exists()


def test_file_that_the_rules_of_its_source_leave_out_is_skipped_and_not_copied(base: Base) -> None:
    base.write(".kebabignore", "secret/\n")
    report = base.app.ingest_file(base.write("secret/a.md", "# a"))
    assert report.skipped_by_reason == {SkipReason.KEBABIGNORE: 1}
    assert (base.paths(), files_folder(base).exists()) == ([], False)


def test_several_files_are_one_run_with_one_report(base: Base) -> None:
    inside, letter = base.write("a.md", "# a"), outside(base)
    events: list[IngestEvent] = []

    report = base.app.ingest_file(inside, letter, letter, outside(base, "b.txt", "b"), sink=events.append)

    assert (report.counts.new, report.counts.scanned, len(report.items or ())) == (3, 3, 3)
    assert [event.kind for event in events if event.kind in {"completed", "aborted"}] == ["completed"]


def refused(base: Base, kind: str) -> Path:
    match kind:
        case "unsupported":
            return outside(base, "movie.mkv", b"\x1aE\xdf\xa3" + bytes(100))
        case "picture named as text":
            return outside(base, "notes.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
        case "missing":
            return base.home / "downloads" / "absent.md"
        case "folder":
            return outside(base).parent
        case "large":
            base.configure("ingest", max_file_mb=1)
            return outside(base, "large.md", "x" * (1024 * 1024 + 1))
    raise AssertionError(kind)


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("unsupported", UnsupportedMediaError),
        ("picture named as text", UnsupportedMediaError),
        ("missing", InvalidInputError),
        ("folder", InvalidInputError),
        ("large", InvalidInputError),
    ],
)
def test_one_file_that_cannot_be_taken_ends_it_with_nothing_done(
    kind: str, error: type[KebabError], base: Base
) -> None:
    bad = refused(base, kind)
    with pytest.raises(error) as caught:
        base.app.ingest_file(outside(base, "good.md"), bad)
    assert say(caught.value)
    assert not files_folder(base).exists()
    assert not base.app.base.has_database


def test_text_is_found_under_its_title_with_its_address(base: Base) -> None:
    uri = "https://example.test/편지?a=1#b: c"

    path = only_path(base.app.ingest_text(LETTER, title='보낸이: "서울" #1', source_uri=uri))

    summary = base.documents()[f"kebab-notes:{path}"]
    assert summary.title == '보낸이: "서울" #1'
    assert base.app.inspect_document(summary.doc_id).metadata.user == {"source_uri": uri}
    hits = base.app.search(SearchQuery(text="서울", mode=SearchMode.LEXICAL)).hits
    assert [hit.doc_path for hit in hits] == [path]


def test_front_matter_of_a_text_stays_beside_title_and_address(base: Base) -> None:
    text = "---\ntitle: Old\ntags: [검색]\nsource_uri: mail:1\nmood: calm\n---\n본문이다.\n"

    path = only_path(base.app.ingest_text(text, title="New", source_uri="mail:2"))

    summary = base.documents()[f"kebab-notes:{path}"]
    assert (summary.title, summary.tags) == ("New", ("검색",))
    assert base.app.inspect_document(summary.doc_id).metadata.user == {
        "source_uri": "mail:2",
        "original_title": "Old",
        "original_source_uri": "mail:1",
        "mood": "calm",
    }


def test_equal_text_under_an_equal_title_is_unchanged_and_under_another_is_another_document(
    base: Base,
) -> None:
    first = base.app.ingest_text(LETTER, title="하나")
    again = base.app.ingest_text(LETTER.encode(), title=" 하나\n")
    other = base.app.ingest_text(LETTER, title="둘")

    assert (again.counts.unchanged, only_path(again)) == (1, only_path(first))
    assert (other.counts.new, len(base.paths())) == (1, 2)


def test_text_in_an_older_encoding_is_kept_in_unicode_with_a_warning(base: Base) -> None:
    report = base.app.ingest_text(("가나다라 마바사 " * 20).encode("cp949"), title="옛글")
    (item,) = report.items or ()
    assert "cp949" in item.warnings[0]
    assert "가나다라" in (base.data_dir / "notes" / item.doc_path).read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b"", " \n\t", "---\ntags: [a]\n---\n\n", b"\xef\xbb\xbf"])
def test_text_without_a_word_is_refused(content: bytes | str, base: Base) -> None:
    with pytest.raises(InvalidInputError):
        base.app.ingest_text(content, title="T")
    assert not files_folder(base).exists()


@pytest.mark.parametrize(
    "values", [{"title": " \n"}, {"title": "x" * 5000}, {"title": "T", "source_uri": ""}]
)
def test_empty_or_endless_title_or_address_is_refused(values: dict[str, str], base: Base) -> None:
    with pytest.raises(InvalidInputError):
        base.app.ingest_text("text", **values)


def test_binary_content_is_no_text(base: Base) -> None:
    with pytest.raises(UnsupportedMediaError):
        base.app.ingest_text(bytes(range(256)) * 20, title="T")


def test_text_above_the_limit_of_size_is_refused(base: Base) -> None:
    base.configure("ingest", max_file_mb=1)
    with pytest.raises(InvalidInputError):
        base.app.ingest_text("x" * (1024 * 1024), title="T")


def test_readonly_refuses_before_anything_is_written(base: Base) -> None:
    letter, base.readonly = outside(base), True
    with pytest.raises(ReadonlyModeError):
        base.app.ingest_file(letter)
    with pytest.raises(ReadonlyModeError):
        base.app.ingest_text("text", title="T")
    assert (list(base.root.iterdir()), base.data_dir.exists()) == ([], False)


def test_another_writer_is_met_before_anything_is_written(base: Base) -> None:
    base.ingest()
    letter = outside(base)
    with hold_writer_lock(base.data_dir):
        with pytest.raises(LockedError):
            base.app.ingest_file(letter)
        with pytest.raises(LockedError):
            base.app.ingest_text("text", title="T")
    assert not files_folder(base).exists()


def test_older_copy_with_the_same_title_is_named_with_how_to_remove_it(base: Base) -> None:
    base.write("_external/older.md", LETTER)
    base.ingest()
    older = base.root / "_external" / "older.md"

    report = base.app.ingest_file(outside(base, content=LETTER + "\n추신.\n"))

    (item,) = report.items or ()
    (warning,) = item.warnings
    assert "to remove it, delete it and ingest" in warning
    assert str(older) in warning
    assert base.app.ingest_file(outside(base, "other.md", "# Another\n")).items[0].warnings == ()


def test_what_was_edited_is_kept_when_its_original_comes_again(base: Base) -> None:
    path = give_letter(base)
    disk(base, path).write_text("# 고친 편지\n", encoding="utf-8")

    assert give_letter(base) == path

    assert disk(base, path).read_text(encoding="utf-8") == LETTER
    (kept,) = (base.data_dir / "trash").rglob("*.md")
    assert kept.read_text(encoding="utf-8") == "# 고친 편지\n"


def test_draft_of_a_killed_process_is_never_a_document_and_goes_with_the_next_one(base: Base) -> None:
    copy = disk(base, give_letter(base))
    draft = copy.with_name(".kebab-letter.md~")
    draft.write_text("half a lett", encoding="utf-8")
    assert base.ingest().counts["unchanged"] == 1
    assert len(base.paths()) == 1
    give_letter(base)
    assert external_files(base) == [copy]


def test_source_folder_that_is_missing_is_not_made(base: Base) -> None:
    letter = outside(base)
    base.root.rmdir()
    assert base.app.ingest_file(letter).counts.new == 1
    assert not base.root.exists()


@pytest.mark.parametrize("kind", ["link", "file"])
def test_something_else_in_the_folders_place_is_left_alone(kind: str, base: Base) -> None:
    elsewhere = base.home / "elsewhere"
    elsewhere.mkdir()
    for place in (files_folder(base), base.root / "_external"):
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            place.symlink_to(elsewhere)
        else:
            place.write_text("a file")
    with pytest.raises(StorageError):
        give_letter(base)
    base.set_sources({"id": "default", "root": str(base.root), "writable": True})
    with pytest.raises(StorageError):
        base.app.ingest_text("text", title="T")
    assert list(elsewhere.iterdir()) == []


def test_data_folder_among_given_documents_is_not_looked_into(base: Base) -> None:
    base.data_dir = base.root / "_external" / "data"
    path = give_letter(base)
    assert base.ingest().report.skipped_by_reason == {SkipReason.CONFIG_EXCLUDE: 1}
    assert base.paths() == [f"kebab-notes:{path}"]


def test_capabilities_tell_of_single_files(base: Base) -> None:
    assert base.app.schema().capabilities["single_file_ingest"] is True
