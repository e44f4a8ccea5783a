"""The order in which the lines of a page are read, from their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

_LEAST_LINES = 3
"""Lines that each side of a gutter has."""
_HOLE = 4
"""Distance between neighbouring lines of a side, in heights of a line, from which it is in parts."""
_LEAST_ROWS = 2
"""Rows of the lower of two blocks."""
_GROUP_GAP = 0.6
"""Room above a line from which it begins a group, in its heights."""
_DENSE = (2.0, 1.7)
"""Distance from row to row in the lower and in the higher of two blocks at most, in heights of a line; rows of tables are farther apart."""
_LONG = 0.6
"""A line is long that takes so much of the width of its side."""
_LEVEL = 0.2
"""Middles of lines that are level differ by less, in heights of a line."""
_MOST_LEVEL = 0.7
"""Share of level lines from which two sides are the cells of a table."""


class Place(NamedTuple):
    """A line on the straightened page, in pixels."""

    line: int
    """Position of the line among those given."""
    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> float:
        """Its vertical middle."""
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        """Its height."""
        return self.bottom - self.top


def order_rows(places: Sequence[Place]) -> list[list[Place]]:
    """Return rows of lines that stand side by side, from left to right, in reading order; columns one after the other."""
    if (gutter := _find_gutter(places)) is not None:
        top, bottom, x = gutter
        above = [place for place in places if place.middle < top]
        below = [place for place in places if place.middle > bottom]
        inside = [place for place in places if top <= place.middle <= bottom]
        left = [place for place in inside if place.right <= x]
        right = [place for place in inside if place.right > x]
        return [row for part in (above, left, right, below) for row in order_rows(part)]
    return [sorted(row, key=lambda each: each.left) for row in _find_rows(places)]


def _find_rows(places: Sequence[Place]) -> list[list[Place]]:
    """Lines that stand side by side, from top to bottom."""
    rows: list[list[Place]] = []
    for place in sorted(places, key=lambda each: each.middle):
        row = rows[-1] if rows else []
        if row and place.middle - np.mean([each.middle for each in row]) < 0.5 * min(
            place.height, *(each.height for each in row)
        ):
            row.append(place)
        else:
            rows.append([place])
    return rows


def _find_gutter(places: Sequence[Place]) -> tuple[float, float, float] | None:
    """Return top, bottom and column of a band without lines across it, whose sides are read one after the other."""
    best: tuple[float, float, float] | None = None
    most = (0, 0.0)
    for x in sorted({place.left for place in places}):
        across = [place for place in places if place.left < x - 1 and place.right > x]
        edges = [float("-inf"), *sorted(place.middle for place in across), float("inf")]
        for top, bottom in pairwise(edges):
            inside = [place for place in places if top < place.middle < bottom]
            groups = [(each, _are_blocks) for each in _find_groups(inside)]
            for part, are_sides in ((inside, _are_columns), *groups):
                left = [place for place in part if place.right <= x]
                right = [place for place in part if place.left >= x - 1]
                if not left or not right:
                    continue
                size = (min(len(left), len(right)), min(p.left for p in right) - max(p.right for p in left))
                if size > most and are_sides(left, right):
                    most = size
                    best = (min(p.middle for p in part), max(p.middle for p in part), x - 1)
    return best


def _find_groups(places: Sequence[Place]) -> list[list[Place]]:
    """Lines without room for another line between them, from top to bottom."""
    groups: list[list[Place]] = []
    end = float("-inf")
    for place in sorted(places, key=lambda each: each.top):
        if groups and place.top - end < _GROUP_GAP * place.height:
            groups[-1].append(place)
        else:
            groups.append([place])
        end = max(end, place.bottom)
    return groups


def _are_blocks(left: Sequence[Place], right: Sequence[Place]) -> bool:
    """Whether two sides are blocks, as code beside its result: dense, room between them, on levels of their own."""
    few, many = sorted((_find_rows(left), _find_rows(right)), key=len)
    if len(few) < _LEAST_ROWS or len(many) < _LEAST_LINES:
        return False
    height = float(np.median([place.height for place in (*left, *right)]))
    if min(place.left for place in right) - max(place.right for place in left) < height:
        return False
    levels = [[float(np.mean([place.middle for place in row])) for row in rows] for rows in (few, many)]
    for side, dense in zip(levels, _DENSE, strict=True):
        if any(two - one > dense * height for one, two in pairwise(side)):
            return False
    return not all(any(abs(one - two) < _LEVEL * height for two in levels[1]) for one in levels[0])


def _are_columns(left: Sequence[Place], right: Sequence[Place]) -> bool:
    """Whether two sides are read one after the other: lines stand side by side, and are long or on levels of their own."""
    few, many = sorted((left, right), key=len)
    if len(few) < _LEAST_LINES:
        return False
    beside = sum(any(one.top < two.middle < one.bottom for two in many) for one in few)
    if beside < 0.5 * len(few):
        return False
    if all(map(_is_text, (left, right))):
        return True
    if any(map(_has_hole, (left, right))):
        return False
    level = sum(any(abs(one.middle - two.middle) < _LEVEL * one.height for two in many) for one in few)
    return level < _MOST_LEVEL * len(few) and any(map(_is_text, (left, right)))


def _has_hole(side: Sequence[Place]) -> bool:
    """Whether a side has room for several lines between two of its own."""
    height = float(np.median([place.height for place in side]))
    middles = sorted(place.middle for place in side)
    return any(two - one > _HOLE * height for one, two in pairwise(middles))


def _is_text(side: Sequence[Place]) -> bool:
    """Whether most lines of a side are long."""
    width = max(place.right for place in side) - min(place.left for place in side)
    height = float(np.median([place.height for place in side]))
    long = [place for place in side if place.right - place.left > max(_LONG * width, 8 * height)]
    return len(long) >= 0.4 * len(side)
