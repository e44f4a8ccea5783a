"""Inline content that needs no parser: words, code in single backticks, and plain HTML tags.

Half of the marked-up blocks of technical documentation hold nothing else. What is read here is read exactly as the
rules of CommonMark read it; anything that could be something else is left to them.
"""

from __future__ import annotations

import re
from typing import Literal

PieceKind = Literal["text", "break", "code", "html"]
Piece = tuple[PieceKind, str]
"""What it is, and its content; a line end has none."""

_MAX_CHARS = 4_000
_BEYOND = re.compile(r"[\\*\[]|``|(?<!\w)_|_(?!\w)|~~|&[#\w]")
"""Signs of anything else; an underscore between letters is none."""
_NEXT = re.compile(r"(?:(?<! ) ++)?\n[ \t]*|[`<]")
"""A line end takes the blanks around it along."""
_TAG = re.compile(
    r"</[A-Za-z][A-Za-z0-9-]*>"
    r'|<[A-Za-z][A-Za-z0-9-]*(?: +[A-Za-z_][A-Za-z0-9_-]*="[^"<>`\n]*")* */?>'
)
"""Tags as nearly everyone writes them, none of which could be an address in angle brackets."""


def split_simple(content: str) -> list[Piece] | None:
    """Return the pieces of an inline text in order, None if there may be more in it than this module knows."""
    if len(content) > _MAX_CHARS or _BEYOND.search(content):
        return None
    pieces: list[Piece] = []
    position = 0
    while sign := _NEXT.search(content, position):
        if sign.start() > position:
            pieces.append(("text", content[position : sign.start()]))
        piece, position = _piece_at(content, sign)
        if piece is None:
            return None
        pieces.append(piece)
    if position < len(content):
        pieces.append(("text", content[position:]))
    return pieces


def _piece_at(content: str, sign: re.Match[str]) -> tuple[Piece | None, int]:
    """Return what begins with a sign, and where it ends."""
    start = sign.start()
    if sign[0] == "`":
        end = content.find("`", start + 1)
        return (("code", _code(content[start + 1 : end])) if end > 0 else None), end + 1
    if sign[0] == "<":
        tag = _TAG.match(content, start)
        return (("html", tag[0]), tag.end()) if tag else (None, start)
    return ("break", ""), sign.end()


def _code(source: str) -> str:
    if "\n" in source:
        return "\n".join(line.strip(" ") for line in source.split("\n"))
    is_padded = source.startswith(" ") and source.endswith(" ") and source.strip(" ")
    return source[1:-1] if is_padded else source
