"""Why a file is not in the index, or not as it is on disk; each reason with its fix."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import ResetScope
from kebab_app.why import build_source_access
from kebab_core import (
    DocumentEncryptedError,
    SourceEntry,
)
from kebab_ingest import DocumentProcessor, Recipe
from kebab_store_sqlite import hold_writer_lock
from kebab_testing.recipes import recipe_finder

from tests.remedies import say

if TYPE_CHECKING:
    from kebab_diagnose import Explanation, ExplanationStep, FileTrial

    from conftest import Base, Embedding

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
NOTE = "# 색인\n\n색인은 다시 만들어진다.\n\n## 규칙\n\n청크는 제목에서 나눈다.\n"


def step(report: Explanation, name: str) -> ExplanationStep:
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
    assert (report.verdict, report.can_be_found, report.remedy) == ("indexed", True, None)
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


def test_file_that_is_not_ingested_yet_is_told_with_the_command(base: Base) -> None:
    first = base.app.why(base.write("a.md", NOTE))
    assert (first.verdict, first.document) == ("not_ingested", None)
    assert not base.data_dir.exists()
    base.ingest()
    path = base.write("새 글.md", NOTE)
    report = base.app.why(path)
    assert report.verdict == "not_ingested"
    assert say(report) == f"kebab ingest '{path}'"
    assert "the last full run over its source was at" in step(report, "ingest").detail
    with hold_writer_lock(base.data_dir):
        assert "a run is in progress" in step(base.app.why(path), "ingest").detail
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
    assert say(report) == f"kebab ingest {path}"
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


def try_with(base: Base, path: Path, *, recipes: list[Recipe]) -> FileTrial:
    sources = build_source_access(base.app.base)
    (target,) = sources.find_parts(path)
    (entry,) = sources.connector.scan(sources.scope_of(target))
    assert isinstance(entry, SourceEntry)
    processor = DocumentProcessor(find_recipe=recipe_finder(recipes), analyzer=base.app.base.analyzer)
    preparer = replace(sources.preparer, processor=processor)
    trial = replace(sources, preparer=preparer).try_file(entry, target.source)
    assert trial is not None
    return trial


def test_file_that_changed_since_is_told(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.ingest()
    base.write("a.md", f"{NOTE}\nmore\n")
    report = base.app.why(path)
    assert (report.verdict, say(step(report, "file"))) == ("indexed", "kebab ingest")
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
        assert say(removed) == f"put {str(path)!r} back; then kebab ingest"


def test_file_that_moved_is_told_with_where_it_is_now(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.ingest()
    path.rename(base.root / "새 이름.md")
    base.ingest()
    report = base.app.why("a.md")
    assert (report.verdict, say(report)) == ("removed", "kebab why '새 이름.md'")


def test_removal_that_is_held_is_told_with_both_ways_out(base: Base) -> None:
    for number in range(25):
        base.write(f"{number}.md", f"note {number}")
    base.ingest()
    for number in range(24):
        (base.root / f"{number}.md").unlink()
    base.ingest()
    report = base.app.why("3.md")
    assert "marked for removal, which is held" in step(report, "file").detail
    assert "kebab ingest --prune" in str(say(report))
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
    assert (report.verdict, say(report)) == ("indexed", "kebab embed")
    assert "2 of 2 passages have no vector" in step(report, "vectors").detail
    assert [passage.has_vector for passage in report.passages] == [False, False]
    base.app.embed()
    done = base.app.why(path)
    assert step(done, "vectors").state == "ok"
    assert [passage.has_vector for passage in done.passages] == [True, True]
    assert done.document is not None
    assert done.document.embedded_count == 2
    shutil.rmtree(base.data_dir / "vectors")  # is made from the database, which has them all
    assert [passage.has_vector for passage in base.app.why(path).passages] == [True, True]
    base.app.reset(ResetScope.VECTOR_ONLY)
    assert [passage.has_vector for passage in base.app.why(path).passages] == [False, False]
    with hold_writer_lock(base.data_dir):
        assert "updating the index" in str(say(base.app.why(path)))


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
