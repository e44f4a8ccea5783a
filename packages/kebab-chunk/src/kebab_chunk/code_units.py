"""The chunkers `code-<language>-ast-v2`: a passage for each unit of a source file.

For every language without a grammar there is `code-text-paragraph-v1`: source text cut at blank lines [seed 003].
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kebab_core import ChunkPolicy, CodeBlock, TokenCounter

from kebab_chunk.boundaries import TextLimit
from kebab_chunk.code_passages import CodePassage, Lead, cut_rows, first_line_of, passage_limit, symbol_of

_LEAD_SHARE = 2
"""The repeated signature takes at most this part of the largest passage; of a longer one the first lines are repeated."""

_WINDOW_LINES = 80
_OVERLAP_LINES = 20


def cut_unit(block: CodeBlock, counter: TokenCounter, policy: ChunkPolicy) -> Iterator[CodePassage]:
    """Yield a unit as one passage if it fits, else in parts, with the signature before each that follows it.

    Lines that the grammar could not read, which have no symbol, are cut as `code-text-paragraph-v1` cuts them.
    """
    if symbol_of(block) is None:
        yield from cut_paragraphs(block, counter, policy)
        return
    first, lines = first_line_of(block), block.code.split("\n")
    lead = None
    if counter.count(block.code) > policy.max_tokens:
        lead = _find_lead(block, lines, counter, policy.max_tokens // _LEAD_SHARE)
    depths = {line - first: depth for depth, each in enumerate(block.statements or ()) for line in each}
    limit = passage_limit(counter, policy, lead)
    for rows, text in cut_rows(lines, range(len(lines)), limit, depths=depths):
        here = range(first + rows.start, first + rows.stop)
        yield CodePassage(
            block,
            text,
            here.start,
            here.stop - 1,
            lead=lead if lead and here.start > lead.line_end else None,
            symbols=tuple(symbol for symbol in block.symbols or () if symbol.line_start in here),
        )


def _find_lead(block: CodeBlock, lines: list[str], counter: TokenCounter, most: int) -> Lead | None:
    """Return the lines of the signature of a unit; None where the block does not begin with a definition."""
    own = next(iter(block.symbols or ()), None)
    if own is None or own.symbol != symbol_of(block) or not own.signature:
        return None
    found = re.search(r"\s++".join(re.escape(word) for word in own.signature.split()), block.code)
    if found is None:
        return None
    row, last_row = (block.code.count("\n", 0, place) for place in (found.start(), found.end()))
    while last_row > row and counter.count("\n".join(lines[row : last_row + 1])) > most:
        last_row -= 1
    text = "\n".join(lines[row : last_row + 1])
    first = first_line_of(block)
    return Lead(text, first + row, first + last_row) if counter.count(text) <= most else None


def cut_paragraphs(block: CodeBlock, counter: TokenCounter, policy: ChunkPolicy) -> Iterator[CodePassage]:
    """Yield the paragraphs between the blank lines of a block, those of more than 80 lines as windows that share 20.

    Blank lines are in no passage. A window that is larger than a passage may be is cut.
    """
    first, lines = first_line_of(block), block.code.split("\n")
    for start, end in _paragraphs(lines):
        for rows, text in _cut_windows(lines, start, end, passage_limit(counter, policy)):
            here = range(first + rows.start, first + rows.stop)
            yield CodePassage(
                block,
                text,
                here.start,
                here.stop - 1,
                symbols=tuple(symbol for symbol in block.symbols or () if symbol.line_start in here),
            )


def _paragraphs(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield first index and end of the runs of lines that are not blank."""
    start = None
    for index, line in enumerate([*lines, ""]):
        if line.strip():
            start = index if start is None else start
        elif start is not None:
            yield start, index
            start = None


def _cut_windows(lines: list[str], start: int, end: int, limit: TextLimit) -> Iterator[tuple[range, str]]:
    """Yield the rows and texts of the windows of a paragraph; none begins before what precedes it."""
    while start < end:
        stop = min(start + _WINDOW_LINES, end)
        for rows, text in cut_rows(lines, range(start, stop), limit):
            yield rows, text
            start = rows.start
        start = stop if stop == end else max(start, stop - _OVERLAP_LINES)
