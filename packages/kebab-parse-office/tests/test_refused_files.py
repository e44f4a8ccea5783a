"""Files that cannot be read: every one is a typed error or a warning, and nothing outside of them is touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kebab_core import (
    CanonicalDocument,
    DocumentDamagedError,
    DocumentEncryptedError,
    DocumentTooLargeError,
    OfficeFormat,
    Remedy,
    UnsupportedMediaError,
)
from kebab_testing.office_files import open_document, pack, paragraph, word_file

Read = Callable[[bytes, OfficeFormat], CanonicalDocument]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504
FORMATS: tuple[OfficeFormat, ...] = ("docx", "odt", "xlsx", "ods", "pptx", "odp")


@pytest.mark.parametrize("form", FORMATS)
def test_locked_office_files_are_encrypted(read: Read, form: OfficeFormat) -> None:
    with pytest.raises(DocumentEncryptedError) as caught:
        read(OLE + "EncryptedPackage".encode("utf-16-le"), form)
    assert caught.value.remedy == Remedy(kind="save_unprotected")


@pytest.mark.parametrize("form", ["odt", "ods", "odp"])
def test_locked_open_documents_are_encrypted(read: Read, form: OfficeFormat) -> None:
    manifest = "<m:manifest xmlns:m='x'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>"
    with pytest.raises(DocumentEncryptedError) as caught:
        read(pack({"META-INF/manifest.xml": manifest, "content.xml": b"\x8f\x01"}), form)
    assert caught.value.remedy == Remedy(kind="save_unprotected")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, OLE])
def test_other_files_are_refused(read: Read, form: OfficeFormat, content: bytes) -> None:
    with pytest.raises(UnsupportedMediaError):
        read(content, form)


@pytest.mark.parametrize("form", FORMATS)
def test_damaged_archives_are_refused(read: Read, form: OfficeFormat) -> None:
    with pytest.raises(DocumentDamagedError):
        read(b"PK\x03\x04" + b"\0" * 100, form)
    with pytest.raises(DocumentDamagedError):
        read(pack({"other.xml": "<x/>"}), form)


def test_empty_documents_say_so(read: Read) -> None:
    document = read(word_file(paragraph("")), "docx")
    assert document.blocks == ()
    assert [str(note) for note in document.provenance.warnings] == ["the document has no text"]


def test_entities_are_never_replaced(read: Read, tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    entities = f'<!ENTITY a SYSTEM "{outside.as_uri()}"><!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;">'
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "<w:body><w:p><w:r><w:t>앞&a;&c;뒤</w:t></w:r></w:p></w:body>"
    content = f'<!DOCTYPE w:document [{entities}]><w:document xmlns:w="{space}">{body}</w:document>'
    document = read(pack({"word/document.xml": content}), "docx")
    assert document.text is not None
    assert "secret" not in document.text.text
    assert "bbb" not in document.text.text


def test_bombs_end_at_a_bound(read: Read) -> None:
    bomb = pack({"word/document.xml": b"<w>" + b" " * (90 * 1024 * 1024) + b"</w>"})
    assert len(bomb) < 200_000
    with pytest.raises(DocumentTooLargeError):
        read(bomb, "docx")


def test_a_sheet_that_is_no_workbook_is_refused(read: Read) -> None:
    with pytest.raises(DocumentDamagedError):
        read(OLE + "Workbook".encode("utf-16-le"), "xls")
    with pytest.raises(DocumentEncryptedError):
        read(OLE + "EncryptedPackage".encode("utf-16-le"), "xls")
    with pytest.raises(UnsupportedMediaError):
        read(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "csv")


@pytest.mark.parametrize("number", ["-1", "²", "abc", "", "99999999999999999999"])
def test_numbers_that_are_none_do_no_harm(read: Read, number: str) -> None:
    place = (
        f'<w:numPr><w:ilvl w:val="{number}"/><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="{number}"/>'
    )
    lists = (
        f'<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="{number}"><w:start w:val="{number}"/>'
        '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    )
    table = (
        f'<w:tbl><w:tr><w:trPr><w:gridBefore w:val="{number}"/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="{number}"/>'
        f"</w:tcPr>{paragraph('가')}</w:tc><w:tc>{paragraph('나')}</w:tc></w:tr></w:tbl>"
    )
    document = read(word_file(paragraph("본문", properties=place) + table, numbering=lists), "docx")
    assert document.text is not None
    assert "본문" in document.text.text
    cell = (
        f'<table:table><table:table-row table:number-rows-repeated="{number}"><table:table-cell '
        f'table:number-columns-repeated="{number}"><text:p>값</text:p></table:table-cell></table:table-row></table:table>'
    )
    assert read(open_document("spreadsheet", cell), "ods").blocks
