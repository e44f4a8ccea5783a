"""HWP 5: what is in a document stands in its text and blocks."""

import struct

import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import (
    DocumentDamagedError,
    DocumentEncryptedError,
    KebabError,
    ListBlock,
    TableBlock,
    UnsupportedMediaError,
)
from kebab_testing.families import examples
from kebab_testing.hangul_files import (
    hwp5_control,
    hwp5_header,
    hwp5_paragraph,
    hwp5_styles,
    hwp5_table,
    hwp5_text,
    hwpx_paragraph,
    hwpx_table,
    record,
    write_hwp5,
    write_hwpx,
)
from kebab_testing.tables import walk


def _lines(read, *content: bytes) -> list[str]:
    text = read(write_hwp5(b"".join(content))).text.text
    return [line for line in text.split("\n") if line]


def _object(name: str, *below: bytes, code: int = 11, data: bytes = b"") -> bytes:
    """A paragraph with an object between two words."""
    text = "앞" + hwp5_control(code, name) + "뒤"
    return hwp5_paragraph(text, hwp5_header(name, 1, data), *below)


INNER = record(72, 2, bytes(8)) + hwp5_paragraph("안의 글", level=2)


def test_headings_lists_and_tables_are_those_of_hwpx(read):
    rows = [["항목", "수량"], ["연필", "둘"], ["", "셋"]]
    old = read(
        write_hwp5(
            hwp5_paragraph("총칙", shape=1)
            + hwp5_paragraph("목적", shape=2)
            + hwp5_paragraph("하나", shape=3)
            + hwp5_paragraph("둘", shape=4)
            + hwp5_paragraph(hwp5_control(11, "tbl "), hwp5_table(rows, caption="표 설명", down={"연필"}))
        )
    )
    new = read(
        write_hwpx(
            hwpx_paragraph("총칙", shape=1)
            + hwpx_paragraph("목적", shape=2)
            + hwpx_paragraph("하나", shape=3)
            + hwpx_paragraph("둘", shape=4)
            + hwpx_paragraph("표 설명")
            + hwpx_paragraph(hwpx_table(rows, down={"연필"}))
        )
    )
    assert old.text == new.text
    assert [block.kind for block in old.blocks] == [block.kind for block in new.blocks]
    assert [block.heading_path for block in old.blocks] == [block.heading_path for block in new.blocks]
    assert isinstance(old.blocks[2], ListBlock)
    assert isinstance(old.blocks[-1], TableBlock)
    assert old.blocks[-1].rows == (("연필", "둘"), ("연필", "셋"))


@walk(
    ("paragraph", "shown"),
    [
        (_object("fn  ", INNER, code=17), ["앞[^1]뒤", "[^1]: 안의 글"]),
        (_object("en  ", INNER, code=17), ["앞[^e1]뒤", "[^e1]: 안의 글"]),
        (_object("head", INNER, code=16), ["앞뒤", "안의 글"]),
        (_object("tcmt", INNER, code=15), ["앞뒤", "> 안의 글"]),
        (_object("gso ", record(76, 2, bytes(8)), INNER), ["앞뒤", "안의 글"]),
        (_object("eqed", record(88, 2, bytes(4) + hwp5_text("x over y"))), ["앞 x over y 뒤"]),
        (_object("atno", code=18, data=struct.pack("<IH", 4, 3)), ["앞3뒤"]),
        (_object("atno", code=18, data=struct.pack("<IH", 0, 3)), ["앞뒤"]),
        (_object("tdut", code=23, data=hwp5_text("本文") + hwp5_text("본문")), ["앞本文(본문)뒤"]),
        (_object("tcps", code=23, data=hwp5_text("㉿")), ["앞㉿뒤"]),
        (
            _object("gso ", record(76, 2), record(90, 3, bytes(32) + hwp5_text("큰 글씨"))),
            ["앞뒤", "큰 글씨"],
        ),
        (_object("what", INNER), ["앞뒤", "안의 글"]),
    ],
)
def test_text_in_objects_is_kept(read, paragraph, shown):
    assert _lines(read, paragraph) == shown


def test_a_picture_has_its_description(read):
    data = bytes(40) + hwp5_text("조직도")
    assert _lines(read, _object("gso ", record(76, 2), record(85, 3), data=data)) == ["앞뒤", "조직도"]


def test_signs_in_the_text_are_those_that_readers_see(read):
    text = "첫 줄\n둘째" + hwp5_control(9, "tab ") + "줄\x18끝\x1f."
    assert _lines(read, hwp5_paragraph(text)) == ["첫 줄", "둘째\t줄-끝 ."]


def test_links_keep_their_addresses(read):
    data = bytes(5) + hwp5_text("http\\://example.org/;1;0;0;")
    text = hwp5_control(3, "%hlk") + "누리집" + hwp5_control(4, "%hlk")
    (block,) = read(write_hwp5(hwp5_paragraph(text, hwp5_header("%hlk", 1, data)))).blocks
    assert block.text == "누리집 (http://example.org/)"


def test_memos_of_the_last_paragraph_are_comments(read):
    memos = record(93, 1) + record(72, 1, bytes(8)) + hwp5_paragraph("다시 확인", level=1)
    assert _lines(read, hwp5_paragraph("본문"), hwp5_paragraph("끝", memos)) == ["본문", "끝", "> 다시 확인"]


def test_characters_beyond_the_basic_plane_and_halves_of_them_are_read(read):
    assert _lines(read, hwp5_paragraph("𠮷 \ud800 끝")) == ["𠮷 \ufffd 끝"]


@walk("flags", [2, 3, 4, 5, 16, 256])
def test_protected_documents_are_named_as_such(read, flags):
    with pytest.raises(DocumentEncryptedError) as caught:
        read(write_hwp5(hwp5_paragraph("본문"), flags=flags))
    assert caught.value.remedy is not None


def test_a_document_of_version_3_says_what_to_do(read):
    with pytest.raises(UnsupportedMediaError) as caught:
        read(b"HWP Document File V3.00 \x1a\x01\x02\x03\x04\x05" + bytes(200))
    assert caught.value.remedy is not None
    assert (caught.value.remedy.advice or "").endswith("HWPX")


@walk(
    "streams",
    [
        {("FileHeader",): b"Something else".ljust(256)},
        {("BodyText", "Section0"): b"\xff\xff\xff\xff"},
        {("BodyText", "Section0"): b""},
    ],
)
def test_damaged_streams_are_an_error(read, streams):
    with pytest.raises(DocumentDamagedError):
        read(write_hwp5(hwp5_paragraph("본문"), streams=streams))


def test_records_nested_too_deep_are_an_error(read):
    deep = b"".join(record(66, level, bytes(22)) for level in range(1000))
    with pytest.raises(DocumentDamagedError):
        read(write_hwp5(deep))


@walk(
    ("streams", "warning"),
    [
        ({("DocInfo",): b"\xff\xff\xff\xff"}, "DocInfo in it is damaged and was left out"),
        (
            {("BodyText", "Section1"): hwp5_paragraph("뒤") + b"\xff\xff\xff\xff"},
            "Section1 in it is damaged and was read as far as it goes",
        ),
        ({("BodyText", "Section1"): b"\xff\xff\xff\xff"}, "Section1 in it is damaged and was left out"),
    ],
)
def test_a_damaged_stream_costs_that_stream_and_is_told(read, streams, warning):
    document = read(write_hwp5(hwp5_paragraph("본문"), flags=0, streams=streams))
    assert "본문" in document.text.text
    assert ("뒤" in document.text.text) == any("뒤".encode("utf-16-le") in part for part in streams.values())
    assert [str(note) for note in document.provenance.warnings] == [warning]


def test_a_document_without_sections_is_an_error(read):
    with pytest.raises(DocumentDamagedError):
        read(write_hwp5())


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_changed_bytes_give_a_document_or_an_error_of_kebab(read, data):
    """Neither compression nor checksums keep changes from the readers."""
    table = hwp5_paragraph(hwp5_control(11, "tbl "), hwp5_table([["가", "나"]]))
    section = hwp5_paragraph("총칙", shape=1) + table
    content = bytearray(write_hwp5(section + _object("fn  ", INNER, code=17), flags=0))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        document = read(bytes(content))
    except KebabError:
        return
    assert document.blocks or document.provenance.warnings


def test_a_power_is_no_digit_of_the_number_before_it(read):
    flags = (0, 1 << 15)
    shapes = b"".join(record(21, 0, bytes(46) + struct.pack("<I", each) + bytes(22)) for each in flags)
    runs = record(68, 1, struct.pack("<6I", 0, 0, 2, 1, 3, 0))
    content = write_hwp5(
        hwp5_paragraph("106 m", runs), flags=0, streams={("DocInfo",): shapes + hwp5_styles()}
    )
    assert read(content).text.text == "10^6 m\n"
