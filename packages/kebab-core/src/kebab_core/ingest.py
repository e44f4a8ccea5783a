"""Ingest: documents ready for the store, events of a run, and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple, NewType

from pydantic import Field

from kebab_core.assets import RawAsset
from kebab_core.chunk import Chunk, ChunkTerms
from kebab_core.document import Block, CanonicalDocument, ModelCaption
from kebab_core.facets import MediaKind
from kebab_core.files import FileStamp, SourceId, WorkspacePath
from kebab_core.ids import (
    DEFAULT_SOURCE_ID,
    AnalyzerVersion,
    AssetId,
    ChunkerVersion,
    ChunkId,
    DocumentId,
    ParserVersion,
)
from kebab_core.messages import Message
from kebab_core.model import Model, UtcDatetime
from kebab_core.ocr import OcrReading, Surroundings
from kebab_core.remedies import Remedy
from kebab_core.source import IngestFailure, SkipReason
from kebab_core.vector import EmbeddingIdentity


class AnalyzedChunk(NamedTuple):
    """A chunk with its terms for the lexical index."""

    chunk: Chunk
    terms: ChunkTerms


@dataclass(frozen=True, slots=True)
class LongRecord:
    """A long document ready for the index; blocks, chunks and terms are made while the store takes them."""

    describe: Callable[[int], DocumentRecord]
    """Returns the record without blocks, chunks and terms, given how many chunks there were."""
    parts: Iterator[Block | AnalyzedChunk]
    """Blocks and chunks, each kind in its order, a block before the chunks it is part of; they can be taken once."""


class DocumentRecord(Model):
    """One document ready for the index: blocks, chunks and terms."""

    asset: RawAsset
    document: CanonicalDocument
    chunks: tuple[Chunk, ...]
    terms: tuple[ChunkTerms, ...]
    """One for each chunk, in the same order."""
    stamp: FileStamp
    disk_path: str
    fingerprint: str
    """Hash of every setting and version that affected the output."""
    chunker_version: ChunkerVersion
    analyzer_version: AnalyzerVersion
    indexed_at: UtcDatetime
    readings: dict[int, OcrReading] = Field(default_factory=dict)
    """Readings of its pages, pictures or frames that were used, and those that failed, by 1-based number."""
    surroundings: Surroundings = Surroundings()
    """Those that it was built with."""
    captions: dict[int, ModelCaption] = Field(default_factory=dict)
    """Captions of its pages, pictures or frames that were used, by 1-based number; of no text where the model wrote none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedDocument:
    """A `DocumentRecord` in the store's own shape, cheap to hand from one process to another.

    Only the kind of store that packed it can store it.
    """

    doc_id: DocumentId
    source_id: SourceId
    workspace_path: WorkspacePath
    asset_id: AssetId
    byte_len: int
    """Length of the file, in bytes."""
    block_count: int
    chunk_count: int
    parser_version: ParserVersion
    chunker_version: ChunkerVersion
    warnings: tuple[Message | str, ...]
    """Warnings of its parser."""
    rows: object
    """Its content in the form that the store writes."""
    first_chunk_ids: tuple[ChunkId, ...] = ()
    """Ids of its first chunks, as many as a debug line has."""


RunId = NewType("RunId", str)


class IngestResult(StrEnum):
    """Result of one file."""

    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    MOVED = "moved"
    REMOVED = "removed"
    ERROR = "error"


class IngestScope(Model):
    """One source of a run, with its patterns."""

    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    root: str
    under: WorkspacePath | None = None
    """Only this file or folder of the source."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class IngestItem(Model):
    """One file of a run. Unchanged files are counted, not listed."""

    kind: IngestResult
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    doc_path: WorkspacePath
    doc_id: DocumentId | None = None
    """Its document; of a file that failed its earlier version, which stays, or None."""
    asset_id: AssetId | None = None
    moved_from: WorkspacePath | None = None
    byte_len: int | None = Field(default=None, ge=0)
    block_count: int | None = Field(default=None, ge=0)
    chunk_count: int | None = Field(default=None, ge=0)
    parser_version: ParserVersion | None = None
    chunker_version: ChunkerVersion | None = None
    skip_reason: SkipReason | None = None
    warnings: tuple[Message | str, ...] = ()
    error: IngestFailure | None = None


class IngestCounts(Model):
    """Files by result, and chunks and vectors written."""

    scanned: int = Field(default=0, ge=0)
    """Every file seen, skipped ones included."""
    new: int = Field(default=0, ge=0)
    updated: int = Field(default=0, ge=0)
    unchanged: int = Field(default=0, ge=0)
    skipped: int = Field(default=0, ge=0)
    moved: int = Field(default=0, ge=0)
    removed: int = Field(default=0, ge=0)
    removal_held: int = Field(default=0, ge=0)
    """Documents whose files seem gone, kept until the removal is confirmed."""
    errors: int = Field(default=0, ge=0)
    """Files that could not be processed."""
    chunks_indexed: int = Field(default=0, ge=0)
    embeddings_indexed: int = Field(default=0, ge=0)


class SkipExample(Model):
    """Up to five paths of one reason."""

    reason: SkipReason
    paths: tuple[str, ...]


class EmbeddingFailure(Model):
    """Reason that chunks have no vectors: the model is missing, or it stopped working."""

    code: str
    """A code of the error tree."""
    message: Message
    hint: str | None = None
    remedy: Remedy | None = None


class EmbeddingSummary(Model):
    """Vectors of a run, in chunks."""

    identity: EmbeddingIdentity | None = None
    """None where the model does not report its identity."""
    computed: int = Field(default=0, ge=0)
    """Embedded by the model."""
    reused: int = Field(default=0, ge=0)
    """Taken from an earlier embedding of the same text."""
    removed: int = Field(default=0, ge=0)
    """Vectors of chunks that are gone."""
    pending: int | None = Field(default=None, ge=0)
    """Still without a vector; None where the number is not known."""
    time_limit_reached: bool = False
    """The pass ended because its time was over, with passages still pending."""
    failure: EmbeddingFailure | None = None


class OcrFailure(Model):
    """A page, picture or frame whose text could not be recognised, or a part of a recording that could not be heard."""

    doc_path: WorkspacePath
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    page: int = Field(ge=1)
    failure: IngestFailure


class OcrSummary(Model):
    """Text in pictures of a run, or speech in recordings, in pages: each page, picture or frame counts as one, each part of a recording."""

    engine: str | None = None
    """None where no engine can be used."""
    read: int = Field(default=0, ge=0)
    """Read by the engine, failures included."""
    reused: int = Field(default=0, ge=0)
    """Taken from an earlier reading of the same page."""
    documents: int = Field(default=0, ge=0)
    """Documents that got text."""
    waiting: int = Field(default=0, ge=0)
    """Still unread, of those that the settings have read."""
    elsewhere: int = Field(default=0, ge=0)
    """Those of them that another process is reading."""
    unlinked: int = Field(default=0, ge=0)
    """Pictures that stay unread by `ingest.ocr.pictures`."""
    captioned: int = Field(default=0, ge=0)
    """Pictures and pages about which a chat model wrote a caption."""
    caption_failure: IngestFailure | None = None
    """Why it stopped."""
    failures: tuple[OcrFailure, ...] = ()
    """In the order in which they were met."""
    missing: IngestFailure | None = None
    """Why no engine can be used; None where one can."""


class IngestReport(Model):
    """Report of a run."""

    run_id: RunId
    scopes: tuple[IngestScope, ...]
    counts: IngestCounts
    skipped_by_reason: dict[SkipReason, int] = Field(default_factory=dict)
    """Sums to `counts.skipped`."""
    skipped_by_extension: dict[str, int] = Field(default_factory=dict)
    """Unsupported files by extension without dot; `<no-ext>` where there is none."""
    skip_examples: tuple[SkipExample, ...] = ()
    unreadable_folders: tuple[str, ...] = ()
    """Folders that could not be listed, each with the reason; no counter has them."""
    aborted: bool = False
    duration_ms: int = Field(ge=0)
    started_at: UtcDatetime
    finished_at: UtcDatetime
    items: tuple[IngestItem, ...] | None = None
    """None where only a summary was asked for."""
    embedding: EmbeddingSummary | None = None
    """None where no embedding model is configured or the run leaves vectors out."""
    ocr: OcrSummary | None = Field(default=None, exclude_if=lambda summary: summary is None)
    """None where no document has pictures, or the run leaves them out."""
    asr: OcrSummary | None = Field(default=None, exclude_if=lambda summary: summary is None)
    """The same of recordings."""


class IngestRun(Model):
    """A run as it is stored."""

    run_id: RunId
    scopes: tuple[IngestScope, ...]
    started_at: UtcDatetime
    finished_at: UtcDatetime | None = None
    """Time of its end, or of the end of a later run that finished its work; None until then."""
    report: IngestReport | None = None
    """None while it runs, and for ever where its process was killed."""


class _Event(Model):
    ts: UtcDatetime


class ScanStarted(_Event):
    """First event, except for heartbeats of a run that waits for another writer."""

    kind: Literal["scan_started"] = "scan_started"
    root: str


class ScanCompleted(_Event):
    """The scan is complete: the amount of work is known."""

    kind: Literal["scan_completed"] = "scan_completed"
    total: int = Field(ge=0)
    """Files to process and documents to remove."""
    removals: int = Field(default=0, ge=0)
    """Number of documents to remove among them."""


class AssetStarted(_Event):
    """Work on one file begins; `idx` counts from 1."""

    kind: Literal["asset_started"] = "asset_started"
    idx: int = Field(ge=1)
    total: int = Field(ge=0)
    path: WorkspacePath
    media: MediaKind


class AssetPhase(_Event):
    """A slow phase of one file begins."""

    kind: Literal["asset_phase"] = "asset_phase"
    idx: int = Field(ge=1)
    total: int = Field(ge=0)
    phase: Literal["ocr", "caption", "embed"]
    model: str | None = None


class AssetFinished(_Event):
    """End of one file: committed to the lexical index, or not. Unchanged and removed files have only this event."""

    kind: Literal["asset_finished"] = "asset_finished"
    idx: int = Field(ge=1)
    total: int = Field(ge=0)
    path: WorkspacePath
    result: IngestResult
    chunks: int = Field(default=0, ge=0)
    ms: int = Field(default=0, ge=0)


class EmbedBatchStarted(_Event):
    """A batch of chunks goes to the embedder."""

    kind: Literal["embed_batch_started"] = "embed_batch_started"
    n_chunks: int = Field(ge=1)
    done: int = Field(default=0, ge=0)
    """Chunks of this run that have their vectors."""
    total: int = Field(default=0, ge=0)
    """Chunks of this run that need one; 0 where that is not known."""


class EmbedBatchFinished(_Event):
    """The batch's vectors are stored."""

    kind: Literal["embed_batch_finished"] = "embed_batch_finished"
    n_chunks: int = Field(ge=1)
    ms: int = Field(ge=0)
    done: int = Field(default=0, ge=0)
    """Chunks of this run that have their vectors, this batch included."""
    reused: int = Field(default=0, ge=0)
    """Number in `done` that were taken from an earlier embedding of the same text."""
    total: int = Field(default=0, ge=0)
    """Chunks of this run that need one; 0 where that is not known."""


class OcrStarted(_Event):
    """Text in pictures, or speech in recordings, is about to be recognised."""

    kind: Literal["ocr_started"] = "ocr_started"
    pictures: int = Field(ge=0)
    """Pictures and frames to read."""
    pages: int = Field(ge=0)
    """Pages of scanned documents to read."""
    parts: int = Field(default=0, ge=0)
    """Parts of recordings to hear, of three minutes at most."""
    estimated_ms: int = Field(ge=0)
    """Time that it will take."""


class OcrPageFinished(_Event):
    """A page, picture or frame is read, or a part of a recording heard."""

    kind: Literal["ocr_page_finished"] = "ocr_page_finished"
    path: WorkspacePath
    page: int = Field(ge=1)
    ms: int = Field(ge=0)
    done: int = Field(ge=0)
    """Pages of this run that are read, this one included."""
    total: int = Field(ge=0)
    """Pages of this run."""
    failure_code: str | None = None
    """A code of the error tree; None where it was read."""


class Heartbeat(_Event):
    """Sign of life of a run while no other event happens."""

    kind: Literal["heartbeat"] = "heartbeat"
    phase: str
    idx: int = Field(default=0, ge=0)
    total: int = Field(default=0, ge=0)
    path: WorkspacePath | None = None
    waits_for: Message | None = None
    """Description, for people, of the writer that the run waits for."""


class Completed(_Event):
    """Terminal: the run came to its end."""

    kind: Literal["completed"] = "completed"
    counts: IngestCounts


class Aborted(_Event):
    """Terminal: the run was stopped on request; committed documents stay."""

    kind: Literal["aborted"] = "aborted"
    counts: IngestCounts


WatchNoticeKind = Literal[
    "watching", "source_missing", "source_returned", "polling", "failed", "vectors_failed"
]


class WatchNotice(_Event):
    """Something that a watch of sources tells beside the events and reports of its runs.

    `watching`: changes are noticed from now on. `polling`: events of folders cannot be had, all files are looked at now
    and then. `failed`: a run could not be carried out and is repeated; nothing is lost.
    """

    kind: WatchNoticeKind
    message: Message
    source_id: SourceId | None = None
    """Where it is about one source."""
    remedy: Remedy | None = None


IngestEvent = Annotated[
    ScanStarted
    | ScanCompleted
    | AssetStarted
    | AssetPhase
    | AssetFinished
    | EmbedBatchStarted
    | EmbedBatchFinished
    | OcrStarted
    | OcrPageFinished
    | Heartbeat
    | Completed
    | Aborted,
    Field(discriminator="kind"),
]
"""In order: scan_started, scan_completed, assets, pages whose text is recognised, batches of chunks that get vectors, then exactly one of completed and
aborted. A run that only makes vectors has neither scan nor assets. Where the run had to wait for another writer,
heartbeats come before; where the wait was ended, `aborted` alone follows them."""
