"""Documents as they are stored: listed, inspected, and fetched word for word.

Text is read from the stored asset as decoded, so that a line number means the same in a citation, in `fetch` and in the
user's editor.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    ChunkId,
    ChunkNotFoundError,
    DocumentId,
    DocumentNotFoundError,
    FetchChunk,
    FetchDocument,
    FetchQuery,
    FetchResult,
    FetchSpan,
    IndexedChunk,
    IndexedDocument,
    InvalidInputError,
    SpanNotSupportedError,
)

from kebab_app.freshness import Freshness
from kebab_app.wiring import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_core import DocFilter, DocSummary

    from kebab_app.knowledge_base import KnowledgeBase


_WITHOUT_LINES = frozenset({"pdf", "audio"})
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")


def fetch(base: KnowledgeBase, query: FetchQuery) -> FetchResult:
    """Read a chunk with its neighbours, a document, or some of its lines.

    Args:
        base: The knowledge base.
        query: The text to read.

    Returns:
        The text, or the chunk with its neighbours.

    Raises:
        ChunkNotFoundError: No such chunk.
        DocumentNotFoundError: No such document.
        SpanNotSupportedError: Lines of a document that has none.
        InvalidInputError: A span that ends before it starts.
        StorageError: The stored content cannot be read.
    """
    match query:
        case FetchChunk():
            return _fetch_chunk(base, query)
        case FetchDocument():
            return _fetch_document(base, query)
        case FetchSpan():
            return _fetch_span(base, query)


def require_document(base: KnowledgeBase, doc_id: DocumentId) -> IndexedDocument:
    """Return a document without its blocks; `changed_on_disk` is also set where its file has changed or is gone.

    Raises:
        DocumentNotFoundError: No such document.
    """
    document = base.documents.get_indexed_document(doc_id)
    if document is None:
        raise DocumentNotFoundError(
            f"no document has the id {doc_id}", hint="kebab list docs", doc_id=str(doc_id)
        )
    return Freshness(base).apply(document)


def list_documents(base: KnowledgeBase, criteria: DocFilter) -> list[DocSummary]:
    """List documents by source and path; `changed_on_disk` is also set where a file has changed or is gone."""
    freshness = Freshness(base)
    return [freshness.apply(summary) for summary in base.documents.list_documents(criteria)]


def inspect_document(base: KnowledgeBase, doc_id: DocumentId) -> CanonicalDocument:
    """Return a document with its blocks, as it was parsed.

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
    """Return a chunk with its document, as it is stored.

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


def _fetch_chunk(base: KnowledgeBase, query: FetchChunk) -> FetchResult:
    around = base.documents.neighbours(query.chunk_id, query.context)
    found = _refresh(base, base.documents.get_chunks([chunk.chunk_id for chunk in around]))
    target = next((c for c in found if c.chunk.chunk_id == query.chunk_id), None)
    if target is None:
        raise ChunkNotFoundError(
            f"no chunk has the id {query.chunk_id}",
            hint="search again: ids change when a document or the way it is cut changes",
            chunk_id=str(query.chunk_id),
        )
    neighbours = _neighbours(found, target, before=True), _neighbours(found, target, before=False)
    kept, (before, after), truncated = _cut_chunks(
        target, *neighbours, query.max_tokens, cost=base.chunk_cost
    )
    return FetchResult(
        kind="chunk",
        document=target.document,
        stale=base.is_stale(target.document),
        chunk=kept,
        context_before=before,
        context_after=after,
        truncated=truncated,
    )


def _cut_chunks(
    target: IndexedChunk,
    before: tuple[IndexedChunk, ...],
    after: tuple[IndexedChunk, ...],
    max_tokens: int | None,
    *,
    cost: Callable[[IndexedChunk], int],
) -> tuple[IndexedChunk, tuple[tuple[IndexedChunk, ...], tuple[IndexedChunk, ...]], bool]:
    """Cut the neighbours of a chunk, the farthest first, and the chunk itself where it alone exceeds the budget.

    Returns:
        The chunk, its neighbours before and after, and True where something was cut.
    """
    if max_tokens is None:
        return target, (before, after), False
    text, truncated = _cut(target.chunk.text, max_tokens)
    if truncated:
        cut = target.model_copy(update={"chunk": target.chunk.model_copy(update={"text": text})})
        return cut, ((), ()), True
    left = max_tokens - count_tokens(text)
    here = target.chunk.ordinal
    kept: set[int] = set()
    for near in sorted((*before, *after), key=lambda each: abs(each.chunk.ordinal - here)):
        left -= cost(near)
        if left < 0:
            break
        kept.add(near.chunk.ordinal)
    kept_neighbours = (
        tuple(each for each in before if each.chunk.ordinal in kept),
        tuple(each for each in after if each.chunk.ordinal in kept),
    )
    return target, kept_neighbours, len(kept) < len(before) + len(after)


def _refresh(base: KnowledgeBase, chunks: list[IndexedChunk]) -> list[IndexedChunk]:
    freshness = Freshness(base)
    return [chunk.model_copy(update={"document": freshness.apply(chunk.document)}) for chunk in chunks]


def _neighbours(found: list[IndexedChunk], target: IndexedChunk, *, before: bool) -> tuple[IndexedChunk, ...]:
    here = target.chunk.ordinal
    return tuple(c for c in found if c.chunk.ordinal != here and (c.chunk.ordinal < here) is before)


def _fetch_document(base: KnowledgeBase, query: FetchDocument) -> FetchResult:
    document = require_document(base, query.doc_id)
    text, truncated = _cut(_read_text(base, document), query.max_tokens)
    return FetchResult(
        kind="doc", document=document, stale=base.is_stale(document), text=text, truncated=truncated
    )


def _fetch_span(base: KnowledgeBase, query: FetchSpan) -> FetchResult:
    if query.line_end < query.line_start:
        raise InvalidInputError(
            f"the span ends at line {query.line_end}, before it starts at {query.line_start}",
            hint=f"kebab fetch span {query.doc_id} {query.line_end} {query.line_start}",
        )
    document = require_document(base, query.doc_id)
    if document.media in _WITHOUT_LINES:
        raise SpanNotSupportedError(
            f"{document.doc_path} is {document.media} and has no lines",
            hint=f"kebab fetch doc {query.doc_id}",
            media=document.media,
        )
    lines = split_lines(_read_text(base, document))[query.line_start - 1 : query.line_end]
    text, truncated = _cut("".join(lines), query.max_tokens)
    kept = len(split_lines(text))
    return FetchResult(
        kind="span",
        document=document,
        stale=base.is_stale(document),
        text=text,
        line_start=query.line_start,
        line_end=query.line_end,
        effective_end=query.line_start - 1 + kept,
        truncated=truncated,
    )


def _read_text(base: KnowledgeBase, document: IndexedDocument) -> str:
    from kebab_parse_md import decode_text

    asset = base.documents.get_asset(document.doc_id)
    if asset is None:
        raise DocumentNotFoundError(f"no document has the id {document.doc_id}", hint="kebab list docs")
    return decode_text(base.assets.read_asset(asset.asset_id)).text


def split_lines(text: str) -> list[str]:
    r"""Split a text into lines at `\r\n`, `\n` and `\r` only, as Markdown does; line ends stay on their lines."""
    return [line for line in _LINE.findall(text) if line]


def _cut(text: str, max_tokens: int | None) -> tuple[str, bool]:
    """Cut a text to the longest prefix of at most `max_tokens`; the second value is True where it was cut.

    Counts a few times as much text as it returns, however long `text` is.
    """
    if max_tokens is None:
        return text, False
    low, high = 0, max_tokens
    while count_tokens(text[:high]) <= max_tokens:
        if high >= len(text):
            return text, False
        low, high = high, 2 * high
    high = min(high, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low], True
