"""Which file somebody means who asks why it is not found, and whether it lies in a source."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import App
from kebab_config import load_settings
from kebab_core import (
    DocumentNotFoundError,
    InvalidInputError,
)

from tests.remedies import say

if TYPE_CHECKING:
    from kebab_diagnose import Explanation, ExplanationStep

    from conftest import Base

NOTE = "# 색인\n\n색인은 다시 만들어진다.\n\n## 규칙\n\n청크는 제목에서 나눈다.\n"


def step(report: Explanation, name: str) -> ExplanationStep:
    (found,) = [step for step in report.steps if step.name == name]
    return found


@pytest.mark.parametrize(
    "name",
    [
        "노트/색인.md",
        "default:노트/색인.md",
        "노트/색인.md#L1-L3",
        "%EB%85%B8%ED%8A%B8/색인.md#L1",
    ],
)
def test_path_inside_a_source_is_taken_as_hits_show_it(base: Base, name: str) -> None:
    base.write("노트/색인.md", NOTE)
    base.ingest()
    assert base.app.why(name).doc_path == "노트/색인.md"


def test_document_id_is_taken(base: Base) -> None:
    base.write("a.md", NOTE)
    base.ingest()
    report = base.app.why(base.documents()["a.md"].doc_id.upper())
    assert (report.verdict, report.doc_path) == ("indexed", "a.md")
    (chunk_id,) = base.chunk_ids() - {base.app.why("a.md").passages[0].chunk_id}
    assert base.app.why(chunk_id).doc_path == "a.md"
    with pytest.raises(DocumentNotFoundError):
        base.app.why("0" * 32)
    with pytest.raises(InvalidInputError):
        base.app.why(" ")


def test_name_in_either_normal_form_is_the_same_file(base: Base) -> None:
    decomposed = unicodedata.normalize("NFD", "회의록.md")
    path = base.write(decomposed, NOTE)
    base.ingest()
    for name in (path, "회의록.md", decomposed, base.root / "회의록.md"):
        report = base.app.why(name)
        assert (report.verdict, report.doc_path, report.disk_path) == ("indexed", "회의록.md", str(path))


def test_folder_is_an_error_that_says_how_to_list_it(base: Base) -> None:
    base.write("노트/a.md")
    for name in (base.root / "노트", "노트"):
        with pytest.raises(InvalidInputError) as caught:
            base.app.why(name)
        assert "kebab list docs --path-glob" in str(say(caught.value))


def test_missing_file_is_an_error_that_names_the_nearest(base: Base) -> None:
    with pytest.raises(InvalidInputError):
        base.app.why("meeting.md")
    base.write("work/meeting.md")
    base.ingest()
    with pytest.raises(InvalidInputError) as caught:
        base.app.why("meetings.md")
    assert say(caught.value) == "did you mean 'work/meeting.md'?"


def test_name_without_its_folder_suggests_each_file_of_that_name_one_that_is_not_indexed_too(
    base: Base,
) -> None:
    for folder in ("a/b", "node_modules", "장부"):
        base.write(f"{unicodedata.normalize('NFD', folder)}/Plan.bin", b"\0\1")
    base.ingest()
    with pytest.raises(InvalidInputError) as caught:
        base.app.why("plan.bin")
    assert say(caught.value).startswith("did you mean 'a/b/Plan.bin'")
    assert "node_modules/Plan.bin" in say(caught.value)


@pytest.mark.parametrize(
    "name",
    ["a\0.md", "./a\0.md", "~a\0/b.md", "/etc/a\0b", "raw:a\0", "a\\xe9\0.md", "\ud83d.md", "~\ud83d/a.md"],
)
def test_name_that_no_file_can_have_is_an_error(base: Base, name: str) -> None:
    base.write("a.md")
    base.ingest()
    for spelled in (name, f"{base.root}/{name}"):
        with pytest.raises(InvalidInputError):
            base.app.why(spelled)


def test_file_outside_every_source_can_be_taken_in_by_name_or_folder(base: Base) -> None:
    letter = base.write("letter.txt", "a letter", root=base.home / "elsewhere")
    report = base.app.why(letter)
    assert (report.verdict, report.can_be_found) == ("outside_sources", False)
    assert say(report) == f"kebab ingest-file {letter}, or kebab config add-source {letter.parent}"
    base.app.ingest_file(letter)
    taken = base.app.why(letter)
    assert taken.verdict == "indexed"
    assert str(taken.doc_path).startswith("files/")
    assert taken.document is not None
    assert taken.document.is_external
    assert "only when it is given again" in step(taken, "file").detail
    assert str(letter) in step(taken, "source").detail


def test_advice_for_a_file_outside_is_none_that_is_refused(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    above = base.write("letter.txt", root=base.home)
    assert say(base.app.why(above)) == f"kebab ingest-file {above}"
    unknown = base.write("photo.xyz", root=base.home)  # text of any name can be read
    assert say(base.app.why(unknown)) == f"kebab ingest-file {unknown}"
    far = base.write("letter.txt", root=base.home / "far")
    monkeypatch.chdir(base.root)
    assert say(base.app.why("../far/letter.txt")) == (
        f"kebab ingest-file {far}, or kebab config add-source {far.parent}"
    )
    link = base.root / "link.txt"
    link.symlink_to(above)
    assert say(base.app.why(link)) == f"kebab ingest-file {above}"
    with App(load_settings(config_path=None, environ=base.environ)) as bare:
        report = bare.why(far)
    assert (report.verdict, say(report)) == (
        "outside_sources",
        f"kebab init --root {far.parent}; then kebab ingest",
    )


def test_source_whose_folder_is_missing_is_told(base: Base) -> None:
    base.write("a.md", NOTE)
    base.ingest()
    shutil.rmtree(base.root)
    report = base.app.why("a.md")
    assert report.verdict == "indexed"
    assert step(report, "source").state == "note"
    assert "drive is mounted" in str(say(report))
    for name in ("never-ingested.md", base.root / "sub" / "never-ingested.md"):
        never = base.app.why(name)
        assert never.verdict == "source_missing"
        assert "drive is mounted" in str(say(never))
        assert never.disk_path == str(base.root / name)


@pytest.fixture
def elsewhere(base: Base, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in no source, where a command is run; it holds a file named like an indexed one."""
    base.write("README.md", NOTE)
    base.ingest()
    other = base.write("README.md", "of another project", root=base.home / "project")
    monkeypatch.chdir(other.parent)
    return other


def test_name_with_a_place_before_it_is_always_taken_for_the_file_there(
    base: Base, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(base.home))
    for name in ("./README.md", "../project/README.md", "~/project/README.md", str(elsewhere)):
        report = base.app.why(name)
        assert (report.verdict, report.doc_path) == ("outside_sources", None), name
    elsewhere.unlink()
    for name in ("./README.md", "~/project/README.md", "~nobody-of-this-name/README.md"):
        with pytest.raises(InvalidInputError, match="there is no file"):
            base.app.why(name)


@pytest.mark.usefixtures("elsewhere")
def test_bare_name_of_a_file_here_and_of_one_in_a_source_says_which_is_meant(base: Base) -> None:
    report = base.app.why("README.md")
    assert (report.verdict, report.doc_path) == ("indexed", "README.md")
    assert "and not ./README.md, which lies in no source" in step(report, "source").detail
    assert say(step(report, "source")) == "if the other one is meant: kebab why ./README.md"
    assert base.app.why("./README.md").verdict == "outside_sources"


def test_bare_name_of_a_file_here_in_a_source_is_that_file(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("README.md", NOTE)
    base.write("sub/README.md", NOTE)
    base.ingest()
    monkeypatch.chdir(base.root / "sub")
    assert base.app.why("README.md").doc_path == "sub/README.md"
    assert base.app.why("../README.md").doc_path == "README.md"
