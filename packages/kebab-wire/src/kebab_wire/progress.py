"""`ingest_progress.v1`: the events of a run while it runs."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from kebab_core import IngestEvent, IngestResult, MediaKind
from pydantic import Field, TypeAdapter

from kebab_wire.base import Count, Position, Timestamp, WireObject, WirePart


class IngestCountsV1(WirePart):
    """Files by result so far, and what was written."""

    scanned: Count
    new: Count
    updated: Count
    unchanged: Count
    skipped: Count
    moved: Count
    removed: Count
    removal_held: Count
    errors: Count
    chunks_indexed: Count
    embeddings_indexed: Count


class _ProgressBase(WireObject):
    schema_version: Literal["ingest_progress.v1"] = "ingest_progress.v1"
    ts: Timestamp


class ScanStartedV1(_ProgressBase):
    """First of all, but for heartbeats of a run that waits for another writer."""

    kind: Literal["scan_started"] = "scan_started"
    root: str


class ScanCompletedV1(_ProgressBase):
    """What there is to do is known."""

    kind: Literal["scan_completed"] = "scan_completed"
    total: Count
    """Files to look at, documents to remove and folders that could not be looked into."""
    removals: Count = 0
    """How many of them are documents to remove."""


class AssetStartedV1(_ProgressBase):
    """Work on one file begins; `idx` counts from 1."""

    kind: Literal["asset_started"] = "asset_started"
    idx: Position
    total: Count
    path: str
    media: MediaKind


class AssetPhaseV1(_ProgressBase):
    """A slow phase of one file begins."""

    kind: Literal["asset_phase"] = "asset_phase"
    idx: Position
    total: Count
    phase: Literal["ocr", "caption", "embed"]
    model: str | None = None


class AssetFinishedV1(_ProgressBase):
    """The file can be searched from now on, or it is said why not."""

    kind: Literal["asset_finished"] = "asset_finished"
    idx: Position
    total: Count
    path: str
    result: IngestResult
    chunks: Count
    ms: Count


class EmbedBatchStartedV1(_ProgressBase):
    """A batch of passages goes to the embedding model."""

    kind: Literal["embed_batch_started"] = "embed_batch_started"
    n_chunks: Position
    done: Count = 0
    """Passages of this run that have their vectors."""
    total: Count = 0
    """Passages of this run that need one; 0 where that is not known."""


class EmbedBatchFinishedV1(_ProgressBase):
    """The batch's vectors are stored."""

    kind: Literal["embed_batch_finished"] = "embed_batch_finished"
    n_chunks: Position
    ms: Count
    done: Count = 0
    """Passages of this run that have their vectors, this batch included."""
    reused: Count = 0
    """Of `done`, those whose vector was known from before."""
    total: Count = 0
    """Passages of this run that need one; 0 where that is not known."""


class HeartbeatV1(_ProgressBase):
    """Nothing else happened for a while, but the run is alive."""

    kind: Literal["heartbeat"] = "heartbeat"
    phase: str
    idx: Count
    total: Count
    path: str | None = None
    waits_for: str | None = None
    """The writer that has to finish before the run can begin, for people to read."""


class CompletedV1(_ProgressBase):
    """Terminal: the run came to its end."""

    kind: Literal["completed"] = "completed"
    counts: IngestCountsV1


class AbortedV1(_ProgressBase):
    """Terminal: the run was asked to stop; what was committed stays."""

    kind: Literal["aborted"] = "aborted"
    counts: IngestCountsV1


IngestProgressV1 = Annotated[
    ScanStartedV1
    | ScanCompletedV1
    | AssetStartedV1
    | AssetPhaseV1
    | AssetFinishedV1
    | EmbedBatchStartedV1
    | EmbedBatchFinishedV1
    | HeartbeatV1
    | CompletedV1
    | AbortedV1,
    Field(discriminator="kind"),
]
"""scan_started, scan_completed, assets, batches of passages that get vectors, then exactly one of completed and aborted.
A run that only makes vectors has neither scan nor assets. Where the run had to wait for another writer, heartbeats
come before; where the wait was ended, `aborted` alone follows them."""


def wire_ingest_event(event: IngestEvent) -> IngestProgressV1:
    """Return an event for the wire."""
    return _wire_type().validate_python(event, from_attributes=True)


@cache
def _wire_type() -> TypeAdapter[IngestProgressV1]:
    """Return the reader of events; making it takes a hundred times as long as using it."""
    return TypeAdapter(IngestProgressV1)
