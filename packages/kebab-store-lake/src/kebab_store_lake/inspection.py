"""Checks of a revision of a lake: numbers of rows, indexes, contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import CanonicalDocument, Chunk, KebabError

from kebab_store_lake.rows import StoredPassage, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_store_lake.revision import LakeRevision


def list_miscounted(revision: LakeRevision) -> list[str]:
    """Return the tables that have another number of rows than the head says, by name.

    Raises:
        StorageError: A table cannot be read.
    """
    head = revision.head
    documents, passages = revision.table("documents"), revision.table("passages")
    chunks = sum(row["chunk_count"] for row in documents.scan(["chunk_count"]))
    found = []
    if documents.count() != head.documents:
        found.append("documents")
    if not passages.count() == head.passages == chunks:
        found.append("passages")
    if sum(row["count"] for row in revision.table("vector_sums").scan(["count"])) != head.vectors:
        found.append("vector_sums")
    return found


def count_unindexed(revision: LakeRevision) -> int:
    """Count the passages that a full-text index does not have. Raises like `list_miscounted`."""
    passages = revision.table("passages")
    return passages.count_unindexed() if passages.count() else 0


def list_damaged(revision: LakeRevision) -> list[str]:
    """Read everything, and return the ids of documents and chunks that cannot be read or are not what they are named.

    Raises:
        StorageError: A file of a table is missing or damaged.
    """
    return [*_damaged_documents(revision), *_damaged_chunks(revision)]


def _damaged_documents(revision: LakeRevision) -> Iterator[str]:
    for row in revision.table("documents").scan(["doc_id", "document"]):
        try:
            document = CanonicalDocument.model_validate_json(unpack(row["document"]))
            is_whole = document.doc_id == row["doc_id"]
        except (KebabError, ValueError):
            is_whole = False
        if not is_whole:
            yield row["doc_id"]


def _damaged_chunks(revision: LakeRevision) -> Iterator[str]:
    columns = ["chunk_id", "content", *(["vector"] if revision.head.model else [])]
    for row in revision.table("passages").scan(columns):
        try:
            passage = StoredPassage.read(row["content"])
            chunk = Chunk.model_validate_json(unpack(passage.packed))
            is_whole = chunk.chunk_id == passage.chunk_id == row["chunk_id"]
        except (KebabError, ValueError):
            is_whole = False
        if not is_whole:
            yield row["chunk_id"]
