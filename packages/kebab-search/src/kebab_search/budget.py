"""As many hits as may be paid for: first with shorter snippets, then fewer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kebab_core import SearchHit

SNIPPET_FLOOR = 60
"""Code points below which a snippet says too little to be halved once more."""

HitCost = Callable[[SearchHit], int]
"""Returns the estimated tokens of what a program reads of a hit, at least 0."""


class Affordable(NamedTuple):
    """Hits that fit, and whether the budget was too small for all of them at full length."""

    hits: tuple[SearchHit, ...]
    truncated: bool


def fit_budget(
    hits_at: Callable[[int], Iterator[SearchHit]], *, snippet_chars: int, max_tokens: int, cost: HitCost
) -> Affordable:
    """Return the hits that cost no more than a budget.

    Snippets are halved for all hits alike, down to the floor at most; what is still too much is left out from the
    end. The first hit is always there, whatever it costs. Builds only as many hits as fit, and one more, for each
    length.

    Args:
        hits_at: Yields the hits of the page, best first, with snippets of so many code points.
        snippet_chars: The length that was asked for.
        max_tokens: The budget, at least 1.
        cost: What a hit costs.
    """
    hits: tuple[SearchHit, ...] = ()
    for chars in _lengths(snippet_chars):
        hits, complete = _take(hits_at(chars), max_tokens=max_tokens, cost=cost)
        if complete:
            return Affordable(hits, truncated=chars != snippet_chars)
    return Affordable(hits, truncated=True)


def _lengths(chars: int) -> Iterator[int]:
    yield chars
    while chars > SNIPPET_FLOOR:
        chars = max(SNIPPET_FLOOR, chars // 2)
        yield chars


def _take(hits: Iterator[SearchHit], *, max_tokens: int, cost: HitCost) -> tuple[tuple[SearchHit, ...], bool]:
    """Return the first hits that fit, at least one of them, and whether these are all within the budget."""
    taken: list[SearchHit] = []
    spent = 0
    for hit in hits:
        spent += cost(hit)
        if spent > max_tokens:
            return tuple(taken or [hit]), False
        taken.append(hit)
    return tuple(taken), True
