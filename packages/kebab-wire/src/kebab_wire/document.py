"""Documents and passages: `doc_summary.v1`, `doc_list.v1`, both inspections, and reports about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from kebab_core import (
    Block,
    CanonicalDocument,
    ChunkEmbedding,
    CitedPlace,
    Count,
    DocSummary,
    EmbeddingState,
    FileFormat,
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

from kebab_wire.base import Timestamp, WireId, WireObject, WirePart, mirror
from kebab_wire.search import FileFinder, find_existing

if TYPE_CHECKING:
    from kebab_app import CallSearch


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
    """A page of documents, by source and path or newest first."""

    schema_version: Literal["doc_list.v1"] = "doc_list.v1"
    documents: tuple[DocSummaryV1, ...]
    total: Count | None = None
    """Documents of all pages; absent in output of earlier versions."""
    omitted: Count | None = None
    """Documents after this page; absent for none."""
    next_cursor: str | None = None
    """Cursor of the next page, for the same list; absent on the last page."""


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
    header_row: str | None = None
    """The names of the columns, where it is a row of a table; absent where it is none."""


class ExactDocumentV1(WirePart):
    """A document with the text that was looked for."""

    rank: Position
    address: str
    """Of its first line with the text."""
    title: str
    matches: Position
    """Number of times that the text is in the document."""
    lines: tuple[ExactLineV1, ...]
    """Of a line of more than 2,000 characters the stretches around its matches, with `…` where it goes on."""
    copies: tuple[str, ...] | None = None
    """Addresses of further documents with the same text; absent where there are none."""
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
    """Of the document; with the line of its link, of its nearest passage or of its definition, where there is one."""
    title: str
    relation: Literal["links_to", "linked_from", "called_by", "calls", "same_name", "tested_by", "similar"]
    """`links_to`: the other one links to it; `linked_from`: it links to the other one; `similar`: near in meaning. Of source
    code, by name and not resolved: `called_by` in any file of the source, `calls` in the same file, `same_name` another
    definition, `tested_by` a test of its name."""
    text: str
    """Text of the link, heading of the passage, or symbol of the definition."""
    line: Position | None = None
    """Line of the link in the document that has it."""
    similarity: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Cosine of the nearest passage."""
    doc_id: WireId
    file: str | None = None
    """Absolute path of the file, where it exists."""


class CallSearchV1(WirePart):
    """What was looked at for calls of a definition in other files. Names are compared, nothing is resolved."""

    names: tuple[str, ...]
    """Names that were looked for."""
    files: Count
    """Other files of the source with one of the names before a bracket; all of them were read for `called_by`."""
    complete: bool = True
    """False where more files may have them than were read."""


class RelatedListV1(WireObject):
    """Documents related to what an address names, by relation; one that links and is linked to is there twice."""

    schema_version: Literal["related_list.v1"] = "related_list.v1"
    address: str
    documents: tuple[RelatedDocumentV1, ...]
    linked_from_count: Count
    """Number of documents that link to it, also of those that are not listed."""
    has_vectors: bool
    """False where nothing was compared by meaning, since it has no vectors."""
    call_search: CallSearchV1 | None = None
    """Of a definition of source code; absent where no calls in other files were looked for."""


def wire_call_search(found: CallSearch | None) -> CallSearchV1 | None:
    """Return for the wire what was looked at for calls."""
    if found is None:
        return None
    return CallSearchV1(names=found.names, files=found.files, complete=found.is_complete)


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


class FormatV1(WirePart):
    """A format that is read."""

    media: str
    """Name of the medium, as filters take it; `other` of a plugin's."""
    format: str
    """Name of the format among those of the medium: a language of source code, else mostly an extension."""
    title: str
    extensions: tuple[str, ...]
    """Without dots; empty for files without an extension."""
    cites: CitedPlace
    """What citations name."""
    needs: str | None
    """Distribution that must be installed besides kebab; null for none."""


class FormatListV1(WireObject):
    """Formats that are read."""

    schema_version: Literal["format_list.v1"] = "format_list.v1"
    items: tuple[FormatV1, ...]


def wire_format_list(formats: Iterable[FileFormat]) -> FormatListV1:
    """Return formats for the wire."""
    return FormatListV1(
        items=tuple(
            FormatV1(
                media=one.media.kind,
                format=one.name,
                title=one.title,
                extensions=one.extensions,
                cites=one.cites,
                needs=one.needs or None,
            )
            for one in formats
        )
    )


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
    attached: str | None = None
    """Name of the file where `file`, such as a mail, only holds it; absent for all else."""
    command: tuple[str, ...]
    """Program and arguments."""


class RenderReportV1(WireObject):
    """A page, or a picture, that was drawn."""

    schema_version: Literal["render_report.v1"] = "render_report.v1"
    address: str
    file: str
    """Absolute path of the PNG."""
    page: Position
    width: Position
    """Width of the PNG in pixels."""
    height: Position
    page_size: PageSize
    """Size of the page in points; of a picture in its pixels, upright."""
    rectangles: tuple[Rectangle, ...]
    """What is cited, from the top left corner in the same unit, and marked unless that was turned off; none where a whole page or
    picture is cited."""
    word_rectangles: tuple[Rectangle, ...] = ()
    """The words that were sought in it."""


def wire_doc_summary(
    summary: DocSummary, *, stale: bool, find_file: FileFinder | None = None
) -> DocSummaryV1:
    """Return one document of a listing for the wire; the caller computes `stale`, which depends on the time."""
    file = find_existing(find_file, summary.source_id, summary.doc_path)
    return mirror(DocSummaryV1, summary, stale=stale, address=summary.to_address(), file=file)


def wire_doc_list(
    summaries: Sequence[DocSummary],
    *,
    stale: Sequence[bool],
    find_file: FileFinder | None = None,
    total: int | None = None,
    omitted: int = 0,
    next_cursor: str | None = None,
) -> DocListV1:
    """Return a listing for the wire.

    Args:
        summaries: Documents in their order.
        stale: One for each of them.
        find_file: Finds their files; None leaves their paths out.
        total: Documents of all pages.
        omitted: Documents after this page.
        next_cursor: Cursor of the next page.

    Returns:
        The listing.
    """
    pairs = zip(summaries, stale, strict=True)
    return DocListV1(
        documents=tuple(
            wire_doc_summary(summary, stale=is_stale, find_file=find_file) for summary, is_stale in pairs
        ),
        total=total,
        omitted=omitted or None,
        next_cursor=next_cursor,
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
