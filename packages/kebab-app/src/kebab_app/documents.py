"""Documents as they are stored: listed, inspected, and fetched word for word.

The text of a text file is its stored asset as decoded, so that a line number means the same in a citation, in `fetch`
and in the user's editor. The text of any other file is what its extractor read, as it is stored with the document; parts
of it are addressed as its citations are.
"""

from __future__ import annotations

from io import StringIO
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
    Remedy,
    SpanNotSupportedError,
    StorageError,
)

from kebab_app.wiring import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_core import DocFilter, DocSummary, ExtractedText, TextPart
    from kebab_rag import PassageReader

    from kebab_app.knowledge_base import KnowledgeBase


_UNITS = {"page": "pages", "region": "regions", "time": "times"}
"""Addresses of a document by the kind of span of its parts; a document without parts has lines."""


def fetch(base: KnowledgeBase, query: FetchQuery) -> FetchResult:
    """Read a chunk with its neighbours, a document, or a part of it.

    Args:
        base: The knowledge base.
        query: The text to read.

    Returns:
        The text, or the chunk with its neighbours.

    Raises:
        ChunkNotFoundError: No such chunk.
        DocumentNotFoundError: No such document.
        SpanNotSupportedError: Lines, a page or a time of a document that is not addressed so.
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
            "no document has the id {doc_id}", remedy=Remedy(kind="list_documents"), doc_id=str(doc_id)
        )
    return base.open_disk_files().mark_changed(document)


def list_documents(base: KnowledgeBase, criteria: DocFilter) -> list[DocSummary]:
    """List documents by source and path; `changed_on_disk` is also set where a file has changed or is gone."""
    files = base.open_disk_files()
    return [files.mark_changed(summary) for summary in base.documents.list_documents(criteria)]


def build_passage_reader(base: KnowledgeBase) -> PassageReader:
    """Build the reader of the passages that answers cite."""
    from kebab_rag import PassageReader

    return PassageReader(base.documents, lambda span: fetch(base, span).text or "")


def inspect_document(base: KnowledgeBase, doc_id: DocumentId) -> CanonicalDocument:
    """Return a document with its blocks, as it was parsed.

    Raises:
        DocumentNotFoundError: No such document.
    """
    document = base.documents.get_document(doc_id)
    if document is None:
        raise DocumentNotFoundError(
            "no document has the id {doc_id}", remedy=Remedy(kind="list_documents"), doc_id=str(doc_id)
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
            "no chunk has the id {chunk_id}", remedy=Remedy(kind="search_again"), chunk_id=str(chunk_id)
        )
    return chunks[0]


def _fetch_chunk(base: KnowledgeBase, query: FetchChunk) -> FetchResult:
    around = base.documents.neighbours(query.chunk_id, query.context)
    found = _refresh(base, base.documents.get_chunks([chunk.chunk_id for chunk in around]))
    target = next((c for c in found if c.chunk.chunk_id == query.chunk_id), None)
    if target is None:
        raise ChunkNotFoundError(
            "no chunk has the id {chunk_id}", remedy=Remedy(kind="search_again"), chunk_id=str(query.chunk_id)
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
    files = base.open_disk_files()
    return [chunk.model_copy(update={"document": files.mark_changed(chunk.document)}) for chunk in chunks]


def _neighbours(found: list[IndexedChunk], target: IndexedChunk, *, before: bool) -> tuple[IndexedChunk, ...]:
    here = target.chunk.ordinal
    return tuple(c for c in found if c.chunk.ordinal != here and (c.chunk.ordinal < here) is before)


def _fetch_document(base: KnowledgeBase, query: FetchDocument) -> FetchResult:
    document = require_document(base, query.doc_id)
    text, truncated = _cut(
        _read_text(base, document, base.documents.get_text(query.doc_id)), query.max_tokens
    )
    return FetchResult(
        kind="doc", document=document, stale=base.is_stale(document), text=text, truncated=truncated
    )


def _fetch_span(base: KnowledgeBase, query: FetchSpan) -> FetchResult:
    if query.line_start is not None and query.line_end is not None:
        return _fetch_lines(base, query, query.line_start, query.line_end)
    if (query.end_ms or 0) < (query.start_ms or 0):
        raise InvalidInputError(
            "the span ends at {end_ms} ms, before it starts at {start_ms}",
            remedy=Remedy(kind="order_times"),
            _end_ms=query.end_ms,
            _start_ms=query.start_ms,
        )
    document = require_document(base, query.doc_id)
    extracted = base.documents.get_text(query.doc_id)
    _require_unit(document, extracted, {"times"} if query.page is None else {"pages", "regions"})
    text, truncated = _cut(_join_parts(extracted, query), query.max_tokens)
    return FetchResult(
        kind="time" if query.page is None else "page",
        document=document,
        stale=base.is_stale(document),
        text=text,
        page=query.page,
        start_ms=query.start_ms,
        end_ms=query.end_ms,
        truncated=truncated,
    )


def _fetch_lines(base: KnowledgeBase, query: FetchSpan, start: int, end: int) -> FetchResult:
    if end < start:
        raise InvalidInputError(
            "the span ends at line {end}, before it starts at {start}",
            remedy=Remedy(kind="fetch_lines", document=query.doc_id, lines=(end, start)),
            _end=end,
            _start=start,
        )
    document = require_document(base, query.doc_id)
    extracted = base.documents.get_text(query.doc_id)
    _require_unit(document, extracted, {"lines"})
    lines = _split_lines(_read_text(base, document, extracted))[start - 1 : end]
    text, truncated = _cut("".join(lines), query.max_tokens)
    return FetchResult(
        kind="span",
        document=document,
        stale=base.is_stale(document),
        text=text,
        line_start=start,
        line_end=end,
        effective_end=start - 1 + len(_split_lines(text)),
        truncated=truncated,
    )


def _require_unit(document: IndexedDocument, extracted: ExtractedText | None, allowed: set[str]) -> None:
    """Refuse a span that is not how the document is addressed.

    Raises:
        SpanNotSupportedError: It is addressed otherwise.
    """
    parts = extracted.parts if extracted else ()
    unit = _UNITS.get(parts[0].source_span.kind, "parts") if parts else "lines"
    if unit not in allowed:
        raise SpanNotSupportedError(
            "{doc_path} is {media} and has no {span}: it is addressed by {unit}",
            remedy=Remedy(kind="fetch_document", document=document.doc_id),
            media=document.media,
            _doc_path=document.doc_path,
            _span=min(allowed),
            _unit=unit,
        )


def _join_parts(extracted: ExtractedText | None, query: FetchSpan) -> str:
    """Return the text on a page or in a stretch of time, from the first of its parts to the last."""
    parts: list[TextPart] = []
    if extracted and query.page is not None:
        parts = extracted.find_page(query.page)
    elif extracted and query.start_ms is not None and query.end_ms is not None:
        parts = extracted.find_moments(query.start_ms, query.end_ms)
    return extracted.text[parts[0].start : parts[-1].end] if extracted and parts else ""


def _read_text(base: KnowledgeBase, document: IndexedDocument, extracted: ExtractedText | None) -> str:
    if extracted is not None:
        return extracted.text
    from kebab_parse_md import decode_text

    asset = base.documents.get_asset(document.doc_id)
    try:
        if asset is not None:
            return decode_text(base.assets.read_asset(asset.asset_id)).text
    except StorageError:
        if base.documents.get_asset(document.doc_id) == asset:
            raise
    raise DocumentNotFoundError(  # it was removed or replaced since it was found
        "no document has the id {doc_id}", remedy=Remedy(kind="list_documents"), _doc_id=document.doc_id
    )


def _split_lines(text: str) -> list[str]:
    r"""Split a text into lines at `\r\n`, `\n` and `\r` only, as Markdown does; line ends stay on their lines."""
    return StringIO(text, newline="").readlines()


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
