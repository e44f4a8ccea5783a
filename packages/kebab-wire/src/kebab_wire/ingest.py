"""`ingest_report.v1`: what a run of ingest did."""

from __future__ import annotations

from typing import Literal

from kebab_core import EmbeddingSummary, IngestReport, IngestResult, SkipReason

from kebab_wire.base import Count, Position, Timestamp, WireId, WireObject, WirePart, mirror


class ScopeV1(WirePart):
    """One source as the run took it."""

    source_id: str
    root: str
    under: str | None = None
    """Only this file or folder of the source."""
    include: tuple[str, ...]
    exclude: tuple[str, ...]


class IngestFailureV1(WirePart):
    """Why a file could not be processed."""

    code: str
    """A code of `error.v1`."""
    message: str


class IngestItemV1(WirePart):
    """One file of the run; unchanged files are counted, not listed."""

    kind: IngestResult
    source_id: str
    doc_path: str
    doc_id: WireId | None = None
    asset_id: WireId | None = None
    moved_from: str | None = None
    byte_len: Count | None = None
    block_count: Count | None = None
    chunk_count: Count | None = None
    parser_version: str | None = None
    chunker_version: str | None = None
    skip_reason: SkipReason | None = None
    warnings: tuple[str, ...]
    error: IngestFailureV1 | None


class EmbeddingFailureV1(WirePart):
    """Why passages have no vectors: the model is not there, or it stopped working."""

    code: str
    """A code of `error.v1`."""
    message: str
    hint: str | None = None


class EmbeddingSummaryV1(WirePart):
    """What the run did for vectors, in passages."""

    model_id: str | None
    """Null where the model cannot be asked who it is."""
    model_version: str | None
    dimensions: Position | None
    computed: Count
    """Given a vector by the model."""
    reused: Count
    """Given one that the model had made before of the same text."""
    removed: Count
    """Vectors of passages that are gone."""
    pending: Count | None
    """Still without a vector; null where that is not known."""
    failure: EmbeddingFailureV1 | None = None


class IngestReportV1(WireObject):
    """What the run did. Every file is in exactly one of the counters new to errors."""

    schema_version: Literal["ingest_report.v1"] = "ingest_report.v1"
    run_id: str
    scope: ScopeV1 | None
    """The first source; null where there was none."""
    scopes: tuple[ScopeV1, ...]
    """Every source."""
    scanned: Count
    """Files seen, skipped ones included."""
    new: Count
    updated: Count
    unchanged: Count
    skipped: Count
    moved: Count
    errors: Count
    """Files that could not be processed, and folders that could not be looked into."""
    removed: Count
    """Documents whose files are gone."""
    removal_held: Count
    """Documents whose files seem gone but that are kept until it is confirmed."""
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
    """Folders that could not be listed; nothing beneath them was taken for gone."""
    aborted: bool
    duration_ms: Count
    started_at: Timestamp
    finished_at: Timestamp
    items: tuple[IngestItemV1, ...] | None
    """Null with `--summary-only`."""
    skipped_spelled_twice: Count = 0
    """Names that another file or folder beside them has too, once both are composed; shown with a `~` after them."""
    embedding: EmbeddingSummaryV1 | None = None
    """Absent where no embedding model is configured or the run was to leave vectors alone."""


def wire_ingest_report(report: IngestReport) -> IngestReportV1:
    """Return a report for the wire; its skip counters sum to `skipped`."""
    counters = {f"skipped_{reason}": report.skipped_by_reason.get(reason, 0) for reason in SkipReason}
    return mirror(
        IngestReportV1,
        report,
        scope=report.scopes[0] if report.scopes else None,
        embedding=_wire_embedding(report.embedding),
        skip_examples={example.reason: example.paths for example in report.skip_examples},
        **counters,
        **report.counts.model_dump(),
    )


def _wire_embedding(summary: EmbeddingSummary | None) -> EmbeddingSummaryV1 | None:
    if summary is None:
        return None
    identity = summary.identity
    return mirror(
        EmbeddingSummaryV1,
        summary,
        model_id=identity and identity.model_id,
        model_version=identity and identity.model_version,
        dimensions=identity and identity.dimensions,
    )
