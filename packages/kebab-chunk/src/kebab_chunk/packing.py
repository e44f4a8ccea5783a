"""Packing pieces into chunks: greedy, in order, with overlap inside a section."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kebab_core import ChunkPolicy, TokenCounter

from kebab_chunk.oversize import divide_piece, tail_sentences
from kebab_chunk.pieces import Piece, join_pieces

_JOINT_TOKENS = 4
"""What joining two texts and a header row can add to the sum of their counts, by the law of `TokenCounter`."""


@dataclass(frozen=True, slots=True)
class PackingSizes:
    """A policy made consistent: overlap < target <= max."""

    target: int
    max: int
    overlap: int

    @classmethod
    def of(cls, policy: ChunkPolicy) -> PackingSizes:
        """Return the sizes; a target above the cap is the cap, an overlap is at most half the target."""
        target = min(policy.target_tokens, policy.max_tokens)
        return cls(target, policy.max_tokens, min(policy.overlap_tokens, target // 2))


@dataclass(slots=True)
class _Draft:
    """A chunk being filled: pieces repeated from the one before, then its own."""

    counter: TokenCounter
    repeated: list[Piece] = field(default_factory=list)
    own: list[Piece] = field(default_factory=list)
    bound: int = 0
    """At least the count of the text so far."""

    @property
    def pieces(self) -> list[Piece]:
        return [*self.repeated, *self.own]

    @property
    def has_body(self) -> bool:
        return any(not piece.is_heading and not piece.is_blank for piece in self.own)

    @property
    def has_text(self) -> bool:
        return any(not piece.is_blank for piece in self.own)

    def fits(self, piece: Piece, limit: int) -> bool:
        """Return whether the text with the piece stays within the limit; counts exactly only near it."""
        bound = self.bound + self.counter.count(piece.lead + piece.text) + _JOINT_TOKENS
        if bound > limit:
            bound = self.counter.count(join_pieces([*self.pieces, piece]))
        return bound <= limit

    def add(self, piece: Piece) -> None:
        """Take the piece in."""
        self.own.append(piece)
        self.bound += self.counter.count(piece.lead + piece.text) + _JOINT_TOKENS

    def tighten(self) -> None:
        """Make the bound the exact count."""
        self.bound = self.counter.count(join_pieces(self.pieces))


def pack_pieces(
    pieces: Iterable[Piece], *, sizes: PackingSizes, counter: TokenCounter
) -> Iterator[list[Piece]]:
    """Yield the pieces of each chunk.

    A heading opens a chunk and shares it with what follows, other headings included; only where the next piece
    must stay whole and does not fit beside them do headings stand alone. A chunk is closed when the next piece
    would pass the target. The next chunk of the same section then begins with the end of this one.

    Args:
        pieces: Blocks in document order; taken one by one, as they are needed.
        sizes: Limits in tokens.
        counter: Measures.

    Yields:
        Pieces in document order; every piece, or all pieces it was divided into, occurs in at least one chunk.
    """
    queue, source = deque[Piece](), iter(pieces)
    draft = _Draft(counter)
    while piece := queue.popleft() if queue else next(source, None):
        if draft.has_body and _opens_section(piece, draft.own[-1]):
            yield draft.pieces
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
            yield draft.pieces
            draft = _next_draft(draft, sizes)
            queue.appendleft(piece)
        else:
            draft.add(piece)
    if draft.own:
        yield draft.pieces


def _opens_section(piece: Piece, before: Piece) -> bool:
    return piece.is_heading or piece.heading_path != before.heading_path


def _divide(piece: Piece, draft: _Draft, sizes: PackingSizes) -> list[Piece]:
    """Return smaller pieces if the piece must be divided, else nothing.

    It must when it alone passes the cap, or when only headings stand before it and it may be divided.
    """
    counter = draft.counter
    if counter.count(piece.lead + piece.text) > sizes.max:
        smaller = divide_piece(piece, max_tokens=sizes.target, counter=counter)
        return smaller if len(smaller) > 1 else []
    follows_headings = draft.has_text and not draft.has_body
    if not follows_headings or piece.keep_whole or piece.is_heading:
        return []
    room = max(sizes.target - draft.bound, sizes.target // 4)
    smaller = divide_piece(piece, max_tokens=room, counter=counter)
    return smaller if len(smaller) > 1 and draft.fits(smaller[0], sizes.max) else []


def _next_draft(closed: _Draft, sizes: PackingSizes) -> _Draft:
    draft = _Draft(closed.counter)
    if closed.has_body:
        draft.repeated = _overlap([p for p in closed.pieces if not p.is_heading], sizes, closed.counter)
        draft.tighten()
    return draft


def _overlap(body: Sequence[Piece], sizes: PackingSizes, counter: TokenCounter) -> list[Piece]:
    """Return whole pieces from the end of a chunk's body, else items or sentences from the last; never all of it."""
    tail = _tail(body, sizes.overlap, counter)
    if tail or not body or body[-1].keep_whole:
        return tail
    if body[-1].parts:
        return _tail(body[-1].parts, sizes.overlap, counter)
    sentences = tail_sentences(body[-1], max_tokens=sizes.overlap, counter=counter)
    return [] if sentences is None else [sentences]


def _tail(pieces: Sequence[Piece], max_tokens: int, counter: TokenCounter) -> list[Piece]:
    first = len(pieces)
    while first > 1 and counter.count(join_pieces(pieces[first - 1 :])) <= max_tokens:
        first -= 1
    return list(pieces[first:])
