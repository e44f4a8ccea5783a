"""Title and language of a document, and the sample of blocks that is enough to choose them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from kebab_core import (
    UNDETERMINED_LANG,
    Block,
    HeadingBlock,
    ImageRefBlock,
    LanguageDetector,
    LinkInline,
    ListBlock,
    ParagraphBlock,
    QuoteBlock,
    TextInline,
)

LANGUAGE_SAMPLE_CHARS = 4096
MAX_DERIVED_TITLE_CHARS = 80


class TitleLanguageSample:
    """The heading that may be the title of a document, and the blocks that are enough to detect its language."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        """The first blocks with prose, in order."""
        self._chars = 0
        self._leading: HeadingBlock | None = None
        self._first_headings = 0
        self._is_empty = True

    def note(self, block: Block) -> None:
        """Take the next block into account."""
        if isinstance(block, HeadingBlock) and block.level == 1:
            self._first_headings += 1
            if self._is_empty:
                self._leading = block
        self._is_empty = self._is_empty and (isinstance(block, ImageRefBlock) or _holds_only_links(block))
        if self._chars <= LANGUAGE_SAMPLE_CHARS and (chars := len(prose_of(block))):
            self.blocks.append(block)
            self._chars += chars

    @property
    def leading_heading(self) -> str | None:
        """The only heading of level 1, if nothing but pictures and links stands before it; None otherwise."""
        if self._leading is None or self._first_headings > 1:
            return None
        return " ".join(self._leading.text.split())


def _holds_only_links(block: Block) -> bool:
    """Return True for a paragraph of links, such as badges or those to other languages, and for link definitions."""
    return (
        isinstance(block, ParagraphBlock)
        and any(isinstance(inline, LinkInline) for inline in block.inlines)
        and not any(
            isinstance(inline, TextInline) and any(map(str.isalnum, inline.text)) for inline in block.inlines
        )
    )


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
