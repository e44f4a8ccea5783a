"""HWPX: what is in a document stands in its text and blocks."""

from datetime import UTC, datetime

import pytest
from kebab_core import DocumentDamagedError, DocumentEncryptedError, LinkInline, ListBlock, TableBlock
from kebab_testing.hangul_files import hwpx_paragraph, hwpx_table, write_hwpx
from kebab_testing.tables import walk

NOTE = '<hp:t>본문</hp:t><hp:ctrl><hp:{kind} number="1"><hp:subList>{inner}</hp:subList></hp:{kind}></hp:ctrl><hp:t>의 뒤</hp:t>'


def _lines(read, *content: str, **more) -> list[str]:
    text = read(write_hwpx("".join(content), **more)).text.text
    return [line for line in text.split("\n") if line]


def test_headings_open_sections_with_the_numbers_that_are_drawn(read):
    document = read(
        write_hwpx(
            hwpx_paragraph("총칙", shape=1)
            + hwpx_paragraph("목적", shape=2)
            + hwpx_paragraph("이 규정은 연차휴가를 정한다.", shape=2)
            + hwpx_paragraph("보칙", shape=1)
            + hwpx_paragraph("시행", shape=2)
        )
    )
    assert [(block.kind, block.text) for block in document.blocks] == [
        ("heading", "제1장 총칙"),
        ("heading", "가. 목적"),
        ("paragraph", "나. 이 규정은 연차휴가를 정한다."),
        ("heading", "제2장 보칙"),
        ("heading", "가. 시행"),
    ]
    assert document.blocks[-1].heading_path == ("제2장 보칙", "가. 시행")


def test_a_question_in_the_style_of_a_heading_is_one(read):
    document = read(
        write_hwpx(hwpx_paragraph("왜 색인이 느린가?", shape=1) + hwpx_paragraph("파일이 많다.", shape=3))
    )
    assert document.blocks[-1].heading_path == ("제1장 왜 색인이 느린가?",)


def test_spans_are_the_lines_of_the_text(read):
    document = read(
        write_hwpx(
            hwpx_paragraph("하나", shape=3)
            + hwpx_paragraph("<hp:t>첫 줄<hp:lineBreak/>둘째 줄</hp:t>")
            + hwpx_paragraph(hwpx_table([["가", "나"], ["다", "라"]]))
        )
    )
    lines = document.text.text.split("\n")
    shown = ["\n".join(lines[b.source_span.start - 1 : b.source_span.end]) for b in document.blocks]
    assert shown == ["- 하나", "첫 줄\n둘째 줄", "| 가 | 나 |\n| --- | --- |\n| 다 | 라 |"]


def test_lists_are_bullets_and_numbers(read):
    document = read(
        write_hwpx(
            hwpx_paragraph("하나", shape=3)
            + hwpx_paragraph("둘", shape=3)
            + hwpx_paragraph("셋", shape=4)
            + hwpx_paragraph("넷", shape=4)
        )
    )
    assert all(isinstance(block, ListBlock) for block in document.blocks)
    assert [block.ordered for block in document.blocks] == [False, True]
    assert "나. 넷" in document.text.text


def test_notes_are_marked_in_the_text_and_follow_their_paragraph(read):
    inner = hwpx_paragraph("근로기준법 제60조")
    assert _lines(
        read, hwpx_paragraph(NOTE.format(kind="footNote", inner=inner)), hwpx_paragraph("다음")
    ) == [
        "본문[^1]의 뒤",
        "[^1]: 근로기준법 제60조",
        "다음",
    ]
    assert "[^e1]: 근로기준법 제60조" in _lines(
        read, hwpx_paragraph(NOTE.format(kind="endNote", inner=inner))
    )


def test_headers_and_footers_come_last_and_once(read):
    header = NOTE.format(kind="header", inner=hwpx_paragraph("대외비"))
    lines = _lines(read, hwpx_paragraph(header), hwpx_paragraph("가"), hwpx_paragraph(header))
    assert lines.count("대외비") == 1
    assert lines[-1] == "대외비"


def test_a_memo_follows_the_text_that_it_is_about(read):
    memo = (
        '<hp:ctrl><hp:fieldBegin id="7" type="MEMO"><hp:parameters><hp:stringParam name="Author">김검토'
        f"</hp:stringParam></hp:parameters><hp:subList>{hwpx_paragraph('다시 확인')}</hp:subList></hp:fieldBegin></hp:ctrl>"
        '<hp:t>메모가 달린 말</hp:t><hp:ctrl><hp:fieldEnd beginIDRef="7"/></hp:ctrl>'
    )
    left_over = f"<hp:memogroup><hp:memo>{hwpx_paragraph('다시 확인')}</hp:memo></hp:memogroup>"
    assert _lines(read, left_over, hwpx_paragraph(memo)) == ["메모가 달린 말", "> 김검토: 다시 확인"]


def test_tables_keep_captions_merged_cells_and_tables_in_cells(read):
    inner = hwpx_paragraph("겉") + hwpx_paragraph(hwpx_table([["안1", "안2"]]))
    table = hwpx_table([["항목", "수량"], [inner, "둘"]]).replace(
        "<hp:tbl>",
        f"<hp:tbl><hp:caption><hp:subList>{hwpx_paragraph('표 설명')}</hp:subList></hp:caption>",
        1,
    )
    document = read(write_hwpx(hwpx_paragraph(table)))
    tables = [block for block in document.blocks if isinstance(block, TableBlock)]
    assert document.blocks[0].text == "표 설명"
    assert [(block.headers, block.rows) for block in tables] == [
        (("항목", "수량"), (("겉", "둘"),)),
        (("안1", "안2"), ()),
    ]


def test_a_frame_of_one_cell_is_no_table(read):
    frame = hwpx_table([[hwpx_paragraph("첫 문단") + hwpx_paragraph("둘째 문단")]])
    assert _lines(read, hwpx_paragraph(frame)) == ["첫 문단", "둘째 문단"]


def test_addresses_of_cells_far_apart_take_no_room(read):
    table = hwpx_table([["가", "나"]]).replace('rowAddr="0"', 'rowAddr="999999999"', 1)
    assert len(_lines(read, hwpx_paragraph(table))) == 3


@walk(
    ("xml", "shown"),
    [
        ("<hp:equation><hp:script>x over y</hp:script></hp:equation>", "x over y"),
        ("<hp:rect><hp:drawText><hp:subList>{inner}</hp:subList></hp:drawText></hp:rect>", "안의 글"),
        (
            "<hp:container><hp:ellipse><hp:drawText>{inner}</hp:drawText></hp:ellipse></hp:container>",
            "안의 글",
        ),
        ("<hp:pic><hp:shapeComment>조직도</hp:shapeComment></hp:pic>", "조직도"),
        ("<hp:pic><hp:caption><hp:subList>{inner}</hp:subList></hp:caption></hp:pic>", "안의 글"),
        ('<hp:textart text="큰 글씨"/>', "큰 글씨"),
        ("<hp:dutmal><hp:mainText>本文</hp:mainText><hp:subText>본문</hp:subText></hp:dutmal>", "本文(본문)"),
        ('<hp:compose composeText="㉿"/>', "㉿"),
        ('<hp:checkBtn caption="동의함"/>', "동의함"),
        ("<hp:edit><hp:text>홍길동</hp:text></hp:edit>", "홍길동"),
        ("<hp:t>가<hp:tab/>나<hp:fwSpace/>다</hp:t>", "가\t나 다"),
        ("<hp:t>남은<hp:deleteBegin/>지운<hp:deleteEnd/> 말</hp:t>", "남은 말"),
        ("<hp:t>옛말 <hp:insertBegin/>새말<hp:insertEnd/></hp:t>", "옛말 새말"),
        ("<hp:ctrl><hp:hiddenComment>{inner}</hp:hiddenComment></hp:ctrl>", "> 안의 글"),
        ("<hp:someday><hp:box>{inner}</hp:box></hp:someday>", "안의 글"),
        ("<hp:t>漢字와 나랏말ᄊᆞ미</hp:t>", "漢字와 나랏말ᄊᆞ미"),
    ],
)
def test_text_in_objects_is_kept(read, xml, shown):
    assert _lines(read, hwpx_paragraph(xml.format(inner=hwpx_paragraph("안의 글")))) == [shown]


def test_descriptions_that_the_program_writes_by_itself_are_no_text(read):
    document = read(
        write_hwpx(
            hwpx_paragraph(
                "<hp:pic><hp:shapeComment>그림입니다. 원본 그림의 이름: a.bmp</hp:shapeComment></hp:pic>"
            )
        )
    )
    assert document.blocks == ()
    assert document.provenance.warnings == ("the document has no text",)


def test_links_keep_their_addresses(read):
    link = (
        '<hp:ctrl><hp:fieldBegin id="1" type="HYPERLINK"><hp:parameters><hp:stringParam name="Command">'
        "https\\://example.org/a;1;0;0;</hp:stringParam></hp:parameters></hp:fieldBegin></hp:ctrl>"
        '<hp:t>누리집</hp:t><hp:ctrl><hp:fieldEnd beginIDRef="1"/></hp:ctrl>'
    )
    (block,) = read(write_hwpx(hwpx_paragraph(link))).blocks
    assert block.text == "누리집 (https://example.org/a)"
    assert block.inlines == (LinkInline(text="누리집", href="https://example.org/a"),)


def test_metadata_comes_from_the_summary(read):
    facts = {
        "title": "복무 규정",
        "creator": "총무과",
        "keyword": "연차, 휴가 제도",
        "CreatedDate": "2025-09-17T04:32:50Z",
        "ModifiedDate": "2025-10-01T00:00:00Z",
    }
    document = read(write_hwpx(hwpx_paragraph("본문"), facts=facts))
    assert document.title == "복무 규정"
    assert document.metadata.tags == ("연차", "휴가 제도")
    assert document.metadata.user == {"author": "총무과"}
    assert document.metadata.created_at == datetime(2025, 9, 17, 4, 32, 50, tzinfo=UTC)
    assert document.metadata.updated_at == datetime(2025, 10, 1, tzinfo=UTC)


def test_titles_without_a_summary_are_the_leading_heading_or_the_name_of_the_file(read):
    assert read(write_hwpx(hwpx_paragraph("총칙", shape=1))).title == "제1장 총칙"
    assert read(write_hwpx(hwpx_paragraph("본문"))).title == "규정"


def test_sections_follow_each_other_by_number(read):
    sections = [hwpx_paragraph(f"{number}번 구역") for number in range(12)]
    assert [block.text for block in read(write_hwpx(*sections)).blocks] == [f"{n}번 구역" for n in range(12)]


def test_private_characters_are_told(read):
    document = read(write_hwpx(hwpx_paragraph("\uf53a글")))
    assert len(document.provenance.warnings) == 1
    assert "old Hangul" in document.provenance.warnings[0]


ENCRYPTED = (
    b'<manifest><file-entry full-path="Contents/section0.xml"><encryption-data/></file-entry></manifest>'
)
SECTION = "Contents/section0.xml"


@walk(
    ("parts", "error"),
    [
        ({"META-INF/manifest.xml": ENCRYPTED}, DocumentEncryptedError),
        ({SECTION: b""}, DocumentDamagedError),
        ({SECTION: b"<sec><p>"}, DocumentDamagedError),
        ({SECTION: b"<sec>" + b"<p>" * 5000 + b"</p>" * 5000 + b"</sec>"}, DocumentDamagedError),
        (
            {SECTION: b'<!DOCTYPE s [<!ENTITY a "b">]><sec><p><run><t>&a;</t></run></p></sec>'},
            DocumentDamagedError,
        ),
        ({SECTION: b'<!DOCTYPE s SYSTEM "/etc/passwd"><sec/>'}, DocumentDamagedError),
    ],
)
def test_what_cannot_be_read_is_an_error(read, parts, error):
    with pytest.raises(error):
        read(write_hwpx(hwpx_paragraph("본문"), parts=parts))


def _section(text: str) -> bytes:
    return f'<hs:sec xmlns:hp="p" xmlns:hs="s">{hwpx_paragraph(text)}</hs:sec>'.encode()


@walk(
    ("parts", "warning"),
    [
        ({"Contents/section2.xml": _section("뒤")}, "Contents/section1.xml is missing in it"),
        (
            {"Contents/content.hpf": b'<p><manifest><item href="Contents/section1.xml"/></manifest></p>'},
            "Contents/section1.xml is missing in it",
        ),
        ({"Contents/section1.xml": b"\x00\xff"}, "Contents/section1.xml in it is damaged and was left out"),
        (
            {"Contents/section1.xml": _section("뒤")[:-20]},
            "Contents/section1.xml in it is damaged and was read as far as it goes",
        ),
        ({"Contents/header.xml": b"\xff"}, "Contents/header.xml in it is damaged and was left out"),
        ({"Contents/masterpage0.xml": b"\xff"}, "Contents/masterpage0.xml in it is damaged and was left out"),
    ],
)
def test_a_damaged_part_costs_that_part_and_is_told(read, parts, warning):
    document = read(write_hwpx(hwpx_paragraph("본문"), parts=parts))
    assert "본문" in document.text.text
    assert ("뒤" in document.text.text) == any("뒤".encode() in part for part in parts.values())
    assert [str(note) for note in document.provenance.warnings] == [warning]


def test_damaged_parts_are_told_without_words_of_the_xml_library(read):
    with pytest.raises(DocumentDamagedError) as caught:
        read(write_hwpx(hwpx_paragraph("본문"), parts={SECTION: b"<sec><p>"}))
    told = "Contents/section0.xml in it is damaged and was read as far as it goes"
    assert str(caught.value.message) == f"nothing of it can be read: {told}"


def test_a_power_is_no_digit_of_the_number_before_it(read):
    header = '<hh:head xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head"><hh:charPr id="7"><hh:supscript/></hh:charPr></hh:head>'
    runs = '<hp:t>10</hp:t></hp:run><hp:run charPrIDRef="7"><hp:t>6</hp:t></hp:run><hp:run><hp:t> m</hp:t>'
    document = read(write_hwpx(hwpx_paragraph(runs), parts={"Contents/header.xml": header.encode()}))
    assert document.text.text == "10^6 m\n"
