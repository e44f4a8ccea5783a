"""Stored text word for word: a chunk with its neighbours, a document, a part of it, a section, or an outline.

The text of a text file is its stored asset as decoded, so that a line number means the same in a citation, here and in the
user's editor. The text of any other file is what its extractor read, as it is stored with the document; parts of it are
addressed as its citations are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from kebab_core import (
    CaptionCitation,
    CaptionSpan,
    CellCitation,
    ChunkNotFoundError,
    DocumentNotFoundError,
    ExtractedText,
    FetchAddress,
    FetchChunk,
    FetchDocument,
    FetchQuery,
    FetchResult,
    FetchSpan,
    HeaderRow,
    ImageRefBlock,
    IndexedChunk,
    IndexedDocument,
    InvalidInputError,
    LineCitation,
    LineSpan,
    Message,
    OutlineHeading,
    PageCitation,
    RegionCitation,
    Remedy,
    SlideCitation,
    TimeCitation,
)
from kebab_text import split_lines

from kebab_documents.address_lookup import AddressLookup, FoundAddress, address_of_chars
from kebab_documents.budgets import TokenCount, cut_chunks, cut_text
from kebab_documents.document_parts import DocumentParts
from kebab_documents.outline import find_section, list_headings, list_placed_headings, list_symbols
from kebab_documents.stored_text import read_file_text

if TYPE_CHECKING:
    from kebab_core import ChunkCost, DocumentId, DocumentStore, SourceSpan, TextPart

_HEADER_SHARE = 2
"""The header row of a table is given while it takes at most half of the budget."""


@dataclass(frozen=True, kw_only=True)
class DocumentReader:
    """Reads stored documents."""

    documents: DocumentStore
    lookup: AddressLookup
    refresh: Callable[[IndexedDocument], IndexedDocument]
    """Sets `changed_on_disk` where the file has changed."""
    now: datetime
    stale_threshold_days: int
    count_tokens: TokenCount
    chunk_cost: ChunkCost
    """Tokens of a neighbouring chunk."""

    def fetch(self, query: FetchQuery) -> FetchResult:
        """Read a chunk with its neighbours, a document, a part of it, or its outline.

        Raises:
            ChunkNotFoundError: No such chunk.
            DocumentNotFoundError: No such document.
            AmbiguousAddressError: An address names several documents.
            SpanNotSupportedError: Lines, a page or a time of a document that is not addressed so.
            InvalidInputError: A span that ends before it starts, or lines of an address that the document does not have.
            StorageError: The stored content cannot be read.
        """
        match query:
            case FetchChunk():
                return self._fetch_chunk(query)
            case FetchDocument():
                return self._fetch_document(query)
            case FetchSpan():
                return self._fetch_span(query)
            case FetchAddress():
                return self._fetch_address(query)

    def _find_header(
        self, doc_id: DocumentId, place: SourceSpan, max_tokens: int | None
    ) -> tuple[HeaderRow | None, int | None]:
        """Find the header row of the table in which a text begins, unless it takes most of the budget; with what is left of that."""
        found = (chunk.find_header(place) for chunk in self.documents.list_chunks(doc_id))
        header = next(filter(None, found), None)
        if header is None or max_tokens is None:
            return header, max_tokens
        cost = self.count_tokens(header.text)
        return (header, max_tokens - cost) if cost * _HEADER_SHARE <= max_tokens else (None, max_tokens)

    def require_document(self, doc_id: DocumentId) -> IndexedDocument:
        """Return a document without its blocks; `changed_on_disk` is also set where its file has changed or is gone.

        Raises:
            DocumentNotFoundError: No such document.
        """
        document = self.documents.get_indexed_document(doc_id)
        if document is None:
            raise DocumentNotFoundError(
                "no document has the id {doc_id}", remedy=Remedy(kind="list_documents"), doc_id=str(doc_id)
            )
        return self.refresh(document)

    def _fetch_chunk(self, query: FetchChunk) -> FetchResult:
        around = self.documents.neighbours(query.chunk_id, query.context)
        stored = self.documents.get_chunks([chunk.chunk_id for chunk in around])
        found = [each.model_copy(update={"document": self.refresh(each.document)}) for each in stored]
        target = next((c for c in found if c.chunk.chunk_id == query.chunk_id), None)
        if target is None:
            raise ChunkNotFoundError(
                "no chunk has the id {chunk_id}",
                remedy=Remedy(
                    advice=Message("search again: ids change when a document or its chunking changes")
                ),
                chunk_id=str(query.chunk_id),
            )
        neighbours = _neighbours(found, target, before=True), _neighbours(found, target, before=False)
        kept, (before, after), truncated = cut_chunks(
            target, *neighbours, query.max_tokens, cost=self.chunk_cost, count=self.count_tokens
        )
        return FetchResult(
            kind="chunk",
            document=target.document,
            stale=self._is_stale(target.document),
            chunk=kept,
            context_before=before,
            context_after=after,
            truncated=truncated,
        )

    def _fetch_document(self, query: FetchDocument) -> FetchResult:
        document = self.require_document(query.doc_id)
        whole = self._read_text(document.doc_id, self.documents.get_text(query.doc_id))
        text, truncated = cut_text(whole, query.max_tokens, self.count_tokens)
        return FetchResult(
            kind="doc", document=document, stale=self._is_stale(document), text=text, truncated=truncated
        )

    def _fetch_span(self, query: FetchSpan) -> FetchResult:
        if query.line_start is not None and query.line_end is not None:
            return self._fetch_lines(query, query.line_start, query.line_end)
        if (query.end_ms or 0) < (query.start_ms or 0):
            raise InvalidInputError(
                "the span ends at {end_ms} ms, before it starts at {start_ms}",
                remedy=Remedy(advice=Message("give the earlier time first")),
                _end_ms=query.end_ms,
                _start_ms=query.start_ms,
            )
        document = self.require_document(query.doc_id)
        extracted = self.documents.get_text(query.doc_id)
        units = ("times",) if query.page is None else ("pages", "regions")
        DocumentParts(document=document, extracted=extracted).require(*units)
        text, truncated = cut_text(_join_parts(extracted, query), query.max_tokens, self.count_tokens)
        return FetchResult(
            kind="time" if query.page is None else "page",
            document=document,
            stale=self._is_stale(document),
            text=text,
            page=query.page,
            start_ms=query.start_ms,
            end_ms=query.end_ms,
            truncated=truncated,
        )

    def _fetch_lines(self, query: FetchSpan, start: int, end: int) -> FetchResult:
        if end < start:
            raise InvalidInputError(
                "the span ends at line {end}, before it starts at {start}",
                remedy=Remedy(kind="fetch_lines", document=query.doc_id, lines=(end, start)),
                _end=end,
                _start=start,
            )
        document = self.require_document(query.doc_id)
        extracted = self.documents.get_text(query.doc_id)
        DocumentParts(document=document, extracted=extracted).require("lines")
        lines = split_lines(self._read_text(document.doc_id, extracted))[start - 1 : end]
        place = LineSpan(start=start, end=end)
        header, max_tokens = self._find_header(document.doc_id, place, query.max_tokens)
        text, truncated = cut_text("".join(lines), max_tokens, self.count_tokens)
        return FetchResult(
            kind="span",
            document=document,
            stale=self._is_stale(document),
            text=text,
            header_row=header,
            line_start=start,
            line_end=end,
            effective_end=start - 1 + len(split_lines(text)),
            truncated=truncated,
        )

    def _fetch_address(self, query: FetchAddress) -> FetchResult:
        found = self.lookup.find(query.address)
        found = found._replace(document=self.refresh(found.document))
        extracted = self.documents.get_text(found.document.doc_id)
        parts = DocumentParts(document=found.document, extracted=extracted)
        if query.outline and parts.unit != "lines":
            return self._outline_of_parts(query, found)
        if query.section or query.outline:
            parts.require("lines")
        elif found.chars is not None or parts.unit != "lines":
            return self._fetch_part(query, found, parts)
        elif found.citation is not None:
            parts.require_part(found.citation)
        lines = split_lines(self._read_text(found.document.doc_id, extracted))
        if query.outline:
            return self._outline(query, found, len(lines))
        return self._fetch_found(query, found, lines)

    def require_part(self, found: FoundAddress) -> None:
        """Refuse a page, slide, sheet or cells that a document does not have; lines are not looked at.

        Raises:
            SpanNotSupportedError: The document is addressed otherwise.
            InvalidInputError: It has no such part.
        """
        if found.citation is not None and found.lines is None:
            extracted = self.documents.get_text(found.document.doc_id)
            DocumentParts(document=found.document, extracted=extracted).require_part(found.citation)

    def _fetch_part(self, query: FetchAddress, found: FoundAddress, parts: DocumentParts) -> FetchResult:
        """Read a part of a document, or all of it, as whole pages, slides or sheets where a budget cuts it."""
        if isinstance(found.citation, CaptionCitation):
            whole = self._read_caption(found.document.doc_id, found.citation.page)
            parts = DocumentParts(document=found.document, extracted=ExtractedText(text=whole))
        else:
            whole = self._read_text(found.document.doc_id, parts.extracted)
        if parts.extracted is None:
            parts = DocumentParts(document=found.document, extracted=ExtractedText(text=whole))
        asked = parts.find_range(found.citation, found.chars)
        found = found._replace(citation=parts.find_shown(found.citation))
        header, max_tokens = None, query.max_tokens
        if (place := parts.find_span(asked.start)) is not None:
            header, max_tokens = self._find_header(found.document.doc_id, place, max_tokens)
        text, truncated = cut_text(whole[asked.start : asked.end], max_tokens, self.count_tokens)
        stop = asked.start + len(text)
        if truncated:
            stop = parts.find_break(asked, stop)
        rest = (stop, None if asked.end == len(whole) else asked.end)
        return FetchResult(
            **_cited_fields(found),
            document=found.document,
            stale=self._is_stale(found.document),
            text=whole[asked.start : stop],
            header_row=header,
            truncated=truncated,
            address=found.address,
            parts=parts.describe(asked._replace(end=stop)),
            total_parts=parts.count,
            next=address_of_chars(found.document, *rest) if truncated and stop > asked.start else None,
        )

    def _read_caption(self, doc_id: DocumentId, page: int | None) -> str:
        """Read what a model wrote about a page, or without one about all."""
        document = self.documents.get_document(doc_id)
        blocks = document.blocks if document else ()
        return "\n".join(
            block.caption.text
            for block in blocks
            if isinstance(block, ImageRefBlock)
            and block.caption
            and isinstance(span := block.source_span, CaptionSpan)
            if page in {None, span.page}
        )

    def _fetch_found(self, query: FetchAddress, found: FoundAddress, lines: Sequence[str]) -> FetchResult:
        document, asked = found.document, found.lines
        start, end = asked or (1, len(lines))
        if asked is not None:
            _require_lines(document, start, end, len(lines))
        if query.section:
            start, end = find_section(self._headings(document, len(lines)), asked or (1, 1), len(lines))
        header, max_tokens = None, query.max_tokens
        if start > 1:
            place = LineSpan(start=start, end=max(start, end))
            header, max_tokens = self._find_header(document.doc_id, place, max_tokens)
        kept, truncated = self._cut_lines(lines[start - 1 : end], max_tokens)
        last = start - 1 + len(kept)
        is_part = asked is not None or query.section
        return FetchResult(
            kind="span" if is_part else "doc",
            document=document,
            stale=self._is_stale(document),
            text="".join(kept),
            header_row=header,
            line_start=start if is_part else None,
            line_end=end if is_part else None,
            effective_end=last if is_part else None,
            truncated=truncated,
            address=_address_of_lines(document, start, end) if is_part else document.to_address(),
            total_lines=len(lines),
            next=_address_of_lines(document, last + 1, end)
            if last < end and kept[-1:] == lines[last - 1 : last]
            else None,
        )

    def _cut_lines(self, lines: Sequence[str], max_tokens: int | None) -> tuple[list[str], bool]:
        """Cut lines to whole ones within a budget; the first one inside, where it alone exceeds it."""
        text, truncated = cut_text("".join(lines), max_tokens, self.count_tokens)
        kept = split_lines(text)
        if not truncated or len(kept) <= 1 or kept[-1] == lines[len(kept) - 1]:
            return kept, truncated
        return kept[:-1], True

    def _outline(self, query: FetchAddress, found: FoundAddress, total_lines: int) -> FetchResult:
        """List the headings of a document; from lines that reach from a heading to its end, those in them: a further page."""
        document, (start, end) = found.document, found.lines or (1, total_lines)
        headings = self._headings(document, total_lines)
        starts = [each.line_start or 1 for each in headings]
        is_rest = end == total_lines and start in starts
        listed = [each for each, at in zip(headings, starts, strict=True) if not is_rest or at >= start]
        kept = self._cut_headings(listed, query.max_tokens)
        left = listed[len(kept) :]
        return FetchResult(
            kind="outline",
            document=document,
            stale=self._is_stale(document),
            address=found.address if is_rest else document.to_address(),
            total_lines=total_lines,
            headings=tuple(kept),
            truncated=bool(left),
            next=_address_of_lines(document, left[0].line_start or 1, total_lines) if left else None,
        )

    def _outline_of_parts(self, query: FetchAddress, found: FoundAddress) -> FetchResult:
        """List the headings of pages, slides or sheets; with one of these, from the first heading on it: a further page."""
        document = found.document
        stored = self.documents.get_document(document.doc_id)
        headings = [] if stored is None else list_placed_headings(stored.blocks, document)
        places = [each.at for each in headings]
        first = found.address.rpartition("#")[2]
        start = places.index(first) if first in places else 0
        kept = len(self._cut_headings(headings[start:], query.max_tokens))
        while 0 < kept < len(places) - start and places[start + kept] in places[start : start + kept]:
            kept += 1  # the next page begins with a place of its own
        left = places[start + kept :]
        return FetchResult(
            kind="outline",
            document=document,
            stale=self._is_stale(document),
            address=found.address if start else document.to_address(),
            headings=tuple(headings[start : start + kept]),
            truncated=bool(left),
            next=f"{document.to_address()}#{left[0]}" if left else None,
        )

    def _cut_headings(self, headings: list[OutlineHeading], max_tokens: int | None) -> list[OutlineHeading]:
        """Cut headings to those within a budget, one in any case."""
        spent = 0
        for at, each in enumerate(headings):
            spent += self.count_tokens(f"{each.at} {'#' * each.level} {each.text}")
            if at and max_tokens is not None and spent > max_tokens:
                return headings[:at]
        return headings

    def _headings(self, document: IndexedDocument, total_lines: int) -> list[OutlineHeading]:
        stored = self.documents.get_document(document.doc_id)
        headings = [] if stored is None else list_headings(stored.blocks, total_lines)
        # Resources of Kubernetes and stages of container files are named as they are cut into passages.
        return headings or list_symbols(
            dict.fromkeys(
                each for chunk in self.documents.list_chunks(document.doc_id) for each in chunk.symbols
            )
        )

    def _is_stale(self, document: IndexedDocument) -> bool:
        return document.is_stale(now=self.now, threshold_days=self.stale_threshold_days)

    def _read_text(self, doc_id: DocumentId, extracted: ExtractedText | None) -> str:
        if extracted is not None:
            return extracted.text
        return read_file_text(doc_id, self.documents)


def _address_of_lines(document: IndexedDocument, start: int, end: int) -> str:
    cited = LineCitation(
        path=document.doc_path, source_id=document.source_id, start=start, end=max(start, end)
    )
    return cited.to_address()


def _require_lines(document: IndexedDocument, start: int, end: int, total: int) -> None:
    """Refuse lines after the end of a document.

    Raises:
        InvalidInputError: The document has fewer lines.
    """
    if end <= total:
        return
    there = _address_of_lines(document, start, total) if start <= total else document.to_address()
    raise InvalidInputError(
        "{path} has {total_lines} lines, and no line {line}",
        remedy=Remedy(kind="fetch_address", document=there),
        _path=document.to_address(),
        total_lines=total,
        line=end,
    )


def _neighbours(found: list[IndexedChunk], target: IndexedChunk, *, before: bool) -> tuple[IndexedChunk, ...]:
    here = target.chunk.ordinal
    return tuple(c for c in found if c.chunk.ordinal != here and (c.chunk.ordinal < here) is before)


def _cited_fields(found: FoundAddress) -> dict[str, Any]:
    """Return the kind of a result with what was asked for."""
    match found.citation:
        case (PageCitation() | RegionCitation()) as cited if cited.page is not None:
            return {"kind": "page", "page": cited.page}
        case SlideCitation(slide=slide):
            return {"kind": "slide", "slide": slide}
        case CellCitation(sheet=sheet, cells=cells):
            return {"kind": "cells", "sheet": sheet, "cells": cells}
        case TimeCitation(start_ms=start, end_ms=end):
            return {"kind": "time", "start_ms": start, "end_ms": end}
    return {"kind": "doc"}


def _join_parts(extracted: ExtractedText | None, query: FetchSpan) -> str:
    """Return the text on a page or in a stretch of time, from the first of its parts to the last."""
    parts: list[TextPart] = []
    if extracted and query.page is not None:
        parts = extracted.find_page(query.page)
    elif extracted and query.start_ms is not None and query.end_ms is not None:
        parts = extracted.find_moments(query.start_ms, query.end_ms)
    return extracted.text[parts[0].start : parts[-1].end] if extracted and parts else ""
