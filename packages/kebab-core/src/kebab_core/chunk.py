"""Chunks: the passages of a document that are searched, shown and cited, with their terms, and as they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from kebab_core.citation import SourceSpan
from kebab_core.files import SourceId, WorkspacePath
from kebab_core.ids import (
    DEFAULT_SOURCE_ID,
    BlockId,
    ChunkerVersion,
    ChunkId,
    DocumentId,
    hash_canonical,
    hash_parts,
)
from kebab_core.media import MediaKind, SourceType, TrustLevel
from kebab_core.model import Model, UtcDatetime


class ChunkPolicy(Model):
    """Sizes that a chunker keeps to, counted by the fixed estimate `token_counter`.

    Knows no model: chunk ids must not change with the embedder.
    """

    target_tokens: int = Field(ge=16)
    """A chunk is closed when the next block would pass this."""
    max_tokens: int = Field(ge=16)
    """No chunk is larger, except where a single character is."""
    overlap_tokens: int = Field(ge=0)
    """Length of the end of a chunk that is repeated at the start of the next in the same section."""
    token_counter: str
    """Label of the estimate, part of the hash."""

    def hash(self) -> str:
        """Return 16 hex digits that differ whenever a value differs."""
        return hash_canonical(self.model_dump(mode="json"))[:16]


class RepeatedLead(Model):
    """Text at the start of a chunk that is repeated from elsewhere in the source: the header row of a table that was cut."""

    end: int = Field(ge=1)
    """Offset in the chunk's text where its own text begins, in code points."""
    source_span: SourceSpan
    """Position of the repeated text."""


class Chunk(Model):
    """A piece of one document."""

    chunk_id: ChunkId
    doc_id: DocumentId
    ordinal: int = Field(ge=0)
    """Position in the document, from 0 without gaps."""
    block_ids: tuple[BlockId, ...]
    text: str
    """Text to show. The analysed and embedded text is this with title and heading path."""
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


class TermKind(StrEnum):
    """Origin of a term."""

    WORD = "word"
    """A word or morpheme as written."""
    PART = "part"
    """A part of a compound word or identifier."""
    STEM = "stem"
    """A word reduced to its stem."""


class Term(NamedTuple):
    """One indexable unit of a text.

    Terms hold no white space and are lower case and NFC, so that joining them with spaces and splitting again
    is lossless. `start` and `end` are code points in the analysed text, half open.
    """

    text: str
    start: int
    end: int
    kind: TermKind = TermKind.WORD


class ChunkTerms(Model):
    """A chunk as the lexical index stores it; each column is terms joined by single spaces."""

    title: str
    heading: str
    body: str
    surface: str
    """Words as written (folded), for exact phrases; never ranked."""


class IndexedDocument(Model):
    """A stored document without its blocks, as search, fetch and listings show it."""

    doc_id: DocumentId
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    doc_path: WorkspacePath
    title: str
    lang: str
    media: MediaKind
    source_type: SourceType
    trust_level: TrustLevel
    repo: str | None = None
    code_lang: str | None = None
    indexed_at: UtcDatetime
    last_complete_scan_at: UtcDatetime | None = None
    """Time of the last complete scan of the document's source."""
    changed_on_disk: bool = False
    """The file is known to have changed since it was indexed."""


class IndexedChunk(Model):
    """A stored chunk with its document."""

    chunk: Chunk
    document: IndexedDocument


def is_stale(
    *,
    last_complete_scan_at: datetime | None,
    indexed_at: datetime,
    changed_on_disk: bool,
    now: datetime,
    threshold_days: int,
) -> bool:
    """Return True if a stored document may differ from its file on disk.

    Args:
        last_complete_scan_at: Time of the last complete scan of the document's source; None if never.
        indexed_at: Time the document was last processed; its age counts while there is no complete scan.
        changed_on_disk: Whether the file is known to have changed since it was indexed.
        now: The present, timezone-aware.
        threshold_days: Age beyond which a document is stale; 0 switches this rule off.

    Returns:
        True if the file is known to have changed, or if the last look at it is older than the threshold.
    """
    if changed_on_disk:
        return True
    if threshold_days == 0:
        return False
    return now - (last_complete_scan_at or indexed_at) > timedelta(days=threshold_days)


def chunk_id_for(
    *,
    doc_id: DocumentId,
    chunker_version: str,
    block_ids: Sequence[BlockId],
    policy_hash: str,
    part: int | None = None,
) -> ChunkId:
    """The id of a chunk.

    `part` counts from 0 among chunks made from the same blocks and must be None where there is only one.
    """
    own_part = {} if part is None else {"part": part}
    return ChunkId(
        hash_parts(
            "chunk",
            doc_id=doc_id,
            chunker_version=chunker_version,
            block_ids=list(block_ids),
            policy_hash=policy_hash,
            **own_part,
        )
    )
