"""A whole document as a screen shows it, with the part that an address cites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import (
    CellCitation,
    CellSpan,
    DocFilter,
    FetchAddress,
    PageCitation,
    PageSpan,
    RegionSpan,
    TableBlock,
    parse_cells,
)

from kebab_app.documents import build_reader, find_address, inspect_document
from kebab_app.opening import find_file
from kebab_app.rendering import find_rectangles, find_word_rectangles
from kebab_app.word_places import SoughtWords, find_chars, find_cited_texts, find_page_words, find_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from kebab_core import Block, IndexedDocument, OutlineHeading, PageSize, Rectangle, SourceSpan, TextPart
    from kebab_documents import FoundAddress
    from kebab_parse_pdf import PageWord
    from kebab_rag import WordRange

    from kebab_app.knowledge_base import KnowledgeBase


@dataclass(frozen=True, kw_only=True)
class DocumentView:
    """A document and the part of it that is cited."""

    document: IndexedDocument
    """`changed_on_disk` is also set where its file has changed or is gone."""
    found: FoundAddress
    """What is cited; `found.holds(span)` tells whether a place belongs to it."""
    updated_at: datetime
    """Of its front matter or metadata, its name, or its file."""
    stale: bool
    is_gone: bool
    """Its file no longer exists."""
    source: str | None
    """The text of a file that is text, line by line as in the file; lines of the front matter of Markdown are empty. None for any other."""
    blocks: tuple[Block, ...]
    """In reading order, where there is no `source`; else empty."""
    outline: tuple[OutlineHeading, ...]
    """Headings, or symbols of source code, in order."""
    pages: Mapping[int, PageSize | None]
    """Pages that have text, by number from 1, with their sizes where they are known; empty without pages."""
    words: tuple[WordRange, ...]
    """Words to mark in the cited lines of `source`, lines from 1; else in the texts of the cited `blocks`, by their place among those of
    all blocks (`block_texts`) from 0."""
    rectangles: tuple[Rectangle, ...]
    """What is cited on its page or in its picture; empty where a whole page is, or no place is known."""
    word_rectangles: tuple[Rectangle, ...]
    """Places of `words` that were recognised in a picture, in the same unit; empty where none is known."""
    page_words: tuple[PageWord, ...]
    """Those of `words` that stand in the text of the page of a PDF; `find_words_on_page` finds their places."""

    @property
    def page(self) -> int | None:
        """Page that is cited, or the first that has text; None without pages."""
        return self.found.page or min(self.pages, default=None)

    def is_cited(self, span: SourceSpan) -> bool:
        """Return True for a block of the cited part, False where that is the whole document or a whole page."""
        cited = self.found.citation
        if cited is None or (isinstance(cited, PageCitation) and cited.char_end is None):
            return False
        return self.found.holds(span)

    def number_rows(self, block: TableBlock) -> list[tuple[int | None, bool]]:
        """Return the number of each row below the header in its sheet, None in a table without numbers, and whether it is cited.

        Of a cited table no row is where the header alone is.
        """
        span, cited = block.source_span, self.found.citation
        is_cited = self.is_cited(span)
        if not isinstance(span, CellSpan) or span.cells is None:
            return [(None, is_cited) for _ in block.rows]
        rows = range(1 << 30) if is_cited else range(0)
        if isinstance(cited, CellCitation) and cited.sheet == span.sheet and cited.cells:
            wanted = parse_cells(cited.cells)
            rows = range(wanted.top, wanted.bottom + 1)
        first = parse_cells(span.cells).top + (block.header_span is None)
        return [(number, number in rows) for number, _ in enumerate(block.rows, first)]


def read_document(
    base: KnowledgeBase, address: str, *, texts: Sequence[str] = (), query: str = ""
) -> DocumentView:
    """Read the document that an address names.

    Args:
        base: The knowledge base.
        address: The address.
        texts: Quotes; the words of the first that stands in what is cited are marked.
        query: Where there are none, its words are marked in the cited lines.

    Raises:
        InvalidInputError: It is no address, or the document has no such part.
        AmbiguousAddressError: It names several documents.
        DocumentNotFoundError: It names no document.
        StorageError: The stored content cannot be read.
    """
    from kebab_documents import read_stored_text

    with base.open_for_reading().one_state():
        found = find_address(base, address, files=False)
        reader, doc_id = build_reader(base), found.document.doc_id
        (summary,) = base.index.documents.list_documents(DocFilter(doc_id=(doc_id,)))
        outline = reader.fetch(FetchAddress(address=found.document.to_address(), outline=True))
        is_text = found.document.has_file_lines
        text = read_stored_text(doc_id, base.index.documents)
        source = _without_front_matter(found.document, text.text) if is_text else None
        blocks = () if is_text else inspect_document(base, doc_id).blocks
        pages = _pages(text.parts)
        page = found.page or min(pages, default=None)
        lines = dict(
            _cited_lines(found, source) if source is not None else find_cited_texts(found, blocks, page=page)
        )
        words = find_words(base, lines, SoughtWords(query="" if texts else query, quotes=(tuple(texts),)))
        return DocumentView(
            document=outline.document,
            found=found,
            updated_at=summary.updated_at,
            stale=outline.stale,
            is_gone=find_file(base, found) is None,
            source=source,
            blocks=blocks,
            words=words,
            outline=outline.headings,
            pages=pages,
            rectangles=find_rectangles(base, found),
            word_rectangles=find_word_rectangles(base, found.document, find_chars(blocks, words)),
            page_words=find_page_words(blocks, words, page=page) if page else (),
        )


def _pages(parts: Sequence[TextPart]) -> Mapping[int, PageSize | None]:
    pages: dict[int, PageSize | None] = {}
    for part in parts:
        match part.source_span:
            case PageSpan(page=page, page_size=size):
                pages[page] = size
            case RegionSpan(page=int() as page):
                pages.setdefault(page, None)
    return dict(sorted(pages.items()))


def _cited_lines(found: FoundAddress, source: str) -> Iterator[tuple[int, str]]:
    """Yield the cited lines of a text by number."""
    if found.lines is not None:
        first, last = found.lines
        yield from enumerate(split_file_lines(source)[first - 1 : last], first)


def split_file_lines(text: str) -> list[str]:
    """Split a text into the lines of a file, without their ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _without_front_matter(document: IndexedDocument, text: str) -> str:
    if document.media != "markdown":
        return text
    from kebab_parse_md import split_front_matter

    lines = split_file_lines(text)
    count = split_front_matter("\n".join(lines)).line_count
    return "\n".join([*[""] * count, *lines[count:]])
