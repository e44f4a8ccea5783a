"""Headings of a document with the lines of their sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import HeadingBlock, LineSpan, OutlineHeading

if TYPE_CHECKING:
    from kebab_core import Block


def list_headings(blocks: Iterable[Block], total_lines: int) -> list[OutlineHeading]:
    """List the headings of a document, in order; those without lines are left out.

    Args:
        blocks: Of the document, in reading order.
        total_lines: Lines of its file.
    """
    found = [
        (block.level, block.text, span.start)
        for block in blocks
        if isinstance(block, HeadingBlock) and isinstance(span := block.source_span, LineSpan)
    ]
    return [
        OutlineHeading(
            level=level, text=text, line_start=start, line_end=max(start, _end_of(found[at:], total_lines))
        )
        for at, (level, text, start) in enumerate(found)
    ]


def _end_of(following: Sequence[tuple[int, str, int]], total_lines: int) -> int:
    """Return the last line of the section of the first heading."""
    level = following[0][0]
    ends = (start - 1 for other, _, start in following[1:] if other <= level)
    return next(ends, total_lines)


def find_section(headings: Sequence[OutlineHeading], line: int, total_lines: int) -> tuple[int, int]:
    """Return the first and the last line of the section that a line is in: that of the nearest heading above it.

    Lines above the first heading are a section of their own.
    """
    above = [heading for heading in headings if heading.line_start <= line]
    if above:
        return above[-1].line_start, above[-1].line_end
    return 1, headings[0].line_start - 1 if headings else total_lines
