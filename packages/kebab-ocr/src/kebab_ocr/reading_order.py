"""The order in which the lines of a page are read, from their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

_LEAST_LINES = 3
"""Lines that each side of a gutter has."""
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
    rows: list[list[Place]] = []
    for place in sorted(places, key=lambda each: each.middle):
        row = rows[-1] if rows else []
        if row and place.middle - np.mean([each.middle for each in row]) < 0.5 * min(
            place.height, *(each.height for each in row)
        ):
            row.append(place)
        else:
            rows.append([place])
    return [sorted(row, key=lambda each: each.left) for row in rows]


def _find_gutter(places: Sequence[Place]) -> tuple[float, float, float] | None:
    """Return top, bottom and column of a band without lines across it, whose sides are read one after the other."""
    best: tuple[float, float, float] | None = None
    most = 0
    for x in sorted({place.left for place in places}):
        across = [place for place in places if place.left < x - 1 and place.right > x]
        edges = [float("-inf"), *sorted(place.middle for place in across), float("inf")]
        for top, bottom in pairwise(edges):
            inside = [place for place in places if top < place.middle < bottom]
            left = [place for place in inside if place.right <= x]
            right = [place for place in inside if place.left >= x - 1]
            if min(len(left), len(right)) > most and _are_columns(left, right):
                most = min(len(left), len(right))
                best = (min(p.middle for p in inside), max(p.middle for p in inside), x - 1)
    return best


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
    level = sum(any(abs(one.middle - two.middle) < _LEVEL * one.height for two in many) for one in few)
    return level < _MOST_LEVEL * len(few) and any(map(_is_text, (left, right)))


def _is_text(side: Sequence[Place]) -> bool:
    """Whether most lines of a side are long."""
    width = max(place.right for place in side) - min(place.left for place in side)
    height = float(np.median([place.height for place in side]))
    long = [place for place in side if place.right - place.left > max(_LONG * width, 8 * height)]
    return len(long) >= 0.4 * len(side)
