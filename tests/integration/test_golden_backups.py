"""A backup of every released version becomes a knowledge base of this one, with nothing lost and no model called again."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_analysis import KO_EN_VERSION
from kebab_app import App, ImportResult, import_backup
from kebab_chunk import HEADING_CHUNKER_VERSION
from kebab_core import DocFilter, FetchDocument, SearchMode, SearchQuery
from kebab_model_e5_small import files as model_files
from kebab_parse_md import MARKDOWN_VERSION
from kebab_store_sqlite import SCHEMA_VERSION

from tests.integration.golden_backups import BACKUPS, LETTER, NOTES, QUESTION, write_notes

ARCHIVES = sorted(BACKUPS.glob("schema-*.zip"), key=lambda path: int(path.stem.partition("-")[2]))
EXPECTED = {
    path.relative_to(NOTES).as_posix(): path.read_text("utf-8")
    for folder in ("kitchen-ko", "howto-en")
    for path in (NOTES / folder).iterdir()
}


def restore(archive: Path, home: Path) -> ImportResult:
    return import_backup(
        archive,
        config_path=home / "kebab.toml",
        environ={"HOME": str(home)},
        replace=False,
        progress=lambda _step: None,
    )


def test_the_released_shapes_are_there() -> None:
    versions = [int(path.stem.partition("-")[2]) for path in ARCHIVES]
    assert versions[0] == 6
    assert versions[-1] <= SCHEMA_VERSION


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.stem)
def test_everything_is_found_at_once_in_a_base_of_another_version(archive: Path, tmp_path: Path) -> None:
    result = restore(archive, tmp_path)
    assert result.missing_roots == (tmp_path / "notes",)
    with App.open(tmp_path / "kebab.toml") as app:
        documents = {d.doc_path: d.doc_id for d in app.list_documents(DocFilter())}
        (letter,) = set(documents) - set(EXPECTED)
        assert letter.startswith("_external/")
        for path, text in EXPECTED.items():
            assert app.fetch(FetchDocument(doc_id=documents[path])).text == text
        hits = app.search(SearchQuery(text="소금물에 절인 배추", mode=SearchMode.LEXICAL)).hits
        assert hits[0].doc_path == "kitchen-ko/배추김치.md"
        assert app.schema().stats.analyzer_version == KO_EN_VERSION
        assert [question for question, _ in app.list_answers()] == [QUESTION]
        assert app.base.open_for_reading().schema_version == SCHEMA_VERSION
        by_meaning = app.search(SearchQuery(text=QUESTION, mode=SearchMode.VECTOR)).hits
        assert by_meaning[0].doc_path == "kitchen-ko/배추김치.md"
    (apart,) = result.kept_apart
    assert LETTER in apart.read_text("utf-8")


@pytest.mark.skipif(model_files() is None, reason="the model comes without weights here")
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.stem)
def test_vectors_of_another_version_need_no_model(archive: Path, tmp_path: Path) -> None:
    restore(archive, tmp_path)
    with App.open(tmp_path / "kebab.toml") as app:
        report = app.embed()
        assert report.embedding is not None
        assert (report.embedding.computed, report.embedding.pending) == (0, 0)
        hits = app.search(SearchQuery(text="how to make kimchi", mode=SearchMode.VECTOR)).hits
        assert hits[0].doc_path == "kitchen-ko/배추김치.md"


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.stem)
def test_the_next_ingest_reads_the_same_files_as_today_and_the_one_after_finds_nothing_to_do(
    archive: Path, tmp_path: Path
) -> None:
    write_notes(tmp_path / "notes")
    result = restore(archive, tmp_path)
    assert (result.missing_roots, result.kept_apart) == ((), ())
    with App.open(tmp_path / "kebab.toml") as app:
        before = {d.doc_path for d in app.list_documents(DocFilter())}
        report = app.ingest()
        assert (report.counts.new, report.counts.removed, report.counts.errors) == (0, 0, 0)
        documents = app.list_documents(DocFilter())
        assert {d.doc_path for d in documents} == before
        assert {(d.parser_version, d.chunker_version) for d in documents} == {
            (MARKDOWN_VERSION, HEADING_CHUNKER_VERSION)
        }
        assert report.embedding is None or report.embedding.computed == 0
        assert [question for question, _ in app.list_answers()] == [QUESTION]
        again = app.ingest().counts
        assert (again.new, again.updated, again.removed, again.errors) == (0, 0, 0, 0)
        assert {d.doc_id for d in app.list_documents(DocFilter())} == {d.doc_id for d in documents}
