"""Rows of tables in passages, with the header row that names their columns, wherever the rows are shown."""

from __future__ import annotations

from pydantic import Field

from kebab_core.cells import parse_cells
from kebab_core.citation import CellSpan, LineSpan, SourceSpan
from kebab_core.model import Model

MAX_HEADER_ROW_CHARS = 1000
"""Code points of a header row that is kept with the rows of its table; a longer one is shortened."""


class HeaderRow(Model):
    """The names of the columns of a table."""

    text: str = Field(min_length=1)
    """On one line, cells parted by ` | `."""
    source_span: SourceSpan


class TableRows(Model):
    """Consecutive rows of a table in the text of a chunk."""

    start: int = Field(ge=0)
    """Their range in the text of the chunk in code points, half open; with the header row where the text has it."""
    end: int = Field(ge=0)
    has_header: bool
    """Whether the text has the header row at `start`."""
    header: HeaderRow
    source_span: SourceSpan
    """Place of the rows."""

    def find_header(self, place: int | SourceSpan) -> HeaderRow | None:
        """Return the header row that text needs which begins at a place: in these rows, and behind their header row.

        Args:
            place: An offset in the text of the chunk, or a place in the source.
        """
        if isinstance(place, int):
            is_behind = self.start < place or (self.start == place and not self.has_header)
            return self.header if is_behind and place < self.end else None
        match (place, self.source_span, self.header.source_span):
            case (LineSpan(start=first), LineSpan() as own, LineSpan(end=last)):
                return self.header if last < first and own.start <= first <= own.end else None
            case (CellSpan() as asked, CellSpan() as own, CellSpan() as head) if asked.sheet == own.sheet:
                if asked.cells is None or own.cells is None or head.cells is None:
                    return None
                first, rows = parse_cells(asked.cells).top, parse_cells(own.cells)
                is_behind = parse_cells(head.cells).bottom < first
                return self.header if is_behind and rows.top <= first <= rows.bottom else None
        return None
