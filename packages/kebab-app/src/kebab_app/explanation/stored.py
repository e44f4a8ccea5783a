"""What a file became in the index: its document, its passages, their vectors."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    Chunk,
    ChunkId,
    DatabaseCorruptError,
    IndexedChunk,
    IndexedDocument,
    SourceId,
    StorageError,
    TrackedFile,
)
from kebab_search import build_citation
from kebab_wire import WhyDocumentV1, WhyPassageV1

from kebab_app.external_documents import EXTERNAL_FOLDER
from kebab_app.freshness import Change, Freshness

if TYPE_CHECKING:
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase

_TIME = "%Y-%m-%d %H:%M"


class Stored(NamedTuple):
    """A document with its passages.

    Attributes:
        document: What is stored of it.
        chunks: Its passages, in order.
        change: What is known to have become of its file.
        embedded: Those with vectors; None where no model is configured.
        warnings: What its parser warned of.
    """

    document: IndexedDocument
    chunks: tuple[Chunk, ...]
    change: Change | None
    embedded: frozenset[ChunkId] | None
    warnings: tuple[str, ...] = ()

    @property
    def pending(self) -> int:
        """How many passages wait for vectors."""
        return 0 if self.embedded is None else len(self.chunks) - len(self.embedded)


def read_stored(base: KnowledgeBase, tracked: TrackedFile) -> Stored | None:
    """Return what is stored of a file; None if it has gone just now."""
    document = base.documents.get_indexed_document(tracked.doc_id)
    if document is None:
        return None
    chunks = tuple(base.documents.list_chunks(tracked.doc_id))
    change = Freshness(base).find_change(tracked.source_id, tracked.workspace_path)
    whole = base.documents.get_document(tracked.doc_id)
    return Stored(
        document,
        chunks,
        change,
        _embedded(base, [chunk.chunk_id for chunk in chunks]),
        whole.provenance.warnings if whole else (),
    )


def tell_stored(base: KnowledgeBase, stored: Stored, way: Way, *, place: Path) -> None:
    """Note what is in the index of a file, and how far that is what is on disk, where it lies."""
    if stored.change is None and os.path.lexists(place) and not os.access(place, os.R_OK):
        _tell_locked(stored, place, way)
    else:
        _tell_file(base, stored, way)
    _tell_index(stored, way)
    _tell_vectors(base, stored, way)
    for warning in stored.warnings:
        way.remark("index", f"it was read with a warning: {warning}")


def wire_document(base: KnowledgeBase, stored: Stored) -> WhyDocumentV1:
    """Return the document for the wire."""
    document = stored.document
    return WhyDocumentV1(
        doc_id=document.doc_id,
        title=document.title,
        lang=document.lang,
        media=document.media,
        indexed_at=document.indexed_at,
        stale=base.is_stale(document) or stored.change is not None,
        change=stored.change.value if stored.change else None,
        is_external=is_external(document),
        passage_count=len(stored.chunks),
        embedded_count=None if stored.embedded is None else len(stored.embedded),
    )


def wire_passage(stored: Stored, chunk: Chunk) -> WhyPassageV1:
    """Return a passage for the wire, without what a query says of it."""
    return WhyPassageV1.model_validate(
        {
            "chunk_id": chunk.chunk_id,
            "ordinal": chunk.ordinal,
            "heading_path": chunk.heading_path,
            "uri": build_citation(IndexedChunk(chunk=chunk, document=stored.document)).to_uri(),
            "source_spans": chunk.source_spans,
            "token_estimate": chunk.token_estimate,
            "has_vector": None if stored.embedded is None else chunk.chunk_id in stored.embedded,
        },
        from_attributes=True,
    )


def is_external(document: IndexedDocument) -> bool:
    """Return whether a document was given to kebab by name or as text."""
    return document.doc_path.startswith(f"{EXTERNAL_FOLDER}/")


def _embedded(base: KnowledgeBase, chunk_ids: list[ChunkId]) -> frozenset[ChunkId] | None:
    """Return which passages have vectors of the model that was last asked for any: to ask the model takes seconds."""
    if not base.wants_vectors:
        return None
    latest = base.embeddings.latest_model() if base.has_vectors else None
    if latest is None:
        return frozenset()
    try:
        lost = base.lost_vectors.find(latest, repo=base.embeddings, store=base.vectors)
    except DatabaseCorruptError:
        return frozenset()
    except StorageError:  # kept from being read, which is not lost
        lost = frozenset()
    return base.embeddings.find_committed(latest, chunk_ids) - lost


def _tell_file(base: KnowledgeBase, stored: Stored, way: Way) -> None:
    document = stored.document
    if stored.change is Change.GONE:
        _tell_gone(base, stored, way)
    elif stored.change is Change.EDITED or document.changed_on_disk:
        way.remark(
            "file",
            f"it has changed on disk since it was indexed ({document.indexed_at:{_TIME}} UTC); the older version is found",
            fix="kebab ingest",
        )
    elif base.is_stale(document):
        way.remark("file", "its source was last scanned too long ago to be relied on", fix="kebab ingest")
    elif is_external(document):
        way.go_on(
            "file",
            f"as it was given at {document.indexed_at:{_TIME}} UTC: what is indexed is a copy, and later changes of the "
            "original are seen only when it is given again",
        )
    else:
        way.go_on("file", f"as it was indexed at {document.indexed_at:{_TIME}} UTC")


def _tell_locked(stored: Stored, place: Path, way: Way) -> None:
    way.remark(
        "file",
        "it cannot be read, so that nobody knows whether it has changed; what was indexed at "
        f"{stored.document.indexed_at:{_TIME}} UTC is found",
        fix=f"check the permissions of the file; then kebab ingest {shlex.quote(str(place))}",
    )


def _tell_gone(base: KnowledgeBase, stored: Stored, way: Way) -> None:
    if _count_held(base, stored.document.source_id):
        way.remark(
            "file",
            "it is gone from disk and marked for removal, which is held because so many files went at once",
            fix="bring the files back and run kebab ingest, or let them go with kebab ingest --prune",
        )
    else:
        way.remark(
            "file",
            "it is gone from disk; the index has it until the next run removes it",
            fix="kebab ingest removes it; put the file back to keep it",
        )


def _count_held(base: KnowledgeBase, source_id: SourceId) -> int:
    """Return how many documents of a source its last scan kept although their files seem gone."""
    return sum(scan.documents_held for scan in base.documents.list_scans() if scan.source_id == source_id)


def _tell_index(stored: Stored, way: Way) -> None:
    document, count = stored.document, len(stored.chunks)
    if not count:
        way.stop(
            "no_passages",
            "index",
            f"document {document.doc_id} has no passage: there is no text in the file",
            fix="write something into it; then kebab ingest",
        )
        return
    passages = "1 passage" if count == 1 else f"{count} passages"
    way.go_on("index", f"document {document.doc_id} ({document.media}, {document.lang}), {passages}")


def _tell_vectors(base: KnowledgeBase, stored: Stored, way: Way) -> None:
    if stored.embedded is None:
        way.go_on("vectors", "no embedding model is configured; it is found by words")
    elif stored.pending:
        way.remark(
            "vectors",
            f"{stored.pending} of {len(stored.chunks)} passages wait for vectors; words find them already",
            fix=base.advise_on_vectors(),
        )
    elif stored.chunks:
        way.go_on("vectors", "every passage has one")
