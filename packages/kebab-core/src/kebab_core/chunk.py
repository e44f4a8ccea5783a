"""The pieces of a document that are searched, shown and cited."""

from __future__ import annotations

from pydantic import Field

from kebab_core.ids import BlockId, ChunkId, DocumentId, hash_canonical
from kebab_core.model import Model
from kebab_core.span import SourceSpan
from kebab_core.versions import ChunkerVersion


class ChunkPolicy(Model):
    """Sizes that a chunker keeps to, counted by the fixed estimate `token_counter`.

    Knows no model: chunk ids must not change with the embedder.
    """

    target_tokens: int = Field(ge=16)
    """A chunk is closed when the next block would pass this."""
    max_tokens: int = Field(ge=16)
    """No chunk is larger, except where a single character is."""
    overlap_tokens: int = Field(ge=0)
    """How much of the end of a chunk is repeated at the start of the next in the same section."""
    token_counter: str
    """Label of the estimate, part of the hash."""

    def hash(self) -> str:
        """Return 16 hex digits that differ whenever a value differs."""
        return hash_canonical(self.model_dump(mode="json"))[:16]


class RepeatedLead(Model):
    """Text at the start of a chunk that stands elsewhere in the source: the header row of a table that was cut."""

    end: int = Field(ge=1)
    """Offset in the chunk's text where its own text begins, in code points."""
    source_span: SourceSpan
    """Where the repeated text stands."""


class Chunk(Model):
    """A piece of one document."""

    chunk_id: ChunkId
    doc_id: DocumentId
    ordinal: int = Field(ge=0)
    """Position in the document, from 0 without gaps."""
    block_ids: tuple[BlockId, ...]
    text: str
    """What is shown. What is analysed and embedded is this with title and heading path."""
    heading_path: tuple[str, ...]
    section_label: str | None = None
    """The innermost heading, for people."""
    source_spans: tuple[SourceSpan, ...]
    """In source order; they hold all of the chunk's own text. Their union over a document covers every block."""
    token_estimate: int = Field(ge=0)
    chunker_version: ChunkerVersion
    policy_hash: str
    lead: RepeatedLead | None = None
    """Text at the start that is repeated from lines outside of `source_spans`; None where all is the chunk's own."""
