"""Files that cannot be read: every one is a typed error or a warning, and nothing outside of them is touched."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from kebab_core import (
    CanonicalDocument,
    DocumentDamagedError,
    DocumentEncryptedError,
    DocumentTooLargeError,
    Message,
    OfficeFormat,
    Remedy,
    UnsupportedMediaError,
)
from kebab_testing.office_files import (
    open_document,
    pack,
    paragraph,
    relationships,
    shape,
    slide_file,
    word_file,
    xls_workbook,
)

Read = Callable[[bytes, OfficeFormat], CanonicalDocument]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504
FORMATS: tuple[OfficeFormat, ...] = ("docx", "odt", "xlsx", "ods", "pptx", "odp")


@pytest.mark.parametrize("form", FORMATS)
def test_locked_office_files_are_encrypted(read: Read, form: OfficeFormat) -> None:
    with pytest.raises(DocumentEncryptedError) as caught:
        read(OLE + "EncryptedPackage".encode("utf-16-le"), form)
    assert caught.value.remedy == Remedy(
        advice=Message("open it in its own program and save it without protection")
    )


@pytest.mark.parametrize("form", ["odt", "ods", "odp"])
def test_locked_open_documents_are_encrypted(read: Read, form: OfficeFormat) -> None:
    manifest = "<m:manifest xmlns:m='x'><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>"
    with pytest.raises(DocumentEncryptedError) as caught:
        read(pack({"META-INF/manifest.xml": manifest, "content.xml": b"\x8f\x01"}), form)
    assert caught.value.remedy == Remedy(
        advice=Message("open it in its own program and save it without protection")
    )


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, OLE])
def test_other_files_are_refused(read: Read, form: OfficeFormat, content: bytes) -> None:
    with pytest.raises(UnsupportedMediaError):
        read(content, form)


@pytest.mark.parametrize("form", FORMATS)
def test_damaged_archives_are_refused(read: Read, form: OfficeFormat) -> None:
    with pytest.raises(DocumentDamagedError):
        read(b"PK\x03\x04" + b"\0" * 100, form)
    with pytest.raises(DocumentDamagedError, match="the file is damaged or no Office file"):
        read(pack({"other.xml": "<x/>"}), form)


@pytest.mark.parametrize("size", [0, 20, 200, 500])
def test_cut_older_workbooks_are_refused(read: Read, size: int) -> None:
    content = xls_workbook([["품목", (1, "0.00")]] * 20)
    with pytest.raises(DocumentDamagedError):
        read(content[: len(content) * size // 1000], "xls")


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


def _change(content: bytes, part: str, edit: Callable[[bytes], bytes | None]) -> bytes:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    changed = edit(parts.pop(part))
    return pack(parts if changed is None else {**parts, part: changed})


def _cut(mark: str) -> Callable[[bytes], bytes]:
    return lambda part: part[: part.index(mark.encode())]


def _remove(_part: bytes) -> None:
    return None


def _workbook() -> bytes:
    """Return a workbook of two sheets, the first with two texts and a number."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    sheets = "".join(f'<sheet name="{name}" r:id="s{at}"/>' for at, name in enumerate(("처음", "둘째"), 1))
    cells = '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c><v>7</v></c>'
    return pack({
        "_rels/.rels": relationships(("main", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets>{sheets}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relationships(
            ("t", "sharedStrings", "sharedStrings.xml"),
            *((f"s{at}", "worksheet", f"worksheets/sheet{at}.xml") for at in (1, 2)),
        ),
        "xl/sharedStrings.xml": f'<sst xmlns="{main}"><si><t>첫째</t></si><si><t>둘째</t></si></sst>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData><row>{cells}</row></sheetData></worksheet>',
        "xl/worksheets/sheet2.xml": f'<worksheet xmlns="{main}"><sheetData><row><c><v>5</v></c></row></sheetData></worksheet>',
    })


WORD = word_file(
    paragraph("첫째") + paragraph("둘째") + '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>',
    footnotes=f'<w:footnote w:id="2">{paragraph("각주 내용")}</w:footnote>',
)
OPEN = {
    kind: open_document(kind, body)
    for kind, body in {
        "text": "<text:p>첫째</text:p><text:p>둘째</text:p>",
        "presentation": "<draw:page><draw:frame><draw:text-box><text:p>첫째</text:p></draw:text-box></draw:frame></draw:page>"
        "<draw:page><text:p>둘째</text:p></draw:page>",
    }.items()
}
SLIDES = slide_file(shape("첫째"), shape("둘째"), notes="말")


@pytest.mark.parametrize(
    ("file", "part", "edit"),
    [
        ((WORD, "docx"), "word/document.xml", _cut("둘째")),
        ((WORD, "docx"), "word/document.xml", lambda part: part.replace("둘째".encode(), b"a & b")),
        ((WORD, "docx"), "word/footnotes.xml", _cut("내용")),
        ((SLIDES, "pptx"), "ppt/slides/slide2.xml", _cut("둘째")),
        ((OPEN["text"], "odt"), "content.xml", _cut("둘째")),
        ((OPEN["presentation"], "odp"), "content.xml", _cut("둘째")),
    ],
)
def test_a_damaged_part_is_read_as_far_as_it_goes_and_said(
    read: Read, file: tuple[bytes, OfficeFormat], part: str, edit: Callable[[bytes], bytes]
) -> None:
    content, form = file
    assert not read(content, form).provenance.warnings
    document = read(_change(content, part, edit), form)
    assert document.text is not None
    assert "첫째" in document.text.text
    assert list(document.provenance.warnings) == [f"{part} in it is damaged and was read as far as it goes"]


def _break_member(content: bytes, part: str, *, how: str) -> bytes:
    """Return an archive in which the stored bytes of one member do not fit its checksum, or end before its text does."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data, zipfile.ZIP_STORED)
        at = archive.getinfo(part).header_offset + 30 + len(part.encode())
    broken, size = bytearray(buffer.getvalue()), len(parts[part])
    tail = parts[part].rindex(b"<") if how == "checksum" else size // 2
    broken[at + tail : at + size] = b" " * (size - tail)
    return bytes(broken)


@pytest.mark.parametrize("how", ["checksum", "end"])
@pytest.mark.parametrize(
    ("file", "place"),
    [
        ((WORD, "docx"), ("word/footnotes.xml", "둘째")),
        ((SLIDES, "pptx"), ("ppt/slides/slide2.xml", "첫째")),
        ((_workbook(), "xlsx"), ("xl/worksheets/sheet2.xml", "첫째 | 둘째 | 7")),
        ((_workbook(), "xlsx"), ("xl/sharedStrings.xml", "5")),
        ((OPEN["text"], "odt"), ("meta.xml", "둘째")),
    ],
)
def test_a_damaged_member_of_the_archive_costs_that_member_and_is_told(
    read: Read, file: tuple[bytes, OfficeFormat], place: tuple[str, str], how: str
) -> None:
    (content, form), (part, kept) = file, place
    document = read(_break_member(content, part, how=how), form)
    assert document.text is not None
    assert kept in document.text.text
    assert f"{part} in it is damaged and was read as far as it goes" in document.provenance.warnings


def test_a_sheet_that_cannot_be_read_costs_that_sheet(read: Read) -> None:
    broken = _change(_workbook(), "xl/worksheets/sheet1.xml", lambda _part: b"\xff\xfe not a sheet")
    document = read(broken, "xlsx")
    assert document.text is not None
    assert document.text.text == "# 둘째\n\n5\n"
    assert list(document.provenance.warnings) == ["the sheet '처음' is damaged and was left out"]
    with pytest.raises(DocumentDamagedError):
        read(_change(broken, "xl/worksheets/sheet2.xml", lambda _part: b""), "xlsx")


def test_parts_are_found_by_their_usual_names_where_all_relationships_are_lost(read: Read) -> None:
    for content, form, part in (
        (_workbook(), "xlsx", "xl/_rels/workbook.xml.rels"),
        (SLIDES, "pptx", "ppt/_rels/presentation.xml.rels"),
    ):
        document = read(_change(content, part, lambda _part: b"\xff"), form)  # type: ignore[arg-type]
        assert document.text is not None
        assert "둘째" in document.text.text
        assert list(document.provenance.warnings) == [f"{part} in it is damaged and was left out"]


def test_text_that_is_nested_too_deep_is_told(read: Read) -> None:
    boxes = "<text:section>" * 60 + "<text:p>innen</text:p>" + "</text:section>" * 60
    document = read(open_document("text", f"<text:p>außen</text:p>{boxes}"), "odt")
    assert document.text is not None
    assert document.text.text == "außen\n"
    assert [str(note) for note in document.provenance.warnings] == [
        "tables, boxes and lists nested deeper than 40 levels were left out"
    ]
    runs = "<w:p>" + "<w:ins>" * 70 + "<w:r><w:t>tief</w:t></w:r>" + "</w:ins>" * 70 + "</w:p>"
    document = read(word_file(paragraph("vorn") + runs), "docx")
    assert [str(note) for note in document.provenance.warnings] == [
        "words nested deeper than 60 levels in a paragraph were left out"
    ]


@pytest.mark.parametrize(
    ("content", "form", "part"),
    [
        (WORD, "docx", "word/footnotes.xml"),
        (SLIDES, "pptx", "ppt/slides/slide2.xml"),
        (SLIDES, "pptx", "ppt/notesSlides/notes1.xml"),
    ],
)
def test_a_missing_part_is_said(read: Read, content: bytes, form: OfficeFormat, part: str) -> None:
    document = read(_change(content, part, _remove), form)
    assert list(document.provenance.warnings) == [f"{part} is missing in it"]


@pytest.mark.parametrize("part", ["xl/sharedStrings.xml", "xl/worksheets/sheet2.xml"])
def test_a_missing_part_of_a_workbook_is_said(read: Read, part: str) -> None:
    document = read(_change(_workbook(), part, _remove), "xlsx")
    assert document.provenance.warnings[0] == f"{part} is missing in it"
    assert document.text is not None
    assert "7" in document.text.text
    assert "1" not in document.text.text  # the index of a text is no value of a cell


def test_slides_and_sheets_without_a_relationship_are_said(read: Read) -> None:
    links = "ppt/_rels/presentation.xml.rels"
    document = read(_change(SLIDES, links, lambda part: part.replace(b'"s2"', b'"s9"')), "pptx")
    assert list(document.provenance.warnings) == ["slide 2 is missing in it"]
    links = "xl/_rels/workbook.xml.rels"
    document = read(_change(_workbook(), links, lambda part: part.replace(b'"s2"', b'"x"')), "xlsx")
    assert list(document.provenance.warnings) == ["the sheet '둘째' is missing in it"]


@pytest.mark.parametrize("form", ["docx", "xlsx"])
def test_text_that_an_entity_cuts_is_said(read: Read, form: OfficeFormat) -> None:
    parts = {"docx": (WORD, "word/document.xml"), "xlsx": (_workbook(), "xl/sharedStrings.xml")}
    content, part = parts[form]

    def declare(xml: bytes) -> bytes:
        start = xml.index(b"<", 5) if xml.startswith(b"<?xml") else 0
        body = xml[start:].replace("둘째".encode(), "앞&a;뒤".encode())
        return xml[:start] + b'<!DOCTYPE x [<!ENTITY a "b">]>' + body

    warnings = read(_change(content, part, declare), form).provenance.warnings
    assert list(warnings) == [f"{part} in it is damaged and was read as far as it goes"]


def test_lost_relationships_of_a_word_document_are_told(read: Read) -> None:
    whole = word_file(paragraph("본문"), footnotes="<w:footnote/>")
    with zipfile.ZipFile(BytesIO(whole)) as archive:
        parts = {
            name: archive.read(name) for name in archive.namelist() if name != "word/_rels/document.xml.rels"
        }
    document = read(pack(parts), "docx")
    assert [str(note) for note in document.provenance.warnings] == [
        "word/_rels/document.xml.rels is missing in it"
    ]


def test_lost_parts_of_an_open_document_are_told(read: Read) -> None:
    with zipfile.ZipFile(BytesIO(open_document("text", "<text:p>본문</text:p>"))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    names = ("/", "content.xml", "styles.xml", "meta.xml", "Object 1/content.xml", "settings.xml")
    entries = "".join(f'<m:file-entry m:full-path="{name}"/>' for name in names)
    listed = {"META-INF/manifest.xml": f"<m:manifest xmlns:m='x'>{entries}</m:manifest>".encode()}
    document = read(pack(parts | listed), "odt")
    assert [str(note) for note in document.provenance.warnings] == [
        "styles.xml is missing in it",
        "Object 1/content.xml is missing in it",
    ]


@pytest.mark.parametrize(
    ("file", "last"),
    [
        ((WORD, "docx"), b"word/footnotes.xml"),
        ((SLIDES, "pptx"), b"ppt/slides/slide2.xml"),
        ((_workbook(), "xlsx"), b"xl/worksheets/sheet2.xml"),
    ],
)
def test_a_file_that_is_cut_is_read_as_far_as_it_goes_and_said(
    read: Read, file: tuple[bytes, OfficeFormat], last: bytes
) -> None:
    content, form = file
    document = read(content[: content.index(last) + len(last) + 20], form)
    assert document.text is not None
    assert "첫째" in document.text.text
    assert (
        document.provenance.warnings[0] == "the end of the file is missing, and perhaps parts of the document"
    )
    assert any(last.decode() in warning for warning in document.provenance.warnings) or form == "xlsx"


def test_a_sheet_that_is_nested_too_deep_is_told_with_the_bound(read: Read) -> None:
    deep = b"<x>" * 3000 + b"</x>" * 3000
    content = _change(
        _workbook(), "xl/worksheets/sheet2.xml", lambda part: part.replace(b"</row>", b"</row>" + deep)
    )
    document = read(content, "xlsx")
    assert document.text is not None
    assert "첫째 | 둘째 | 7" in document.text.text
    assert document.provenance.warnings == (
        "xl/worksheets/sheet2.xml in it is nested deeper than 2048 elements, or too large, and was read as far as that",
    )
