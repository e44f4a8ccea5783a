"""Boxes of lines in a map of probabilities: connected pixels, their least rectangles, and the room that the detector leaves off."""

from __future__ import annotations

from math import atan2, cos, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_INK = 0.3
"""Probability from which a pixel belongs to text; PP-OCR's own value."""
_LEAST_SCORE = 0.5
"""Mean probability of the pixels of a line; PP-OCR's own value."""
_UNCLIP = 1.6
"""The detector marks the core of a line; each edge moves outwards by area / perimeter times this."""
_LEAST_SIDE = 3
"""Pixels of the map."""


class TextBox(NamedTuple):
    """A turned rectangle around a line, in pixels."""

    x: float
    """Centre."""
    y: float
    width: float
    """Along the line."""
    height: float
    angle: float
    """Radians by which the line falls to the right, above -pi/4 to pi/4 where it is wider than tall."""
    score: float

    def corners(self) -> NDArray[np.float64]:
        """Top left, top right, bottom right, bottom left as the line is read; shape (4, 2)."""
        along = np.array([cos(self.angle), sin(self.angle)]) * self.width / 2
        down = np.array([-sin(self.angle), cos(self.angle)]) * self.height / 2
        centre = np.array([self.x, self.y])
        return np.array([
            centre - along - down,
            centre + along - down,
            centre + along + down,
            centre - along + down,
        ])


def find_text_boxes(probabilities: NDArray[np.float32]) -> list[TextBox]:
    """Return a box for each line of a map of shape (height, width), from top to bottom."""
    rows, starts, ends = _find_runs(probabilities > _INK)
    if not len(rows):
        return []
    labels = _join_runs(rows, starts, ends)
    sums = np.concatenate([np.zeros((len(probabilities), 1), np.float64), probabilities.cumsum(1)], axis=1)
    inked = sums[rows, ends] - sums[rows, starts]
    order = np.argsort(labels, kind="stable")
    boxes = []
    for group in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        score = float(inked[group].sum() / (ends[group] - starts[group]).sum())
        if score < _LEAST_SCORE:
            continue
        left = np.stack([starts[group], rows[group]], axis=1)
        right = np.stack([ends[group] - 1, rows[group]], axis=1)
        x, y, width, height, angle = _least_rectangle(np.concatenate([left, right]).astype(np.float64))
        if height < _LEAST_SIDE or width < _LEAST_SIDE:
            continue
        room = width * height * _UNCLIP / (2 * (width + height))
        boxes.append(TextBox(x + 0.5, y + 0.5, width + 2 * room, height + 2 * room, angle, score))
    return boxes


def _find_runs(ink: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return row, first column and end of each horizontal run of set pixels, in the order of reading."""
    edges = np.diff(np.pad(ink, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    return rows, starts, ends


def _join_runs(
    rows: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return for each run the first run of its connected component; corners that touch connect."""
    parents = list(range(len(rows)))

    def root(run: int) -> int:
        while parents[run] != run:
            parents[run] = parents[parents[run]]
            run = parents[run]
        return run

    firsts = np.searchsorted(rows, np.arange(rows[-1] + 2))
    above = 0
    row_list, start_list, end_list = rows.tolist(), starts.tolist(), ends.tolist()
    for run, row in enumerate(row_list):
        above = max(above, int(firsts[row - 1])) if row else run
        limit = int(firsts[row])
        while above < limit and end_list[above] < start_list[run]:
            above += 1
        other = above
        while other < limit and start_list[other] <= end_list[run]:
            one, two = root(run), root(other)
            parents[max(one, two)] = min(one, two)
            other += 1
    return np.array([root(run) for run in range(len(rows))])


def _least_rectangle(points: NDArray[np.float64]) -> tuple[float, float, float, float, float]:
    """Return centre, width, height and angle of the least rectangle around points; one of its sides lies on their hull."""
    hull = _convex_hull(points)
    sides = np.diff(np.concatenate([hull, hull[:1]]), axis=0)
    angles = np.unique(np.arctan2(sides[:, 1], sides[:, 0]) % (np.pi / 2))
    turned = np.stack([
        hull[:, :1] * np.cos(angles) + hull[:, 1:] * np.sin(angles),
        hull[:, 1:] * np.cos(angles) - hull[:, :1] * np.sin(angles),
    ])
    low, high = turned.min(axis=1), turned.max(axis=1)
    sizes = high - low + 1
    best = int(np.argmin(sizes[0] * sizes[1]))
    angle, (width, height) = float(angles[best]), sizes[:, best]
    u, v = (low[:, best] + high[:, best]) / 2
    x, y = u * cos(angle) - v * sin(angle), u * sin(angle) + v * cos(angle)
    if angle > np.pi / 4:
        width, height, angle = height, width, angle - np.pi / 2
    return float(x), float(y), float(width), float(height), atan2(sin(angle), cos(angle))


def _convex_hull(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners of the convex hull, by Andrew's monotone chain."""
    ordered = sorted(set(map(tuple, points.tolist())))
    if len(ordered) == 1:
        return np.array(ordered)
    chains = []
    for sequence in (ordered, ordered[::-1]):
        chain: list[tuple[float, ...]] = []
        for x, y in sequence:
            while len(chain) > 1 and (
                (chain[-1][0] - chain[-2][0]) * (y - chain[-2][1])
                <= (chain[-1][1] - chain[-2][1]) * (x - chain[-2][0])
            ):
                chain.pop()
            chain.append((x, y))
        chains += chain[:-1]
    return np.array(chains)
