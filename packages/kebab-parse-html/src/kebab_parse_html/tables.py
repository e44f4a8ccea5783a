"""Tables of a page: which hold data and which only place what is on the page, and the cells of the first kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kebab_parse import join_headers

from kebab_parse_html.elements import Element

_LAYOUT_ROLES = frozenset({"presentation", "none"})
_NOT_IN_CELLS = frozenset({
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "pre",
    "article",
    "section",
    "form",
    "blockquote",
})
_MAX_COLUMNS = 256
_MAX_CELL_CHARS = 400
"""Mean length of cells above which a table without a header row places text on the page."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """The cells of a table as text, spans of rows repeated."""

    caption: str
    headers: Sequence[str]
    """Empty where the table has no header row."""
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    is_header: bool


def is_data_table(table: Element) -> bool:
    """Return True for rows and columns of data, False for a table that only places text and pictures."""
    if table.get("role") in _LAYOUT_ROLES:
        return False
    widths = [sum(1 for _ in _cells(row)) for row, _ in _rows(table)]
    tags = {below.tag for below in table.iterate() if below is not table}
    if "table" in tags or max(widths, default=0) < 2:  # noqa: PLR2004 - one column is no table
        return False
    if "th" in tags or "thead" in tags or "caption" in tags:
        return True
    if not tags.isdisjoint(_NOT_IN_CELLS) or len(widths) < 2:  # noqa: PLR2004 - nor is one row
        return False
    return table.chars <= _MAX_CELL_CHARS * sum(widths)


def read_table(table: Element, text_of: Callable[[Element], str]) -> PageTable:
    """Return the cells of a table of data.

    Header rows are those of `<thead>`, else the first ones that hold header cells only; several are joined by column. A
    cell over several rows is repeated in each, one over several columns stands in the first.

    Args:
        table: The element.
        text_of: Gives the text of a cell on one line.
    """
    caption = next((text_of(child) for child in table.elements if child.tag == "caption"), "")
    heads: list[list[_Cell]] = []
    body: list[list[_Cell]] = []
    # Of each column that a cell from above covers: that cell, and the number of rows that it still covers.
    covered: dict[int, tuple[_Cell, int]] = {}
    for row, in_head in _rows(table):
        cells = list(_place(row, covered, text_of))
        in_head = in_head or (bool(cells) and all(cell.is_header for cell in cells))
        (heads if in_head and not body else body).append(cells)
    headers = join_headers([[cell.text for cell in row] for row in heads])
    return PageTable(caption, headers, [[cell.text for cell in row] for row in body])


def _rows(table: Element) -> Iterator[tuple[Element, bool]]:
    """Yield the rows in order, each with whether it is in the head of the table."""
    for child in table.elements:
        if child.tag == "tr":
            yield child, False
        elif child.tag in {"thead", "tbody", "tfoot"}:
            yield from ((row, child.tag == "thead") for row in child.elements if row.tag == "tr")


def _cells(row: Element) -> Iterator[Element]:
    return (child for child in row.elements if child.tag in {"td", "th"})


def _place(
    row: Element, covered: dict[int, tuple[_Cell, int]], text_of: Callable[[Element], str]
) -> Iterator[_Cell]:
    """Yield the cells of a row by column, with those that reach down from rows above it."""
    column = 0
    for element in (*_cells(row), None):
        while column in covered:
            cell, left = covered.pop(column)
            if left > 1:
                covered[column] = (cell, left - 1)
            yield cell
            column += 1
        if element is None or column >= _MAX_COLUMNS:
            return
        cell = _Cell(text_of(element), element.tag == "th")
        blank = cell if cell.is_header else _Cell("", is_header=False)
        for offset in range(min(_span(element, "colspan"), _MAX_COLUMNS - column)):
            shown = blank if offset else cell
            if (height := _span(element, "rowspan")) > 1:
                covered[column] = (shown, height - 1)
            yield shown
            column += 1


def _span(cell: Element, name: str) -> int:
    value = cell.get(name).strip()
    return max(int(value), 1) if value.isdecimal() and len(value) <= 4 else 1  # noqa: PLR2004 - thousands of cells
