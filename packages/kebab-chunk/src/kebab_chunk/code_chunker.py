"""The chunker of source code: blocks of code become passages by one of several ways to cut them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kebab_core import CanonicalDocument, Chunk, ChunkerVersion, ChunkPolicy, CodeBlock, TokenCounter

from kebab_chunk.code_passages import CodePassage, build_chunks

CutCode = Callable[[CodeBlock, TokenCounter, ChunkPolicy], Iterator[CodePassage]]
"""Cuts a block into passages, in order, none above the largest size."""


class CodeChunker:
    """Chunker of the blocks of code of a document; blocks of other kinds are in no chunk.

    Args:
        counter: Counts the tokens of texts.
        version: Label of the chunks.
        cut: Cuts a block.
    """

    crosses_pages: Final = True

    def __init__(self, counter: TokenCounter, *, version: ChunkerVersion, cut: CutCode) -> None:
        self._counter = counter
        self._version = version
        self._cut = cut

    def chunker_version(self) -> ChunkerVersion:
        """Return the label."""
        return self._version

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return the hash of the policy with this chunker's own counter in place of the policy's."""
        return policy.model_copy(update={"token_counter": self._counter.label}).hash()

    def chunk(self, document: CanonicalDocument, policy: ChunkPolicy) -> list[Chunk]:
        """Cut a document into chunks, in document order."""
        return build_chunks(
            document,
            (
                passage
                for block in document.blocks
                if isinstance(block, CodeBlock)
                for passage in self._cut(block, self._counter, policy)
            ),
            counter=self._counter,
            version=self._version,
            policy=policy,
        )
