"""What the chunkers of source code share: a passage of consecutive lines of a block, and the chunk that it becomes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from kebab_core import (
    CanonicalDocument,
    Chunk,
    ChunkerVersion,
    ChunkPolicy,
    CodeBlock,
    CodeRole,
    CodeSpan,
    CodeSymbol,
    LineSpan,
    RepeatedLead,
    TokenCounter,
    chunk_id_for,
)

from kebab_chunk.boundaries import TextLimit, longest_prefix

_CONTINUES = re.compile(r"\s*+(?:[])}]|</|(?:else|elif|except|finally|catch|then|end|fi|done|esac)\b)")
"""Beginning of a line that continues the statement above it or ends it."""
_WORD = re.compile(r"\w")
_NO_DEPTHS: Mapping[int, int] = MappingProxyType({})


class Lead(NamedTuple):
    """Lines of the source that are repeated before a passage: the signature of the unit that it continues."""

    text: str
    line_start: int
    """From 1."""
    line_end: int
    """Included."""


class CodePassage(NamedTuple):
    """Lines of a block, or a part of one very long line."""

    block: CodeBlock
    text: str
    line_start: int
    """In the source, from 1."""
    line_end: int
    """Included."""
    lead: Lead | None = None
    symbols: tuple[CodeSymbol, ...] = ()
    symbol: str | None = None
    """The symbol that it is cited by; None for that of the block."""
    names: tuple[str, ...] = ()
    """Headings below those of the block."""


def passage_limit(counter: TokenCounter, policy: ChunkPolicy, lead: Lead | None = None) -> TextLimit:
    """Return the largest text of a passage with a lead before it."""
    return TextLimit(counter, policy.max_tokens, f"{lead.text}\n" if lead else "")


def first_line_of(block: CodeBlock) -> int:
    """Return the line of the source that the code of a block begins with."""
    span = block.source_span
    return span.line_start if isinstance(span, CodeSpan) else span.start if isinstance(span, LineSpan) else 1


def symbol_of(block: CodeBlock) -> str | None:
    """Return the symbol that a block is cited by."""
    span = block.source_span
    return span.symbol if isinstance(span, CodeSpan) else None


def cut_rows(
    lines: Sequence[str], rows: range, limit: TextLimit, *, depths: Mapping[int, int] = _NO_DEPTHS
) -> Iterator[tuple[range, str]]:
    """Cut rows into runs that fit, without blank lines at their ends.

    A run ends before the outermost statement that begins in the second half of what fits; where none does, before the line with the
    least indent there. Of several that is one that follows a blank line. A line that is too long for a passage is cut inside.

    Args:
        lines: The lines of the block.
        rows: Indexes of those to cut.
        limit: The largest run.
        depths: Indexes of the lines in which statements begin, with the number of those around each.

    Yields:
        The rows of each run, with its text.
    """
    start, stop = _trim(lines, rows.start, rows.stop)
    while start < stop:
        end = _longest_run(lines, start, stop, limit)
        if end < stop:
            end = _best_end(lines, start, end, depths)
        own = range(*_trim(lines, start, end))
        text = "\n".join(lines[own.start : own.stop])
        if len(own) == 1 and not limit.fits(text):
            yield from ((own, part) for part in _cut_line(text, limit) if part.strip())
        else:
            yield own, text
        start, _ = _trim(lines, end, stop)


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
    kept = list(passages)
    counts: dict[str, int] = {}
    for passage in kept:
        counts[passage.block.block_id] = counts.get(passage.block.block_id, 0) + 1
    seen: dict[str, int] = {}
    chunks: list[Chunk] = []
    for ordinal, passage in enumerate(kept):
        block, lead = passage.block, passage.lead
        part = seen.get(block.block_id, 0)
        seen[block.block_id] = part + 1
        text = f"{lead.text}\n{passage.text}" if lead else passage.text
        heading_path = (*block.heading_path, *passage.names)
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
                heading_path=heading_path,
                section_label=heading_path[-1] if heading_path else None,
                source_spans=(_span(passage, passage.line_start, passage.line_end),),
                token_estimate=counter.count(text),
                chunker_version=version,
                policy_hash=policy_hash,
                lead=RepeatedLead(
                    end=len(lead.text) + 1, source_span=_span(passage, lead.line_start, lead.line_end)
                )
                if lead
                else None,
                symbols=passage.symbols,
                role=_role_of(passage),
            )
        )
    return chunks


def _role_of(passage: CodePassage) -> CodeRole | None:
    """Return the role of the block; what a chunker itself has named, such as a resource of a manifest, is a definition."""
    role = passage.block.role
    return CodeRole.DEFINITION if role is CodeRole.LEFTOVER and passage.names else role


def _span(passage: CodePassage, line_start: int, line_end: int) -> CodeSpan:
    block = passage.block
    span = block.source_span
    lang = span.lang if isinstance(span, CodeSpan) else block.lang
    return CodeSpan(
        line_start=line_start, line_end=line_end, symbol=passage.symbol or symbol_of(block), lang=lang
    )


def _trim(lines: Sequence[str], start: int, stop: int) -> tuple[int, int]:
    while start < stop and not lines[start].strip():
        start += 1
    while stop > start and not lines[stop - 1].strip():
        stop -= 1
    return start, stop


def _longest_run(lines: Sequence[str], start: int, stop: int, limit: TextLimit) -> int:
    """Return the end of the longest run of rows that fits, at least one row long."""
    good, size = start + 1, 8
    while good < stop and limit.fits("\n".join(lines[start : min(start + size, stop)])):
        good = min(start + size, stop)
        size *= 2
    bad = min(start + size, stop + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        if limit.fits("\n".join(lines[start:middle])):
            good = middle
        else:
            bad = middle
    return good


def _best_end(lines: Sequence[str], start: int, end: int, depths: Mapping[int, int]) -> int:
    """Return the best end of a run of rows, at most `end`."""
    rows = range(start + max(1, (end - start) // 2), end + 1)
    levels = {row: depths[row] for row in rows if row in depths} or {
        row: len(lines[row]) - len(lines[row].lstrip())
        for row in rows
        if _WORD.search(lines[row]) and not _CONTINUES.match(lines[row])
    }
    return min(levels, key=lambda row: (levels[row], bool(lines[row - 1].strip()), -row), default=end)


def _cut_line(line: str, limit: TextLimit) -> Iterator[str]:
    start = 0
    while start < len(line):
        end = longest_prefix(line, (start, len(line)), limit)
        yield line[start:end]
        start = end
