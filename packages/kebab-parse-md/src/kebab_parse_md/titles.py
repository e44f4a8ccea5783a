"""Choosing a document's title."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from kebab_parse_md.parsed import ParsedBlock, ParsedHeading, ParsedParagraph

MAX_DERIVED_TITLE_CHARS = 80
_JOINERS = {"\u200d", "\ufe0f"}


def choose_title(front_matter: str | None, blocks: Iterable[ParsedBlock], *, stem: str) -> str:
    """Return front matter's title, the first H1, the first H2, the opening of the first paragraph, or the stem."""
    if front_matter:
        return front_matter
    blocks = tuple(blocks)
    for level in (1, 2):
        for block in blocks:
            if isinstance(block, ParsedHeading) and block.level == level and block.text:
                return " ".join(block.text.split())
    paragraph = next((block.text for block in blocks if isinstance(block, ParsedParagraph)), "")
    return shorten(paragraph) or stem


def shorten(text: str, limit: int = MAX_DERIVED_TITLE_CHARS) -> str:
    """Return the text on one line, cut at a word, or else between characters as people count them.

    Args:
        text: Any text.
        limit: Most code points of the result, at least 1.

    Returns:
        At most `limit` code points without blanks at the ends.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit + 1].rpartition(" ")[0]
    if len(head) > limit // 2:
        return head
    end = limit
    while end > 1 and _continues(line[end - 1], line[end]):
        end -= 1
    return line[:end].rstrip()


def _continues(before: str, char: str) -> bool:
    return char in _JOINERS or before == "\u200d" or unicodedata.combining(char) != 0
