"""Stored text of a document: its file as decoded, or what an extractor read of it; and the lines of a passage in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocumentNotFoundError, LineSpan, Remedy, StorageError
from kebab_text import split_lines

if TYPE_CHECKING:
    from kebab_core import DocumentId, DocumentStore, ExtractedText, IndexedChunk

_MAX_PASSAGE_CHARS = 20_000
"""Most characters of a passage that is read as it stands in the file; several share a longer one."""


def read_text(doc_id: DocumentId, documents: DocumentStore) -> str:
    """Read what was extracted of a document, or else its file. See `read_file_text` for the errors."""
    extracted = documents.get_text(doc_id)
    return extracted.text if extracted else read_file_text(doc_id, documents)


def read_stored_text(doc_id: DocumentId, documents: DocumentStore) -> ExtractedText:
    """Read the text of a document as `read_text` does, with its parts; a file has none."""
    from kebab_core import ExtractedText

    return documents.get_text(doc_id) or ExtractedText(text=read_file_text(doc_id, documents))


def read_passage(passage: IndexedChunk, documents: DocumentStore) -> str | None:
    """Read the lines of a passage as they stand in the file, without the white space around them.

    Returns:
        None where the document has no lines of its own, its stored content cannot be read, or lines that are
        shared with other passages are too long.
    """
    spans = [span for span in passage.chunk.source_spans if isinstance(span, LineSpan)]
    doc_id = passage.document.doc_id
    if not spans or documents.get_text(doc_id) is not None:
        return None
    try:
        lines = split_lines(read_file_text(doc_id, documents))
    except (DocumentNotFoundError, StorageError):  # the next ingest says so; the text of the passage is there
        return None
    text = "".join(lines[spans[0].start - 1 : spans[-1].end]).strip()
    return text if 0 < len(text) <= _MAX_PASSAGE_CHARS else None


def read_file_text(doc_id: DocumentId, documents: DocumentStore) -> str:
    """Read the decoded text of a document's file.

    Raises:
        DocumentNotFoundError: The document was removed or replaced since it was found.
        StorageError: The file cannot be read.
    """
    from kebab_parse import decode_text

    document = documents.get_indexed_document(doc_id)
    try:
        if document is not None and document.asset_id is not None:
            return decode_text(documents.read_asset(document.asset_id)).text
    except StorageError:
        if documents.get_indexed_document(doc_id) is not None:
            raise
    raise DocumentNotFoundError(
        "no document has the id {doc_id}", remedy=Remedy(kind="list_documents"), _doc_id=doc_id
    )
