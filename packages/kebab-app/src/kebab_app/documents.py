"""Documents as they are stored: listed, inspected, found by address, and fetched word for word."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    ChunkId,
    ChunkNotFoundError,
    DocFilter,
    DocumentId,
    DocumentNotFoundError,
    IndexedChunk,
    Message,
    Remedy,
    SearchFilters,
    SourceId,
    TokenCounter,
)
from kebab_documents import AddressLookup, DocumentReader, FilePlace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_core import (
        DocSummary,
        DocumentEntry,
        FetchQuery,
        FetchResult,
        NamedCount,
    )
    from kebab_documents import Facet, FoundAddress, FoundName, Grouping, LiteralResult, RelatedDocuments

    from kebab_app.knowledge_base import KnowledgeBase


def fetch(base: KnowledgeBase, query: FetchQuery) -> FetchResult:
    """Read stored text. See `kebab_documents.DocumentReader.fetch`."""
    return build_reader(base).fetch(query)


def find_address(base: KnowledgeBase, text: str, *, files: bool = True) -> FoundAddress:
    """Find what an address names, which must be there. See `kebab_documents.AddressLookup.find`.

    Args:
        base: The knowledge base.
        text: The address.
        files: Whether a path is looked up on disk, too, as far as `base.files` allows.
    """
    found = build_lookup(base, files=files).find(text)
    build_reader(base).require_part(found)
    return found


def build_lookup(base: KnowledgeBase, *, files: bool = True) -> AddressLookup:
    """Build the lookup of addresses in the sources and the index of a knowledge base."""
    base.open_for_reading()
    files = files and base.files
    return AddressLookup(
        documents=base.index.documents,
        index=base.index.terms,
        source_ids=[*base.source_roots],
        find_file=lambda text: _find_places(base, text, files=files),
        files=files,
        find_near=lambda text: [one.entry.to_address() for one in find_names(base, _stem(text), limit=3)],
    )


def _stem(text: str) -> str:
    return text.rpartition("/")[2].removesuffix(".md")


def _find_places(base: KnowledgeBase, text: str, *, files: bool) -> Sequence[FilePlace]:
    """Find the parts of sources that a file is, one without a source for a file outside of all.

    Args:
        base: The knowledge base.
        text: The path.
        files: Whether to look at the disk, where the file must exist then; without, only parts of sources are found.
    """
    from kebab_ingest import find_parts

    path = Path(os.path.expanduser(text))  # noqa: PTH111 - leaves the name of an unknown user as it is
    if not files:
        parts = find_parts(base.targets, path, files=False) if path.is_absolute() else ()
        return [FilePlace(SourceId(each.source.id), each.under) for each in parts]
    try:
        if not text.strip() or not os.path.isfile(path):  # noqa: PTH113 - does not raise where looking is forbidden
            return ()
    except ValueError:  # a NUL in the name
        return ()
    parts = find_parts(base.targets, path)
    return [FilePlace(SourceId(each.source.id), each.under) for each in parts] or [FilePlace(None, None)]


def build_reader(base: KnowledgeBase) -> DocumentReader:
    """Build the reader of stored text."""
    base.open_for_reading()
    return DocumentReader(
        documents=base.index.documents,
        lookup=build_lookup(base),
        refresh=base.open_disk_files().mark_changed,
        now=base.clock.now(),
        stale_threshold_days=base.loaded.settings.search.stale_threshold_days,
        count_tokens=TokenCounter().count,
        chunk_cost=base.chunk_cost,
    )


def list_documents(base: KnowledgeBase, criteria: DocFilter) -> list[DocSummary]:
    """List documents in the order of the criteria; `changed_on_disk` is also set where a file has changed or is gone."""
    base.open_for_reading()
    files = base.open_disk_files()
    return [files.mark_changed(summary) for summary in base.index.documents.list_documents(criteria)]


def find_names(base: KnowledgeBase, name: str, *, limit: int) -> list[FoundName]:
    """Find documents by name. See `kebab_documents.NameIndex`."""
    return base.names.find(name, limit=limit)


def find_near_filters(base: KnowledgeBase, criteria: SearchFilters) -> dict[str, str]:
    """Find the nearest existing values for misspelt values of filters. See `kebab_diagnose.find_near_values`."""
    from kebab_diagnose import find_near_values

    return find_near_values(
        criteria, _used(criteria), documents=base.index.documents, roots=base.source_roots
    )


def list_filter_values(base: KnowledgeBase, criteria: SearchFilters) -> dict[str, tuple[str, ...]]:
    """List existing values for values of filters that nothing has or is near to. See `kebab_diagnose.list_values`."""
    from kebab_diagnose import list_values

    return list_values(criteria, _used(criteria), documents=base.index.documents, roots=base.source_roots)


def _used(criteria: SearchFilters) -> list[str]:
    return [name for name in SearchFilters.model_fields if getattr(criteria, name)]


def find_literal(
    base: KnowledgeBase, text: str, criteria: SearchFilters, *, limit: int | None = None
) -> LiteralResult:
    """Find documents that have a text as it is written; rows of tables of the first `limit` come with their header rows.

    See `kebab_documents.find_literal`.
    """
    from kebab_documents import find_literal as find, name_columns

    entries, documents = _list_entries(base, criteria), base.index.documents
    result = find(text, entries, documents)
    named = [
        name_columns(each, documents.list_chunks(each.entry.doc_id)) for each in result.documents[:limit]
    ]
    return result._replace(documents=(*named, *result.documents[len(named) :]))


def find_related(base: KnowledgeBase, address: str, *, limit: int) -> RelatedDocuments:
    """Find documents related to what an address names. See `kebab_documents.RelatedFinder`."""
    from kebab_documents import RelatedFinder

    found = find_address(base, address)
    finder = RelatedFinder(
        documents=base.index.documents,
        links=base.links,
        embeddings=base.index.embeddings if base.has_vectors else None,
        vectors=base.vectors if base.has_vectors else None,
        index=base.index.terms,
        analyzer=base.analyzer,
    )
    return finder.find(found, limit=limit)


def count_documents(base: KnowledgeBase, by: Grouping | Facet, criteria: SearchFilters) -> list[NamedCount]:
    """Count the documents that pass filters by tag, folder, source, medium or language. See `kebab_documents.count_documents`."""
    from kebab_documents import count_documents as count

    return count(_list_entries(base, criteria), by)


def _list_entries(base: KnowledgeBase, criteria: SearchFilters) -> list[DocumentEntry]:
    base.open_for_reading()
    passing = base.index.documents.resolve_filters(criteria)
    return [
        entry for entry in base.index.documents.list_entries() if passing is None or entry.doc_id in passing
    ]


def inspect_document(base: KnowledgeBase, doc_id: DocumentId) -> CanonicalDocument:
    """Return a document with its blocks, as it was parsed, under the title that is shown.

    Raises:
        DocumentNotFoundError: No such document.
    """
    document, indexed = (
        base.index.documents.get_document(doc_id),
        base.index.documents.get_indexed_document(doc_id),
    )
    if document is None or indexed is None:
        raise DocumentNotFoundError(
            "no document has the id {doc_id}", remedy=Remedy(kind="list_documents"), doc_id=str(doc_id)
        )
    return document.model_copy(update={"title": indexed.shown_title})


def inspect_chunk(base: KnowledgeBase, chunk_id: ChunkId) -> IndexedChunk:
    """Return a chunk with its document, as it is stored.

    Raises:
        ChunkNotFoundError: No such chunk.
    """
    chunks = base.index.documents.get_chunks([chunk_id])
    if not chunks:
        raise ChunkNotFoundError(
            "no chunk has the id {chunk_id}",
            remedy=Remedy(advice=Message("search again: ids change when a document or its chunking changes")),
            chunk_id=str(chunk_id),
        )
    return chunks[0]
