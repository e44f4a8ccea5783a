"""The half of a file's ingest that needs no database: read it, compare it, and work out what to store.

It runs in worker processes as well as here; everything that crosses is a frozen value.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from kebab_core import (
    Clock,
    CodeIngestSettings,
    DocumentRecord,
    FileStamp,
    IngestFailure,
    KebabError,
    LongRecord,
    PackedDocument,
    RawAsset,
    SkipReason,
    SourceConnector,
    SourceEntry,
    SourceFile,
    SourceSettings,
    StorageError,
    UnsupportedMediaError,
)
from kebab_source_fs import sniff_skip

from kebab_app.ingest.memory import LONG_FILE_BYTES, describe_shortage
from kebab_app.ingest.processor import DocumentProcessor

_LOG = logging.getLogger("kebab.ingest")

AssetKeeper = Callable[[RawAsset, bytes], RawAsset]
"""Keeps a file's bytes and returns the asset with `stored` saying where; files only, no database."""

Packer = Callable[[DocumentRecord], PackedDocument]
"""Puts a record into the store's own shape, with which it is smaller to send and quicker to write; no database."""

LongPacker = Callable[[LongRecord], PackedDocument]
"""Does so with a long record, into a file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileTask:
    """One file to prepare."""

    entry: SourceEntry
    source: SourceSettings
    known_checksum: str | None
    """Content that needs no work, because it is stored under the settings in force; None prepares in any case."""
    at: datetime
    """Stamp of the processing."""


@dataclass(frozen=True, slots=True)
class SameContent:
    """The file was touched and holds what it held."""

    asset: RawAsset
    stamp: FileStamp


Outcome = PackedDocument | SameContent | SkipReason | IngestFailure | StorageError
"""A document to store, nothing to do, a reason to leave the file out, why it could not be read, or why nothing can
be stored, which is no fault of the file."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What came of one task."""

    task: FileTask
    outcome: Outcome
    ms: int
    """How long it took."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a process that prepares files says of a task: what came of it, since who asked knows the task."""

    outcome: Outcome
    ms: int


PrepareAll = Callable[[Iterable[FileTask]], Iterator[Prepared]]
"""Prepares files, answering in their order; takes tasks a few at a time, as they are worked on."""


@dataclass(frozen=True, kw_only=True)
class FilePreparer:
    """Prepares files one after the other."""

    connector: SourceConnector
    processor: DocumentProcessor
    keep_asset: AssetKeeper
    pack: Packer
    pack_long: LongPacker
    code: CodeIngestSettings
    clock: Clock
    long_bytes: int = LONG_FILE_BYTES
    """From which size on a document is not held whole."""

    def prepare_all(self, tasks: Iterable[FileTask]) -> Iterator[Prepared]:
        """Return the answers one after the other, each worked out when it is asked for."""
        return map(self.prepare, tasks)

    def prepare(self, task: FileTask) -> Prepared:
        """Return what is to be stored of a file; whatever goes wrong with it is an `IngestFailure`."""
        started_ms = self.clock.monotonic_ms()
        return Prepared(task, self._outcome(task), self.clock.monotonic_ms() - started_ms)

    def _outcome(self, task: FileTask) -> Outcome:
        try:
            return self._prepare(task)
        except UnsupportedMediaError:
            return SkipReason.BINARY_CONTENT
        except KebabError as error:
            return IngestFailure(code=error.code, message=error.message)
        except MemoryError:
            return describe_shortage(task.entry)
        except Exception as error:  # noqa: BLE001 - a bug met in one file must not cost the others
            return describe_bug(error, task.entry.workspace_path)

    def _prepare(self, task: FileTask) -> Outcome:
        file = self.connector.read(task.entry, discovered_at=task.at)
        if file.asset.checksum == task.known_checksum:
            return SameContent(file.asset, file.stamp)
        reason = sniff_skip(file.asset.media_type, file.content, self.code)
        if reason is not None:
            return reason
        work = self._work_out(file, task)
        try:
            asset = self.keep_asset(file.asset, file.content)
            del file  # a long text may need its bytes no more, and they are large
            if isinstance(work, DocumentRecord):
                return self.pack(work.model_copy(update={"asset": asset}))
            return self.pack_long(_with_asset(work, asset))
        except StorageError as error:
            return error

    def _work_out(self, file: SourceFile, task: FileTask) -> DocumentRecord | LongRecord:
        if len(file.content) >= self.long_bytes:
            long = self.processor.process_long(
                file, source=task.source, disk_path=task.entry.disk_path, now=task.at
            )
            if long is not None:
                return long
        return self.processor.process(file, source=task.source, disk_path=task.entry.disk_path, now=task.at)


def _with_asset(record: LongRecord, asset: RawAsset) -> LongRecord:
    def describe(chunk_count: int) -> DocumentRecord:
        return record.describe(chunk_count).model_copy(update={"asset": asset})

    return LongRecord(describe, record.parts)


def describe_bug(error: Exception, path: str) -> IngestFailure:
    """Return the failure that a bug is for one file; its details go to the log under an id."""
    error_id = uuid.uuid4().hex[:12]
    _LOG.error("internal error %s on %s", error_id, path, exc_info=error, extra={"error_id": error_id})
    message = f"{type(error).__name__} (error id {error_id}, details are in the log)"
    return IngestFailure(code="internal", message=message)
