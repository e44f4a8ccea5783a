"""Small PDFs, and short ways to read what was made of them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kebab_core import CanonicalDocument, PageSpan

WIDTH, HEIGHT = 600, 800
_PICTURE = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"


class Line(NamedTuple):
    """A line of text; `y` is the distance of its baseline from the top of the page."""

    x: float
    y: float
    text: str
    size: float = 10


@dataclass(frozen=True)
class PageSpec:
    """A page with lines in the order in which they are drawn."""

    lines: Sequence[Line] = ()
    picture: bool = False
    """A gray picture covers the page."""
    has_unicode: bool = True
    """False: the font does not say which characters its shapes are."""
    encoding: str = ""
    """Encoding of the bytes of the text, in a Latin font that knows nothing of it; empty for a font with Unicode."""
    extra: str = ""
    """More entries of the page, such as /Rotate."""
    commands: str = ""
    """More drawing."""
    overlay: PageSpec | None = None
    """Lines of another encoding on the same page."""


@dataclass
class _Objects:
    bodies: list[bytes] = field(default_factory=list)

    def add(self, body: str | bytes) -> int:
        self.bodies.append(body if isinstance(body, bytes) else body.encode())
        return len(self.bodies)

    def add_stream(self, data: str | bytes, entries: str = "") -> int:
        packed = zlib.compress(data if isinstance(data, bytes) else data.encode())
        head = f"<< /Length {len(packed)} /Filter /FlateDecode {entries} >>\nstream\n"
        return self.add(head.encode() + packed + b"\nendstream")


def write_pdf(*pages: PageSpec) -> bytes:
    """Write a PDF of pages of 600 x 800 points. A character is half as wide as its size, Hangul as wide."""
    objects = _Objects([b"", b""])
    used = sorted({char for page in pages if not page.encoding for line in page.lines for char in line.text})
    fonts = {has: _add_font(objects, used if has else []) for has in {page.has_unicode for page in pages}}
    latin = objects.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    picture = objects.add_stream(b"\x80", _PICTURE)
    kids = [_add_page(objects, page, (fonts[page.has_unicode], latin), picture) for page in pages]
    objects.bodies[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    objects.bodies[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{listed}] >>".encode()
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects.bodies, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    return bytes(
        out + f"trailer << /Root 1 0 R /Size {len(offsets) + 1} >>\nstartxref\n{start}\n%%EOF\n".encode()
    )


def _add_page(objects: _Objects, page: PageSpec, fonts: tuple[int, int], picture: int) -> int:
    commands = [f"q {WIDTH} 0 0 {HEIGHT} 0 0 cm /P Do Q"] if page.picture else []
    commands += [
        f"BT /{'L' if layer.encoding else 'F'} {line.size} Tf {line.x} {HEIGHT - line.y} Td "
        f"<{_code(line.text, layer.encoding)}> Tj ET"
        for layer in (page, page.overlay)
        if layer is not None
        for line in layer.lines
    ]
    content = objects.add_stream("\n".join([*commands, page.commands]))
    return objects.add(
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {content} 0 R {page.extra} "
        f"/Resources << /Font << /F {fonts[0]} 0 R /L {fonts[1]} 0 R >> /XObject << /P {picture} 0 R >> >> >>"
    )


def _code(text: str, encoding: str = "") -> str:
    return text.encode(encoding or "utf-16-be").hex()


def _add_font(objects: _Objects, used: Sequence[str]) -> int:
    """Add a font whose codes are UTF-16; it says so for the characters in `used` only."""
    codes = [f"<{_code(char)}> <{_code(char)}>" for char in used]
    runs = [codes[start : start + 100] for start in range(0, len(codes), 100)]
    chars = "".join(f"{len(run)} beginbfchar\n" + "\n".join(run) + "\nendbfchar\n" for run in runs)
    mapping = objects.add_stream(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def "
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{chars}endcmap end end"
    )
    descriptor = objects.add(
        "<< /Type /FontDescriptor /FontName /Test /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 "
        "/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
    )
    cid = objects.add(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Test /W [0 4351 500 4352 65535 1000] "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
        f"/FontDescriptor {descriptor} 0 R >>"
    )
    says = f"/ToUnicode {mapping} 0 R" if used else ""
    return objects.add(
        "<< /Type /Font /Subtype /Type0 /BaseFont /Test /Encoding /Identity-H "
        f"/DescendantFonts [{cid} 0 R] {says} >>"
    )


def column(x: float, y: float, *texts: str, pitch: float = 12) -> list[Line]:
    """Lay lines below each other."""
    return [Line(x, y + pitch * index, text) for index, text in enumerate(texts)]


def page_texts(document: CanonicalDocument) -> list[str]:
    """List the texts of the pages."""
    assert document.text is not None
    return [document.text.text[part.start : part.end] for part in document.text.parts]


def block_texts(document: CanonicalDocument) -> list[str]:
    """List the texts of the blocks, each as its span cuts it out of its page."""
    pages = page_texts(document)
    found = []
    for block in document.blocks:
        span = block.source_span
        assert isinstance(span, PageSpan)
        assert span.char_start is not None
        found.append(pages[span.page - 1][span.char_start : span.char_end])
    return found
