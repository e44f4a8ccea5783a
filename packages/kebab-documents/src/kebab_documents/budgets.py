"""Text and passages within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import ChunkCost, IndexedChunk

TokenCount = Callable[[str], int]


def cut_chunks(
    target: IndexedChunk,
    before: tuple[IndexedChunk, ...],
    after: tuple[IndexedChunk, ...],
    max_tokens: int | None,
    *,
    cost: ChunkCost,
    count: TokenCount,
) -> tuple[IndexedChunk, tuple[tuple[IndexedChunk, ...], tuple[IndexedChunk, ...]], bool]:
    """Cut the neighbours of a chunk, the farthest first, and the chunk itself where it alone exceeds the budget.

    Returns:
        The chunk, its neighbours before and after, and True where something was cut.
    """
    if max_tokens is None:
        return target, (before, after), False
    text, truncated = cut_text(target.chunk.text, max_tokens, count)
    if truncated:
        cut = target.model_copy(update={"chunk": target.chunk.model_copy(update={"text": text})})
        return cut, ((), ()), True
    left = max_tokens - count(text)
    here = target.chunk.ordinal
    kept: set[int] = set()
    for near in sorted((*before, *after), key=lambda each: abs(each.chunk.ordinal - here)):
        left -= cost(near)
        if left < 0:
            break
        kept.add(near.chunk.ordinal)
    kept_neighbours = (
        tuple(each for each in before if each.chunk.ordinal in kept),
        tuple(each for each in after if each.chunk.ordinal in kept),
    )
    return target, kept_neighbours, len(kept) < len(before) + len(after)


def cut_text(text: str, max_tokens: int | None, count: TokenCount) -> tuple[str, bool]:
    """Cut a text to the longest prefix of at most `max_tokens`; the second value is True where it was cut.

    Counts a few times as much text as it returns, however long `text` is.
    """
    if max_tokens is None:
        return text, False
    low, high = 0, max_tokens
    while count(text[:high]) <= max_tokens:
        if high >= len(text):
            return text, False
        low, high = high, 2 * high
    high = min(high, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low], True
