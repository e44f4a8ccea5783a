"""Parsing Markdown a stretch of lines at a time, to the tokens that parsing it at once gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_parse_md.syntax import MarkdownSyntax

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.utils import EnvType


@dataclass(frozen=True, slots=True)
class Window:
    """Some outermost blocks that follow each other."""

    text: str
    """The lines that were looked at, of which those of the last block may be missing from the tokens."""
    first_line: int
    """0-based line of the document that `text` begins with."""
    tokens: list[Token]
    """Their maps count from `first_line`."""


def parse_windows(pieces: Iterable[str], syntax: MarkdownSyntax, env: EnvType) -> Iterator[Window]:
    """Yield all blocks of a text in order.

    Where a block ends is told by the line after it, so all blocks of a stretch of lines are read but the last, with
    which the next stretch begins. A block longer than a stretch is tried again with twice as many lines.

    Args:
        pieces: The normalised text in pieces of whole lines.
        syntax: Parses.
        env: Is given the definitions of links and footnotes, which only at the end are complete.
    """
    source = iter(pieces)
    text, line = "", 0
    following = next(source, None)
    while following is not None:
        parts = [text]
        wanted = 2 * len(text)
        while following is not None and (len(parts) == 1 or wanted > 0):
            parts.append(following)
            wanted -= len(following)
            following = next(source, None)
        text = "".join(parts)
        parsed = syntax.parse_opening(text, env, is_whole=following is None)
        yield Window(text, line, parsed.tokens)
        text = text[parsed.end :]
        line += parsed.end_line
