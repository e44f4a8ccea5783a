"""A parsed document: what every parser produces and every chunker takes."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, JsonValue

from kebab_core.asset import RawAsset, SourceId, WorkspacePath
from kebab_core.block import Block
from kebab_core.document_kinds import SourceType, TrustLevel
from kebab_core.ids import DEFAULT_SOURCE_ID, AssetId, DocumentId
from kebab_core.model import Model, UtcDatetime
from kebab_core.versions import ParserVersion

DOCUMENT_SCHEMA_VERSION = 1
"""Shape of `CanonicalDocument` as it is stored."""


class ProvenanceKind(StrEnum):
    """What happened to a document on its way into the index."""

    DISCOVERED = "discovered"
    PARSED = "parsed"
    NORMALIZED = "normalized"
    CHUNKED = "chunked"
    OCR_APPLIED = "ocr_applied"
    CAPTION_APPLIED = "caption_applied"
    TRANSCRIBED = "transcribed"
    EMBEDDED = "embedded"
    INDEXED = "indexed"
    WARNING = "warning"
    ERROR = "error"


class ProvenanceEvent(Model):
    """One step, by which part of kebab, with a remark where there is something to say."""

    at: UtcDatetime
    agent: str
    kind: ProvenanceKind
    note: str | None = None


class Provenance(Model):
    """Everything that happened to a document, in order."""

    events: tuple[ProvenanceEvent, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes of all warnings, in order."""
        return tuple(e.note or "" for e in self.events if e.kind is ProvenanceKind.WARNING)


class Metadata(Model):
    """What is known about a document besides its content."""

    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created_at: UtcDatetime
    """Front matter, else the file's time."""
    updated_at: UtcDatetime
    """Front matter, else the file's time."""
    source_type: SourceType
    trust_level: TrustLevel = TrustLevel.PRIMARY
    user_id_alias: str | None = None
    user: dict[str, JsonValue] = Field(default_factory=dict)
    """Front-matter keys that kebab gives no meaning to, as they were."""
    repo: str | None = None
    git_branch: str | None = None
    git_commit: str | None = None
    code_lang: str | None = None


class CanonicalDocument(Model):
    """A document's blocks in reading order, all text in NFC, all lines as in the source file."""

    doc_id: DocumentId
    source_asset_id: AssetId
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    workspace_path: WorkspacePath
    title: str
    lang: str
    """BCP 47 primary tag, `und` where it is not known."""
    blocks: tuple[Block, ...]
    metadata: Metadata
    provenance: Provenance
    parser_version: ParserVersion
    schema_version: int = DOCUMENT_SCHEMA_VERSION
    doc_version: int = Field(default=1, ge=1)
    """How many times this path has been ingested with new content; the store counts it."""
    indexed_at: UtcDatetime | None = None
    """When its content was last processed; None until it is stored."""


class ExtractContext(Model):
    """All an extractor may know beside the bytes."""

    asset: RawAsset
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    trust_level: TrustLevel | None = None
    """The most that the source is trusted with; front matter may only lower it."""
    source_type: SourceType | None = None
    """The source's default; front matter wins."""
    file_created_at: UtcDatetime
    file_modified_at: UtcDatetime
    extracted_at: UtcDatetime
    """Stamp for provenance events."""
    discovered_by: str = "kebab"
    """The part of kebab that found the file; agent of the first provenance event."""
