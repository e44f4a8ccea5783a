"""Reading order of a page: columns are read one after the other, and segments on one height are a row."""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

from kebab_text import log_probability

from kebab_parse_pdf.segments import Segment

_SAME_ROW = 0.5
"""Share of the lower of two segments that lies beside the other one if they are in one row."""
_MIN_GUTTER = 0.7
"""Width of a gutter between columns, in heights of the lines."""
_DRAWN_BY_COLUMN = 0.95
"""Share of a band whose left side is drawn before its right side, or after it: a table is drawn row by row."""
_COLUMN_ROWS, _BOX_ROWS, _TEXT_COLUMN_ROWS = 2, 3, 4
"""Rows of a column that is drawn by itself, of one that is drawn before the text at its left, as boxes beside a text are, and of one that
only its shape shows."""
_TEXT_COLUMN_FILL = 0.6
"""Width of the typical line of a column, as a share of the column: cells of tables are shorter."""
_TEXT_COLUMN_WIDTH = 0.2
"""Width of a column, as a share of the region."""
_LABEL_WIDTH = 8
"""Width of the typical line of a column of labels or numbers, in heights of the line; lines of text are longer."""
_WRAPPED = 0.4
"""Share of the lines of a column of text that go on in the next line; cells of a table end."""
_SENTENCE_ENDS = (".", "!", "?", "。")
_NEAR_LINE = 1.0
"""Distance of the middles of lines in two columns that are beside each other, in heights of the line."""
_INITIAL = 1.7
"""Height of an initial, in heights of the lines beside it."""
_INITIAL_OVERLAP, _INITIAL_GAP = 0.5, 1.2
"""How far a line may begin before the end of the initial at its left, and behind it, in heights of the line."""
_INITIAL_LINES = 2
_MAX_DEPTH, _MAX_COLUMN_DEPTH = 12, 1
_MAX_GUTTERS = 12
"""Gutters that are tried in a region, those with most rows first."""


class Row(NamedTuple):
    """Segments on one height, from left to right."""

    segments: tuple[Segment, ...]

    @property
    def left(self) -> float:
        """Left end."""
        return self.segments[0].left

    @property
    def right(self) -> float:
        """Right end."""
        return max(segment.right for segment in self.segments)

    @property
    def top(self) -> float:
        """Top of the highest segment."""
        return min(segment.top for segment in self.segments)

    @property
    def bottom(self) -> float:
        """Bottom of the lowest segment."""
        return max(segment.bottom for segment in self.segments)

    @property
    def height(self) -> float:
        """Height of its tallest segment."""
        return max(segment.height for segment in self.segments)


class Region(NamedTuple):
    """Rows of one column or of the whole width, from top to bottom."""

    rows: tuple[Row, ...]


def order_segments(segments: Sequence[Segment]) -> list[Region]:
    """Return the regions of a page in reading order; vertical text comes last, a region for each segment.

    Lines that run down follow each other from right to left; PDFium gives all vertical lines from left to right.
    """
    upright = _join_initials([segment for segment in segments if segment.is_upright])
    regions = _split(upright, _MAX_DEPTH) if upright else []
    vertical = (segment for segment in segments if not segment.is_upright)
    for runs_down, group in groupby(vertical, lambda each: each.runs_down):
        lines = list(group)
        if runs_down:
            lines.sort(key=lambda each: -each.right)
        regions += [Region((Row((line,)),)) for line in lines]
    return regions


def build_rows(segments: Sequence[Segment]) -> list[Row]:
    """Group segments to rows, from top to bottom."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda each: (each.middle, each.left)):
        beside = next((row for row in rows[-3:][::-1] if _is_beside(row, segment)), None)
        if beside is None:
            rows.append([segment])
        else:
            beside.append(segment)
    return [Row(tuple(sorted(row, key=lambda each: each.left))) for row in rows]


def _is_beside(row: Sequence[Segment], segment: Segment) -> bool:
    tallest = max(row, key=lambda each: each.height)
    shared = min(tallest.bottom, segment.bottom) - max(tallest.top, segment.top)
    if shared < _SAME_ROW * min(tallest.height, segment.height):
        return False
    return all(min(each.right, segment.right) - max(each.left, segment.left) < segment.height for each in row)


def _join_initials(segments: list[Segment]) -> list[Segment]:
    """Return segments with each initial, a letter as high as the lines at its right, in the first of them.

    A blank stays between a letter and a word that are likelier two words.
    """
    for initial in [each for each in segments if len(each.text) == 1 and each.text.isalpha()]:
        lines = [each for each in segments if _is_beside_initial(each, initial)]
        if len(build_rows(lines)) < _INITIAL_LINES:
            continue
        first = min(lines, key=lambda each: (each.top, each.left))
        letter, word = initial.text.lower(), first.text.split(maxsplit=1)[0].lower()
        gain = log_probability(letter + word) - log_probability(letter) - log_probability(word)
        text = initial.text + ("" if gain >= 0 else " ") + first.text
        moved = {
            each: each._replace(left=initial.left, text=text if each is first else each.text)
            for each in lines
        }
        segments = [moved.get(each, each) for each in segments if each is not initial]
    return segments


def _is_beside_initial(line: Segment, initial: Segment) -> bool:
    gap = (line.left - initial.right) / line.height
    return (
        initial.height >= _INITIAL * line.height
        and initial.top <= line.middle <= initial.bottom
        and -_INITIAL_OVERLAP <= gap <= _INITIAL_GAP
        and line.right - line.left >= _LABEL_WIDTH * line.height
    )


class _Band(NamedTuple):
    """Part of a region that a gutter divides into two sides."""

    top: float
    bottom: float
    x: float


def _split(segments: Sequence[Segment], depth: int) -> list[Region]:
    band = _find_band(segments) if depth and len(segments) > _COLUMN_ROWS else None
    if band is None:
        return [Region(tuple(build_rows(segments)))] if segments else []
    above = [each for each in segments if each.middle < band.top]
    below = [each for each in segments if each.middle > band.bottom]
    inside = [each for each in segments if band.top <= each.middle <= band.bottom]
    sides = (
        [each for each in inside if each.right <= band.x],
        [each for each in inside if each.right > band.x],
    )
    return [region for part in (above, *sides, below) for region in _split(part, depth - 1)]


def _find_band(segments: Sequence[Segment], depth: int = _MAX_COLUMN_DEPTH) -> _Band | None:
    """Find the band of columns with most text; None where a region has none."""
    size = median(segment.height for segment in segments)
    best: tuple[int, _Band] | None = None
    for x in _list_gutters(segments, size * _MIN_GUTTER):
        crossing = sorted(each.middle for each in segments if each.left < x < each.right)
        bands: dict[int, list[Segment]] = {}
        for segment in segments:
            if not segment.left < x < segment.right:
                bands.setdefault(bisect(crossing, segment.middle), []).append(segment)
        for inside in bands.values():
            if (best is None or len(inside) > best[0]) and _are_columns(inside, segments, x, depth):
                top, bottom = min(each.middle for each in inside), max(each.middle for each in inside)
                best = len(inside), _Band(top, bottom, x)
    return best[1] if best else None


def _list_gutters(segments: Sequence[Segment], least: float) -> list[float]:
    """Return the middles of the gaps that most lines share, those of most lines first."""
    found: list[list[float]] = []
    for left, right in sorted(_list_gaps(segments, least)):
        for gutter in found:
            if left < gutter[1] and right > gutter[0]:
                gutter[0], gutter[1] = max(left, gutter[0]), min(right, gutter[1])
                gutter[2] += 1
                break
        else:
            found.append([left, right, 1])
    found.sort(key=lambda gutter: -gutter[2])
    return [(left + right) / 2 for left, right, lines in found[:_MAX_GUTTERS] if lines > 1]


def _list_gaps(segments: Sequence[Segment], least: float) -> Iterator[tuple[float, float]]:
    """Yield the gap at the right of each segment, up to the next one in a line that it touches or nearly touches.

    The lines of two columns need not be on one height.
    """
    ordered = sorted(segments, key=lambda each: each.middle)
    middles = [each.middle for each in ordered]
    for one in segments:
        near = ordered[
            bisect_left(middles, one.middle - _NEAR_LINE * one.height) : bisect(
                middles, one.middle + _NEAR_LINE * one.height
            )
        ]
        right = min((each.left for each in near if each.left >= one.right), default=None)
        if right is not None and right - one.right >= least:
            yield one.right, right


def _are_columns(inside: Sequence[Segment], region: Sequence[Segment], x: float, depth: int) -> bool:
    left = [each for each in inside if each.right <= x]
    right = [each for each in inside if each.right > x]
    if min(len(left), len(right)) < _COLUMN_ROWS:
        return False
    rows = min(len(build_rows(left)), len(build_rows(right)))
    if rows < _COLUMN_ROWS or not _overlap(left, right):
        return False
    if _are_drawn_before(left, right):
        return True
    if rows < (_BOX_ROWS if _are_drawn_before(right, left) else _TEXT_COLUMN_ROWS):
        return False
    width = max(each.right for each in region) - min(each.left for each in region)
    columns: list[Sequence[Segment]] = []
    for side in (left, right):
        own = _list_columns(side, width, depth)
        if not all(_is_text_column(column, width) for column in own):
            return False
        columns += own
    return not _alternate(left, right, rows) or all(map(_is_wrapped, columns))


def _are_drawn_before(one: Sequence[Segment], other: Sequence[Segment]) -> bool:
    cut = sorted(each.order for each in one)[-1 - int(len(one) * (1 - _DRAWN_BY_COLUMN))]
    return sum(each.order > cut for each in other) >= _DRAWN_BY_COLUMN * len(other)


def _list_columns(side: Sequence[Segment], width: float, depth: int) -> list[Sequence[Segment]]:
    """Return the columns of a side that may have several: its lines need not be on one height."""
    own = max(each.right for each in side) - min(each.left for each in side)
    may_be_more = depth and own > 2 * _TEXT_COLUMN_WIDTH * width and not _is_text_column(side, width)
    if not may_be_more or (band := _find_band(side, depth - 1)) is None:
        return [side]
    sides = [each for each in side if each.right <= band.x], [each for each in side if each.right > band.x]
    return [column for own in sides for column in _list_columns(own, width, depth - 1)]


def _alternate(left: Sequence[Segment], right: Sequence[Segment], rows: int) -> bool:
    """Return True for sides that are drawn row by row: tables are, and text that was recognised in a picture."""
    drawn = sorted([(each.order, 0) for each in left] + [(each.order, 1) for each in right])
    return sum(one[1] != other[1] for one, other in pairwise(drawn)) >= rows


def _is_wrapped(side: Sequence[Segment]) -> bool:
    """Return True for lines of running text: a line goes on in the next one, whose first word has no room in it."""
    rows = build_rows(side)
    if median(row.right - row.left for row in rows) < _LABEL_WIDTH * median(row.height for row in rows):
        return False
    edge = max(row.right for row in rows)
    goes_on = 0
    for row, following in pairwise(rows):
        first = following.segments[0]
        word = first.text.split(maxsplit=1)[0]
        need = (first.right - first.left) * len(word) / len(first.text)
        goes_on += (
            edge - row.right <= need + row.height
            and not row.segments[-1].text.endswith(_SENTENCE_ENDS)
            and not (word[0].isupper() or word[0].isdigit())
        )
    return goes_on >= _WRAPPED * (len(rows) - 1)


def _overlap(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    top = max(min(each.top for each in left), min(each.top for each in right))
    bottom = min(max(each.bottom for each in left), max(each.bottom for each in right))
    return bottom > top


def _is_text_column(side: Sequence[Segment], region_width: float) -> bool:
    rows = build_rows(side)
    width = max(row.right for row in rows) - min(row.left for row in rows)
    typical = median(sum(each.right - each.left for each in row.segments) for row in rows)
    return width >= _TEXT_COLUMN_WIDTH * region_width and typical >= _TEXT_COLUMN_FILL * width
