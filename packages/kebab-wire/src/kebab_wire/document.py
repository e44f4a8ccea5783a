"""Documents and passages: `doc_summary.v1`, `doc_list.v1`, both inspections, and `fetch_result.v1`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

from kebab_core import (
    Block,
    CanonicalDocument,
    ChunkEmbedding,
    Count,
    DocSummary,
    EmbeddingState,
    FetchResult,
    IndexedChunk,
    MatchedRange,
    MediaKind,
    Metadata,
    PageSize,
    Position,
    ProvenanceEvent,
    Rectangle,
    RepeatedLead,
    SourceSpan,
    SourceType,
    TrustLevel,
)
from pydantic import Field

from kebab_wire.base import Timestamp, WireId, WireObject, WirePart, mirror, wire_json
from kebab_wire.search import FileFinder, find_existing


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
    address: str | None = None
    """`[source:]path`: every command and tool takes it; absent in output of earlier versions."""
    file: str | None = None
    """Absolute path of the file, where it exists and was asked for."""


class DocListV1(WireObject):
    """Documents by source and path."""

    schema_version: Literal["doc_list.v1"] = "doc_list.v1"
    documents: tuple[DocSummaryV1, ...]


class NamedDocumentV1(WirePart):
    """A document whose name matches."""

    rank: Position
    address: str
    title: str
    name: str
    """The name that matches: stem of the file, title or alias."""
    match: Literal["whole", "start", "word_start", "part", "initials", "words", "letters", "similar"]
    """How it matches; the order of the values is that of the ranks."""
    doc_id: WireId
    file: str | None = None
    """Absolute path of the file, where it exists."""


class NameListV1(WireObject):
    """Documents by name, best first."""

    schema_version: Literal["name_list.v1"] = "name_list.v1"
    documents: tuple[NamedDocumentV1, ...]


class ExactLineV1(WirePart):
    """A line with the text that was looked for."""

    line: Position
    """Number in the stored text, which for a text file is that of the file."""
    text: str
    matched: tuple[MatchedRange, ...]
    """Ranges of `text` in code points, half open."""
    at: str | None = None
    """Place of the line, which follows path and `#` in its address: `L12`, `p=3`; absent in output of earlier versions."""


class ExactDocumentV1(WirePart):
    """A document with the text that was looked for."""

    rank: Position
    address: str
    """Of its first line with the text."""
    title: str
    matches: Position
    """Number of times that the text is in the document."""
    lines: tuple[ExactLineV1, ...]
    doc_id: WireId
    file: str | None = None
    """Absolute path of the file, where it exists."""


class ExactResponseV1(WireObject):
    """Documents that have a text as it is written."""

    schema_version: Literal["exact_response.v1"] = "exact_response.v1"
    query: str
    documents: tuple[ExactDocumentV1, ...]
    """By source and path; at most as many as were asked for."""
    document_count: Count
    """Number of documents that have the text, also of those that are not listed."""
    match_count: Count
    """Number of times that it is in all of them."""
    searched_count: Count
    """Number of documents that were read."""
    unread: tuple[str, ...] = ()
    """Addresses of documents whose stored text cannot be read."""


class RelatedDocumentV1(WirePart):
    """A document related to another one."""

    rank: Position
    address: str
    """Of the document; with the line of its link, or of its nearest passage, where there is one."""
    title: str
    relation: Literal["links_to", "linked_from", "similar"]
    """`links_to`: the other one links to it; `linked_from`: it links to the other one; `similar`: near in meaning."""
    text: str
    """Text of the link, or heading of the passage."""
    line: Position | None = None
    """Line of the link in the document that has it."""
    similarity: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Cosine of the nearest passage."""
    doc_id: WireId
    file: str | None = None
    """Absolute path of the file, where it exists."""


class RelatedListV1(WireObject):
    """Documents related to what an address names, by relation; one that links and is linked to is there twice."""

    schema_version: Literal["related_list.v1"] = "related_list.v1"
    address: str
    documents: tuple[RelatedDocumentV1, ...]
    linked_from_count: Count
    """Number of documents that link to it, also of those that are not listed."""
    has_vectors: bool
    """False where nothing was compared by meaning, since it has no vectors."""


class NamedCountV1(WirePart):
    """A tag, folder or source."""

    name: str
    documents: Count
    """Number of documents; of a folder with those in folders below it."""


class CountListV1(WireObject):
    """Tags, folders or sources with their numbers of documents."""

    schema_version: Literal["count_list.v1"] = "count_list.v1"
    by: Literal["tags", "folders", "sources"]
    items: tuple[NamedCountV1, ...]
    """Tags by number of documents, folders and sources by name."""


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
    state: Literal["pending", "committed", "deleted"]
    """pending: still to be made. committed: stored and used by search. deleted: in output of earlier versions only."""


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


def wire_doc_summary(
    summary: DocSummary, *, stale: bool, find_file: FileFinder | None = None
) -> DocSummaryV1:
    """Return one document of a listing for the wire; the caller computes `stale`, which depends on the time."""
    file = find_existing(find_file, summary.source_id, summary.doc_path)
    return mirror(DocSummaryV1, summary, stale=stale, address=summary.to_address(), file=file)


def wire_doc_list(
    summaries: Sequence[DocSummary], *, stale: Sequence[bool], find_file: FileFinder | None = None
) -> DocListV1:
    """Return a listing for the wire.

    Args:
        summaries: Documents in their order.
        stale: One for each of them.
        find_file: Finds their files; None leaves their paths out.

    Returns:
        The listing.
    """
    pairs = zip(summaries, stale, strict=True)
    return DocListV1(
        documents=tuple(
            wire_doc_summary(summary, stale=is_stale, find_file=find_file) for summary, is_stale in pairs
        )
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
        state="committed" if embedding.state is EmbeddingState.COMMITTED else "pending",
    )


_MAX_BLOCK_IDS = 32
"""Maximum number of block ids per passage: in one of a hundred one-word paragraphs, ids would cost more than the text."""


class _FetchBase(WireObject):
    schema_version: Literal["fetch_result.v1"] = "fetch_result.v1"
    doc_id: WireId
    source_id: str
    doc_path: str
    title: str
    indexed_at: Timestamp
    stale: bool
    """The file on disk may differ from the stored document."""
    truncated: bool
    """Whether `max_tokens` cut the text; a range that ends after the document is not a cut."""
    address: str | None = None
    """Address of what was fetched, where it was fetched by address."""
    total_lines: Count | None = None
    """Lines of the whole document, likewise; absent where it has none."""
    parts: tuple[str, ...] | None = None
    """First and last page, slide, sheet or time in the text, as in addresses: `p=3`; one where it is the same. Absent where
    there are lines."""
    total_parts: Count | None = None
    """Pages, slides or sheets of the whole document, where it was fetched by address; absent where it has none."""
    next: str | None = None
    """Address of what `max_tokens` cut off; absent where nothing is left, or the cut is inside a line."""
    file: str | None = None
    """Absolute path of the file, where it exists and was asked for."""


class FetchChunkV1(_FetchBase):
    """A passage with its neighbours in the document, in order."""

    kind: Literal["chunk"] = "chunk"
    chunk: ChunkInspectionV1
    context_before: tuple[ChunkInspectionV1, ...]
    context_after: tuple[ChunkInspectionV1, ...]


class FetchDocV1(_FetchBase):
    """A document's text, or the characters of it that were asked for."""

    kind: Literal["doc"] = "doc"
    text: str


class FetchSpanV1(_FetchBase):
    """Lines of a document, 1-based, both ends included."""

    kind: Literal["span"] = "span"
    text: str
    line_start: Position
    line_end: Position
    """As requested."""
    effective_end: Count
    """Last line in `text`; `line_start - 1` where no line was in range."""


class FetchPageV1(_FetchBase):
    """A page of a document that is cited by pages."""

    kind: Literal["page"] = "page"
    text: str
    """Empty where the page has no text."""
    page: Position


class FetchSlideV1(_FetchBase):
    """A slide of a presentation."""

    kind: Literal["slide"] = "slide"
    text: str
    """Empty where the slide has no text."""
    slide: Position


class FetchCellsV1(_FetchBase):
    """Cells of a sheet."""

    kind: Literal["cells"] = "cells"
    text: str
    """The rows that the cells are in, with those that are stored with them."""
    sheet: str
    cells: str | None = None
    """As requested: `B4:D9`; absent for the whole sheet."""


class OpenReportV1(WireObject):
    """The file of an address, and the command that opens it."""

    schema_version: Literal["open_report.v1"] = "open_report.v1"
    address: str
    file: str
    """Absolute path, spelled as on disk."""
    line: Position | None
    """First line of the address; null for a whole document, and where there are no lines."""
    page: Position | None = None
    """Page or slide of the address; absent where there is none."""
    command: tuple[str, ...]
    """Program and arguments."""


class RenderReportV1(WireObject):
    """A page that was drawn as a picture."""

    schema_version: Literal["render_report.v1"] = "render_report.v1"
    address: str
    file: str
    """Absolute path of the PNG."""
    page: Position
    width: Position
    """Width of the picture in pixels."""
    height: Position
    page_size: PageSize
    """Size of the page in points."""
    rectangles: tuple[Rectangle, ...]
    """What is marked, in points from the top left corner of the page; none where a whole page is cited."""


class OutlineHeadingV1(WirePart):
    """A heading with its section."""

    level: Position
    text: str
    at: str
    """Lines of its section, which follow path and `#` in its address: `L10-L42`."""


class FetchOutlineV1(_FetchBase):
    """The headings of a document."""

    kind: Literal["outline"] = "outline"
    headings: tuple[OutlineHeadingV1, ...]
    """In order."""


class FetchTimeV1(_FetchBase):
    """A stretch of a document that is cited by time: all parts that overlap it."""

    kind: Literal["time"] = "time"
    text: str
    start_ms: Count
    end_ms: Count
    """As requested, excluded."""


FetchResultV1 = Annotated[
    FetchChunkV1
    | FetchDocV1
    | FetchSpanV1
    | FetchPageV1
    | FetchSlideV1
    | FetchCellsV1
    | FetchTimeV1
    | FetchOutlineV1,
    Field(discriminator="kind"),
]
"""One of the eight kinds."""
_TEXT_KINDS: Mapping[
    str, type[FetchDocV1 | FetchSpanV1 | FetchPageV1 | FetchSlideV1 | FetchCellsV1 | FetchTimeV1]
] = {
    "doc": FetchDocV1,
    "span": FetchSpanV1,
    "page": FetchPageV1,
    "slide": FetchSlideV1,
    "cells": FetchCellsV1,
    "time": FetchTimeV1,
}


def wire_fetch_result(result: FetchResult, *, find_file: FileFinder | None = None) -> FetchResultV1:
    """Return a fetch result for the wire, with the path of its file where there is a finder."""
    document = result.document
    given: dict[str, object] = {
        name: getattr(document, name) for name in ("doc_id", "source_id", "doc_path", "title", "indexed_at")
    }
    given["file"] = find_existing(find_file, document.source_id, document.doc_path)
    given["parts"] = result.parts or None
    if result.kind == "outline":
        headings = [
            OutlineHeadingV1(level=each.level, text=each.text, at=f"L{each.line_start}-L{each.line_end}")
            for each in result.headings
        ]
        return mirror(FetchOutlineV1, result, **given, headings=headings)
    if result.kind in _TEXT_KINDS:
        return mirror(_TEXT_KINDS[result.kind], result, **given)
    parts = {
        "chunk": None if result.chunk is None else wire_fetched_chunk(result.chunk),
        "context_before": [wire_fetched_chunk(chunk) for chunk in result.context_before],
        "context_after": [wire_fetched_chunk(chunk) for chunk in result.context_after],
    }
    return mirror(FetchChunkV1, result, **given, **parts)


def wire_fetched_chunk(chunk: IndexedChunk) -> ChunkInspectionV1:
    """Return one passage of a fetch for the wire."""
    return wire_chunk_inspection(chunk, max_block_ids=_MAX_BLOCK_IDS)


def fetched_chunk_cost(chunk: IndexedChunk, *, count: Callable[[str], int]) -> int:
    """Return the tokens of a neighbour of a fetched passage, by the caller's estimate of its JSON."""
    return count(wire_json(wire_fetched_chunk(chunk)))
