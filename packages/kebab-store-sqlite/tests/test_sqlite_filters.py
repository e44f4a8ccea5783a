"""Filters as SQL against filters as Python, over documents and filters made at random."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import (
    DocFilter,
    DocumentRecord,
    MarkdownMedia,
    SearchFilters,
    SourceId,
    SourceType,
    TextMedia,
    TrustLevel,
)
from kebab_store_sqlite import SqliteDocumentStore, open_database
from kebab_testing.fakes.clock import START, FixedClock
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


def passes_filters(record: DocumentRecord, filters: SearchFilters) -> bool:
    """Return whether a document may be found or listed under the filters that are made here."""
    document, metadata = record.document, record.document.metadata
    return (
        _among(document.source_id, filters.source_id)
        and _among(record.asset.media_type.kind, filters.media)
        and _among(document.lang, filters.lang)
        and _among(document.doc_id, filters.doc_id)
        and _among(metadata.repo, filters.repo)
        and _among(metadata.code_lang, filters.code_lang)
        and _among(metadata.source_type, filters.source_type)
        and (not filters.tags_any or _has_tag(metadata.tags, filters.tags_any))
        and (not filters.path_glob or _path_matches(filters.path_glob, document.workspace_path))
        and (filters.trust_min is None or metadata.trust_level.rank <= filters.trust_min.rank)
        and (filters.ingested_after is None or record.indexed_at > filters.ingested_after)
    )


def _has_tag(tags: Sequence[str], wanted: Sequence[str]) -> bool:
    return any(tag == one or tag.startswith(f"{one}/") for tag in tags for one in wanted)


def _among(value: str | None, allowed: Sequence[str]) -> bool:
    return not allowed or value in allowed


def _path_matches(globs: Sequence[str], path: str) -> bool:
    spelt = [unicodedata.normalize("NFC", glob).split("/") for glob in globs]
    return any(_names_match(names, path.split("/")) for names in spelt)


def _names_match(globs: Sequence[str], names: Sequence[str]) -> bool:
    # `**` stands for any number of names, at the end for at least one.
    if not globs:
        return not names
    if globs[0] == "**":
        if len(globs) == 1:
            return bool(names)
        return any(_names_match(globs[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], globs[0]) and _names_match(globs[1:], names[1:])


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
