"""Text found as it reads, punctuation, case and all, in the stored text of documents; no index has it.

Reads every document, which takes about a second for some thousands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    DocumentNotFoundError,
    ExtractedText,
    InvalidInputError,
    MatchedRange,
    Remedy,
    StorageError,
)
from kebab_text import fold_forms

from kebab_documents.document_parts import cite_span

if TYPE_CHECKING:
    from kebab_core import DocumentEntry, DocumentId


class LiteralLine(NamedTuple):
    """A line of a document with the text that was looked for."""

    number: int
    """From 1, in the stored text; of a document without pages or times that of its file."""
    text: str
    """Without its end, in NFC."""
    matched: tuple[MatchedRange, ...]
    fragment: str
    """Its place as in addresses: `L12`; `p=3` in a document with pages."""


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


def _find_lines(wanted: str, stored: ExtractedText, entry: DocumentEntry) -> tuple[LiteralLine, ...]:
    # Extracted texts are in NFC as they are stored, so that the places of their parts stay right.
    text = unicodedata.normalize("NFC", stored.text)
    parts = [
        (part.end, place.to_address().rpartition("#")[2])
        for part in stored.parts
        if (place := cite_span(entry.source_id, entry.doc_path, part.source_span)) is not None
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
        fragment = next((shown for end, shown in parts if end > places[0][0]), f"L{number}")
        found.append(LiteralLine(number, line, tuple(ranges), fragment))
    return tuple(found)


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
