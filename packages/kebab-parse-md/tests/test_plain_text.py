from __future__ import annotations

from kebab_core import CanonicalDocument, SourceType, TextMedia
from kebab_parse_md import TextExtractor
from kebab_testing.documents import make_context
from kebab_testing.tables import walk


def read_text(text: str, path: str = "notes/메모.txt") -> CanonicalDocument:
    content = text.encode()
    context = make_context(content, path=path, media_type=TextMedia())
    return TextExtractor().extract(context, content)


def test_paragraphs_are_runs_of_lines_that_are_not_blank():
    document = read_text("\n하나 \n  둘\n \t\n\n# 셋\r\n넷")
    assert [
        (block.kind, block.source_span.start, block.source_span.end, getattr(block, "text", ""))
        for block in document.blocks
    ] == [("paragraph", 2, 3, "하나\n  둘"), ("paragraph", 6, 7, "# 셋\n넷")]
    assert document.metadata.source_type is SourceType.NOTE
    assert document.lang == "ko"


def test_very_long_paragraph_stays_one_block():
    assert len(read_text("낱말 " * 50_000).blocks) == 1


@walk(
    ("text", "title"),
    [
        ("첫 줄\n둘째\n", "첫 줄"),
        ("=====\nRst Title\n=====\n\nx", "Rst Title"),
        ("#+TITLE: 오그\n* Heading\n", "오그"),
        ("* 별표\n", "별표"),
        ("긴 " * 50, "메모"),
        ("\n\n", "메모"),
        ("---\n", "메모"),
    ],
)
def test_title_is_a_short_first_line_or_the_stem(text, title):
    assert read_text(text).title == title


def test_file_without_text_has_a_warning():
    document = read_text(" \n")
    assert document.blocks == ()
    assert document.provenance.warnings == ("the document has no text",)


def test_front_matter_means_nothing_in_plain_text():
    assert read_text("---\ntitle: x\n---\n").metadata.user == {}


def test_the_day_in_the_name_of_a_text_is_its_date():
    assert f"{read_text('글', '회의록 2025.05.03.txt').metadata.updated_at:%F}" == "2025-05-03"
