from __future__ import annotations

import re

from hypothesis import given, strategies as st
from kebab_core import LineSpan
from kebab_testing.tables import walk

MARKUP = st.text(
    st.sampled_from("가나ab1 \t\n\n\r#*_`~-+>|[]()!<>&:;.=\\/\"'^{}$%@,\u2028\x0b\x0c\x85\u1100\u1161")
)
WORDS = st.sampled_from(("가", "낱말", "word", "*강조*", "`코드`", "**b**", "x_y", "1", "끝."))
MARKERS = st.sampled_from((
    "",
    "",
    "# ",
    "### ",
    "- ",
    "  - ",
    "1. ",
    "> ",
    "> > ",
    "    ",
    "| ",
    "***",
    "```",
    "\t",
))
LINES = st.tuples(MARKERS, st.lists(WORDS, max_size=4)).map(lambda parts: parts[0] + " ".join(parts[1]))
BODIES = st.lists(LINES, max_size=25).map("\n".join)


@given(MARKUP)
def test_any_text_is_read_and_spans_stay_inside_it(read, text):
    document = read(text)
    lines = re.split(r"\r\n|\n|\r", text)
    spans = [block.source_span for block in document.blocks]
    assert all(isinstance(span, LineSpan) and span.end <= len(lines) for span in spans)
    assert [span.start for span in spans] == sorted(span.start for span in spans)
    assert read(text) == document


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t\r")))
def test_any_unicode_is_read(read, text):
    assert read(text).title


def test_zero_characters_become_visible_replacements(outline):
    assert outline("a\0b") == [(1, 1, "paragraph", "a\ufffdb")]


def test_control_characters_become_visible_replacements(outline):
    text = "word " * 200
    assert outline(f"{text}\x1b[31mred\x1b!\x07\x9b\n") == [
        (1, 1, "paragraph", f"{text}red\ufffd!\ufffd\ufffd")
    ]


@given(BODIES)
def test_every_line_with_words_lies_in_a_block(read, body):
    covered: set[int] = set()
    for block in read(body).blocks:
        covered.update(range(block.source_span.start, block.source_span.end + 1))
    for number, line in enumerate(body.split("\n"), start=1):
        is_structure = "```" in line or not any(char.isalnum() for char in line)
        assert number in covered or is_structure or _is_number_alone(line), (number, line)


def _is_number_alone(line: str) -> bool:
    """A marker of an item without content shows nothing."""
    return re.fullmatch(r"[\s>]*(?:1\.[\s>]*)+", line) is not None


@given(BODIES)
def test_no_word_is_lost(read, text_of, body):
    text = " ".join(text_of(block) for block in read(body).blocks)
    for word in ("가", "낱말", "word", "강조", "코드", "끝"):
        # What stands behind the marks of a fence is its language, not its text.
        visible = [line for line in body.split("\n") if "```" not in line]
        assert text.count(word) >= sum(line.count(word) for line in visible)


PATHOLOGICAL = {
    "brackets": "[" * 20_000,
    "links": "[" * 2_000 + "a" + "](b)" * 2_000,
    "quotes": "> " * 500 + "끝",
    "quotes on many lines": ("> " * 200 + "끝\n") * 100,
    "headings": "# h\n" * 10_000,
    "one line": "가나다 abc *x* `y` " * 300_000,
    "one word": "a" * 5_000_000,
    "stars": "*a **b " * 20_000,
    "backticks": "".join("`" * (n % 200) + "a" for n in range(3_000)),
    "comments": "<!--" * 20_000,
    "pictures in tags": '<img alt="" ' * 50_000,
    "nested list": "".join("  " * n + "- 끝\n" for n in range(300)),
    "dashes": "- " * 3_000 + "끝",
    "definitions": "".join(f"[r{n}]: http://x/{n}\n" for n in range(5_000)),
    "wide table": "\n".join("|".join([cell] * 3_000) for cell in ("a", "-", "b")),
    "long table": "a|b\n-|-\n" + "1|2\n" * 10_000,
    "entities": "&amp;" * 30_000,
    "wikilinks": "[[" * 30_000,
    "embedded picture": "![그림](data:image/png;base64," + "A" * 3_000_000 + ")",
    "strikes": "~~a " * 20_000,
    "marks on a letter": "e" + "\u0301\u0316" * 300_000 + "끝",
}
WITHOUT_WORDS = (PATHOLOGICAL["comments"],)


@walk("text", PATHOLOGICAL.values())
def test_hostile_text_is_read_to_its_end(read, text_of, text):
    blocks = read(text).blocks
    assert bool(blocks) == (text not in WITHOUT_WORDS)
    if "끝" in text:
        assert sum(text_of(block).count("끝") for block in blocks) == text.count("끝")


def test_marks_on_a_letter_stay_in_their_order_when_there_are_as_many_as_languages_have(read, text_of):
    (block,) = read("q" + "\u0316" * 15 + "\u0301" * 15).blocks
    assert text_of(block) == "q" + "\u0316" * 15 + "\u0301" * 15 + "\u034f"


def test_picture_written_into_a_long_line_leaves_no_data_in_the_text(read, text_of):
    (block,) = read("글 ![그림](data:image/png;base64," + "A" * 3_000_000 + ") 끝").blocks
    assert len(text_of(block)) < 100
