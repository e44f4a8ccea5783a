"""Reading stored text word for word: a chunk with its neighbours, a document, or some of its lines.

Documents and lines are read from the stored asset as decoded, so that a line number means the same in a
citation, in `fetch` and in the user's editor.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_core import (
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
from kebab_app.wiring import build_counter

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_WITHOUT_LINES = frozenset({"pdf", "audio"})
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")


def fetch(base: KnowledgeBase, query: FetchQuery) -> FetchResult:
    """Carry out one fetch.

    Args:
        base: The knowledge base.
        query: What to read.

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
    """Return a document without its blocks; `changed_on_disk` also says what a look at its file tells.

    Raises:
        DocumentNotFoundError: No such document.
    """
    document = base.documents.get_indexed_document(doc_id)
    if document is None:
        raise DocumentNotFoundError(
            f"no document has the id {doc_id}", hint="kebab list docs", doc_id=str(doc_id)
        )
    return Freshness(base).apply(document)


def _fetch_chunk(base: KnowledgeBase, query: FetchChunk) -> FetchResult:
    around = base.documents.neighbours(query.chunk_id, query.context)
    found = _freshened(base, base.documents.get_chunks([chunk.chunk_id for chunk in around]))
    target = next((c for c in found if c.chunk.chunk_id == query.chunk_id), None)
    if target is None:
        raise ChunkNotFoundError(
            f"no chunk has the id {query.chunk_id}",
            hint="search again: ids change when a document or the way it is cut changes",
            chunk_id=str(query.chunk_id),
        )
    around_it = _side(found, target, before=True), _side(found, target, before=False)
    kept, (before, after), truncated = _cut_chunks(target, *around_it, query.max_tokens)
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
) -> tuple[IndexedChunk, tuple[tuple[IndexedChunk, ...], tuple[IndexedChunk, ...]], bool]:
    """Return a chunk and what fits of those before and after it, the nearest first, and whether that is a cut."""
    if max_tokens is None:
        return target, (before, after), False
    from kebab_wire import wire_fetched_chunk, wire_json

    counter = build_counter()
    text, truncated = _cut(target.chunk.text, max_tokens)
    if truncated:
        cut = target.model_copy(update={"chunk": target.chunk.model_copy(update={"text": text})})
        return cut, ((), ()), True
    left = max_tokens - counter.count(text)
    here = target.chunk.ordinal
    kept: set[int] = set()
    for near in sorted((*before, *after), key=lambda each: abs(each.chunk.ordinal - here)):
        left -= counter.count(wire_json(wire_fetched_chunk(near)))
        if left < 0:
            break
        kept.add(near.chunk.ordinal)
    sides = (
        tuple(each for each in before if each.chunk.ordinal in kept),
        tuple(each for each in after if each.chunk.ordinal in kept),
    )
    return target, sides, len(kept) < len(before) + len(after)


def _freshened(base: KnowledgeBase, chunks: list[IndexedChunk]) -> list[IndexedChunk]:
    freshness = Freshness(base)
    return [chunk.model_copy(update={"document": freshness.apply(chunk.document)}) for chunk in chunks]


def _side(found: list[IndexedChunk], target: IndexedChunk, *, before: bool) -> tuple[IndexedChunk, ...]:
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
    return decode_text(base.documents.read_asset(asset.asset_id)).text


def split_lines(text: str) -> list[str]:
    r"""Return the lines of a text, split at `\r\n`, `\n` and `\r` only, as Markdown counts lines; line ends stay on their lines."""
    return [line for line in _LINE.findall(text) if line]


def _cut(text: str, max_tokens: int | None) -> tuple[str, bool]:
    """Return the longest start of `text` that is no more than `max_tokens`, and whether that is a cut.

    Counts a few times as much text as it returns, however long `text` is.
    """
    if max_tokens is None:
        return text, False
    counter = build_counter()
    low, high = 0, max_tokens
    while counter.count(text[:high]) <= max_tokens:
        if high >= len(text):
            return text, False
        low, high = high, 2 * high
    high = min(high, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low], True
