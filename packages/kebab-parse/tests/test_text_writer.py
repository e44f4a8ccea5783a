"""The text of a document and the lines of its blocks say the same."""

from __future__ import annotations

import unicodedata

from hypothesis import given, strategies as st
from kebab_core import DocumentId, LineSpan, ListBlock, TableBlock
from kebab_parse import Item, TextWriter

DOC = DocumentId("0" * 32)
TEXTS = st.text(st.sampled_from("가나 ab|#-\n\r\x00\u2028\u0301e"), max_size=30)
ITEMS = st.lists(st.builds(Item, TEXTS, st.integers(0, 2), st.sampled_from(["", "1.", "가)"])), max_size=4)
CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("heading"), st.integers(0, 8), TEXTS),
        st.tuples(st.just("paragraph"), TEXTS),
        st.tuples(st.just("quote"), TEXTS),
        st.tuples(st.just("code"), TEXTS, st.sampled_from([None, "sql"])),
        st.tuples(st.just("items"), ITEMS),
        st.tuples(
            st.just("table"), st.lists(TEXTS, max_size=3), st.lists(st.lists(TEXTS, max_size=3), max_size=3)
        ),
    ),
    max_size=8,
)


def _write(calls: list[tuple[object, ...]]) -> tuple[TextWriter, list[str]]:
    writer = TextWriter(DOC)
    for name, *arguments in calls:
        getattr(writer, str(name))(*arguments)
    return writer, writer.finish().text.split("\n")


@given(CALLS)
def test_blocks_cover_the_lines_of_the_text_in_order_once(calls: list[tuple[object, ...]]) -> None:
    writer, lines = _write(calls)
    end = 0
    for block in writer.blocks:
        span = block.source_span
        assert isinstance(span, LineSpan)
        assert end < span.start <= span.end < len(lines)
        assert "".join(lines[end : span.start - 1]) == ""
        assert any(line.strip() for line in lines[span.start - 1 : span.end])
        end = span.end
    assert "".join(lines[end:]) == ""
    assert len({block.block_id for block in writer.blocks}) == len(writer.blocks)


@given(CALLS)
def test_text_is_normal_and_has_no_control_characters(calls: list[tuple[object, ...]]) -> None:
    text = _write(calls)[0].finish().text
    assert text == unicodedata.normalize("NFC", text)
    assert not set(text) & set("\x00\r\u2028")


def test_blocks_are_written_as_markdown() -> None:
    writer, lines = _write([
        ("heading", 1, "예산\n2026"),
        ("paragraph", "첫 줄  \n\n둘째 줄"),
        ("items", [Item("하나"), Item("둘\n계속", level=1)]),
        ("items", [Item("첫째", number="가.")]),
        ("table", ["항목", "금액"], [["회의", "30,000"], ["", ""], ["간식"]]),
    ])
    assert "\n".join(lines) == (
        "# 예산 2026\n\n첫 줄\n둘째 줄\n\n- 하나\n  - 둘\n    계속\n\n가. 첫째\n\n"
        "| 항목 | 금액 |\n| --- | --- |\n| 회의 | 30,000 |\n| 간식 |  |\n"
    )
    assert [block.heading_path for block in writer.blocks] == [("예산 2026",)] * 5
    bullets, numbered, table = writer.blocks[2:]
    assert isinstance(bullets, ListBlock)
    assert isinstance(numbered, ListBlock)
    assert isinstance(table, TableBlock)
    assert [item.text for item in bullets.items] == ["하나", "  - 둘\n    계속"]
    assert (numbered.ordered, numbered.items[0].text) == (True, "가. 첫째")
    assert table.rows == (("회의", "30,000"), ("간식", ""))


def test_marks_of_line_breaks_do_not_hide_words() -> None:
    writer = TextWriter(DOC)
    writer.paragraph("소프트\u00ad하이픈 A\u200b17")
    assert writer.finish().text == "소프트하이픈 A17\n"
