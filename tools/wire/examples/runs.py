"""A run of ingest: its events and its report."""

from __future__ import annotations

from datetime import timedelta

from kebab_app import DocumentReadings, ReadingStats
from kebab_core import (
    Aborted,
    AssetFinished,
    AssetPhase,
    AssetStarted,
    ChunkerVersion,
    Completed,
    DocumentId,
    EmbedBatchFinished,
    EmbedBatchStarted,
    EmbeddingFailure,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingSummary,
    EmbeddingVersion,
    Heartbeat,
    IngestCounts,
    IngestEvent,
    IngestFailure,
    IngestItem,
    IngestReport,
    IngestResult,
    IngestScope,
    Message,
    OcrFailure,
    OcrPageFinished,
    OcrStarted,
    OcrSummary,
    ParserVersion,
    PictureReading,
    Remedy,
    RunId,
    ScanCompleted,
    ScanStarted,
    SkipExample,
    SkipReason,
    SourceId,
    WatchNotice,
    WorkspacePath,
)
from kebab_wire import (
    NoteResultV1,
    WireObject,
    wire_ingest_event,
    wire_ingest_report,
    wire_ocr_failures,
    wire_ocr_stats,
    wire_watch_notice,
)

from tools.wire.examples.documents import DOC_ID, DOCUMENT, PATH, ROOT, START

_COUNTS = IngestCounts(
    scanned=9,
    new=2,
    updated=1,
    unchanged=1,
    skipped=2,
    moved=1,
    removed=1,
    errors=2,
    chunks_indexed=31,
    embeddings_indexed=31,
)
_EMBEDDING = EmbeddingSummary(
    identity=EmbeddingIdentity(
        model_id=EmbeddingModelId("multilingual-e5-small"),
        model_version=EmbeddingVersion("v1+0123456789ab"),
        dimensions=384,
    ),
    computed=27,
    reused=4,
    removed=6,
    pending=0,
)
_NO_MODEL = EmbeddingSummary(
    failure=EmbeddingFailure(
        code="model_missing",
        message=Message("the weights of 'multilingual-e5-large' are not on this machine"),
        hint="kebab models pull multilingual-e5-large",
    )
)
_ITEMS = (
    IngestItem(
        kind=IngestResult.UPDATED,
        doc_path=PATH,
        doc_id=DOC_ID,
        asset_id=DOCUMENT.source_asset_id,
        byte_len=1834,
        block_count=8,
        chunk_count=3,
        parser_version=ParserVersion("md-v1"),
        chunker_version=ChunkerVersion("md-heading-v1"),
        warnings=(Message("front matter: `date` is not a date"),),
    ),
    IngestItem(
        kind=IngestResult.MOVED,
        doc_path=WorkspacePath("보관/회의록.md"),
        moved_from=WorkspacePath("회의록.md"),
    ),
    IngestItem(
        kind=IngestResult.SKIPPED,
        doc_path=WorkspacePath("그림.psd"),
        skip_reason=SkipReason.UNSUPPORTED_MEDIA,
    ),
    IngestItem(
        kind=IngestResult.ERROR,
        doc_path=WorkspacePath("깨진 글.md"),
        error=IngestFailure(code="unsupported_media", message=Message("the content is binary")),
    ),
    IngestItem(
        kind=IngestResult.ERROR,
        doc_path=WorkspacePath("긴 자막.srt"),
        error=IngestFailure(
            code="timeout",
            message=Message(
                "reading {path} took more than {seconds:g} s of CPU time", path="긴 자막.srt", seconds=120.0
            ),
            remedy=Remedy(kind="raise_setting", setting="ingest.extract_timeout_s"),
        ),
    ),
)
_REPORT = IngestReport(
    run_id=RunId("01957a3c"),
    scopes=(IngestScope(root=ROOT, include=("**/*",), exclude=(".git/**",)),),
    counts=_COUNTS,
    skipped_by_reason={SkipReason.UNSUPPORTED_MEDIA: 1, SkipReason.GITIGNORE: 1},
    skipped_by_extension={"psd": 1},
    skip_examples=(SkipExample(reason=SkipReason.GITIGNORE, paths=("초안.md",)),),
    unreadable_folders=("잠긴 폴더",),
    duration_ms=4231,
    started_at=START,
    finished_at=START + timedelta(milliseconds=4231),
    items=_ITEMS,
    embedding=_EMBEDDING,
    ocr=OcrSummary(
        engine="local",
        read=12,
        reused=3,
        documents=9,
        waiting=3,
        elsewhere=2,
        unlinked=40,
        failures=(
            OcrFailure(
                doc_path=WorkspacePath("스캔/계약서.pdf"),
                page=2,
                failure=IngestFailure(
                    code="timeout",
                    message=Message(
                        "reading its text took more than {seconds:g} s of CPU time", seconds=60.0
                    ),
                    remedy=Remedy(kind="raise_setting", setting="ingest.ocr.timeout_s"),
                ),
            ),
        ),
        missing=IngestFailure(
            code="dependency_missing",
            message=Message("text in pictures is read with the package `{package}`", package="kebab-ocr"),
            remedy=Remedy(kind="install_packages", name="kebab-ocr", value="kebab-cli[ocr]"),
        ),
    ),
)


def _events() -> tuple[IngestEvent, ...]:
    return (
        ScanStarted(ts=START, root=ROOT),
        ScanCompleted(ts=START, total=8),
        AssetStarted(ts=START, path=PATH, media="markdown", idx=3, total=8),
        AssetPhase(ts=START, phase="embed", model="multilingual-e5-small", idx=3, total=8),
        AssetFinished(ts=START, path=PATH, result=IngestResult.UPDATED, chunks=3, ms=12, idx=3, total=8),
        EmbedBatchStarted(ts=START, n_chunks=3, done=28, total=31),
        EmbedBatchFinished(ts=START, n_chunks=3, ms=85, done=31, reused=4, total=31),
        OcrStarted(ts=START, pictures=12, pages=40, estimated_ms=39_000),
        OcrPageFinished(ts=START, path=WorkspacePath("영수증.png"), page=1, ms=1240, done=5, total=52),
        Heartbeat(ts=START, phase="scan", path=WorkspacePath("논문"), idx=3, total=8),
        Completed(ts=START, counts=_COUNTS),
        Aborted(ts=START, counts=_COUNTS),
    )


_WATCHING = WatchNotice(ts=START, kind="watching", message=Message("watching {roots}", roots=ROOT))
_FAILED = WatchNotice(
    ts=START,
    kind="failed",
    message=Message("{reason}; trying again in {seconds} s", reason="the disk is full", seconds=2),
    remedy=Remedy(kind="free_space"),
)


_FAILED_PAGE = PictureReading(
    doc_id=DocumentId("0123456789abcdef0123456789abcdef"),
    source_id=SourceId("default"),
    doc_path=WorkspacePath("스캔/계약서.pdf"),
    page=2,
    engine="local",
    read_at=START,
    ms=0,
    line_count=0,
    failure=_REPORT.ocr.failures[0].failure if _REPORT.ocr else None,
)
_READINGS = ReadingStats(
    pages=52,
    failed=1,
    lines=1290,
    percentiles_ms={50: 1210, 90: 3320, 99: 5290, 100: 5290},
    by_engine={"local": 52},
    documents=(DocumentReadings(address="스캔/계약서.pdf", pages=40, failed=1, ms=61_000),),
)


def build_runs() -> dict[str, WireObject]:
    """Return events of every kind and two reports by name."""
    return {
        **{f"ingest_progress.{event.kind}": wire_ingest_event(event) for event in _events()},
        "ingest_report": wire_ingest_report(_REPORT),
        "ingest_report.summary_only": wire_ingest_report(
            _REPORT.model_copy(update={"items": None, "embedding": _NO_MODEL})
        ),
        "ocr_stats": wire_ocr_stats(_READINGS, limit=1),
        "ocr_failures": wire_ocr_failures([_FAILED_PAGE], doc_id=None, limit=10),
        "note_result": NoteResultV1(address="kebab-notes:회의록.md", status="created"),
        "watch_notice": wire_watch_notice(_WATCHING),
        "watch_notice.failed": wire_watch_notice(_FAILED),
    }
