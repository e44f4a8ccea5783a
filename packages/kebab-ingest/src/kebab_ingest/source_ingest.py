"""The ingest of one source by its plan: commit changed files, remove gone ones, record the scan."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kebab_core import (
    CancelToken,
    Clock,
    CompletedScan,
    FileFailure,
    IngestFailure,
    IngestItem,
    IngestResult,
    PackedDocument,
    SkipReason,
    SourceEntry,
    SourceId,
    StepLog,
    StorageError,
    TrackedFile,
    WorkspacePath,
)

from kebab_ingest.preparation import FileTask, PrepareAll, Prepared, SameContent
from kebab_ingest.scan import is_beneath

if TYPE_CHECKING:
    from kebab_core import DocumentStore, SourceFileStore

    from kebab_ingest.commit import FileCommitter
    from kebab_ingest.picture_documents import PictureResources
    from kebab_ingest.plan import SourcePlan
    from kebab_ingest.progress import Progress
    from kebab_ingest.run_record import IngestCounters

_LOG = logging.getLogger("kebab.ingest")


@dataclass(frozen=True, kw_only=True)
class SourceIngest:
    """Carries out the plans of sources. A kill anywhere leaves whole documents."""

    documents: DocumentStore
    source_files: SourceFileStore
    committer: FileCommitter
    progress: Progress
    counters: IngestCounters
    clock: Clock
    cancel: CancelToken
    prepare_all: PrepareAll
    pictures: PictureResources | None = None
    """Knows what was read in the pictures of a file, so that it stays where the file is processed again."""

    def carry_out(self, plans: Sequence[SourcePlan]) -> bool:
        """Carry out plans; a cancel ends it after the file in hand and removes nothing more.

        Long files of all sources come after everything else, so that no other file waits for them.

        Returns:
            Whether nothing was left undone; a cancel that comes during the last file leaves nothing.
        """
        are_short_done = True
        for plan in plans:
            self._pass_by(plan)
            are_short_done &= self._ingest(plan, plan.short_files)
        is_done = True
        for plan in plans:
            is_done &= self._ingest(plan, plan.long_files) and are_short_done and self._finish(plan)
        return is_done

    def _pass_by(self, plan: SourcePlan) -> None:
        for _ in self.progress.pass_by(plan.scan.unchanged, plan.scan.skipped):
            if self.cancel.is_cancelled:
                return

    def _ingest(self, plan: SourcePlan, entries: Sequence[SourceEntry]) -> bool:
        """Store files in their order while the next ones are being prepared.

        Returns:
            Whether all were stored.
        """
        if self.cancel.is_cancelled or not entries:
            return not entries
        tracked: deque[TrackedFile | None] = deque()
        answers = self.prepare_all(self._tasks(plan, entries, tracked))
        for entry in entries:
            if self.cancel.is_cancelled:
                return False
            self.progress.start(entry)
            prepared = next(answers)
            self._commit(prepared, plan, tracked=tracked.popleft())
        return True

    def _tasks(
        self, plan: SourcePlan, entries: Sequence[SourceEntry], tracked: deque[TrackedFile | None]
    ) -> Iterator[FileTask]:
        """Yield the tasks; what the store holds of each file is appended to `tracked` for its commit."""
        for entry in entries:
            is_known = entry.workspace_path in plan.previous.states
            known = (
                self.source_files.tracked_file(entry.source_id, entry.workspace_path) if is_known else None
            )
            tracked.append(known)
            task = plan.previous.make_task(entry, known, at=self.clock.now())
            if self.pictures and (before := known or plan.moved_from.get(entry.workspace_path)):
                known_pictures = self.pictures.find_facts(before.doc_id, before.checksum)
                task = replace(task, pictures=known_pictures, pictures_of=before.checksum)
            yield replace(task, is_timed=True) if _LOG.isEnabledFor(logging.DEBUG) else task

    def _commit(self, prepared: Prepared, plan: SourcePlan, *, tracked: TrackedFile | None) -> None:
        path = prepared.task.entry.workspace_path
        moved_from = plan.moved_from.get(path)
        attached = self._commit_attached(prepared, plan, moved_from=moved_from)
        steps = StepLog(self.clock, is_on=_LOG.isEnabledFor(logging.DEBUG))
        commit_started_ms = self.clock.monotonic_ms()
        item = self.committer.commit(prepared.task, prepared.outcome, tracked=tracked, moved_from=moved_from)
        if steps.is_on:
            _log_file(steps, prepared, item)
        ms = None if prepared.ms is None else prepared.ms + self.clock.monotonic_ms() - commit_started_ms
        self.progress.finish(item, ms=ms)
        if item.kind is IngestResult.SKIPPED and tracked is not None:
            attached.append(_removed_item(tracked))  # what was stored of it went with the skip
        for each in attached:
            self.progress.total += 1
            self.counters.scanned += each.kind is not IngestResult.REMOVED
            self.progress.finish(each)
        if moved_from is not None and item.kind is not IngestResult.MOVED:
            # not stored at its new path, and gone from the old one, with the files that it held
            paths = plan.previous.find_attached(moved_from.workspace_path)
            gone = (self._tracked(prepared.task.entry, path) for path in paths)
            plan.removals += [moved_from, *(file for file in gone if file is not None)]
            self.progress.total += 1 + len(paths)

    def _commit_attached(
        self, prepared: Prepared, plan: SourcePlan, *, moved_from: TrackedFile | None
    ) -> list[IngestItem]:
        """Commit the files that a file holds, and remove those that it does not hold any more.

        They come before the file itself: a run that is killed in between finds that changed again.

        Returns:
            Their results, which the plan did not count.
        """
        entry = prepared.task.entry
        known = plan.previous.find_attached(entry.workspace_path)
        if isinstance(prepared.outcome, SameContent):
            return [item for path in known if (item := self._touch_attached(entry, path, prepared.outcome))]
        if not isinstance(prepared.outcome, PackedDocument | SkipReason):
            return []  # what was stored before stays
        items: list[IngestItem] = []
        for each in prepared.attached:
            path = each.task.entry.workspace_path
            former = None if moved_from is None else f"{moved_from.workspace_path}/{path.name}"
            moved = None if former is None else self._tracked(entry, former)
            tracked = self._tracked(entry, path)
            items.append(self.committer.commit(each.task, each.outcome, tracked=tracked, moved_from=moved))
        held = {each.task.entry.workspace_path for each in prepared.attached}
        before = [] if moved_from is None else plan.previous.find_attached(moved_from.workspace_path)
        for path in (*known, *before):
            if path not in held:
                self.source_files.clear_failure(entry.source_id, path)
                if gone := self._tracked(entry, path):
                    self.documents.remove_documents([gone.doc_id])
                    items.append(_removed_item(gone))
        former_skips = [skip.workspace_path for skip in plan.previous.find_skipped(entry.workspace_path)]
        if gone_skips := [path for path in former_skips if path not in held]:
            self.source_files.forget_skips(entry.source_id, gone_skips)
        return items

    def _touch_attached(
        self, outer: SourceEntry, path: WorkspacePath, same: SameContent
    ) -> IngestItem | None:
        tracked = self._tracked(outer, path)
        if tracked is None:
            return None
        disk_path = f"{outer.disk_path}/{path.name}"
        self.source_files.touch_file(tracked.doc_id, stamp=same.stamp, disk_path=disk_path)
        return IngestItem(
            kind=IngestResult.UNCHANGED, source_id=outer.source_id, doc_path=path, doc_id=tracked.doc_id
        )

    def _tracked(self, entry: SourceEntry, path: str) -> TrackedFile | None:
        return self.source_files.tracked_file(entry.source_id, WorkspacePath(path))

    def _finish(self, plan: SourcePlan) -> bool:
        """Remove what is gone and record the scan, once all files of the plan are done.

        Returns:
            Whether that could be done.
        """
        if not plan.is_whole or (plan.removals and self.cancel.is_cancelled):
            return False
        self._remove(plan.removals)
        self.counters.held += plan.held
        if not plan.held:
            self._forget_failures(plan)
            self._forget_skips(plan)
        for folder, message in plan.scan.unreadable.items():
            self._record_unreadable(plan, folder, IngestFailure(code=StorageError.code, message=message))
        self.source_files.record_repositories(
            SourceId(plan.scan.target.source.id), plan.scan.repositories, is_complete=plan.scan.is_complete
        )
        if plan.scan.is_complete:
            self.source_files.record_scan(
                CompletedScan(
                    source_id=SourceId(plan.scan.target.source.id),
                    root=str(plan.scan.target.root),
                    completed_at=self.clock.now(),
                    files=plan.scan.files,
                    documents_held=plan.held,
                )
            )
        return True

    def _remove(self, files: list[TrackedFile]) -> None:
        self.documents.remove_documents([file.doc_id for file in files])
        for file in files:
            self.progress.finish(_removed_item(file))

    def _record_unreadable(self, plan: SourcePlan, folder: WorkspacePath, failure: IngestFailure) -> None:
        """Record the failure of a folder, also for every document beneath it: its file was not seen."""
        source_id = SourceId(plan.scan.target.source.id)
        beneath = [WorkspacePath(path) for path in plan.previous.states if is_beneath(path, folder)]
        at = self.clock.now()
        self.source_files.record_failure(*[
            FileFailure(source_id=source_id, workspace_path=path, failure=failure, failed_at=at)
            for path in (folder, *beneath)
        ])
        _LOG.warning("could not look into %s: %s", folder, failure.message)

    def _forget_failures(self, plan: SourcePlan) -> None:
        """Drop the failures of files that are no longer there."""
        scan = plan.scan
        for failure in self.source_files.list_failures():
            if failure.source_id == scan.target.source.id and scan.is_missing(failure.workspace_path):
                self.source_files.clear_failure(failure.source_id, failure.workspace_path)

    def _forget_skips(self, plan: SourcePlan) -> None:
        """Drop the skip reasons of files that are no longer there."""
        if gone := plan.scan.find_missing(plan.previous.skips):
            self.source_files.forget_skips(SourceId(plan.scan.target.source.id), gone)


def _log_file(steps: StepLog, prepared: Prepared, item: IngestItem) -> None:
    """Write the lines of one file, with the id of its document, or its path where it has none."""
    file: dict[str, Any] = {"doc_id": str(item.doc_id)} if item.doc_id else {"path": str(item.doc_path)}
    for name, ms in prepared.steps:
        _LOG.debug(name, extra=steps.extra(ms=ms, **file))
    outcome = prepared.outcome
    chunk_ids = outcome.first_chunk_ids if isinstance(outcome, PackedDocument) and item.error is None else ()
    _LOG.debug(
        "commit",
        extra=steps.extra(
            **file, result=item.kind.value, chunks=item.chunk_count, chunk_ids=list(map(str, chunk_ids))
        ),
    )


def _removed_item(file: TrackedFile) -> IngestItem:
    return IngestItem(
        kind=IngestResult.REMOVED, source_id=file.source_id, doc_path=file.workspace_path, doc_id=file.doc_id
    )
