"""The steps `file`, `index` and `vectors` of an explanation: the document of a file, its passages, their vectors."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import IndexedChunk, Message, Moment, ProvenanceKind, Remedy, build_citation
from kebab_ingest import is_file_copy

from kebab_diagnose.explanation import DocumentState, PassageState
from kebab_diagnose.storage_checks import restore_or_prune

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_core import (
        CanonicalDocument,
        Chunk,
        ChunkId,
        IndexedDocument,
        PicturePage,
        TrackedFile,
    )

    from kebab_diagnose.access import IndexAccess
    from kebab_diagnose.explanation import ExplanationTrace, FileChange


@dataclass(frozen=True, kw_only=True)
class StoredDocument:
    """A document with its passages."""

    document: IndexedDocument
    chunks: tuple[Chunk, ...]
    """In order."""
    change: FileChange | None
    """Known change of the file since."""
    embedded: frozenset[ChunkId] | None
    """Passages with vectors; None where no model is configured."""
    is_stale: bool
    is_external: bool
    warnings: tuple[str, ...]
    normalizations: tuple[str, ...]
    """What its parser left out or changed on purpose."""
    parser_version: str | None
    """Of the parser."""

    @property
    def pending(self) -> int:
        """Number of passages without a vector that are to get one."""
        return 0 if self.embedded is None else len(self.chunks) - len(self.embedded)

    @property
    def state(self) -> DocumentState:
        """The document as explanations carry it."""
        document = self.document
        return DocumentState(
            doc_id=document.doc_id,
            title=document.shown_title,
            lang=document.lang,
            media=document.media,
            indexed_at=document.indexed_at,
            stale=self.is_stale or self.change is not None,
            change=self.change,
            is_external=self.is_external,
            passage_count=len(self.chunks),
            embedded_count=None if self.embedded is None else len(self.embedded),
        )


@dataclass(frozen=True)
class IndexExplanation:
    """Explains by the stored document whether a file can be found, and how current that is.

    Args:
        index: The index.
        trace: Gets the steps.
    """

    index: IndexAccess
    trace: ExplanationTrace

    def read(self, tracked: TrackedFile) -> StoredDocument | None:
        """Read the document of a file; None if it was removed just now."""
        documents = self.index.documents
        document = documents.get_indexed_document(tracked.doc_id)
        if document is None:
            return None
        chunks = tuple(documents.list_chunks(tracked.doc_id))
        whole = documents.get_document(tracked.doc_id)
        return StoredDocument(
            document=document,
            chunks=chunks,
            change=self.index.disk_files.find_change(tracked.source_id, tracked.workspace_path),
            embedded=self.index.find_embedded([chunk.chunk_id for chunk in chunks]),
            is_stale=document.is_stale(now=self.index.now, threshold_days=self.index.stale_threshold_days),
            is_external=is_file_copy(document.source_id, document.doc_path),
            warnings=whole.provenance.warnings if whole else (),
            normalizations=_list_normalizations(whole) if whole else (),
            parser_version=whole.parser_version if whole else None,
        )

    def explain(self, stored: StoredDocument, path: Path) -> None:
        """Add the steps.

        Args:
            stored: The document.
            path: Where its file lies.
        """
        if stored.change is None and os.path.lexists(path) and not os.access(path, os.R_OK):
            self._explain_locked(stored, path)
        elif stored.change == "gone":
            self._explain_gone(stored)
        else:
            self._explain_file(stored)
        pages = self.index.pictures.explain(stored.document, self.trace, path=path)
        self._explain_passages(stored, pages)
        self._explain_vectors(stored)
        for change in stored.normalizations:
            self.trace.ok("index", Message("when it was read, {change}", change=change))
        for warning in stored.warnings:
            self.trace.note("index", Message("it was read with a warning: {warning}", warning=warning))

    def passages(self, stored: StoredDocument) -> tuple[PassageState, ...]:
        """Describe the passages of a document, without a query."""
        return tuple(
            PassageState(
                chunk_id=chunk.chunk_id,
                ordinal=chunk.ordinal,
                heading_path=chunk.heading_path,
                uri=build_citation(IndexedChunk(chunk=chunk, document=stored.document)).to_uri(),
                source_spans=chunk.source_spans,
                token_estimate=chunk.token_estimate,
                has_vector=None if stored.embedded is None else chunk.chunk_id in stored.embedded,
            )
            for chunk in stored.chunks
        )

    def _explain_file(self, stored: StoredDocument) -> None:
        at = Moment(stored.document.indexed_at)
        if stored.change == "edited" or stored.document.changed_on_disk:
            detail = Message(
                "it has changed on disk since it was indexed ({at}); search finds the older version", at=at
            )
            self.trace.note("file", detail, remedy=Remedy(kind="ingest"))
        elif stored.is_stale:
            detail = Message("its source was last scanned too long ago to be relied on")
            self.trace.note("file", detail, remedy=Remedy(kind="ingest"))
        elif stored.is_external:
            self.trace.ok(
                "file",
                Message(
                    "as it was given at {at}: what is indexed is a copy, and later changes of the original "
                    "are seen only when it is given again",
                    at=at,
                ),
            )
        else:
            self.trace.ok("file", Message("as it was indexed at {at}", at=at))

    def _explain_locked(self, stored: StoredDocument, path: Path) -> None:
        at = Moment(stored.document.indexed_at)
        detail = Message(
            "it cannot be read, so it may have changed; search finds the version indexed at {at}",
            at=at,
        )
        remedy = Remedy(kind="check_permissions", path=str(path), then=Remedy(kind="ingest", path=str(path)))
        self.trace.note("file", detail, remedy=remedy)

    def _explain_gone(self, stored: StoredDocument) -> None:
        source_id = stored.document.source_id
        scans = self.index.source_files.list_scans()
        if sum(scan.documents_held for scan in scans if scan.source_id == source_id):
            detail = Message(
                "it is gone from disk and marked for removal, which is held because so many files went at once"
            )
            remedy = restore_or_prune()
        else:
            detail = Message("it is gone from disk; the index has it until the next run removes it")
            remedy = Remedy(kind="ingest", otherwise=Remedy(advice=Message("put it back")))
        self.trace.note("file", detail, remedy=remedy)

    def _explain_passages(self, stored: StoredDocument, pages: Sequence[PicturePage]) -> None:
        document, count = stored.document, len(stored.chunks)
        if not count:
            detail = Message(
                "document {doc_id} has no passage: there is no text in the file", doc_id=document.doc_id
            )
            remedy = Remedy(advice=Message("write something into it"), then=Remedy(kind="ingest"))
            if any(page.engine_key is None for page in pages):
                remedy = next(step.remedy for step in reversed(self.trace.steps) if step.remedy)
            elif pages:
                remedy = Remedy(
                    advice=Message("scan it again, larger or sharper"), then=Remedy(kind="ingest")
                )
            self.trace.stop("no_passages", "index", detail, remedy=remedy)
            return
        detail = Message(
            "document {doc_id} ({media}, {lang}), {count} passage",
            plural="document {doc_id} ({media}, {lang}), {count} passages",
            doc_id=document.doc_id,
            media=document.media,
            lang=document.lang,
            count=count,
        )
        self.trace.ok("index", detail)
        if document.media == "code" and stored.parser_version is not None:
            read = Message(
                "read by {parser}, cut by {chunker}",
                parser=stored.parser_version,
                chunker=stored.chunks[0].chunker_version,
            )
            self.trace.ok("index", read)

    def _explain_vectors(self, stored: StoredDocument) -> None:
        if stored.embedded is None:
            self.trace.ok(
                "vectors", Message("no embedding model is configured; only full-text search finds it")
            )
        elif stored.pending:
            detail = Message(
                "{pending} of {passages} passages have no vector yet; full-text search finds them already",
                pending=stored.pending,
                passages=len(stored.chunks),
            )
            self.trace.note("vectors", detail, remedy=self.index.vectors_advice)
        elif stored.chunks:
            self.trace.ok("vectors", Message("every passage has a vector"))
        models = self.index.find_growing_model()
        if stored.embedded is not None and models is not None:
            self.trace.ok(
                "vectors",
                Message(
                    "searches use {active} until every passage has a vector of {model}",
                    active=models[0].model_id,
                    model=models[1].model_id,
                ),
            )


def _list_normalizations(document: CanonicalDocument) -> tuple[str, ...]:
    events = document.provenance.events
    return tuple(event.note for event in events if event.kind is ProvenanceKind.NORMALIZED and event.note)
