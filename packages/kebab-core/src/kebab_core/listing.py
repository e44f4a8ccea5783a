"""Listings of documents, sizes of a store, and fetched text: what is read without a search."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from kebab_core.address import format_address
from kebab_core.chunk import HeaderRow, IndexedChunk, IndexedDocument, is_outdated
from kebab_core.facets import MediaKind, SourceType, TrustLevel
from kebab_core.files import SourceId, WorkspacePath
from kebab_core.filters import SearchFilters
from kebab_core.ids import AnalyzerVersion, ChunkerVersion, ChunkId, DocumentId, ParserVersion
from kebab_core.model import Model, Position, UtcDatetime
from kebab_core.search import MAX_TOKENS
from kebab_core.source import Repository

ListOrder = Literal["path", "recent"]
"""Order of a listing: by source and path; or by the date of the documents, newest first, equal ones by source and path."""


class DocFilter(SearchFilters):
    """Filter of a listing: the documents that pass by themselves, without the pictures that they show from elsewhere."""

    order: ListOrder = "path"
    limit: int | None = Field(default=None, ge=1, le=1_000_000_000)
    offset: int = Field(default=0, ge=0, le=1_000_000_000)


class DocSummary(Model):
    """One line of a listing."""

    doc_id: DocumentId
    source_id: SourceId
    doc_path: WorkspacePath
    title: str
    lang: str
    media: MediaKind
    tags: tuple[str, ...]
    trust_level: TrustLevel
    source_type: SourceType
    byte_len: int = Field(ge=0)
    chunk_count: int = Field(ge=0)
    created_at: UtcDatetime
    updated_at: UtcDatetime
    indexed_at: UtcDatetime
    last_complete_scan_at: UtcDatetime | None = None
    changed_on_disk: bool = False
    parser_version: ParserVersion
    chunker_version: ChunkerVersion

    def is_stale(self, *, now: datetime, threshold_days: int) -> bool:
        """Return True if it may differ from its file on disk.

        The file is known to have changed since it was indexed, or the last complete scan of its source, and while there is none the
        last time that it was processed, is too long ago. See `is_outdated`.
        """
        looked_at = self.last_complete_scan_at or self.indexed_at
        return self.changed_on_disk or is_outdated(looked_at, now=now, threshold_days=threshold_days)

    def to_address(self) -> str:
        """Return the address of the document."""
        return format_address(self.source_id, self.doc_path)


class DocumentEntry(NamedTuple):
    """Names, tags, time, medium and language of a document: what a catalogue of all documents needs, without validation."""

    doc_id: DocumentId
    source_id: SourceId
    doc_path: WorkspacePath
    title: str
    """As shown."""
    aliases: tuple[str, ...]
    """Other names that its front matter gives it; a title of its metadata that is not shown."""
    tags: tuple[str, ...]
    updated_at: datetime
    media: MediaKind
    lang: str

    def to_address(self) -> str:
        """Return the address of the document."""
        return format_address(self.source_id, self.doc_path)


class NamedCount(NamedTuple):
    """Number of documents with a tag, in a folder or source, of a medium or in a language."""

    name: str
    documents: int


class StoreStats(Model):
    """Sizes of the store; each name says its unit."""

    doc_count: int = Field(ge=0)
    chunk_count: int = Field(ge=0)
    asset_count: int = Field(ge=0)
    failed_file_count: int = Field(ge=0)
    pending_document_count: int = Field(ge=0)
    """Documents with vectors still to come."""
    held_document_count: int = Field(ge=0)
    last_ingest_at: UtcDatetime | None = None
    docs_by_media: dict[str, int] = Field(default_factory=dict)
    docs_by_lang: dict[str, int] = Field(default_factory=dict)
    docs_by_code_lang: dict[str, int] = Field(default_factory=dict)
    chunks_by_code_lang: dict[str, int] = Field(default_factory=dict)
    docs_by_repo: dict[str, int] = Field(default_factory=dict)
    repositories: tuple[Repository, ...] = ()
    """By source and folder."""
    sqlite_bytes: int = Field(ge=0)
    asset_bytes: int = Field(ge=0)
    """Content copied below the data folder."""
    schema_version: int = Field(ge=0)
    corpus_revision: int = Field(ge=0)
    active_parsers: tuple[str, ...] = ()
    active_chunkers: tuple[str, ...] = ()
    analyzer_version: AnalyzerVersion | None = None


MAX_LINE = 1_000_000_000
"""The largest line or page number of a request."""
MAX_MS = 1_000_000_000
"""The latest time of a request, in milliseconds: eleven days."""


class FetchChunk(Model):
    """A chunk and `context` chunks on either side of it in the document, cut to `max_tokens` estimated tokens where given."""

    kind: Literal["chunk"] = "chunk"
    chunk_id: ChunkId
    context: int = Field(default=0, ge=0, le=1000)
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)


class FetchDocument(Model):
    """A whole document's text, cut to `max_tokens` estimated tokens where given."""

    kind: Literal["doc"] = "doc"
    doc_id: DocumentId
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)


class FetchSpan(Model):
    """A part of a document's text, addressed as its citations are: lines, a page, or a stretch of time; one of them."""

    kind: Literal["span"] = "span"
    doc_id: DocumentId
    line_start: int | None = Field(default=None, ge=1, le=MAX_LINE)
    """First line, 1-based."""
    line_end: int | None = Field(default=None, ge=1, le=MAX_LINE)
    """Last line, included."""
    page: int | None = Field(default=None, ge=1, le=MAX_LINE)
    """A page, 1-based."""
    start_ms: int | None = Field(default=None, ge=0, le=MAX_MS)
    """Start of a stretch of a recording, in milliseconds."""
    end_ms: int | None = Field(default=None, ge=0, le=MAX_MS)
    """Its end, excluded."""
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        addresses = ((self.line_start, self.line_end), (self.page,), (self.start_ms, self.end_ms))
        given = [address for address in addresses if any(value is not None for value in address)]
        if len(given) != 1 or None in given[0]:
            raise ValueError("a span is line_start with line_end, or page, or start_ms with end_ms")
        return self


class FetchAddress(Model):
    """The document or part that an address names: its text, the section around it, or the outline of the document."""

    kind: Literal["address"] = "address"
    address: str
    """See `kebab_core.address`."""
    section: bool = False
    """The whole section that the part begins in, with the sections below it."""
    outline: bool = False
    """The headings of the document in place of text."""
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if self.section and self.outline:
            raise ValueError("section and outline cannot be used together")
        return self


FetchQuery = Annotated[FetchChunk | FetchDocument | FetchSpan | FetchAddress, Field(discriminator="kind")]


class OutlineHeading(Model):
    """A heading of a document, with its section: from its line to that before the next heading of its level or above."""

    level: int = Field(ge=1, le=6)
    text: str
    at: str
    """What follows `#` in its address: the lines of its section, or the page, slide or cells that it stands on."""
    line_start: Position | None = None
    """None where there are no lines."""
    line_end: Position | None = None


class FetchResult(Model):
    """Fetched text; fields of the other kinds are None or empty."""

    kind: Literal["chunk", "doc", "span", "page", "slide", "cells", "time", "outline"]
    """`span` are lines."""
    document: IndexedDocument
    stale: bool
    chunk: IndexedChunk | None = None
    context_before: tuple[IndexedChunk, ...] = ()
    context_after: tuple[IndexedChunk, ...] = ()
    text: str | None = None
    header_row: HeaderRow | None = None
    """The names of the columns where `text` begins inside a table; not a part of it. None where it has them."""
    line_start: int | None = None
    line_end: int | None = None
    """As requested."""
    effective_end: int | None = None
    """Last line in `text`; `line_start - 1` when no line was in range."""
    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    cells: str | None = None
    """As requested; `text` has the rows of these cells."""
    start_ms: int | None = None
    end_ms: int | None = None
    """As requested; `text` is of all parts that overlap the stretch."""
    truncated: bool = False
    """Whether `max_tokens` cut the text; a range that ends after the document is not a cut."""
    address: str | None = None
    """Address of what was fetched."""
    total_lines: int | None = Field(default=None, ge=0)
    """Lines of the whole document; None where it is not addressed by lines, or for a chunk."""
    parts: tuple[str, ...] = ()
    """Fragments of the first and the last page, slide, sheet or time in `text`, once where it is the same; empty where there
    are lines."""
    total_parts: int | None = Field(default=None, ge=0)
    """Number of pages, slides or sheets of the whole document; None where it has none."""
    next: str | None = None
    """Address of the rest that `max_tokens` cut off; None where nothing is left, or the cut is inside a line."""
    headings: tuple[OutlineHeading, ...] = ()
    """Of an outline, in order."""
