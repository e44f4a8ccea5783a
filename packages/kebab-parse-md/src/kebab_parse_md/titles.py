"""Choosing a document's title."""

from __future__ import annotations

from collections.abc import Iterable

from kebab_core import shorten

from kebab_parse_md.parsed import ParsedBlock, ParsedHeading, ParsedParagraph

MAX_DERIVED_TITLE_CHARS = 80


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
    return shorten(paragraph, MAX_DERIVED_TITLE_CHARS) or stem
