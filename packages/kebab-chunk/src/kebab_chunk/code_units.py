"""The chunkers `code-<language>-ast-v2`: a passage for each unit of a source file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kebab_core import ChunkPolicy, CodeBlock, TokenCounter

from kebab_chunk.code_paragraphs import cut_paragraphs
from kebab_chunk.code_passages import CodePassage, Lead, cut_rows, first_line_of, fitting, symbol_of

_LEAD_SHARE = 2
"""The repeated signature takes at most this part of the largest passage; of a longer one the first lines are repeated."""


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
    fits = fitting(counter, policy.max_tokens, lead)
    for rows, text in cut_rows(lines, range(len(lines)), fits, depths=depths):
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
