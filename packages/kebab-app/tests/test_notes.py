"""Notes that kebab keeps: where they are, how they are updated, forgotten and brought back."""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_app import ResetScope
from kebab_core import (
    FetchDocument,
    IngestReport,
    InvalidInputError,
    SearchMode,
    SearchQuery,
    SourceName,
    SourceSettings,
    StorageError,
)
from kebab_ingest import NoteFolder, SourceTarget, TrashFolder, make_notes_source
from kebab_parse_md import add_front_matter, read_front_matter
from kebab_testing.families import examples

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base

WEB = "https://example.test/편지?a=1#b: c"


def address(report: IngestReport) -> str:
    (item,) = report.items or ()
    return f"{item.source_id}:{item.doc_path}"


def kind(report: IngestReport) -> str:
    (item,) = report.items or ()
    return item.kind.value


def text_of(base: Base, name: str) -> str:
    return base.app.fetch(FetchDocument(doc_id=base.documents()[name].doc_id)).text or ""


def is_found(base: Base, word: str) -> bool:
    return bool(base.app.search(SearchQuery(text=word, mode=SearchMode.LEXICAL)).hits)


def test_a_text_becomes_a_readable_file_with_a_readable_name_in_the_data_folder(base: Base) -> None:
    report = base.app.ingest_text("수달을 만난다.\n", title="주간 회의 / 11월: 계획?")
    assert address(report) == "kebab-notes:주간 회의 11월 계획.md"
    file = base.data_dir / "notes" / "주간 회의 11월 계획.md"
    assert file.read_text(encoding="utf-8").endswith("수달을 만난다.\n")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert list(base.root.iterdir()) == []
    assert is_found(base, "수달")


def test_the_same_title_updates_and_another_is_another_note(base: Base) -> None:
    first = base.app.ingest_text("수달", title="회의록")
    again = base.app.ingest_text("족제비", title=" 회의록\n")
    same = base.app.ingest_text("족제비", title="회의록")
    other = base.app.ingest_text("너구리", title="회의록?")
    assert [kind(each) for each in (first, again, same, other)] == ["new", "updated", "unchanged", "new"]
    assert address(first) == address(again) == address(same) != address(other)
    assert (is_found(base, "수달"), is_found(base, "족제비"), is_found(base, "너구리")) == (
        False,
        True,
        True,
    )
    assert base.paths() == ["kebab-notes:회의록 2.md", "kebab-notes:회의록.md"]


def test_a_title_is_the_same_in_every_normal_form(base: Base) -> None:
    first = base.app.ingest_text("수달", title=unicodedata.normalize("NFC", "회의록"))
    again = base.app.ingest_text("족제비", title=unicodedata.normalize("NFD", "회의록"))
    assert address(first) == address(again)
    assert base.paths() == ["kebab-notes:회의록.md"]


def test_the_same_address_updates_whatever_the_title(base: Base) -> None:
    base.app.ingest_text("하나", title="처음 제목", source_uri=WEB)
    again = base.app.ingest_text("둘", title="새 제목", source_uri=WEB)
    other = base.app.ingest_text("셋", title="새 제목", source_uri="https://example.test/other")
    plain = base.app.ingest_text("넷", title="새 제목")
    assert [kind(each) for each in (again, other, plain)] == ["updated", "new", "new"]
    assert base.paths() == [
        "kebab-notes:web/새 제목.md",
        "kebab-notes:web/처음 제목.md",
        "kebab-notes:새 제목.md",
    ]
    assert "둘" in text_of(base, "kebab-notes:web/처음 제목.md")


def test_notes_are_files_of_a_source_like_any_other(base: Base) -> None:
    base.write("a.md", "# a")
    base.app.ingest_text("수달", title="노트")
    base.ingest()
    assert base.paths() == ["a.md", "kebab-notes:노트.md"]
    assert base.ingest().counts == {"scanned": 2, "unchanged": 2}
    base.write("노트.md", "족제비", root=base.data_dir / "notes")
    assert base.ingest().counts["updated"] == 1
    (base.data_dir / "notes" / "노트.md").unlink()
    assert base.ingest().counts["removed"] == 1


def test_notes_do_not_hide_that_the_folder_of_the_user_is_missing(base: Base) -> None:
    base.app.ingest_text("수달", title="노트")
    base.root.rmdir()
    with pytest.raises(StorageError):
        base.ingest()
    assert base.paths() == ["kebab-notes:노트.md"]
    base.app.ingest_text("족제비", title="노트")
    assert is_found(base, "족제비")


def test_a_source_that_may_be_written_takes_the_notes(base: Base) -> None:
    base.set_sources({"id": "default", "root": str(base.root), "writable": True})
    base.app.ingest_text("수달", title="노트")
    base.app.ingest_text("족제비", title="쪽", source_uri=WEB)
    assert base.paths() == ["_external/notes/web/쪽.md", "_external/notes/노트.md"]
    trust = {path: document.trust_level.value for path, document in base.documents().items()}
    assert trust == {"_external/notes/web/쪽.md": "generated", "_external/notes/노트.md": "secondary"}
    assert not (base.data_dir / "notes").exists()


def test_what_an_update_replaces_is_kept_for_a_while(base: Base) -> None:
    base.app.ingest_text("수달", title="회의록")
    base.app.ingest_text("족제비", title="회의록")
    (kept,) = (path for path in (base.data_dir / "trash").rglob("*.md"))
    assert "수달" in kept.read_text(encoding="utf-8")
    base.clock.advance(timedelta(days=31))
    base.app.ingest_text("너구리", title="다른 것")
    assert not kept.exists()


def test_a_forgotten_note_is_gone_until_it_is_brought_back(base: Base) -> None:
    base.app.ingest_text("수달", title="회의록")
    name = "kebab-notes:회의록.md"
    done = base.app.forget([name])
    assert done.documents == (name,)
    assert done.trash_path is not None
    assert {
        path.stat().st_mode & 0o777 for path in (base.data_dir / "trash").rglob("*") if path.is_dir()
    } == {0o700}
    assert (base.data_dir / "trash").stat().st_mode & 0o777 == 0o700
    assert (base.paths(), is_found(base, "수달")) == ([], False)
    base.ingest()
    assert base.paths() == []
    report = base.app.undo_forget()
    assert (address(report), kind(report)) == (name, "new")
    assert is_found(base, "수달")
    assert not done.trash_path.exists()
    with pytest.raises(InvalidInputError) as nothing:
        base.app.undo_forget()
    assert say(nothing.value)


def test_the_last_removal_is_undone_first_and_nothing_is_overwritten(base: Base) -> None:
    for title in ("하나", "둘"):
        base.app.ingest_text(title, title=title)
    base.app.forget(["kebab-notes:하나.md"])
    base.clock.advance(timedelta(seconds=1))
    base.app.forget(["kebab-notes:둘.md"])
    base.clock.advance(timedelta(seconds=1))
    base.app.ingest_text("새 둘", title="둘")
    with pytest.raises(InvalidInputError) as refused:
        base.app.undo_forget()
    assert "is there again" in refused.value.message
    (base.data_dir / "notes" / "둘.md").unlink()
    assert address(base.app.undo_forget()) == "kebab-notes:둘.md"
    assert address(base.app.undo_forget()) == "kebab-notes:하나.md"


def test_erasing_leaves_no_file(base: Base) -> None:
    base.app.ingest_text("수달", title="회의록")
    done = base.app.forget(["kebab-notes:회의록.md"], erase=True)
    assert done.trash_path is None
    assert list(base.data_dir.rglob("*.md")) == []


def test_after_erasing_an_older_removal_comes_back_by_its_address_only(base: Base) -> None:
    for title in ("하나", "둘"):
        base.app.ingest_text(f"{title} 수달", title=title)
    base.app.forget(["kebab-notes:하나.md"])
    base.clock.advance(timedelta(seconds=1))
    base.app.forget(["kebab-notes:둘.md"], erase=True)
    with pytest.raises(InvalidInputError) as refused:
        base.app.undo_forget()
    assert "permanent" in refused.value.message
    assert "--undo ADDRESS" in say(refused.value)
    assert address(base.app.undo_forget("kebab-notes:하나.md")) == "kebab-notes:하나.md"
    with pytest.raises(InvalidInputError):
        base.app.undo_forget("kebab-notes:둘.md")


def test_erasing_deletes_the_earlier_texts_too(base: Base) -> None:
    for word in ("수달", "족제비"):
        base.app.ingest_text(word, title="회의록")
        base.clock.advance(timedelta(seconds=1))
    base.app.forget(["kebab-notes:회의록.md"], erase=True)
    assert list(base.data_dir.rglob("*.md")) == []


def test_a_replaced_text_comes_back_and_the_newer_one_is_kept(base: Base) -> None:
    name = "kebab-notes:회의록.md"
    for word in ("수달", "족제비", "너구리"):
        base.app.ingest_text(word, title="회의록")
        base.clock.advance(timedelta(seconds=1))
    assert kind(base.app.undo_forget(name)) == "updated"
    assert "족제비" in text_of(base, name)
    base.clock.advance(timedelta(seconds=1))
    base.app.undo_forget(name)
    assert "너구리" in text_of(base, name)
    with pytest.raises(InvalidInputError, match="no earlier text"):
        base.app.undo_forget("kebab-notes:없음.md")


def test_a_part_of_a_note_is_not_forgotten(base: Base) -> None:
    base.app.ingest_text("수달", title="회의록")
    for part in ("kebab-notes:회의록.md#L3", "회의록.md#L1-L2"):
        with pytest.raises(InvalidInputError, match="only a whole one") as refused:
            base.app.forget([part])
        assert say(refused.value).endswith(part.partition("#")[0])
    base.app.ingest_text("수달", title="회의록#L3")
    assert base.app.forget(["회의록 L3.md"]).documents == ("kebab-notes:회의록 L3.md",)
    assert base.paths() == ["kebab-notes:회의록.md"]


def test_reset_and_backup_keep_notes(base: Base, tmp_path: Path) -> None:
    base.app.ingest_text("수달", title="회의록")
    base.app.ingest_text("쪽", title="쪽", source_uri=WEB)
    base.app.reset(ResetScope.DATA_ONLY)
    base.ingest()
    assert base.paths() == ["kebab-notes:web/쪽.md", "kebab-notes:회의록.md"]
    base.app.reset(ResetScope.ORPHANS_ONLY)
    assert len(base.paths()) == 2


titles = st.text(min_size=1, max_size=60).filter(str.strip)


@pytest.mark.thorough
@settings(
    deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(names=st.lists(titles, min_size=1, max_size=6))
def test_every_title_has_its_file_and_keeps_it(names: list[str], tmp_path_factory) -> None:
    home = tmp_path_factory.mktemp("notes")
    source = make_notes_source(first=SourceSettings(id=SourceName("default"), root="/"))
    target = SourceTarget(source=source, root=home / "notes")
    notes = NoteFolder(
        source=target,
        trash=TrashFolder(root=home / "trash"),
        read_values=lambda content: read_front_matter(content.decode()),
    )
    from kebab_testing.fakes.clock import START

    wanted = {unicodedata.normalize("NFC", " ".join(name.split())) for name in names if _is_writable(name)}
    places: dict[str, str] = {}
    for _ in range(2):
        for title in sorted(wanted):
            content = add_front_matter(f"text of {title}\n", {"title": title}).encode()
            place = notes.put(content, title=title, source_uri=None, at=START)
            assert places.setdefault(title, str(place.under)) == str(place.under)
            assert (home / "notes" / str(place.under)).read_bytes() == content
    assert len(set(places.values())) == len(wanted)
    assert all("/" not in place and len(place.encode()) < 200 for place in places.values())


def _is_writable(name: str) -> bool:
    """True if a title survives front matter; `ingest_text` puts it on one line before."""
    line = " ".join(name.split())
    try:
        content = add_front_matter("x", {"title": line}).encode().decode()
    except UnicodeEncodeError:
        return False
    return bool(line) and read_front_matter(content).get("title") == line
