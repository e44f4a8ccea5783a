"""The text of a workbook, a line for each row, and its blocks with the cells that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Block, Cells, CellSpan, DocumentId, ExtractedText, ParagraphBlock, TableBlock, TextPart
from kebab_parse import BlockBuilder

from kebab_parse_office.sheets import Sheet, Table, find_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_NAME_CHARS = 255
_FIRST_CELL = Cells(1, 1, 1, 1)
_MOST_PARTS = 5000
"""Parts of one table from which on a part holds several rows: a part takes more memory than its text."""


class SheetWriter:
    """Writes the tables of sheets, one sheet after the other.

    Args:
        doc_id: The document.
    """

    def __init__(self, doc_id: DocumentId) -> None:
        self.blocks: list[Block] = []
        """The blocks so far."""
        self._places = BlockBuilder(doc_id)
        self._texts: list[str] = []
        self._parts: list[TextPart] = []
        self._length = 0
        self._sheets = 0
        self._running: set[str] = set()
        """Lines of headers and footers so far."""

    def add(self, sheet: Sheet) -> None:
        """Write a sheet; one without anything in it adds nothing."""
        self._sheets += 1
        name = sheet.name[:_MAX_NAME_CHARS] or f"Sheet{self._sheets}"
        sheet.fill_merged()
        self._places.open_section(1, name)
        last = None
        for table in find_tables(sheet):
            self._write("\n" if self._length else "")
            if last is None:
                self._write(f"# {name}\n\n")
            self._add_table(name, table)
            last = table.cells._replace(top=table.cells.bottom)
        last = self._add_drawn(name, sheet, last)
        self._add_running(name, sheet, last)

    def _add_drawn(self, name: str, sheet: Sheet, last: Cells | None) -> Cells | None:
        """Write the texts of shapes and charts below the cells; return the place of headers and footers."""
        for cells, text in sheet.drawn:
            if last is None:
                self._write(f"\n# {name}\n" if self._length else f"# {name}\n")
                last = cells
            self._write("\n")
            start, span = self._length, CellSpan(sheet=name, cells=str(cells))
            self._write(f"{text}\n")
            self._parts.append(TextPart(start=start, end=self._length, source_span=span))
            self.blocks.append(ParagraphBlock(**self._places.place("paragraph", span), text=text))
        return last

    def _add_running(self, name: str, sheet: Sheet, last: Cells | None) -> None:
        """Write the lines of headers and footers that no sheet before has; their place is the last row."""
        for text in dict.fromkeys(sheet.running):
            if text in self._running:
                continue
            self._running.add(text)
            if last is None:
                self._write(f"\n# {name}\n" if self._length else f"# {name}\n")
                last = _FIRST_CELL
            self._write("\n")
            span = self._write_rows(name, last, [text])
            self.blocks.append(ParagraphBlock(**self._places.place("paragraph", span), text=text))

    def finish(self) -> ExtractedText:
        """Return the text of all sheets, with a part for each row, or for some neighbouring rows of a long table."""
        return ExtractedText(text="".join(self._texts), parts=tuple(self._parts))

    def _add_table(self, sheet: str, table: Table) -> None:
        for cells, text in table.captions:
            span = self._write_rows(sheet, cells, [text])
            self.blocks.append(ParagraphBlock(**self._places.place("paragraph", span), text=text))
        above = None if table.header_cells is None else CellSpan(sheet=sheet, cells=str(table.header_cells))
        head = [_row(table.headers)] if table.headers and above is None else []
        span = self._write_rows(sheet, table.cells, [*head, *map(_row, table.rows)])
        self.blocks.append(
            TableBlock(
                **self._places.place("table", span),
                headers=table.headers,
                rows=tuple(table.rows),
                header_span=above,
            )
        )

    def _write_rows(self, sheet: str, cells: Cells, lines: Sequence[str]) -> CellSpan:
        step = -(-len(lines) // _MOST_PARTS)
        for first in range(0, len(lines), step):
            own = lines[first : first + step]
            start, top = self._length, cells.top + first
            self._write("".join(f"{line}\n" for line in own))
            span = CellSpan(sheet=sheet, cells=str(cells._replace(top=top, bottom=top + len(own) - 1)))
            self._parts.append(TextPart(start=start, end=self._length, source_span=span))
        return CellSpan(sheet=sheet, cells=str(cells))

    def _write(self, text: str) -> None:
        self._texts.append(text)
        self._length += len(text)


def _row(cells: Sequence[str]) -> str:
    """Return a row as passages show it."""
    return " | ".join(cells) if any(cells) else ""
