"""Books: chapters in order, titles of the table of contents as headings, metadata, and books that cannot be read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pytest
from kebab_core import (
    CanonicalDocument,
    DocumentDamagedError,
    DocumentEncryptedError,
    EpubMedia,
    HeadingBlock,
    MediaType,
)
from kebab_parse_html import EpubExtractor
from kebab_testing.documents import make_context
from kebab_testing.laws.extractor import ExtractorLaws
from kebab_testing.tables import walk

CONTAINER = """<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>식초 만들기</dc:title><dc:creator>김 철수</dc:creator>
<dc:creator>Lee</dc:creator><dc:language>ko-KR</dc:language><dc:subject>요리</dc:subject><dc:date>2021-02-03</dc:date>
<dc:description>&lt;p&gt;About vinegar&lt;/p&gt;</dc:description><meta property="dcterms:modified">2022-01-01T00:00:00Z</meta></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="two" href="two%20a.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="one.xhtml" media-type="application/xhtml+xml"/>
<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>
<spine toc="ncx"><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref idref="gone"/></spine></package>"""
NAVIGATION = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body>
<nav epub:type="toc"><h1>차례</h1><ol><li><a href="one.xhtml">1부 준비</a><ol><li><a href="two%20a.xhtml#s1">통 고르기</a></li>
<li><a href="two%20a.xhtml#s2">물 붓기</a></li></ol></li></ol></nav></body></html>"""
INDEX = """<?xml version="1.0"?><!DOCTYPE ncx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>First part</text></navLabel>
<content src="one.xhtml"/><navPoint><navLabel><text>Inner</text></navLabel><content src="two%20a.xhtml"/></navPoint></navPoint>
</navMap></ncx>"""
ONE = """<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head>
<body><h2>1부 준비</h2><p>통과 물이 <a id="x"/>필요<i/>합니다.</p><img src="http://elsewhere.example/a.png"/></body></html>"""
TWO = """<html xmlns="http://www.w3.org/1999/xhtml"><body><div id="s1"><p>참나무 통이 좋습니다.</p></div>
<p id="s2">물은 천천히 붓습니다.</p></body></html>"""


def _book(**changes: str | None) -> bytes:
    members: Mapping[str, str | None] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/nav.xhtml": NAVIGATION,
        "OEBPS/toc.ncx": INDEX,
        "OEBPS/one.xhtml": ONE,
        "OEBPS/two a.xhtml": TWO,
        **changes,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            if text is not None:
                archive.writestr(zipfile.ZipInfo(name), text)
    return packed.getvalue()


def _read(content: bytes) -> CanonicalDocument:
    context = make_context(content, path="books/vinegar.epub", media_type=EpubMedia())
    return EpubExtractor().extract(context, content)


class TestEpubLaws(ExtractorLaws):
    def make_extractor(self) -> EpubExtractor:
        return EpubExtractor()

    def media_type(self) -> MediaType:
        return EpubMedia()

    def samples(self) -> list[bytes]:
        return [_book()]

    def test_bytes_of_another_medium_are_refused(self) -> None:
        with pytest.raises(DocumentDamagedError):
            _read(self.not_its_medium())


def test_chapters_are_read_in_order_below_the_titles_of_the_contents() -> None:
    document = _read(_book())
    assert document.text is not None
    assert document.text.text == (
        "# 1부 준비\n\n통과 물이 필요합니다.\n\n## 통 고르기\n\n참나무 통이 좋습니다.\n\n## 물 붓기\n\n물은 천천히 붓습니다.\n\n"
        "About vinegar\nauthor: 김 철수, Lee\nkeywords: 요리\n"
    )
    assert document.blocks[-2].heading_path == ("1부 준비", "물 붓기")


def test_an_older_table_of_contents_is_read() -> None:
    package = PACKAGE.replace(' properties="nav"', "")
    document = _read(_book(**{"OEBPS/book.opf": package, "OEBPS/nav.xhtml": "<p>Foreword</p>"}))
    headings = [block.text for block in document.blocks if isinstance(block, HeadingBlock)]
    assert headings == ["1부 준비", "Inner"]
    assert document.blocks[-2].heading_path == ("1부 준비", "Inner")


def test_a_title_that_is_a_paragraph_becomes_the_heading() -> None:
    chapter = ONE.replace("<h2>1부 준비</h2>", "<div><p><b>1부</b> 준비</p></div>")
    document = _read(_book(**{"OEBPS/one.xhtml": chapter}))
    assert document.text is not None
    assert document.text.text.startswith("# 1부 준비\n\n통과 물이 필요합니다.\n")


def test_what_a_book_says_about_itself_is_metadata() -> None:
    document = _read(_book())
    assert (document.title, document.lang) == ("식초 만들기", "ko")
    assert document.metadata.tags == ("요리",)
    assert document.metadata.user == {"author": "김 철수, Lee", "description": "About vinegar"}
    assert document.metadata.created_at.date().isoformat() == "2021-02-03"
    assert document.metadata.updated_at.date().isoformat() == "2022-01-01"


def test_a_missing_chapter_is_a_warning() -> None:
    assert _read(_book()).provenance.warnings == ("the chapter OEBPS/gone.xhtml is missing",)


def test_what_is_cut_in_a_book_is_a_warning() -> None:
    chapter, package = ONE[: ONE.index("물이")], PACKAGE[: PACKAGE.index("</package>")]
    document = _read(_book(**{"OEBPS/one.xhtml": chapter, "OEBPS/book.opf": package}))
    assert document.provenance.warnings[:2] == (
        "OEBPS/book.opf in it is damaged and was read as far as it goes",
        "OEBPS/one.xhtml in it is damaged and was read as far as it goes",
    )


def test_a_protected_book_is_an_error_and_hidden_fonts_are_none() -> None:
    encryption = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
        '<EncryptionMethod Algorithm="{}"/><CipherData><CipherReference URI="{}"/></CipherData></EncryptedData></encryption>'
    )
    fonts = encryption.format("http://www.idpf.org/2008/embedding", "OEBPS/font.otf")
    assert _read(_book(**{"META-INF/encryption.xml": fonts})).blocks
    chapters = encryption.format("http://www.w3.org/2001/04/xmlenc#aes256-cbc", "OEBPS/one.xhtml")
    with pytest.raises(DocumentEncryptedError):
        _read(_book(**{"META-INF/encryption.xml": chapters}))


@walk(
    "content",
    [
        _book(**{"META-INF/container.xml": None, "OEBPS/book.opf": None}),
        _book(**{"OEBPS/book.opf": "<package/>"}),
        _book()[:400],
    ],
)
def test_what_is_no_book_is_an_error(content: bytes) -> None:
    with pytest.raises(DocumentDamagedError):
        _read(content)


@walk(
    "part",
    ["META-INF/container.xml", "OEBPS/book.opf", "OEBPS/nav.xhtml", "OEBPS/one.xhtml", "OEBPS/two a.xhtml"],
)
def test_a_damaged_part_is_told_and_a_chapter_read_as_far_as_it_goes(part: str) -> None:
    document = _read(_corrupt(_book(), part))
    assert document.text is not None
    assert "통과 물이" in document.text.text
    assert "물은 천천히" in document.text.text
    outcome = (
        "was read as far as it goes" if part in {"OEBPS/one.xhtml", "OEBPS/two a.xhtml"} else "was left out"
    )
    assert f"{part} in it is damaged and {outcome}" in document.provenance.warnings


def test_a_book_that_is_cut_is_read_up_to_its_end() -> None:
    content = _book()
    document = _read(content[: content.rindex(b"OEBPS/two a.xhtml", 0, content.index(b"PK\1\2"))])
    assert document.text is not None
    assert "통과 물이" in document.text.text
    assert (
        document.provenance.warnings[0] == "the end of the file is missing, and perhaps parts of the document"
    )
    assert "the chapter OEBPS/two a.xhtml is missing" in document.provenance.warnings


def _corrupt(content: bytes, member: str) -> bytes:
    """Give the content of a member of an archive another checksum than its directory says."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        crc = archive.getinfo(member).CRC
    assert content.count(crc.to_bytes(4, "little")) == 2
    return content.replace(crc.to_bytes(4, "little"), bytes(4))
