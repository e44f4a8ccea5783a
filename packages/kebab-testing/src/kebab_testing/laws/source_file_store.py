"""Laws of `SourceFileStore`: stamps, failures, skips and scans, and their effect on documents."""

from __future__ import annotations

from datetime import timedelta

from kebab_core import (
    DocFilter,
    DocumentStore,
    FileStamp,
    RememberedSkip,
    Repository,
    SearchFilters,
    SkipReason,
    SourceFileStore,
    SourceId,
    WorkspacePath,
    file_state,
    spelling_of,
)

from kebab_testing.fakes.clock import START
from kebab_testing.laws.stores import (
    DEFAULT,
    StoreFixtures,
    failure_of,
    scan_of,
    store_all,
)
from kebab_testing.records import RecordSpec


class SourceFileStoreLaws(StoreFixtures):
    """Subclass it and override the `stores` fixture."""

    def test_a_tracked_file_tells_stamp_checksum_and_fingerprint(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        records = store_all(store, [RecordSpec(path=path) for path in ("b.md", "a.md", "가.md")])
        store_all(store, [RecordSpec(source="work")])
        tracked = list(source_files.tracked_files(DEFAULT))
        assert [file.workspace_path for file in tracked] == ["a.md", "b.md", "가.md"]
        assert tracked[1] == source_files.tracked_file(DEFAULT, WorkspacePath("b.md"))
        assert (tracked[1].stamp, tracked[1].disk_path) == (records[0].stamp, records[0].disk_path)
        assert (tracked[1].checksum, tracked[1].fingerprint) == (records[0].asset.checksum, "fingerprint")

    def test_file_states_are_those_of_tracked_files_and_empty_where_reading_failed(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        store_all(store, [RecordSpec(path=path) for path in ("b.md", "a.md", "가.md")])
        store_all(store, [RecordSpec(source="work")])
        source_files.record_failure(failure_of("b.md"), failure_of("never.md"))
        respelled = source_files.tracked_file(DEFAULT, WorkspacePath("가.md"))
        assert respelled is not None
        source_files.touch_file(respelled.doc_id, stamp=respelled.stamp, disk_path="/notes/\u1100\u1161.md")
        states: dict[str, str] = {
            file.workspace_path: file_state(
                file.stamp, file.fingerprint, spelling_of(file.disk_path, file.workspace_path)
            )
            for file in source_files.tracked_files(DEFAULT)
            if not file.failed
        }
        assert source_files.file_states(DEFAULT) == {**states, "b.md": ""}
        assert "\u1100\u1161" in states["가.md"]

    def test_file_states_can_be_asked_of_some_files_and_folders(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        paths = ("a.md", "a/b.md", "a/b/c.md", "a/가.md", "a0.md", "ab/c.md", "z.md")
        store_all(store, [RecordSpec(path=path) for path in paths])
        store_all(store, [RecordSpec(path="a/other.md", source="work")])
        every = source_files.file_states(DEFAULT)
        asked = {
            "a": {"a/b.md", "a/b/c.md", "a/가.md"},
            "a/b": {"a/b/c.md"},
            "a.md": {"a.md"},
            "gone.md": set(),
        }
        for place, found in asked.items():
            states = source_files.file_states(DEFAULT, among=[WorkspacePath(place)])
            assert states == {path: every[path] for path in found}
        two = source_files.file_states(DEFAULT, among=[WorkspacePath("z.md"), WorkspacePath("ab")])
        assert set(two) == {"z.md", "ab/c.md"}

    def test_a_document_belongs_to_the_innermost_repository_around_it(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        paths = ["a.md", "api/x.md", "api/lib/y.md", "api2/z.md", "apix.md"]
        store_all(store, [RecordSpec(path=path) for path in paths])
        whole = Repository(name="all", branch="main", commit="a" * 40)
        inner = Repository(folder=WorkspacePath("api"), name="api", remote="https://example.org/o/api.git")
        innermost = Repository(folder=WorkspacePath("api/lib"), name="lib")
        source_files.record_repositories(DEFAULT, [whole, innermost, inner], is_complete=True)
        assert source_files.list_repositories() == [whole, inner, innermost]
        for name, found in {
            "all": {"a.md", "api2/z.md", "apix.md"},
            "api": {"api/x.md"},
            "lib": {"api/lib/y.md"},
        }.items():
            listed = store.list_documents(DocFilter(repo=(name,)))
            assert {str(each.doc_path) for each in listed} == found
        assert store.stats().docs_by_repo == {"all": 3, "api": 1, "lib": 1}
        chosen = store.resolve_filters(SearchFilters(repo=("lib",)))
        assert chosen is not None
        (doc_id,) = chosen
        document = store.get_indexed_document(doc_id)
        assert document is not None
        assert (document.repo, str(document.doc_path)) == ("lib", "api/lib/y.md")

    def test_repositories_that_are_gone_go_only_after_a_complete_scan(
        self, source_files: SourceFileStore
    ) -> None:
        old = Repository(folder=WorkspacePath("old"), name="old", branch="main")
        new = Repository(folder=WorkspacePath("new"), name="new")
        other = Repository(source_id=SourceId("work"), name="other")
        source_files.record_repositories(other.source_id, [other], is_complete=True)
        source_files.record_repositories(DEFAULT, [old], is_complete=True)
        moved = old.model_copy(update={"branch": "next"})
        source_files.record_repositories(DEFAULT, [new, moved], is_complete=False)
        assert source_files.list_repositories() == [new, moved, other]
        source_files.record_repositories(DEFAULT, [], is_complete=False)
        assert source_files.list_repositories() == [new, moved, other]
        source_files.record_repositories(DEFAULT, [new], is_complete=True)
        assert source_files.list_repositories() == [new, other]
        source_files.record_repositories(DEFAULT, [], is_complete=True)
        assert source_files.list_repositories() == [other]

    def test_a_skip_is_remembered_by_source_and_path_until_it_is_forgotten(
        self, source_files: SourceFileStore
    ) -> None:
        source_files.remember_skip(_skip("a.md", SkipReason.GENERATED))
        for skip in (_skip("b.md"), _skip("a.md"), _skip("a.md", source="work")):
            source_files.remember_skip(skip)
        assert source_files.remembered_skips(DEFAULT) == [_skip("a.md"), _skip("b.md")]
        source_files.forget_skips(DEFAULT, [WorkspacePath("a.md"), WorkspacePath("never.md")])
        assert source_files.remembered_skips(DEFAULT) == [_skip("b.md")]
        assert source_files.remembered_skips(SourceId("work")) == [_skip("a.md", source="work")]

    def test_a_skip_forgets_a_failure_and_is_forgotten_when_the_file_is_stored(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        source_files.record_failure(failure_of("a.md"))
        source_files.remember_skip(_skip("a.md"))
        assert source_files.list_failures() == []
        store_all(store, [RecordSpec(path="a.md")])
        assert source_files.remembered_skips(DEFAULT) == []

    def test_a_failure_forgets_the_skip_of_its_file(self, source_files: SourceFileStore) -> None:
        source_files.remember_skip(_skip("a.md"))
        source_files.remember_skip(_skip("b.md"))
        source_files.record_failure(failure_of("a.md"))
        assert source_files.remembered_skips(DEFAULT) == [_skip("b.md")]

    def test_touching_a_file_changes_its_stamp_and_forgets_its_failure(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        (record,) = store_all(store, [RecordSpec(path="a.md")])
        source_files.record_failure(failure_of("a.md"))
        stamp = FileStamp(byte_len=10, mtime_ns=-1, inode=2**64 - 1, ctime_ns=2**64 - 2)
        source_files.touch_file(record.document.doc_id, stamp=stamp, disk_path="/moved/a.md")
        tracked = source_files.tracked_file(DEFAULT, WorkspacePath("a.md"))
        assert tracked is not None
        assert (tracked.stamp, tracked.disk_path, tracked.failed) == (stamp, "/moved/a.md", False)

    def test_a_failed_file_keeps_its_old_version_and_counts_as_changed(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        (record,) = store_all(store, [RecordSpec(path="a.md")])
        failures = [failure_of("a.md"), failure_of("new.md")]
        for failure in reversed(failures):
            source_files.record_failure(failure)
        assert source_files.list_failures() == failures
        document = store.get_indexed_document(record.document.doc_id)
        tracked = source_files.tracked_file(DEFAULT, WorkspacePath("a.md"))
        assert document is not None
        assert tracked is not None
        assert (document.changed_on_disk, tracked.failed) == (True, True)
        coverage = store.coverage(now=START, stale_threshold_days=0)
        assert (coverage.documents_indexed, coverage.documents_failed, coverage.documents_stale) == (1, 2, 1)

    def test_a_folder_that_failed_is_not_counted_beside_the_documents_beneath_it(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        store_all(store, [RecordSpec(path="sub/a.md"), RecordSpec(path="subway.md")])
        source_files.record_failure(failure_of("sub"), failure_of("sub/a.md"), failure_of("subway.md"))
        assert store.coverage(now=START, stale_threshold_days=0).documents_failed == 2
        assert store.stats().failed_file_count == 2

    def test_a_failure_is_forgotten_when_cleared_or_when_the_file_is_stored(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        source_files.record_failure(failure_of("a.md"), failure_of("b.md"))
        source_files.clear_failure(DEFAULT, WorkspacePath("b.md"))
        store_all(store, [RecordSpec(path="a.md")])
        assert source_files.list_failures() == []

    def test_the_last_complete_scan_of_a_source_dates_its_documents(
        self, store: DocumentStore, source_files: SourceFileStore
    ) -> None:
        (record,) = store_all(store, [RecordSpec()])
        later = scan_of().model_copy(update={"completed_at": START + timedelta(days=1), "documents_held": 2})
        for scan in (scan_of(), later, scan_of("another")):
            source_files.record_scan(scan)
        assert source_files.list_scans() == [scan_of("another"), later]
        document = store.get_indexed_document(record.document.doc_id)
        assert document is not None
        assert document.last_complete_scan_at == later.completed_at
        assert store.coverage(now=START, stale_threshold_days=0).documents_held == 2


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
