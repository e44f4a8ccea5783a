"""Pictures of pages with marked rectangles, and the sizes of pages."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_core import InvalidInputError, Picture, Rectangle
from kebab_parse import encode_png

from kebab_parse_pdf.pdfium import open_pdf

_MARK = bytes(value * 2 // 5 for value in range(256))
"""New value of each value of blue in a marked rectangle: white becomes yellow, black stays black, as under a marker pen."""
_LINE = (230, 90, 0)
"""Red, green and blue of the line below a word: to be seen on white and on black."""
_LINE_WIDTH = 3
_POINTS_PER_INCH = 72
_MAX_PIXELS = 50_000_000
"""Pixels of the largest picture: a page may be as large as a house."""


def page_sizes(content: bytes, *, passwords: Sequence[str] = ()) -> list[tuple[float, float]]:
    """Return width and height of every page of a PDF as it is displayed, in points (1/72 inch).

    Args:
        content: The file.
        passwords: Tried where the file needs one.

    Returns:
        In order of the pages.

    Raises:
        UnsupportedMediaError: The bytes are no PDF.
        DocumentDamagedError: The file cannot be opened.
        DocumentEncryptedError: None of the passwords opens it.
    """
    with open_pdf(content, passwords) as pdf:
        return [pdf.get_page_size(index) for index in range(len(pdf))]


def render_page(
    content: bytes,
    page: int,
    *,
    rectangles: Sequence[Rectangle] = (),
    words: Sequence[Rectangle] = (),
    scale: float = 2.0,
    passwords: Sequence[str] = (),
) -> bytes:
    """Draw a page as a PNG.

    Args:
        content: The file.
        page: Number of the page, from 1.
        rectangles: Places to mark, as in page citations: points from the top left of the page as it is displayed.
        words: Places to underline.
        scale: Pixels of a point; 2 is 144 dpi. A page that would have more than 50 megapixels gets fewer.
        passwords: Tried where the file needs one.

    Returns:
        The PNG.

    Raises:
        InvalidInputError: There is no such page, or the scale is not above 0.
        UnsupportedMediaError: The bytes are no PDF.
        DocumentDamagedError: The file cannot be opened, or the page cannot be drawn.
        DocumentEncryptedError: None of the passwords opens it.
    """
    if not scale > 0:
        raise InvalidInputError("the scale of a page must be above 0, not {scale}", scale=scale)
    rows, scale = _draw(content, page, scale=scale, passwords=passwords)
    for rectangle in rectangles:
        x, y, width, height = _pixels(rectangle, scale)
        blue = slice(3 * x + 2, 3 * (x + width), 3)
        for row in rows[y : y + height]:
            row[blue] = row[blue].translate(_MARK)
    for rectangle in words:
        x, y, width, height = _pixels(rectangle, scale)
        for row in rows[y + height : y + height + _LINE_WIDTH]:
            end = min(x + width, len(row) // 3)
            row[3 * x : 3 * end] = bytes(_LINE) * max(end - x, 0)
    return encode_png(rows)


def _pixels(place: Rectangle, scale: float) -> tuple[int, int, int, int]:
    x, y, width, height = (round(side * scale) for side in (place.x, place.y, place.w, place.h))
    return x, y, max(width, 1), max(height, 1)


def draw_page(content: bytes, page: int, *, dpi: float, passwords: Sequence[str] = ()) -> Picture:
    """Draw a page as pixels; a page that would have more than 50 megapixels gets fewer. Raises like `render_page`.

    Args:
        content: The file.
        page: Number of the page, from 1.
        dpi: Pixels to an inch.
        passwords: Tried where the file needs one.
    """
    rows, _ = _draw(content, page, scale=dpi / _POINTS_PER_INCH, passwords=passwords)
    return Picture(len(rows[0]) // 3, len(rows), b"".join(rows))


def _draw(
    content: bytes, page: int, *, scale: float, passwords: Sequence[str]
) -> tuple[list[bytearray], float]:
    """Return rows of pixels of red, green and blue, and the scale in force.

    Raises:
        InvalidInputError: There is no such page.
    """
    with open_pdf(content, passwords) as pdf:
        from pypdfium2 import raw

        if not 1 <= page <= len(pdf):
            raise InvalidInputError(
                "there is no page {page}: the document has {pages}", page=page, pages=len(pdf)
            )
        drawn = pdf[page - 1]
        width, height = drawn.get_size()
        scale = min(scale, (_MAX_PIXELS / max(width * height, 1)) ** 0.5)
        bitmap = drawn.render(scale=scale, rev_byteorder=True, force_bitmap_format=raw.FPDFBitmap_BGR)
        pixels = memoryview(bitmap.buffer).cast("B")  # slices of the array itself are lists of numbers
        rows = [
            bytearray(pixels[start : start + 3 * bitmap.width])
            for start in range(0, bitmap.height * bitmap.stride, bitmap.stride)
        ]
    return rows, scale
