"""Texts that are longer than what a model reads at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def cut_windows(tokens: Sequence[int], *, room: int) -> Iterator[Sequence[int]]:
    """Yield the tokens in pieces of at most `room`, in order, without overlap.

    There are as few pieces as can be, of equal length but for one token, so that none is a stub whose vector says
    little. No tokens are one empty piece.

    Args:
        tokens: Token ids of one text.
        room: At least 1.

    Yields:
        The pieces; together they are the tokens.
    """
    pieces = max(1, -(-len(tokens) // room))
    length, longer = divmod(len(tokens), pieces)
    start = 0
    for piece in range(pieces):
        end = start + length + (piece < longer)
        yield tokens[start:end]
        start = end
