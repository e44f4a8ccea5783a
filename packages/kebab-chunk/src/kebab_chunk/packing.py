"""Packing of pieces into chunks: greedy, in order, with overlap inside a section; and the cutting of large pieces.

`by_heading` calls `pack_pieces`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_chunk.boundaries import (
    BOUNDARIES,
    Range,
    TextKind,
    TextLimit,
    cut_ranges,
    longest_prefix,
    trim_range,
)
from kebab_chunk.pieces import Piece, count_words, join_pieces, narrow_piece

if TYPE_CHECKING:
    from kebab_core import ChunkPolicy, TokenCounter

_SEPARATOR_TOKENS = 4
"""Tokens that joining two texts and a header row can add to the sum of their counts, by the law of `TokenCounter`."""
LEAST_WORDS = 5
"""Words from which on text that no heading introduces is a chunk of its own; below a heading one word is enough."""
_LEAD_SHARE = 2
"""A header row is repeated while it takes at most half of a piece."""
_MANY_PARTS = 1024
_GROUP_SHARE = 8
"""Lines and sentences of a text in more parts than that are packed in groups of up to an eighth of what fits: 2 MB
of code as single lines took 9 s and 190 MB."""


@dataclass(frozen=True, slots=True)
class PackingSizes:
    """The sizes of a policy in tokens, made consistent: overlap < target <= max."""

    target: int
    max: int
    overlap: int

    @classmethod
    def of(cls, policy: ChunkPolicy) -> PackingSizes:
        """Return the sizes of a policy: the target is at most `max`, the overlap at most half the target."""
        target = min(policy.target_tokens, policy.max_tokens)
        return cls(target, policy.max_tokens, min(policy.overlap_tokens, target // 2))


@dataclass(slots=True)
class _Draft:
    """A chunk being filled: first the overlap with the previous chunk, then its own pieces."""

    counter: TokenCounter
    repeated: list[Piece] = field(default_factory=list)
    own: list[Piece] = field(default_factory=list)
    bound: int = 0
    """Upper bound of the tokens of the text so far."""
    has_text: bool = False
    """True if one of the pieces in `own` has text."""
    has_heading: bool = False
    """True if one of the pieces in `own` is a heading."""
    words: int = 0
    """Words of the pieces in `own` after the last heading that was added before there were enough, up to `LEAST_WORDS`."""
    _measured: tuple[Piece, int] | None = None
    """The piece that was measured last, with its tokens: most are tried, then added."""

    @property
    def has_body(self) -> bool:
        """True if it holds enough words to be a chunk."""
        return self.words >= (1 if self.has_heading else LEAST_WORDS)

    @property
    def pieces(self) -> list[Piece]:
        return [*self.repeated, *self.own]

    def fits(self, piece: Piece, limit: int) -> bool:
        """Return True if the text with this piece stays within the limit. Counts exactly only near the limit."""
        bound = self.bound + self._count(piece) + _SEPARATOR_TOKENS
        if bound > limit:
            bound = self.counter.count(join_pieces([*self.pieces, piece]))
        return bound <= limit

    def add(self, piece: Piece) -> None:
        """Append a piece."""
        self.own.append(piece)
        if not piece.is_blank:
            self.has_text = True
            if piece.is_heading:
                self.has_heading, self.words = True, self.words if self.has_body else 0
            elif not self.has_body:
                self.words += count_words(piece, most=LEAST_WORDS - self.words)
        self.bound += self._count(piece) + _SEPARATOR_TOKENS

    def tighten(self) -> None:
        """Set the bound to the exact count."""
        self.bound = self.counter.count(join_pieces(self.pieces))

    def _count(self, piece: Piece) -> int:
        if self._measured is None or self._measured[0] is not piece:
            self._measured = piece, self.counter.count(piece.lead + piece.text)
        return self._measured[1]


def pack_pieces(
    pieces: Iterable[Piece], *, sizes: PackingSizes, counter: TokenCounter
) -> Iterator[list[Piece]]:
    """Yield the pieces of each chunk.

    A new page opens a chunk. A heading opens a chunk and shares it with what follows, other headings included. So does text
    without words, and text of less than `LEAST_WORDS` words that no heading introduces; where the page ends or the next piece
    must stay whole and does not fit beside it, it is joined to the chunk before it if it fits there. A chunk is closed when the next piece would pass the target. The next
    chunk of the same section then begins with the end of this one.

    Args:
        pieces: Blocks in document order. They are taken one by one, as needed.
        sizes: Limits in tokens.
        counter: Counts the tokens of texts.

    Yields:
        Pieces in document order. Every piece, or all pieces that it was divided into, occurs in at least one chunk.
    """
    held: _Draft | None = None
    for draft in _pack(pieces, sizes=sizes, counter=counter):
        if held is not None and not draft.has_body and _joins(held, draft, sizes):
            held.own += draft.own
            held.tighten()
            continue
        if held is not None:
            yield held.pieces
        held = draft
    if held is not None:
        yield held.pieces


def _joins(held: _Draft, draft: _Draft, sizes: PackingSizes) -> bool:
    """Return True if the own pieces of a draft are on the same page as those of the one before it and fit beside them."""
    if held.own[-1].page != draft.own[0].page:
        return False
    return draft.counter.count(join_pieces([*held.pieces, *draft.own])) <= sizes.max


def _pack(pieces: Iterable[Piece], *, sizes: PackingSizes, counter: TokenCounter) -> Iterator[_Draft]:
    """Yield each chunk before small ones are joined to others."""
    queue, source = deque[Piece](), iter(pieces)
    draft = _Draft(counter)
    while piece := queue.popleft() if queue else next(source, None):
        if draft.own and (
            piece.page != draft.own[-1].page
            or (draft.has_body and (piece.is_heading or piece.heading_path != draft.own[-1].heading_path))
        ):
            yield draft
            draft = _Draft(counter)
        if piece.is_blank:
            draft.own.append(piece)
            continue
        if draft.fits(piece, sizes.target if draft.has_body or piece.is_heading else sizes.max):
            draft.add(piece)
            continue
        smaller = _divide(piece, draft, sizes)
        if smaller:
            queue.extendleft(reversed(smaller))
        elif draft.repeated and not draft.has_text:
            draft.repeated.pop(0)
            draft.tighten()
            queue.appendleft(piece)
        elif draft.has_text:
            yield draft
            draft = _next_draft(draft, sizes)
            queue.appendleft(piece)
        else:
            draft.add(piece)
    if draft.own:
        yield draft


def _divide(piece: Piece, draft: _Draft, sizes: PackingSizes) -> list[Piece]:
    """Return smaller pieces if the piece must be divided, else an empty list.

    It must be if it alone is larger than `max`, or if only headings stand before it and it need not stay whole.
    """
    counter = draft.counter
    if counter.count(piece.lead + piece.text) > sizes.max:
        smaller = _divide_piece(piece, max_tokens=sizes.target, counter=counter)
        return smaller if len(smaller) > 1 else []
    follows_headings = draft.has_text and not draft.has_body
    if not follows_headings or piece.keep_whole or piece.is_heading:
        return []
    room = max(sizes.target - draft.bound, sizes.target // 4)
    smaller = _divide_piece(piece, max_tokens=room, counter=counter)
    return smaller if len(smaller) > 1 and draft.fits(smaller[0], sizes.max) else []


def _next_draft(closed: _Draft, sizes: PackingSizes) -> _Draft:
    draft = _Draft(closed.counter)
    if closed.has_body:
        draft.repeated = _overlap([p for p in closed.pieces if not p.is_heading], sizes, closed.counter)
        draft.tighten()
    return draft


def _overlap(body: Sequence[Piece], sizes: PackingSizes, counter: TokenCounter) -> list[Piece]:
    """Return the overlap: the last pieces of a body, else the last items or sentences of the last piece; never all."""
    tail = _tail(body, sizes.overlap, counter)
    if tail or not body or body[-1].keep_whole:
        return tail
    if body[-1].parts:
        return _tail(body[-1].parts, sizes.overlap, counter)
    sentences = _tail_sentences(body[-1], max_tokens=sizes.overlap, counter=counter)
    return [] if sentences is None else [sentences]


def _tail(pieces: Sequence[Piece], max_tokens: int, counter: TokenCounter) -> list[Piece]:
    first = len(pieces)
    while first > 1 and counter.count(join_pieces(pieces[first - 1 :])) <= max_tokens:
        first -= 1
    return list(pieces[first:])


def _divide_piece(piece: Piece, *, max_tokens: int, counter: TokenCounter) -> list[Piece]:
    """Divide a piece into smaller ones, in order, as large as its boundaries allow.

    Items and rows come apart first, then paragraphs, sentences, lines and characters, each only where needed.

    Args:
        piece: A piece of more than one character.
        max_tokens: Largest size of a result, except for a single character that is larger.
        counter: Counts the tokens of texts.

    Returns:
        Pieces whose spans together are the piece's span; one piece where it cannot be cut.
    """
    if len(piece.parts) > 1:
        return [
            part._replace(lead="")
            if part.lead and counter.count(part.lead) * _LEAD_SHARE > max_tokens
            else part
            for part in piece.parts
        ]
    budget = max(1, max_tokens - counter.count(piece.lead) - 1) if piece.lead else max_tokens
    ranges = split_text(piece.text, piece.kind, TextLimit(counter, budget))
    if len(ranges) > _MANY_PARTS:
        ranges = group_ranges(piece.text, ranges, TextLimit(counter, budget // _GROUP_SHARE))
    return narrow_piece(piece, ranges) or [piece]


def split_text(text: str, kind: TextKind, limit: TextLimit) -> list[Range]:
    """Return the parts of a text, cut until every part fits, in order and without blank ones."""
    ranges = [(0, len(text))]
    for pattern in BOUNDARIES[kind]:
        ranges = [
            small
            for large in ranges
            for small in ((large,) if limit.fits(text[slice(*large)]) else cut_ranges(text, large, pattern))
        ]
    ranges = [
        small
        for large in ranges
        for small in ((large,) if limit.fits(text[slice(*large)]) else _cut_characters(text, large, limit))
    ]
    trimmed = (trim_range(text, each, kind) for each in ranges)
    return [each for each in trimmed if each[0] < each[1]]


def group_ranges(text: str, ranges: Sequence[Range], limit: TextLimit) -> list[Range]:
    """Return the ranges of a text, neighbours joined while the joined range fits. One that does not fit alone stays as it is."""
    groups: list[Range] = []
    for start, end in ranges:
        if groups and limit.fits(text[groups[-1][0] : end]):
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
    return groups


def _tail_sentences(piece: Piece, *, max_tokens: int, counter: TokenCounter) -> Piece | None:
    """Return the last sentences of running text that fit; None if not even the last one fits, or if all do."""
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
    return narrow_piece(piece, [head, tail])[-1]._replace(parts=()) if tail[0] < tail[1] else None


def _cut_characters(text: str, within: Range, limit: TextLimit) -> list[Range]:
    start, end = within
    ranges: list[Range] = []
    while start < end:
        cut = longest_prefix(text, (start, end), limit)
        ranges.append((start, cut))
        start = cut
    return ranges
