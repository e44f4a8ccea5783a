"""The chunker `code-text-paragraph-v1`: source text cut at blank lines, for every language without a grammar [seed 003]."""

from __future__ import annotations

from collections.abc import Iterator

from kebab_core import ChunkerVersion, ChunkPolicy, CodeBlock, TokenCounter

from kebab_chunk.code_passages import CodePassage, Fits, cut_rows, first_line_of, fitting

CODE_TEXT_CHUNKER_VERSION = ChunkerVersion("code-text-paragraph-v1")
_WINDOW_LINES = 80
_OVERLAP_LINES = 20


def cut_paragraphs(block: CodeBlock, counter: TokenCounter, policy: ChunkPolicy) -> Iterator[CodePassage]:
    """Yield the paragraphs between the blank lines of a block, those of more than 80 lines as windows that share 20.

    Blank lines are in no passage. A window that is larger than a passage may be is cut.
    """
    first, lines = first_line_of(block), block.code.split("\n")
    for start, end in _paragraphs(lines):
        for rows, text in _cut_windows(lines, start, end, fitting(counter, policy.max_tokens)):
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


def _cut_windows(lines: list[str], start: int, end: int, fits: Fits) -> Iterator[tuple[range, str]]:
    """Yield the rows and texts of the windows of a paragraph; none begins before what precedes it."""
    while start < end:
        stop = min(start + _WINDOW_LINES, end)
        for rows, text in cut_rows(lines, range(start, stop), fits):
            yield rows, text
            start = rows.start
        start = stop if stop == end else max(start, stop - _OVERLAP_LINES)
