"""Paragraphs and tables of a region, from its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from statistics import median
from typing import NamedTuple

from kebab_parse_pdf.reading_order import Region, Row, build_rows
from kebab_parse_pdf.ruled_lines import Grid, GridCell
from kebab_parse_pdf.segments import HYPHEN, Segment

_TIGHT = 0.12
"""Width of a gap inside a word, in heights of the line."""
_CELL_GAP = 0.9
"""Width of a gap between cells, in heights of the row."""
_LEAST_GUTTER = 0.4
"""Width that a gutter between columns of a table keeps, in heights of the row."""
_ALIGNED = 0.5
"""Distance of the ends of two aligned cells, in heights of the row."""
_LINE_GAP = 0.5
"""Distance between two lines of a cell, in heights of the row."""
_TABLE_ROWS = 3
_SHORT_TABLE_ROWS, _SHORT_TABLE_CELLS = 2, 3
"""Rows and cells of a table of a header and one row, all cells of which are aligned."""
_ROW_PITCH = 4
"""Distance of rows of one table, in heights of a row."""
_CELL_CHARS = 80
"""Mean length of the cells of a table; longer ones are columns of text."""
_RULED_CELL_CHARS = 600
"""Length of a cell of a grid; longer ones are columns or pages with a frame."""
_RULE = 1.0
"""Half the width of the gap at a line between columns, in points."""
_PARAGRAPH_PITCH = 1.3
"""Distance of two lines that divides paragraphs, in distances of lines that are usual in the region."""
_INDENT = 0.8
"""Indentation that begins a paragraph, in heights of the line."""
_SIZE_CHANGE = 1.18
"""Ratio of the heights of two lines that are not of one paragraph."""
_DIGIT = re.compile(r"\d")
_LEADER = re.compile(r"(?:\. ?){4}|…{2}|·{4}")
_LIST_MARK = re.compile(r"[•◦▪■□○●·*–—-]|\(?(?:\d{1,3}|[A-Za-z가-힣]|[ivx]{1,5})[.)]|\[\d+\]|[①-⑳]")
_SECTION_NUMBER = re.compile(
    r"\(?\d{1,3}(?:\.\d{1,3}){0,4}[.)]?|제 ?\d{1,3} ?[장절조관항]|[A-Z]\.|[IVX]{1,5}\.|[가-하][.)]"
)
_EQUATION_NUMBER = re.compile(r"\(\d+(?:\.\d+)*[a-z]?\)")
_LIST_ITEM = re.compile(r"(?:[•◦▪■□○●·–—]|\(?\d{1,3}[.)]|\[\d+\]|[①-⑳])\s")


class Paragraph(NamedTuple):
    """Rows of one paragraph, or of a listing or formula."""

    rows: tuple[Row, ...]


class Table(NamedTuple):
    """A table: its rows, and their cells, as many in each of them."""

    rows: tuple[Row, ...]
    cells: tuple[tuple[str, ...], ...]
    """Lines of a cell of a grid are lines of its text."""
    gutters: tuple[tuple[float, float], ...]
    """Left and right end of each gap between its columns."""
    carried: tuple[str, ...] | None = None
    """Header that stands on an earlier page; None where the first row is the header."""

    @property
    def headers(self) -> tuple[str, ...]:
        """Cells of the header."""
        return self.cells[0] if self.carried is None else self.carried

    @property
    def body(self) -> tuple[tuple[str, ...], ...]:
        """Cells of the rows below the header."""
        return self.cells[1:] if self.carried is None else self.cells

    def carry_header(self, before: Table) -> Table:
        """Return the table with the header of the table at the end of the page before, if it is the rest of that one.

        It is where the columns are the same and its first row is no header. Headers with digits are not carried: they may be data.
        """
        height = self.rows[0].height
        is_rest = (
            len(self.gutters) == len(before.gutters)
            and abs(min(row.left for row in self.rows) - min(row.left for row in before.rows)) <= height
            and all(
                max(one[0], other[0]) < min(one[1], other[1])
                for one, other in zip(self.gutters, before.gutters, strict=True)
            )
            and not any(not cell or _DIGIT.search(cell) for cell in before.headers)
        )
        return self._replace(carried=before.headers) if is_rest and not _has_header(self, before) else self


def _has_header(table: Table, before: Table) -> bool:
    """Return True if the first row is the header of before, or the only row without a digit in one of the columns."""
    first, *rows = table.cells
    if first == before.headers:
        return True
    return any(
        not _DIGIT.search(head) and all(map(_DIGIT.search, cells))
        for head, *cells in zip(first, *rows, strict=True)
    )


def build_ruled_table(grid: Grid, segments: Sequence[Segment]) -> Table | None:
    """Build the table of a grid; what covers several rows stands in each.

    None for a frame, a drawing, long texts, or rows without lines between them.

    Args:
        grid: The cells.
        segments: What stands in them.
    """
    cells = [[""] * (len(grid.columns) + 1) for _ in range(grid.rows)]
    texts: list[str] = []
    wrapped: list[tuple[GridCell, list[Row]]] = []
    for cell in grid.cells:
        own = [each for each in segments if cell.holds(each.box)]
        if own:
            if any(each.left < cell.left - _RULE or each.right > cell.right + _RULE for each in own):
                return None
            rows = build_rows(own)
            wrapped += [(cell, rows)] * (len(rows) > 1)
            texts.append("\n".join(map(row_text, rows)))
            for row in cell.rows:
                cells[row][cell.columns[0]] = texts[-1]
    kept = [at for at in range(len(cells[0])) if any(row[at] for row in cells)]
    lines = tuple(tuple(row[at] for at in kept) for row in cells if any(row))
    if min(len(lines), len(kept)) < _SHORT_TABLE_ROWS or any(len(text) > _RULED_CELL_CHARS for text in texts):
        return None
    if any(_are_stacks(*one, *other) for one, other in combinations(wrapped, 2)):
        return None
    gutters = tuple((grid.columns[at - 1] - _RULE, grid.columns[at - 1] + _RULE) for at in kept[1:])
    return Table(tuple(build_rows(segments)), lines, gutters)


def _are_stacks(cell: GridCell, rows: Sequence[Row], beside: GridCell, others: Sequence[Row]) -> bool:
    """Return True if the lines of two cells beside each other are rows of a table that has no lines between these."""
    if not set(cell.rows) & set(beside.rows) or (_is_one_text(rows) and _is_one_text(others)):
        return False
    few, many = sorted((rows, others), key=len)
    return all(any(abs(one.bottom - other.bottom) < _LINE_GAP * one.height for other in many) for one in few)


def _is_one_text(rows: Sequence[Row]) -> bool:
    """Return True if most lines of a cell have no room for the first word of the next one."""
    width = max(row.right - row.left for row in rows)
    full = 0
    for row, following in pairwise(rows):
        first = following.segments[0]
        word = len(first.text.split(maxsplit=1)[0]) / len(first.text)
        full += width - (row.right - row.left) < (first.right - first.left) * word + _LINE_GAP * row.height
    return full * 2 > len(rows) - 1


def build_parts(region: Region) -> Iterator[Paragraph | Table]:
    """Yield the paragraphs and tables of a region, in order."""
    rows, start = list(region.rows), 0
    pitch = _usual_pitch(rows)
    while start < len(rows):
        table, end = _read_table(rows, start)
        if table is not None and (beside := _split_heading(rows, start, end)):
            heading, rows[start] = beside
            yield Paragraph((heading,))
            continue
        if table is not None:
            yield table
        else:
            end = start + 1
            while end < len(rows) and not _begins_paragraph(rows[start:end], rows[end], pitch):
                if _read_table(rows, end)[0] is not None:
                    break
                end += 1
            yield Paragraph(tuple(rows[start:end]))
        start = end


def row_text(row: Row) -> str:
    """Return the text of a row; only at its end may there be a hyphen that divides a word."""
    return _join(row.segments)


def _join(segments: Sequence[Segment]) -> str:
    text = segments[0].text
    for one, other in pairwise(segments):
        gap = other.left - one.right
        text = (
            text.replace(HYPHEN, "-")
            + (" " if gap > _TIGHT * min(one.height, other.height) else "")
            + other.text
        )
    return text


def _usual_pitch(rows: Sequence[Row]) -> float:
    pitches = [other.bottom - one.bottom for one, other in pairwise(rows)]
    return median(pitches) if pitches else 0.0


def _begins_paragraph(lines: Sequence[Row], row: Row, pitch: float) -> bool:
    """Return True if a row is not of the paragraph of the lines before it."""
    last = lines[-1]
    if row.bottom - last.bottom > max(pitch, last.height) * _PARAGRAPH_PITCH:
        return True
    if max(row.height, last.height) > _SIZE_CHANGE * min(row.height, last.height) and (
        row.segments[0].height != last.segments[0].height
    ):
        return True
    indent = (row.left - last.left) / row.height
    if indent > _INDENT or (indent < -_INDENT and len(lines) > 1):
        return True
    return bool(_LIST_ITEM.match(row.segments[0].text + " "))


def _cells(row: Row) -> list[list[Segment]]:
    cells: list[list[Segment]] = []
    for segment in row.segments:
        if cells and segment.left - max(each.right for each in cells[-1]) < _CELL_GAP * row.height:
            cells[-1].append(segment)
        else:
            cells.append([segment])
    return cells


def _read_table(rows: Sequence[Row], start: int) -> tuple[Table | None, int]:
    """Read the table that begins with a row; None where none does. Also return where it ends."""
    if len(rows[start].segments) == 1 or _is_heading(rows[start], rows[start + 1 : start + 2]):
        return None, start
    heads = _cells(rows[start])
    gutters = [(left[-1].right, right[0].left) for left, right in pairwise(heads)]
    current, end, filled, counted = gutters, start, 0, set[int]()
    for index in range(start, len(rows)):
        row = rows[index]
        before = rows[index - 1]
        is_apart = row.top - before.bottom > _ROW_PITCH * row.height
        if index > start and (is_apart or _is_heading(row, [before])):
            break
        cells = _cells(row)
        kept = [gutter for gutter in (_narrow(gutter, cells, row.height) for gutter in current) if gutter]
        if (
            len(kept) < len(current)
            and len(cells) == len(heads) == len(current) + 1
            and _are_below(cells, heads)
        ):
            counted.add(index)
        elif not kept or len(kept) * 2 < len(current):
            break
        else:
            current = kept
        if len(cells) > 1:
            # Rows below the table, of one cell, do not change its columns.
            gutters, end, filled = current, index + 1, filled + 1
    if (filled < _TABLE_ROWS and not _is_short_table(rows[start:end])) or _is_justified(rows[start:end]):
        return None, start
    edges = [(left + right) / 2 for left, right in gutters]
    lines = [
        _cells(row) if index in counted and len(edges) + 1 == len(heads) else _sort_cells(row, edges)
        for index, row in enumerate(rows[start:end], start)
    ]
    if not _is_table([_fill(line) for line in lines], filled):
        return None, start
    while end < len(rows) and _ends_cell(rows[end], rows[end - 1], edges):
        lines.append(_sort_cells(rows[end], edges))
        end += 1
    own = tuple(rows[start:end])
    return Table(own, tuple(_join_wrapped(own, lines)), tuple(gutters)), end


def _is_justified(rows: Sequence[Row]) -> bool:
    """Return True for lines of justified text whose blanks are as wide as gaps between cells.

    Each line has blanks of one width, which differs from line to line, so that its words are below none of another line.
    """
    lines = [row for row in rows if len(row.segments) > 2]  # noqa: PLR2004 - two gaps can be compared
    return (
        bool(lines)
        and all(map(_is_evenly_spaced, lines))
        and not any(
            len(one.segments) == len(other.segments) and _are_below(_words(other), _words(one))
            for one, other in pairwise(lines)
        )
    )


def _is_evenly_spaced(row: Row) -> bool:
    # A segment of several words has blanks that are a little less wide than gaps between cells.
    gaps = [right.left - left.right for left, right in pairwise(row.segments)]
    gaps += [_CELL_GAP * row.height] * any(" " in each.text for each in row.segments)
    return max(gaps) - min(gaps) < _TIGHT * row.height


def _words(row: Row) -> list[list[Segment]]:
    return [[segment] for segment in row.segments]


def _is_short_table(rows: Sequence[Row]) -> bool:
    if len(rows) != _SHORT_TABLE_ROWS:
        return False
    heads, cells = map(_cells, rows)
    return len(heads) == len(cells) >= _SHORT_TABLE_CELLS and _are_below(cells, heads)


def _is_heading(row: Row, neighbours: Sequence[Row]) -> bool:
    """Return True for the number and the text of a heading, unless its text is a cell of a column of its neighbour."""
    cells = _cells(row)
    return (
        len(cells) == 2  # noqa: PLR2004 - number and text
        and _SECTION_NUMBER.fullmatch(_join(cells[0])) is not None
        and any(map(str.isalpha, _join(cells[1])))
        and not any(
            abs(cell[0].left - cells[1][0].left) < _ALIGNED * row.height
            for neighbour in neighbours
            for cell in _cells(neighbour)
        )
    )


def _split_heading(rows: Sequence[Row], start: int, end: int) -> tuple[Row, Row] | None:
    """Return the heading at the left of the first row of a table and the rest of that row; None where there is none.

    It is in larger type than its row, and no other row has anything below it.
    """
    heading, *cells = _cells(rows[start])
    rest = Row(tuple(segment for cell in cells for segment in cell))
    if len(cells) < 2 or Row(tuple(heading)).height < _SIZE_CHANGE * rest.height:  # noqa: PLR2004 - a table
        return None
    right = max(segment.right for segment in heading)
    is_alone = all(row.left >= right for row in rows[start + 1 : end])
    return (Row(tuple(heading)), rest) if is_alone else None


def _narrow(
    gutter: tuple[float, float], cells: Sequence[Sequence[Segment]], height: float
) -> tuple[float, float] | None:
    left, right = gutter
    middle = (left + right) / 2
    for cell in cells:
        cell_left, cell_right = cell[0].left, max(each.right for each in cell)
        if cell_right <= middle:
            left = max(left, cell_right)
        elif cell_left >= middle:
            right = min(right, cell_left)
        elif right - cell_right > cell_left - left:
            left = max(left, cell_right)
        else:
            right = min(right, cell_left)
    return (left, right) if right - left >= _LEAST_GUTTER * height else None


def _ends_cell(row: Row, before: Row, edges: Sequence[float]) -> bool:
    """Return True if a row is a line of a cell of the row before, and not of its first column."""
    column = sum(row.left >= edge for edge in edges)
    return (
        len(_cells(row)) == 1
        and column > 0
        and _is_next_line(row, before)
        and (column == len(edges) or row.right <= edges[column])
        and any(abs(row.left - each.left) < _ALIGNED * row.height for each in before.segments)
    )


def _is_next_line(row: Row, before: Row) -> bool:
    return row.top - before.bottom <= _LINE_GAP * row.height


def _join_wrapped(
    rows: Sequence[Row], lines: Sequence[Sequence[Sequence[Segment]]]
) -> Iterator[tuple[str, ...]]:
    """Yield the texts of the rows with the wrapped lines of cells joined; a divided word stays in two rows."""
    ends = [
        max((cell[-1].right for cell in column if cell), default=0.0) for column in zip(*lines, strict=True)
    ]
    joined = list(_fill(lines[0]))
    for (before, row), (above, line) in zip(pairwise(rows), pairwise(lines), strict=True):
        at, *others = [column for column, cell in enumerate(line) if cell]
        texts = _fill(line)
        if (
            at
            and not others
            and any(map(str.isalpha, texts[at]))
            and _is_next_line(row, before)
            and _goes_on(above[at], line[at], ends[at])
        ):
            joined[at] += " " + texts[at]
        else:
            yield tuple(joined)
            joined = list(texts)
    yield tuple(joined)


def _goes_on(above: Sequence[Segment], below: Sequence[Segment], end: float) -> bool:
    """Return True if a line of a cell is more than a word, and the first word of the next line has no room in it."""
    if not above:
        return False
    text, following = _join(above), below[0]
    word = len(following.text.split(maxsplit=1)[0]) / len(following.text)
    need = (following.right - following.left) * word
    return (
        " " in text
        and not text.endswith(("-", HYPHEN))
        and end - above[-1].right < need + _TIGHT * following.height
    )


def _are_below(cells: Sequence[Sequence[Segment]], heads: Sequence[Sequence[Segment]]) -> bool:
    """Return True if each cell begins where its head does, or is a number and ends where its head does.

    Only of numbers, since the lines of justified text all end at one place.
    """
    return all(
        abs(cell[0].left - head[0].left) < _ALIGNED * cell[0].height
        or (abs(cell[-1].right - head[-1].right) < _ALIGNED * cell[0].height and _is_number(_join(cell)))
        for cell, head in zip(cells, heads, strict=True)
    )


def _is_number(text: str) -> bool:
    return sum(map(str.isdigit, text)) * 2 >= len(text)


def _sort_cells(row: Row, edges: Sequence[float]) -> list[list[Segment]]:
    columns: list[list[Segment]] = [[] for _ in range(len(edges) + 1)]
    for segment in row.segments:
        columns[sum(segment.left >= edge for edge in edges)].append(segment)
    return columns


def _fill(columns: Sequence[Sequence[Segment]]) -> tuple[str, ...]:
    return tuple(_join(column).replace(HYPHEN, "-") if column else "" for column in columns)


def _is_table(rows: Sequence[Sequence[str]], filled: int) -> bool:
    texts = [cell for row in rows for cell in row if cell]
    if filled * 2 < len(rows) or sum(map(len, texts)) > _CELL_CHARS * len(texts):
        return False
    if sum(any(_LEADER.search(cell) for cell in row) for row in rows) * 3 > len(rows):
        return False
    if len(rows[0]) > 2:  # noqa: PLR2004 - the two forms below have two columns
        return True
    firsts, lasts = ([row[at] for row in rows if row[at]] for at in (0, -1))
    return not (all(map(_LIST_MARK.fullmatch, firsts)) or all(map(_EQUATION_NUMBER.fullmatch, lasts)))
