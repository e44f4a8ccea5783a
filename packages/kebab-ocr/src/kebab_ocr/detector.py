"""Lines of text in a picture, by the detector of PP-OCRv6."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kebab_ocr.text_boxes import TextBox, find_text_boxes

_UNIT = 32
"""Sides of what the detector sees are multiples of it."""
_BAND_PIXELS = 600_000
"""Pixels that are looked at at once; memory grows with them (200 MB for these)."""
_OVERLAP = 64
"""Rows that two bands share; each gives half of them."""
_MOST_SIDE = 2000
"""Pixels of the longer side that are looked at."""
_SMALL_LINE = 22
"""Height of lines in pixels below which a picture is looked at in twice its size."""


class TextDetector:
    """Finds lines.

    Args:
        session: The detector, an `onnxruntime.InferenceSession`.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._input = session.get_inputs()[0].name

    def find(self, picture: Image.Image) -> list[TextBox]:
        """Return the box of each line in pixels of the picture, in no order worth naming."""
        scale = min(1.0, _MOST_SIDE / max(picture.size))
        boxes = self._find_scaled(picture, scale)
        if boxes and scale == 1 and np.median([min(box.width, box.height) for box in boxes]) < _SMALL_LINE:
            return self._find_scaled(picture, 2 if 2 * max(picture.size) <= _MOST_SIDE else 1.5)
        return boxes

    def _find_scaled(self, picture: Image.Image, scale: float) -> list[TextBox]:
        width, height = (max(_UNIT, round(side * scale / _UNIT) * _UNIT) for side in picture.size)
        pixels = np.asarray(picture.resize((width, height), Image.Resampling.BILINEAR))
        x, y = picture.width / width, picture.height / height
        return [
            box._replace(x=box.x * x, y=box.y * y, width=box.width * x, height=box.height * y)
            for box in find_text_boxes(self._look(pixels))
        ]

    def _look(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The probability of text for each pixel, band by band."""
        height, width = pixels.shape[:2]
        band = max(4 * _OVERLAP, _BAND_PIXELS // width // _UNIT * _UNIT)
        found = np.zeros((height, width), np.float32)
        top = 0
        while True:
            end = min(height, top + band)
            part = pixels[top:end, :, ::-1].transpose(2, 0, 1)[None] / np.float32(127.5) - 1
            (seen,) = self._session.run(None, {self._input: np.ascontiguousarray(part)})
            skipped = _OVERLAP // 2 if top else 0
            found[top + skipped : end] = seen[0, 0, skipped:]
            if end == height:
                return found
            top = end - _OVERLAP
