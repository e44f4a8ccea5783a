"""A store of source files in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kebab_core import (
    CompletedScan,
    DocumentId,
    DocumentRecord,
    FileFailure,
    FileStamp,
    FileState,
    RawAsset,
    RememberedSkip,
    Repository,
    SourceId,
    TrackedFile,
    WorkspacePath,
    file_state,
    spelling_of,
)

from kebab_testing.fakes.document_store import InMemoryDocumentStore


class InMemorySourceFileStore:
    """Implements `SourceFileStore` over the data of a document store in memory."""

    def __init__(self, store: InMemoryDocumentStore) -> None:
        self._store = store

    def touch_file(
        self, doc_id: DocumentId, *, stamp: FileStamp, disk_path: str, asset: RawAsset | None = None
    ) -> None:
        """Record a new stamp and path of an unchanged file."""
        for key, record in self._store.records.items():
            if record.document.doc_id == doc_id:
                self._store.records[key] = record.model_copy(update={"stamp": stamp, "disk_path": disk_path})
                self._store.failures.pop(key, None)
        if asset is not None and self._store.assets[asset.asset_id].stored.kind == "reference":
            self._store.assets[asset.asset_id] = asset

    def record_failure(self, *failures: FileFailure) -> None:
        """Record files that could not be processed, and clear their skips."""
        for failure in failures:
            self._store.failures[failure.source_id, failure.workspace_path] = failure
            self.forget_skips(failure.source_id, [failure.workspace_path])

    def clear_failure(self, source_id: SourceId, workspace_path: WorkspacePath) -> None:
        """Delete the failure of a file."""
        self._store.failures.pop((source_id, workspace_path), None)

    def list_failures(self) -> list[FileFailure]:
        """Return all failures, by source and path."""
        return [self._store.failures[key] for key in sorted(self._store.failures)]

    def remember_skip(self, skip: RememberedSkip) -> None:
        """Record the reason a file is skipped."""
        key = (skip.source_id, skip.workspace_path)
        self._store.skips[key] = skip
        self._store.failures.pop(key, None)

    def forget_skips(self, source_id: SourceId, paths: Sequence[WorkspacePath]) -> None:
        """Delete the recorded skips of files."""
        for path in paths:
            self._store.skips.pop((source_id, path), None)

    def remembered_skips(self, source_id: SourceId) -> list[RememberedSkip]:
        """Return the recorded skips of a source, by path."""
        return [self._store.skips[key] for key in sorted(self._store.skips) if key[0] == source_id]

    def record_scan(self, scan: CompletedScan) -> None:
        """Record a complete scan of a source."""
        self._store.scans[scan.source_id] = scan

    def list_scans(self) -> list[CompletedScan]:
        """Return the last complete scan of each source."""
        return [self._store.scans[source] for source in sorted(self._store.scans)]

    def record_repositories(
        self, source_id: SourceId, repositories: Sequence[Repository], *, is_complete: bool
    ) -> None:
        """Record the repositories of a source."""
        kept = {
            key: each
            for key, each in self._store.repositories.items()
            if not is_complete or key[0] != source_id
        }
        self._store.repositories = kept | {(source_id, each.folder or ""): each for each in repositories}

    def list_repositories(self) -> list[Repository]:
        """Return the repositories of all sources, by source and folder."""
        return [self._store.repositories[key] for key in sorted(self._store.repositories)]

    def tracked_file(self, source_id: SourceId, workspace_path: WorkspacePath) -> TrackedFile | None:
        """Return the record of one indexed file."""
        record = self._store.records.get((source_id, workspace_path))
        return None if record is None else self._tracked(record)

    def tracked_files(self, source_id: SourceId) -> Iterator[TrackedFile]:
        """Yield the records of all indexed files of a source, by path."""
        yield from [
            self._tracked(self._store.records[key])
            for key in sorted(self._store.records)
            if key[0] == source_id
        ]

    def file_states(
        self, source_id: SourceId, *, among: Sequence[WorkspacePath] = ()
    ) -> Mapping[str, FileState]:
        """Return the state of every indexed file of a source by path; empty for files that failed last time."""
        return {
            str(file.workspace_path): FileState("")
            if file.failed
            else file_state(file.stamp, file.fingerprint, spelling_of(file.disk_path, file.workspace_path))
            for file in self.tracked_files(source_id)
            if not among or any(f"{file.workspace_path}/".startswith(f"{place}/") for place in among)
        }

    def _tracked(self, record: DocumentRecord) -> TrackedFile:
        document = record.document
        return TrackedFile(
            doc_id=document.doc_id,
            source_id=document.source_id,
            workspace_path=document.workspace_path,
            disk_path=record.disk_path,
            checksum=record.asset.checksum,
            stamp=record.stamp,
            fingerprint=record.fingerprint,
            failed=self._store.has_failed(record),
        )
