"""Latin letters, digits and signs of a line with their places, by the recogniser of PP-OCRv6."""

from __future__ import annotations

import unicodedata
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_STEP = 8
"""Columns of the picture for one step of the recogniser."""
_LEAST_WIDTH = 320
_SIGNS = frozenset("→←↑↓×÷±°·•…–—‘’“”€£¥₩©®™§¶√≤≥≠≈∞")
_NARROW = frozenset("iljI.,:;'|!()[]{}`‘’·•1ft\"r-")
_WIDE = frozenset("mwMW@%→←…—")


class Glyph(NamedTuple):
    """A character with its place."""

    char: str
    x: float
    """Middle, in columns of the line's picture."""
    confidence: float
    """0 to 1."""

    @property
    def width_em(self) -> float:
        """What such a character takes, in heights of a Hangul syllable."""
        return char_width(self.char)


def char_width(char: str) -> float:
    """Width that a character takes, in heights of a Hangul syllable."""
    if char in _NARROW:
        return 0.3
    if char in _WIDE:
        return 0.85
    if not char.isascii() and char.isalpha():
        return 0.95
    return 0.68 if char.isupper() else 0.54


def is_latin(char: str) -> bool:
    """Whether the recogniser knows a character: no ideograph or kana, and a space only between others."""
    return "!" <= char <= "~" or "À" <= char <= "ɏ" or char in _SIGNS


class LatinReader:
    """Reads what is not Hangul.

    Args:
        session: The recogniser, an `onnxruntime.InferenceSession`; its metadata hold its characters.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        characters = session.get_modelmeta().custom_metadata_map["character"].split("\n")
        self._characters = ["", *(unicodedata.normalize("NFKC", each) for each in characters), " "]

    def read(self, picture: NDArray[np.uint8], least_width: int = _LEAST_WIDTH) -> list[Glyph]:
        """Return the characters of a line from left to right, ideographs that stand for Hangul and spaces among them.

        Args:
            picture: BGR of shape (48, width, 3).
            least_width: Width to which a narrower one is filled up.
        """
        width = picture.shape[1]
        padded = np.zeros((1, 3, picture.shape[0], max(width, least_width)), np.float32)
        padded[0, :, :, :width] = picture.transpose(2, 0, 1) / np.float32(127.5) - 1
        (probabilities,) = self._session.run(None, {self._session.get_inputs()[0].name: padded})
        best = probabilities[0].argmax(axis=1)
        starts = np.flatnonzero(np.diff(best, prepend=-1))
        ends = np.append(starts[1:], len(best))
        return [
            Glyph(
                self._characters[best[start]],
                float((start + end) * _STEP / 2),
                float(probabilities[0, start:end, best[start]].max()),
            )
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
            if best[start]
        ]
