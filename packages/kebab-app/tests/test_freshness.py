"""Files that have changed since they were indexed are called stale wherever their documents are shown."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    DocFilter,
    DocumentId,
    FetchChunk,
    FetchDocument,
    FetchSpan,
    SearchQuery,
)

if TYPE_CHECKING:
    from typing import Literal

    from conftest import Base

    Form = Literal["NFC", "NFD"]

TEXT = "# Rollback\n\nthe rollback procedure\n"


def views(base: Base) -> set[bool]:
    """Whether the document is stale, as every way to see it says."""
    (summary,) = base.app.list_documents(DocFilter())
    response = base.app.search(SearchQuery(text="rollback"))
    (hit,) = response.hits
    doc_id = DocumentId(summary.doc_id)
    queries = (
        FetchDocument(doc_id=doc_id),
        FetchSpan(doc_id=doc_id, line_start=1, line_end=1),
        FetchChunk(chunk_id=hit.chunk_id),
    )
    fetched = [base.app.fetch(query) for query in queries]
    chunk = fetched[-1].chunk
    assert chunk is not None
    return {
        base.app.is_stale(summary),
        hit.stale,
        response.coverage.documents_stale == 1,
        chunk.document.changed_on_disk,
        *(result.stale for result in fetched),
        *(result.document.changed_on_disk for result in fetched),
    }


def edit(base: Base) -> None:
    base.write("a.md", TEXT + "and more")


def edit_to_equal_length(base: Base) -> None:
    base.write("a.md", TEXT.replace("the", "one"))


def delete(base: Base) -> None:
    (base.root / "a.md").unlink()


def replace_by_a_folder(base: Base) -> None:
    delete(base)
    base.write("a.md/inside.md")


def replace_its_folder_by_a_file(base: Base) -> None:
    folder = base.root / "sub"
    (folder / "a.md").unlink()
    folder.rmdir()
    folder.write_text("")


def nothing(base: Base) -> None:
    pass


def touch(base: Base) -> None:
    base.touch(base.root / "a.md")


def save_anew(base: Base) -> None:
    base.touch(base.write("draft", TEXT)).replace(base.root / "a.md")


def take_the_drive_away(base: Base) -> None:
    base.root.rename(base.home / "elsewhere")


@pytest.mark.parametrize("act", [edit, edit_to_equal_length, delete, replace_by_a_folder])
def test_changed_file_is_stale_until_the_next_run(base: Base, act: Callable[[Base], None]) -> None:
    base.write("a.md", TEXT)
    base.ingest()
    assert views(base) == {False}

    act(base)

    assert views(base) == {True}
    before = base.app.base.index.documents.coverage(now=base.clock.now(), stale_threshold_days=30)
    assert before.documents_stale == 0
    base.write("a.md", TEXT) if not (base.root / "a.md").is_dir() else None
    base.ingest()
    assert not any(base.app.is_stale(summary) for summary in base.app.list_documents(DocFilter()))


def test_documents_whose_files_went_at_once_are_all_counted_as_stale(base: Base) -> None:
    for number in range(30):
        base.write(f"{number}.md", f"{TEXT}step {number}\n")
    base.ingest()
    for path in base.root.iterdir():
        path.unlink()
    base.write("new.md", TEXT)
    base.ingest()
    base.write("new.md", TEXT + "and more")

    response = base.app.search(SearchQuery(text="rollback", k=10))

    assert sum(hit.stale for hit in response.hits) >= 9
    assert response.coverage.documents_stale in {30, 31}
    assert base.app.search(SearchQuery(text="rollback", k=50)).coverage.documents_stale == 31


def test_file_below_what_is_no_folder_any_more_is_stale(base: Base) -> None:
    base.write("sub/a.md", TEXT)
    base.ingest()

    replace_its_folder_by_a_file(base)

    assert views(base) == {True}


@pytest.mark.parametrize("act", [nothing, touch, save_anew, take_the_drive_away])
def test_file_of_equal_content_or_out_of_reach_is_not_called_changed(
    base: Base, act: Callable[[Base], None]
) -> None:
    base.write("a.md", TEXT)
    base.ingest()

    act(base)

    assert views(base) == {False}


def test_file_too_large_to_be_compared_is_changed_by_its_time(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("a.md", TEXT)
    base.ingest()
    touch(base)

    monkeypatch.setattr("kebab_ingest.disk_files.MAX_COMPARED_BYTES", len(TEXT) - 1)

    assert views(base) == {True}


def test_file_of_a_source_that_is_no_longer_configured_is_not_called_gone(base: Base) -> None:
    base.write("a.md", TEXT)
    base.ingest()
    base.set_sources({"id": "other", "root": str(base.home)})
    delete(base)

    assert views(base) == {False}


def test_file_is_looked_for_where_its_source_has_moved_to(base: Base) -> None:
    name = unicodedata.normalize("NFD", "가.md")
    base.write(name, TEXT)
    base.ingest()
    moved = base.home / "moved"
    shutil.copytree(base.root, moved)
    base.configure("workspace", root=str(moved))
    assert views(base) == {False}

    (moved / name).unlink()

    assert views(base) == {True}


@pytest.mark.parametrize(("before", "after"), [("NFD", "NFC"), ("NFC", "NFD")])
@pytest.mark.parametrize("depth", ["folder", "file"])
def test_file_renamed_to_the_other_normal_form_is_found_after_the_next_run(
    base: Base, before: Form, after: Form, depth: str
) -> None:
    folder = {form: unicodedata.normalize(form, "가") for form in (before, after)}
    names = {form: "나.md" if depth == "folder" else unicodedata.normalize(form, "나.md") for form in folder}
    if depth == "file":
        folder[after] = folder[before]
    written = base.write(f"{folder[before]}/{names[before]}", TEXT)
    base.ingest()
    written.rename(written.with_name(names[after]))
    written.parent.rename(written.parent.with_name(folder[after]))

    outcome = base.ingest()

    assert outcome.counts == {"scanned": 1, "unchanged": 1}
    assert views(base) == {False}
    assert base.ingest().counts == outcome.counts


def test_file_in_a_folder_that_may_not_be_entered_is_not_called_changed(base: Base) -> None:
    base.write("sub/a.md", TEXT)
    base.ingest()
    folder = base.root / "sub"
    folder.rename(base.root / "other")
    folder.symlink_to(folder)  # as EACCES would, but for root too: neither there nor known to be gone

    assert views(base) == {False}


def test_looking_writes_nothing_into_a_base_that_is_readonly(base: Base) -> None:
    base.write("a.md", TEXT)
    base.ingest()
    edit(base)
    base.close()
    base.readonly = True

    assert views(base) == {True}
