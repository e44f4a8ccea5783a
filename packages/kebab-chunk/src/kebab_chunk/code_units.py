"""The chunkers `code-<language>-ast-v1`: a passage for each unit of a source file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kebab_core import CanonicalDocument, Chunk, ChunkerVersion, ChunkPolicy, CodeBlock, TokenCounter

from kebab_chunk.code_paragraphs import cut_paragraphs
from kebab_chunk.code_passages import CodePassage, build_chunks, cut_lines, first_line_of

CODE_UNIT_CHUNKER_VERSIONS = tuple(
    ChunkerVersion(f"code-{language}-ast-v1")
    for language in ("rust", "python", "ts", "js", "go", "java", "kotlin", "c", "cpp")
)


class CodeUnitChunker:
    """Chunker of source code that was parsed: a unit is a passage, cut only where it is too long.

    Lines that the grammar could not read are cut as `code-text-paragraph-v1` cuts them.

    Args:
        counter: Counts the tokens of texts.
        version: Label of the chunks.
    """

    crosses_pages: Final = True

    def __init__(self, counter: TokenCounter, *, version: ChunkerVersion) -> None:
        self._counter = counter
        self._version = version

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
                for passage in self._cut(block, policy)
            ),
            counter=self._counter,
            version=self._version,
            policy=policy,
        )

    def _cut(self, block: CodeBlock, policy: ChunkPolicy) -> Iterator[CodePassage]:
        if not block.heading_path and not block.symbols:
            yield from cut_paragraphs(block, self._counter, policy)
            return
        first, lines = first_line_of(block), block.code.split("\n")
        lead = ""
        head, _, _ = block.code.partition("\n")
        room = policy.max_tokens - self._counter.count(head)
        whole = self._counter.count(block.code) <= policy.max_tokens
        most = policy.max_tokens if whole else max(room, policy.max_tokens // 2)
        for start, end, text in cut_lines(lines, self._counter, most=most):
            here = range(first + start, first + end + 1)
            yield CodePassage(
                block,
                text,
                here.start,
                here.stop - 1,
                lead=lead,
                symbols=tuple(symbol for symbol in block.symbols or () if symbol.line_start in here),
            )
            lead = head if self._counter.count(head) <= policy.max_tokens // 2 else ""
