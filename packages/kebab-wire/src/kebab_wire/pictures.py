"""`ocr_stats.v1` and `ocr_failures.v1`: the last readings of pages, pictures and frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kebab_core import Count, Position

from kebab_wire.base import Timestamp, WireObject, WirePart, mirror
from kebab_wire.ingest import IngestFailureV1

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_app import ReadingStats
    from kebab_core import PictureReading

    from kebab_wire.remedies import RemedyRenderer


class OcrDocumentV1(WirePart):
    """The readings of one document."""

    address: str
    pages: Count
    failures: Count
    ms: Count
    """CPU milliseconds of all pages."""


class OcrStatsV1(WireObject):
    """The last reading of every page, picture and frame; times are CPU milliseconds of those that were read."""

    schema_version: Literal["ocr_stats.v1"] = "ocr_stats.v1"
    total_events: Count
    success_count: Count
    failure_count: Count
    success_rate: float | None
    """0 to 1; null without readings."""
    line_count: Count
    """Lines of text that were found."""
    p50_ms: Count | None
    p90_ms: Count | None
    p99_ms: Count | None
    max_ms: Count | None
    by_engine: dict[str, Count]
    """Pages by engine."""
    by_doc: tuple[OcrDocumentV1, ...]
    """Slowest first."""


class OcrFailedPageV1(WirePart):
    """A page, picture or frame whose text could not be recognised."""

    ts: Timestamp
    doc_id: str
    source_id: str
    doc_path: str
    page: Position
    engine: str
    ms: Count
    failure: IngestFailureV1


class OcrFailuresV1(WireObject):
    """Pages, pictures and frames that could not be read, newest first; `kebab ocr` tries them again."""

    schema_version: Literal["ocr_failures.v1"] = "ocr_failures.v1"
    doc_id: str | None
    """The document that was asked for; null for all."""
    failure_count: Count
    failures: tuple[OcrFailedPageV1, ...]
    """At most as many as were asked for."""


def wire_ocr_stats(stats: ReadingStats, *, limit: int) -> OcrStatsV1:
    """Return a summary for the wire, with the slowest documents."""
    times = stats.percentiles_ms
    read = stats.pages - stats.failed
    return OcrStatsV1(
        total_events=stats.pages,
        success_count=read,
        failure_count=stats.failed,
        success_rate=read / stats.pages if stats.pages else None,
        line_count=stats.lines,
        p50_ms=times.get(50),
        p90_ms=times.get(90),
        p99_ms=times.get(99),
        max_ms=times.get(100),
        by_engine=dict(stats.by_engine),
        by_doc=tuple(
            OcrDocumentV1(address=each.address, pages=each.pages, failures=each.failed, ms=each.ms)
            for each in stats.documents[:limit]
        ),
    )


def wire_ocr_failures(
    failures: Sequence[PictureReading],
    *,
    doc_id: str | None,
    limit: int,
    render: RemedyRenderer | None = None,
) -> OcrFailuresV1:
    """Return failures for the wire.

    Args:
        failures: Readings that failed, newest first.
        doc_id: The document that was asked for.
        limit: Most failures that are listed.
        render: Words of remedies; None: the shared words.
    """
    return OcrFailuresV1(
        doc_id=doc_id,
        failure_count=len(failures),
        failures=tuple(
            OcrFailedPageV1(
                ts=each.read_at,
                doc_id=each.doc_id,
                source_id=each.source_id,
                doc_path=str(each.doc_path),
                page=each.page,
                engine=each.engine,
                ms=each.ms,
                failure=mirror(IngestFailureV1, each.failure, render),
            )
            for each in failures[:limit]
            if each.failure is not None
        ),
    )
