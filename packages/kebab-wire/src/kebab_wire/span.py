"""Where in its source a passage or block stands."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kebab_wire.base import Count, Position, WirePart


class LineSpanV1(WirePart):
    """Lines of the source file, 1-based, both ends included."""

    kind: Literal["line"] = "line"
    start: Position
    end: Position


class ByteSpanV1(WirePart):
    """Bytes of the source file, 0-based, half open."""

    kind: Literal["byte"] = "byte"
    start: Count
    end: Count


class PageSpanV1(WirePart):
    """A page (1-based) and, where known, a half-open range of code points in its text."""

    kind: Literal["page"] = "page"
    page: Position
    char_start: Count | None = None
    char_end: Count | None = None


class RegionSpanV1(WirePart):
    """A rectangle in pixels from the top left; `page` (1-based) where the picture is part of a page."""

    kind: Literal["region"] = "region"
    x: Count
    y: Count
    w: Count
    h: Count
    page: Position | None = None


class TimeSpanV1(WirePart):
    """A stretch of a recording in milliseconds, half open."""

    kind: Literal["time"] = "time"
    start_ms: Count
    end_ms: Count


class CodeSpanV1(WirePart):
    """Lines of a source-code file, 1-based, both ends included."""

    kind: Literal["code"] = "code"
    line_start: Position
    line_end: Position
    symbol: str | None = None
    lang: str | None = None


SpanV1 = Annotated[
    LineSpanV1 | ByteSpanV1 | PageSpanV1 | RegionSpanV1 | TimeSpanV1 | CodeSpanV1, Field(discriminator="kind")
]
"""One of the six kinds."""
