"""What the document store is given, and what it tells of itself."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import Field

from kebab_core.asset import FileStamp, RawAsset, SourceId, WorkspacePath
from kebab_core.chunk import Chunk
from kebab_core.document import CanonicalDocument
from kebab_core.document_kinds import SourceType, TrustLevel
from kebab_core.ids import DocumentId
from kebab_core.ingest import IngestFailure
from kebab_core.lexical import ChunkTerms
from kebab_core.media import MediaKind
from kebab_core.model import Model, UtcDatetime
from kebab_core.search import SearchFilters
from kebab_core.source import SkipReason
from kebab_core.vector import EmbeddingIdentity
from kebab_core.versions import AnalyzerVersion, ChunkerVersion, ParserVersion


class DocumentRecord(Model):
    """One document ready for the index: everything of stage A."""

    asset: RawAsset
    document: CanonicalDocument
    chunks: tuple[Chunk, ...]
    terms: tuple[ChunkTerms, ...]
    """One for each chunk, in the same order."""
    stamp: FileStamp
    disk_path: str
    fingerprint: str
    """Hash of every setting and version that affected the output."""
    chunker_version: ChunkerVersion
    analyzer_version: AnalyzerVersion
    indexed_at: UtcDatetime
    embedding: EmbeddingIdentity | None = None
    """The model whose vectors the chunks still need; None leaves the document lexical."""


class FileFailure(Model):
    """A file that could not be processed; its previous version, if any, stays."""

    source_id: SourceId
    workspace_path: WorkspacePath
    failure: IngestFailure
    failed_at: UtcDatetime


class RememberedSkip(NamedTuple):
    """A file that its content keeps out of the index; it needs no look while its state is the same."""

    source_id: SourceId
    workspace_path: WorkspacePath
    stamp: FileStamp
    fingerprint: str
    """Hash of every setting and version that the reason depends on."""
    reason: SkipReason


class AssetAudit(NamedTuple):
    """How the kept copies of files and the list of them agree."""

    copies: int
    """How many copies there should be."""
    lost: frozenset[str]
    """Checksums of assets whose copy is gone: their files must be read again."""
    strays: int
    """Files among the copies that belong to no asset."""
    damaged: frozenset[str] = frozenset()
    """Checksums of assets whose copy is there with other bytes, as far as was looked: to be read again too."""


class CompletedScan(Model):
    """A source that was scanned to its end."""

    source_id: SourceId
    root: str
    completed_at: UtcDatetime
    files: int = Field(ge=0)
    documents_held: int = Field(default=0, ge=0)
    """Documents kept although their files seem gone."""


class DocFilter(SearchFilters):
    """Which documents to list: those that a search with the same filters would look at."""

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
    sqlite_bytes: int = Field(ge=0)
    asset_bytes: int = Field(ge=0)
    """Content copied below the data folder."""
    schema_version: int = Field(ge=0)
    corpus_revision: int = Field(ge=0)
    active_parsers: tuple[str, ...] = ()
    active_chunkers: tuple[str, ...] = ()
    analyzer_version: AnalyzerVersion | None = None
