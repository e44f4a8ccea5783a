"""A small document of each format that kebab reads, made here: Korean and English, headings, tables, notes."""

from __future__ import annotations

import io
import json
import wave
import zipfile
import zlib
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from functools import cache, partial
from pathlib import Path

from kebab_testing.hangul_files import (
    hwp5_control,
    hwp5_header,
    hwp5_paragraph,
    hwp5_table,
    hwpx_paragraph,
    hwpx_table,
    record,
    write_compound_file,
    write_hwp5,
    write_hwpx,
)
from kebab_testing.office_files import xls_workbook
from kebab_testing.structured_files import FEED, FICTION_BOOK, STRUCTURED_FILES

TITLE, SENTENCE = "복무 규정", "연차휴가는 일 년에 열다섯 일이다. The grill is lit at noon."
ROWS = (("품목", "수량"), ("소화기", "12"), ("구급상자", "3"))
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_X = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "application/vnd.openxmlformats-officedocument"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"


def write_zip(members: Mapping[str, bytes]) -> bytes:
    """Write an archive whose first member is not compressed, as formats with a `mimetype` ask."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
            archive.writestr(
                info, content, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            )
    return out.getvalue()


def read_zip(content: bytes) -> dict[str, bytes]:
    """Return the members of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _markdown() -> bytes:
    table = "\n".join(f"| {' | '.join(row)} |" for row in (ROWS[0], ("---", "---"), *ROWS[1:]))
    return f"---\ntitle: {TITLE}\ntags: [휴가]\n---\n\n# {TITLE}\n\n{SENTENCE}[^1]\n\n{table}\n\n- 하나\n- 둘\n\n[^1]: 각주\n".encode()


def _html() -> bytes:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
    return (
        f"<!doctype html><html lang='ko'><head><meta charset='utf-8'><title>{TITLE}</title></head><body><main>"
        f"<h1>{TITLE}</h1><p>{SENTENCE}</p><table>{rows}</table><ul><li>하나<li>둘</ul><pre>x = 1</pre></main></body></html>"
    ).encode()


def _epub() -> bytes:
    return write_zip({
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
        b'<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier><dc:title>{TITLE}</dc:title>'
        '</metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'.encode(),
        "a.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{TITLE}</title></head><body><h1>{TITLE}</h1>'
        f"<p>{SENTENCE}</p></body></html>".encode(),
    })


def _relations(**targets: str) -> bytes:
    shown = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), 1)
    )
    return f'<?xml version="1.0"?><Relationships xmlns="{_RELATIONS}">{shown}</Relationships>'.encode()


def _content_types(**parts: str) -> bytes:
    shown = "".join(
        f'<Override PartName="/{name}" ContentType="{_TYPES}.{kind}+xml"/>' for kind, name in parts.items()
    )
    return (
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
        f'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{shown}</Types>'
    ).encode()


def _docx() -> bytes:
    rows = "".join(
        "<w:tr>"
        + "".join(f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in row)
        + "</w:tr>"
        for row in ROWS
    )
    heading = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{TITLE}</w:t></w:r></w:p>'
    return write_zip({
        "[Content_Types].xml": _content_types(**{"wordprocessingml.document.main": "word/document.xml"}),
        "_rels/.rels": _relations(officeDocument="word/document.xml"),
        "word/document.xml": f'<?xml version="1.0"?><w:document {_W}><w:body>{heading}<w:p><w:r><w:t>{SENTENCE}</w:t></w:r>'
        f"</w:p><w:tbl>{rows}</w:tbl></w:body></w:document>".encode(),
    })


def _pptx() -> bytes:
    body = f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{SENTENCE}</a:t></a:r></a:p></p:txBody>"
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="T"/><p:cNvSpPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/>'
        f"{body}</p:sp>"
    )
    return write_zip({
        "[Content_Types].xml": _content_types(**{
            "presentationml.presentation.main": "ppt/presentation.xml",
            "presentationml.slide": "ppt/slides/slide1.xml",
        }),
        "_rels/.rels": _relations(officeDocument="ppt/presentation.xml"),
        "ppt/presentation.xml": f'<?xml version="1.0"?><p:presentation {_P} {_R}><p:sldIdLst><p:sldId id="256" r:id="r1"/>'
        '</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>'.encode(),
        "ppt/_rels/presentation.xml.rels": _relations(slide="slides/slide1.xml"),
        "ppt/slides/slide1.xml": f'<?xml version="1.0"?><p:sld {_P} {_A}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" '
        f'name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{shape}</p:spTree></p:cSld></p:sld>'.encode(),
    })


def _xlsx() -> bytes:
    cells = "".join(
        f'<row r="{row}">'
        + "".join(
            f'<c r="{"AB"[column]}{row}" t="inlineStr"><is><t>{cell}</t></is></c>'
            for column, cell in enumerate(cells)
        )
        + "</row>"
        for row, cells in enumerate(ROWS, 1)
    )
    return write_zip({
        "[Content_Types].xml": _content_types(**{
            "spreadsheetml.sheet.main": "xl/workbook.xml",
            "spreadsheetml.worksheet": "xl/worksheets/sheet1.xml",
        }),
        "_rels/.rels": _relations(officeDocument="xl/workbook.xml"),
        "xl/workbook.xml": f'<?xml version="1.0"?><workbook {_X} {_R}><sheets><sheet name="비품" sheetId="1" r:id="r1"/>'
        "</sheets></workbook>".encode(),
        "xl/_rels/workbook.xml.rels": _relations(worksheet="worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<?xml version="1.0"?><worksheet {_X}><sheetData>{cells}</sheetData></worksheet>'.encode(),
    })


def _open_document(kind: str, body: str) -> bytes:
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    return write_zip({
        "mimetype": mimetype.encode(),
        "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{_ODF}:manifest:1.0"><manifest:file-entry '
        f'manifest:full-path="/" manifest:media-type="{mimetype}"/></manifest:manifest>'.encode(),
        "content.xml": f'<?xml version="1.0"?><office:document-content xmlns:office="{_ODF}:office:1.0" '
        f'xmlns:text="{_ODF}:text:1.0" xmlns:table="{_ODF}:table:1.0" office:version="1.2"><office:body>{body}'
        "</office:body></office:document-content>".encode(),
    })


def _odt() -> bytes:
    return _open_document(
        "text",
        f'<office:text><text:h text:outline-level="1">{TITLE}</text:h><text:p>{SENTENCE}</text:p></office:text>',
    )


def _ods() -> bytes:
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in ROWS
    )
    return _open_document(
        "spreadsheet",
        f'<office:spreadsheet><table:table table:name="비품">{rows}</table:table></office:spreadsheet>',
    )


def _hwpx() -> bytes:
    return write_hwpx(
        hwpx_paragraph(TITLE, shape=1) + hwpx_paragraph(SENTENCE) + hwpx_paragraph(hwpx_table(ROWS)),
        facts={"title": TITLE, "CreatedDate": "2025-09-17T04:32:50Z"},
    )


def _hwp() -> bytes:
    note = record(72, 2, bytes(8)) + hwp5_paragraph("각주", level=2)
    return write_hwp5(
        hwp5_paragraph(TITLE, shape=1)
        + hwp5_paragraph(SENTENCE + hwp5_control(17, "fn  "), hwp5_header("fn  ", 1), note)
        + hwp5_paragraph(hwp5_control(11, "tbl "), hwp5_table(ROWS)),
        flags=0,  # compression would let no change through
    )


def _pdf() -> bytes:
    lines = b"".join(
        b"(%s) Tj T* " % line for line in (b"The grill is lit at noon.", b"The cellar keeps vinegar.")
    )
    stream = b"BT /F1 12 Tf 14 TL 72 720 Td " + lines + b"ET"
    packed = zlib.compress(stream)
    page = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
    )
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/Outlines 9 0 R>>",
        b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>",
        page % 6,
        page % 7,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
        b"<</Title(Guide)/Author(Kim)/CreationDate(D:20240102030405Z)>>",
        b"<</Type/Outlines/First 10 0 R/Last 10 0 R/Count 1>>",
        b"<</Title(Grill)/Parent 9 0 R/Dest[3 0 R/Fit]>>",
    ]
    out, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n%strailer\n<</Size %d/Root 1 0 R/Info 8 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        table,
        size,
        len(out),
    )


def _xls() -> bytes:
    rows: list[list[str | tuple[float, str]]] = [[TITLE], [SENTENCE], [*ROWS[0]]]
    rows += [[name, (float(number), "#,##0")] for name, number in ROWS[1:]]
    return write_compound_file({("Workbook",): xls_workbook(rows)})


def _read_golden(name: str) -> bytes:
    """Return a document that another program wrote."""
    return (Path(__file__).parent.parent / "goldens" / "parse" / "inputs" / name).read_bytes()


def _mail() -> EmailMessage:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = TITLE, "김 <kim@example.org>", "lee@example.org"
    message["Date"], message["Message-ID"] = "Tue, 02 Jan 2024 03:04:05 +0900", "<a@example.org>"
    message.set_content(f"{SENTENCE}\n\n> 앞의 편지\n")
    message.add_alternative(_html().decode(), subtype="html")
    message.add_attachment(_docx(), maintype="application", subtype="octet-stream", filename="규정.docx")
    return message


def _mbox() -> bytes:
    return b"".join(
        b"From kim@example.org Tue Jan  2 03:04:05 2024\n" + _mail().as_bytes() + b"\n" for _ in range(2)
    )


PICTURES = {
    "png": "PNG",
    "jpg": "JPEG",
    "gif": "GIF",
    "tif": "TIFF",
    "webp": "WEBP",
    "bmp": "BMP",
    "avif": "AVIF",
}
"""Formats of pictures as Pillow names them, by extension."""


_CHAT = f"지우 님과 카카오톡 대화\n저장한 날짜 : 2026-03-14 09:00:12\n\n--------------- 2026년 3월 13일 금요일 ---------------\n[지우] [오후 3:21] {SENTENCE}\n[민호] [오후 3:25] 알겠어\n"
_TELEGRAM = {
    "name": TITLE,
    "type": "private_group",
    "messages": [
        {
            "type": "message",
            "date": "2026-03-13T15:21:05",
            "from": "지우",
            "text": ["zone ", {"type": "bold", "text": SENTENCE}],
        }
    ],
}


def _recording() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as made:
        made.setparams((1, 2, 8000, 0, "NONE", ""))
        made.writeframes(bytes(16_000))
    return out.getvalue()


def _picture(kind: str) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (160, 48), "white")
    ImageDraw.Draw(image).text((8, 8), "zone 7", fill="black")
    out = io.BytesIO()
    pages = {"save_all": True, "append_images": [image.copy()]} if kind == "TIFF" else {}
    image.save(out, kind, **pages)
    return out.getvalue()


WRITERS: Mapping[str, Callable[[], bytes]] = {
    "md": _markdown,
    "html": _html,
    "epub": _epub,
    "docx": _docx,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "xls": _xls,
    "odt": _odt,
    "ods": _ods,
    "csv": lambda: "\r\n".join(",".join(row) for row in ROWS).encode(),
    "hwpx": _hwpx,
    "hwp": _hwp,
    "doc": partial(_read_golden, "report.doc"),
    "ppt": partial(_read_golden, "talk.ppt"),
    "pdf": _pdf,
    "eml": lambda: _mail().as_bytes(),
    "mbox": _mbox,
    "txt": _CHAT.encode,
    "json": json.dumps(_TELEGRAM, ensure_ascii=False).encode,
    "srt": f"1\n00:00:01,000 --> 00:00:04,000\n{SENTENCE}\n\n2\n00:01:00,000 --> 00:01:04,000\n<i>zone</i>\n".encode,
    "vtt": f"WEBVTT\n\n1\n00:01.000 --> 00:04.000 align:start\n<v 지우>{SENTENCE}\n".encode,
    "lrc": f"[ti:{TITLE}]\n[00:12.00][01:12.00]{SENTENCE}\n".encode,
    "smi": f"<SAMI><BODY><SYNC Start=1000><P>{SENTENCE}<SYNC Start=4000><P>&nbsp;</BODY></SAMI>".encode,
    "ass": f"[Events]\nFormat: Start, End, Name, Text\nDialogue: 0:00:01.00,0:00:04.00,지우,{{\\i1}}{SENTENCE}\n".encode,
    "sbv": f"0:00:01.000,0:00:04.000\n{SENTENCE}\n".encode,
    "ttml": f'<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" dur="3s">{SENTENCE}</p></div></body></tt>'.encode,
    "fb2": FICTION_BOOK.encode,
    "rss": FEED.encode,
    "svg": f'<svg xmlns="http://www.w3.org/2000/svg"><title>{TITLE}</title><text x="1" y="9">{SENTENCE}</text></svg>'.encode,
    "wav": _recording,
    **{extension: partial(_picture, kind) for extension, kind in PICTURES.items()},
    **{extension: partial(STRUCTURED_FILES.__getitem__, extension) for extension in STRUCTURED_FILES},
}
"""By extension."""


@cache
def sample(extension: str) -> bytes:
    """Return the document of a format, by its extension."""
    return WRITERS[extension]()
