"""`md-heading-v2`: sections first, then whole blocks, then natural places inside blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from kebab_core import (
    BlockId,
    CanonicalDocument,
    Chunk,
    ChunkerVersion,
    ChunkPolicy,
    LongDocument,
    RepeatedLead,
    TokenCounter,
    chunk_id_for,
)

from kebab_chunk.boundaries import longest_prefix
from kebab_chunk.packing import PackingSizes, pack_pieces
from kebab_chunk.pieces import Piece, join_pieces
from kebab_chunk.rendering import render_block
from kebab_chunk.spans import merge_spans

HEADING_CHUNKER_VERSION = ChunkerVersion("md-heading-v2")


class HeadingChunker:
    """Chunker of documents with headings: no chunk crosses one, code and tables stay whole where they can.

    Sizes are measured by `counter`.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def chunker_version(self) -> ChunkerVersion:
        """Return `md-heading-v2`."""
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
        return list(self.chunk_long(LongDocument(document, iter(document.blocks)), policy))

    def chunk_long(self, document: LongDocument, policy: ChunkPolicy) -> Iterator[Chunk]:
        """Cut a document as `chunk` does, holding the blocks of three chunks at most.

        Yields:
            Chunks in document order.
        """
        pieces = (render_block(block) for block in document.blocks)
        drafts = pack_pieces(pieces, sizes=PackingSizes.of(policy), counter=self._counter)
        policy_hash = self.policy_hash(policy)
        for ordinal, (part, draft) in enumerate(_number_parts(drafts)):
            text = join_pieces(draft) or self._name_of(document.head, policy.max_tokens)
            heading_path, block_ids = draft[-1].heading_path, _block_ids(draft)
            chunk_id = chunk_id_for(
                doc_id=document.head.doc_id,
                chunker_version=HEADING_CHUNKER_VERSION,
                block_ids=block_ids,
                policy_hash=policy_hash,
                part=part,
            )
            yield Chunk(
                chunk_id=chunk_id,
                doc_id=document.head.doc_id,
                ordinal=ordinal,
                block_ids=block_ids,
                text=text,
                heading_path=heading_path,
                section_label=heading_path[-1] if heading_path else None,
                source_spans=merge_spans(piece.span for piece in draft),
                token_estimate=self._counter.count(text),
                chunker_version=HEADING_CHUNKER_VERSION,
                policy_hash=policy_hash,
                lead=_repeated_lead(draft),
            )

    def _name_of(self, document: CanonicalDocument, max_tokens: int) -> str:
        """Return what stands for blocks that show nothing: the title or the file's name."""
        name = document.title.strip() or document.workspace_path.name
        end = longest_prefix(name, (0, len(name)), lambda text: self._counter.count(text) <= max_tokens)
        return name[:end].strip()


def _repeated_lead(pieces: Sequence[Piece]) -> RepeatedLead | None:
    """Return the header row that a chunk which begins inside a table repeats.

    Nothing but the first piece with text can bring one: rows of a table follow its header or one another.
    """
    first = next((piece for piece in pieces if not piece.is_blank), None)
    if first is None or not first.lead or first.lead_span is None:
        return None
    return RepeatedLead(end=len(first.lead), source_span=first.lead_span)


def _block_ids(pieces: Sequence[Piece]) -> tuple[BlockId, ...]:
    return tuple(dict.fromkeys(piece.block_id for piece in pieces))


def _number_parts(drafts: Iterable[Sequence[Piece]]) -> Iterator[tuple[int | None, Sequence[Piece]]]:
    """Yield each draft with its number among those of the same blocks, None where it is the only one.

    Chunks of the same blocks follow each other, since pieces do and a chunk repeats only the end of the one before.
    """
    number = 0
    ends: tuple[Sequence[Piece]] = ((),)
    for draft, following in pairwise(chain(drafts, ends)):
        continues = _block_ids(draft) == _block_ids(following)
        yield (number if continues or number else None), draft
        number = number + 1 if continues else 0
