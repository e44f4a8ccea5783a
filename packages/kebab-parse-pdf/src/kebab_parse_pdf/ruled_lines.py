"""Grids: cells between the lines that a page draws, as tables have them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

_THIN = 3.0
"""Width of a line, in points; what is wider is an area."""
_NEAR = 2.5
"""Distance of lines that meet, and of parts of one line, in points."""
_LEAST_LENGTH = 6.0
_LEAST_CELLS = 2
"""Rows and columns of a table."""
_MAX_PATHS, _MAX_POINTS = 4000, 400
"""Paths of a page and points of a path; drawings have more."""
_MAX_LINES = 400
"""Lines of a page in each direction."""


Rectangle = tuple[float, float, float, float]
Convert = Callable[[float, float, float, float], Rectangle]
"""Left, bottom, right and top on a page to left, top, right and bottom as it is displayed."""


class _Line(NamedTuple):
    """A line along one axis: its place on the other one, and where it begins and ends."""

    at: float
    start: float
    end: float


class GridCell(NamedTuple):
    """A cell: its place on the page, and the rows and columns that it stands in, from 0, the ends excluded."""

    left: float
    top: float
    right: float
    bottom: float
    rows: range
    columns: range

    def holds(self, box: Rectangle) -> bool:
        """Return True if the middle of a rectangle, its left, top, right and bottom, is in the cell."""
        left, top, right, bottom = box
        return self.left <= (left + right) / 2 < self.right and self.top <= (top + bottom) / 2 < self.bottom


class Grid(NamedTuple):
    """Cells between lines, row by row; those that cover several rows or columns once."""

    cells: tuple[GridCell, ...]
    rows: int
    columns: tuple[float, ...]
    """Places of the lines between its columns."""


def read_grids(page: Any, convert: Convert) -> tuple[Grid, ...]:
    """Return the grids of a page, a handle of PDFium."""
    across: list[_Line] = []
    down: list[_Line] = []
    for left, top, right, bottom in _list_lines(page, convert):
        if right - left >= bottom - top:
            across.append(_Line((top + bottom) / 2, left, right))
        else:
            down.append(_Line((left + right) / 2, top, bottom))
    if len(across) < _LEAST_CELLS or not down:
        return ()
    across, down = _merge(across), _merge(down)
    if max(len(across), len(down)) > _MAX_LINES:
        return ()
    return tuple(grid for lines in _group(across, down) if (grid := _build_grid(*lines)) is not None)


def _list_lines(page: Any, convert: Convert) -> Iterator[Rectangle]:
    """Yield the straight lines of the paths of a page, as rectangles on the page as it is displayed."""
    from pypdfium2 import raw

    sides = [ctypes.c_float() for _ in range(4)]
    paths = 0
    for index in range(raw.FPDFPage_CountObjects(page)):
        each = raw.FPDFPage_GetObject(page, index)
        if raw.FPDFPageObj_GetType(each) != raw.FPDF_PAGEOBJ_PATH:
            continue
        paths += 1
        if paths > _MAX_PATHS:
            return
        if not raw.FPDFPageObj_GetBounds(each, *map(ctypes.byref, sides)):
            continue
        left, bottom, right, top = (side.value for side in sides)
        if max(right - left, top - bottom) < _LEAST_LENGTH:
            continue
        if min(right - left, top - bottom) <= _THIN:
            yield convert(left, bottom, right, top)
        else:
            yield from (convert(*box) for box in _list_strokes(each))


def _list_strokes(path: Any) -> Iterator[Rectangle]:
    """Yield the straight lines of a path with an outline: left, bottom, right, top."""
    from pypdfium2 import raw

    fill, is_stroked, matrix = ctypes.c_int(), ctypes.c_int(), raw.FS_MATRIX()
    count = raw.FPDFPath_CountSegments(path)
    if (
        count > _MAX_POINTS
        or not raw.FPDFPath_GetDrawMode(path, fill, is_stroked)
        or not is_stroked.value
        or not raw.FPDFPageObj_GetMatrix(path, matrix)
    ):
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(count):
        each = raw.FPDFPath_GetPathSegment(path, index)
        raw.FPDFPathSegment_GetPoint(each, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = raw.FPDFPathSegment_GetType(each)
        ends = [(last, point)] if kind == raw.FPDF_SEGMENT_LINETO else []
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = point
        elif raw.FPDFPathSegment_GetClose(each):
            ends.append((point, start))
        for one, other in ends:
            width, height = abs(one[0] - other[0]), abs(one[1] - other[1])
            if min(width, height) <= _THIN and max(width, height) >= _LEAST_LENGTH:
                yield (
                    min(one[0], other[0]),
                    min(one[1], other[1]),
                    max(one[0], other[0]),
                    max(one[1], other[1]),
                )
        last = point


def _merge(lines: Sequence[_Line]) -> list[_Line]:
    """Return lines with those joined that lie on each other or go on where another one ends."""
    merged: list[_Line] = []
    first = 0
    ordered = sorted(lines)
    for index, line in enumerate(ordered, 1):
        if index < len(ordered) and ordered[index].at - ordered[first].at <= _NEAR:
            continue
        begun = len(merged)
        for one in sorted(ordered[first:index], key=lambda each: each.start):
            if len(merged) > begun and one.start <= merged[-1].end + _NEAR:
                merged[-1] = merged[-1]._replace(end=max(merged[-1].end, one.end))
            else:
                merged.append(one._replace(at=line.at))
        first = index
    return merged


def _group(across: Sequence[_Line], down: Sequence[_Line]) -> list[tuple[list[_Line], list[_Line]]]:
    """Return the lines that meet, directly or by others."""
    groups: list[tuple[list[_Line], list[_Line]]] = []
    left = list(down)
    for line in across:
        own = [each for each in groups if any(_meet(line, other) for other in each[1])]
        new = [other for other in left if _meet(line, other)]
        left = [other for other in left if other not in new]
        joined = ([line], new)
        for each in own:
            joined[0].extend(each[0])
            joined[1].extend(each[1])
            groups.remove(each)
        groups.append(joined)
    return [(sorted(one), sorted(other)) for one, other in groups]


def _meet(across: _Line, down: _Line) -> bool:
    return (
        across.start - _NEAR <= down.at <= across.end + _NEAR
        and down.start - _NEAR <= across.at <= down.end + _NEAR
    )


def _build_grid(across: Sequence[_Line], down: Sequence[_Line]) -> Grid | None:
    """Build a grid of lines that meet; None where they enclose no table. Those around it may be missing."""
    if len(across) < _LEAST_CELLS or not down:
        return None
    ys, xs = _list_places(across, down), _list_places(down, across)
    rows, columns = len(ys) - 1, len(xs) - 1
    if min(rows, columns) < _LEAST_CELLS:
        return None
    if not (_is_closed(across, ys, xs) or _is_closed(down, xs, ys)):
        return None
    cells: list[GridCell] = []
    taken: set[tuple[int, int]] = set()
    for row in range(rows):
        for column in range(columns):
            if (row, column) in taken:
                continue
            last = column + 1
            while last < columns and not _is_drawn(down, xs[last], ys[row], ys[row + 1]):
                last += 1
            below = row + 1
            while below < rows and not _is_drawn(across, ys[below], xs[column], xs[column + 1]):
                below += 1
            own = {(each, at) for each in range(row, below) for at in range(column, last)}
            if own & taken:
                return None
            taken |= own
            cells.append(
                GridCell(xs[column], ys[row], xs[last], ys[below], range(row, below), range(column, last))
            )
    return Grid(tuple(cells), rows, tuple(xs[1:-1]))


def _list_places(lines: Sequence[_Line], others: Sequence[_Line]) -> list[float]:
    """Return where lines are, and where those that meet them begin and end."""
    places = sorted([
        *(line.at for line in lines),
        min(each.start for each in others),
        max(each.end for each in others),
    ])
    return places[:1] + [other for one, other in pairwise(places) if other - one > _NEAR]


def _is_closed(lines: Sequence[_Line], places: Sequence[float], others: Sequence[float]) -> bool:
    """Return True if the first and the last line go through; axes of a diagram have none at their ends."""
    return all(
        _is_drawn(lines, at, start, end) for at in (places[0], places[-1]) for start, end in pairwise(others)
    )


def _is_drawn(lines: Sequence[_Line], at: float, start: float, end: float) -> bool:
    middle = (start + end) / 2
    return any(abs(line.at - at) <= _NEAR and line.start <= middle <= line.end for line in lines)
