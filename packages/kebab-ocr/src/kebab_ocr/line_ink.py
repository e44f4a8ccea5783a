"""The ink of one line: which columns of its picture hold some, and where."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from kebab_ocr.latin import Glyph

LINE_HEIGHT = 48
"""Pixels to which a line is brought; the recogniser takes no other."""


_SURE_GLYPH = 0.9
"""Confidence of glyphs whose distance is measured."""
_LEAST_STROKE = 71
"""Mean of a square of 5 pixels with 7 of ink, where ink is 255: strokes and points have more, specks less."""
_RULE = 0.8
"""Share of a row that is ink from which it is a ruling line."""


class Blob(NamedTuple):
    """Neighbouring columns with ink, in pixels, half open."""

    start: int
    end: int


class LineInk(NamedTuple):
    """The picture of a line as dark ink on light ground."""

    gray: NDArray[np.uint8]
    """Of shape (LINE_HEIGHT, width); dark on light."""
    mask: NDArray[np.bool_]
    """Pixels with ink."""
    blobs: list[Blob]
    em: float
    """Height of a Hangul syllable with its room, in pixels, as the height of the ink tells it."""

    def gaps(self) -> list[tuple[int, int]]:
        """Columns without ink, half open: before the first blob, between blobs, after the last."""
        ends = [0, *(blob.end for blob in self.blobs)]
        starts = [*(blob.start for blob in self.blobs), self.mask.shape[1]]
        return list(zip(ends, starts, strict=True))

    def nearest(self, x: float) -> float:
        """The column of ink that is nearest to one."""
        clamped = (min(max(x, blob.start + 0.5), blob.end - 0.5) for blob in self.blobs)
        return min(clamped, key=lambda column: abs(column - x), default=x)

    def rows(self, start: float, end: float) -> tuple[int, int]:
        """First row and end of the ink between two columns; the whole height where there is none."""
        rows = np.flatnonzero(self.mask[:, max(0, round(start)) : max(1, round(end))].any(axis=1))
        return (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, len(self.mask))


def find_ink(gray: NDArray[np.uint8], glyphs: Sequence[Glyph]) -> LineInk:
    """Find the ink of a line that is dark on light or light on dark."""
    if 2 * (gray <= _otsu(gray)).mean() > 1:
        gray = 255 - gray
    gray = _level_ground(gray)
    smooth = np.asarray(Image.fromarray(gray).filter(ImageFilter.MedianFilter(3)))
    dark = smooth <= _otsu(smooth)
    ruled = dark.mean(axis=1) > _RULE
    if ruled.any():
        dark &= ~ruled[:, None]
        gray[ruled] = 255
    _remove_specks(gray, dark)
    edges = np.flatnonzero(np.diff(np.pad(dark.sum(axis=0) > 1, 1).astype(np.int8)))
    blobs = [Blob(start, end) for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]
    return LineInk(gray, dark, blobs, _find_em(dark, glyphs))


def _remove_specks(gray: NDArray[np.uint8], dark: NDArray[np.bool_]) -> None:
    """Make dark pixels away from strokes white, which Tesseract takes for points in place of spaces; pale words stay."""
    share = np.asarray(Image.fromarray(dark.astype(np.uint8) * 255).filter(ImageFilter.BoxBlur(2)))
    strokes = dark & (share >= _LEAST_STROKE)
    specks = (gray <= _otsu(gray)) & ~_grow(strokes, 5)
    gray[_grow(specks, 3) & ~_grow(strokes, 3)] = 255


def _grow(mask: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    return np.asarray(Image.fromarray(mask.astype(np.uint8)).filter(ImageFilter.MaxFilter(size))) > 0


def _level_ground(gray: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Bring the ground of every part of a line to white."""
    ground = np.percentile(gray, 80, axis=0)
    window = np.ones(LINE_HEIGHT) / LINE_HEIGHT
    padded = np.pad(ground, LINE_HEIGHT // 2, mode="edge")
    smooth = np.convolve(padded, window, mode="same")[LINE_HEIGHT // 2 : LINE_HEIGHT // 2 + gray.shape[1]]
    return np.minimum(gray * (255 / np.maximum(smooth, 1)), 255).astype(np.uint8)


def _find_em(dark: NDArray[np.bool_], glyphs: Sequence[Glyph]) -> float:
    """The height of a syllable: by the distances of Latin glyphs, within what the height of the ink allows."""
    filled = np.flatnonzero(dark.sum(axis=1) > max(1, 0.002 * dark.shape[1]))
    height = float(filled[-1] - filled[0] + 1) if len(filled) else 40.0
    distances = [
        (two.x - one.x) / ((one.width_em + two.width_em) / 2)
        for one, two in pairwise(glyphs)
        if min(one.confidence, two.confidence) > _SURE_GLYPH
        and (one.char + two.char).isascii()
        and (one.char + two.char).isalnum()
    ]
    em = float(np.median(distances)) if distances else height / 0.95
    return min(max(em, height * 0.9), height * 1.6) if distances else max(12.0, min(em, 42.0))


def _otsu(gray: NDArray[np.uint8]) -> int:
    """The threshold that separates two classes best, by Otsu's method."""
    counts = np.bincount(gray.ravel(), minlength=256).astype(np.float64)
    below, sums = counts.cumsum(), (counts * np.arange(256)).cumsum()
    above = below[-1] - below
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (sums[-1] * below / below[-1] - sums) ** 2 / (below * above)
    return int(np.nanargmax(np.where(np.isfinite(between), between, -1)))
