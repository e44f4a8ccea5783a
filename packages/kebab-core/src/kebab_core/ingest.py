"""Ingest: its events while it runs and its report at the end."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, NewType

from pydantic import Field

from kebab_core.asset import SourceId, WorkspacePath
from kebab_core.ids import DEFAULT_SOURCE_ID, AssetId, DocumentId
from kebab_core.media import MediaKind
from kebab_core.model import Model, UtcDatetime
from kebab_core.source import SkipReason
from kebab_core.vector import EmbeddingIdentity
from kebab_core.versions import ChunkerVersion, ParserVersion

RunId = NewType("RunId", str)


class IngestResult(StrEnum):
    """What became of one file."""

    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    MOVED = "moved"
    REMOVED = "removed"
    ERROR = "error"


class IngestScope(Model):
    """One source as a run took it."""

    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    root: str
    under: WorkspacePath | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class IngestFailure(Model):
    """Why one file could not be processed."""

    code: str
    """A code of the error tree."""
    message: str


class IngestItem(Model):
    """One file of a run. Unchanged files are counted, not listed."""

    kind: IngestResult
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    doc_path: WorkspacePath
    doc_id: DocumentId | None = None
    asset_id: AssetId | None = None
    moved_from: WorkspacePath | None = None
    byte_len: int | None = Field(default=None, ge=0)
    block_count: int | None = Field(default=None, ge=0)
    chunk_count: int | None = Field(default=None, ge=0)
    parser_version: ParserVersion | None = None
    chunker_version: ChunkerVersion | None = None
    skip_reason: SkipReason | None = None
    warnings: tuple[str, ...] = ()
    error: IngestFailure | None = None


class IngestCounts(Model):
    """Files by result, and what was written."""

    scanned: int = Field(default=0, ge=0)
    """Every file seen, skipped ones included."""
    new: int = Field(default=0, ge=0)
    updated: int = Field(default=0, ge=0)
    unchanged: int = Field(default=0, ge=0)
    skipped: int = Field(default=0, ge=0)
    moved: int = Field(default=0, ge=0)
    removed: int = Field(default=0, ge=0)
    removal_held: int = Field(default=0, ge=0)
    """Documents whose files seem gone but that are kept until `--prune` confirms it."""
    errors: int = Field(default=0, ge=0)
    """Files that could not be processed, and folders that could not be looked into."""
    chunks_indexed: int = Field(default=0, ge=0)
    embeddings_indexed: int = Field(default=0, ge=0)


class SkipExample(Model):
    """Up to five paths of one reason."""

    reason: SkipReason
    paths: tuple[str, ...]


class EmbeddingFailure(Model):
    """Why chunks have no vectors: the model is not there, or it stopped working."""

    code: str
    """A code of the error tree."""
    message: str
    hint: str | None = None


class EmbeddingSummary(Model):
    """What a run did for vectors, in chunks."""

    identity: EmbeddingIdentity | None = None
    """None where the model cannot be asked who it is."""
    computed: int = Field(default=0, ge=0)
    """Given a vector by the model."""
    reused: int = Field(default=0, ge=0)
    """Given one that the model had made before of the same text."""
    removed: int = Field(default=0, ge=0)
    """Vectors of chunks that are gone."""
    pending: int | None = Field(default=None, ge=0)
    """Still without a vector; None where that is not known."""
    failure: EmbeddingFailure | None = None


class IngestReport(Model):
    """What a run did."""

    run_id: RunId
    scopes: tuple[IngestScope, ...]
    counts: IngestCounts
    skipped_by_reason: dict[SkipReason, int] = Field(default_factory=dict)
    """Sums to `counts.skipped`."""
    skipped_by_extension: dict[str, int] = Field(default_factory=dict)
    """Unsupported files by extension without dot; `<no-ext>` where there is none."""
    skip_examples: tuple[SkipExample, ...] = ()
    unreadable_folders: tuple[str, ...] = ()
    aborted: bool = False
    duration_ms: int = Field(ge=0)
    started_at: UtcDatetime
    finished_at: UtcDatetime
    items: tuple[IngestItem, ...] | None = None
    """None with `--summary-only`."""
    embedding: EmbeddingSummary | None = None
    """None where no embedding model is configured or the run was to leave vectors alone."""


class IngestRun(Model):
    """A run as it is stored."""

    run_id: RunId
    scopes: tuple[IngestScope, ...]
    started_at: UtcDatetime
    finished_at: UtcDatetime | None = None
    """When it came to its end, or when a later run had done what it left; None until then."""
    report: IngestReport | None = None
    """None while it runs, and for good where it died."""


class _Event(Model):
    ts: UtcDatetime


class ScanStarted(_Event):
    """First of all, but for heartbeats of a run that waits for another writer."""

    kind: Literal["scan_started"] = "scan_started"
    root: str


class ScanCompleted(_Event):
    """What there is to do is known."""

    kind: Literal["scan_completed"] = "scan_completed"
    total: int = Field(ge=0)
    """Files to look at, documents to remove and folders that could not be looked into."""
    removals: int = Field(default=0, ge=0)
    """How many of them are documents to remove."""


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
    """The lexical commit of one file, or the reason there is none. Unchanged and removed files have only this."""

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
    """Of `done`, those whose vector the model had made before of the same text."""
    total: int = Field(default=0, ge=0)
    """Chunks of this run that need one; 0 where that is not known."""


class Heartbeat(_Event):
    """Nothing else happened for a while, but the run is alive."""

    kind: Literal["heartbeat"] = "heartbeat"
    phase: str
    idx: int = Field(default=0, ge=0)
    total: int = Field(default=0, ge=0)
    path: WorkspacePath | None = None
    waits_for: str | None = None
    """The writer that has to finish before the run can begin, for people to read."""


class Completed(_Event):
    """Terminal: the run came to its end."""

    kind: Literal["completed"] = "completed"
    counts: IngestCounts


class Aborted(_Event):
    """Terminal: the run was asked to stop; what was committed stays."""

    kind: Literal["aborted"] = "aborted"
    counts: IngestCounts


IngestEvent = Annotated[
    ScanStarted
    | ScanCompleted
    | AssetStarted
    | AssetPhase
    | AssetFinished
    | EmbedBatchStarted
    | EmbedBatchFinished
    | Heartbeat
    | Completed
    | Aborted,
    Field(discriminator="kind"),
]
"""In order: scan_started, scan_completed, assets, batches of chunks that get vectors, then exactly one of completed and
aborted. A run that only makes vectors has neither scan nor assets. Where the run had to wait for another writer,
heartbeats come before; where the wait was ended, `aborted` alone follows them."""
