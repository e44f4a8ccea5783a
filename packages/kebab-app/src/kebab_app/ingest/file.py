"""One file of a run: unchanged, skipped, failed, or stored anew."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass, field

from kebab_core import (
    Clock,
    CodeIngestSettings,
    DatabaseCorruptError,
    DocumentRecord,
    DocumentStore,
    FileFailure,
    IngestFailure,
    IngestItem,
    IngestResult,
    KebabError,
    LockedError,
    MediaType,
    ReadonlyModeError,
    SkippedPath,
    SkipReason,
    SourceConnector,
    SourceEntry,
    SourceFile,
    SourceSettings,
    TrackedFile,
    UnsupportedMediaError,
)
from kebab_source_fs import sniff_skip

from kebab_app.ingest.processor import DocumentProcessor

_LOG = logging.getLogger("kebab.ingest")
_STORE_ERRORS = (DatabaseCorruptError, LockedError, ReadonlyModeError)
"""What would meet every file alike: these are no fault of the one in hand."""


@dataclass(frozen=True, kw_only=True)
class FileIngest:
    """Brings single files into the store. One bad file never stops a run."""

    connector: SourceConnector
    documents: DocumentStore
    processor: DocumentProcessor
    code: CodeIngestSettings
    clock: Clock
    verify: bool = False
    force: bool = False
    _fingerprints: dict[tuple[str, MediaType], str] = field(default_factory=dict)
    """By source and medium: the same for all of their files, and hashing it is not free."""

    def is_unchanged(self, entry: SourceEntry, source: SourceSettings, tracked: TrackedFile | None) -> bool:
        """Return whether stamp and fingerprint are those of the stored document, without reading the file."""
        return (
            tracked is not None
            and not self.verify
            and not self.force
            and not tracked.failed
            and tracked.stamp == entry.stamp
            and tracked.fingerprint == self._fingerprint(entry, source)
        )

    def ingest(
        self,
        entry: SourceEntry,
        source: SourceSettings,
        *,
        tracked: TrackedFile | None,
        moved_from: TrackedFile | None,
    ) -> IngestItem:
        """Read, process and store one file.

        Args:
            entry: The file as scanned.
            source: Its source.
            tracked: What the store holds of its path.
            moved_from: The gone file that it was before it moved.

        Returns:
            What became of it. A failure is an item and leaves the previous version in place.

        Raises:
            DatabaseCorruptError: The store is damaged.
            LockedError: Another process kept the store locked.
            ReadonlyModeError: The store cannot be written.
        """
        try:
            return self._ingest(entry, source, tracked=tracked, moved_from=moved_from)
        except _STORE_ERRORS:
            raise
        except KebabError as error:
            return self._fail(entry, source, code=error.code, message=error.message)
        except Exception as error:  # noqa: BLE001 - a bug met in one file must not cost the others
            error_id = uuid.uuid4().hex[:12]
            _LOG.exception("internal error %s on %s", error_id, entry.workspace_path)
            message = f"{type(error).__name__} (error id {error_id}, details are in the log)"
            return self._fail(entry, source, code="internal", message=message)

    def _ingest(
        self,
        entry: SourceEntry,
        source: SourceSettings,
        *,
        tracked: TrackedFile | None,
        moved_from: TrackedFile | None,
    ) -> IngestItem:
        file = self.connector.read(entry, discovered_at=self.clock.now())
        if tracked is not None and not self.force and self._is_same(tracked, file, entry, source):
            self.documents.touch_file(
                tracked.doc_id, stamp=file.stamp, disk_path=entry.disk_path, asset=file.asset
            )
            return self._item(entry, IngestResult.UNCHANGED, doc_id=tracked.doc_id)
        skip = self._skip_reason(file)
        if skip is not None:
            return self._skip(entry, source, skip, tracked)
        return self._store(entry, source, file, tracked=tracked, moved_from=moved_from)

    def _store(
        self,
        entry: SourceEntry,
        source: SourceSettings,
        file: SourceFile,
        *,
        tracked: TrackedFile | None,
        moved_from: TrackedFile | None,
    ) -> IngestItem:
        try:
            record = self.processor.process(
                file, source=source, disk_path=entry.disk_path, now=self.clock.now()
            )
        except UnsupportedMediaError:
            return self._skip(entry, source, SkipReason.BINARY_CONTENT, tracked)
        asset = self.documents.put_asset(file.asset, file.content)
        self.documents.replace_document(record.model_copy(update={"asset": asset}))
        if moved_from is not None:
            self.documents.remove_documents([moved_from.doc_id])
        return _stored_item(record, tracked=tracked, moved_from=moved_from)

    def _is_same(
        self, tracked: TrackedFile, file: SourceFile, entry: SourceEntry, source: SourceSettings
    ) -> bool:
        return (
            tracked.checksum == file.asset.checksum
            and tracked.fingerprint == self._fingerprint(entry, source)
        )

    def _fingerprint(self, entry: SourceEntry, source: SourceSettings) -> str:
        key = (source.id, entry.media_type)
        if key not in self._fingerprints:
            self._fingerprints[key] = self.processor.fingerprint(entry.media_type, source)
        return self._fingerprints[key]

    def _skip_reason(self, file: SourceFile) -> SkipReason | None:
        return sniff_skip(file.asset.media_type, file.content, self.code)

    def _skip(
        self, entry: SourceEntry, source: SourceSettings, reason: SkipReason, tracked: TrackedFile | None
    ) -> IngestItem:
        """Return a skip; what was stored of the file no longer stands in any file and goes with it."""
        if tracked is not None:
            self.documents.remove_documents([tracked.doc_id])
        self.documents.clear_failure(source.id, entry.workspace_path)
        return self._item(entry, IngestResult.SKIPPED, skip_reason=reason)

    def _fail(self, entry: SourceEntry, source: SourceSettings, *, code: str, message: str) -> IngestItem:
        failure = IngestFailure(code=code, message=message)
        self.documents.record_failure(
            FileFailure(
                source_id=source.id,
                workspace_path=entry.workspace_path,
                failure=failure,
                failed_at=self.clock.now(),
            )
        )
        _LOG.warning("could not ingest %s: %s", entry.workspace_path, message)
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
    record: DocumentRecord, *, tracked: TrackedFile | None, moved_from: TrackedFile | None
) -> IngestItem:
    if moved_from is not None:
        kind = IngestResult.MOVED
    else:
        kind = IngestResult.NEW if tracked is None else IngestResult.UPDATED
    document = record.document
    return IngestItem(
        kind=kind,
        source_id=document.source_id,
        doc_path=document.workspace_path,
        doc_id=document.doc_id,
        asset_id=record.asset.asset_id,
        moved_from=moved_from.workspace_path if moved_from else None,
        byte_len=record.asset.byte_len,
        block_count=len(document.blocks),
        chunk_count=len(record.chunks),
        parser_version=document.parser_version,
        chunker_version=record.chunker_version,
        warnings=document.provenance.warnings,
    )
