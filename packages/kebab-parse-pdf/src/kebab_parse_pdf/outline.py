"""The outline of a PDF (its bookmarks), and the rows of pages that are its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Message

from kebab_parse_pdf.page_layout import Paragraph, Table, row_text
from kebab_parse_pdf.pdfium import read_text

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_MAX_ENTRIES = 20_000
_MAX_DEPTH = 100
"""Deepest entries that are read."""
_MAX_LEVEL = 6
_SIGNS = re.compile(r"\W+")
_NUMBER_CHARS = 14
"""Characters that may stand before a heading on its page and not in the outline, such as its number."""
_HEADING_ROWS = 3
_TOLERANCE = 6
"""Points by which a target may lie below the top of its heading."""


class OutlineEntry(NamedTuple):
    """A bookmark with a target in the document."""

    title: str
    level: int
    """1 to 6."""
    page: int
    """Index of its page, from 0."""
    left: float | None
    top: float | None
    """Place of the target from the top left of the page; None where it does not say."""


class PlacedPart(NamedTuple):
    """A paragraph or table with the sections that begin with it."""

    part: Paragraph | Table
    opens: tuple[OutlineEntry, ...] = ()
    is_heading: bool = False
    """Whether the part is the heading of the last one of `opens`."""


def read_outline(pdf: PdfDocument, warnings: list[Message]) -> list[OutlineEntry]:
    """Read the outline; entries without a title or a page are left out. They are in the order of their pages.

    `warnings` gets a message if it has more than `_MAX_ENTRIES`.
    """
    from pypdfium2 import PdfiumError

    entries: list[OutlineEntry] = []
    bookmarks = pdf.get_toc(max_depth=_MAX_DEPTH)
    for bookmark in islice(bookmarks, _MAX_ENTRIES):
        title = " ".join(read_text(bookmark.get_title).replace("\0", "").split())
        target = bookmark.get_dest()
        page = None if target is None else target.get_index()
        if target is None or page is None or not title or not 0 <= page < len(pdf):
            continue
        try:
            left, top = _read_place(target.get_view()[1], pdf.get_page_size(page)[1])
        except PdfiumError:  # the page is damaged
            left = top = None
        entries.append(OutlineEntry(title, min(bookmark.level + 1, _MAX_LEVEL), page, left, top))
    if next(bookmarks, None) is not None:
        warnings.append(
            Message(
                "only the first {entries:,} entries of the outline are headings of passages",
                entries=_MAX_ENTRIES,
            )
        )
    return sorted(entries, key=lambda entry: entry.page)


def _read_place(view: Sequence[float], height: float) -> tuple[float | None, float | None]:
    """Return the place of a target: `left, top, zoom` of an XYZ view, `top` of a view as wide as the page."""
    if len(view) > 1:
        return view[0], height - view[1]
    return None, height - view[0] if view else None


def place_sections(parts: Sequence[Paragraph | Table], entries: Sequence[OutlineEntry]) -> list[PlacedPart]:
    """Find where the sections of an outline begin among the parts of one page.

    Rows with the words of an entry become a part of their own, its heading. An entry whose words do not stand on the page opens its
    section at the first part that its target is not below.

    Args:
        parts: Parts of a page in reading order.
        entries: Entries with targets on the page, in their order.

    Returns:
        The parts in order. Entries without any part below them open their section at the last one.
    """
    placed = [PlacedPart(part) for part in parts]
    begin = 0
    for entry in entries:
        found = _find_heading(placed, entry, begin)
        if found is None:
            begin = _find_target(placed, entry, begin)
            if begin < len(placed):
                at = placed[begin]
                placed[begin] = at._replace(opens=(*at.opens, entry)) if not at.is_heading else at
            continue
        index, start, end = found
        at = placed[index]
        pieces = [at.part.rows[:start], at.part.rows[start:end], at.part.rows[end:]]
        split = [PlacedPart(Paragraph(rows)) for rows in pieces if rows]
        heading = 1 if start else 0
        split[0] = split[0]._replace(opens=at.opens)
        split[heading] = PlacedPart(split[heading].part, (*split[heading].opens, entry), is_heading=True)
        placed[index : index + 1] = split
        begin = index + heading + 1
    return placed


def _find_heading(
    placed: Sequence[PlacedPart], entry: OutlineEntry, begin: int
) -> tuple[int, int, int] | None:
    """Return index, first row and end of the rows that are the heading; those nearest to the target."""
    title = _words(entry.title)
    found = [
        (abs(each.part.rows[start].top - (entry.top or 0)), index, start, end)
        for index, each in enumerate(placed[begin:], begin)
        if title and isinstance(each.part, Paragraph) and not each.is_heading
        for start, end in _list_matches(each.part, title)
    ]
    if not found:
        return None
    _, index, start, end = min(found) if entry.top is not None else found[0]
    return index, start, end


def _list_matches(part: Paragraph, title: str) -> Iterator[tuple[int, int]]:
    texts = [_words(row_text(row)) for row in part.rows]
    for start in range(len(texts)):
        text = ""
        for end in range(start + 1, min(start + _HEADING_ROWS, len(texts)) + 1):
            text += texts[end - 1]
            if text.endswith(title) and len(text) - len(title) <= min(_NUMBER_CHARS, len(title) + 4):
                yield start, end
                break


def _find_target(placed: Sequence[PlacedPart], entry: OutlineEntry, begin: int) -> int:
    if entry.top is None:
        return begin
    for index, each in enumerate(placed[begin:], begin):
        rows = each.part.rows
        is_beside = entry.left is None or max(row.right for row in rows) > entry.left
        if is_beside and rows[0].top >= entry.top - _TOLERANCE:
            return index
    return len(placed)


def _words(text: str) -> str:
    return _SIGNS.sub("", text).casefold()
