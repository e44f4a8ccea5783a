"""A document too long to be held whole: its blocks and chunks are made as they are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kebab_core.block import Block
    from kebab_core.chunk import Chunk
    from kebab_core.document import CanonicalDocument
    from kebab_core.lexical import ChunkTerms
    from kebab_core.storage import DocumentRecord


@dataclass(frozen=True, slots=True)
class LongDocument:
    """What an extractor makes of a long text."""

    head: CanonicalDocument
    """Everything but its blocks, of which it has none."""
    blocks: Iterator[Block]
    """In reading order; they can be taken once."""


class AnalyzedChunk(NamedTuple):
    """A chunk with what the lexical index holds of it."""

    chunk: Chunk
    terms: ChunkTerms


@dataclass(frozen=True, slots=True)
class LongRecord:
    """A long document ready for the index, but for what is made of it on the way there."""

    describe: Callable[[int], DocumentRecord]
    """Returns the record without blocks, chunks and terms, given how many chunks there were."""
    parts: Iterator[Block | AnalyzedChunk]
    """Blocks and chunks, each kind in its order, a block before the chunks it is part of; they can be taken once."""
