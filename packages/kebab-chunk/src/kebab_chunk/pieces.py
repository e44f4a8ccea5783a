"""Pieces of blocks: what chunks are packed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kebab_core import BlockId, LineSpan, SourceSpan

from kebab_chunk.boundaries import Range, TextKind

BLOCK_JOINT = "\n\n"
"""What stands between two blocks in a chunk."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, or a part of one that stays together."""

    block_id: BlockId
    heading_path: tuple[str, ...]
    text: str
    """What it adds to a chunk; may be blank, and then adds nothing but its place."""
    span: SourceSpan
    kind: TextKind = "prose"
    is_heading: bool = False
    keep_whole: bool = False
    """Cut it only where it alone is larger than a chunk may be."""
    joint: str = BLOCK_JOINT
    """What stands between the preceding piece of the same block and this one."""
    lead: str = ""
    """What a chunk repeats before this piece if no piece of the same block comes before it: a table's header."""
    lead_span: SourceSpan | None = None
    """Where the lead stands in the source; None without one."""
    first_line: int | None = None
    """Source line of the text's first line, where its lines are source lines one by one; else None."""
    parts: tuple[Piece, ...] = ()
    """Natural smaller pieces: items of a list, rows of a table. Empty for running text."""

    @property
    def is_blank(self) -> bool:
        """Whether it adds no text."""
        return not self.text.strip()


def join_pieces(pieces: Sequence[Piece]) -> str:
    """Return the text of a chunk made from these pieces in order."""
    words: list[str] = []
    before: Piece | None = None
    for piece in pieces:
        if piece.is_blank:
            continue
        continues = before is not None and before.block_id == piece.block_id
        if before is not None:
            words.append(piece.joint if continues else BLOCK_JOINT)
        words.extend((piece.text,) if continues else (piece.lead, piece.text))
        before = piece
    return "".join(words)


def narrow_piece(piece: Piece, ranges: Sequence[Range]) -> list[Piece]:
    """Return one piece for each range of a piece's text, in order, each with its own lines where they are known.

    Together their spans are the piece's span: lines between two ranges belong to the earlier one, a line that a range
    ends in and the next begins in belongs to both.
    """
    parts: list[Piece] = []
    position, line = 0, piece.first_line
    for start, end in ranges:
        joint = piece.joint if not parts else _joint(piece.text[position:start])
        first_line = None if line is None else line + piece.text.count("\n", position, start)
        line = None if first_line is None else first_line + piece.text.count("\n", start, end)
        position = end
        parts.append(
            replace(piece, text=piece.text[start:end], joint=joint, first_line=first_line, keep_whole=False)
        )
    return cover_span(piece.span, parts)


def cover_span(span: SourceSpan, parts: Sequence[Piece]) -> list[Piece]:
    """Return the parts with spans that hold their own lines and together are `span`.

    Parts without known lines, and all parts of what is not addressed by lines, get the whole span.
    """
    if not isinstance(span, LineSpan):
        return [replace(part, span=span) for part in parts]
    lines = [(part.first_line, part.text.count("\n")) for part in parts]
    own = [(first, first + breaks) for first, breaks in lines if first is not None]
    if len(own) < len(parts):
        return [replace(part, span=span) for part in parts]
    starts = [span.start, *(first for first, _ in own[1:])]
    ends = [max(last, following - 1) for (_, last), following in zip(own, starts[1:], strict=False)]
    return [
        replace(part, span=LineSpan(start=start, end=end))
        for part, start, end in zip(parts, starts, [*ends, max(span.end, starts[-1])], strict=True)
    ]


def _joint(gap: str) -> str:
    newlines = gap.count("\n")
    if newlines:
        return "\n" * min(newlines, 2)
    return " " if gap else ""
