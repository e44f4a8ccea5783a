"""From a chunk to the address that a reader can open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from kebab_core import (
    Citation,
    CodeCitation,
    CodeSpan,
    IndexedChunk,
    LineCitation,
    LineSpan,
    PageCitation,
    PageSpan,
    RegionCitation,
    RegionSpan,
    RetrievalError,
    SourceSpan,
    TimeCitation,
    TimeSpan,
)

_SpanT = TypeVar("_SpanT", bound=SourceSpan)


def build_citation(found: IndexedChunk) -> Citation:
    """Return the citation of a chunk's whole range, from its first line or moment to its last.

    The kind follows the first span. A chunk over several pages cites the first; regions of one page become the
    rectangle around them.

    Raises:
        RetrievalError: The chunk has no span that can be cited, which only a damaged index has.
    """
    spans = found.chunk.source_spans
    first = spans[0] if spans else None
    match first:
        case LineSpan():
            return _cite_lines(found, _of_kind(spans, LineSpan))
        case CodeSpan():
            return _cite_code(found, _of_kind(spans, CodeSpan))
        case PageSpan():
            return PageCitation(
                path=found.document.doc_path,
                source_id=found.document.source_id,
                page=first.page,
                section=found.chunk.section_label,
            )
        case RegionSpan():
            return _cite_region(
                found, [span for span in _of_kind(spans, RegionSpan) if span.page == first.page]
            )
        case TimeSpan():
            return _cite_time(found, _of_kind(spans, TimeSpan))
    raise RetrievalError(
        f"chunk {found.chunk.chunk_id!r} has no place in its source",
        hint="kebab ingest",
        chunk_id=found.chunk.chunk_id,
    )


def _of_kind(spans: Sequence[SourceSpan], kind: type[_SpanT]) -> list[_SpanT]:
    return [span for span in spans if isinstance(span, kind)]


def _cite_lines(found: IndexedChunk, spans: Sequence[LineSpan]) -> Citation:
    document = found.document
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    if document.media == "code":
        return CodeCitation(
            path=document.doc_path,
            source_id=document.source_id,
            line_start=start,
            line_end=end,
            lang=document.code_lang,
        )
    return LineCitation(
        path=document.doc_path,
        source_id=document.source_id,
        start=start,
        end=end,
        section=found.chunk.section_label,
    )


def _cite_code(found: IndexedChunk, spans: Sequence[CodeSpan]) -> CodeCitation:
    symbols = {span.symbol for span in spans}
    return CodeCitation(
        path=found.document.doc_path,
        source_id=found.document.source_id,
        line_start=min(span.line_start for span in spans),
        line_end=max(span.line_end for span in spans),
        symbol=symbols.pop() if len(symbols) == 1 else None,
        lang=spans[0].lang or found.document.code_lang,
    )


def _cite_region(found: IndexedChunk, spans: Sequence[RegionSpan]) -> RegionCitation:
    left, top = min(span.x for span in spans), min(span.y for span in spans)
    return RegionCitation(
        path=found.document.doc_path,
        source_id=found.document.source_id,
        x=left,
        y=top,
        w=max(span.x + span.w for span in spans) - left,
        h=max(span.y + span.h for span in spans) - top,
        page=spans[0].page,
    )


def _cite_time(found: IndexedChunk, spans: Sequence[TimeSpan]) -> TimeCitation:
    return TimeCitation(
        path=found.document.doc_path,
        source_id=found.document.source_id,
        start_ms=min(span.start_ms for span in spans),
        end_ms=max(span.end_ms for span in spans),
    )
