"""Text found as it reads, punctuation, case and all, in the stored text of documents; no index has it.

Reads every document, which takes about a second for some thousands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    CellSpan,
    DocumentNotFoundError,
    ExtractedText,
    InvalidInputError,
    LineSpan,
    MatchedRange,
    Remedy,
    StorageError,
)
from kebab_text import fold_forms

from kebab_documents.document_parts import cite_span

if TYPE_CHECKING:
    from kebab_core import Chunk, DocumentEntry, DocumentId, HeaderRow, SourceSpan, TableRows


class LiteralLine(NamedTuple):
    """A line of a document with the text that was looked for."""

    number: int
    """From 1, in the stored text; of a document without pages or times that of its file."""
    text: str
    """Without its end, in NFC."""
    matched: tuple[MatchedRange, ...]
    fragment: str
    """Its place as in addresses: `L12`; `p=3` in a document with pages."""
    place: SourceSpan
    header_row: HeaderRow | None = None
    """The names of the columns, where it is a row of a table; see `name_columns`."""


class LiteralDocument(NamedTuple):
    """A document with the text that was looked for."""

    entry: DocumentEntry
    lines: tuple[LiteralLine, ...]
    """Of a text over several lines the first of each."""

    @property
    def address(self) -> str:
        """Address of the first of them."""
        return f"{self.entry.to_address()}#{self.lines[0].fragment}"

    @property
    def matches(self) -> int:
        """Number of times that the text is there."""
        return sum(len(line.matched) for line in self.lines)


class LiteralResult(NamedTuple):
    """Documents that have a text."""

    documents: tuple[LiteralDocument, ...]
    """By source and path."""
    searched: int
    """Number of documents that were read."""
    unread: tuple[DocumentEntry, ...]
    """Documents whose stored text cannot be read."""


def find_literal(
    text: str, entries: Iterable[DocumentEntry], read: Callable[[DocumentId], ExtractedText]
) -> LiteralResult:
    """Find the documents that have a text as it reads, and its lines.

    Args:
        text: Compared without invisible characters, ligatures as letters, wide forms as plain ones; matches do not overlap.
        entries: Documents to look at, by source and path.
        read: Reads the stored text of a document with its parts; raises StorageError.

    Raises:
        InvalidInputError: The text is empty.
    """
    wanted = fold_forms(text).text
    if not wanted.strip():
        raise InvalidInputError("the query is empty", remedy=Remedy(kind="give_query"))
    found: list[LiteralDocument] = []
    unread: list[DocumentEntry] = []
    searched = 0
    for entry in entries:
        try:
            lines = _find_lines(wanted, read(entry.doc_id), entry)
        except DocumentNotFoundError:
            continue  # removed meanwhile
        except StorageError:
            unread.append(entry)
            continue
        searched += 1
        if lines:
            found.append(LiteralDocument(entry, lines))
    return LiteralResult(tuple(found), searched, tuple(unread))


def name_columns(found: LiteralDocument, chunks: Sequence[Chunk]) -> LiteralDocument:
    """Return a document that has a text with the header row for each line that is a row of a table.

    Args:
        found: The document.
        chunks: All of its chunks.
    """
    tables = [(table, chunk.text[table.start : table.end]) for chunk in chunks for table in chunk.tables]
    if not tables:
        return found
    lines = [line._replace(header_row=_find_header(line, tables)) for line in found.lines]
    return found._replace(lines=tuple(lines))


def _find_header(line: LiteralLine, tables: Iterable[tuple[TableRows, str]]) -> HeaderRow | None:
    """Find the header row above a line: by its place, or on a page or slide, where rows have no place, by its text."""
    for table, text in tables:
        if (header := table.find_header(line.place)) is not None:
            return header
        if isinstance(line.place, LineSpan | CellSpan) or _page_of(line.place) != _page_of(table.source_span):
            continue
        rows = text.split("\n")[1 if table.has_header else 0 :]
        if line.text.strip() in map(str.strip, rows):
            return table.header
    return None


def _page_of(place: SourceSpan) -> tuple[str, int | None]:
    return place.kind, getattr(place, "page", None) or getattr(place, "slide", None)


def _find_lines(wanted: str, stored: ExtractedText, entry: DocumentEntry) -> tuple[LiteralLine, ...]:
    # Extracted texts are in NFC as they are stored, so that the places of their parts stay right.
    text = unicodedata.normalize("NFC", stored.text)
    parts = [
        (part.end, cited.to_address().rpartition("#")[2], part.source_span)
        for part in stored.parts
        if (cited := cite_span(entry.source_id, entry.doc_path, part.source_span)) is not None
    ]
    starts: dict[int, list[tuple[int, int]]] = {}
    folded = fold_forms(text)
    found_at = folded.text.find(wanted)
    while found_at >= 0:
        start, end = folded.source_range(found_at, found_at + len(wanted))
        starts.setdefault(text.rfind("\n", 0, start) + 1, []).append((start, end))
        found_at = folded.text.find(wanted, found_at + len(wanted))
    found: list[LiteralLine] = []
    number, counted = 1, 0
    for start, places in starts.items():
        number, counted = number + text.count("\n", counted, start), start
        line = text[start : _end(text, start)].rstrip("\r")
        ranges = [MatchedRange(start=at - start, end=min(end - start, len(line))) for at, end in places]
        own = (f"L{number}", LineSpan(start=number, end=number))
        fragment, span = next(((shown, span) for end, shown, span in parts if end > places[0][0]), own)
        found.append(LiteralLine(number, line, tuple(ranges), fragment, span))
    return tuple(found)


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
