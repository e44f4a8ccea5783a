"""The few blocks that title and language of a document are taken from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kebab_parse_md.assembly import LANGUAGE_SAMPLE_CHARS
from kebab_parse_md.parsed import ParsedBlock, ParsedHeading, ParsedParagraph, prose_of


@dataclass(frozen=True, slots=True)
class BodyDigest:
    """What is said of a document's blocks as a whole."""

    tags: Sequence[str]
    blocks: Sequence[ParsedBlock]
    """All of them, or those that tell as much, in order."""
    has_blocks: bool


class TellingBlocks:
    """Picks, from blocks in order, those from which title and language come out as they do from all."""

    def __init__(self) -> None:
        self.blocks: list[ParsedBlock] = []
        """What was picked, in order."""
        self.has_any = False
        """Whether there was a block at all."""
        self._chars = 0
        self._kinds: set[object] = set()

    def note_all(self, blocks: Iterable[ParsedBlock]) -> Iterator[ParsedBlock]:
        """Yield the blocks as they are, each looked at on the way."""
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


def _kind_of(block: ParsedBlock) -> object:
    """Return what a title may come from: a heading of some level or a paragraph."""
    if isinstance(block, ParsedHeading):
        return block.level if block.text else None
    return ParsedParagraph if isinstance(block, ParsedParagraph) else None
