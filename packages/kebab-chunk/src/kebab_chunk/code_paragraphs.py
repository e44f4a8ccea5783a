"""The chunker `code-text-paragraph-v1`: source text cut at blank lines, for every language without a grammar [seed 003]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kebab_core import CanonicalDocument, Chunk, ChunkerVersion, ChunkPolicy, CodeBlock, TokenCounter

from kebab_chunk.code_passages import CodePassage, build_chunks, cut_lines, first_line_of

CODE_TEXT_CHUNKER_VERSION = ChunkerVersion("code-text-paragraph-v1")
_WINDOW_LINES = 80
_OVERLAP_LINES = 20


class CodeTextChunker:
    """Chunker of source text: paragraphs between blank lines, those of more than 80 lines in windows that share 20.

    `counter` counts the tokens of texts.
    """

    crosses_pages: Final = True

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def chunker_version(self) -> ChunkerVersion:
        """Return `code-text-paragraph-v1`."""
        return CODE_TEXT_CHUNKER_VERSION

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return the hash of the policy with this chunker's own counter in place of the policy's."""
        return policy.model_copy(update={"token_counter": self._counter.label}).hash()

    def chunk(self, document: CanonicalDocument, policy: ChunkPolicy) -> list[Chunk]:
        """Cut a document into chunks, in document order; blank lines are in none."""
        blocks = (block for block in document.blocks if isinstance(block, CodeBlock))
        return build_chunks(
            document,
            (passage for block in blocks for passage in cut_paragraphs(block, self._counter, policy)),
            counter=self._counter,
            version=CODE_TEXT_CHUNKER_VERSION,
            policy=policy,
        )


def cut_paragraphs(block: CodeBlock, counter: TokenCounter, policy: ChunkPolicy) -> Iterator[CodePassage]:
    """Yield the passages of a block: its paragraphs, in windows where they are long, none above the largest size."""
    first, lines = first_line_of(block), block.code.split("\n")
    for start, end in _paragraphs(lines):
        for window in _windows(start, end):
            for own_start, own_end, text in cut_lines(
                lines[window.start : window.stop], counter, most=policy.max_tokens
            ):
                line = first + window.start + own_start
                here = range(line, line + own_end - own_start + 1)
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


def _windows(start: int, end: int) -> Iterator[range]:
    while end - start > _WINDOW_LINES:
        yield range(start, start + _WINDOW_LINES)
        start += _WINDOW_LINES - _OVERLAP_LINES
    yield range(start, end)
