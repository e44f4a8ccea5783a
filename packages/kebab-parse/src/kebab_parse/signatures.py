"""The medium of a document by its content, where the name of its file says another one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kebab_core import (
    DocumentDamagedError,
    DocumentError,
    EpubMedia,
    HtmlMedia,
    HwpMedia,
    MediaType,
    OfficeFormat,
    OfficeMedia,
    PdfMedia,
    TextMedia,
)

_NAMED_BY_CONTENT = frozenset({"pdf", "office", "html", "epub", "hwp", "email", "archive"})
"""Kinds that are parsed in processes with limits, so that any of them may turn out to be another."""
_TEXTS = frozenset({"csv", "tsv"})
_PDF = re.compile(rb"%PDF-[0-9]")
_PDF_WITHIN = 1024
"""Bytes before a PDF that readers skip."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Beginning of an OLE compound file: older office documents, HWP 5, encrypted Open XML."""
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,200}(?:<!doctype\s+html|<html[\s>])", re.IGNORECASE)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_TABLE_WITHIN = 4096
"""Bytes within which a table as text has more than one column, and none of a binary file."""
_HWP_MARK = b"HWP Document File"
_RICH_TEXT = re.compile(rb"\s{0,200}\{\\rtf")
_GRAPH = re.compile(
    rb"(?:\s{1,200}|//[^\n]{0,2000}\n|#[^\n]{0,2000}\n|/\*.{0,2000}?\*/)*+(?:strict\s{1,20})?(?:di)?graph\b[^{;]{0,200}\{",
    re.DOTALL | re.IGNORECASE,
)
"""Beginning of a graph in the language of Graphviz, whose files have the extension of templates of Word."""
_STREAMS: Mapping[OfficeFormat, tuple[bytes, ...]] = {
    "xls": ("Workbook".encode("utf-16-le"), "Book\0".encode("utf-16-le")),
    "doc": ("WordDocument".encode("utf-16-le"),),
    "ppt": ("PowerPoint Document".encode("utf-16-le"),),
}
"""Names of streams in compound files of Office. A file may hold another: that its name stands for is tried first."""
_MIMETYPES: Mapping[bytes, MediaType] = {
    b"application/epub+zip": EpubMedia(),
    b"application/hwp+zip": HwpMedia(format="hwpx"),
    b"application/vnd.oasis.opendocument.text": OfficeMedia(format="odt"),
    b"application/vnd.oasis.opendocument.spreadsheet": OfficeMedia(format="ods"),
    b"application/vnd.oasis.opendocument.presentation": OfficeMedia(format="odp"),
}
"""Content of the member `mimetype` of an archive."""
_MEMBERS: Mapping[str, MediaType] = {
    "word/document.xml": OfficeMedia(format="docx"),
    "ppt/presentation.xml": OfficeMedia(format="pptx"),
    "xl/workbook.xml": OfficeMedia(format="xlsx"),
    "xl/workbook.bin": OfficeMedia(format="xlsx"),
    "META-INF/container.xml": EpubMedia(),
    "Contents/header.xml": HwpMedia(format="hwpx"),
}
"""Members that only archives of one format have, tried in this order."""


def find_media(named: MediaType, content: bytes) -> MediaType:
    """Return the medium of a file by its content.

    Args:
        named: The medium that its name stands for. Text, source code, pictures and recordings are what they are named.
        content: The whole file.

    Returns:
        The medium that the content shows; `named` where it shows none.

    Raises:
        DocumentDamagedError: The file is empty, and its format has no empty files.
    """
    if named.kind not in _NAMED_BY_CONTENT:
        return named
    is_text = named.kind in {"html", "email"} or (isinstance(named, OfficeMedia) and named.format in _TEXTS)
    if not content and not is_text:
        raise DocumentDamagedError("the file is empty")
    if (found := _PDF.search(content, 0, _PDF_WITHIN)) and not (is_text and found.start()):
        return PdfMedia()
    if content.startswith(_ZIP):
        return _media_of_archive(content) or named
    if content.startswith(COMPOUND_FILE):
        return _media_of_compound_file(named, content) or named
    return named if is_text else _media_of_text(named, content) or named


def _media_of_text(named: MediaType, content: bytes) -> MediaType | None:
    if _RICH_TEXT.match(content):
        return OfficeMedia(format="rtf")
    if named == OfficeMedia(format="doc") and _GRAPH.match(content):
        return TextMedia(format="diagram")
    if _HTML.match(content):
        return HtmlMedia()
    return _media_of_table(content) if named == OfficeMedia(format="xls") else None


def _media_of_table(content: bytes) -> MediaType | None:
    """Return the medium of a table as text, which banks name like a workbook; None for what is binary or markup."""
    head = content[:_TABLE_WITHIN]
    if head.startswith(_UTF_16):
        head = head[2:].replace(b"\0", b"")
    if b"\0" in head or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return None
    separators: tuple[tuple[OfficeFormat, bytes], ...] = (("tsv", b"\t"), ("csv", b","))
    return next((OfficeMedia(format=form) for form, sign in separators if sign in head), None)


def _media_of_archive(content: bytes) -> MediaType | None:
    from kebab_parse.archive import open_archive

    try:
        members = open_archive(content)
        mimetype = members["mimetype"].strip() if "mimetype" in members else b""
    except DocumentError:
        return None
    return _MIMETYPES.get(mimetype) or next(
        (media for name, media in _MEMBERS.items() if name in members), None
    )


def _media_of_compound_file(named: MediaType, content: bytes) -> MediaType | None:
    if named.kind == "email":  # of Outlook, with any file in it
        return named
    if _HWP_MARK in content:
        return HwpMedia(format="hwp")
    found = [name for name, marks in _STREAMS.items() if any(mark in content for mark in marks)]
    if isinstance(named, OfficeMedia) and named.format in found:
        return named
    return OfficeMedia(format=found[0]) if found else None
