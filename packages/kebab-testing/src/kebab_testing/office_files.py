"""Small office files for tests, made of XML; and what a block of a document says in its text."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from struct import pack as pack_fields

from kebab_core import Block, CanonicalDocument

_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pack(parts: Mapping[str, str | bytes]) -> bytes:
    """Return an archive with these members."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def relationships(*rows: tuple[str, str, str]) -> str:
    """Return a part of relationships: id, kind and target of each; addresses are external."""
    lines = [
        f'<Relationship Id="{name}" Type="{_TYPES}/{kind}" Target="{target}"'
        f"{' TargetMode=' + chr(34) + 'External' + chr(34) if '://' in target else ''}/>"
        for name, kind, target in rows
    ]
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{"".join(lines)}</Relationships>'


def word_file(body: str, **parts: str) -> bytes:
    """Return a Word file with this body; other parts, such as `styles` and `header1`, by their kind and a number."""

    def part(root: str, content: str) -> str:
        return (
            f'<w:{root} xmlns:w="{_WORD}" xmlns:r="{_TYPES}"'
            ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
            ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
            ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
            ' xmlns:v="urn:schemas-microsoft-com:vml"'
            ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">'
            f"{content}</w:{root}>"
        )

    links = [
        ("link1", "hyperlink", "https://example.org/guide"),
        *((kind, kind.rstrip("0123456789"), f"{kind}.xml") for kind in parts),
    ]
    return pack({
        "_rels/.rels": relationships(("main", "officeDocument", "word/document.xml")),
        "word/document.xml": part("document", f"<w:body>{body}</w:body>"),
        "word/_rels/document.xml.rels": relationships(*links),
        **{f"word/{kind}.xml": part(kind, content) for kind, content in parts.items()},
    })


def paragraph(text: str, *, style: str = "", properties: str = "") -> str:
    """Return a Word paragraph of one run."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def slide_file(*slides: str, hidden: tuple[int, ...] = (), notes: str = "") -> bytes:
    """Return a PowerPoint file.

    Args:
        slides: Shapes of each slide.
        hidden: Numbers of hidden slides, from 1.
        notes: Notes of the speaker on the first slide.
    """
    main = "http://schemas.openxmlformats.org/presentationml/2006/main"
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
    spaces = f'xmlns:p="{main}" xmlns:a="{drawing}" xmlns:r="{_TYPES}"'

    def tree(root: str, shapes: str, flag: str = "") -> str:
        return f"<p:{root} {spaces}{flag}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{root}>"

    numbers = range(1, len(slides) + 1)
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="s{number}"/>' for number in numbers)
    parts = {
        "_rels/.rels": relationships(("main", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relationships(
            *((f"s{number}", "slide", f"slides/slide{number}.xml") for number in numbers)
        ),
        "ppt/slides/_rels/slide1.xml.rels": relationships(("n", "notesSlide", "../notesSlides/notes1.xml")),
        "ppt/notesSlides/notes1.xml": tree("notes", shape(notes, kind="body")),
    }
    for number, shapes in enumerate(slides, 1):
        flag = ' show="0"' if number in hidden else ""
        parts[f"ppt/slides/slide{number}.xml"] = tree("sld", shapes, flag)
    return pack(parts)


def shape(*paragraphs: str, kind: str = "") -> str:
    """Return a shape of a slide with these paragraphs; `kind` is that of a placeholder."""
    holder = f'<p:ph type="{kind}"/>' if kind else ""
    lines = "".join(
        text if text.startswith("<a:p>") else f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
        for text in paragraphs
    )
    return f"<p:sp><p:nvSpPr><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


def open_document(kind: str, body: str, *, styles: str = "", meta: str = "", pages: str = "") -> bytes:
    """Return an OpenDocument file.

    Args:
        kind: `text`, `presentation` or `spreadsheet`.
        body: Content of the element of that name.
        styles: Automatic styles.
        meta: Content of the properties.
        pages: Master pages, in the part of shared styles; without any there is no such part.
    """
    names = {
        "text": "text:1.0",
        "office": "office:1.0",
        "table": "table:1.0",
        "draw": "drawing:1.0",
        "style": "style:1.0",
    }
    names |= {"presentation": "presentation:1.0", "svg": "svg-compatible:1.0", "meta": "meta:1.0"}
    spaces = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}"' for prefix, name in names.items()
    )
    spaces += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    shared = f"<office:document-styles {spaces}><office:master-styles>{pages}</office:master-styles></office:document-styles>"
    return pack({
        **({"styles.xml": shared} if pages else {}),
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": (
            f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
        ),
        "meta.xml": f"<office:document-meta {spaces}><office:meta>{meta}</office:meta></office:document-meta>",
    })


def lines_of(document: CanonicalDocument, block: Block) -> list[str]:
    """Return the lines of the document's text that a block's span names."""
    assert document.text is not None
    assert block.source_span.kind == "line"
    return document.text.text.split("\n")[block.source_span.start - 1 : block.source_span.end]


def xls_workbook(
    rows: Sequence[Sequence[str | tuple[float, str]]],
    *,
    name: str = "Sheet1",
    is_hidden: bool = False,
    merged: Sequence[tuple[int, int, int, int]] = (),
) -> bytes:
    """Return the records of an Excel 97 workbook of one sheet, without the compound file around them.

    Args:
        rows: Texts, and numbers with their format codes.
        name: Name of the sheet.
        is_hidden: Whether the sheet is hidden.
        merged: First and last row, first and last column of each merged cell, from 0.
    """

    def record(kind: int, content: bytes) -> bytes:
        return pack_fields("<HH", kind, len(content)) + content

    def text(value: str, size: str) -> bytes:
        return pack_fields(f"<{size}B", len(value), 1) + value.encode("utf-16-le")

    def start(kind: int) -> bytes:
        return record(0x809, pack_fields("<HHHHII", 0x600, kind, 0, 1997, 0, 6))

    end = record(0x0A, b"")
    codes = list(dict.fromkeys(cell[1] for row in rows for cell in row if isinstance(cell, tuple)))
    book = record(0x31, pack_fields("<HHHHHBBBB", 200, 0, 0, 400, 0, 0, 0, 0, 0) + text("Arial", "B")) * 5
    book += b"".join(
        record(0x41E, pack_fields("<H", 164 + at) + text(code, "H")) for at, code in enumerate(codes)
    )
    styles = [0, *(164 + at for at in range(len(codes)))]
    book += b"".join(record(0xE0, pack_fields("<HHH14x", 0, style, 0)) for style in styles)
    cells = b""
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            if isinstance(cell, tuple):
                place = (number, column, 1 + codes.index(cell[1]))
                cells += record(0x203, pack_fields("<HHHd", *place, cell[0]))
            elif cell:
                cells += record(0x204, pack_fields("<HHH", number, column, 0) + text(cell, "H"))
    areas = b"".join(pack_fields("<HHHH", *area) for area in merged)
    cells += record(0xE5, pack_fields("<H", len(merged)) + areas) if merged else b""
    sheet_of = text(name, "B")
    first = start(0x05) + book
    offset = len(first) + 4 + 6 + len(sheet_of) + len(end)
    listed = record(0x85, pack_fields("<IBB", offset, int(is_hidden), 0) + sheet_of)
    return first + listed + end + start(0x10) + cells + end
