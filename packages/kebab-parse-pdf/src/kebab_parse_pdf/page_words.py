"""Places of words in the text of a page."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Rectangle

from kebab_parse_pdf.pdfium import open_pdf
from kebab_parse_pdf.segments import PageFrame, fold_glyph

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

_NEAR = 2
"""Points by which the middle of a word may lie outside of the place where it is sought."""


class PageWord(NamedTuple):
    """A stretch of a document's text to find on its page."""

    text: str
    places: tuple[Rectangle, ...]
    """Places, as in page citations, outside of which it is not looked for; empty is the whole page."""
    is_start: bool = True
    """True if no letter or digit stands before it."""


def find_page_words(
    content: bytes, page: int, words: Sequence[PageWord], *, passwords: Sequence[str] = ()
) -> tuple[Rectangle, ...]:
    """Find words in the text of a page, in lines that the file draws one after the other, and return a rectangle for each line of each.

    Args:
        content: The file.
        page: Number of the page, from 1; one that is not there has no words.
        words: What to find; each is found wherever it stands in its places.
        passwords: Tried where the file needs one.

    Returns:
        In the order of the words, in points as in page citations.

    Raises:
        UnsupportedMediaError: The bytes are no PDF.
        DocumentDamagedError: The file cannot be opened.
        DocumentEncryptedError: None of the passwords opens it.
    """
    with open_pdf(content, passwords) as pdf:
        if not words or not 1 <= page <= len(pdf):
            return ()
        drawn = pdf[page - 1]
        textpage = drawn.get_textpage()
        try:
            text, places = _squeeze(textpage)
            found = [
                rectangle
                for word in words
                for first, end in _find(word, text, places, textpage)
                for rectangle in _measure(drawn, textpage, first, end)
                if not word.places or any(_is_inside(rectangle, each) for each in word.places)
            ]
        finally:
            textpage.close()
    return tuple(dict.fromkeys(found))


def _squeeze(textpage: PdfTextPage) -> tuple[str, list[int]]:
    """Return the characters of a page without what parsing adds and takes away, and the index of each on the page."""
    from pypdfium2 import raw

    chars: list[str] = []
    places: list[int] = []
    for index in range(textpage.count_chars()):
        for char in fold_glyph(raw.FPDFText_GetUnicode(textpage.raw, index)):
            composed = unicodedata.normalize("NFC", chars[-1] + char) if chars else char
            if chars and len(composed) == 1:
                chars[-1] = composed
            elif not _is_dropped(char):
                chars.append(char)
                places.append(index)
    return "".join(chars), places


def _is_dropped(char: str) -> bool:
    """True of white space, and of hyphens: at the end of a line the text of a document has none, or another sign."""
    return char.isspace() or char in "-\u2010\u2011^"


def _find(
    word: PageWord, text: str, places: Sequence[int], textpage: PdfTextPage
) -> Iterator[tuple[int, int]]:
    """Yield the first index of each occurrence on the page, and the index after its last."""
    from pypdfium2 import raw

    wanted = "".join(char for char in unicodedata.normalize("NFC", word.text) if not _is_dropped(char))
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        first = places[at]
        before = raw.FPDFText_GetUnicode(textpage.raw, first - 1) if first else 0
        if not (word.is_start and chr(before).isalnum()):
            yield first, places[at + len(wanted) - 1] + 1
        at = text.find(wanted, at + 1)


def _measure(page: PdfPage, textpage: PdfTextPage, first: int, end: int) -> Iterator[Rectangle]:
    frame = PageFrame(page)
    for index in range(textpage.count_rects(first, end - first)):
        left, top, right, bottom = frame.convert(*textpage.get_rect(index))
        if left < right and top < bottom:
            x, y = max(math.floor(left), 0), max(math.floor(top), 0)
            yield Rectangle(x=x, y=y, w=max(math.ceil(right) - x, 0), h=max(math.ceil(bottom) - y, 0))


def _is_inside(one: Rectangle, place: Rectangle) -> bool:
    x, y = one.x + one.w / 2, one.y + one.h / 2
    return (
        place.x - _NEAR <= x <= place.x + place.w + _NEAR
        and place.y - _NEAR <= y <= place.y + place.h + _NEAR
    )
