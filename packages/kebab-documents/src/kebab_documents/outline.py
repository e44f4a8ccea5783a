"""Headings of a document with the lines of their sections; of source code its symbols with their own lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import CodeBlock, HeadingBlock, LineSpan, OutlineHeading

from kebab_documents.document_parts import cite_span

if TYPE_CHECKING:
    from kebab_core import Block, CodeSymbol, IndexedDocument


_MAX_LEVEL = 6


def list_headings(blocks: Sequence[Block], total_lines: int) -> list[OutlineHeading]:
    """List the headings of a document, or the symbols of a source file, in order; those without lines are left out.

    Args:
        blocks: Of the document, in reading order.
        total_lines: Lines of its file.
    """
    symbols = [each for block in blocks if isinstance(block, CodeBlock) for each in block.symbols or ()]
    if symbols:
        return list_symbols(symbols)
    found = [
        (block.level, block.text, span.start)
        for block in blocks
        if isinstance(block, HeadingBlock) and isinstance(span := block.source_span, LineSpan)
    ]
    ends = (max(start, _end_of(found[at:], total_lines)) for at, (_, _, start) in enumerate(found))
    return [
        OutlineHeading(level=level, text=text, at=f"L{start}-L{end}", line_start=start, line_end=end)
        for (level, text, start), end in zip(found, ends, strict=True)
    ]


def list_symbols(symbols: Iterable[CodeSymbol]) -> list[OutlineHeading]:
    """List symbols by line, each a level below the one that holds it."""
    headings: list[OutlineHeading] = []
    around: list[int] = []
    for each in sorted(symbols, key=lambda each: (each.line_start, -each.line_end)):
        around = [end for end in around if end >= each.line_end]
        headings.append(
            OutlineHeading(
                level=min(len(around) + 1, _MAX_LEVEL),
                text=each.signature or each.symbol,
                at=f"L{each.line_start}-L{each.line_end}",
                line_start=each.line_start,
                line_end=each.line_end,
            )
        )
        around.append(each.line_end)
    return headings


def list_placed_headings(blocks: Iterable[Block], document: IndexedDocument) -> list[OutlineHeading]:
    """List the headings of a document with pages, slides or sheets, in order.

    Args:
        blocks: Of the document, in reading order.
        document: Whose parts the headings stand on.
    """
    return [
        OutlineHeading(level=block.level, text=block.text, at=cited.to_address().rpartition("#")[2])
        for block in blocks
        if isinstance(block, HeadingBlock)
        and (cited := cite_span(document.source_id, document.doc_path, block.source_span)) is not None
    ]


def _end_of(following: Sequence[tuple[int, str, int]], total_lines: int) -> int:
    """Return the last line of the section of the first heading."""
    level = following[0][0]
    ends = (start - 1 for other, _, start in following[1:] if other <= level)
    return next(ends, total_lines)


def find_section(
    headings: Sequence[OutlineHeading], lines: tuple[int, int], total_lines: int
) -> tuple[int, int]:
    """Return the first and the last line of the section that lines are in: that of the nearest heading above the first.

    Lines above the first heading, or between definitions, are a section of their own; lines that begin there and reach
    further, as where a summary in the front matter is joined to the first section, are in that of the last.
    """
    sections = [(each.line_start or 1, each.line_end or total_lines) for each in headings]
    for line in lines:
        if around := [section for section in sections if section[0] <= line <= section[1]]:
            return around[-1]
    before = max((end for _, end in sections if end < lines[0]), default=0)
    after = min((start for start, _ in sections if start > lines[0]), default=total_lines + 1)
    return before + 1, after - 1
