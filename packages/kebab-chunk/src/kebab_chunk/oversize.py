"""Cutting pieces that are too large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kebab_core import TokenCounter

from kebab_chunk.boundaries import BOUNDARIES, Range, TextKind, cut_ranges, longest_prefix, trim_range
from kebab_chunk.pieces import Piece, narrow_piece

_LEAD_SHARE = 2
"""A header row is repeated while it takes at most half of a piece."""

_MANY_PARTS = 1024
_GROUP_SHARE = 8
"""Lines and sentences of a text in more parts than that are packed in groups of up to an eighth of what fits: 2 MB
of code as single lines took 9 s and 190 MB."""


def divide_piece(piece: Piece, *, max_tokens: int, counter: TokenCounter) -> list[Piece]:
    """Return smaller pieces of one piece, in order, as large as natural places allow.

    Items and rows come apart first, then paragraphs, sentences, lines and characters; each only as far as needed.

    Args:
        piece: A piece of more than one character.
        max_tokens: What no result passes, except one character that does alone.
        counter: Measures.

    Returns:
        Pieces whose spans together are the piece's; one piece where it cannot be cut.
    """
    if len(piece.parts) > 1:
        return [_without_large_lead(part, max_tokens, counter) for part in piece.parts]
    budget = max(1, max_tokens - counter.count(piece.lead) - 1) if piece.lead else max_tokens

    def fits(text: str, share: int = 1) -> bool:
        return counter.count(text) * share <= budget

    ranges = split_text(piece.text, piece.kind, fits)
    if len(ranges) > _MANY_PARTS:
        ranges = group_ranges(ranges, lambda start, end: fits(piece.text[start:end], _GROUP_SHARE))
    return narrow_piece(piece, ranges) or [piece]


def split_text(text: str, kind: TextKind, fits: Callable[[str], bool]) -> list[Range]:
    """Return the ranges a text falls into when it is cut until every part fits; blank parts are left out."""
    ranges = [(0, len(text))]
    for pattern in BOUNDARIES[kind]:
        ranges = [
            small
            for large in ranges
            for small in ((large,) if fits(text[slice(*large)]) else cut_ranges(text, large, pattern))
        ]
    ranges = [
        small
        for large in ranges
        for small in ((large,) if fits(text[slice(*large)]) else _cut_characters(text, large, fits))
    ]
    trimmed = (trim_range(text, each, kind) for each in ranges)
    return [each for each in trimmed if each[0] < each[1]]


def group_ranges(ranges: Sequence[Range], fits: Callable[[int, int], bool]) -> list[Range]:
    """Return neighbours joined as long as what they enclose fits; what does not fit alone stays as it is."""
    groups: list[Range] = []
    for start, end in ranges:
        if groups and fits(groups[-1][0], end):
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
    return groups


def tail_sentences(piece: Piece, *, max_tokens: int, counter: TokenCounter) -> Piece | None:
    """Return the last sentences of running text that fit, None where the last one does not or all do."""
    text = piece.text
    if piece.kind != "prose" or piece.lead:
        return None
    ranges: list[Range] = [(0, len(text))]
    for pattern in BOUNDARIES["prose"][:2]:
        ranges = [small for large in ranges for small in cut_ranges(text, large, pattern)]
    start = None
    for begin, _ in reversed(ranges[1:]):
        if counter.count(text[begin:]) > max_tokens:
            break
        start = begin
    if start is None:
        return None
    head, tail = trim_range(text, (0, start), "prose"), trim_range(text, (start, len(text)), "prose")
    return replace(narrow_piece(piece, [head, tail])[-1], parts=()) if tail[0] < tail[1] else None


def _without_large_lead(part: Piece, max_tokens: int, counter: TokenCounter) -> Piece:
    if part.lead and counter.count(part.lead) * _LEAD_SHARE > max_tokens:
        return replace(part, lead="")
    return part


def _cut_characters(text: str, within: Range, fits: Callable[[str], bool]) -> list[Range]:
    start, end = within
    ranges: list[Range] = []
    while start < end:
        cut = longest_prefix(text, (start, end), fits)
        ranges.append((start, cut))
        start = cut
    return ranges
