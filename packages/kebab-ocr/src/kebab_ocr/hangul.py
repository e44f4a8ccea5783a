"""Hangul of a line, by Tesseract with its Korean data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LANGUAGE = "kor"
_OLD_VOWEL = "\u318d"
"""Letter that Tesseract reads for a middle dot; the letter itself is obsolete."""


class HangulChar(NamedTuple):
    """A character with a rough place: it may be off by a syllable, but the order is right."""

    char: str
    x: float
    """Middle, in columns of the line's picture."""
    confidence: float
    """Of its word, 0 to 1."""
    is_spaced: bool
    """Whether a space stands before it."""
    start: float
    """First column; less often wrong than the middle."""
    own_confidence: float
    """Its own, 0 to 1; that of a letter taken for a syllable is lower than that of a syllable."""


class HangulReader:
    """Reads lines with the data of a folder.

    Args:
        folder: Holds `kor.traineddata`.

    Raises:
        RuntimeError: The data cannot be loaded.
    """

    def __init__(self, folder: Path) -> None:
        # read when the library is loaded; more threads only wait for each other on one line
        os.putenv("OMP_THREAD_LIMIT", "1")
        import tesserocr

        self._levels = tesserocr.RIL
        self._iterate = tesserocr.iterate_level
        self._api = tesserocr.PyTessBaseAPI(
            path=f"{folder}{os.sep}",
            lang=LANGUAGE,
            psm=tesserocr.PSM.SINGLE_LINE,
            oem=tesserocr.OEM.LSTM_ONLY,
        )
        self._api.SetVariable("preserve_interword_spaces", "1")

    def read(self, gray: NDArray[np.uint8]) -> list[HangulChar]:
        """Return the characters of a line, dark on light."""
        height, width = gray.shape
        self._api.SetImageBytes(np.ascontiguousarray(gray).tobytes(), width, height, 1, width)
        self._api.SetSourceResolution(110)
        self._api.Recognize()
        text = self._api.GetUTF8Text().strip().replace(_OLD_VOWEL, "·")
        iterator = self._api.GetIterator()
        places: list[HangulChar] = []
        if text and iterator is not None:
            level = self._levels.SYMBOL
            for symbol in self._iterate(iterator, level):
                found = symbol.GetUTF8Text(level).replace(_OLD_VOWEL, "·")
                box = symbol.BoundingBox(level)
                start, x = (box[0], (box[0] + box[2]) / 2) if box else (0.0, 0.0)
                sure = symbol.Confidence(self._levels.WORD) / 100, symbol.Confidence(level) / 100
                places += [
                    HangulChar(char, x, sure[0], is_spaced=False, start=start, own_confidence=sure[1])
                    for char in found
                    if not char.isspace()
                ]
        return _spaced(text, places)


def _spaced(text: str, places: list[HangulChar]) -> list[HangulChar]:
    """Give each character its space from the text; the iterator makes words of single syllables."""
    chars: list[HangulChar] = []
    is_spaced, rest = False, iter(places)
    for char in text:
        if char.isspace():
            is_spaced = bool(chars)
            continue
        place = next(rest, None)
        if place is None:
            break
        chars.append(place._replace(is_spaced=is_spaced))
        is_spaced = False
    return chars
