"""Tables of a page: which hold data and which only place what is on the page, and the cells of the first kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kebab_parse import TableCell, join_headers, spread_cells

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
"""Most cells of a row; merged cells cover no column beyond."""
_MAX_CELL_CHARS = 400
"""Mean length of cells above which a table without a header row places text on the page."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """The cells of a table as text, those of merged cells in each row and column that they cover."""

    caption: str
    headers: Sequence[str]
    """Empty where the table has no header row."""
    rows: Sequence[Sequence[str]]


def is_data_table(table: Element) -> bool:
    """Return True for rows and columns of data, False for a table that only places text and pictures."""
    if table.get("role") in _LAYOUT_ROLES:
        return False
    widths = [sum(1 for _ in _cells(row)) for row, _ in _rows(table)]
    tags = {below.tag for below in table.iterate() if below is not table}
    if "table" in tags or not 2 <= max(widths, default=0) <= _MAX_COLUMNS:  # noqa: PLR2004 - one column is no table
        return False
    if "th" in tags or "thead" in tags or "caption" in tags:
        return True
    if not tags.isdisjoint(_NOT_IN_CELLS) or len(widths) < 2:  # noqa: PLR2004 - nor is one row
        return False
    return table.chars <= _MAX_CELL_CHARS * sum(widths)


def read_table(table: Element, text_of: Callable[[Element], str]) -> PageTable:
    """Return the cells of a table of data.

    Header rows are those of `<thead>`, else the first ones that hold header cells only; several are joined by column.

    Args:
        table: The element.
        text_of: Gives the text of a cell on one line.
    """
    caption = next((text_of(child) for child in table.elements if child.tag == "caption"), "")
    cells: list[TableCell] = []
    # Of each column that a cell from above covers: the number of rows that it still covers, and whether it is a header cell.
    covered: dict[int, tuple[int, bool]] = {}
    heads, is_body = 0, False
    for number, (row, in_head) in enumerate(_rows(table)):
        placed = list(_place(row, number, covered, text_of))
        own = [cell for cell, _ in placed if cell is not None]
        is_body = is_body or not (in_head or (placed and all(is_header for _, is_header in placed)))
        heads += bool(own) and not is_body
        cells += own
    grid = spread_cells(cells)
    return PageTable(caption, join_headers(grid[:heads]), grid[heads:])


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
    row: Element, number: int, covered: dict[int, tuple[int, bool]], text_of: Callable[[Element], str]
) -> Iterator[tuple[TableCell | None, bool]]:
    """Yield the cells of a row, and None for each column that a cell of a row above covers; each with whether it is a header cell."""
    column = 0
    for element in (*_cells(row), None):
        while column in covered:
            left, is_header = covered.pop(column)
            if left > 1:
                covered[column] = (left - 1, is_header)
            yield None, is_header
            column += 1
        if element is None:
            return
        is_header = element.tag == "th"
        left = _MAX_COLUMNS - column
        width = max(min(_span(element, "colspan"), left), 1)
        height = _span(element, "rowspan") if left > 0 else 1
        yield TableCell(number, column, text_of(element), height, width), is_header
        if height > 1:
            covered |= dict.fromkeys(range(column, column + width), (height - 1, is_header))
        column += width


def _span(cell: Element, name: str) -> int:
    value = cell.get(name).strip()
    return max(int(value), 1) if value.isdecimal() and len(value) <= 4 else 1  # noqa: PLR2004 - thousands of cells
