"""Header rows of tables in quotes: rows come with the names of their columns, and these are told from rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kebab_core import HeaderRow, Passage, TableRows

_Range = tuple[int, int]
"""Code points of the text of a passage, half open."""


class QuotedPart(NamedTuple):
    """A part of a quote."""

    within: _Range | None
    """None for a header row that the passage does not hold."""
    header: HeaderRow | None = None
    """The header row that it is, where rows of its table are quoted too."""


def find_header_rows(passage: Passage, ranges: Sequence[_Range]) -> list[QuotedPart]:
    """Return a quote in parts: each header row apart, and where its rows lack it, before them.

    Args:
        passage: The passage, with its tables.
        ranges: What is quoted of it, in order.
    """
    parts = [part for each in ranges for part in _split(passage, each)]
    rows = [_find_table(passage, part, is_row=True) for part in parts]
    headed = {table.header for table in rows if table is not None}
    shown: list[QuotedPart] = []
    named: set[HeaderRow] = set()
    for part, table in zip(parts, rows, strict=True):
        head = _find_table(passage, part, is_row=False)
        if table is not None and table.header not in named:
            shown.append(QuotedPart(_find_header(passage, table.header), table.header))
            named.add(table.header)
        is_header = head is not None and head.header in headed
        shown.append(QuotedPart(part, head.header if head is not None and is_header else None))
        named |= {head.header} if head is not None and is_header else set()
    return shown


def _split(passage: Passage, quoted: _Range) -> Iterator[_Range]:
    """Yield a range in parts that are each a header row, rows of one table, or other text; line ends between them are left out."""
    start, end = quoted
    for table in passage.tables:
        header = _header_range(passage, table)
        for cut in (table.start, header[1]):
            if start < cut < end:
                yield start, cut
                start = cut + passage.text.startswith("\n", cut)
    if start < end:
        yield start, end


def _find_table(passage: Passage, part: _Range, *, is_row: bool) -> TableRows | None:
    """Return the table of which a part is rows, or the header row; None where it is not."""
    for table in passage.tables:
        start, end = _header_range(passage, table)
        low, high = (end, table.end) if is_row else (start, end)
        if low <= part[0] < high:
            return table
    return None


def _header_range(passage: Passage, table: TableRows) -> _Range:
    """Return the range of the header row of a table; an empty one where the text does not have it there."""
    end = passage.text.find("\n", table.start, table.end) if table.has_header else table.start
    return table.start, table.end if end < 0 else end


def _find_header(passage: Passage, header: HeaderRow) -> _Range | None:
    found = (each for each in passage.tables if each.header == header and each.has_header)
    return next((_header_range(passage, each) for each in found), None)
