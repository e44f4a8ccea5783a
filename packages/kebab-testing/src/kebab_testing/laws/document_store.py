"""Laws of `DocumentStore`: storing, replacing, removing, reading and counting documents."""

from __future__ import annotations

import dataclasses
import pickle
from datetime import timedelta

import pytest
from kebab_core import (
    AnalyzedChunk,
    CodeBlock,
    CommonBlock,
    CopyLook,
    DocFilter,
    DocumentStore,
    ExtractedText,
    ImageRefBlock,
    InvalidInputError,
    LongRecord,
    PageSpan,
    PdfMedia,
    SearchFilters,
    SourceFileStore,
    TextPart,
    WorkspacePath,
)

from kebab_testing.fakes.clock import START
from kebab_testing.laws.document_filters import DocumentFilterLaws
from kebab_testing.laws.stores import (
    DEFAULT,
    UNKNOWN_CHUNK,
    UNKNOWN_DOCUMENT,
    failure_of,
    scan_of,
    store_all,
)
from kebab_testing.records import RecordSpec, build_record

PAGES = ExtractedText(
    text="first\fsecond",
    parts=(
        TextPart(start=0, end=5, source_span=PageSpan(page=1)),
        TextPart(start=6, end=12, source_span=PageSpan(page=2)),
    ),
)


class DocumentStoreLaws(DocumentFilterLaws):
    """Subclass it and override the `stores` fixture."""

    @pytest.mark.parametrize(
        "spec",
        [
            RecordSpec(),
            RecordSpec(
                path="한글/회의록 #1.md",
                title="제목",
                paragraphs=("검색 규칙", "둘째 문단"),
                tags=("태그", "b"),
            ),
            RecordSpec(paragraphs=(), content=b"\x00"),
            RecordSpec(source="work", repo="kebab", code_lang="python"),
            RecordSpec(aliases=("다른 이름", 'a "quoted" one')),
            RecordSpec(text=ExtractedText(text="가나\r\n다")),
            RecordSpec(path="a.pdf", next_title="a"),
            RecordSpec(path="a.pdf", text=PAGES, media=PdfMedia()),
        ],
    )
    def test_a_stored_document_comes_back_equal(self, store: DocumentStore, spec: RecordSpec) -> None:
        record = build_record(spec)
        store.replace_document(record)
        doc_id = record.document.doc_id
        expected = record.document.model_copy(update={"indexed_at": record.indexed_at})
        assert store.get_document(doc_id) == expected
        assert store.get_asset(doc_id) == record.asset
        found = store.get_chunks([chunk.chunk_id for chunk in record.chunks])
        assert [item.chunk for item in found] == list(record.chunks)
        assert all(item.document == store.get_indexed_document(doc_id) for item in found)
        assert all(item.document.aliases == record.document.metadata.aliases for item in found)

    def test_code_of_no_language_and_pictures_of_no_file_come_back_equal(self, store: DocumentStore) -> None:
        record = build_record(RecordSpec(paragraphs=("x = 1", "alt")))
        code, picture = (
            block.model_dump(include=set(CommonBlock.model_fields)) for block in record.document.blocks
        )
        blocks = (
            CodeBlock(**code, lang=None, code="x = 1"),
            ImageRefBlock(**picture, asset_id=None, src="a.png"),
        )
        record = record.model_copy(update={"document": record.document.model_copy(update={"blocks": blocks})})
        store.replace_document(record)
        found = store.get_document(record.document.doc_id)
        assert found is not None
        assert found.blocks == blocks

    @pytest.mark.parametrize(
        "spec",
        [RecordSpec(), RecordSpec(paragraphs=()), RecordSpec(tags=("태그", "b")), RecordSpec(text=PAGES)],
    )
    def test_a_packed_document_is_stored_as_the_record_is(
        self, store: DocumentStore, spec: RecordSpec
    ) -> None:
        record = build_record(spec)
        packed = store.pack_document(record)
        assert store.get_document(record.document.doc_id) is None
        store.replace_document(pickle.loads(pickle.dumps(packed)))  # noqa: S301 - made in this line
        expected = record.document.model_copy(update={"indexed_at": record.indexed_at})
        assert store.get_document(record.document.doc_id) == expected
        assert [item.chunk for item in store.get_chunks([c.chunk_id for c in record.chunks])] == list(
            record.chunks
        )
        assert (packed.doc_id, packed.asset_id) == (record.document.doc_id, record.asset.asset_id)
        assert (packed.block_count, packed.chunk_count) == (len(record.document.blocks), len(record.chunks))

    def test_a_text_is_stored_with_its_document_and_goes_with_it(self, store: DocumentStore) -> None:
        record = build_record(RecordSpec(text=PAGES))
        doc_id = record.document.doc_id
        assert store.get_text(doc_id) is None
        store.replace_document(record)
        assert store.get_text(doc_id) == PAGES
        other = ExtractedText(text="another")
        store.replace_document(
            record.model_copy(update={"document": record.document.model_copy(update={"text": other})})
        )
        assert store.get_text(doc_id) == other
        store.remove_documents([doc_id])
        assert store.get_text(doc_id) is None
        store.replace_document(build_record(RecordSpec()))
        assert store.get_text(doc_id) is None

    @pytest.mark.parametrize("spec", [RecordSpec(), RecordSpec(paragraphs=()), RecordSpec(text=PAGES)])
    def test_a_long_record_is_stored_as_the_record_is(self, store: DocumentStore, spec: RecordSpec) -> None:
        record = build_record(spec)
        bare = record.document.model_copy(update={"blocks": ()})
        head = record.model_copy(update={"document": bare, "chunks": (), "terms": ()})
        parts = (*record.document.blocks, *map(AnalyzedChunk, record.chunks, record.terms))
        packed = store.pack_long(LongRecord(lambda _chunk_count: head, iter(parts)))
        assert store.get_document(record.document.doc_id) is None
        store.replace_document(pickle.loads(pickle.dumps(packed)))  # noqa: S301 - made in this line
        expected = record.document.model_copy(update={"indexed_at": record.indexed_at})
        assert store.get_document(record.document.doc_id) == expected
        chunk_ids = [chunk.chunk_id for chunk in record.chunks]
        assert [item.chunk for item in store.get_chunks(chunk_ids)] == list(record.chunks)
        assert (packed.block_count, packed.chunk_count) == (len(record.document.blocks), len(record.chunks))
        assert store.audit_assets(CopyLook.NAMES).strays == 0

    def test_what_another_kind_of_store_packed_is_refused(self, store: DocumentStore) -> None:
        packed = dataclasses.replace(store.pack_document(build_record(RecordSpec())), rows=b"")
        with pytest.raises(InvalidInputError):
            store.replace_document(packed)
        assert store.corpus_revision() == 0

    def test_what_is_not_stored_is_none_or_empty(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        assert store.get_document(UNKNOWN_DOCUMENT) is None
        assert store.get_asset(UNKNOWN_DOCUMENT) is None
        assert store.get_indexed_document(UNKNOWN_DOCUMENT) is None
        assert source_files.tracked_file(DEFAULT, WorkspacePath("a.md")) is None
        assert store.get_chunks([UNKNOWN_CHUNK]) == []
        assert store.neighbours(UNKNOWN_CHUNK, 3) == []
        assert store.list_chunks(UNKNOWN_DOCUMENT) == []
        assert store.remove_documents([UNKNOWN_DOCUMENT]) == 0
        assert store.list_documents(DocFilter()) == []

    def test_chunks_come_in_the_order_asked_for_without_unknown_ones(self, store: DocumentStore) -> None:
        records = store_all(store, [RecordSpec(path=f"{name}.md", paragraphs=("x", "y")) for name in "ab"])
        ids = [chunk.chunk_id for record in records for chunk in record.chunks]
        asked = [ids[3], UNKNOWN_CHUNK, ids[0], ids[2]]
        assert [found.chunk.chunk_id for found in store.get_chunks(asked)] == [ids[3], ids[0], ids[2]]

    @pytest.mark.parametrize(
        ("at", "distance", "expected"),
        [(2, 0, [2]), (2, 1, [1, 2, 3]), (0, 2, [0, 1, 2]), (4, 9, [0, 1, 2, 3, 4])],
    )
    def test_neighbours_follow_the_document_and_stop_at_its_ends(
        self, store: DocumentStore, at: int, distance: int, expected: list[int]
    ) -> None:
        record, _ = store_all(
            store, [RecordSpec(paragraphs=tuple("abcde")), RecordSpec(path="b.md", paragraphs=tuple("vwxyz"))]
        )
        found = store.neighbours(record.chunks[at].chunk_id, distance)
        assert [(chunk.doc_id, chunk.ordinal) for chunk in found] == [
            (record.document.doc_id, n) for n in expected
        ]

    def test_copies_have_the_same_content_whatever_their_source_and_path(self, store: DocumentStore) -> None:
        kept = [
            RecordSpec(path="z.md", paragraphs=("same",)),
            RecordSpec(path="a.md", paragraphs=("same",)),
            RecordSpec(path="z.md", paragraphs=("same",), source="other"),
            RecordSpec(path="b.md", paragraphs=("else",)),
        ]
        first, second, third, other = (one.document.doc_id for one in store_all(store, kept))
        found = store.find_copies({first, other})
        assert {doc_id: [one.doc_id for one in copies] for doc_id, copies in found.items()} == {
            first: [second, third]
        }
        assert store.find_copies(set()) == {}

    def test_documents_are_found_by_source_and_path(self, store: DocumentStore) -> None:
        kept = [
            RecordSpec(path="ko/a.md"),
            RecordSpec(path="ko/a.md", source="other"),
            RecordSpec(path="b.md"),
        ]
        records = store_all(store, kept)
        places = {("other", "ko/a.md"), (DEFAULT, "b.md"), (DEFAULT, "absent.md"), ("absent", "b.md")}
        found = store.find_documents(places)
        assert {one.doc_id for one in found} == {records[1].document.doc_id, records[2].document.doc_id}
        assert len(found) == 2
        assert found[0] == store.get_indexed_document(found[0].doc_id)
        assert store.find_documents(set()) == []

    def test_languages_are_those_of_the_documents(self, store: DocumentStore) -> None:
        assert store.languages() == frozenset()
        store_all(
            store, [RecordSpec(path=f"{at}.md", lang=lang) for at, lang in enumerate(("ko", "en", "ko"))]
        )
        assert store.languages() == {"en", "ko"}

    def test_chunks_of_a_document_are_listed_by_ordinal(self, store: DocumentStore) -> None:
        record, _ = store_all(
            store, [RecordSpec(paragraphs=tuple("abcde")), RecordSpec(path="b.md", paragraphs=tuple("vw"))]
        )
        assert store.list_chunks(record.document.doc_id) == list(record.chunks)

    def test_new_content_at_a_path_leaves_nothing_of_the_old(self, store: DocumentStore) -> None:
        old, new = store_all(store, [RecordSpec(paragraphs=("old", "text")), RecordSpec(paragraphs=("new",))])
        assert store.get_document(old.document.doc_id) is None
        assert store.get_chunks([chunk.chunk_id for chunk in old.chunks]) == []
        stored = store.get_document(new.document.doc_id)
        assert stored is not None
        assert stored.doc_version == old.document.doc_version + 1
        assert store.stats().doc_count == 1

    def test_replacing_a_document_by_itself_counts_its_version(self, store: DocumentStore) -> None:
        record = store_all(store, [RecordSpec()] * 3)[0]
        stored = store.get_document(record.document.doc_id)
        assert stored is not None
        assert stored.doc_version == 3
        assert store.stats().chunk_count == 1

    def test_another_parser_version_replaces_the_document(self, store: DocumentStore) -> None:
        old, new = store_all(store, [RecordSpec(), RecordSpec(parser="md-v2")])
        assert store.get_document(old.document.doc_id) is None
        assert store.get_document(new.document.doc_id) is not None

    def test_equal_paths_of_two_sources_are_two_documents(self, store: DocumentStore) -> None:
        first, second = store_all(store, [RecordSpec(), RecordSpec(source="work")])
        assert store.remove_documents([first.document.doc_id]) == 1
        assert store.get_document(second.document.doc_id) is not None

    def test_removed_documents_are_gone_with_everything(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        kept, gone = store_all(store, [RecordSpec(path="kept.md"), RecordSpec(path="gone.md")])
        assert store.remove_documents([gone.document.doc_id, UNKNOWN_DOCUMENT]) == 1
        assert store.get_chunks([chunk.chunk_id for chunk in gone.chunks]) == []
        assert source_files.tracked_file(DEFAULT, WorkspacePath("gone.md")) is None
        assert [line.doc_id for line in store.list_documents(DocFilter())] == [kept.document.doc_id]
        assert store.coverage(now=START, stale_threshold_days=0).documents_pending == 0

    def test_the_revision_rises_with_what_can_be_found_and_with_nothing_else(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        revisions = [store.corpus_revision()]
        (record,) = store_all(store, [RecordSpec()])
        revisions.append(store.corpus_revision())
        source_files.touch_file(record.document.doc_id, stamp=record.stamp, disk_path="/elsewhere")
        source_files.record_failure(failure_of("other.md"))
        source_files.record_scan(scan_of())
        store.remove_documents([UNKNOWN_DOCUMENT])
        assert store.corpus_revision() == revisions[-1]
        store.remove_documents([record.document.doc_id])
        revisions.append(store.corpus_revision())
        assert revisions == sorted(set(revisions))

    @pytest.mark.parametrize(
        ("is_scanned", "age", "threshold", "stale"),
        [
            (True, timedelta(days=30), 30, 0),
            (True, timedelta(days=30, microseconds=1), 30, 1),
            (True, timedelta(days=9999), 0, 0),
            (False, timedelta(days=30), 30, 0),
            (False, timedelta(days=30, microseconds=1), 30, 1),
            (False, timedelta(days=9999), 0, 0),
        ],
    )
    def test_a_document_is_stale_by_the_age_of_its_scan_and_before_the_first_by_its_own(
        self,
        store: DocumentStore,
        source_files: SourceFileStore,
        *,
        is_scanned: bool,
        age: timedelta,
        threshold: int,
        stale: int,
    ) -> None:
        store_all(store, [RecordSpec()])
        if is_scanned:
            source_files.record_scan(scan_of())
        assert store.coverage(now=START + age, stale_threshold_days=threshold).documents_stale == stale

    def test_ids_are_found_by_how_they_begin_those_of_documents_first(self, store: DocumentStore) -> None:
        store_all(store, [RecordSpec(path=f"{n}.md", paragraphs=("x", "y")) for n in range(20)])
        documents = sorted(line.doc_id for line in store.list_documents(DocFilter()))
        chunks = sorted(chunk.chunk_id for doc_id in documents for chunk in store.list_chunks(doc_id))
        assert store.find_ids("", limit=1000) == [*documents, *chunks]
        assert store.find_ids("", limit=3) == documents[:3]
        for known in (documents[7], chunks[11]):
            assert store.find_ids(known, limit=2) == [known]
            assert store.find_ids(known[:8], limit=2) == [known]
            assert type(store.find_ids(known, limit=2)[0]) is type(known)
            first = [each for each in (*documents, *chunks) if each.startswith(known[0])]
            assert store.find_ids(known[0], limit=1000) == first
        assert store.find_ids("ffffffffff", limit=2) == []

    def test_a_listing_by_date_has_the_newest_first_and_equal_ones_by_path(
        self, store: DocumentStore
    ) -> None:
        days = {"b.md": 1, "a.md": 1, "new.md": 2, "old.md": 0}
        store_all(
            store, [RecordSpec(path=path, at=START + timedelta(days=day)) for path, day in days.items()]
        )
        listed = [one.doc_path for one in store.list_documents(DocFilter(order="recent"))]
        assert listed == ["new.md", "a.md", "b.md", "old.md"]
        page = store.list_documents(DocFilter(order="recent", limit=2, offset=1))
        assert [one.doc_path for one in page] == listed[1:3]
        criteria = DocFilter(until=START + timedelta(days=1), limit=1, offset=1)
        assert (store.count_passing(criteria), store.count_passing(SearchFilters())) == (3, 4)

    def test_a_listing_is_ordered_and_can_be_read_in_pages(self, store: DocumentStore) -> None:
        names = ["b.md", "a/z.md", "a.md", "가.md"]
        store_all(store, [RecordSpec(path=name, tags=("t", "s"), paragraphs=("x", "y")) for name in names])
        store_all(store, [RecordSpec(source="aaa", path="z.md")])
        listed = store.list_documents(DocFilter())
        entries = store.list_entries()
        assert [one[:4] + one[5:] for one in entries] == [
            (
                one.doc_id,
                one.source_id,
                one.doc_path,
                one.title,
                one.tags,
                one.updated_at,
                one.media,
                one.lang,
            )
            for one in listed
        ]
        assert sorted(store.list_titles()) == sorted(one.title for one in listed)
        assert list(store.count_by_source().items()) == [("aaa", 1), ("default", 4)]
        assert {type(one.doc_path) for one in entries} == {type(listed[0].doc_path)}
        assert [(line.source_id, line.doc_path) for line in listed] == [
            ("aaa", "z.md"),
            ("default", "a.md"),
            ("default", "a/z.md"),
            ("default", "b.md"),
            ("default", "가.md"),
        ]
        assert (listed[1].chunk_count, listed[1].tags, listed[1].media) == (2, ("t", "s"), "markdown")
        pages = [store.list_documents(DocFilter(limit=2, offset=offset)) for offset in (0, 2, 4, 6)]
        assert [line for page in pages for line in page] == listed
        store_all(store, [RecordSpec(path="new.md", title="new")])
        assert [one.doc_path for one in store.list_entries()][-2:] == ["new.md", "가.md"]

    def test_a_title_of_metadata_that_documents_share_gives_way_to_the_next(
        self, store: DocumentStore
    ) -> None:
        def titles() -> list[str]:
            entries = store.list_entries()
            shown = [one.title for one in entries]
            indexed = [store.get_indexed_document(one.doc_id) for one in entries]
            assert [one and one.shown_title for one in indexed] == shown
            assert [one.title for one in store.list_documents(DocFilter())] == shown
            given = [one.title for one in map(store.get_document, [one.doc_id for one in entries]) if one]
            assert [one and one.title for one in indexed] == given
            assert sorted(given) == sorted(store.list_titles())
            assert all(title in {one.title, *one.aliases} for one, title in zip(entries, given, strict=True))
            return shown

        def given(path: str, text: str, next_title: str | None, title: str = "Company") -> RecordSpec:
            return RecordSpec(path=path, paragraphs=(text,), title=title, next_title=next_title)

        store_all(
            store,
            [
                given("a.pdf", "one", "a"),
                given("copies/b.pdf", "one", "b"),
                given("c.docx", "in one format", "c", title="Report"),
                given("c.pdf", "in another", "c", title="Report"),
                given("d.md", "by heading or by hand", None),
            ],
        )
        written = ["Company", "Report", "Report", "Company", "Company"]
        assert titles() == written
        shared = build_record(given("e.pdf", "five", "Offer"))
        store.replace_document(shared)
        assert titles() == ["a", "Report", "Report", "b", "Company", "Offer"]
        store.remove_documents([shared.document.doc_id])
        assert titles() == written

    def test_links_are_listed_as_they_are_written(self, store: DocumentStore) -> None:
        addresses = ['a"b\\', "../ㄱ.md#L1", '[[x]]\\"href\\":\\"y']
        store_all(
            store, [RecordSpec(source="zzz", path="z.md", links=addresses, paragraphs=("one", '"href":"no"'))]
        )
        assert [address for _, address in store.list_links()] == 2 * addresses
        store.remove_documents([doc_id for doc_id, _ in store.list_links()[:1]])
        assert store.list_links() == []

    def test_stats_count_documents_chunks_and_contents(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        store_all(
            store,
            [
                RecordSpec(path="a.md", paragraphs=("x", "y"), repo="r", code_lang="rust"),
                RecordSpec(path="b.md", paragraphs=("x", "y"), lang="ko"),
                RecordSpec(path="c.md", paragraphs=("z",), parser="md-v2"),
            ],
        )
        source_files.record_failure(failure_of("d.md"))
        stats = store.stats()
        assert (stats.doc_count, stats.chunk_count, stats.asset_count, stats.failed_file_count) == (
            3,
            5,
            2,
            1,
        )
        assert stats.docs_by_lang == {"en": 2, "ko": 1}
        assert stats.docs_by_media == {"markdown": 3}
        assert (stats.docs_by_code_lang, stats.chunks_by_code_lang, stats.docs_by_repo) == (
            {"rust": 1},
            {"rust": 2},
            {"r": 1},
        )
        assert (stats.active_parsers, stats.active_chunkers) == (("md-v1", "md-v2"), ("md-heading-v1",))
        assert (stats.analyzer_version, stats.corpus_revision) == ("words@1", store.corpus_revision())

    def test_no_filter_resolves_to_none(self, store: DocumentStore) -> None:
        store_all(store, [RecordSpec()])
        assert store.resolve_filters(SearchFilters()) is None
        assert store.resolve_filters(SearchFilters(lang=("xx",))) == frozenset()
