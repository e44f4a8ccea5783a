"""Where a chunk stands in its source."""

from __future__ import annotations

from collections.abc import Iterable

from kebab_core import LineSpan, SourceSpan


def merge_spans(spans: Iterable[SourceSpan]) -> tuple[SourceSpan, ...]:
    """Return spans in order, runs of lines as one span from first to last line, equal neighbours once.

    Pieces of a chunk follow each other in the source, so between two of its line spans there are only lines
    that show nothing.
    """
    merged: list[SourceSpan] = []
    for span in spans:
        last = merged[-1] if merged else None
        if isinstance(last, LineSpan) and isinstance(span, LineSpan):
            merged[-1] = LineSpan(start=min(last.start, span.start), end=max(last.end, span.end))
        elif span != last:
            merged.append(span)
    return tuple(merged)
