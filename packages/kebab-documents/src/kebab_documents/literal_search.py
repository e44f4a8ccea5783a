"""Text found as it reads, punctuation, case and all, in the stored text of documents; no index has it.

Reads every document, which takes about a second for some thousands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
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
from kebab_documents.stored_text import read_stored_text

if TYPE_CHECKING:
    from kebab_core import Chunk, DocumentEntry, DocumentStore, HeaderRow, SourceSpan, TableRows


_MOST_LINE_CHARS = 2000
_AROUND_CHARS = 160
"""Characters before and behind a match that are shown of a longer line."""
_CUT = "…"


class LiteralLine(NamedTuple):
    """A line of a document with the text that was looked for."""

    number: int
    """From 1, in the stored text; of a document without pages or times that of its file."""
    text: str
    """Without its end, in NFC; of a line of more than 2,000 characters the stretches around its matches, a `LiteralLine` each."""
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
    copies: tuple[DocumentEntry, ...] = ()
    """Further documents with the same stored text."""

    @property
    def address(self) -> str:
        """Address of the first of them."""
        return f"{self.entry.to_address()}#{self.lines[0].fragment}"

    @property
    def matches(self) -> int:
        """Number of times that the text is there; copies have it as often."""
        return sum(len(line.matched) for line in self.lines)


class LiteralResult(NamedTuple):
    """Documents that have a text."""

    documents: tuple[LiteralDocument, ...]
    """By source and path."""
    searched: int
    """Number of documents that were read."""
    unread: tuple[DocumentEntry, ...]
    """Documents whose stored text cannot be read."""

    @property
    def document_count(self) -> int:
        """Number of documents that have the text, copies included."""
        return sum(1 + len(found.copies) for found in self.documents)

    @property
    def match_count(self) -> int:
        """Number of times that it is in all of them."""
        return sum(found.matches * (1 + len(found.copies)) for found in self.documents)


def find_literal(text: str, entries: Iterable[DocumentEntry], documents: DocumentStore) -> LiteralResult:
    """Find the documents that have a text as it reads, and its lines.

    Args:
        text: Compared without invisible characters, ligatures as letters, wide forms as plain ones; matches do not overlap.
        entries: Documents to look at, by source and path.
        documents: Gives their stored text.

    Raises:
        InvalidInputError: The text is empty.
    """
    wanted = fold_forms(text).text
    if not wanted.strip():
        raise InvalidInputError("the query is empty", remedy=Remedy(kind="give_query"))
    found: dict[bytes, LiteralDocument] = {}
    unread: list[DocumentEntry] = []
    searched = 0
    for entry in entries:
        try:
            stored = read_stored_text(entry.doc_id, documents)
            lines = _find_lines(wanted, stored, entry)
        except DocumentNotFoundError:
            continue  # removed meanwhile
        except StorageError:
            unread.append(entry)
            continue
        searched += 1
        if lines:
            key = blake2b(stored.model_dump_json().encode()).digest()
            first = found.get(key)
            found[key] = (
                LiteralDocument(entry, lines)
                if first is None
                else first._replace(copies=(*first.copies, entry))
            )
    return LiteralResult(tuple(found.values()), searched, tuple(unread))


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
        found += (
            LiteralLine(number, shown, own_ranges, fragment, span)
            for shown, own_ranges in _cut_line(line, tuple(ranges))
        )
    return tuple(found)


def _cut_line(line: str, ranges: tuple[MatchedRange, ...]) -> Iterator[tuple[str, tuple[MatchedRange, ...]]]:
    """Yield a line with its matches; of a long one the stretches around them, with signs where it goes on."""
    if len(line) <= _MOST_LINE_CHARS:
        yield line, ranges
        return
    groups: list[list[MatchedRange]] = []
    for each in ranges:
        near = groups and each.start - groups[-1][-1].end <= _AROUND_CHARS
        if near and each.end - groups[-1][0].start <= _MOST_LINE_CHARS:
            groups[-1].append(each)
        else:
            groups.append([each])
    for group in groups:
        start, end = max(group[0].start - _AROUND_CHARS, 0), min(group[-1].end + _AROUND_CHARS, len(line))
        before, behind = _CUT if start else "", _CUT if end < len(line) else ""
        shift = len(before) - start
        moved = (MatchedRange(start=each.start + shift, end=each.end + shift) for each in group)
        yield f"{before}{line[start:end]}{behind}", tuple(moved)


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
