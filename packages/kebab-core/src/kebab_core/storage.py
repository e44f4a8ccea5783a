"""Records of the stores: failures and skips of files, listings and fetched text, sizes, jobs, evaluation runs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, NewType, Self

from pydantic import Field, JsonValue, model_validator

from kebab_core.asset import FileStamp, SourceId, WorkspacePath
from kebab_core.chunk import IndexedChunk, IndexedDocument
from kebab_core.ids import AnalyzerVersion, ChunkerVersion, ChunkId, DocumentId, ParserVersion
from kebab_core.media import MediaKind, SourceType, TrustLevel
from kebab_core.model import Model, UtcDatetime
from kebab_core.search import MAX_TOKENS, SearchFilters

if TYPE_CHECKING:
    from kebab_core.source import SkipReason


class IngestFailure(Model):
    """Reason that one file could not be processed."""

    code: str
    """A code of the error tree."""
    message: str


class FileFailure(Model):
    """A file that could not be processed; its previous version, if any, stays."""

    source_id: SourceId
    workspace_path: WorkspacePath
    failure: IngestFailure
    failed_at: UtcDatetime


class RememberedSkip(NamedTuple):
    """A file left out because of its content; it is not read again while its state is the same."""

    source_id: SourceId
    workspace_path: WorkspacePath
    stamp: FileStamp
    fingerprint: str
    """Hash of every setting and version that the reason depends on."""
    reason: SkipReason


class AssetAudit(NamedTuple):
    """Comparison of the kept copies of files with the list of assets."""

    copies: int
    """Number of copies there should be."""
    lost: frozenset[str]
    """Checksums of assets whose copy is gone: their files must be read again."""
    strays: int
    """Files among the copies that belong to no asset."""
    damaged: frozenset[str] = frozenset()
    """Checksums of assets whose copy has other bytes, as far as the audit looked: their files must be read again too."""


class CompletedScan(Model):
    """A source that was scanned to its end."""

    source_id: SourceId
    root: str
    completed_at: UtcDatetime
    files: int = Field(ge=0)
    documents_held: int = Field(default=0, ge=0)
    """Documents kept although their files seem gone."""


class DocFilter(SearchFilters):
    """Filter of a listing: the documents that a search with the same filters would look at."""

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


FetchQuery = Annotated[FetchChunk | FetchDocument | FetchSpan, Field(discriminator="kind")]


class FetchResult(Model):
    """Fetched text; fields of the other kinds are None or empty."""

    kind: Literal["chunk", "doc", "span", "page", "time"]
    """`span` are lines."""
    document: IndexedDocument
    stale: bool
    chunk: IndexedChunk | None = None
    context_before: tuple[IndexedChunk, ...] = ()
    context_after: tuple[IndexedChunk, ...] = ()
    text: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    """As requested."""
    effective_end: int | None = None
    """Last line in `text`; `line_start - 1` when no line was in range."""
    page: int | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    """As requested; `text` is of all parts that overlap the stretch."""
    truncated: bool = False
    """Whether `max_tokens` cut the text; a range that ends after the document is not a cut."""


JobId = NewType("JobId", str)


class JobKind(StrEnum):
    """Kind of long work."""

    INGEST = "ingest"
    EMBED = "embed"
    EVAL = "eval"


class JobStatus(StrEnum):
    """State of a job."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"


class JobRow(Model):
    """One job."""

    job_id: JobId
    kind: JobKind
    status: JobStatus
    payload: dict[str, JsonValue]
    progress: dict[str, JsonValue] | None = None
    error: str | None = None
    created_at: UtcDatetime
    updated_at: UtcDatetime
    finished_at: UtcDatetime | None = None


class JobFilter(Model):
    """Filter of jobs; None does not filter."""

    kind: JobKind | None = None
    status: JobStatus | None = None
    limit: int = Field(default=100, ge=1)


EvalRunId = NewType("EvalRunId", str)


class EvalRun(Model):
    """One run of a suite with everything needed to repeat it."""

    run_id: EvalRunId
    suite: str
    config_snapshot: dict[str, JsonValue]
    aggregate: dict[str, JsonValue]
    commit_hash: str | None = None
    created_at: UtcDatetime


class EvalQueryResult(Model):
    """One query of a run."""

    run_id: EvalRunId
    query_id: str
    result: dict[str, JsonValue] = Field(default_factory=dict)
