"""Preparation of a file, which needs no database: read it, compare it, process it, and pack what is to be stored.

It runs in worker processes as well as in the process of the run; what passes between them are frozen values.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from kebab_core import (
    AttachedFile,
    Clock,
    CodeIngestSettings,
    DocumentRecord,
    ExternalUri,
    FileStamp,
    IngestFailure,
    KebabError,
    LongRecord,
    MediaType,
    Message,
    PackedDocument,
    RawAsset,
    ReferenceStorage,
    Remedy,
    SkipReason,
    SourceConnector,
    SourceEntry,
    SourceFile,
    SourceSettings,
    StorageError,
    UnsupportedMediaError,
    WorkspacePath,
    asset_id_for,
    hash_bytes,
    hash_canonical,
    media_type_of,
)

from kebab_ingest.document_processor import DocumentProcessor, FileFacts, OnAttached, OnStep, ignore_step

_LOG = logging.getLogger("kebab.ingest")
_BYTES_PER_MB = 1024 * 1024

LONG_FILE_BYTES = 2 * _BYTES_PER_MB
"""Size from which on a document goes to disk part by part: all of it at once takes 37 to 65 times its size."""

AssetReader = Callable[[RawAsset], bytes]
"""Reads the kept bytes of an asset; raises `StorageError` where they are gone."""

AssetKeeper = Callable[[RawAsset, bytes], RawAsset]
"""Keeps the bytes of a file and returns the asset with `stored` set to where; touches no database."""

Packer = Callable[[DocumentRecord], PackedDocument]
"""Converts a record into the store's own form, smaller to send and quicker to write; touches no database."""

LongPacker = Callable[[LongRecord], PackedDocument]
"""The same for a long record, into a file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileTask:
    """One file to prepare."""

    entry: SourceEntry
    source: SourceSettings
    known_checksum: str | None
    """Checksum of the content that is stored under the settings in force; None prepares the file in any case."""
    at: datetime
    """Stamp of the processing."""
    is_risky: bool = False
    """The medium is risky to parse: it is prepared in a worker process in any case, within limits."""
    is_timed: bool = False
    """Measure each step, for the log."""
    failure: Message | None = None
    """Why the recipe of the medium failed, so that its fallback reads the file; None before the recipe was tried."""
    asset: RawAsset | None = None
    """The stored content that is prepared in place of the file; None prepares the file."""
    pictures: FileFacts = field(default_factory=FileFacts)
    """What is known of the pictures of the content `pictures_of`."""
    pictures_of: str | None = None
    """Checksum; None is whatever content is read."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names for ids in the file, of another file."""
    file: SourceFile | KebabError | None = None
    """The file as it was read for a worker that does not reach it, or why it could not be; None reads it there."""


@dataclass(frozen=True, slots=True)
class SameContent:
    """Result for a file whose stamp changed and whose content did not."""

    asset: RawAsset
    stamp: FileStamp


Outcome = PackedDocument | SameContent | SkipReason | IngestFailure | StorageError
"""A document to store, nothing to do, a reason to leave the file out, a failure of the file, or a failure of the store,
which would meet every other file too."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Result of one task."""

    task: FileTask
    outcome: Outcome
    ms: int | None
    """Milliseconds that it took, without the start of a worker process; None where that process died over it."""
    steps: tuple[tuple[str, int], ...] = ()
    """The steps with their milliseconds, if the task is timed."""
    attached: tuple[Prepared, ...] = ()
    """Results for the files that the file holds, where it was read."""
    written: Mapping[str, bytes] = field(default_factory=dict)
    """What belongs into the data folder, by place in it, where the worker has another one."""


Prepare = Callable[[FileTask], Prepared]
"""Prepares one file."""

PreparerFactory = Callable[[], Prepare]
"""Makes `Prepare` in the process that calls it. Picklable, since worker processes receive it."""

PrepareAll = Callable[[Iterable[FileTask]], Iterator[Prepared]]
"""Prepares files and yields the results in their order; takes tasks a few at a time, as they are worked on."""


@dataclass(frozen=True, kw_only=True)
class ContentFilter:
    """Rule that leaves files out for their content, such as generated code."""

    find_reason: Callable[[MediaType, bytes, CodeIngestSettings], SkipReason | None]
    """None lets a file in."""
    version: str
    """Version of `find_reason`."""
    settings: CodeIngestSettings

    def skip_reason(self, media: MediaType, content: bytes) -> SkipReason | None:
        """Reason to leave a file out; None lets it in."""
        return self.find_reason(media, content, self.settings)

    def fingerprint(self, document: str) -> str:
        """Hash everything that decides whether a file is left out, besides its bytes.

        Args:
            document: Fingerprint of the document that the file would become: a parser may refuse a file too.

        Returns:
            32 hex digits.
        """
        return hash_canonical({
            "document": document,
            "code": self.settings.model_dump(mode="json"),
            "sniff": self.version,
        })[:32]


@dataclass(frozen=True, kw_only=True)
class FilePreparer:
    """Prepares files one after the other in this process."""

    connector: SourceConnector
    processor: DocumentProcessor
    keep_asset: AssetKeeper
    pack: Packer
    pack_long: LongPacker
    content: ContentFilter
    clock: Clock
    read_asset: AssetReader | None = None
    """None where tasks name no asset."""
    long_bytes: int = LONG_FILE_BYTES
    """Size from which on a document is not held whole in memory."""
    ends_without_memory: bool = False
    """Whether this is a worker process: one that gets not enough memory ends, and a new one has all of it again."""

    def prepare_all(self, tasks: Iterable[FileTask]) -> Iterator[Prepared]:
        """Prepare files lazily, each when its result is asked for."""
        return map(self.prepare, tasks)

    def prepare(self, task: FileTask) -> Prepared:
        """Prepare one file; whatever goes wrong with it is an `IngestFailure`.

        Raises:
            MemoryError: There is not enough memory, in a worker process.
        """
        started_ms = self.clock.monotonic_ms()
        laps = _Laps(self.clock)
        attached: list[Prepared] = []
        outcome = self._outcome(task, laps.end if task.is_timed else ignore_step, attached=attached)
        ms = self.clock.monotonic_ms() - started_ms
        return Prepared(task, outcome, ms, tuple(laps.taken), tuple(attached))

    def _outcome(
        self,
        task: FileTask,
        on_step: OnStep,
        *,
        file: SourceFile | None = None,
        attached: list[Prepared] | None = None,
    ) -> Outcome:
        """Prepare a file, or one that was taken out of another file; add the files that it holds to a list.

        Raises:
            MemoryError: There is not enough memory, in a worker process.
        """
        try:
            return self._prepare(task, file, on_step, attached)
        except UnsupportedMediaError as error:
            # A text that is binary is no text. A PDF that is none is damaged, or has the wrong name.
            media = task.entry.media_type
            if media.kind in {"other", "code"} or not self.processor.is_isolated(media):
                return SkipReason.BINARY_CONTENT
            return IngestFailure(code=error.code, message=error.message, remedy=error.remedy)
        except KebabError as error:
            return IngestFailure(code=error.code, message=error.message, remedy=error.remedy)
        except MemoryError:
            if self.ends_without_memory:
                raise
            return describe_memory_shortage(task.entry)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a bug met in one file must not cost the others
            return describe_bug(error, task.entry.workspace_path)

    def _prepare(
        self, task: FileTask, file: SourceFile | None, on_step: OnStep, attached: list[Prepared] | None
    ) -> Outcome:
        file = file or self.read(task)
        on_step("read")
        if file.asset.checksum == task.known_checksum:
            return SameContent(file.asset, file.stamp)
        reason = self.content.skip_reason(file.asset.media_type, file.content)
        if reason is not None:
            return reason
        found: list[AttachedFile] = []
        on_attached = None if attached is None else found.extend
        record = self._process(file, task, on_step, on_attached)
        if attached is not None:
            for each in found:
                files = self.processor.name_files
                names = {} if files is None else files.read_held(each.name, found)
                attached.append(self._prepare_attached(replace(task, names=names), file, each))
        try:
            asset = self.keep_asset(file.asset, file.content)
            del file  # a long text may need its bytes no more, and they are large
            if isinstance(record, DocumentRecord):
                packed = self.pack(_with_asset(record, asset))
            else:
                packed = self.pack_long(_with_kept(record, asset))
        except StorageError as error:
            return error
        on_step("pack")  # of a long document also chunk and analyse, part by part
        return packed

    def read(self, task: FileTask) -> SourceFile:
        """Read the file of a task, or the content that is prepared in its place.

        Raises:
            KebabError: It cannot be read.
        """
        if isinstance(task.file, KebabError):
            raise task.file
        if task.file is not None:
            return task.file
        if task.asset is None or self.read_asset is None:
            return self.connector.read(task.entry, discovered_at=task.at)
        content = self.read_asset(task.asset)
        return SourceFile(asset=task.asset, content=content, stamp=task.entry.stamp)

    def _prepare_attached(self, task: FileTask, outer: SourceFile, attached: AttachedFile) -> Prepared:
        """Prepare a file that another one holds: its path goes on from that of the other, and its stamp is the same."""
        started_ms = self.clock.monotonic_ms()
        path = WorkspacePath(f"{task.entry.workspace_path}/{attached.name}")
        media, checksum = media_type_of(path.name), hash_bytes(attached.content)
        disk_path = f"{task.entry.disk_path}/{attached.name}"
        asset = RawAsset(
            asset_id=asset_id_for(checksum),
            source_uri=ExternalUri(uri=disk_path),  # no file at hand: it is always copied
            workspace_path=path,
            media_type=media,
            byte_len=len(attached.content),
            checksum=checksum,
            discovered_at=task.at,
            stored=ReferenceStorage(path=disk_path, sha=checksum),
        )
        entry = task.entry._replace(
            workspace_path=path, disk_path=disk_path, media_type=media, stamp=outer.stamp
        )
        inner = replace(
            task,
            entry=entry,
            known_checksum=None,
            is_timed=False,
            failure=None,
            pictures=FileFacts(),
            file=None,
        )
        file = SourceFile(asset=asset, content=attached.content, stamp=outer.stamp)
        outcome = self._outcome(inner, ignore_step, file=file)
        return Prepared(inner, outcome, self.clock.monotonic_ms() - started_ms)

    def _process(
        self, file: SourceFile, task: FileTask, on_step: OnStep, on_attached: OnAttached | None
    ) -> DocumentRecord | LongRecord:
        if len(file.content) >= self.long_bytes and task.failure is None:
            long = self.processor.process_long(
                file, source=task.source, disk_path=task.entry.disk_path, now=task.at, names=task.names
            )
            if long is not None:
                on_step("extract")
                return long
        facts = task.pictures if task.pictures_of in {None, file.asset.checksum} else FileFacts()
        return self.processor.process(
            file,
            source=task.source,
            disk_path=task.entry.disk_path,
            now=task.at,
            on_step=on_step,
            on_attached=on_attached,
            failure=task.failure,
            facts=replace(facts, names=task.names),
        )


class _Laps:
    """Milliseconds of one step after another."""

    def __init__(self, clock: Clock) -> None:
        self.taken: list[tuple[str, int]] = []
        self._clock = clock
        self._last_ms = clock.monotonic_ms()

    def end(self, name: str) -> None:
        """End a step; the next begins."""
        now_ms = self._clock.monotonic_ms()
        self.taken.append((name, now_ms - self._last_ms))
        self._last_ms = now_ms


def _with_asset(record: DocumentRecord, asset: RawAsset) -> DocumentRecord:
    """Return a record with the asset as it is kept; its medium stays that of the content."""
    media = record.asset.media_type
    return record.model_copy(update={"asset": asset.model_copy(update={"media_type": media})})


def _with_kept(record: LongRecord, asset: RawAsset) -> LongRecord:
    return LongRecord(lambda count: _with_asset(record.describe(count), asset), record.parts)


def describe_bug(error: BaseException, path: str) -> IngestFailure:
    """Convert a bug into the failure of one file; its details go to the log under an id."""
    error_id = uuid.uuid4().hex[:12]
    _LOG.error("internal error %s on %s", error_id, path, exc_info=error, extra={"error_id": error_id})
    message = Message(
        "{kind} (error id {error_id}, details are in the log)", kind=type(error).__name__, error_id=error_id
    )
    return IngestFailure(code="internal", message=message)


def describe_memory_shortage(entry: SourceEntry, *, limit_mb: int | None = None) -> IngestFailure:
    """Build the failure of a file that takes more memory than there is, or than it may take, with what to do about it."""
    file = f"{entry.workspace_path} ({entry.stamp.byte_len / _BYTES_PER_MB:.1f} MB)"
    leave_out = Remedy(advice=Message("leave it out"))
    if limit_mb is None:
        message = Message(
            "there is not enough memory to read {file}",
            file=file,
        )
        remedy = Remedy(advice=Message("split the file"), otherwise=leave_out)
    else:
        message = Message(
            "reading {file} took more than {limit_mb} MB of memory",
            file=file,
            limit_mb=limit_mb,
        )
        remedy = Remedy(kind="raise_setting", setting="ingest.extract_memory_mb", otherwise=leave_out)
    return IngestFailure(code=StorageError.code, message=message, remedy=remedy)
