"""Presentations: what is on which slide, and that spans name exactly the characters that blocks show."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from zipfile import ZipFile

import pytest
from kebab_core import (
    CanonicalDocument,
    HeadingBlock,
    ListBlock,
    OfficeFormat,
    ParagraphBlock,
    QuoteBlock,
    SlideSpan,
    TableBlock,
)
from kebab_testing.office_files import open_document, pack, shape, slide_file

Read = Callable[[bytes, OfficeFormat], CanonicalDocument]


def opened(document: CanonicalDocument, span: object) -> str:
    """Return what a span names in the text of its slide."""
    assert isinstance(span, SlideSpan)
    assert document.text is not None
    (part,) = document.text.find_slide(span.slide)
    return document.text.text[part.start : part.end][span.char_start : span.char_end]


def test_slides_have_titles_lists_and_notes(read: Read) -> None:
    below = '<a:p><a:pPr lvl="1"/><a:r><a:t>안쪽</a:t></a:r></a:p>'
    body = (
        shape("첫째", below, "둘째", kind="body") + shape("2026-11-23", kind="dt") + shape("7", kind="sldNum")
    )
    document = read(
        slide_file(body + shape("매출 보고", kind="title"), shape("감사합니다"), notes="천천히 말한다"),
        "pptx",
    )
    title, points, notes, end = document.blocks
    assert isinstance(title, HeadingBlock)
    assert isinstance(points, ListBlock)
    assert isinstance(notes, QuoteBlock)
    assert isinstance(end, ParagraphBlock)
    assert opened(document, title.source_span) == title.text == "매출 보고"
    assert opened(document, points.source_span) == "- 첫째\n- 안쪽\n- 둘째"
    assert [opened(document, item.source_span) for item in points.items] == ["- 첫째", "- 안쪽", "- 둘째"]
    assert opened(document, notes.source_span) == notes.text == "Notes: 천천히 말한다"
    assert opened(document, end.source_span) == "감사합니다"
    assert (points.heading_path, end.heading_path) == (("매출 보고",), ())
    assert (document.title, document.lang) == ("매출 보고", "ko")
    assert end.source_span == SlideSpan(slide=2, char_start=0, char_end=5)


def test_hidden_slides_are_counted_read_and_said(read: Read) -> None:
    document = read(slide_file(shape("하나"), shape("둘"), shape("셋"), hidden=(2,)), "pptx")
    assert [
        block.source_span.slide for block in document.blocks if isinstance(block.source_span, SlideSpan)
    ] == [1, 2, 3]
    assert [str(note) for note in document.provenance.warnings] == ["hidden slides were read, too: 2"]


def test_numbered_points_and_groups(read: Read) -> None:
    def numbered(text: str) -> str:
        return f'<a:p><a:pPr><a:buAutoNum type="arabicParenR"/></a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>'

    group = f"<p:grpSp><p:grpSp>{shape(numbered('가'), numbered('나'), kind='body')}</p:grpSp></p:grpSp>"
    (points,) = read(slide_file(group), "pptx").blocks
    assert isinstance(points, ListBlock)
    assert [item.text for item in points.items] == ["1) 가", "2) 나"]


def test_tables_of_slides(read: Read) -> None:
    def cell(text: str, flags: str = "") -> str:
        return f"<a:tc {flags}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    rows = (
        f"<a:tr>{cell('부서')}{cell('값')}</a:tr><a:tr>{cell('연구', 'rowSpan=' + chr(34) + '2' + chr(34))}{cell('1')}</a:tr>"
        f"<a:tr>{cell('', 'vMerge=' + chr(34) + '1' + chr(34))}{cell('2')}</a:tr>"
    )
    frame = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    document = read(slide_file(frame), "pptx")
    (table,) = document.blocks
    assert isinstance(table, TableBlock)
    assert (table.headers, table.rows) == (("부서", "값"), (("연구", "1"), ("연구", "2")))
    assert opened(document, table.source_span) == "부서 | 값\n연구 | 1\n연구 | 2"


def test_open_presentations(read: Read) -> None:
    body = (
        '<draw:page draw:style-name="dp1"><draw:frame presentation:class="outline"><draw:text-box><text:list>'
        "<text:list-item><text:p>첫째</text:p></text:list-item><text:list-item><text:p>둘째</text:p></text:list-item>"
        '</text:list></draw:text-box></draw:frame><draw:frame presentation:class="title"><draw:text-box>'
        "<text:p>매출 보고</text:p></draw:text-box></draw:frame>"
        '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>천천히</text:p>'
        "</draw:text-box></draw:frame></presentation:notes></draw:page>"
    )
    styles = (
        '<style:style style:name="dp1" style:family="drawing-page">'
        '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    document = read(open_document("presentation", body, styles=styles), "odp")
    title, points, notes = document.blocks
    assert opened(document, title.source_span) == document.title == "매출 보고"
    assert opened(document, points.source_span) == "- 첫째\n- 둘째"
    assert opened(document, notes.source_span) == "Notes: 천천히"
    assert [str(note) for note in document.provenance.warnings] == ["hidden slides were read, too: 1"]


def test_open_presentations_have_numbers_and_embedded_tables(read: Read) -> None:
    styles = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"'
        ' style:num-suffix="."/></text:list-style>'
    )
    items = "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in ("첫째", "둘째"))
    body = (
        f'<draw:page><draw:frame><draw:text-box><text:list text:style-name="L1">{items}</text:list></draw:text-box>'
        '</draw:frame><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></draw:page>'
    )
    cells = "".join(
        f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in ("분기", "매출")
    )
    with ZipFile(
        BytesIO(
            open_document(
                "spreadsheet", f"<table:table><table:table-row>{cells}</table:table-row></table:table>"
            )
        )
    ) as inner:
        table = inner.read("content.xml")
    with ZipFile(BytesIO(open_document("presentation", body, styles=styles))) as outer:
        parts = {name: outer.read(name) for name in outer.namelist()}
    document = read(pack({**parts, "Object 1/content.xml": table}), "odp")
    assert [opened(document, block.source_span) for block in document.blocks] == [
        "1. 첫째\n2. 둘째",
        "분기 | 매출",
    ]


@pytest.mark.parametrize("notes", ["", "  ", "1", "‹#›"])
def test_notes_that_say_nothing_are_left_out(read: Read, notes: str) -> None:
    document = read(slide_file(shape("본문"), notes=notes), "pptx")
    assert [getattr(block, "text", "") for block in document.blocks] == ["본문"]


def test_a_power_is_no_digit_of_the_number_before_it(read: Read) -> None:
    runs = '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r></a:p>'
    (block,) = read(slide_file(shape(runs)), "pptx").blocks
    assert isinstance(block, ParagraphBlock)
    assert block.text == "10^6"


def test_a_power_in_open_document_is_no_digit_of_the_number_before_it(read: Read) -> None:
    styles = (
        '<style:style style:name="T1" style:family="text"><style:text-properties'
        ' style:text-position="super 58%"/></style:style>'
    )
    words = '<text:p>10<text:span text:style-name="T1">6</text:span> m</text:p>'
    slide = f"<draw:page><draw:frame><draw:text-box>{words}</draw:text-box></draw:frame></draw:page>"
    (block,) = read(open_document("presentation", slide, styles=styles), "odp").blocks
    assert isinstance(block, ParagraphBlock)
    assert block.text == "10^6 m"


def test_a_chart_of_open_document_has_its_title(read: Read) -> None:
    slide = '<draw:page><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></draw:page>'
    chart = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        ' xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"'
        ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
        "<chart:chart><chart:title><text:p>매출 추이</text:p></chart:title></chart:chart></office:document-content>"
    )
    file = BytesIO(open_document("presentation", slide))
    with ZipFile(file, "a") as archive:
        archive.writestr("Object 1/content.xml", chart)
    (block,) = read(file.getvalue(), "odp").blocks
    assert isinstance(block, ParagraphBlock)
    assert block.text == "매출 추이"


def test_a_header_or_footer_of_slides_is_read_once(read: Read) -> None:
    footer = shape("Confidential", kind="ftr") + shape("4", kind="sldNum")
    document = read(
        slide_file(shape("One") + footer, shape("Two") + footer, shape("Draft", kind="hdr") + footer), "pptx"
    )
    assert document.text is not None
    assert document.text.text.split("\n\n") == ["One", "Confidential", "Two", "Draft"]


def test_a_header_or_footer_of_open_slides_is_read_once(read: Read) -> None:
    declared = '<presentation:footer-decl presentation:name="f">봄 워크숍</presentation:footer-decl>'
    own = "".join(
        f'<draw:frame presentation:class="{kind}"><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>'
        for kind, text in (("footer", "대외비"), ("page-number", "4"))
    )
    slide = "<draw:page{used}><draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>{own}</draw:page>"
    uses = ' presentation:use-footer-name="f"'
    slides = [slide.format(used=uses, text="하나", own=own), slide.format(used=uses, text="둘", own=own)]
    document = read(open_document("presentation", declared + "".join(slides)), "odp")
    assert document.text is not None
    assert document.text.text.split("\n\n") == ["하나", "대외비", "봄 워크숍", "둘"]
