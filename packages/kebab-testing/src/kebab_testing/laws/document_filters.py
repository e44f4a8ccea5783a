"""Laws of the filters of `DocumentStore`: for each, documents that pass and documents that do not."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from kebab_core import (
    CodeMedia,
    CodeSymbol,
    DocFilter,
    DocumentId,
    DocumentStore,
    SearchFilters,
    SourceId,
    SourceType,
    SymbolKind,
    TextMedia,
    TrustLevel,
)

from kebab_testing.fakes.clock import START
from kebab_testing.laws.stores import StoreFixtures
from kebab_testing.records import RecordSpec, build_record

LIBRARY = {
    "note": RecordSpec(
        path="notes/a.md", tags=("x", "shared", "project/alpha"), lang="en", source_type=SourceType.NOTE
    ),
    "korean": RecordSpec(
        path="notes/한글.md", tags=("y", "태그", "태그/하위/끝"), lang="ko", trust=TrustLevel.SECONDARY
    ),
    "code": RecordSpec(
        path="src/deep/er/main.rs",
        lang="und",
        media=CodeMedia(lang="rust"),
        source_type=SourceType.CODE,
        repo="kebab",
        code_lang="rust",
        at=START + timedelta(days=2),
        mtime_ns=1_800_000_000_000_000_000,
        paragraphs=("pub fn run()",),
        symbols=(
            (CodeSymbol(symbol="er::Main::run_all", kind=SymbolKind.METHOD, line_start=1, line_end=1),),
        ),
    ),
    "text": RecordSpec(
        path="a.txt",
        tags=("shared",),
        media=TextMedia(),
        trust=TrustLevel.GENERATED,
        source="work",
        repo="other",
    ),
}
"""Four documents that differ in every filtered field."""


def _at(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


SEARCHES: list[tuple[SearchFilters, set[str]]] = [
    (SearchFilters(tags_any=("x",)), {"note"}),
    (SearchFilters(tags_any=("x", "y", "none")), {"note", "korean"}),
    (SearchFilters(tags_any=("태그",)), {"korean"}),
    (SearchFilters(tags_any=("shar",)), set()),
    (SearchFilters(tags_any=("project",)), {"note"}),
    (SearchFilters(tags_any=("project/alpha",)), {"note"}),
    (SearchFilters(tags_any=("project/al",)), set()),
    (SearchFilters(tags_any=("proj", "태그/하위")), {"korean"}),
    (SearchFilters(lang=("ko",)), {"korean"}),
    (SearchFilters(lang=("ko", "und")), {"korean", "code"}),
    (SearchFilters(lang=("fr",)), set()),
    (SearchFilters(lang=("fr", "de")), set()),
    (SearchFilters(path_glob=("src/**", "*.txt")), {"code", "text"}),
    (SearchFilters(path_glob=("absent/**", "notes/?.md")), {"note"}),
    (SearchFilters(path_glob=("absent/**", "gone/**")), set()),
    (SearchFilters(path_glob=("notes/**", "src/**"), lang=("ko", "fr")), {"korean"}),
    (SearchFilters(trust_min=TrustLevel.PRIMARY), {"note", "code"}),
    (SearchFilters(trust_min=TrustLevel.SECONDARY), {"note", "code", "korean"}),
    (SearchFilters(trust_min=TrustLevel.GENERATED), {"note", "code", "korean", "text"}),
    (SearchFilters(media=("code", "text")), {"code", "text"}),
    (SearchFilters(media=("pdf",)), set()),
    (SearchFilters(ingested_after=START), {"code"}),
    (SearchFilters(ingested_after=START - timedelta(microseconds=1)), {"note", "code", "korean", "text"}),
    (SearchFilters(since=START), {"note", "code", "korean", "text"}),
    (SearchFilters(since=START + timedelta(days=1)), {"code"}),
    (SearchFilters(since=START + timedelta(days=2)), {"code"}),
    (SearchFilters(since=START + timedelta(days=2, microseconds=1)), set()),
    (SearchFilters(until=START - timedelta(microseconds=1)), set()),
    (SearchFilters(until=START), {"note", "korean", "text"}),
    (SearchFilters(since=START, until=START + timedelta(days=2)), {"note", "code", "korean", "text"}),
    (SearchFilters(since=START + timedelta(days=1), until=START), set()),
    (SearchFilters(modified_since=_at(1_700_000_000)), {"note", "code", "korean", "text"}),
    (SearchFilters(modified_since=_at(1_800_000_000)), {"code"}),
    (SearchFilters(modified_since=_at(1_800_000_000) + timedelta(microseconds=1)), set()),
    (SearchFilters(modified_since=datetime.max.replace(tzinfo=UTC)), set()),
    (SearchFilters(modified_since=datetime.min.replace(tzinfo=UTC)), {"note", "code", "korean", "text"}),
    (SearchFilters(repo=("kebab",)), {"code"}),
    (SearchFilters(repo=("kebab", "other")), {"code", "text"}),
    (SearchFilters(code_lang=("rust", "go")), {"code"}),
    (SearchFilters(code_lang=("go",)), set()),
    (SearchFilters(symbol=("run_all",)), {"code"}),
    (SearchFilters(symbol=("none", "Main::runAll()")), {"code"}),
    (SearchFilters(symbol=("main run_all",)), {"code"}),
    (SearchFilters(symbol=("run",)), set()),
    (SearchFilters(symbol=("Other.run_all", "Main", "..")), set()),
    (SearchFilters(symbol=("run_all",), code_lang=("go",)), set()),
    (SearchFilters(source_id=(SourceId("work"),)), {"text"}),
    (SearchFilters(source_id=(SourceId("home"),)), set()),
    (SearchFilters(source_type=(SourceType.NOTE, SourceType.CODE)), {"note", "code"}),
    (SearchFilters(source_type=(SourceType.PAPER,)), set()),
    (SearchFilters(tags_any=("shared",), lang=("en",), media=("text",)), {"text"}),
    (SearchFilters(tags_any=("shared",), lang=("ko",)), set()),
]

GLOBS: list[tuple[str, set[str]]] = [
    ("notes/*.md", {"note", "korean"}),
    ("notes/?.md", {"note"}),
    ("notes/??.md", {"korean"}),
    (unicodedata.normalize("NFD", "notes/한*"), {"korean"}),
    ("*.md", set()),
    ("*", {"text"}),
    ("**", {"note", "korean", "code", "text"}),
    ("**/*.md", {"note", "korean"}),
    ("**/a.*", {"note", "text"}),
    ("src/*", set()),
    ("src/**", {"code"}),
    ("src/**/main.rs", {"code"}),
    ("src/deep/er/**/main.rs", {"code"}),
    ("src?deep/**", set()),
    ("notes/[ab].md", {"note"}),
    ("notes/[!ab].md", set()),
    ("notes/[가-힣][가-힣].md", {"korean"}),
    ("NOTES/*", set()),
    ("notes/a.m", set()),
    ("notes/a%md", set()),
    ("work:**", {"text"}),
    ("work:*.txt", {"text"}),
    ("work:notes/**", set()),
    ("home:**", set()),
    ("w?rk:*", {"text"}),
    ("work:**/*.txt", {"text"}),
    ("work:/a.txt", {"text"}),
    ("default:**/*.md", {"note", "korean"}),
]


class DocumentFilterLaws(StoreFixtures):
    """Base of `DocumentStoreLaws`."""

    @pytest.mark.parametrize(("filters", "expected"), SEARCHES)
    def test_a_search_filter_lets_exactly_these_pass(
        self, store: DocumentStore, filters: SearchFilters, expected: set[str]
    ) -> None:
        ids = _stored(store)
        assert store.resolve_filters(filters) == frozenset(ids[name] for name in expected)

    @pytest.mark.parametrize("name", sorted(LIBRARY))
    def test_a_document_id_lets_only_its_document_pass(self, store: DocumentStore, name: str) -> None:
        ids = _stored(store)
        assert store.resolve_filters(SearchFilters(doc_id=(ids[name],))) == frozenset([ids[name]])
        assert store.resolve_filters(SearchFilters(doc_id=(ids[name],), lang=("xx",))) == frozenset()

    def test_two_document_ids_let_both_documents_pass(self, store: DocumentStore) -> None:
        ids = _stored(store)
        both = (ids["note"], ids["code"])
        assert store.resolve_filters(SearchFilters(doc_id=both)) == frozenset(both)
        assert store.resolve_filters(SearchFilters(doc_id=both, lang=("und",))) == frozenset([ids["code"]])
        unknown = (DocumentId("0" * 32), DocumentId("1" * 32))
        assert store.resolve_filters(SearchFilters(doc_id=unknown)) == frozenset()

    @pytest.mark.parametrize(("glob", "expected"), GLOBS)
    def test_a_glob_matches_whole_paths_and_only_two_stars_cross_folders(
        self, store: DocumentStore, glob: str, expected: set[str]
    ) -> None:
        ids = _stored(store)
        assert store.resolve_filters(SearchFilters(path_glob=(glob,))) == frozenset(
            ids[name] for name in expected
        )

    @pytest.mark.parametrize(
        ("criteria", "expected"),
        [
            (DocFilter(tags_any=("x", "y")), {"note", "korean"}),
            (DocFilter(lang=("und",)), {"code"}),
            (DocFilter(lang=("und", "ko", "fr")), {"code", "korean"}),
            (DocFilter(media=("markdown",)), {"note", "korean"}),
            (DocFilter(source_id=(SourceId("work"),)), {"text"}),
            (DocFilter(path_glob=("**/*.rs",)), {"code"}),
            (DocFilter(path_glob=("**/*.rs", "a.*")), {"code", "text"}),
            (DocFilter(path_glob=("absent/**", "gone")), set()),
            (DocFilter(lang=("ko",), media=("code",)), set()),
        ],
    )
    def test_a_listing_takes_the_same_filters(
        self, store: DocumentStore, criteria: DocFilter, expected: set[str]
    ) -> None:
        ids = _stored(store)
        assert {line.doc_id for line in store.list_documents(criteria)} == {ids[name] for name in expected}


def _stored(store: DocumentStore) -> dict[str, DocumentId]:
    records = {name: build_record(spec) for name, spec in LIBRARY.items()}
    for record in records.values():
        store.replace_document(record)
    return {name: record.document.doc_id for name, record in records.items()}
