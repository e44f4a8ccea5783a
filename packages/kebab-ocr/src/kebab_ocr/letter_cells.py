"""Letters, digits and signs that stand alone among syllables.

Tesseract takes them for others, and the recogniser passes over them in a line of Hangul but reads them if it sees nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kebab_ocr.hangul import HangulChar
from kebab_ocr.latin import Glyph, LatinReader, is_latin
from kebab_ocr.line_ink import Blob, LineInk

_SURE_SYLLABLE = 0.97
"""Confidence of a syllable below which it may be a letter: of 84 letters taken for syllables 85 % are below it, of 6,830
syllables 4 % (rendered pages, 2026-12-01)."""
_LEAST_LETTER = 0.9
"""Confidence of letters that take the place of a syllable."""
_LEAST_SIGN = 0.4
"""Confidence of letters and signs where Tesseract reads no syllable."""
_STROKES = frozenset("0Oo1Il|i")
"""Letters and digits that the recogniser reads in parts of syllables."""
_LOW_SIGNS = frozenset(".,'·…‘’")
"""Signs that Tesseract reads rightly."""
_SHIFT_EM = 0.5
"""Distance of ink from where Tesseract sees it at most, in heights of a syllable (em), like all that follow with `EM`."""
_SYLLABLE_EM = 1.05
"""Width of a syllable at most."""
_GAP_EM = 0.3
"""Room between the letters of one cell at most."""
_LEAST_HEIGHT_EM = 0.4
"""Height of a letter at least."""
_MARGIN = 2
"""Pixels around the ink of a cell that are shown with it."""
_ROOM = 16
"""Pixels of ground to the left and right of a cell."""
_WIDER = 1.5
"""Widths of several letters over that of their ink, at most."""
_ROUND = 0.9
"""Width over height of an O; that of a nought is .71 to .85, of an O .93 to 1.11 (14 fonts)."""
_CAPITAL_EM = 0.66
"""Height of a capital at least; it is .74 to .85 of a syllable, that of a small letter .51 to .65 (the same fonts)."""
_SAME_SHAPE = frozenset("COSUVWXZ")
"""Capitals that differ from their small letters by height alone."""


class Cell(NamedTuple):
    """Ink of which Tesseract may have made the wrong characters."""

    start: int
    """Of its characters among those of the line; `end` is excluded."""
    end: int
    ink: Blob
    is_syllable: bool
    """True where Tesseract reads one syllable in it."""


def find_cells(chars: Sequence[HangulChar], blobs: Sequence[Blob], ink: LineInk) -> list[Cell]:
    """Return the cells of unsure syllables and of other characters, in the order of the line.

    Args:
        chars: What Tesseract reads in the line.
        blobs: The ink that it saw; at least one.
        ink: The line.
    """
    cells: list[Cell] = []
    for index, char in enumerate(chars):
        is_syllable = "가" <= char.char <= "힣"
        if is_syllable and char.own_confidence >= _SURE_SYLLABLE:
            continue
        start, end = min(blobs, key=lambda blob: abs(blob.start - char.start))
        if abs(start - char.start) > _SHIFT_EM * ink.em:
            continue
        limit = chars[index + 1].start if index + 1 < len(chars) else ink.mask.shape[1]
        if is_syllable:
            limit = start + _SYLLABLE_EM * ink.em
        for blob in blobs:
            if end < blob.end <= limit and blob.start - end < _GAP_EM * ink.em:
                end = blob.end
        last = cells[-1] if cells and cells[-1].end == index else None
        if last and not (is_syllable or last.is_syllable) and start - last.ink.end < _GAP_EM * ink.em:
            cells[-1] = last._replace(end=index + 1, ink=Blob(last.ink.start, max(last.ink.end, end)))
            continue
        top, bottom = ink.rows(start, end)
        if char.char not in _LOW_SIGNS and bottom - top >= _LEAST_HEIGHT_EM * ink.em:
            cells.append(Cell(index, index + 1, Blob(start, end), is_syllable))
    return cells


def read_cell(picture: NDArray[np.uint8], cell: Cell, ink: LineInk, latin: LatinReader) -> list[Glyph]:
    """Return the letters, digits and signs of a cell; none where it has a syllable or the recogniser is not sure.

    Args:
        picture: The line, BGR of shape (LINE_HEIGHT, width, 3).
        cell: Part of the line.
        ink: The line.
        latin: Reads the cell.
    """
    start = max(0, cell.ink.start - _MARGIN)
    part = picture[:, start : cell.ink.end + _MARGIN]
    part = np.pad(part, ((0, 0), (_ROOM, _ROOM), (0, 0)), mode="edge")
    glyphs = [
        glyph._replace(x=glyph.x + start - _ROOM)
        for glyph in latin.read(part, least_width=0)
        if glyph.char != " "
    ]
    text = "".join(glyph.char for glyph in glyphs)
    if not text or not all(map(is_latin, text)):
        return []
    confidence = float(np.mean([glyph.confidence for glyph in glyphs]))
    if cell.is_syllable:
        if confidence < _LEAST_LETTER or not text.isalnum() or _STROKES.intersection(text):
            return []
        width = sum(glyph.width_em for glyph in glyphs) * ink.em
        if len(text) > 1 and width > _WIDER * (cell.ink.end - cell.ink.start):
            return []
    elif confidence < _LEAST_SIGN:
        return []
    return [_shape(glyphs[0], cell.ink, ink)] if len(glyphs) == 1 else glyphs


def _shape(glyph: Glyph, blob: Blob, ink: LineInk) -> Glyph:
    """A letter as the size of its ink has it: a nought that is round is an O, a low capital a small letter."""
    top, bottom = ink.rows(*blob)
    char = glyph.char
    if char == "0" and blob.end - blob.start > _ROUND * (bottom - top):
        char = "O"
    if char in _SAME_SHAPE and bottom - top < _CAPITAL_EM * ink.em:
        char = char.lower()
    return glyph._replace(char=char)
