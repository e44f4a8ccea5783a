"""One run of ingest from its first event to its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kebab_core import (
    Aborted,
    AssetFinished,
    AssetStarted,
    Clock,
    Completed,
    CompletedScan,
    DocumentStore,
    IngestItem,
    IngestReport,
    IngestResult,
    IngestRunRepo,
    IngestSettings,
    JobRepo,
    KebabError,
    ScanCompleted,
    ScanStarted,
    SourceConnector,
    SourceEntry,
    SourceScope,
    StorageError,
    TrackedFile,
    WorkspacePath,
)

from kebab_app.ingest.book import RunBook
from kebab_app.ingest.events import EventSink, EventStream
from kebab_app.ingest.file import FileIngest, skipped_path
from kebab_app.ingest.processor import DocumentProcessor
from kebab_app.ingest.removal import find_gone, match_moves, must_hold
from kebab_app.ingest.request import CancelToken, IngestRequest, SourceTarget
from kebab_app.ingest.scan import SourceScan, describe_scope, scan_source, scope_of
from kebab_app.ingest.tally import Tally

_BYTES_PER_MB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class IngestParts:
    """What a run works with."""

    connector: SourceConnector
    documents: DocumentStore
    runs: IngestRunRepo
    jobs: JobRepo
    processor: DocumentProcessor
    clock: Clock
    settings: IngestSettings
    follow_symlinks: bool
    internal_exclude: Mapping[str, tuple[str, ...]]
    """By source: patterns for kebab's own folders where they lie inside a source."""


class IngestRun:
    """Scans the targets, brings every changed file into the store, lets go of what is gone.

    A run that is killed anywhere leaves whole documents only; the next run converges.
    """

    def __init__(
        self, parts: IngestParts, request: IngestRequest, *, sink: EventSink, cancel: CancelToken
    ) -> None:
        self._parts = parts
        self._request = request
        self._cancel = cancel
        self._events = EventStream(sink, clock=parts.clock)
        self._tally = Tally(keep_items=request.keep_items)
        self._files = FileIngest(
            connector=parts.connector,
            documents=parts.documents,
            processor=parts.processor,
            code=parts.settings.code,
            clock=parts.clock,
            verify=request.verify,
            force=request.force,
        )
        self._index = 0
        self._total = 0

    def run(self) -> IngestReport:
        """Carry the run out; the last event is `completed` or `aborted`.

        Returns:
            The report, also after a cancel.

        Raises:
            StorageError: No root could be listed, or the store failed.
        """
        scopes = [self._scope(target) for target in self._request.targets]
        book = RunBook.open(
            self._parts.runs, self._parts.jobs, self._parts.clock, [describe_scope(s) for s in scopes]
        )
        scans: list[SourceScan] = []
        try:
            with self._events.beating():
                self._scan_all(scopes, scans)
                for scan in scans:
                    self._ingest_source(scan)
                self._events.phase = "finish"
                self._parts.documents.collect_assets()
        except BaseException as error:
            self._close(book, scans, aborted=True, error=error)
            raise
        return self._close(book, scans, aborted=self._cancel.is_cancelled)

    def _scope(self, target: SourceTarget) -> SourceScope:
        return scope_of(
            target,
            exclude=self._parts.internal_exclude.get(target.source.id, ()),
            max_file_bytes=self._parts.settings.max_file_mb * _BYTES_PER_MB,
            follow=self._parts.follow_symlinks,
        )

    def _scan_all(self, scopes: list[SourceScope], scans: list[SourceScan]) -> None:
        for target, scope in zip(self._request.targets, scopes, strict=True):
            if not self._cancel.is_cancelled:
                scans.append(self._scan(target, scope))
        self._total = sum(len(scan.entries) for scan in scans)
        self._events.emit(ScanCompleted(ts=self._parts.clock.now(), total=self._total))

    def _scan(self, target: SourceTarget, scope: SourceScope) -> SourceScan:
        self._events.emit(ScanStarted(ts=self._parts.clock.now(), root=scope.root))
        try:
            return scan_source(
                target,
                scope,
                connector=self._parts.connector,
                processor=self._parts.processor,
                tally=self._tally,
                cancel=self._cancel,
            )
        except StorageError as error:
            if len(self._request.targets) == 1:
                raise
            return SourceScan(target, messages=[f"{scope.root}: {error.message}"])

    def _ingest_source(self, scan: SourceScan) -> None:
        self._events.phase = "ingest"
        changed = self._find_changed(scan)
        gone = self._find_gone(scan)
        moved = self._find_moves(gone, changed, scan) if gone else {}
        for entry in changed:
            if self._cancel.is_cancelled:
                return
            self._ingest_one(entry, scan, moved)
        if scan.finished and not self._cancel.is_cancelled:
            still_gone = [f for f in gone if f not in moved.values()]
            held = self._remove(still_gone, scan)
            self._record_scan(scan, held=held)

    def _find_changed(self, scan: SourceScan) -> list[SourceEntry]:
        changed = []
        for entry in scan.entries:
            if self._cancel.is_cancelled:
                break
            if self._files.is_unchanged(entry, scan.target.source):
                self._next_index()
                self._report(_unchanged_item(entry), started_ms=self._parts.clock.monotonic_ms())
            else:
                changed.append(entry)
        return changed

    def _ingest_one(
        self, entry: SourceEntry, scan: SourceScan, moved: Mapping[WorkspacePath, TrackedFile]
    ) -> None:
        started_ms = self._parts.clock.monotonic_ms()
        self._events.emit(
            AssetStarted(
                ts=self._parts.clock.now(),
                idx=self._next_index(),
                total=self._total,
                path=entry.workspace_path,
                media=entry.media_type.kind,
            )
        )
        item = self._files.ingest(entry, scan.target.source, moved_from=moved)
        self._report(item, started_ms=started_ms)

    def _next_index(self) -> int:
        self._index += 1
        return self._index

    def _report(self, item: IngestItem, *, started_ms: int) -> None:
        if item.kind is IngestResult.SKIPPED:
            self._tally.skip(skipped_path(item))
        else:
            self._tally.add(item)
        self._events.emit(
            AssetFinished(
                ts=self._parts.clock.now(),
                idx=self._index,
                total=self._total,
                path=item.doc_path,
                result=item.kind,
                chunks=item.chunk_count or 0,
                ms=self._parts.clock.monotonic_ms() - started_ms,
            )
        )

    def _find_gone(self, scan: SourceScan) -> list[TrackedFile]:
        if not scan.finished:
            return []
        return find_gone(
            self._parts.documents.tracked_files(scan.target.source.id),
            seen=scan.seen,
            under=scan.target.under,
            unreadable=scan.unreadable,
        )

    def _find_moves(
        self, gone: list[TrackedFile], changed: list[SourceEntry], scan: SourceScan
    ) -> Mapping[WorkspacePath, TrackedFile]:
        """Return gone files paired with new ones; only new files of a gone file's size are read for it."""
        sizes = {file.stamp.byte_len for file in gone}
        now = self._parts.clock.now()
        checksums: dict[WorkspacePath, str] = {}
        for entry in changed:
            if entry.stamp.byte_len not in sizes or self._is_tracked(entry, scan):
                continue
            try:
                checksums[entry.workspace_path] = self._parts.connector.read(
                    entry, discovered_at=now
                ).asset.checksum
            except KebabError:
                continue  # reported when the file is ingested
        return match_moves(gone, checksums).old_path_of

    def _is_tracked(self, entry: SourceEntry, scan: SourceScan) -> bool:
        source_id = scan.target.source.id
        return self._parts.documents.tracked_file(source_id, entry.workspace_path) is not None

    def _remove(self, gone: list[TrackedFile], scan: SourceScan) -> int:
        """Return how many documents of gone files are kept for the user to decide; the others are removed."""
        source_id = scan.target.source.id
        tracked = len(list(self._parts.documents.tracked_files(source_id)))
        if must_hold(gone=len(gone), tracked=tracked) and not self._request.prune:
            self._tally.hold(len(gone))
            return len(gone)
        self._parts.documents.remove_documents([file.doc_id for file in gone])
        for file in gone:
            self._parts.documents.clear_failure(source_id, file.workspace_path)
            self._tally.add(
                IngestItem(
                    kind=IngestResult.REMOVED,
                    source_id=source_id,
                    doc_path=file.workspace_path,
                    doc_id=file.doc_id,
                )
            )
        self._forget_failures(scan)
        return 0

    def _forget_failures(self, scan: SourceScan) -> None:
        """Drop failures of files that were never stored and are no longer there."""
        if not scan.is_complete:
            return
        source_id = scan.target.source.id
        for failure in self._parts.documents.list_failures():
            if failure.source_id == source_id and failure.workspace_path not in scan.seen:
                self._parts.documents.clear_failure(source_id, failure.workspace_path)

    def _record_scan(self, scan: SourceScan, *, held: int) -> None:
        if scan.is_complete:
            self._parts.documents.record_scan(
                CompletedScan(
                    source_id=scan.target.source.id,
                    root=str(scan.target.root),
                    completed_at=self._parts.clock.now(),
                    files=len(scan.entries),
                    documents_held=held,
                )
            )

    def _close(
        self, book: RunBook, scans: list[SourceScan], *, aborted: bool, error: BaseException | None = None
    ) -> IngestReport:
        report = book.close(
            self._tally,
            unreadable_folders=tuple(message for scan in scans for message in scan.messages),
            aborted=aborted,
            error=error,
        )
        terminal = Aborted if aborted else Completed
        self._events.emit(terminal(ts=report.finished_at, counts=report.counts))
        return report


def _unchanged_item(entry: SourceEntry) -> IngestItem:
    return IngestItem(kind=IngestResult.UNCHANGED, source_id=entry.source_id, doc_path=entry.workspace_path)
