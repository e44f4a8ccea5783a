"""Title and language of a document, and the sample of blocks that is enough to choose them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from kebab_core import UNDETERMINED_LANG, LanguageDetector, shorten

from kebab_parse_md.parsed import ParsedBlock, ParsedHeading, ParsedParagraph, prose_of

_BlockT = TypeVar("_BlockT", bound=ParsedBlock)
LANGUAGE_SAMPLE_CHARS = 4096
MAX_DERIVED_TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class BodySummary:
    """Tags of a document, and the blocks that its title and language are chosen from."""

    tags: Sequence[str]
    blocks: Sequence[ParsedBlock]
    """All blocks of the document, or its `TitleLanguageSample`, in order."""
    has_blocks: bool


class TitleLanguageSample:
    """Sample of a document's blocks, enough for the title and language that all blocks would give."""

    def __init__(self) -> None:
        self.blocks: list[ParsedBlock] = []
        """The sampled blocks, in order."""
        self.has_any = False
        """Whether there was any block."""
        self._chars = 0
        self._kinds: set[object] = set()

    def collect(self, blocks: Iterable[ParsedBlock]) -> Iterator[ParsedBlock]:
        """Yield the blocks unchanged, and sample them on the way."""
        for block in blocks:
            self._note(block)
            yield block

    def _note(self, block: ParsedBlock) -> None:
        self.has_any = True
        kind, is_sampled = _kind_of(block), self._chars <= LANGUAGE_SAMPLE_CHARS
        chars = len(prose_of(block)) if is_sampled else 0
        if chars or (kind is not None and kind not in self._kinds):
            self.blocks.append(block)
            self._kinds.add(kind)
            self._chars += chars


def sample_opening(blocks: Iterator[_BlockT]) -> tuple[Sequence[_BlockT], Iterator[_BlockT]]:
    """Return the first blocks, enough to detect the language, and an iterator over all blocks."""
    opening: list[_BlockT] = []
    chars = 0
    for block in blocks:
        opening.append(block)
        chars += len(prose_of(block))
        if chars > LANGUAGE_SAMPLE_CHARS:
            break
    return opening, chain(opening, blocks)


def detect_language(detector: LanguageDetector, blocks: Iterable[ParsedBlock]) -> str:
    """Return the language of the first `LANGUAGE_SAMPLE_CHARS` characters of prose, without code."""
    sample = ""
    for block in blocks:
        prose = prose_of(block)
        if prose:
            sample += prose[:LANGUAGE_SAMPLE_CHARS] + "\n"
        if len(sample) > LANGUAGE_SAMPLE_CHARS:
            break
    return detector.detect(sample[:LANGUAGE_SAMPLE_CHARS]) if sample else UNDETERMINED_LANG


def choose_title(front_matter: str | None, blocks: Iterable[ParsedBlock], *, stem: str) -> str:
    """Return the title: that of front matter, else the first H1, the first H2, the first paragraph shortened, the stem."""
    if front_matter:
        return front_matter
    blocks = tuple(blocks)
    for level in (1, 2):
        for block in blocks:
            if isinstance(block, ParsedHeading) and block.level == level and block.text:
                return " ".join(block.text.split())
    paragraph = next((block.text for block in blocks if isinstance(block, ParsedParagraph)), "")
    return shorten(paragraph, MAX_DERIVED_TITLE_CHARS) or stem


def _kind_of(block: ParsedBlock) -> object:
    """Return the kind of block that a title may come from: the level of a heading, or paragraph; None for others."""
    if isinstance(block, ParsedHeading):
        return block.level if block.text else None
    return ParsedParagraph if isinstance(block, ParsedParagraph) else None
