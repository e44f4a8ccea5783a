"""A document is read as what it is, whatever its name says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from kebab_core import FetchAddress, PageCitation, SearchFilters, SearchMode, SearchQuery
from kebab_testing.office_files import paragraph, word_file
from kebab_testing.pdf_files import Line, PageSpec, write_pdf

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
WORDS = "Refunds are paid within fourteen days."


@pytest.mark.parametrize("name", ["refunds.docx", "refunds.html", "refunds.eml", "refunds.hwp"])
def test_pdf_under_another_name_is_a_pdf_and_is_read_once(base: Base, name: str) -> None:
    base.write(name, write_pdf(PageSpec(lines=(Line(72, 100, WORDS),))))

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}
    query = SearchQuery(text="refunds", mode=SearchMode.LEXICAL, filters=SearchFilters(media=("pdf",)))
    hit = base.app.search(query).hits[0]
    assert isinstance(hit.citation, PageCitation)
    assert hit.doc_path == name


def test_word_file_under_the_name_of_a_pdf_is_a_word_file(base: Base) -> None:
    base.write("refunds.pdf", word_file(paragraph(WORDS)))

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    assert base.app.search(SearchQuery(text="refunds", mode=SearchMode.LEXICAL)).hits[
        0
    ].citation.to_address() == ("refunds.pdf#L1")


def test_pdf_under_the_name_of_a_text_is_left_out(base: Base) -> None:
    base.write("refunds.txt", write_pdf(PageSpec(lines=(Line(72, 100, WORDS),))))

    assert base.ingest().counts == {"scanned": 1, "skipped": 1}


@pytest.mark.parametrize(
    "name", ["empty.docx", "empty.xlsx", "empty.pptx", "empty.pdf", "empty.hwp", "empty.epub", "empty.eml"]
)
def test_document_that_holds_nothing_of_its_format_fails(base: Base, name: str) -> None:
    base.write(name, b"")

    run = base.ingest()

    assert run.counts == {"scanned": 1, "errors": 1}
    error = run.item(name).error
    assert error is not None
    assert error.message == "the file is empty"
    assert base.ingest().counts == {"scanned": 1, "errors": 1}


def test_data_on_one_line_is_read_as_text_and_other_code_on_one_line_is_left_out(base: Base) -> None:
    notes = [
        {"title": f"Note {n}", "body": "<p>Refunds are paid within <b>fourteen</b> days.</p>"}
        for n in range(300)
    ]
    base.write("notes.json", json.dumps({"notes": notes}).encode())
    base.write("grid.json", json.dumps([[n, n] for n in range(9000)]).encode())

    assert base.ingest().counts == {"scanned": 2, "new": 1, "skipped": 1}
    hit = base.app.search(SearchQuery(text="refunds", mode=SearchMode.LEXICAL)).hits[0]
    shown = base.app.fetch(FetchAddress(address=hit.citation.to_address())).text
    assert "body: Refunds are paid within fourteen days." in str(shown)
