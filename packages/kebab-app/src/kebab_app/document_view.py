"""A whole document as a screen shows it, with the part that an address cites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import FetchAddress, PageSpan, RegionSpan

from kebab_app.documents import build_reader, find_address, inspect_document
from kebab_app.rendering import find_rectangles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kebab_core import Block, IndexedDocument, OutlineHeading, PageSize, Rectangle, TextPart
    from kebab_documents import FoundAddress

    from kebab_app.knowledge_base import KnowledgeBase


@dataclass(frozen=True, kw_only=True)
class DocumentView:
    """A document and the part of it that is cited."""

    document: IndexedDocument
    """`changed_on_disk` is also set where its file has changed or is gone."""
    found: FoundAddress
    """What is cited; `found.holds(span)` tells whether a place belongs to it."""
    stale: bool
    source: str | None
    """The text of a file that is text, line by line as in the file; lines of the front matter of Markdown are empty. None for any other."""
    blocks: tuple[Block, ...]
    """In reading order, where there is no `source`; else empty."""
    outline: tuple[OutlineHeading, ...]
    """Headings, or symbols of source code, in order."""
    pages: Mapping[int, PageSize | None]
    """Pages that have text, by number from 1, with their sizes where they are known; empty without pages."""
    rectangles: tuple[Rectangle, ...]
    """What is cited on its page or in its picture; empty where a whole page is, or no place is known."""


def read_document(base: KnowledgeBase, address: str) -> DocumentView:
    """Read the document that an address names.

    Raises:
        InvalidInputError: It is no address, or the document has no such part.
        AmbiguousAddressError: It names several documents.
        DocumentNotFoundError: It names no document.
        StorageError: The stored content cannot be read.
    """
    with base.open_for_reading().one_state():
        found = find_address(base, address, files=False)
        reader, doc_id = build_reader(base), found.document.doc_id
        outline = reader.fetch(FetchAddress(address=found.document.to_address(), outline=True))
        is_text = found.document.has_file_lines
        text = reader.read_whole(doc_id)
        return DocumentView(
            document=outline.document,
            found=found,
            stale=outline.stale,
            source=_without_front_matter(found.document, text.text) if is_text else None,
            blocks=() if is_text else inspect_document(base, doc_id).blocks,
            outline=outline.headings,
            pages=_pages(text.parts),
            rectangles=find_rectangles(base, found),
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


def _without_front_matter(document: IndexedDocument, text: str) -> str:
    if document.media != "markdown":
        return text
    from kebab_parse_md import split_front_matter

    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    count = split_front_matter("\n".join(lines)).line_count
    return "\n".join([*[""] * count, *lines[count:]])
