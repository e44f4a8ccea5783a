"""Spans: places in a source file that blocks and chunks come from, and ranges of cells in the notation of spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Literal, NamedTuple, Self, TypeVar

from pydantic import Field, model_validator

from kebab_core.model import Count, Model, Position

_SpanT = TypeVar("_SpanT")
_CELLS_PATTERN = r"[A-Z]{1,3}[1-9][0-9]{0,6}(:[A-Z]{1,3}[1-9][0-9]{0,6})?"
_RANGE = re.compile(_CELLS_PATTERN)
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_LETTERS = 26

CellRange = Annotated[str, Field(pattern=f"^{_CELLS_PATTERN}$")]
"""A cell or a range from its first to its last, columns as letters and rows from 1."""


class LineSpan(Model):
    """Lines of the source file, 1-based, both ends inclusive, front matter counted."""

    kind: Literal["line"] = "line"
    start: Position
    end: Position

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        return require_order(self, self.start, self.end)


class ByteSpan(Model):
    """Bytes of the source file, 0-based, half open."""

    kind: Literal["byte"] = "byte"
    start: Count
    end: Count

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        return require_order(self, self.start, self.end)


class Rectangle(Model):
    """A rectangle on a page: in points (1/72 inch) from the top left corner of the page as it is displayed."""

    x: Count
    y: Count
    w: Count
    h: Count


class PageSize(Model):
    """Size of a page as it is displayed, in points (1/72 inch)."""

    width: Count
    height: Count


class CharRange(Model):
    """A half-open range of code points, where it is known."""

    char_start: Count | None = None
    """Start in the text of the page, or in all that was read in the picture, in code points."""
    char_end: Count | None = None
    """Its end, excluded."""

    @model_validator(mode="after")
    def _chars_ordered(self) -> Self:
        if (self.char_start is None) != (self.char_end is None):
            raise ValueError("a range of characters has both ends or neither")
        return require_order(self, self.char_start or 0, self.char_end or 0)


class PageText(CharRange):
    """Position of a text on its page: a range of characters and, where they are known, rectangles."""

    rectangles: tuple[Rectangle, ...] | None = None
    """In reading order, where they are known; no part of ids."""
    page_size: PageSize | None = Field(default=None, exclude_if=lambda size: size is None)
    """Size of the page, where it is known; no part of ids."""


class PagePlace(Model):
    """A page, 1-based."""

    kind: Literal["page"] = "page"
    page: Position


class PageSpan(PageText, PagePlace):
    """A page (1-based) and, where known, a half-open range of code points in the page's text."""


class SlidePlace(Model):
    """A slide, 1-based."""

    kind: Literal["slide"] = "slide"
    slide: Position


class SlideSpan(CharRange, SlidePlace):
    """A slide (1-based, hidden ones counted) and, where known, a half-open range of code points in its text."""


class CellPlace(Model):
    """Cells of a sheet."""

    kind: Literal["cells"] = "cells"
    sheet: str = Field(min_length=1, max_length=255)
    """Name of the sheet."""
    cells: CellRange | None = None
    """None is the whole sheet."""


class CellSpan(CharRange, CellPlace):
    """Cells of a sheet and, where known, a half-open range of code points in the sheet's text."""


class _Region(Model):
    kind: Literal["region"] = "region"
    x: Count
    y: Count
    w: Count
    h: Count
    page: Position | None = None

    def share_inside(self, other: _Region) -> float:
        """Return the share of its area that another region covers, 0 to 1; 0 on another page."""
        width = min(self.x + self.w, other.x + other.w) - max(self.x, other.x)
        height = min(self.y + self.h, other.y + other.h) - max(self.y, other.y)
        if self.page != other.page or width <= 0 or height <= 0:
            return 0.0
        return width * height / (self.w * self.h)


class RegionSpan(CharRange, _Region):
    """A rectangle in pixels from the top left; `page` (1-based) where the picture is part of a page."""

    is_whole: bool | None = Field(default=None, exclude_if=lambda whole: whole is None)
    """True where it is all of the picture, which addresses leave out; None otherwise."""


class CaptionSpan(Model):
    """Text of a model about a picture, which the picture does not hold."""

    kind: Literal["caption"] = "caption"
    model: str
    page: Position | None = Field(default=None, exclude_if=lambda page: page is None)
    """Page or frame that it is about, from 1; None for a file that is one picture."""


class TimeSpan(Model):
    """A stretch of a recording in milliseconds from its start, half open."""

    kind: Literal["time"] = "time"
    start_ms: Count
    end_ms: Count

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        return require_order(self, self.start_ms, self.end_ms)


class CodeSpan(Model):
    """Lines of a source-code file (1-based, inclusive) with the symbol defined there, if any."""

    kind: Literal["code"] = "code"
    line_start: Position
    line_end: Position
    symbol: str | None = None
    lang: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        return require_order(self, self.line_start, self.line_end)


SourceSpan = Annotated[
    LineSpan | ByteSpan | PageSpan | SlideSpan | CellSpan | RegionSpan | CaptionSpan | TimeSpan | CodeSpan,
    Field(discriminator="kind"),
]
"""One of the nine kinds, told apart by `kind`."""


def require_order(span: _SpanT, start: int, end: int) -> _SpanT:
    """Return `span`.

    Raises:
        ValueError: It ends before it starts; a validator turns this into a validation error.
    """
    if end < start:
        raise ValueError(f"a span must not end ({end}) before it starts ({start})")
    return span


class Cells(NamedTuple):
    """A range of cells by numbers, both ends included."""

    top: int
    """First row, from 1."""
    left: int
    """First column, from 1 (`A`)."""
    bottom: int
    right: int

    def __str__(self) -> str:
        first, last = f"{_letters(self.left)}{self.top}", f"{_letters(self.right)}{self.bottom}"
        return first if first == last else f"{first}:{last}"

    def is_apart(self, other: Cells) -> bool:
        """Return True for ranges without a common cell."""
        return (
            self.bottom < other.top
            or other.bottom < self.top
            or self.right < other.left
            or other.right < self.left
        )


def parse_cells(text: CellRange) -> Cells:
    """Return a range by numbers, with its corners in order.

    Raises:
        ValueError: It is no range of cells.
    """
    if not _RANGE.fullmatch(text):
        raise ValueError(text)
    corners = [(int(row), _number(column)) for column, row in _CELL.findall(text)]
    rows, columns = [row for row, _ in corners], [column for _, column in corners]
    return Cells(min(rows), min(columns), max(rows), max(columns))


def cover_cells(ranges: Iterable[Cells]) -> Cells:
    """Return the smallest range that holds all of these, of which there is one at least."""
    tops, lefts, bottoms, rights = zip(*ranges, strict=True)
    return Cells(min(tops), min(lefts), max(bottoms), max(rights))


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * _LETTERS + ord(letter) - ord("A") + 1
    return number


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, _LETTERS)
        letters = chr(ord("A") + rest) + letters
    return letters
