"""Text documents of OpenDocument: what of them becomes which block, and where it stands in the text."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BytesIO

from kebab_core import CanonicalDocument, HeadingBlock, ListBlock, OfficeFormat, QuoteBlock, TableBlock
from kebab_testing.office_files import lines_of, open_document, pack

Read = Callable[[bytes, OfficeFormat], CanonicalDocument]
STYLES = """
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>
<text:list-style style:name="L1">
  <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
  <text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>
</text:list-style>
<text:list-style style:name="L2"><text:list-level-style-bullet text:level="1"/></text:list-style>
"""


def test_headings_paragraphs_and_properties(read: Read) -> None:
    body = (
        '<text:p text:style-name="P1">안내서</text:p><text:h text:outline-level="2">설치</text:h>'
        '<text:p>앞<text:s text:c="2"/>뒤<text:tab/>끝<text:line-break/>'
        '<text:a xlink:href="https://kebab.example">누리집</text:a></text:p>'
    )
    meta = "<dc:creator>이영희</dc:creator><meta:keyword>예산</meta:keyword><meta:keyword>결산</meta:keyword>"
    document = read(open_document("text", body, styles=STYLES, meta=meta), "odt")
    title, heading, text, properties = document.blocks
    assert isinstance(title, HeadingBlock)
    assert isinstance(heading, HeadingBlock)
    assert heading.level == 2
    assert lines_of(document, text) == ["앞  뒤\t끝", "누리집 (https://kebab.example)"]
    assert (document.title, document.metadata.tags) == ("안내서", ("예산", "결산"))
    assert text.heading_path == ("안내서", "설치")
    assert lines_of(document, properties) == ["author: 이영희", "keywords: 예산, 결산"]


def test_lists_have_their_numbers(read: Read) -> None:
    body = (
        '<text:list text:style-name="L1"><text:list-item><text:p>하나</text:p><text:list><text:list-item>'
        "<text:p>안쪽</text:p></text:list-item></text:list></text:list-item>"
        "<text:list-item><text:p>둘</text:p></text:list-item></text:list>"
        '<text:list text:style-name="L2"><text:list-item><text:p>점</text:p></text:list-item></text:list>'
    )
    document = read(open_document("text", body, styles=STYLES), "odt")
    numbered, bullets = document.blocks
    assert isinstance(numbered, ListBlock)
    assert isinstance(bullets, ListBlock)
    assert lines_of(document, numbered) == ["1. 하나", "   a) 안쪽", "2. 둘"]
    assert [item.text for item in bullets.items] == ["점"]


def test_notes_remarks_and_deleted_text(read: Read) -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>지운 말</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        '<text:p>본문<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
        "<text:p>각주 말</text:p></text:note-body></text:note><office:annotation><dc:creator>김철수</dc:creator>"
        "<text:p>확인 필요</text:p></office:annotation> 끝</text:p>"
    )
    document = read(open_document("text", body), "odt")
    assert [getattr(block, "text", "") for block in document.blocks] == [
        "본문[^1] 끝",
        "[^1]: 각주 말",
        "Comment (김철수): 확인 필요",
    ]
    assert isinstance(document.blocks[-1], QuoteBlock)
    assert any("tracked changes" in str(note) for note in document.provenance.warnings)


def test_tables_with_merged_cells(read: Read) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<table:table-cell {properties}><text:p>{text}</text:p></table:table-cell>"

    spanned = 'table:number-rows-spanned="2"'
    body = (
        "<table:table><table:table-header-rows><table:table-row>"
        f"{cell('부서')}{cell('예산')}</table:table-row></table:table-header-rows>"
        f"<table:table-row>{cell('연구', spanned)}{cell('10')}</table:table-row>"
        f"<table:table-row><table:covered-table-cell/>{cell('20')}</table:table-row></table:table>"
    )
    (table,) = read(open_document("text", body), "odt").blocks
    assert isinstance(table, TableBlock)
    assert (table.headers, table.rows) == (("부서", "예산"), (("연구", "10"), ("연구", "20")))


def test_text_boxes_and_descriptions_of_pictures(read: Read) -> None:
    body = (
        "<text:p>바깥<draw:frame><draw:text-box><text:p>상자 속 말</text:p></draw:text-box></draw:frame>"
        "<draw:frame><svg:desc>매출 그래프</svg:desc></draw:frame></text:p>"
    )
    document = read(open_document("text", body), "odt")
    assert [getattr(block, "text", "") for block in document.blocks] == ["바깥", "상자 속 말", "매출 그래프"]


def test_a_power_is_no_digit_of_the_number_before_it(read: Read) -> None:
    styles = (
        '<style:style style:name="T1" style:family="text"><style:text-properties'
        ' style:text-position="super 58%"/></style:style>'
    )
    body = '<text:p>10<text:span text:style-name="T1">6</text:span> m</text:p>'
    document = read(open_document("text", body, styles=styles), "odt")
    assert lines_of(document, document.blocks[0]) == ["10^6 m"]


def test_headers_and_footers_stand_once_at_the_end(read: Read) -> None:
    space = "urn:oasis:names:tc:opendocument:xmlns"
    names = f'xmlns:office="{space}:office:1.0" xmlns:style="{space}:style:1.0" xmlns:text="{space}:text:1.0"'
    number = "<text:p>- <text:page-number>{}</text:page-number> -</text:p>"
    pages = "".join(
        f"<style:master-page><style:header><text:p>대외비</text:p></style:header><style:footer>{number.format(at)}"
        f'</style:footer><style:footer-left style:display="false"><text:p>숨음</text:p></style:footer-left></style:master-page>'
        for at in (1, 2)
    )
    styles = f"<office:document-styles {names}><office:master-styles>{pages}</office:master-styles></office:document-styles>"
    with zipfile.ZipFile(BytesIO(open_document("text", "<text:p>본문</text:p>"))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    document = read(pack(parts | {"styles.xml": styles.encode()}), "odt")
    assert document.text is not None
    assert document.text.text == "본문\n\n대외비\n"
