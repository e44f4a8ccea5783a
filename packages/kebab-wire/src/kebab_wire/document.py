"""`doc_summary.v1`, `doc_list.v1`, `document_inspection.v1` with its blocks, and `chunk_inspection.v1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kebab_core import (
    Block,
    CanonicalDocument,
    ChunkEmbedding,
    DocSummary,
    EmbeddingState,
    IndexedChunk,
    MediaKind,
    Metadata,
    ProvenanceEvent,
    RepeatedLead,
    SourceSpan,
    SourceType,
    TrustLevel,
)

from kebab_wire.base import Count, Position, Timestamp, WireId, WireObject, WirePart, mirror


class DocSummaryV1(WireObject):
    """One document of a listing."""

    schema_version: Literal["doc_summary.v1"] = "doc_summary.v1"
    doc_id: WireId
    source_id: str
    doc_path: str
    title: str
    lang: str
    media: MediaKind
    tags: tuple[str, ...]
    trust_level: TrustLevel
    source_type: SourceType
    byte_len: Count
    chunk_count: Count
    created_at: Timestamp
    updated_at: Timestamp
    indexed_at: Timestamp
    stale: bool
    """The file on disk may differ from the stored document."""
    parser_version: str
    chunker_version: str


class DocListV1(WireObject):
    """Documents by source and path."""

    schema_version: Literal["doc_list.v1"] = "doc_list.v1"
    documents: tuple[DocSummaryV1, ...]


class DocumentInspectionV1(WireObject):
    """A document as it is stored."""

    schema_version: Literal["document_inspection.v1"] = "document_inspection.v1"
    doc_id: WireId
    source_id: str
    doc_path: str
    asset_id: WireId
    title: str
    lang: str
    metadata: Metadata
    provenance: tuple[ProvenanceEvent, ...]
    """In order."""
    parser_version: str
    doc_version: Position
    """Number of times this path has been ingested with new content."""
    indexed_at: Timestamp | None
    blocks: tuple[Block, ...]
    """In reading order."""


class ChunkEmbeddingV1(WirePart):
    """The vector of a passage by one model, on record."""

    embedding_id: WireId
    model_id: str
    model_version: str
    dimensions: Count
    state: EmbeddingState
    """pending: still to be made. committed: stored and used by search. deleted: stored and still to be removed."""


class ChunkInspectionV1(WireObject):
    """A passage as it is stored."""

    schema_version: Literal["chunk_inspection.v1"] = "chunk_inspection.v1"
    chunk_id: WireId
    doc_id: WireId
    source_id: str
    doc_path: str
    ordinal: Count
    """Position in the document, from 0."""
    heading_path: tuple[str, ...]
    section_label: str | None
    text: str
    source_spans: tuple[SourceSpan, ...]
    block_ids: tuple[WireId, ...]
    """In reading order; in results of `fetch` the first 32."""
    token_estimate: Count
    chunker_version: str
    policy_hash: str
    lead: RepeatedLead | None = None
    """Absent where all of the text is from `source_spans`."""
    embeddings: tuple[ChunkEmbeddingV1, ...] | None = None
    """One for each model, by model; absent in results of `fetch`."""


def wire_doc_summary(summary: DocSummary, *, stale: bool) -> DocSummaryV1:
    """Return one document of a listing for the wire; the caller computes `stale`, which depends on the time."""
    return mirror(DocSummaryV1, summary, stale=stale)


def wire_doc_list(summaries: Sequence[DocSummary], *, stale: Sequence[bool]) -> DocListV1:
    """Return a listing for the wire.

    Args:
        summaries: Documents in their order.
        stale: One for each of them.

    Returns:
        The listing.
    """
    pairs = zip(summaries, stale, strict=True)
    return DocListV1(
        documents=tuple(wire_doc_summary(summary, stale=is_stale) for summary, is_stale in pairs)
    )


def wire_document_inspection(document: CanonicalDocument) -> DocumentInspectionV1:
    """Return a stored document for the wire."""
    return mirror(
        DocumentInspectionV1,
        document,
        doc_path=document.workspace_path,
        asset_id=document.source_asset_id,
        provenance=document.provenance.events,
    )


def wire_chunk_inspection(
    found: IndexedChunk,
    *,
    embeddings: Sequence[ChunkEmbedding] | None = None,
    max_block_ids: int | None = None,
) -> ChunkInspectionV1:
    """Return a stored passage for the wire, with the ids of all its blocks or the first of them.

    Args:
        found: The passage.
        embeddings: Its vectors on record; None leaves them out.
        max_block_ids: Number of block ids at most; None is all.
    """
    return mirror(
        ChunkInspectionV1,
        found.chunk,
        source_id=found.document.source_id,
        doc_path=found.document.doc_path,
        block_ids=found.chunk.block_ids[:max_block_ids],
        embeddings=None if embeddings is None else [_wire_embedding(each) for each in embeddings],
    )


def _wire_embedding(embedding: ChunkEmbedding) -> ChunkEmbeddingV1:
    return ChunkEmbeddingV1(
        embedding_id=embedding.embedding_id,
        model_id=embedding.identity.model_id,
        model_version=embedding.identity.model_version,
        dimensions=embedding.identity.dimensions,
        state=embedding.state,
    )
