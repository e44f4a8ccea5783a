"""Headings of documents with pages lead to their pages, and a long list of them is read on."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from kebab_core import FetchAddress
from kebab_testing.pdf_files import Line, PageSpec, write_pdf
from pypdf import PdfReader, PdfWriter

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
CHAPTERS = [f"Chapter {name}" for name in ("one", "two", "three", "four", "five", "six")]


def _book() -> bytes:
    pages = [
        PageSpec(lines=(Line(72, 100, name, 16), Line(72, 140, f"This is the text of {name}.")))
        for name in CHAPTERS
    ]
    writer = PdfWriter(clone_from=PdfReader(BytesIO(write_pdf(*pages))))
    for number, name in enumerate(CHAPTERS):
        writer.add_outline_item(title=name, page_number=number)
    written = BytesIO()
    writer.write(written)
    return written.getvalue()


def test_outline_of_a_pdf_names_pages_and_is_read_on_to_its_end(base: Base) -> None:
    base.write("book.pdf", _book())
    base.ingest()

    for max_tokens in (None, 1, 12):
        found, address = [], "book.pdf"
        while address:
            result = base.app.fetch(FetchAddress(address=address, outline=True, max_tokens=max_tokens))
            found += [(each.text, each.at) for each in result.headings]
            assert result.truncated == bool(result.next)
            address = result.next or ""

        assert found == [(name, f"p={number}") for number, name in enumerate(CHAPTERS, 1)]
    assert "This is the text of Chapter two." in (
        base.app.fetch(FetchAddress(address="book.pdf#p=2")).text or ""
    )
