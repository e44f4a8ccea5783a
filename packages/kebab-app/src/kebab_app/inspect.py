"""Looking at what is stored, as it is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    ChunkId,
    ChunkNotFoundError,
    DocumentId,
    DocumentNotFoundError,
    IndexedChunk,
)

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def inspect_document(base: KnowledgeBase, doc_id: DocumentId) -> CanonicalDocument:
    """Return a document with its blocks.

    Raises:
        DocumentNotFoundError: No such document.
    """
    document = base.documents.get_document(doc_id)
    if document is None:
        raise DocumentNotFoundError(
            f"no document has the id {doc_id}", hint="kebab list docs", doc_id=str(doc_id)
        )
    return document


def inspect_chunk(base: KnowledgeBase, chunk_id: ChunkId) -> IndexedChunk:
    """Return a chunk with its document.

    Raises:
        ChunkNotFoundError: No such chunk.
    """
    chunks = base.documents.get_chunks([chunk_id])
    if not chunks:
        raise ChunkNotFoundError(
            f"no chunk has the id {chunk_id}",
            hint="search again: ids change when a document or the way it is cut changes",
            chunk_id=str(chunk_id),
        )
    return chunks[0]
