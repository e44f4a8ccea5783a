"""Why a file is not in the index, or not as it is on disk; each reason with its fix."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app.explanation.scanned import scope_for
from kebab_app.explanation.trial import try_file
from kebab_app.ingest.processor import DocumentProcessor, Recipe
from kebab_app.ingest_use_case import build_connector, find_targets
from kebab_app.vector_index import vector_index_of
from kebab_app.writer_lock import hold_writer_lock
from kebab_core import (
    DocumentEncryptedError,
    DocumentNotFoundError,
    InvalidInputError,
    RuleOrigin,
    SkipReason,
    SourceEntry,
)

if TYPE_CHECKING:
    from kebab_wire import WhyStepV1, WhyV1

    from conftest import Base, Embedding

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
NOTE = "# 색인\n\n색인은 다시 만들어진다.\n\n## 규칙\n\n청크는 제목에서 나눈다.\n"


def step(report: WhyV1, name: str) -> WhyStepV1:
    (found,) = [step for step in report.steps if step.name == name]
    return found


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith((".sqlite-wal", ".sqlite-shm"))
    }


def test_file_that_is_indexed_is_told_with_its_document_and_passages(base: Base) -> None:
    path = base.write("노트/색인.md", NOTE)
    base.ingest()
    report = base.app.why(path)
    assert (report.verdict, report.can_be_found, report.fix) == ("indexed", True, None)
    assert {step.state for step in report.steps} == {"ok"}
    assert [step.name for step in report.steps] == ["source", "rules", "ingest", "file", "index", "vectors"]
    assert (report.source_id, report.doc_path, report.disk_path) == ("default", "노트/색인.md", str(path))
    assert report.document is not None
    assert report.document.doc_id == base.documents()["노트/색인.md"].doc_id
    assert (report.document.passage_count, report.document.embedded_count) == (2, None)
    assert {passage.chunk_id for passage in report.passages} == base.chunk_ids()
    assert [passage.heading_path for passage in report.passages] == [("색인",), ("색인", "규칙")]
    assert [passage.uri.rpartition("#")[2] for passage in report.passages] == ["L1-L3", "L5-L7"]
    assert all(passage.source_spans and passage.terms is None for passage in report.passages)
    assert report.terms is report.legs is report.query is None


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
        assert "kebab list docs --path-glob" in str(caught.value.hint)


def test_missing_file_is_an_error_that_names_the_nearest(base: Base) -> None:
    with pytest.raises(InvalidInputError):
        base.app.why("meeting.md")
    base.write("work/meeting.md")
    base.ingest()
    with pytest.raises(InvalidInputError) as caught:
        base.app.why("meetings.md")
    assert caught.value.hint == "did you mean 'work/meeting.md'?"


def test_file_outside_every_source_can_be_taken_in_by_name_or_folder(base: Base) -> None:
    letter = base.write("letter.txt", "a letter", root=base.home / "elsewhere")
    report = base.app.why(letter)
    assert (report.verdict, report.can_be_found) == ("outside_sources", False)
    assert report.fix == f"kebab ingest-file {letter}, or kebab config add-source {letter.parent}"
    base.app.ingest_file(letter)
    taken = base.app.why(letter)
    assert taken.verdict == "indexed"
    assert str(taken.doc_path).startswith("_external/")
    assert taken.document is not None
    assert taken.document.is_external
    assert "only when it is given again" in step(taken, "file").detail
    assert str(letter) in step(taken, "source").detail


def test_source_whose_folder_is_missing_is_told(base: Base) -> None:
    base.write("a.md", NOTE)
    base.ingest()
    shutil.rmtree(base.root)
    report = base.app.why("a.md")
    assert report.verdict == "indexed"
    assert step(report, "source").state == "note"
    assert "drive is mounted" in str(report.fix)


def test_ignored_file_is_told_with_the_line_and_both_ways_of_the_fix_work(base: Base) -> None:
    path = base.write("초안/a.md", NOTE)
    base.write(".gitignore", "# 초안은 빼기\n초안/\n")
    report = base.app.why(path)
    assert report.verdict == "left_out"
    assert report.rule is not None
    assert (report.rule.reason, report.rule.path, report.rule.is_folder) == (
        SkipReason.GITIGNORE,
        "초안",
        True,
    )
    assert (report.rule.origin, report.rule.name) == (RuleOrigin.IGNORE_FILE, ".gitignore")
    assert (report.rule.pattern, report.rule.line) == ("초안/", 2)
    assert report.fix == (
        "delete line 2 of .gitignore, or add the line !/초안/ at its end; then kebab ingest"
    )
    for mended in ("# 초안은 빼기\n", "# 초안은 빼기\n초안/\n!/초안/\n"):
        base.write(".gitignore", mended)
        assert base.app.why(path).verdict == "not_ingested"
    base.ingest()
    assert base.app.why(path).verdict == "indexed"


def test_fix_for_a_nested_ignore_file_is_relative_to_it(base: Base) -> None:
    path = base.write("a/b/c.md", NOTE)
    base.write("a/.kebabignore", "*.md\n")
    report = base.app.why(path)
    assert report.rule is not None
    assert (report.rule.name, report.rule.line) == ("a/.kebabignore", 1)
    assert "add the line !/b/c.md at its end" in str(report.fix)
    base.write("a/.kebabignore", "*.md\n!/b/c.md\n")
    assert base.app.why(path).verdict == "not_ingested"


def test_file_that_is_ignored_only_now_is_still_found_until_the_next_run(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.ingest()
    base.write(".kebabignore", "a.md\n")
    report = base.app.why(path)
    assert (report.verdict, step(report, "rules").state) == ("indexed", "note")
    assert "the next run removes" in step(report, "rules").detail
    base.ingest()
    assert base.app.why(path).verdict == "left_out"


def test_settings_that_leave_a_file_out_are_named_by_their_keys(base: Base) -> None:
    base.configure("workspace", exclude=["out.md"], include=["*.md", "*.py"])
    base.configure("ingest", max_file_mb=1)
    base.configure("ingest.code", max_file_bytes=100, extra_skip_globs=["gen*"])
    expected = {
        base.write("out.md"): ("workspace.exclude", SkipReason.CONFIG_EXCLUDE),
        base.write("a.txt"): ("workspace.include", SkipReason.NOT_INCLUDED),
        base.write("large.md", "x" * 1_100_000): ("ingest.max_file_mb", SkipReason.SIZE_EXCEEDED),
        base.write("large.py", "x" * 101): ("ingest.code.max_file_bytes", SkipReason.SIZE_EXCEEDED),
        base.write("gen.py"): ("ingest.code.extra_skip_globs", SkipReason.CONFIG_EXCLUDE),
    }
    for path, (key, reason) in expected.items():
        report = base.app.why(path)
        assert report.verdict == "left_out"
        assert report.rule is not None
        assert (report.rule.origin, report.rule.name) == (RuleOrigin.SETTING, key)
        assert report.rule.reason is reason
        assert key in str(report.fix)


def test_exclude_of_one_of_several_sources_is_named_as_its_own(base: Base) -> None:
    more = base.home / "more"
    path = base.write("a.md", NOTE, root=more)
    base.set_sources(
        {"id": "notes", "root": str(base.root)}, {"id": "more", "root": str(more), "exclude": ["a.*"]}
    )
    report = base.app.why(path)
    assert report.rule is not None
    assert (report.rule.name, report.rule.pattern) == ("workspace.sources.exclude of more", "a.*")
    assert base.app.why("more:a.md").rule == report.rule


def test_one_of_several_files_of_a_path_is_told_with_the_others(base: Base) -> None:
    more = base.home / "more"
    base.write("a.md", NOTE)
    base.write("a.md", "other", root=more)
    base.set_sources({"id": "notes", "root": str(base.root)}, {"id": "more", "root": str(more)})
    base.ingest()
    first, second = base.app.why("a.md"), base.app.why("more:a.md")
    assert (first.source_id, second.source_id) == ("notes", "more")
    assert "not to be taken for more:a.md" in step(first, "source").detail
    assert "not to be taken for" not in step(second, "source").detail
    assert second.summary == "more:a.md is indexed"


def test_kebabs_own_folder_is_told_as_such(base: Base) -> None:
    base.close()
    base.data_dir = base.root / "data"
    path = base.write("data/a.md")
    report = base.app.why(path)
    assert report.rule is not None
    assert (report.verdict, report.rule.name) == ("left_out", "storage.data_dir")


def test_what_is_never_content_is_told_without_a_setting_to_change(base: Base) -> None:
    report = base.app.why(base.write("node_modules/a.md"))
    assert report.rule is not None
    assert (report.rule.reason, report.rule.pattern) == (SkipReason.BUILTIN_BLACKLIST, "node_modules")
    assert "move the document" in str(report.fix)


def test_medium_that_nothing_reads_is_told(base: Base) -> None:
    report = base.app.why(base.write("photo.xyz"))
    assert report.rule is not None
    assert (report.verdict, report.rule.reason) == ("left_out", SkipReason.UNSUPPORTED_MEDIA)
    assert "kebab schema" in str(report.fix)


@pytest.mark.parametrize("is_ingested", [True, False])
def test_binary_content_under_a_text_name_is_told_before_and_after_a_run(
    base: Base, is_ingested: bool
) -> None:
    path = base.write("a.md", PNG)
    if is_ingested:
        base.ingest()
    report = base.app.why(path)
    assert report.rule is not None
    assert (report.verdict, report.rule.reason) == ("left_out", SkipReason.BINARY_CONTENT)
    assert "save it as text in UTF-8" in str(report.fix)
    base.write("a.md", NOTE)
    assert base.app.why(path).verdict == "not_ingested"


def test_links_are_told_with_where_they_lead(base: Base) -> None:
    outside = base.write("far.md", root=base.home / "elsewhere")
    inside = base.write("near.md")
    (base.root / "to-far.md").symlink_to(outside)
    (base.root / "to-near.md").symlink_to(inside)
    (base.root / "to-nothing.md").symlink_to(base.root / "absent.md")
    (base.root / "to-itself.md").symlink_to(base.root / "to-itself.md")
    reports = {
        name: base.app.why(base.root / f"to-{name}.md") for name in ("far", "near", "nothing", "itself")
    }
    reasons = {name: report.rule.reason.value if report.rule else None for name, report in reports.items()}
    assert reasons == {
        "far": "symlink_outside",
        "near": "linked_twice",
        "nothing": "broken_link",
        "itself": "symlink_loop",
    }
    assert f"kebab ingest-file {outside}" in str(reports["far"].fix)
    assert reports["near"].fix == f"kebab why {inside}"
    base.configure("workspace", follow_symlinks=False)
    unfollowed = base.app.why(base.root / "to-near.md")
    assert unfollowed.rule is not None
    assert unfollowed.rule.name == "workspace.follow_symlinks"


def test_file_behind_a_linked_folder_is_told_with_its_own_place(base: Base) -> None:
    base.write("real/a.md", NOTE)
    far = base.write("b.md", root=base.home / "elsewhere")
    (base.root / "again").symlink_to(base.root / "real")
    (base.root / "out").symlink_to(base.home / "elsewhere")
    assert base.app.why(base.root / "again" / "a.md").fix == f"kebab why {base.root / 'real' / 'a.md'}"
    assert f"kebab ingest-file {far}" in str(base.app.why(base.root / "out" / "b.md").fix)


def test_second_of_two_names_that_are_one_in_nfc_is_told(base: Base) -> None:
    composed, decomposed = (base.write(unicodedata.normalize(form, "글.md"), form) for form in ("NFC", "NFD"))
    base.ingest()
    verdicts = {path: base.app.why(path) for path in (composed, decomposed)}
    left_out = [path for path, report in verdicts.items() if report.verdict == "left_out"]
    assert len(left_out) == 1
    rule = verdicts[left_out[0]].rule
    assert rule is not None
    assert rule.reason is SkipReason.SPELLED_TWICE


def test_pipe_is_told_to_be_no_file(base: Base) -> None:
    os.mkfifo(base.root / "pipe.md")
    report = base.app.why(base.root / "pipe.md")
    assert report.rule is not None
    assert report.rule.reason is SkipReason.NOT_REGULAR


def test_folder_above_that_cannot_be_looked_into_is_told(
    base: Base, make_unreadable: Callable[[Path], Path]
) -> None:
    path = base.write("sub/a.md", NOTE)
    base.write("b.md", NOTE)
    make_unreadable(base.root / "sub")
    report = base.app.why(path)
    assert report.verdict == "unreadable_folder"
    assert "check the permissions of the folder" in str(report.fix)


def test_file_that_is_not_ingested_yet_is_told_with_the_command(base: Base) -> None:
    first = base.app.why(base.write("a.md", NOTE))
    assert (first.verdict, first.document) == ("not_ingested", None)
    assert not base.data_dir.exists()
    base.ingest()
    path = base.write("새 글.md", NOTE)
    report = base.app.why(path)
    assert report.verdict == "not_ingested"
    assert report.fix == f"kebab ingest '{path}'"
    assert "the last full run over its source was at" in step(report, "ingest").detail
    with hold_writer_lock(base.data_dir):
        assert "a run is at work" in step(base.app.why(path), "ingest").detail
    base.ingest(path)
    assert base.app.why(path).verdict == "indexed"


class Failing:
    """A part of ingest that fails at one of its methods."""

    def __init__(self, inner: object, method: str) -> None:
        self._inner, self._method = inner, method

    def __getattr__(self, name: str) -> object:
        return self._fail if name == self._method else getattr(self._inner, name)

    def _fail(self, *_arguments: object, **_named: object) -> None:
        raise DocumentEncryptedError("a password is needed")


def test_failed_file_is_told_with_its_error_and_when(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.run_with(recipes=[failing(recipe, "extract") for recipe in base.recipes()])
    report = base.app.why(path)
    assert report.verdict == "failed"
    assert report.failure is not None
    assert (report.failure.code, report.failure.message) == ("document_encrypted", "a password is needed")
    assert report.failure.at is not None
    assert "it could be now" in step(report, "ingest").detail
    assert report.fix == f"kebab ingest {path}"
    base.ingest()
    assert base.app.why(path).verdict == "indexed"


def test_newest_version_that_failed_is_told_beside_the_older_one_that_is_found(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.ingest()
    base.write("a.md", f"{NOTE}\nmore\n")
    base.run_with(recipes=[failing(recipe, "extract") for recipe in base.recipes()])
    report = base.app.why(path)
    assert report.verdict == "indexed"
    assert step(report, "ingest").state == "note"
    assert step(report, "file").state == "note"
    assert report.failure is not None
    assert report.document is not None
    assert report.document.stale


def failing(recipe: Recipe, method: str) -> Recipe:
    part = {"extract": "extractor", "chunk": "chunker"}[method]
    parts = {"extractor": recipe.extractor, "chunker": recipe.chunker, "policy": recipe.policy}
    return Recipe(**{**parts, part: Failing(parts[part], method)})  # type: ignore[arg-type]


@pytest.mark.parametrize(("method", "stage"), [("extract", "parse"), ("chunk", "cut")])
def test_stage_that_stops_a_file_is_told(base: Base, method: str, stage: str) -> None:
    trial = try_with(base, base.write("a.md", NOTE), recipes=[failing(one, method) for one in base.recipes()])
    assert (trial.stage, trial.failure.code) == (stage, "document_encrypted")


def test_file_that_nothing_stops_gets_to_the_last_stage_and_nowhere_else(base: Base) -> None:
    base.write("b.md", NOTE)
    base.ingest()
    before = snapshot(base.home)
    trial = try_with(base, base.write("a.md", NOTE), recipes=base.recipes())
    assert (trial.stage, trial.skip, trial.failure) == ("store", None, None)
    (base.root / "a.md").unlink()
    assert snapshot(base.home) == before


def try_with(base: Base, path: Path, *, recipes: list[Recipe]):  # type: ignore[no-untyped-def]
    (target,) = find_targets(base.app, path)
    (entry,) = build_connector(base.app).scan(scope_for(base.app, target))
    assert isinstance(entry, SourceEntry)
    processor = DocumentProcessor(recipes=recipes, analyzer=base.app.analyzer)
    trial = try_file(base.app, entry, target.source, processor=processor)
    assert trial is not None
    return trial


def test_file_that_changed_since_is_told(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.ingest()
    base.write("a.md", f"{NOTE}\nmore\n")
    report = base.app.why(path)
    assert (report.verdict, step(report, "file").fix) == ("indexed", "kebab ingest")
    assert report.document is not None
    assert (report.document.change, report.document.stale) == ("edited", True)
    assert report.summary.startswith("a.md is indexed, but it has changed on disk")


def test_file_that_is_gone_is_followed_to_its_removal(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.write("b.md", "other")
    base.ingest()
    path.unlink()
    waiting = base.app.why(path)
    assert waiting.verdict == "indexed"
    assert waiting.document is not None
    assert waiting.document.change == "gone"
    assert "the next run removes it" in step(waiting, "file").detail
    base.ingest()
    for name in (path, "a.md"):
        removed = base.app.why(name)
        assert removed.verdict == "removed"
        assert removed.fix == "put the file back; then kebab ingest"


def test_file_that_moved_is_told_with_where_it_is_now(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.ingest()
    path.rename(base.root / "새 이름.md")
    base.ingest()
    report = base.app.why("a.md")
    assert (report.verdict, report.fix) == ("removed", "kebab why '새 이름.md'")


def test_removal_that_is_held_is_told_with_both_ways_out(base: Base) -> None:
    for number in range(25):
        base.write(f"{number}.md", f"note {number}")
    base.ingest()
    for number in range(24):
        (base.root / f"{number}.md").unlink()
    base.ingest()
    report = base.app.why("3.md")
    assert "marked for removal, which is held" in step(report, "file").detail
    assert "kebab ingest --prune" in str(report.fix)
    base.ingest(prune=True)
    assert base.app.why("3.md").verdict == "removed"


def test_file_without_text_is_told_to_have_no_passage(base: Base) -> None:
    path = base.write("a.md", "")
    base.ingest()
    report = base.app.why(path)
    assert report.verdict == "no_passages"
    assert report.passages == ()


def test_pending_vectors_are_told_with_the_command(base: Base, embedding: Embedding) -> None:
    path = base.write("a.md", NOTE)
    base.ingest(embed=False)
    report = base.app.why(path)
    assert (report.verdict, report.fix) == ("indexed", "kebab embed")
    assert "2 of 2 passages wait for vectors" in step(report, "vectors").detail
    assert [passage.has_vector for passage in report.passages] == [False, False]
    base.app.embed()
    done = base.app.why(path)
    assert step(done, "vectors").state == "ok"
    assert [passage.has_vector for passage in done.passages] == [True, True]
    assert done.document is not None
    assert done.document.embedded_count == 2
    embedding.store.drop(vector_index_of(embedding.embedder.identity))
    lost = base.app.why(path)
    assert [passage.has_vector for passage in lost.passages] == [False, False]
    with hold_writer_lock(base.data_dir):
        assert "at work on the index" in str(base.app.why(path).fix)


def test_looking_changes_nothing_and_works_readonly_beside_a_writer(base: Base) -> None:
    paths = [base.write("a.md", NOTE), base.write("b.md", PNG), base.write("c.xyz")]
    base.ingest()
    base.write("d.md", NOTE)
    base.close()
    base.readonly = True
    before = snapshot(base.home)
    with hold_writer_lock(base.data_dir):
        verdicts = [base.app.why(path).verdict for path in (*paths, "d.md")]
    assert verdicts == ["indexed", "left_out", "left_out", "not_ingested"]
    (base.data_dir / "writer.lock").unlink()
    before.pop(str(base.data_dir / "writer.lock"), None)
    assert snapshot(base.home) == before


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
    assert "not for ./README.md, which lies in no source" in step(report, "source").detail
    assert step(report, "source").fix == "if the other one is meant: kebab why ./README.md"
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
