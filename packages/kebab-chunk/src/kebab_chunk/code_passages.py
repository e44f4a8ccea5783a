"""What the chunkers of source code share: a passage of consecutive lines of a block, and the chunk that it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kebab_core import (
    CanonicalDocument,
    Chunk,
    ChunkerVersion,
    ChunkPolicy,
    CodeBlock,
    CodeSpan,
    CodeSymbol,
    LineSpan,
    RepeatedLead,
    TokenCounter,
    chunk_id_for,
)

from kebab_chunk.boundaries import longest_prefix


class CodePassage(NamedTuple):
    """Lines of a block, or a part of one very long line."""

    block: CodeBlock
    text: str
    line_start: int
    """In the source, from 1."""
    line_end: int
    """Included."""
    lead: str = ""
    """Text that is repeated before it: the signature of the unit that it continues."""
    symbols: tuple[CodeSymbol, ...] = ()


def first_line_of(block: CodeBlock) -> int:
    """Return the line of the source that the code of a block begins with."""
    span = block.source_span
    return span.line_start if isinstance(span, CodeSpan) else span.start if isinstance(span, LineSpan) else 1


def cut_lines(lines: Sequence[str], counter: TokenCounter, *, most: int) -> Iterator[tuple[int, int, str]]:
    """Yield first and last index, included, and text of the runs of lines that fit; a line too long for one is cut inside."""
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and counter.count("\n".join(lines[start : end + 1])) <= most:
            end += 1
        text = "\n".join(lines[start:end])
        if end == start + 1 and counter.count(text) > most:
            yield from ((start, start, part) for part in _cut_line(text, counter, most))
        else:
            yield start, end - 1, text
        start = end


def build_chunks(
    document: CanonicalDocument,
    passages: Iterable[CodePassage],
    *,
    counter: TokenCounter,
    version: ChunkerVersion,
    policy: ChunkPolicy,
) -> list[Chunk]:
    """Build the chunks of passages, which are in the order of the document."""
    policy_hash = policy.model_copy(update={"token_counter": counter.label}).hash()
    kept = [passage for passage in passages if passage.text.strip()]
    counts: dict[str, int] = {}
    for passage in kept:
        counts[passage.block.block_id] = counts.get(passage.block.block_id, 0) + 1
    seen: dict[str, int] = {}
    chunks: list[Chunk] = []
    for ordinal, passage in enumerate(kept):
        block = passage.block
        part = seen.get(block.block_id, 0)
        seen[block.block_id] = part + 1
        text = f"{passage.lead}\n{passage.text}" if passage.lead else passage.text
        span = block.source_span
        symbol, lang = (span.symbol, span.lang) if isinstance(span, CodeSpan) else (None, block.lang)
        lead_line = first_line_of(block)
        chunks.append(
            Chunk(
                chunk_id=chunk_id_for(
                    doc_id=document.doc_id,
                    chunker_version=version,
                    block_ids=(block.block_id,),
                    policy_hash=policy_hash,
                    part=part if counts[block.block_id] > 1 else None,
                ),
                doc_id=document.doc_id,
                ordinal=ordinal,
                block_ids=(block.block_id,),
                text=text,
                heading_path=block.heading_path,
                section_label=block.heading_path[-1] if block.heading_path else None,
                source_spans=(
                    CodeSpan(
                        line_start=passage.line_start, line_end=passage.line_end, symbol=symbol, lang=lang
                    ),
                ),
                token_estimate=counter.count(text),
                chunker_version=version,
                policy_hash=policy_hash,
                lead=RepeatedLead(
                    end=len(passage.lead) + 1,
                    source_span=CodeSpan(line_start=lead_line, line_end=lead_line, symbol=symbol, lang=lang),
                )
                if passage.lead
                else None,
                symbols=passage.symbols,
                role=block.role,
            )
        )
    return chunks


def _cut_line(line: str, counter: TokenCounter, most: int) -> Iterator[str]:
    start = 0
    while start < len(line):
        end = longest_prefix(line, (start, len(line)), lambda text: counter.count(text) <= most)
        yield line[start:end]
        start = end
