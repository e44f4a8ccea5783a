"""The commit of a prepared file: the transaction that makes its document searchable, or the record of why not."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import (
    Clock,
    FileFailure,
    IngestFailure,
    IngestItem,
    IngestResult,
    KebabError,
    PackedDocument,
    ReadonlyModeError,
    RememberedSkip,
    SkipReason,
    SourceEntry,
    StorageError,
    TrackedFile,
)

from kebab_ingest.preparation import FileTask, Outcome, SameContent, describe_bug

if TYPE_CHECKING:
    from kebab_core import DocumentStore, SourceFileStore

    from kebab_ingest.previous_state import Fingerprinter

_LOG = logging.getLogger("kebab.ingest")
_STORE_ERRORS = (StorageError, ReadonlyModeError)
"""Errors that would meet every file alike, such as a full disk."""


@dataclass(frozen=True, kw_only=True)
class FileCommitter:
    """Brings prepared files into the store, one at a time. One bad file never stops a run."""

    documents: DocumentStore
    source_files: SourceFileStore
    fingerprinter: Fingerprinter
    clock: Clock

    def commit(
        self, task: FileTask, outcome: Outcome, *, tracked: TrackedFile | None, moved_from: TrackedFile | None
    ) -> IngestItem:
        """Bring a prepared file into the store.

        Args:
            task: The file.
            outcome: Result of its preparation.
            tracked: What the store holds of its path.
            moved_from: The gone file that it was before it moved.

        Returns:
            Its line of the report. A failure is an item and leaves the previous version in place.

        Raises:
            StorageError: Nothing can be stored: the disk is full, the store damaged or locked.
            ReadonlyModeError: The store cannot be written.
        """
        try:
            return self._commit(task, outcome, tracked=tracked, moved_from=moved_from)
        except _STORE_ERRORS:
            raise
        except KebabError as error:
            return self._fail(task, IngestFailure(code=error.code, message=error.message), tracked)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a bug met in one file must not cost the others
            return self._fail(task, describe_bug(error, task.entry.workspace_path), tracked)

    def _commit(
        self, task: FileTask, outcome: Outcome, *, tracked: TrackedFile | None, moved_from: TrackedFile | None
    ) -> IngestItem:
        match outcome:
            case StorageError():
                raise outcome
            case IngestFailure():
                return self._fail(task, outcome, tracked)
            case SkipReason():
                return self._skip(task, outcome, tracked)
            case SameContent():
                return self._touch(task, outcome, tracked)
        self.documents.replace_document(outcome)
        if moved_from is not None:
            self.documents.remove_documents([moved_from.doc_id])
        return _stored_item(outcome, tracked=tracked, moved_from=moved_from)

    def _touch(self, task: FileTask, same: SameContent, tracked: TrackedFile | None) -> IngestItem:
        if tracked is not None:
            self.source_files.touch_file(
                tracked.doc_id, stamp=same.stamp, disk_path=task.entry.disk_path, asset=same.asset
            )
        doc_id = tracked.doc_id if tracked is not None else None
        return self._item(task.entry, IngestResult.UNCHANGED, doc_id=doc_id)

    def _skip(self, task: FileTask, reason: SkipReason, tracked: TrackedFile | None) -> IngestItem:
        """Record a skip; what was stored of the file no longer stands in any file and is removed with it."""
        entry = task.entry
        if tracked is not None:
            self.documents.remove_documents([tracked.doc_id])
        fingerprints = self.fingerprinter.fingerprints(entry.media_type, task.source)
        self.source_files.remember_skip(
            RememberedSkip(
                source_id=entry.source_id,
                workspace_path=entry.workspace_path,
                stamp=entry.stamp,
                fingerprint=fingerprints.skip if fingerprints is not None else "",
                reason=reason,
            )
        )
        return self._item(entry, IngestResult.SKIPPED, skip_reason=reason)

    def _fail(self, task: FileTask, failure: IngestFailure, tracked: TrackedFile | None) -> IngestItem:
        """Record a failure; its item names the earlier version, which stays."""
        entry = task.entry
        self.source_files.record_failure(
            FileFailure(
                source_id=entry.source_id,
                workspace_path=entry.workspace_path,
                failure=failure,
                failed_at=self.clock.now(),
            )
        )
        _LOG.warning("could not ingest %s: %s", entry.workspace_path, failure.message)
        doc_id = tracked.doc_id if tracked is not None else None
        return self._item(entry, IngestResult.ERROR, doc_id=doc_id, error=failure)

    @staticmethod
    def _item(entry: SourceEntry, kind: IngestResult, **details: object) -> IngestItem:
        return IngestItem.model_validate({
            "kind": kind,
            "source_id": entry.source_id,
            "doc_path": entry.workspace_path,
            "byte_len": entry.stamp.byte_len,
            **details,
        })


def _stored_item(
    document: PackedDocument, *, tracked: TrackedFile | None, moved_from: TrackedFile | None
) -> IngestItem:
    if moved_from is not None:
        kind = IngestResult.MOVED
    else:
        kind = IngestResult.NEW if tracked is None else IngestResult.UPDATED
    return IngestItem(
        kind=kind,
        source_id=document.source_id,
        doc_path=document.workspace_path,
        doc_id=document.doc_id,
        asset_id=document.asset_id,
        moved_from=moved_from.workspace_path if moved_from else None,
        byte_len=document.byte_len,
        block_count=document.block_count,
        chunk_count=document.chunk_count,
        parser_version=document.parser_version,
        chunker_version=document.chunker_version,
        warnings=document.warnings,
    )
