"""Pictures and sizes of pages."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import pytest
from kebab_core import DocumentEncryptedError, InvalidInputError, Rectangle
from kebab_parse_pdf import page_sizes, render_page
from kebab_testing.pdf_files import HEIGHT, WIDTH, Line, PageSpec, write_pdf
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Edit

CONTENT = write_pdf(PageSpec([Line(100, 200, "words")]), PageSpec(extra="/Rotate 90"))


def read_png(data: bytes) -> tuple[int, int, list[bytes]]:
    """Return width, height and the rows of pixels, three bytes each."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length]) == (zlib.crc32(name + body),)
        chunks[name] = body
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    pixels, stride = zlib.decompress(chunks[b"IDAT"]), 3 * width + 1
    return width, height, [pixels[row * stride + 1 : (row + 1) * stride] for row in range(height)]


def test_page_is_drawn_at_its_scale_with_its_rectangles_in_yellow() -> None:
    marked = Rectangle(x=300, y=400, w=100, h=50)
    width, height, rows = read_png(render_page(CONTENT, 1, rectangles=[marked], scale=2))

    assert (width, height) == (2 * WIDTH, 2 * HEIGHT)
    red, green, blue = rows[2 * 425][3 * 700 : 3 * 701]
    assert (red, green) == (255, 255)
    assert blue < 128
    assert rows[2 * 395][3 * 700 : 3 * 701] == b"\xff\xff\xff"


def test_rectangles_over_the_edge_and_empty_ones_are_drawn_as_far_as_they_go() -> None:
    rectangles = [
        Rectangle(x=WIDTH - 10, y=HEIGHT - 10, w=500, h=500),
        Rectangle(x=5, y=5, w=0, h=0),
        Rectangle(x=9000, y=9000, w=1, h=1),
    ]
    _, _, rows = read_png(render_page(CONTENT, 1, rectangles=rectangles, scale=1))
    assert rows[-1][-1] < 128
    assert rows[5][3 * 5 + 2] < 128


def test_sizes_are_those_of_the_pages_as_they_are_displayed() -> None:
    assert page_sizes(CONTENT) == [(WIDTH, HEIGHT), (HEIGHT, WIDTH)]
    assert read_png(render_page(CONTENT, 2, scale=0.5))[:2] == (HEIGHT // 2, WIDTH // 2)


def test_huge_page_is_drawn_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kebab_parse_pdf.rendering._MAX_PIXELS", 5_000_000)
    huge = CONTENT.replace(b"/MediaBox [0 0 600 800]", b"/MediaBox[0 0 9900 990]", 1)
    width, height = struct.unpack(">II", render_page(huge, 1, scale=4)[16:24])
    assert width * height <= 5_040_000
    assert abs(width / height - 10) < 0.02


@walk(("page", "scale"), [(0, 1.0), (3, 1.0), (1, 0.0), (1, -1.0)])
def test_page_that_is_not_there_and_scale_of_nothing_are_errors(page: int, scale: float) -> None:
    with pytest.raises(InvalidInputError):
        render_page(CONTENT, page, scale=scale)


def test_encrypted_file_is_drawn_with_its_password(edit: Edit) -> None:
    locked = edit(CONTENT, lambda writer: writer.encrypt("secret", algorithm="RC4-128"))
    with pytest.raises(DocumentEncryptedError):
        render_page(locked, 1)
    assert read_png(render_page(locked, 1, scale=1, passwords=["secret"]))[:2] == (WIDTH, HEIGHT)
