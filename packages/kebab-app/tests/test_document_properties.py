"""Authors, keywords, subjects and descriptions that a file states are found, in every format, at an address that opens."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

import openpyxl
import pytest
from kebab_app import AskRequest
from kebab_core import FetchAddress, SearchMode, SearchQuery
from kebab_testing.hangul_files import hwpx_paragraph, write_hwpx
from kebab_testing.office_files import open_document, pack, paragraph, shape, slide_file, word_file
from kebab_testing.pdf_files import PageSpec, column, write_pdf
from pypdf import PdfReader, PdfWriter

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
BODY = "Winter tyres are stored in the cellar until the end of March."
_META = (
    "<dc:creator>Marlene Vogt</dc:creator><meta:keyword>zirconium</meta:keyword><dc:subject>Oboe lessons</dc:subject>"
    "<dc:description>Ledger of the harbour master</dc:description>"
)
_CORE = (
    '<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title/><dc:creator>Marlene Vogt</dc:creator>'
    "<keywords>zirconium</keywords><dc:subject>Oboe lessons</dc:subject>"
    "<dc:description>Ledger of the harbour master</dc:description></p>"
)


def _with_core(content: bytes, core: str = _CORE) -> bytes:
    with ZipFile(BytesIO(content)) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
        relations = archive.read("_rels/.rels").decode()
    own = '<Relationship Id="core" Type="x/core-properties" Target="docProps/own.xml"/></Relationships>'
    return pack({
        **parts,
        "_rels/.rels": relations.replace("</Relationships>", own),
        "docProps/own.xml": core,
    })


def _docx() -> bytes:
    return _with_core(word_file(paragraph(BODY)))


def _pptx() -> bytes:
    return _with_core(
        slide_file(shape("Cellar", kind="title") + shape(BODY, kind="body"), shape("Second slide"))
    )


def _xlsx() -> bytes:
    book, buffer = openpyxl.Workbook(), BytesIO()
    book.active.append(("Place", "Thing"))
    book.active.append(("Cellar", BODY))
    stated = book.properties
    stated.creator, stated.keywords, stated.subject = "Marlene Vogt", "zirconium", "Oboe lessons"
    stated.description = "Ledger of the harbour master"
    book.save(buffer)
    return buffer.getvalue()


def _odt() -> bytes:
    return open_document("text", f"<text:p>{BODY}</text:p>", meta=_META)


def _pdf() -> bytes:
    pages = [PageSpec(column(50, 100, BODY)), PageSpec(column(50, 100, "The second page has this line."))]
    writer, buffer = PdfWriter(clone_from=PdfReader(BytesIO(write_pdf(*pages)))), BytesIO()
    writer.add_metadata({
        "/Author": "Marlene Vogt",
        "/Keywords": "zirconium",
        "/Subject": "Oboe lessons, Ledger of the harbour master",
    })
    writer.write(buffer)
    return buffer.getvalue()


def _html() -> bytes:
    meta = {
        "author": "Marlene Vogt",
        "keywords": "zirconium, Oboe lessons",
        "description": "Ledger of the harbour master",
    }
    told = "".join(f'<meta name="{name}" content="{value}">' for name, value in meta.items())
    return f"<html><head>{told}</head><body><p>{BODY}</p></body></html>".encode()


def _epub() -> bytes:
    told = _META.replace("meta:keyword", "dc:subject")
    chapter = f'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{BODY}</p></body></html>'
    return pack({
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{told}</metadata>'
        '<manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="one"/></spine></package>',
        "one.xhtml": chapter,
    })


def _hwpx() -> bytes:
    facts = {
        "creator": "Marlene Vogt",
        "keyword": "zirconium",
        "subject": "Oboe lessons",
        "description": "Ledger of the harbour master",
    }
    return write_hwpx(hwpx_paragraph(BODY), facts=facts)


_FILES: dict[str, Callable[[], bytes]] = {
    "one.docx": _docx,
    "one.pptx": _pptx,
    "one.xlsx": _xlsx,
    "one.odt": _odt,
    "one.pdf": _pdf,
    "one.html": _html,
    "one.epub": _epub,
    "one.hwpx": _hwpx,
}


@pytest.mark.parametrize("name", _FILES)
def test_stated_properties_are_found_and_opened(base: Base, name: str) -> None:
    base.write(name, _FILES[name]())
    base.write("other.md", "Summer tyres are kept in the garage.")
    base.ingest()

    for query, words in (
        ("Marlene Vogt", "Vogt"),
        ("zirconium", "zirconium"),
        ("oboe lessons", "Oboe lessons"),
        ("harbour master ledger", "harbour master"),
    ):
        found = base.app.search(SearchQuery(text=query, mode=SearchMode.LEXICAL)).hits
        assert [hit.doc_path for hit in found] == [name], query
        assert words in base.app.fetch(FetchAddress(address=found[0].citation.to_address())).text


def test_an_author_is_an_answer_only_to_a_question_for_one(base: Base) -> None:
    core = _CORE.replace("<dc:title/>", "<dc:title>Winter tyres</dc:title>")
    base.write(
        "tyres.docx",
        _with_core(word_file(paragraph(BODY)), core.replace("Marlene Vogt", "Microsoft Office User")),
    )
    base.ingest()

    stored = base.app.ask(
        AskRequest(question="Where does a user store winter tyres?", mode=SearchMode.LEXICAL)
    )
    assert "cellar" in stored.answer
    assert "Microsoft" not in stored.answer
    asked = base.app.ask(AskRequest(question="Who is the author of winter tyres?", mode=SearchMode.LEXICAL))
    assert "Microsoft Office User" in asked.answer


def test_what_the_text_or_title_says_is_not_said_twice(base: Base) -> None:
    core = (
        _CORE
        .replace("<dc:title/>", "<dc:title>Oboe lessons</dc:title>")
        .replace("Marlene Vogt", " ")
        .replace("zirconium", "winter tyres; ")
        .replace("Ledger of the harbour master", BODY.upper())
    )
    base.write("stated.docx", _with_core(word_file(paragraph(BODY)), core))
    base.ingest()

    assert base.app.fetch(FetchAddress(address="stated.docx")).text == f"{BODY}\n"
