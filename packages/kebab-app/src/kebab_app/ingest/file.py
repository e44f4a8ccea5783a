"""The half of a file's ingest that needs the database: what is known of it, and what becomes of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from kebab_core import (
    Clock,
    CodeIngestSettings,
    DocumentStore,
    ExternalSettings,
    FileFailure,
    IngestFailure,
    IngestItem,
    IngestResult,
    KebabError,
    MediaType,
    PackedDocument,
    ReadonlyModeError,
    RememberedSkip,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceSettings,
    StorageError,
    TrackedFile,
    TrustLevel,
    WorkspacePath,
)

from kebab_app.external_folder import limit_trust
from kebab_app.ingest.fingerprint import Fingerprints, fingerprint_skip
from kebab_app.ingest.prepare import FileTask, Outcome, SameContent, describe_bug
from kebab_app.ingest.processor import DocumentProcessor

_LOG = logging.getLogger("kebab.ingest")
_STORE_ERRORS = (StorageError, ReadonlyModeError)
"""What would meet every file alike, such as a full disk: these are no fault of the one in hand."""


@dataclass(frozen=True, kw_only=True)
class FileIngest:
    """Brings single files into the store. One bad file never stops a run."""

    documents: DocumentStore
    processor: DocumentProcessor
    clock: Clock
    verify: bool = False
    force: bool = False
    code: CodeIngestSettings = field(default_factory=CodeIngestSettings)
    """Which source files are left out for what is in them."""
    external: ExternalSettings = field(default_factory=ExternalSettings)
    """How far documents are trusted that were given."""
    lost_contents: frozenset[str] = frozenset()
    """Checksums of assets whose kept copy is gone or damaged."""
    _fingerprints: dict[tuple[str, TrustLevel | None, MediaType], Fingerprints | None] = field(
        default_factory=dict
    )
    """By source, trust and medium: the same for all of their files, and hashing it is not free."""

    @property
    def trusts_stamps(self) -> bool:
        """Whether a file of equal stamp and fingerprint needs no look."""
        return not (self.verify or self.force)

    def limit_trust(self, source: SourceSettings, path: WorkspacePath) -> SourceSettings:
        """Return the source with the most trust that the document at a path may have; itself for its own files."""
        return limit_trust(source, path, self.external)

    def fingerprints(self, media: MediaType, source: SourceSettings) -> Fingerprints | None:
        """Return what files of a medium and source are compared by; None if nothing can read them."""
        key = (source.id, source.trust_level, media)
        if key not in self._fingerprints:
            self._fingerprints[key] = self._make_fingerprints(media, source)
        return self._fingerprints[key]

    def _make_fingerprints(self, media: MediaType, source: SourceSettings) -> Fingerprints | None:
        if not self.processor.supports(media):
            return None
        document = self.processor.fingerprint(media, source)
        return Fingerprints(document, fingerprint_skip(document, self.code))

    def make_task(self, entry: SourceEntry, source: SourceSettings, tracked: TrackedFile | None) -> FileTask:
        """Return what is to be prepared of a file that is not known to be unchanged."""
        source = self.limit_trust(source, entry.workspace_path)
        fingerprints = self.fingerprints(entry.media_type, source)
        is_current = (
            tracked is not None
            and fingerprints is not None
            and not self.force
            and tracked.checksum not in self.lost_contents
            and tracked.fingerprint == fingerprints.document
        )
        return FileTask(
            entry=entry,
            source=source,
            known_checksum=tracked.checksum if tracked is not None and is_current else None,
            at=self.clock.now(),
        )

    def commit(
        self, task: FileTask, outcome: Outcome, *, tracked: TrackedFile | None, moved_from: TrackedFile | None
    ) -> IngestItem:
        """Bring what was prepared of a file into the store.

        Args:
            task: The file.
            outcome: What was prepared.
            tracked: What the store holds of its path.
            moved_from: The gone file that it was before it moved.

        Returns:
            What became of it. A failure is an item and leaves the previous version in place.

        Raises:
            StorageError: Nothing can be stored: the disk is full, the store damaged or locked.
            ReadonlyModeError: The store cannot be written.
        """
        try:
            return self._commit(task, outcome, tracked=tracked, moved_from=moved_from)
        except _STORE_ERRORS:
            raise
        except KebabError as error:
            return self._fail(task, IngestFailure(code=error.code, message=error.message))
        except Exception as error:  # noqa: BLE001 - a bug met in one file must not cost the others
            return self._fail(task, describe_bug(error, task.entry.workspace_path))

    def _commit(
        self, task: FileTask, outcome: Outcome, *, tracked: TrackedFile | None, moved_from: TrackedFile | None
    ) -> IngestItem:
        match outcome:
            case StorageError():
                raise outcome
            case IngestFailure():
                return self._fail(task, outcome)
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
            self.documents.touch_file(
                tracked.doc_id, stamp=same.stamp, disk_path=task.entry.disk_path, asset=same.asset
            )
        doc_id = tracked.doc_id if tracked is not None else None
        return self._item(task.entry, IngestResult.UNCHANGED, doc_id=doc_id)

    def _skip(self, task: FileTask, reason: SkipReason, tracked: TrackedFile | None) -> IngestItem:
        """Return a skip; what was stored of the file no longer stands in any file and goes with it."""
        entry = task.entry
        if tracked is not None:
            self.documents.remove_documents([tracked.doc_id])
        fingerprints = self.fingerprints(entry.media_type, task.source)
        self.documents.remember_skip(
            RememberedSkip(
                source_id=entry.source_id,
                workspace_path=entry.workspace_path,
                stamp=entry.stamp,
                fingerprint=fingerprints.skip if fingerprints is not None else "",
                reason=reason,
            )
        )
        return self._item(entry, IngestResult.SKIPPED, skip_reason=reason)

    def _fail(self, task: FileTask, failure: IngestFailure) -> IngestItem:
        entry = task.entry
        self.documents.record_failure(
            FileFailure(
                source_id=entry.source_id,
                workspace_path=entry.workspace_path,
                failure=failure,
                failed_at=self.clock.now(),
            )
        )
        _LOG.warning("could not ingest %s: %s", entry.workspace_path, failure.message)
        return self._item(entry, IngestResult.ERROR, error=failure)

    @staticmethod
    def _item(entry: SourceEntry, kind: IngestResult, **details: object) -> IngestItem:
        return IngestItem.model_validate({
            "kind": kind,
            "source_id": entry.source_id,
            "doc_path": entry.workspace_path,
            "byte_len": entry.stamp.byte_len,
            **details,
        })


def skipped_path(item: IngestItem) -> SkippedPath:
    """Return a skipped item as the tally counts it."""
    return SkippedPath(workspace_path=item.doc_path, reason=item.skip_reason or SkipReason.UNSUPPORTED_MEDIA)


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
