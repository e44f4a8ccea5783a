"""`citation.v1`, flat with the fields of its kind at the top level, and spans of a source file."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from kebab_core import Citation
from pydantic import Field, TypeAdapter

from kebab_wire.base import Count, Position, WireObject, WirePart


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


class RectangleV1(WirePart):
    """A rectangle on a page: in points (1/72 inch) from the top left corner of the page as it is displayed."""

    x: Count
    y: Count
    w: Count
    h: Count


class PageSpanV1(WirePart):
    """A page (1-based) and, where known, a half-open range of code points in its text."""

    kind: Literal["page"] = "page"
    page: Position
    char_start: Count | None = None
    char_end: Count | None = None
    rectangles: tuple[RectangleV1, ...] | None = None
    """Where the text stands on the page, in reading order."""


class RegionSpanV1(WirePart):
    """A rectangle in pixels from the top left; `page` (1-based) where the picture is part of a page."""

    kind: Literal["region"] = "region"
    x: Count
    y: Count
    w: Count
    h: Count
    page: Position | None = None
    char_start: Count | None = None
    """Start of the text in all that was read in the picture, in code points."""
    char_end: Count | None = None
    """Its end, excluded."""


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


class _CitationBase(WireObject):
    schema_version: Literal["citation.v1"] = "citation.v1"
    path: str
    """Path inside the source, POSIX separators."""
    source_id: str
    """Name of the configured source."""
    uri: str
    """Percent-encoded path and fragment; `<source_id>:` in front where that is not `default`."""


class LineCitationV1(_CitationBase):
    """Lines of a text file, 1-based, both ends included."""

    kind: Literal["line"] = "line"
    start: Position
    end: Position
    section: str | None = None


class PageCitationV1(_CitationBase):
    """A page, 1-based."""

    kind: Literal["page"] = "page"
    page: Position
    section: str | None = None
    char_start: Count | None = None
    """Start of the passage in the page's text, in code points."""
    char_end: Count | None = None
    """Its end, excluded."""
    rectangles: tuple[RectangleV1, ...] | None = None
    """Where the passage stands on the page, in reading order."""


class RegionCitationV1(_CitationBase):
    """A rectangle in pixels from the top left; `page` (1-based) where the picture is part of a page."""

    kind: Literal["region"] = "region"
    x: Count
    y: Count
    w: Count
    h: Count
    page: Position | None = None
    char_start: Count | None = None
    """Start of the passage in all text that was read in the picture, in code points."""
    char_end: Count | None = None
    """Its end, excluded."""


class CaptionCitationV1(_CitationBase):
    """A caption that a model wrote about a picture."""

    kind: Literal["caption"] = "caption"
    model: str


class TimeCitationV1(_CitationBase):
    """A stretch of a recording in milliseconds."""

    kind: Literal["time"] = "time"
    start_ms: Count
    end_ms: Count
    speaker: str | None = None


class CodeCitationV1(_CitationBase):
    """Lines of a source-code file, 1-based, both ends included."""

    kind: Literal["code"] = "code"
    line_start: Position
    line_end: Position
    symbol: str | None = None
    lang: str | None = None


CitationV1 = Annotated[
    LineCitationV1 | PageCitationV1 | RegionCitationV1 | CaptionCitationV1 | TimeCitationV1 | CodeCitationV1,
    Field(discriminator="kind"),
]
"""One of the six kinds."""


def wire_citation(citation: Citation) -> CitationV1:
    """Return a citation with its URI."""
    return _wire_type().validate_python({**citation.model_dump(), "uri": citation.to_uri()})


@cache
def _wire_type() -> TypeAdapter[CitationV1]:
    """The validator of citations; building it takes a hundred times as long as using it."""
    return TypeAdapter(CitationV1)
