"""Word documents: what of them becomes which block, and where it stands in the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import (
    CanonicalDocument,
    HeadingBlock,
    ListBlock,
    OfficeFormat,
    ParagraphBlock,
    QuoteBlock,
    TableBlock,
)
from kebab_testing.office_files import lines_of, pack, paragraph, word_file

Read = Callable[[bytes, OfficeFormat], CanonicalDocument]
STYLES = """
<w:style w:type="paragraph" w:styleId="a1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="mine"><w:name w:val="Mine"/><w:basedOn w:val="a1"/>
  <w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="t"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="q"><w:name w:val="Intense Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="toc1"><w:name w:val="toc 1"/></w:style>
"""
NUMBERING = """
<w:abstractNum w:abstractNumId="7">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="제%1조"/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="ganada"/><w:lvlText w:val="%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="8">
  <w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl>
  <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
"""


def item(text: str, *, number: int, level: int = 0) -> str:
    return paragraph(
        text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    )


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def test_headings_come_from_styles_and_open_sections(read: Read) -> None:
    body = (
        paragraph("사용 설명서", style="t")
        + paragraph("설치", style="a1")
        + paragraph("준비물", style="mine")
        + paragraph("전원을 켠다.")
    )
    document = read(word_file(body, styles=STYLES), "docx")
    headings = [(block.level, block.text) for block in document.blocks if isinstance(block, HeadingBlock)]
    assert headings == [(1, "사용 설명서"), (1, "설치"), (2, "준비물")]
    assert document.blocks[-1].heading_path == ("설치", "준비물")
    assert document.title == "사용 설명서"


def test_table_of_contents_is_left_out(read: Read) -> None:
    document = read(
        word_file(paragraph("설치 3", style="toc1") + paragraph("본문", style=""), styles=STYLES), "docx"
    )
    assert [getattr(block, "text", "") for block in document.blocks] == ["본문"]


def test_numbers_of_paragraphs_are_counted_and_shown(read: Read) -> None:
    body = (
        item("목적", number=1) + item("정의", number=1) + item("이용자", number=1, level=1) + item("회사", number=1, level=1)
        + item("효력", number=1) + paragraph("사이") + item("다시", number=3)
    )  # fmt: skip
    document = read(word_file(body, numbering=NUMBERING), "docx")
    first, _, again = document.blocks
    assert isinstance(first, ListBlock)
    assert isinstance(again, ListBlock)
    assert first.ordered
    assert lines_of(document, first) == [
        "제1조 목적",
        "제2조 정의",
        "    가) 이용자",
        "    나) 회사",
        "제3조 효력",
    ]
    assert [each.text for each in again.items] == ["제1조 다시"]


def test_bullets_nest(read: Read) -> None:
    body = item("하나", number=2) + item("안쪽", number=2, level=1) + item("둘", number=2)
    (block,) = read(word_file(body, numbering=NUMBERING), "docx").blocks
    assert isinstance(block, ListBlock)
    assert [each.text for each in block.items] == ["하나\n- 안쪽", "둘"]


def test_tracked_changes_read_as_accepted(read: Read) -> None:
    body = (
        "<w:p><w:r><w:t>가격은 </w:t></w:r><w:del><w:r><w:delText>백 원</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>천 원</w:t></w:r></w:ins><w:r><w:t>이다.</w:t></w:r></w:p>"
        "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>앞줄과 </w:t></w:r></w:p>"
        "<w:p><w:moveFrom><w:r><w:t>옮긴 말</w:t></w:r></w:moveFrom><w:r><w:t>뒷줄</w:t></w:r></w:p>"
    )
    document = read(word_file(body), "docx")
    assert [getattr(block, "text", "") for block in document.blocks] == ["가격은 천 원이다.", "앞줄과 뒷줄"]
    assert any("tracked changes" in str(note) for note in document.provenance.warnings)


def test_notes_follow_the_text_that_refers_to_them(read: Read) -> None:
    body = (
        '<w:p><w:r><w:t>첫째</w:t></w:r><w:r><w:footnoteReference w:id="5"/></w:r></w:p>'
        '<w:p><w:r><w:t>둘째</w:t><w:endnoteReference w:id="2"/><w:commentReference w:id="0"/></w:r></w:p>'
    )
    document = read(
        word_file(
            body,
            footnotes=f'<w:footnote w:id="5">{paragraph("각주 말")}</w:footnote>',
            endnotes=f'<w:endnote w:id="2">{paragraph("미주 말")}</w:endnote>',
            comments=f'<w:comment w:id="0" w:author="김철수">{paragraph("확인 필요")}</w:comment>',
        ),
        "docx",
    )
    assert [getattr(block, "text", "") for block in document.blocks] == [
        "첫째[^1]",
        "[^1]: 각주 말",
        "둘째[^i]",
        "[^i]: 미주 말",
        "Comment (김철수): 확인 필요",
    ]
    assert isinstance(document.blocks[-1], QuoteBlock)


def test_tables_have_headers_and_repeat_merged_cells(read: Read) -> None:
    body = "<w:tbl>" + "".join((
        row(cell("부서"), cell("예산", '<w:gridSpan w:val="2"/>'), properties="<w:tblHeader/>"),
        row(cell(""), cell("상반기"), cell("하반기"), properties="<w:tblHeader/>"),
        row(cell("연구", '<w:vMerge w:val="restart"/>'), cell("10"), cell("20")),
        row(cell("", "<w:vMerge/>"), cell("30"), cell("40")),
        row(cell("지운 줄"), cell("1"), cell("2"), properties="<w:del/>"),
    )) + "</w:tbl>"  # fmt: skip
    document = read(word_file(body), "docx")
    (table,) = document.blocks
    assert isinstance(table, TableBlock)
    assert table.headers == ("부서", "예산 상반기", "예산 하반기")
    assert table.rows == (("연구", "10", "20"), ("연구", "30", "40"))
    assert len(lines_of(document, table)) == 4


def test_table_of_one_column_is_a_box_around_text(read: Read) -> None:
    box = paragraph("주의", style="a1") + paragraph("만지지 마시오.")
    body = f"<w:tbl>{row(f'<w:tc>{box}</w:tc>')}</w:tbl>"
    heading, text = read(word_file(body, styles=STYLES), "docx").blocks
    assert isinstance(heading, HeadingBlock)
    assert isinstance(text, ParagraphBlock)


def test_text_boxes_are_read_once(read: Read) -> None:
    box = f"<w:txbxContent>{paragraph('상자 속 말')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>바깥</w:t><mc:AlternateContent>"
        f"<mc:Choice><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )
    assert [getattr(each, "text", "") for each in read(word_file(body), "docx").blocks] == [
        "바깥",
        "상자 속 말",
    ]


def test_links_fields_and_signs(read: Read) -> None:
    body = (
        '<w:p><w:hyperlink r:id="link1"><w:r><w:t>안내</w:t></w:r></w:hyperlink></w:p>'
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "https://kebab.example"</w:instrText>'
        '<w:fldChar w:fldCharType="separate"/><w:t>누리집</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>'
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText></w:r></w:p>'
        "<w:p><w:r><w:t>앞</w:t><w:tab/><w:t>뒤</w:t><w:br/><w:t>다음 줄</w:t></w:r>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>숨은 말</w:t></w:r><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p>"
    )
    document = read(word_file(body), "docx")
    assert [getattr(block, "text", "") for block in document.blocks] == [
        "안내 (https://example.org/guide)",
        "누리집 (https://kebab.example)",
        "앞\t뒤\n다음 줄x=1",
    ]


def test_properties_become_metadata(read: Read) -> None:
    core = (
        '<p xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        "<dc:title>연간 보고서</dc:title><dc:creator>이영희</dc:creator><keywords>예산, #결산</keywords>"
        "<dcterms:created>2021-03-04T05:06:07Z</dcterms:created></p>"
    )
    parts = {
        "_rels/.rels": (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="a" Type="x/core-properties" Target="docProps/core.xml"/></Relationships>'
        ),
        "docProps/core.xml": core,
        "word/document.xml": (
            '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
            f"{paragraph('본문')}</w:body></w:document>"
        ),
    }
    document = read(pack(parts), "docx")
    assert document.title == "연간 보고서"
    assert document.metadata.tags == ("예산", "결산")
    assert document.metadata.created_at.isoformat() == "2021-03-04T05:06:07+00:00"
    assert document.metadata.user == {"author": "이영희"}


def test_strict_documents_are_read(read: Read) -> None:
    strict = word_file(paragraph("엄격한 형식"), styles=STYLES)
    import zipfile
    from io import BytesIO

    with zipfile.ZipFile(BytesIO(strict)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name in ("word/document.xml", "word/styles.xml"):
        parts[name] = parts[name].replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        )
    (block,) = read(pack(parts), "docx").blocks
    assert isinstance(block, ParagraphBlock)


def test_a_merged_title_over_a_table_is_no_header(read: Read) -> None:
    title = row(cell("2024년 예산", '<w:gridSpan w:val="2"/>'), properties="<w:tblHeader/>")
    rows = row(cell("부서"), cell("예산")) + row(cell("연구"), cell("300"))
    document = read(word_file(f"<w:tbl>{title}{rows}</w:tbl>"), "docx")
    caption, table = document.blocks
    assert isinstance(caption, ParagraphBlock)
    assert isinstance(table, TableBlock)
    assert (caption.text, table.headers, table.rows) == ("2024년 예산", ("부서", "예산"), (("연구", "300"),))


@pytest.mark.parametrize(
    "mark", ["<w:rPr><w:b/></w:rPr>", '<w:tcPr><w:shd w:val="clear" w:fill="D9D9D9"/></w:tcPr>']
)
def test_a_form_with_names_set_off_has_no_header(read: Read, mark: str) -> None:
    def name(text: str) -> str:
        shown = cell(text)
        if "<w:b/>" in mark:
            return shown.replace("<w:r>", f"<w:r>{mark}")
        return shown.replace("<w:tcPr></w:tcPr>", mark)

    form = row(name("성명"), cell("홍길동")) + row(name("소속"), cell("연구소"))
    header = row(name("구분"), name("내용")) + row(name("장소"), cell("서울"))
    tables = read(word_file(f"<w:tbl>{form}</w:tbl><w:p/><w:tbl>{header}</w:tbl>"), "docx").blocks
    assert [(table.headers, table.rows) for table in tables if isinstance(table, TableBlock)] == [
        (("", ""), (("성명", "홍길동"), ("소속", "연구소"))),
        (("구분", "내용"), (("장소", "서울"),)),
    ]


def test_a_form_that_is_not_filled_in_has_no_header(read: Read) -> None:
    form = row(cell("성명"), cell("")) + row(cell("소속"), cell(""))
    (table,) = read(word_file(f"<w:tbl>{form}</w:tbl>"), "docx").blocks
    assert isinstance(table, TableBlock)
    assert table.headers == ("", "")


def test_a_power_is_no_digit_of_the_number_before_it(read: Read) -> None:
    raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{}</w:t></w:r>'
    runs = f"<w:r><w:t>10</w:t></w:r>{raised.format(6)}<w:r><w:t> m, 20 m</w:t></w:r>{raised.format(2)}"
    document = read(word_file(f"<w:p>{runs}</w:p>"), "docx")
    assert lines_of(document, document.blocks[0]) == ["10^6 m, 20 m2"]


def test_headers_and_footers_stand_once_at_the_end(read: Read) -> None:
    number = "<w:p><w:fldSimple w:instr=' PAGE '><w:r><w:t>3</w:t></w:r></w:fldSimple></w:p>"
    running = {
        "header1": paragraph("대외비 문서번호 A-17"),
        "header2": paragraph("대외비 문서번호 A-17"),
        "header3": paragraph("대외비 문서번호 A-18"),
        "footer1": number,
        "footer2": f"<w:tbl><w:tr><w:tc>{paragraph('담당')}</w:tc><w:tc>{paragraph('김철수')}</w:tc></w:tr></w:tbl>",
    }
    document = read(word_file(paragraph("제목", style="Heading1") + paragraph("본문"), **running), "docx")
    assert document.text is not None
    end = document.text.text.partition("본문")[2].split("\n")
    assert [line for line in end if line] == [
        "대외비 문서번호 A-17",
        "대외비 문서번호 A-18",
        "| 담당 | 김철수 |",
        "| --- | --- |",
    ]
    assert document.blocks[-1].heading_path == ()
    assert not document.provenance.warnings
