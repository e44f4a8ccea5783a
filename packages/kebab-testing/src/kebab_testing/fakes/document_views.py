"""What a store shows of a document instead of the document."""

from __future__ import annotations

from kebab_core import CompletedScan, DocSummary, DocumentRecord, IndexedDocument, TrackedFile


def tracked_file_of(record: DocumentRecord, *, failed: bool) -> TrackedFile:
    """Return what is known of a document's file."""
    document = record.document
    return TrackedFile(
        doc_id=document.doc_id,
        source_id=document.source_id,
        workspace_path=document.workspace_path,
        disk_path=record.disk_path,
        checksum=record.asset.checksum,
        stamp=record.stamp,
        fingerprint=record.fingerprint,
        failed=failed,
    )


def indexed_document_of(
    record: DocumentRecord, *, scan: CompletedScan | None, failed: bool
) -> IndexedDocument:
    """Return a document without its blocks. `scan` is the last complete one of its source."""
    document, metadata = record.document, record.document.metadata
    return IndexedDocument(
        doc_id=document.doc_id,
        source_id=document.source_id,
        doc_path=document.workspace_path,
        title=document.title,
        lang=document.lang,
        media=record.asset.media_type.kind,
        source_type=metadata.source_type,
        trust_level=metadata.trust_level,
        repo=metadata.repo,
        code_lang=metadata.code_lang,
        indexed_at=record.indexed_at,
        last_complete_scan_at=None if scan is None else scan.completed_at,
        changed_on_disk=failed,
    )


def summary_of(record: DocumentRecord, indexed: IndexedDocument) -> DocSummary:
    """Return a document's line of a listing."""
    metadata = record.document.metadata
    return DocSummary(
        **indexed.model_dump(exclude={"repo", "code_lang"}),
        tags=metadata.tags,
        byte_len=record.stamp.byte_len,
        chunk_count=len(record.chunks),
        created_at=metadata.created_at,
        updated_at=metadata.updated_at,
        parser_version=record.document.parser_version,
        chunker_version=record.chunker_version,
    )
