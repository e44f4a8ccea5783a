"""PDFs from the file to the search result and back to the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import FetchAddress, PageCitation, SearchQuery
from kebab_testing.pdf_files import Line, PageSpec, column, write_pdf

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
TITLE, MOORING = "Handbook of the harbour", "The mooring fee is 40 euros a night."
CONTENT = write_pdf(
    PageSpec([Line(60, 40, TITLE), *column(60, 200, "Ships arrive in the morning.", "They leave at noon.")]),
    PageSpec([Line(60, 40, TITLE), *column(60, 200, MOORING, "It is paid at the office.")]),
    PageSpec([Line(60, 40, TITLE), *column(60, 200, "Lights burn at night.")]),
)


def test_passage_of_a_pdf_is_found_cited_by_its_page_and_fetched_and_a_header_where_it_stands_first(
    base: Base,
) -> None:
    base.write("harbour.pdf", CONTENT)
    base.ingest()

    (hit,) = base.app.search(SearchQuery(text="mooring fee")).hits
    fetched = base.app.fetch(FetchAddress(address="harbour.pdf#p=2"))

    cited = hit.citation
    assert isinstance(cited, PageCitation)
    assert (cited.page, cited.to_address()) == (2, "harbour.pdf#p=2")
    assert fetched.text == f"{TITLE}\n\n{MOORING}\nIt is paid at the office."
    assert fetched.text[cited.char_start : cited.char_end].startswith(MOORING)
    assert cited.rectangles
    assert cited.rectangles[0].x == 60

    (hit,) = base.app.search(SearchQuery(text="handbook", mode="lexical")).hits
    assert hit.citation.to_address() == "harbour.pdf#p=1"


def test_scanned_and_broken_files_are_told_in_the_report_and_why_names_ocr(base: Base) -> None:
    path = base.write("scan.pdf", write_pdf(PageSpec(picture=True)))
    base.write("broken.pdf", b"%PDF-1.7\nnothing more")

    report = base.ingest(ocr=False).report

    items = {item.doc_path: item for item in report.items or ()}
    assert items["scan.pdf"].warnings == (
        "1 of 1 pages is scanned and has no text; it waits for OCR (page 1)",
    )
    assert items["broken.pdf"].error is not None
    assert items["broken.pdf"].error.code == "document_damaged"
    assert set(base.documents()) == {"scan.pdf"}
    explained = base.app.why(path)
    assert explained.verdict == "no_passages"
    assert explained.remedy is not None
    assert (explained.remedy.kind, explained.remedy.path) == ("read_pictures", str(path))
    assert any("waits for OCR" in step.detail for step in explained.steps)
