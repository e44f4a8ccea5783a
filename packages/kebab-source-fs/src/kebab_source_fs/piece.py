"""A gitignore pattern cut into pieces, with expressions of our own where pathspec's would not do.

pathspec gets a placeholder for a piece that has an expression, and the expression is put in its place afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from kebab_source_fs.bracket import translate_bracket

PLACEHOLDER = "\0"
"""Stands for an expression that pathspec must leave alone; no name contains it."""
_ANY_OTHER = {"?": "[^/]"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A slash, a star, a `?`, a bracket, or one literal character with its backslash."""

    text: str
    expression: str | None = None
    """What to match instead of what pathspec makes of `text`."""

    @property
    def shape(self) -> str:
        """What pathspec gets."""
        return self.text if self.expression is None else PLACEHOLDER

    @property
    def one_character(self) -> str:
        """The expression of a piece that is neither slash nor star."""
        return self.expression or _ANY_OTHER.get(self.text) or re.escape(self.text[-1])


def cut_pieces(body: str) -> list[Piece] | None:
    """Cut a pattern without its leading `!`.

    Args:
        body: The pattern, trimmed.

    Returns:
        Its pieces, in order; None if it matches nothing: an unclosed bracket, an escaped slash at the end.
    """
    pieces: list[Piece] = []
    position = 0
    while position < len(body):
        cut = _piece_at(body, position)
        if cut is None:
            return None
        piece, position = cut
        pieces.append(piece)
    return [piece for segment in _segments(pieces) for piece in _with_bounded_stars(segment)]


def _piece_at(body: str, position: int) -> tuple[Piece, int] | None:
    if body[position] == "[":
        bracket = translate_bracket(body, position)
        return None if bracket is None else (Piece("[", bracket[0]), bracket[1])
    text = body[position : position + 2] if body[position] == "\\" else body[position]
    after = position + len(text)
    if text == "\\/":
        return None if after == len(body) else (Piece("/"), after)
    # pathspec trims every white space, git only spaces, and that has been done.
    return Piece(text, re.escape(text[-1]) if text[-1].isspace() else None), after


def _segments(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return runs of pieces between slashes, and runs of slashes, in order."""
    return [list(run) for _, run in groupby(pieces, key=lambda piece: piece.text == "/")]


def _with_bounded_stars(segment: list[Piece]) -> list[Piece]:
    """Return a segment in which all stars but the last stop at the first place where what follows them matches.

    That finds a match if there is one, and keeps a pattern with many stars from taking time that grows with the
    length of a name to the power of their number.
    """
    if all(piece.text in {"*", "/"} for piece in segment):
        return segment
    runs = [(is_star, list(run)) for is_star, run in groupby(segment, key=lambda piece: piece.text == "*")]
    last_star = max((index for index, (is_star, _) in enumerate(runs) if is_star), default=-1)
    bounded: list[Piece] = []
    for index, (is_star, run) in enumerate(runs):
        if not is_star:
            bounded.extend(run)
        elif index == last_star:
            bounded.append(Piece("*"))
        else:
            following = "".join(piece.one_character for piece in runs[index + 1][1])
            bounded.append(Piece("*", f"(?:(?!{following})[^/])*+"))
    return bounded
