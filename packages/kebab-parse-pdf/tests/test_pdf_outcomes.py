"""Every file has an outcome that says what it is: text, scanned, blank, or an error."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import (
    DocumentDamagedError,
    DocumentEncryptedError,
    Extractor,
    KebabError,
    MediaType,
    PdfIngestSettings,
    PdfMedia,
    Remedy,
    UnsupportedMediaError,
)
from kebab_parse_pdf import PdfExtractor
from kebab_testing.families import examples
from kebab_testing.laws.extractor import ExtractorLaws
from kebab_testing.pdf_files import Line, PageSpec, block_texts, column, page_texts, write_pdf
from kebab_testing.tables import walk
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, StreamObject

if TYPE_CHECKING:
    from conftest import Edit, Extract

PLAIN = write_pdf(PageSpec(column(60, 100, "A page with text.", "It has two lines.")))


class TestPdfExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return PdfExtractor(PdfIngestSettings())

    def media_type(self) -> MediaType:
        return PdfMedia()

    def samples(self) -> list[bytes]:
        nfd = PageSpec([Line(60, 90, "가\u1100\u1161")])
        return [PLAIN, write_pdf(PageSpec()), write_pdf(PageSpec(picture=True), nfd)]


def test_scanned_page_has_no_text_and_waits_for_ocr(extract: Extract) -> None:
    cover, scanned = PageSpec([Line(60, 100, "a cover")]), PageSpec(picture=True)

    document = extract(write_pdf(cover, scanned, scanned))

    assert document.provenance.warnings == (
        "2 of 3 pages are scanned and have no text; they wait for OCR (pages 2, 3)",
    )
    assert page_texts(document) == ["a cover", "", ""]
    assert document.metadata.user["scanned_pages"] == [2, 3]


def test_stamp_on_a_scanned_page_is_text_and_the_page_still_waits_for_ocr(extract: Extract) -> None:
    bates = [PageSpec([Line(450, 780, f"ACME-00000{number}")], picture=True) for number in range(1, 4)]

    document = extract(write_pdf(*bates))

    assert document.provenance.warnings == (
        "3 of 3 pages are pictures with little text; what the pictures show waits for OCR (pages 1, 2, 3)",
    )
    assert page_texts(document) == ["ACME-000001", "ACME-000002", "ACME-000003"]
    assert document.metadata.user["scanned_pages"] == [1, 2, 3]


def test_text_that_was_recognised_in_a_scanned_page_waits_for_nothing(extract: Extract) -> None:
    page = PageSpec(column(60, 100, *["a line of text that was recognised"] * 5), picture=True)
    assert extract(write_pdf(page)).provenance.warnings == ()


def test_picture_inside_a_form_makes_a_page_scanned(edit: Edit, extract: Extract) -> None:
    def wrap(writer: PdfWriter) -> None:
        page = writer.pages[0]
        form = StreamObject()
        form.set_data(b"/P Do")
        form.update({
            NameObject("/Type"): NameObject("/XObject"),
            NameObject("/Subtype"): NameObject("/Form"),
            NameObject("/BBox"): ArrayObject([NumberObject(side) for side in (0, 0, 1, 1)]),
            NameObject("/Resources"): page["/Resources"],
        })
        reference = writer._add_object(form)
        page[NameObject("/Resources")] = DictionaryObject({
            NameObject("/XObject"): DictionaryObject({NameObject("/F"): reference})
        })

    content = write_pdf(PageSpec(commands="q 600 0 0 800 0 0 cm /F Do Q"))

    assert extract(edit(content, wrap)).metadata.user["scanned_pages"] == [1]


def test_drawn_pages_among_pages_with_text_are_said_and_blank_ones_not(extract: Extract) -> None:
    cover, drawn = PageSpec([Line(60, 100, "a cover")]), PageSpec(commands="100 100 200 200 re S")

    assert extract(write_pdf(cover, PageSpec())).provenance.warnings == ()
    assert extract(write_pdf(cover, drawn, PageSpec())).provenance.warnings == (
        "1 of 3 pages is drawn and has no text; it waits for OCR (page 2)",
    )


def test_blank_and_drawn_files_say_that_they_have_no_text(extract: Extract) -> None:
    drawn = PageSpec(commands="100 100 200 200 re S")
    for pages in ((PageSpec(),), (drawn,), (PageSpec(), drawn)):
        document = extract(write_pdf(*pages))
        assert document.blocks == ()
        assert document.provenance.warnings == ("the document has no text: its pages are blank or drawn",)


def test_text_without_meaning_is_left_out_and_said(extract: Extract) -> None:
    shapes = PageSpec([Line(60, 100, "unknown shapes")], has_unicode=False)

    document = extract(write_pdf(shapes, PageSpec([Line(60, 100, "known")])))

    assert block_texts(document) == ["known"]
    assert [warning.partition(":")[0] for warning in document.provenance.warnings] == [
        "the text of 1 of 2 pages was left out"
    ]


@walk("algorithm", ["RC4-40", "RC4-128"])
def test_file_with_a_user_password_needs_one_of_the_passwords(
    algorithm: str, edit: Edit, extract: Extract
) -> None:
    locked = edit(PLAIN, lambda writer: writer.encrypt("secret", "owner", algorithm=algorithm))

    with pytest.raises(DocumentEncryptedError) as caught:
        extract(locked)
    assert caught.value.remedy == Remedy(kind="add_password", setting="ingest.pdf.passwords")
    with pytest.raises(DocumentEncryptedError) as caught:
        extract(locked, "wrong")
    assert "wrong" not in str(caught.value) + repr(caught.value.details)
    assert block_texts(extract(locked, "wrong", "secret")) == block_texts(extract(PLAIN))


def test_file_with_an_owner_password_opens_without_it(edit: Edit, extract: Extract) -> None:
    locked = edit(PLAIN, lambda writer: writer.encrypt("", "owner", algorithm="RC4-128"))
    assert block_texts(extract(locked)) == block_texts(extract(PLAIN))


def test_passwords_are_not_in_the_settings_as_they_are_shown_or_dumped() -> None:
    own = PdfIngestSettings.model_validate({"passwords": ("secret",)})
    assert "secret" not in repr(own) + str(own) + own.model_dump_json()


def test_damaged_files_and_other_files_are_errors(extract: Extract) -> None:
    with pytest.raises(DocumentDamagedError):
        extract(b"%PDF-1.7\n" + bytes(range(256)) * 10)
    with pytest.raises(UnsupportedMediaError):
        extract(b"no PDF at all")


@pytest.mark.thorough
@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(data=st.data())
def test_mutated_file_gives_a_document_or_a_typed_error_and_is_never_silently_empty(
    extract: Extract, data: st.DataObject
) -> None:
    content = bytearray(PLAIN)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    try:
        document = extract(bytes(content))
    except KebabError:
        return
    assert document.blocks or document.provenance.warnings


def test_facts_of_the_file_become_metadata(edit: Edit, extract: Extract) -> None:
    def describe(writer: PdfWriter) -> None:
        writer.add_metadata({
            "/Title": "연간 보고서",
            "/Author": "A. Writer",
            "/Keywords": "예산, 계획;예산",
            "/CreationDate": "D:20240131090000+09'00'",
            "/ModDate": "nonsense",
        })
        writer.add_attachment("table.csv", b"a,b")
        writer.set_page_label(0, 1, style="/r")
        writer.set_page_label(2, 3, style="/D", start=1)

    content = edit(write_pdf(*[PageSpec([Line(60, 100, f"page {name}")]) for name in "abcd"]), describe)
    document = extract(content)

    assert document.title == "연간 보고서"
    assert document.metadata.tags == ("예산", "계획")
    assert document.metadata.created_at == datetime(2024, 1, 31, tzinfo=UTC)
    assert document.metadata.user == {
        "author": "A. Writer",
        "pages": 4,
        "page_labels": {"1": "i", "3": "1"},
        "attachments": ["table.csv"],
    }
    assert document.provenance.warnings == ("files attached to the document are not read: table.csv",)


def test_labels_that_are_no_text_are_left_out(edit: Edit, extract: Extract) -> None:
    def describe(writer: PdfWriter) -> None:
        writer.add_metadata({"/Title": "TITLE TITLE", "/Author": "A. Writer"})
        writer.add_outline_item(title="TITLE TITLE", page_number=0)

    half = b"(\\376\\377\\330\\000\\000A)"  # half of a pair of UTF-16
    content = edit(PLAIN, describe).replace(b"(TITLE TITLE)", half)

    document = extract(content)

    assert content.count(half) == 2
    assert (document.title, document.metadata.user["author"]) == ("paper", "A. Writer")
    assert {block.heading_path for block in document.blocks} == {()}


def test_damaged_page_is_left_out_and_said(extract: Extract) -> None:
    two = write_pdf(PageSpec([Line(60, 100, "first")]), PageSpec([Line(60, 100, "second")]))
    damaged = re.sub(rb"(/Kids \[\d+ 0 R) \d+ 0 R", rb"\1 99 0 R", two)

    document = extract(damaged)

    assert page_texts(document) == ["first", ""]
    assert document.provenance.warnings == ("1 of 2 pages is damaged and was left out (page 2)",)


@walk("size", [0, -10, 1e-9, 1e9])
def test_characters_without_height_are_no_error(extract: Extract, size: float) -> None:
    lines = [Line(60, 100, "flat", size), Line(60, 112, "flat again", size), Line(60, 300, "as usual")]
    assert "as usual" in "".join(page_texts(extract(write_pdf(PageSpec(lines)))))


@walk("title", ["", "Microsoft Word - draft.doc", "untitled", "draft.hwp", "제목 없음"])
def test_title_that_a_program_wrote_is_not_taken(title: str, edit: Edit, extract: Extract) -> None:
    content = edit(PLAIN, lambda writer: writer.add_metadata({"/Title": title}))
    assert extract(content, path="reports/budget.pdf").title == "budget"
