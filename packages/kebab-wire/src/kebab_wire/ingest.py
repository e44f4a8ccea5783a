"""`ingest_report.v1` and `ingest_progress.v1`: the report of an ingest, and its events while it runs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from kebab_core import (
    DEFAULT_SOURCE_ID,
    Aborted,
    AssetFinished,
    AssetPhase,
    AssetStarted,
    Completed,
    Count,
    EmbedBatchFinished,
    EmbedBatchStarted,
    EmbeddingSummary,
    Heartbeat,
    IngestEvent,
    IngestItem,
    IngestReport,
    IngestResult,
    IngestScope,
    OcrPageFinished,
    OcrStarted,
    OcrSummary,
    Position,
    ScanCompleted,
    ScanStarted,
    SkipReason,
    WatchNotice,
    WatchNoticeKind,
)
from pydantic import Field, TypeAdapter

from kebab_wire.base import Advice, AdvisedPart, Timestamp, WireObject, WirePart, mirror

if TYPE_CHECKING:
    from kebab_wire.remedies import RemedyRenderer


class IngestFailureV1(AdvisedPart):
    """Reason that one file could not be processed."""

    code: str
    """A code of `error.v1`."""
    message: str
    hint: Advice = None


class IngestItemV1(IngestItem, WirePart):
    """One file of the run; unchanged files are counted, not listed."""

    error: IngestFailureV1 | None  # type: ignore[assignment]  # the words of its remedy in place of the remedy
    """Its error; null where there was none."""


class EmbeddingFailureV1(IngestFailureV1):
    """Reason that passages have no vectors: the model is missing, or it stopped working."""


class EmbeddingSummaryV1(WirePart):
    """Vectors of the run, in passages."""

    model_id: str | None
    """Null where the model does not report its identity."""
    model_version: str | None
    dimensions: Position | None
    computed: Count
    """Embedded by the model."""
    reused: Count
    """Taken from an earlier embedding of the same text."""
    removed: Count
    """Vectors of deleted passages."""
    pending: Count | None
    """Still without a vector; null where the number is not known."""
    time_limit_reached: bool = False
    """The run stopped embedding because its time was over, with passages still without a vector."""
    failure: EmbeddingFailureV1 | None = None


class OcrFailureV1(WirePart):
    """A page, picture or frame whose text could not be recognised, or a part of a recording that could not be heard."""

    doc_path: str
    source_id: str
    page: Position
    failure: IngestFailureV1


class OcrSummaryV1(WirePart):
    """Text in pictures of the run, or speech in recordings, in pages: each page, picture or frame counts as one, each part of a recording."""

    engine: str | None
    """Null where none can be used."""
    read: Count
    """Read in this run, failures included."""
    reused: Count
    """Taken from an earlier reading of the same page."""
    documents: Count
    """Documents that got text."""
    waiting: Count
    """Still unread, of those that the settings have read."""
    elsewhere: Count = 0
    """Those of them that another process is reading."""
    unlinked: Count
    """Pictures that stay unread by `ingest.ocr.pictures`."""
    captioned: Count = 0
    """Pictures and pages about which a chat model wrote a caption."""
    caption_failure: IngestFailureV1 | None = None
    """Why it stopped."""
    failures: tuple[OcrFailureV1, ...] = ()
    missing: IngestFailureV1 | None = None
    """Why none can be used; absent where one can."""


class IngestReportV1(WireObject):
    """Report of a run. Every file is in exactly one of the counters from `new` to `errors`."""

    schema_version: Literal["ingest_report.v1"] = "ingest_report.v1"
    run_id: str
    scope: IngestScope | None
    """The first source; null where there was none."""
    scopes: tuple[IngestScope, ...]
    """Every source."""
    scanned: Count
    """Files seen, skipped ones included."""
    new: Count
    updated: Count
    unchanged: Count
    skipped: Count
    moved: Count
    errors: Count
    """Files that could not be processed."""
    removed: Count
    """Documents removed because their files are missing."""
    removal_held: Count
    """Documents whose files seem missing, kept until the removal is confirmed."""
    chunks_indexed: Count
    embeddings_indexed: Count
    skipped_by_extension: dict[str, Count]
    """Unsupported files by extension without dot; `<no-ext>` where there is none."""
    skipped_builtin_blacklist: Count
    skipped_gitignore: Count
    skipped_kebabignore: Count
    skipped_config_exclude: Count
    skipped_not_included: Count
    skipped_unsupported_media: Count
    skipped_size_exceeded: Count
    skipped_generated: Count
    skipped_binary_content: Count
    skipped_empty: Count
    skipped_symlink_outside: Count
    skipped_symlink_loop: Count
    skipped_linked_twice: Count
    skipped_not_regular: Count
    skipped_broken_link: Count
    skipped_unusable_name: Count
    skipped_unreadable: Count
    skip_examples: dict[str, tuple[str, ...]]
    """Up to five paths for each reason, named as the counters without `skipped_`."""
    unreadable_folders: tuple[str, ...]
    """Folders that could not be listed, each with the reason; nothing below them was removed, and no counter has them."""
    aborted: bool
    duration_ms: Count
    started_at: Timestamp
    finished_at: Timestamp
    items: tuple[IngestItemV1, ...] | None
    """Null where only a summary was asked for."""
    skipped_spelled_twice: Count = 0
    """Names that equal, in NFC, that of another file or folder beside them; shown with a `~` after them."""
    skipped_secret: Count = 0
    """Files of private keys or access keys."""
    embedding: EmbeddingSummaryV1 | None = None
    """Absent where no embedding model is configured or the run leaves vectors out."""
    ocr: OcrSummaryV1 | None = None
    """Absent where no picture was to be read, or the run leaves them out."""
    asr: OcrSummaryV1 | None = None
    """Speech in recordings, in parts of three minutes at most; absent where no recording was to be heard, or the run leaves them out."""


def wire_ingest_report(report: IngestReport, *, render: RemedyRenderer | None = None) -> IngestReportV1:
    """Return a report for the wire; its skip counters sum to `skipped`.

    Args:
        report: The report.
        render: Words of remedies; None: the shared words.
    """
    counters = {f"skipped_{reason}": report.skipped_by_reason.get(reason, 0) for reason in SkipReason}
    return mirror(
        IngestReportV1,
        report,
        render,
        scope=report.scopes[0] if report.scopes else None,
        embedding=_wire_embedding(report.embedding, render),
        ocr=_wire_ocr(report.ocr, render),
        asr=_wire_ocr(report.asr, render),
        skip_examples={example.reason: example.paths for example in report.skip_examples},
        **counters,
        **report.counts.model_dump(),
    )


def _wire_embedding(
    summary: EmbeddingSummary | None, render: RemedyRenderer | None
) -> EmbeddingSummaryV1 | None:
    if summary is None:
        return None
    identity = summary.identity
    return mirror(
        EmbeddingSummaryV1,
        summary,
        render,
        model_id=identity and identity.model_id,
        model_version=identity and identity.model_version,
        dimensions=identity and identity.dimensions,
    )


def _wire_ocr(summary: OcrSummary | None, render: RemedyRenderer | None) -> OcrSummaryV1 | None:
    if summary is None:
        return None
    failures = tuple(mirror(OcrFailureV1, each, render) for each in summary.failures)
    return mirror(OcrSummaryV1, summary, render, failures=failures)


class NoteResultV1(WireObject):
    """Result of a document that was written, ingested or forgotten."""

    schema_version: Literal["note_result.v1"] = "note_result.v1"
    address: str
    """The document: its path, after source and colon where the source is not the default one."""
    status: Literal["created", "updated", "unchanged", "forgotten"]
    """It is found by its words at once; vectors follow."""
    warnings: tuple[str, ...] = ()


_STATUSES = {
    IngestResult.NEW: "created",
    IngestResult.UPDATED: "updated",
    IngestResult.MOVED: "updated",
    IngestResult.UNCHANGED: "unchanged",
}


def wire_note_result(report: IngestReport) -> NoteResultV1 | None:
    """Return the result of a run over one document; None where it was not stored."""
    for item in report.items or ():
        if item.kind in _STATUSES:
            is_default = item.source_id == DEFAULT_SOURCE_ID
            return NoteResultV1.model_validate({
                "address": str(item.doc_path) if is_default else f"{item.source_id}:{item.doc_path}",
                "status": _STATUSES[item.kind],
                "warnings": tuple(map(str, item.warnings)),
            })
    return None


class _ProgressBase(WireObject):
    schema_version: Literal["ingest_progress.v1"] = "ingest_progress.v1"


class ScanStartedV1(ScanStarted, _ProgressBase):
    """First event, except for heartbeats of a run that waits for another writer."""


class ScanCompletedV1(ScanCompleted, _ProgressBase):
    """The scan is complete: the amount of work is known."""

    removals: Count = 0
    """Number of documents to remove among them."""


class AssetStartedV1(AssetStarted, _ProgressBase):
    """Work on one file begins; `idx` counts from 1."""


class AssetPhaseV1(AssetPhase, _ProgressBase):
    """A slow phase of one file begins."""


class AssetFinishedV1(AssetFinished, _ProgressBase):
    """End of one file: searchable from now on, or not, by `result`."""


class EmbedBatchStartedV1(EmbedBatchStarted, _ProgressBase):
    """A batch of passages goes to the embedding model."""

    done: Count = 0
    """Passages of this run that have their vectors."""
    total: Count = 0
    """Passages of this run that need one; 0 where that is not known."""


class EmbedBatchFinishedV1(EmbedBatchFinished, _ProgressBase):
    """The batch's vectors are stored."""

    done: Count = 0
    """Passages of this run that have their vectors, this batch included."""
    reused: Count = 0
    """Number in `done` that were taken from an earlier embedding of the same text."""
    total: Count = 0
    """Passages of this run that need one; 0 where that is not known."""


class OcrStartedV1(OcrStarted, _ProgressBase):
    """Text in pictures, or speech in recordings, is about to be recognised."""


class OcrPageFinishedV1(OcrPageFinished, _ProgressBase):
    """A page, picture or frame is read, or a part of a recording heard."""


class HeartbeatV1(Heartbeat, _ProgressBase):
    """Sign of life of a run while no other event happens."""


class CompletedV1(Completed, _ProgressBase):
    """Terminal: the run came to its end."""


class AbortedV1(Aborted, _ProgressBase):
    """Terminal: the run was stopped on request; committed documents stay."""


IngestProgressV1 = Annotated[
    ScanStartedV1
    | ScanCompletedV1
    | AssetStartedV1
    | AssetPhaseV1
    | AssetFinishedV1
    | EmbedBatchStartedV1
    | EmbedBatchFinishedV1
    | OcrStartedV1
    | OcrPageFinishedV1
    | HeartbeatV1
    | CompletedV1
    | AbortedV1,
    Field(discriminator="kind"),
]
"""scan_started, scan_completed, assets, pages whose text is recognised, batches of passages that get vectors, then exactly one of completed and aborted.
A run that only makes vectors has neither scan nor assets. Where the run had to wait for another writer, heartbeats
come before; where the wait was ended, `aborted` alone follows them."""


def wire_ingest_event(event: IngestEvent) -> IngestProgressV1:
    """Return an event for the wire."""
    return _wire_type().validate_python(event, from_attributes=True)


class WatchNoticeV1(WireObject, AdvisedPart):
    """Something that `kebab watch` tells beside the events and reports of its runs.

    `watching`: changes are noticed from now on. `polling`: events of folders cannot be had, all files are looked at now
    and then. `failed`: a run could not be carried out and is repeated.
    """

    schema_version: Literal["watch_notice.v1"] = "watch_notice.v1"
    ts: Timestamp
    kind: WatchNoticeKind
    message: str
    """One sentence for people."""
    source_id: str | None = None
    """The source that it is about; absent where it is about all."""
    hint: Advice = None


def wire_watch_notice(notice: WatchNotice, *, render: RemedyRenderer | None = None) -> WatchNoticeV1:
    """Return a notice for the wire.

    Args:
        notice: The notice.
        render: Words of remedies; None: the shared words.
    """
    return mirror(WatchNoticeV1, notice, render)


@cache
def _wire_type() -> TypeAdapter[IngestProgressV1]:
    """The validator of events; building it takes a hundred times as long as using it."""
    return TypeAdapter(IngestProgressV1)
