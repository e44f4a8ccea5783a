"""`doc_summary.v1`, `doc_list.v1`, `document_inspection.v1` with its blocks, and `chunk_inspection.v1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from kebab_core import (
    CanonicalDocument,
    ChunkEmbedding,
    DocSummary,
    EmbeddingState,
    IndexedChunk,
    MediaKind,
    ProvenanceKind,
    SourceType,
    TrustLevel,
)
from pydantic import Field, JsonValue

from kebab_wire.base import Count, Position, Timestamp, WireId, WireObject, WirePart, mirror
from kebab_wire.citation import SpanV1


class TextInlineV1(WirePart):
    """Plain words."""

    kind: Literal["text"] = "text"
    text: str


class CodeInlineV1(WirePart):
    """Words set as code."""

    kind: Literal["code"] = "code"
    text: str


class LinkInlineV1(WirePart):
    """A link."""

    kind: Literal["link"] = "link"
    text: str
    href: str


class StrongInlineV1(WirePart):
    """Strongly emphasised content."""

    kind: Literal["strong"] = "strong"
    children: tuple[InlineV1, ...]


class EmphInlineV1(WirePart):
    """Emphasised content."""

    kind: Literal["emph"] = "emph"
    children: tuple[InlineV1, ...]


InlineV1 = Annotated[
    TextInlineV1 | CodeInlineV1 | LinkInlineV1 | StrongInlineV1 | EmphInlineV1, Field(discriminator="kind")
]


class _BlockBase(WirePart):
    block_id: WireId
    heading_path: tuple[str, ...]
    """Headings above the block, outermost first; a heading's own text is its last member."""
    source_span: SpanV1


class HeadingBlockV1(_BlockBase):
    """A heading of level 1 to 6."""

    kind: Literal["heading"] = "heading"
    level: int
    text: str


class ParagraphBlockV1(_BlockBase):
    """A paragraph."""

    kind: Literal["paragraph"] = "paragraph"
    text: str
    inlines: tuple[InlineV1, ...]


class ListItemV1(WirePart):
    """One item with everything nested in it as text."""

    text: str
    inlines: tuple[InlineV1, ...]
    source_span: SpanV1


class ListBlockV1(_BlockBase):
    """A list."""

    kind: Literal["list"] = "list"
    ordered: bool
    items: tuple[ListItemV1, ...]


class CodeBlockV1(_BlockBase):
    """A code block, or one unit of a source file."""

    kind: Literal["code"] = "code"
    lang: str | None
    code: str


class TableBlockV1(_BlockBase):
    """A table; every row has as many cells as `headers`."""

    kind: Literal["table"] = "table"
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class QuoteBlockV1(_BlockBase):
    """A block quote or callout."""

    kind: Literal["quote"] = "quote"
    text: str
    inlines: tuple[InlineV1, ...]


class OcrRegionV1(WirePart):
    """One recognised stretch of text."""

    bbox: tuple[int, int, int, int]
    """x, y, width, height in pixels from the top left."""
    text: str
    confidence: float


class OcrTextV1(WirePart):
    """All text recognised in one picture."""

    joined: str
    regions: tuple[OcrRegionV1, ...]
    engine: str
    engine_version: str


class CaptionV1(WirePart):
    """One sentence a vision model wrote about a picture."""

    text: str
    model: str
    model_version: str


class ImageRefBlockV1(_BlockBase):
    """A picture."""

    kind: Literal["image_ref"] = "image_ref"
    asset_id: WireId | None
    src: str
    alt: str
    ocr: OcrTextV1 | None = None
    caption: CaptionV1 | None = None


class TranscriptSegmentV1(WirePart):
    """One stretch of speech in milliseconds from the start, half open."""

    start_ms: Count
    end_ms: Count
    text: str
    speaker: str | None = None
    confidence: float | None = None


class TranscriptV1(WirePart):
    """A recording's speech, segments in order of time."""

    segments: tuple[TranscriptSegmentV1, ...]
    engine: str
    engine_version: str
    language: str


class AudioRefBlockV1(_BlockBase):
    """A recording."""

    kind: Literal["audio_ref"] = "audio_ref"
    asset_id: WireId
    duration_ms: Count
    transcript: TranscriptV1 | None = None


BlockV1 = Annotated[
    HeadingBlockV1
    | ParagraphBlockV1
    | ListBlockV1
    | CodeBlockV1
    | TableBlockV1
    | QuoteBlockV1
    | ImageRefBlockV1
    | AudioRefBlockV1,
    Field(discriminator="kind"),
]
"""One of the eight kinds."""


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


class ProvenanceEventV1(WirePart):
    """One step of a document on its way into the index."""

    at: Timestamp
    agent: str
    kind: ProvenanceKind
    note: str | None = None


class MetadataV1(WirePart):
    """Metadata of a document, from front matter, file and repository."""

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
    """Number of times this path has been ingested with new content."""
    indexed_at: Timestamp | None
    blocks: tuple[BlockV1, ...]
    """In reading order."""


class RepeatedLeadV1(WirePart):
    """Text at the start of a passage that is repeated from elsewhere in the source: the header row of a table that was cut."""

    end: Position
    """Offset in `text` where the passage's own text begins, in code points."""
    source_span: SpanV1
    """Position of the repeated text."""


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
    source_spans: tuple[SpanV1, ...]
    block_ids: tuple[WireId, ...]
    """In reading order; in results of `fetch` the first 32."""
    token_estimate: Count
    chunker_version: str
    policy_hash: str
    lead: RepeatedLeadV1 | None = None
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
