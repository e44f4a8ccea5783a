"""`md-heading-v1`: sections first, then whole blocks, then natural places inside blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kebab_core import (
    BlockId,
    CanonicalDocument,
    Chunk,
    ChunkerVersion,
    ChunkPolicy,
    TokenCounter,
    chunk_id_for,
)

from kebab_chunk.boundaries import longest_prefix
from kebab_chunk.packing import PackingSizes, pack_pieces
from kebab_chunk.pieces import Piece, join_pieces
from kebab_chunk.rendering import render_block
from kebab_chunk.spans import merge_spans

HEADING_CHUNKER_VERSION = ChunkerVersion("md-heading-v1")


class HeadingChunker:
    """Chunker of documents with headings: no chunk crosses one, code and tables stay whole where they can.

    Sizes are measured by `counter`.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def chunker_version(self) -> ChunkerVersion:
        """Return `md-heading-v1`."""
        return HEADING_CHUNKER_VERSION

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return the hash of the policy with the counter that is really used."""
        return policy.model_copy(update={"token_counter": self._counter.label}).hash()

    def chunk(self, document: CanonicalDocument, policy: ChunkPolicy) -> list[Chunk]:
        """Cut a document; one without blocks gives no chunks.

        `text` begins with the section's heading in its first chunk only; title and heading path are not part of
        it. A chunk's lines are one span from its first to its last line, the repeated end of its predecessor
        included.

        Returns:
            Chunks in document order.
        """
        sizes = PackingSizes.of(policy)
        pieces = (render_block(block) for block in document.blocks)
        drafts = list(pack_pieces(pieces, sizes=sizes, counter=self._counter))
        return self._finish(document, drafts, policy)

    def _finish(
        self, document: CanonicalDocument, drafts: Sequence[Sequence[Piece]], policy: ChunkPolicy
    ) -> list[Chunk]:
        policy_hash = self.policy_hash(policy)
        all_ids = [_block_ids(pieces) for pieces in drafts]
        occurrences, seen = Counter(all_ids), Counter[tuple[BlockId, ...]]()
        chunks: list[Chunk] = []
        for ordinal, (pieces, block_ids) in enumerate(zip(drafts, all_ids, strict=True)):
            part = seen[block_ids] if occurrences[block_ids] > 1 else None
            seen[block_ids] += 1
            text = join_pieces(pieces) or self._name_of(document, policy.max_tokens)
            heading_path = pieces[-1].heading_path
            chunk_id = chunk_id_for(
                doc_id=document.doc_id,
                chunker_version=HEADING_CHUNKER_VERSION,
                block_ids=block_ids,
                policy_hash=policy_hash,
                part=part,
            )
            chunks.append(
                Chunk(
                    chunk_id=chunk_id,
                    doc_id=document.doc_id,
                    ordinal=ordinal,
                    block_ids=block_ids,
                    text=text,
                    heading_path=heading_path,
                    section_label=heading_path[-1] if heading_path else None,
                    source_spans=merge_spans(piece.span for piece in pieces),
                    token_estimate=self._counter.count(text),
                    chunker_version=HEADING_CHUNKER_VERSION,
                    policy_hash=policy_hash,
                )
            )
        return chunks

    def _name_of(self, document: CanonicalDocument, max_tokens: int) -> str:
        """Return what stands for blocks that show nothing: the title or the file's name."""
        name = document.title.strip() or document.workspace_path.name
        end = longest_prefix(name, (0, len(name)), lambda text: self._counter.count(text) <= max_tokens)
        return name[:end].strip()


def _block_ids(pieces: Sequence[Piece]) -> tuple[BlockId, ...]:
    return tuple(dict.fromkeys(piece.block_id for piece in pieces))
