"""What every `DocumentStore` does with documents."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Sequence
from datetime import timedelta

import pytest
from kebab_core import (
    AnalyzedChunk,
    ChunkId,
    CompletedScan,
    DocFilter,
    DocumentId,
    DocumentRecord,
    DocumentStore,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingVersion,
    FileFailure,
    FileStamp,
    IngestFailure,
    InvalidInputError,
    LongRecord,
    RememberedSkip,
    SearchFilters,
    SkipReason,
    SourceId,
    WorkspacePath,
    file_state,
    spelling_of,
)

from kebab_testing.fakes.clock import START
from kebab_testing.laws.asset_storage import AssetStorageLaws
from kebab_testing.laws.document_filters import DocumentFilterLaws
from kebab_testing.records import RecordSpec, build_record

DEFAULT = SourceId("default")
UNKNOWN_DOCUMENT = DocumentId("0" * 32)
UNKNOWN_CHUNK = ChunkId("0" * 32)
MODEL = EmbeddingIdentity(
    model_id=EmbeddingModelId("hash"), model_version=EmbeddingVersion("1+0123456789ab"), dimensions=4
)


class DocumentStoreLaws(AssetStorageLaws, DocumentFilterLaws):
    """Subclass it and override the `store` fixture with an empty store of `copy_threshold_bytes`."""

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

    @pytest.mark.parametrize(
        "spec", [RecordSpec(), RecordSpec(paragraphs=()), RecordSpec(tags=("태그", "b"))]
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

    @pytest.mark.parametrize("spec", [RecordSpec(), RecordSpec(paragraphs=())])
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
        assert store.audit_assets().strays == 0

    def test_what_another_kind_of_store_packed_is_refused(self, store: DocumentStore) -> None:
        packed = dataclasses.replace(store.pack_document(build_record(RecordSpec())), rows=b"")
        with pytest.raises(InvalidInputError):
            store.replace_document(packed)
        assert store.corpus_revision() == 0

    def test_what_is_not_stored_is_none_or_empty(self, store: DocumentStore) -> None:
        assert store.get_document(UNKNOWN_DOCUMENT) is None
        assert store.get_asset(UNKNOWN_DOCUMENT) is None
        assert store.get_indexed_document(UNKNOWN_DOCUMENT) is None
        assert store.tracked_file(DEFAULT, WorkspacePath("a.md")) is None
        assert store.get_chunks([UNKNOWN_CHUNK]) == []
        assert store.neighbours(UNKNOWN_CHUNK, 3) == []
        assert store.list_chunks(UNKNOWN_DOCUMENT) == []
        assert store.remove_documents([UNKNOWN_DOCUMENT]) == 0
        assert store.list_documents(DocFilter()) == []

    def test_chunks_come_in_the_order_asked_for_without_unknown_ones(self, store: DocumentStore) -> None:
        records = _store_all(store, [RecordSpec(path=f"{name}.md", paragraphs=("x", "y")) for name in "ab"])
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
        record, _ = _store_all(
            store, [RecordSpec(paragraphs=tuple("abcde")), RecordSpec(path="b.md", paragraphs=tuple("vwxyz"))]
        )
        found = store.neighbours(record.chunks[at].chunk_id, distance)
        assert [(chunk.doc_id, chunk.ordinal) for chunk in found] == [
            (record.document.doc_id, n) for n in expected
        ]

    def test_chunks_of_a_document_are_listed_by_ordinal(self, store: DocumentStore) -> None:
        record, _ = _store_all(
            store, [RecordSpec(paragraphs=tuple("abcde")), RecordSpec(path="b.md", paragraphs=tuple("vw"))]
        )
        assert store.list_chunks(record.document.doc_id) == list(record.chunks)

    def test_new_content_at_a_path_leaves_nothing_of_the_old(self, store: DocumentStore) -> None:
        old, new = _store_all(
            store, [RecordSpec(paragraphs=("old", "text")), RecordSpec(paragraphs=("new",))]
        )
        assert store.get_document(old.document.doc_id) is None
        assert store.get_chunks([chunk.chunk_id for chunk in old.chunks]) == []
        stored = store.get_document(new.document.doc_id)
        assert stored is not None
        assert stored.doc_version == old.document.doc_version + 1
        assert store.stats().doc_count == 1

    def test_replacing_a_document_by_itself_counts_its_version(self, store: DocumentStore) -> None:
        record = _store_all(store, [RecordSpec()] * 3)[0]
        stored = store.get_document(record.document.doc_id)
        assert stored is not None
        assert stored.doc_version == 3
        assert store.stats().chunk_count == 1

    def test_another_parser_version_replaces_the_document(self, store: DocumentStore) -> None:
        old, new = _store_all(store, [RecordSpec(), RecordSpec(parser="md-v2")])
        assert store.get_document(old.document.doc_id) is None
        assert store.get_document(new.document.doc_id) is not None

    def test_equal_paths_of_two_sources_are_two_documents(self, store: DocumentStore) -> None:
        first, second = _store_all(store, [RecordSpec(), RecordSpec(source="work")])
        assert store.remove_documents([first.document.doc_id]) == 1
        assert store.get_document(second.document.doc_id) is not None

    def test_removed_documents_are_gone_with_everything(self, store: DocumentStore) -> None:
        kept, gone = _store_all(
            store, [RecordSpec(path="kept.md"), RecordSpec(path="gone.md", embedding=MODEL)]
        )
        assert store.remove_documents([gone.document.doc_id, UNKNOWN_DOCUMENT]) == 1
        assert store.get_chunks([chunk.chunk_id for chunk in gone.chunks]) == []
        assert store.tracked_file(DEFAULT, WorkspacePath("gone.md")) is None
        assert [line.doc_id for line in store.list_documents(DocFilter())] == [kept.document.doc_id]
        assert store.coverage(now=START, stale_threshold_days=0).documents_pending == 0

    def test_the_revision_rises_with_what_can_be_found_and_with_nothing_else(
        self, store: DocumentStore
    ) -> None:
        revisions = [store.corpus_revision()]
        (record,) = _store_all(store, [RecordSpec()])
        revisions.append(store.corpus_revision())
        store.touch_file(record.document.doc_id, stamp=record.stamp, disk_path="/elsewhere")
        store.record_failure(_failure("other.md"))
        store.record_scan(_scan())
        store.remove_documents([UNKNOWN_DOCUMENT])
        assert store.corpus_revision() == revisions[-1]
        store.remove_documents([record.document.doc_id])
        revisions.append(store.corpus_revision())
        assert revisions == sorted(set(revisions))

    def test_a_tracked_file_tells_stamp_checksum_and_fingerprint(self, store: DocumentStore) -> None:
        records = _store_all(store, [RecordSpec(path=path) for path in ("b.md", "a.md", "가.md")])
        _store_all(store, [RecordSpec(source="work")])
        tracked = list(store.tracked_files(DEFAULT))
        assert [file.workspace_path for file in tracked] == ["a.md", "b.md", "가.md"]
        assert tracked[1] == store.tracked_file(DEFAULT, WorkspacePath("b.md"))
        assert (tracked[1].stamp, tracked[1].disk_path) == (records[0].stamp, records[0].disk_path)
        assert (tracked[1].checksum, tracked[1].fingerprint) == (records[0].asset.checksum, "fingerprint")

    def test_file_states_are_those_of_tracked_files_and_empty_where_reading_failed(
        self, store: DocumentStore
    ) -> None:
        _store_all(store, [RecordSpec(path=path) for path in ("b.md", "a.md", "가.md")])
        _store_all(store, [RecordSpec(source="work")])
        store.record_failure(_failure("b.md"), _failure("never.md"))
        respelled = store.tracked_file(DEFAULT, WorkspacePath("가.md"))
        assert respelled is not None
        store.touch_file(respelled.doc_id, stamp=respelled.stamp, disk_path="/notes/\u1100\u1161.md")
        states: dict[str, str] = {
            file.workspace_path: file_state(
                file.stamp, file.fingerprint, spelling_of(file.disk_path, file.workspace_path)
            )
            for file in store.tracked_files(DEFAULT)
            if not file.failed
        }
        assert store.file_states(DEFAULT) == {**states, "b.md": ""}
        assert "\u1100\u1161" in states["가.md"]

    def test_a_skip_is_remembered_by_source_and_path_until_it_is_forgotten(
        self, store: DocumentStore
    ) -> None:
        store.remember_skip(_skip("a.md", SkipReason.GENERATED))
        for skip in (_skip("b.md"), _skip("a.md"), _skip("a.md", source="work")):
            store.remember_skip(skip)
        assert store.remembered_skips(DEFAULT) == [_skip("a.md"), _skip("b.md")]
        store.forget_skips(DEFAULT, [WorkspacePath("a.md"), WorkspacePath("never.md")])
        assert store.remembered_skips(DEFAULT) == [_skip("b.md")]
        assert store.remembered_skips(SourceId("work")) == [_skip("a.md", source="work")]

    def test_a_skip_forgets_a_failure_and_is_forgotten_when_the_file_is_stored(
        self, store: DocumentStore
    ) -> None:
        store.record_failure(_failure("a.md"))
        store.remember_skip(_skip("a.md"))
        assert store.list_failures() == []
        _store_all(store, [RecordSpec(path="a.md")])
        assert store.remembered_skips(DEFAULT) == []

    def test_touching_a_file_changes_its_stamp_and_forgets_its_failure(self, store: DocumentStore) -> None:
        (record,) = _store_all(store, [RecordSpec(path="a.md")])
        store.record_failure(_failure("a.md"))
        stamp = FileStamp(byte_len=10, mtime_ns=-1, inode=2**64 - 1, ctime_ns=2**64 - 2)
        store.touch_file(record.document.doc_id, stamp=stamp, disk_path="/moved/a.md")
        tracked = store.tracked_file(DEFAULT, WorkspacePath("a.md"))
        assert tracked is not None
        assert (tracked.stamp, tracked.disk_path, tracked.failed) == (stamp, "/moved/a.md", False)

    def test_a_failed_file_keeps_its_old_version_and_counts_as_changed(self, store: DocumentStore) -> None:
        (record,) = _store_all(store, [RecordSpec(path="a.md")])
        failures = [_failure("a.md"), _failure("new.md")]
        for failure in reversed(failures):
            store.record_failure(failure)
        assert store.list_failures() == failures
        document = store.get_indexed_document(record.document.doc_id)
        tracked = store.tracked_file(DEFAULT, WorkspacePath("a.md"))
        assert document is not None
        assert tracked is not None
        assert (document.changed_on_disk, tracked.failed) == (True, True)
        coverage = store.coverage(now=START, stale_threshold_days=0)
        assert (coverage.documents_indexed, coverage.documents_failed, coverage.documents_stale) == (1, 2, 1)

    def test_a_folder_that_failed_is_not_counted_beside_the_documents_beneath_it(
        self, store: DocumentStore
    ) -> None:
        _store_all(store, [RecordSpec(path="sub/a.md"), RecordSpec(path="subway.md")])
        store.record_failure(_failure("sub"), _failure("sub/a.md"), _failure("subway.md"))
        assert store.coverage(now=START, stale_threshold_days=0).documents_failed == 2
        assert store.stats().failed_file_count == 2

    def test_a_failure_is_forgotten_when_cleared_or_when_the_file_is_stored(
        self, store: DocumentStore
    ) -> None:
        store.record_failure(_failure("a.md"), _failure("b.md"))
        store.clear_failure(DEFAULT, WorkspacePath("b.md"))
        _store_all(store, [RecordSpec(path="a.md")])
        assert store.list_failures() == []

    def test_the_last_complete_scan_of_a_source_dates_its_documents(self, store: DocumentStore) -> None:
        (record,) = _store_all(store, [RecordSpec()])
        later = _scan().model_copy(update={"completed_at": START + timedelta(days=1), "documents_held": 2})
        for scan in (_scan(), later, _scan("another")):
            store.record_scan(scan)
        assert store.list_scans() == [_scan("another"), later]
        document = store.get_indexed_document(record.document.doc_id)
        assert document is not None
        assert document.last_complete_scan_at == later.completed_at
        assert store.coverage(now=START, stale_threshold_days=0).documents_held == 2

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
        self, store: DocumentStore, *, is_scanned: bool, age: timedelta, threshold: int, stale: int
    ) -> None:
        _store_all(store, [RecordSpec()])
        if is_scanned:
            store.record_scan(_scan())
        assert store.coverage(now=START + age, stale_threshold_days=threshold).documents_stale == stale

    def test_documents_that_need_vectors_are_pending(self, store: DocumentStore) -> None:
        _store_all(store, [RecordSpec(), RecordSpec(path="b.md", paragraphs=("x", "y"), embedding=MODEL)])
        coverage = store.coverage(now=START, stale_threshold_days=0)
        assert (coverage.documents_indexed, coverage.documents_pending, coverage.legs) == (2, 1, ())
        assert store.stats().pending_document_count == 1

    def test_a_listing_is_ordered_and_can_be_read_in_pages(self, store: DocumentStore) -> None:
        names = ["b.md", "a/z.md", "a.md", "가.md"]
        _store_all(store, [RecordSpec(path=name, tags=("t", "s"), paragraphs=("x", "y")) for name in names])
        _store_all(store, [RecordSpec(source="aaa", path="z.md")])
        listed = store.list_documents(DocFilter())
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

    def test_stats_count_documents_chunks_and_contents(self, store: DocumentStore) -> None:
        _store_all(
            store,
            [
                RecordSpec(path="a.md", paragraphs=("x", "y"), repo="r", code_lang="rust"),
                RecordSpec(path="b.md", paragraphs=("x", "y"), lang="ko"),
                RecordSpec(path="c.md", paragraphs=("z",), parser="md-v2"),
            ],
        )
        store.record_failure(_failure("d.md"))
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
        _store_all(store, [RecordSpec()])
        assert store.resolve_filters(SearchFilters()) is None
        assert store.resolve_filters(SearchFilters(lang=("xx",))) == frozenset()


def _store_all(store: DocumentStore, specs: Sequence[RecordSpec]) -> list[DocumentRecord]:
    records = [build_record(spec) for spec in specs]
    for record in records:
        store.replace_document(record)
    return records


def _skip(
    path: str, reason: SkipReason = SkipReason.BINARY_CONTENT, *, source: str = "default"
) -> RememberedSkip:
    return RememberedSkip(
        source_id=SourceId(source),
        workspace_path=WorkspacePath(path),
        stamp=FileStamp(byte_len=3, mtime_ns=2**63, inode=2**64 - 1, ctime_ns=-1),
        fingerprint="rules",
        reason=reason,
    )


def _failure(path: str) -> FileFailure:
    failure = IngestFailure(code="unsupported_media", message="망가진 파일")
    return FileFailure(
        source_id=DEFAULT, workspace_path=WorkspacePath(path), failure=failure, failed_at=START
    )


def _scan(source: str = "default") -> CompletedScan:
    return CompletedScan(source_id=SourceId(source), root="/notes", completed_at=START, files=3)
