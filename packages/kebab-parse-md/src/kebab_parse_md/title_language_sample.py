"""Title and language of a document, and the sample of blocks that is enough to choose them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from kebab_core import (
    UNDETERMINED_LANG,
    Block,
    HeadingBlock,
    LanguageDetector,
    ListBlock,
    ParagraphBlock,
    QuoteBlock,
    shorten,
)

LANGUAGE_SAMPLE_CHARS = 4096
MAX_DERIVED_TITLE_CHARS = 80


class TitleLanguageSample:
    """Sample of a document's blocks, enough for the title and language that all blocks would give."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        """The sampled blocks, in order."""
        self._chars = 0
        self._kinds: set[int | str] = set()

    def note(self, block: Block) -> None:
        """Sample the next block if title or language may depend on it."""
        chars = len(prose_of(block)) if self._chars <= LANGUAGE_SAMPLE_CHARS else 0
        # A title may come from the first heading of a level, or from the first paragraph.
        kind = block.level if isinstance(block, HeadingBlock) else block.kind
        may_be_title = isinstance(block, HeadingBlock | ParagraphBlock) and kind not in self._kinds
        if chars or may_be_title:
            self.blocks.append(block)
            self._kinds.add(kind)
            self._chars += chars


def prose_of(block: Block) -> str:
    """Return the running text of a block; empty for code, tables and pictures."""
    if isinstance(block, ListBlock):
        return "\n".join(item.text for item in block.items)
    return block.text if isinstance(block, HeadingBlock | ParagraphBlock | QuoteBlock) else ""


def sample_opening(blocks: Iterator[Block]) -> tuple[Sequence[Block], Iterator[Block]]:
    """Return the first blocks, enough to detect the language, and an iterator over all blocks."""
    opening: list[Block] = []
    chars = 0
    for block in blocks:
        opening.append(block)
        chars += len(prose_of(block))
        if chars > LANGUAGE_SAMPLE_CHARS:
            break
    return opening, chain(opening, blocks)


def detect_language(detector: LanguageDetector, blocks: Iterable[Block]) -> str:
    """Return the language of the first `LANGUAGE_SAMPLE_CHARS` characters of prose, without code."""
    sample = ""
    for block in blocks:
        prose = prose_of(block)
        if prose:
            sample += prose[:LANGUAGE_SAMPLE_CHARS] + "\n"
        if len(sample) > LANGUAGE_SAMPLE_CHARS:
            break
    return detector.detect(sample[:LANGUAGE_SAMPLE_CHARS]) if sample else UNDETERMINED_LANG


def choose_title(front_matter: str | None, blocks: Iterable[Block], *, stem: str) -> str:
    """Return the title: that of front matter, else the first H1, the first H2, the first paragraph shortened, the stem."""
    if front_matter:
        return front_matter
    blocks = tuple(blocks)
    for level in (1, 2):
        for block in blocks:
            if isinstance(block, HeadingBlock) and block.level == level:
                return " ".join(block.text.split())
    paragraph = next((block.text for block in blocks if isinstance(block, ParagraphBlock)), "")
    return shorten(paragraph, MAX_DERIVED_TITLE_CHARS) or stem
