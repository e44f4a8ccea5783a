"""A file is read as what it is, whatever its name says."""

from __future__ import annotations

import io
import zipfile

import pytest
from kebab_core import (
    DocumentDamagedError,
    EmailMedia,
    EpubMedia,
    HtmlMedia,
    HwpMedia,
    MarkdownMedia,
    MediaType,
    OfficeMedia,
    PdfMedia,
    TextMedia,
)
from kebab_parse import find_media
from kebab_testing.tables import walk

DOCX = OfficeMedia(format="docx")
CSV = OfficeMedia(format="csv")
DOC = OfficeMedia(format="doc")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def _archive(**members: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return written.getvalue()


@walk(
    ("named", "content", "media"),
    [
        (DOCX, b"%PDF-1.7\n", PdfMedia()),
        (PdfMedia(), b"\n\n%PDF-1.4\n", PdfMedia()),
        (PdfMedia(), _archive(word__document_xml=b""), DOCX),
        (EpubMedia(), _archive(mimetype=b"application/hwp+zip\n"), HwpMedia(format="hwpx")),
        (HwpMedia(format="hwp"), _archive(mimetype=b"application/epub+zip"), EpubMedia()),
        (DOCX, OLE + b"HWP Document File V5.00", HwpMedia(format="hwp")),
        (DOCX, OLE + "Workbook".encode("utf-16-le"), OfficeMedia(format="xls")),
        (DOCX, OLE + "WordDocument".encode("utf-16-le"), DOC),
        (DOC, OLE + "WordDocument_Workbook".encode("utf-16-le"), DOC),
        (DOCX, OLE + "PowerPoint Document".encode("utf-16-le"), OfficeMedia(format="ppt")),
        (EmailMedia(format="msg"), OLE + "Workbook".encode("utf-16-le"), EmailMedia(format="msg")),
        (DOC, b"{\\rtf1\\ansi x}", OfficeMedia(format="rtf")),
        (DOC, b'// made by hand\n/* of */ strict digraph "a b" {\n', TextMedia(format="diagram")),
        (DOC, b"graphs are drawn with { and }", DOC),
        (OfficeMedia(format="xls"), b"\xef\xbb\xbf\n<HTML><table>", HtmlMedia()),
        (OfficeMedia(format="xls"), "날짜\t금액\r\n".encode("cp949"), OfficeMedia(format="tsv")),
        (OfficeMedia(format="xls"), "날짜\t금액\r\n".encode("utf-16"), OfficeMedia(format="tsv")),
        (OfficeMedia(format="xls"), b"day,sum\n", CSV),
        (OfficeMedia(format="xls"), b"\x09\x04\x06\0\0\0\x10\0,", OfficeMedia(format="xls")),
        (OfficeMedia(format="xls"), b'<?xml version="1.0"?>\n<a b="1,2"/>', OfficeMedia(format="xls")),
        (CSV, b"a,%PDF-1.4\n", CSV),
        (CSV, b"<html>,1\n", CSV),
        (EmailMedia(format="eml"), b"Subject: %PDF-1.4\n\n<html>", EmailMedia(format="eml")),
        (DOCX, b"PK\x03\x04 damaged", DOCX),
        (DOCX, OLE, DOCX),
        (MarkdownMedia(), b"%PDF-1.7\n", MarkdownMedia()),
    ],
)
def test_content_decides_the_medium(named: MediaType, content: bytes, media: MediaType) -> None:
    assert find_media(named, content) == media


def test_empty_file_is_damaged_unless_its_kind_is_text() -> None:
    for named in (DOCX, PdfMedia(), HwpMedia(format="hwp")):
        with pytest.raises(DocumentDamagedError, match="the file is empty"):
            find_media(named, b"")
    for named in (HtmlMedia(), CSV):
        assert find_media(named, b"") == named
