"""Filters as SQL against filters as Python, over documents and filters made at random."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import (
    DocFilter,
    MarkdownMedia,
    SearchFilters,
    SourceId,
    SourceType,
    TextMedia,
    TrustLevel,
)
from kebab_store_sqlite import SqliteDocumentStore, open_database
from kebab_testing.fakes.clock import START, FixedClock
from kebab_testing.fakes.document_store import passes_filters
from kebab_testing.families import examples
from kebab_testing.records import RecordSpec, build_record

T = TypeVar("T")
TAGS = ("a", "b", "태그")
LANGS = ("ko", "en", "und")
NAMES = ("a.md", "b.txt", "글.md")
FOLDERS = ("", "x/", "x/y/", "폴더/")
SOURCES = ("default", "work")
REPOS = ("one", "저장소")
CODE_LANGS = ("rust", "python")
GLOBS = ("*", "**", "x/*", "x/**", "**/*.md", "?.md", "폴더/**", "**/y/**", "*.txt", "absent")
DAYS = tuple(START + timedelta(days=day) for day in range(3))

specs = st.builds(
    RecordSpec,
    path=st.builds("{}{}".format, st.sampled_from(FOLDERS), st.sampled_from(NAMES)),
    tags=st.sets(st.sampled_from(TAGS)).map(lambda tags: tuple(sorted(tags))),
    lang=st.sampled_from(LANGS),
    media=st.sampled_from([MarkdownMedia(), TextMedia()]),
    source_type=st.sampled_from(SourceType),
    trust=st.sampled_from(TrustLevel),
    source=st.sampled_from(SOURCES),
    repo=st.sampled_from((None, *REPOS)),
    code_lang=st.sampled_from((None, *CODE_LANGS)),
    at=st.sampled_from(DAYS),
)


def some(values: Sequence[T]) -> st.SearchStrategy[tuple[T, ...]]:
    """Return none, one or several of the values."""
    return st.just(()) | st.lists(st.sampled_from(values), min_size=1, max_size=3).map(tuple)


filters = st.builds(
    SearchFilters,
    tags_any=some((*TAGS, "absent")),
    lang=some((*LANGS, "fr", "KO")),
    path_glob=some(GLOBS),
    trust_min=st.none() | st.sampled_from(TrustLevel),
    media=some(("markdown", "text", "pdf")),
    ingested_after=st.none() | st.sampled_from(DAYS),
    repo=some((*REPOS, "absent")),
    code_lang=some((*CODE_LANGS, "go")),
    source_id=some([SourceId(name) for name in (*SOURCES, "absent")]),
    source_type=some(tuple(SourceType)),
)


@pytest.mark.thorough
@settings(max_examples=examples(25), deadline=None)
@given(st.lists(specs, max_size=10), st.lists(filters, min_size=8, max_size=8), st.data())
def test_exactly_those_pass_that_pass_in_python(
    library: list[RecordSpec], asked: list[SearchFilters], data: st.DataObject
) -> None:
    records = {(spec.source, spec.path): build_record(spec) for spec in library}
    ids = [record.document.doc_id for record in records.values()]
    with (
        TemporaryDirectory() as folder,
        open_database(Path(folder), clock=FixedClock(), copy_threshold_bytes=0) as database,
    ):
        store = SqliteDocumentStore(database)
        for record in records.values():
            store.replace_document(record)
        for criteria in asked:
            wanted = criteria.model_copy(update={"doc_id": data.draw(some(ids)) if ids else ()})
            passing = {r.document.doc_id for r in records.values() if passes_filters(r, wanted)}
            resolved = store.resolve_filters(wanted)
            assert (set(ids) if resolved is None else resolved) == passing
            assert (resolved is None) is wanted.is_empty
            listed = store.list_documents(DocFilter.model_validate(dict(wanted)))
            assert {summary.doc_id for summary in listed} == passing
