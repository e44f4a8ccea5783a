"""`doc_summary.v1`, `doc_list.v1`, `document_inspection.v1` and `chunk_inspection.v1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kebab_core import (
    CanonicalDocument,
    DocSummary,
    IndexedChunk,
    MediaKind,
    ProvenanceKind,
    SourceType,
    TrustLevel,
)
from pydantic import JsonValue

from kebab_wire.base import Count, Position, Timestamp, WireId, WireObject, WirePart, mirror
from kebab_wire.block import BlockV1
from kebab_wire.span import SpanV1


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
    """What is stored may no longer be what is on disk."""
    parser_version: str
    chunker_version: str


class DocListV1(WireObject):
    """Documents by source and path."""

    schema_version: Literal["doc_list.v1"] = "doc_list.v1"
    documents: tuple[DocSummaryV1, ...]


class ProvenanceEventV1(WirePart):
    """One step of a document on its way into the index."""

    at: Timestamp
    agent: str
    kind: ProvenanceKind
    note: str | None = None


class MetadataV1(WirePart):
    """What is known about a document besides its content."""

    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    created_at: Timestamp
    updated_at: Timestamp
    source_type: SourceType
    trust_level: TrustLevel
    user_id_alias: str | None = None
    user: dict[str, JsonValue]
    """Front-matter keys that kebab gives no meaning to, as they were."""
    repo: str | None = None
    git_branch: str | None = None
    git_commit: str | None = None
    code_lang: str | None = None


class DocumentInspectionV1(WireObject):
    """A document as it is stored."""

    schema_version: Literal["document_inspection.v1"] = "document_inspection.v1"
    doc_id: WireId
    source_id: str
    doc_path: str
    asset_id: WireId
    title: str
    lang: str
    metadata: MetadataV1
    provenance: tuple[ProvenanceEventV1, ...]
    """In order."""
    parser_version: str
    doc_version: Position
    """How many times this path has been ingested with new content."""
    indexed_at: Timestamp | None
    blocks: tuple[BlockV1, ...]
    """In reading order."""


class RepeatedLeadV1(WirePart):
    """Text at the start of a passage that stands elsewhere in the source: the header row of a table that was cut."""

    end: Position
    """Offset in `text` where the passage's own text begins, in code points."""
    source_span: SpanV1
    """Where the repeated text stands."""


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
    source_spans: tuple[SpanV1, ...]
    block_ids: tuple[WireId, ...]
    """In reading order; in results of `fetch` the first 32."""
    token_estimate: Count
    chunker_version: str
    policy_hash: str
    lead: RepeatedLeadV1 | None = None
    """None where all of the text stands in `source_spans`."""


def wire_doc_summary(summary: DocSummary, *, stale: bool) -> DocSummaryV1:
    """Return one document of a listing for the wire; `stale` is the caller's, who knows the time."""
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


def wire_chunk_inspection(found: IndexedChunk, *, max_block_ids: int | None = None) -> ChunkInspectionV1:
    """Return a stored passage for the wire, with the ids of all its blocks or the first of them."""
    return mirror(
        ChunkInspectionV1,
        found.chunk,
        source_id=found.document.source_id,
        doc_path=found.document.doc_path,
        block_ids=found.chunk.block_ids[:max_block_ids],
    )
