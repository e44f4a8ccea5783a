"""Segments: runs of characters of a page without a wide gap, with their places, as PDFium reads them."""

from __future__ import annotations

import ctypes
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from kebab_text import log_probability

from kebab_parse_pdf.annotations import PageComment
from kebab_parse_pdf.mojibake import is_shifted, is_text, read_korean_bytes
from kebab_parse_pdf.ruled_lines import Grid, read_grids

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

HYPHEN = "\ufffe"
"""A hyphen at the end of a line, as PDFium marks it: of a divided word, or of a compound."""
_WORDS = re.compile(r"([^\s\xa0\x02\ufffe]+)([\x02\ufffe]?)")
"""A word, and the hyphen that divides it."""
_WIDE_GAP = 0.9
"""Width of a gap that ends a segment, in heights of the line; a gap between justified words is rarely as wide."""
_NEW_LINE = 0.6
"""Vertical move to another line, in heights of the line."""
_GUESSED_GAP, _NARROW_BLANK = 0.3, 0.7
"""Width below which a gap is no blank in a page that writes its blanks, in heights of the line and in typical blanks of the page, whichever
is less. Of a text that was recognised in a picture, letters lie where they are in the picture, and PDFium takes the gaps between
some of them for blanks."""
_MEASURED_BLANKS = 50
_SPREAD_WORDS = 1.6
"""Width of a gap between words whose letters stand apart, in gaps between these letters."""
_SPREAD_HANGUL, _SPREAD_SYLLABLES, _SPREAD_LETTERS = 0.35, 4, 3
"""Width of a gap between syllables of a word that stand apart, in heights of the line, where they are fewer; letters of such a word."""
_LETTER_PROBABILITY = -4.0
"""Logarithm of the probability of words a letter: a series of names of variables is less likely."""
_ENDS = frozenset(".,;:!?")
"""Signs behind which a letter is of another word."""
_NUMBER = re.compile(r"\d[-\u2212\u2013]?\d(?:[\d\u2212\u2013-]*\d)?(?=\D*\Z)")
"""The last number of a word, of more than one digit."""
_SMALL = 0.87
"""Height of a power or of the number of a note over that of the digits before it."""
_RAISED = 0.15
"""How far it stands above their line, in their heights."""
_TOUCHING = 0.12
"""Width of a gap that is no blank, in heights of the line."""
_BLANK = 32
_FONT_NAME_BYTES = 200
_FAR = 1e6
"""Points from which on a place is none: damaged files have such."""
_UNKNOWN = "\ufffd"
_REPLACED = str.maketrans({
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
    "\uf0b7": "•",
    "\xad": "",
})
"""Ligatures, and the bullet of the font Symbol."""
_MEANINGLESS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufff0-\uffff\U000f0000-\U0010ffff]")
"""Control characters, characters of private use, and the sign for an unknown character."""

_Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Segment(NamedTuple):
    """A run of characters. Places are in points from the top left of the page as it is displayed."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    order: int
    """Position in the order in which the file draws its text."""
    is_upright: bool = True
    """Whether it runs from left to right or from right to left, not up or down."""
    runs_down: bool = False
    """Whether it runs from top to bottom."""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self[1:5]

    @property
    def height(self) -> float:
        """Height of its line."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Vertical middle."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class PageSegments:
    """All text of a page as PDFium reads it."""

    segments: tuple[Segment, ...]
    """In the order in which the file draws them."""
    width: float
    height: float
    visible: int
    """Number of visible characters."""
    unreadable: int
    """Number of those that mean nothing: the font does not say which characters its shapes are, or says others."""
    has_shifted: bool = False
    """Whether text was left out whose codes are shifted."""
    is_decoded: bool = False
    """Whether bytes of Korean text are shown in a Latin font; the segments have the Korean text."""
    comments: tuple[Segment, ...] = ()
    """Comments of readers, each whole, in the order of the file."""
    grids: tuple[Grid, ...] = ()
    """Cells between lines; no segment is in two of them."""


def read_segments(page: PdfPage) -> PageSegments:
    """Read the text of a page.

    Args:
        page: The page.

    Returns:
        Its segments. Characters that mean nothing are counted and left out.
    """
    textpage = page.get_textpage()
    try:
        frame = PageFrame(page)
        grids = read_grids(page.raw, frame.convert)
        reader = _Reader(frame, textpage.raw, grids)
        reader.read(textpage.count_chars())
    finally:
        textpage.close()
    width, height = page.get_size()
    return PageSegments(
        tuple(reader.segments),
        width,
        height,
        reader.visible,
        reader.unreadable,
        has_shifted=bool(reader.shifted),
        is_decoded=bool(reader.korean),
        grids=grids,
    )


def place_comments(page: PdfPage, comments: Sequence[PageComment]) -> tuple[Segment, ...]:
    """Return comments at their places on the page as it is displayed."""
    frame = PageFrame(page)
    boxes = (frame.convert(each.left, each.bottom, each.right, each.top) for each in comments)
    return tuple(
        Segment(each.text, *box, order) for order, (each, box) in enumerate(zip(comments, boxes, strict=True))
    )


class PageFrame:
    """Conversion from the coordinates of a page to those of the page as it is displayed."""

    def __init__(self, page: PdfPage) -> None:
        self._left, self._bottom, self._right, self._top = page.get_bbox()
        self._rotation = page.get_rotation()

    def convert(self, left: float, bottom: float, right: float, top: float) -> _Box:
        """Convert a rectangle to left, top, right, bottom, all below and to the right of the top left corner."""
        match self._rotation:
            case 90:
                return bottom - self._bottom, left - self._left, top - self._bottom, right - self._left
            case 180:
                return self._right - right, bottom - self._bottom, self._right - left, top - self._bottom
            case 270:
                return self._top - top, self._right - right, self._top - bottom, self._right - left
        return left - self._left, self._top - top, right - self._left, self._top - bottom


class _Reader:
    """Words of one page, collected to segments.

    Only the ends of a word are measured: a call for each character would be the largest part of the work.
    """

    def __init__(self, frame: PageFrame, textpage: object, grids: Sequence[Grid]) -> None:
        self.segments: list[Segment] = []
        self.visible = self.unreadable = 0
        self.korean: dict[str, str] = {}
        self.shifted: set[int] = set()
        self._frame, self._textpage = frame, textpage
        self._cells = [cell for grid in grids for cell in grid.cells]
        self._words: list[str] = []
        self._gaps: list[float] = []
        """Width of each gap between the words, in heights of the line."""
        self._box: _Box = (0.0, 0.0, 0.0, 0.0)
        self._last: _Box = (0.0, 0.0, 0.0, 0.0)
        self._is_upright, self._runs_down = True, False
        self._writes_blanks = False
        self._tight = _GUESSED_GAP
        """Width of a gap that is no blank, in heights of the line."""

    def read(self, count: int) -> None:
        """Read all characters."""
        from pypdfium2 import raw

        get_unicode, has_map_error = raw.FPDFText_GetUnicode, raw.FPDFText_HasUnicodeMapError
        textpage, get_box, rectangle = self._textpage, raw.FPDFText_GetLooseCharBox, raw.FS_RECTF()

        def measure(index: int) -> _Box | None:
            if not get_box(textpage, index, rectangle):
                return None
            box = self._frame.convert(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
            left, top, right, bottom = box
            # False for places that are not a number, too.
            is_sound = left > -_FAR and right < _FAR and -_FAR < top < bottom < _FAR
            return box if is_sound else None

        codes = [get_unicode(textpage, index) for index in range(count)]
        blanks = [index for index, code in enumerate(codes) if code == _BLANK]
        guessed = {index for index in blanks if raw.FPDFText_IsGenerated(textpage, index) == 1}
        self._writes_blanks = len(guessed) * 2 < len(blanks)
        written = islice((index for index in blanks if index not in guessed), _MEASURED_BLANKS)
        self._tight = _find_tight([box for box in map(measure, written) if box])
        text = "".join(chr(code) if 0 < code <= sys.maxunicode else _UNKNOWN for code in codes)
        words = list(_WORDS.finditer(text))
        self.korean = read_korean_bytes([word[0] for word in words])
        self.shifted = self._find_shifted(words)
        end = 0
        for word in words:
            first, last = word.start(1), word.end(1) - 1
            if "\n" in text[end:first]:
                self._end()
            before, end = text[max(end - 1, 0) : end], word.end()
            self.visible += last - first + 1
            is_shifted = first in self.shifted
            own = self.korean.get(word[0], word[1])
            box = measure(first)
            is_power = box and before.isdigit() and self._is_power(own, box)
            if word[0] not in self.korean and (is_power or (at := _find_power(own, first, measure))):
                own = f"^{own}" if is_power else f"{own[:at]}^{own[at:]}"
            if is_shifted or has_map_error(textpage, first) == 1:
                self.unreadable += last - first + 1
            else:
                self.unreadable += len(_MEANINGLESS.findall(own))
            shown = "" if is_shifted else _MEANINGLESS.sub("", own.translate(_REPLACED))
            last_box = box if last == first else measure(last)
            if shown and box and last_box:
                self._add(shown, box, last_box, is_guess=first - 1 in guessed)
            if word[2]:
                if not is_shifted and word[0] not in self.korean:
                    self._words.append(HYPHEN)
                self._end()
        self._end()

    def _find_shifted(self, words: Sequence[re.Match[str]]) -> set[int]:
        """Return the starts of the words in fonts whose codes are shifted; fonts are looked at where the page is no plain text."""
        if is_text(word[1] for word in words):
            return set()
        by_font: dict[bytes, list[re.Match[str]]] = defaultdict(list)
        for word in words:
            by_font[self._read_font(word.start(1))].append(word)
        return {
            word.start(1) for own in by_font.values() if is_shifted(word[1] for word in own) for word in own
        }

    def _read_font(self, index: int) -> bytes:
        from pypdfium2 import raw

        name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
        raw.FPDFText_GetFontInfo(self._textpage, index, name, _FONT_NAME_BYTES, None)
        return name.value

    def _add(self, word: str, first: _Box, last: _Box, *, is_guess: bool) -> None:
        box = _unite(first, last)
        is_upright = not _is_vertical(first, last, len(word))
        if self._words and not self._continues(first, is_upright=is_upright):
            self._end()
        if self._words:
            self._words.append("" if is_guess and self._is_one_word(word, first) else " ")
            self._gaps.append((first[0] - self._last[2]) / (first[3] - first[1]))
            self._box = _unite(self._box, box)
        else:
            self._box, self._is_upright = box, is_upright
            self._runs_down = not is_upright and last[1] > first[1]
        self._words.append(word)
        self._last = last if last[0] >= first[0] else box

    def _is_power(self, word: str, box: _Box) -> bool:
        """Return True for a number right behind the word before it, and above its line."""
        left, top, right, bottom = self._last
        is_next = left < box[0] < right + _TOUCHING * (bottom - top)
        return word[0].isdigit() and is_next and _is_raised(box, self._last)

    def _is_one_word(self, word: str, first: _Box) -> bool:
        """Return True if the gap before a word, which the page has no blank in, is one between letters of a word."""
        is_next = self._words[-1][-1] in _ENDS and word[0].isalpha()
        tight = self._tight * (first[3] - first[1])
        return self._writes_blanks and not is_next and first[0] - self._last[2] < tight

    def _continues(self, box: _Box, *, is_upright: bool) -> bool:
        left, top, right, bottom = box
        last_left, last_top, last_right, last_bottom = self._last
        if is_upright != self._is_upright or not is_upright:
            return is_upright == self._is_upright
        height = min(bottom - top, last_bottom - last_top)
        down = abs(top + bottom - last_top - last_bottom) / 2
        gap = max(left - last_right, last_left - right)
        if down > _NEW_LINE * height or gap > _WIDE_GAP * (bottom - top):
            return False
        return not self._cells or self._find_cell(box) == self._find_cell(self._last)

    def _find_cell(self, box: _Box) -> int:
        return next((at for at, cell in enumerate(self._cells) if cell.holds(box)), -1)

    def _end(self) -> None:
        text = _join_spread(self._words[::2], self._gaps) or "".join(self._words)
        text = unicodedata.normalize("NFC", text)
        if text.rstrip(HYPHEN):
            self.segments.append(
                Segment(text, *self._box, len(self.segments), self._is_upright, self._runs_down)
            )
        self._words, self._gaps = [], []


def _join_spread(letters: Sequence[str], gaps: Sequence[float]) -> str:
    """Return the words of a text whose letters stand apart, as those of headings do; empty for another text.

    Args:
        letters: The words of the text as it is written.
        gaps: Width of each gap between them, in heights of the line.
    """
    if not gaps or not all(len(each) == 1 and each.isalpha() for each in letters):
        return ""
    least = max(min(gaps), _TOUCHING)
    text = letters[0]
    for letter, gap in zip(letters[1:], gaps, strict=True):
        text += (" " if gap > _SPREAD_WORDS * least else "") + letter
    if any("가" <= each <= "힣" for each in letters):
        return text if least >= _SPREAD_HANGUL or len(letters) >= _SPREAD_SYLLABLES else ""
    likely = sum(map(log_probability, text.lower().split())) >= _LETTER_PROBABILITY * len(letters)
    return text if likely and len(letters) >= _SPREAD_LETTERS else ""


def fold_glyph(code: int) -> str:
    """Return what a character of a page, by its code, is in the text of a document; nothing where it means nothing."""
    return _MEANINGLESS.sub("", chr(code).translate(_REPLACED)) if 0 < code <= sys.maxunicode else ""


def _find_power(word: str, first: int, measure: Callable[[int], _Box | None]) -> int:
    """Return where a power or the number of a note begins behind the digits of a word; 0 where there is none.

    Args:
        word: The word.
        first: Index of its first character on the page.
        measure: Measures a character; only those of numbers are.
    """
    number = _NUMBER.search(word)
    base = number and measure(first + number.start())
    if number is None or base is None:
        return 0
    at = number.end()
    while at > number.start() and _is_raised(measure(first + at - 1), base):
        at -= 1
    return 0 if at in {number.start(), number.end()} else at


def _is_raised(box: _Box | None, base: _Box) -> bool:
    height = base[3] - base[1]
    return box is not None and box[3] - box[1] < _SMALL * height and base[3] - box[3] > _RAISED * height


def _find_tight(blanks: Sequence[_Box]) -> float:
    """Return the width of a gap that is no blank, in heights of the line, by the blanks that a page writes."""
    widths = [(right - left) / (bottom - top) for left, top, right, bottom in blanks]
    return min(_GUESSED_GAP, _NARROW_BLANK * median(widths)) if widths else _GUESSED_GAP


def _unite(one: _Box, other: _Box) -> _Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _is_vertical(first: _Box, last: _Box, length: int) -> bool:
    """Return True for a word of which the last character is above or below the first."""
    down = abs(first[1] + first[3] - last[1] - last[3])
    aside = abs(first[0] + first[2] - last[0] - last[2])
    return length > 1 and down > 2 * aside
