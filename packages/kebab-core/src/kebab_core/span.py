"""Where in its source a block or chunk stands."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import Field, model_validator

from kebab_core.model import Model

_Line = Annotated[int, Field(ge=1)]
_Offset = Annotated[int, Field(ge=0)]
_SpanT = TypeVar("_SpanT")


class LineSpan(Model):
    """Lines of the source file, 1-based, both ends inclusive, front matter counted."""

    kind: Literal["line"] = "line"
    start: _Line
    end: _Line

    @model_validator(mode="after")
    def _ordered(self) -> LineSpan:
        return require_order(self, self.start, self.end)


class ByteSpan(Model):
    """Bytes of the source file, 0-based, half open."""

    kind: Literal["byte"] = "byte"
    start: _Offset
    end: _Offset

    @model_validator(mode="after")
    def _ordered(self) -> ByteSpan:
        return require_order(self, self.start, self.end)


class PageSpan(Model):
    """A page (1-based) and, where known, a half-open range of code points in the page's text."""

    kind: Literal["page"] = "page"
    page: _Line
    char_start: _Offset | None = None
    char_end: _Offset | None = None

    @model_validator(mode="after")
    def _ordered(self) -> PageSpan:
        if (self.char_start is None) != (self.char_end is None):
            raise ValueError("a range of characters has both ends or neither")
        return require_order(self, self.char_start or 0, self.char_end or 0)


class RegionSpan(Model):
    """A rectangle in pixels from the top left; `page` (1-based) where the picture is part of a page."""

    kind: Literal["region"] = "region"
    x: _Offset
    y: _Offset
    w: _Offset
    h: _Offset
    page: _Line | None = None


class TimeSpan(Model):
    """A stretch of a recording in milliseconds from its start, half open."""

    kind: Literal["time"] = "time"
    start_ms: _Offset
    end_ms: _Offset

    @model_validator(mode="after")
    def _ordered(self) -> TimeSpan:
        return require_order(self, self.start_ms, self.end_ms)


class CodeSpan(Model):
    """Lines of a source-code file (1-based, inclusive) with the symbol defined there, if any."""

    kind: Literal["code"] = "code"
    line_start: _Line
    line_end: _Line
    symbol: str | None = None
    lang: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> CodeSpan:
        return require_order(self, self.line_start, self.line_end)


SourceSpan = Annotated[
    LineSpan | ByteSpan | PageSpan | RegionSpan | TimeSpan | CodeSpan, Field(discriminator="kind")
]
"""One of the six kinds, told apart by `kind`."""


def require_order(span: _SpanT, start: int, end: int) -> _SpanT:
    """Return `span`.

    Raises:
        ValueError: It ends before it starts; a validator turns this into a validation error.
    """
    if end < start:
        raise ValueError(f"a span must not end ({end}) before it starts ({start})")
    return span
