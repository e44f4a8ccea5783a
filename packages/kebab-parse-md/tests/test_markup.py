from __future__ import annotations

import pytest
from kebab_core import CanonicalDocument, TextFormat, TextMedia
from kebab_parse_md import LogExtractor, MarkupExtractor, RecordsExtractor, TextExtractor
from kebab_parse_md.text_extractor import LOG_BYTES
from kebab_testing.documents import make_context
from kebab_testing.tables import walk

EXTRACTORS = [each() for each in (TextExtractor, MarkupExtractor, RecordsExtractor, LogExtractor)]


def read(text: str, name: TextFormat, path: str = "notes/메모.x") -> CanonicalDocument:
    media, content = TextMedia(format=name), text.encode()
    extractor = next(each for each in EXTRACTORS if each.supports(media))
    return extractor.extract(make_context(content, path=path, media_type=media), content)


def headings(document: CanonicalDocument) -> list[tuple[int, str, int, int]]:
    return [
        (block.level, block.text, block.source_span.start, block.source_span.end)
        for block in document.blocks
        if block.kind == "heading"
    ]


@walk(
    ("name", "text", "found"),
    [
        ("org", "* 첫째 :일:\n글\n*** TODO 셋\n*굵게* 글", [(1, "첫째 :일:", 1, 1), (3, "TODO 셋", 3, 3)]),
        ("org", "#+BEGIN_SRC c\n* no\n\n* no\n#+end_src\n* yes", [(1, "yes", 6, 6)]),
        (
            "rst",
            "=====\n책 이름\n=====\n\nPart\n----\ntext\n\n다음\n====\n\nx",
            [(1, "책 이름", 1, 3), (2, "Part", 5, 6), (3, "다음", 9, 10)],
        ),
        ("rst", "a\n\n----\n\nb", []),
        ("rst", "  quoted\n--------\n", []),
        ("rst", "Long title\n--\n", []),
        (
            "asciidoc",
            "= 문서\n\n== One ==\ntext\n\n----\n== no\n----\n",
            [(1, "문서", 1, 1), (2, "One", 3, 3)],
        ),
        (
            "latex",
            "\\section[s]{A \\emph{b} c}\\label{x} % note\ntext\n  \\subsection*{둘}\\label{y}}\n\\part{P}",
            [(2, "A b c", 1, 1), (3, "둘", 3, 3), (1, "P", 4, 4)],
        ),
        (
            "latex",
            "\\begin{frame}[plain]{Tides}\nx\n\\end{frame}\n\\begin{frame}\n\\frametitle{Moon}\n\\end{frame}",
            [(4, "Tides", 1, 1), (4, "Moon", 5, 5)],
        ),
        ("latex", "\\section{One} and text\n\\section{unclosed\n\\sectionx{no}", []),
        ("latex", "\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n\\section{yes}", [(2, "yes", 4, 4)]),
        ("typst", "= Eins\n==zwei\n```\n= no\n```\n== Drei", [(1, "Eins", 1, 1), (2, "Drei", 6, 6)]),
        ("wiki", "== 역사 ==\n글\n<pre>\n== no ==\n</pre>\n===A=B===", [(2, "역사", 1, 1), (3, "A=B", 6, 6)]),
        ("textile", "h1. 하나\n\nh2(#id). Two\nh7. no", [(1, "하나", 1, 1), (2, "Two", 3, 3)]),
    ],
)
def test_headings_of_markup_are_sections_with_their_lines(
    name: TextFormat, text: str, found: list[tuple[int, str, int, int]]
) -> None:
    assert headings(read(text, name)) == found


def test_text_of_markup_stands_below_its_headings_as_it_is() -> None:
    document = read("서문\n== 하나 ==\n'''굵게'''\n둘\n\n셋", "wiki")
    assert [(block.heading_path, getattr(block, "text", ""), block.source_span.start) for block in document.blocks] == [
        ((), "서문", 1), (("하나",), "하나", 2), (("하나",), "'''굵게'''\n둘", 3), (("하나",), "셋", 6),
    ]  # fmt: skip


@walk(
    ("name", "text", "title"),
    [
        ("org", "# 말\n#+title: 오그\n* Heading\n", "오그"),
        ("latex", "\\documentclass{a}\n\\title[t]{큰 \\\\ \\emph{제목}}\n", "큰 제목"),
        ("latex", "\\documentclass{article}\n% \\title{no}\n", "메모"),
        ("typst", '#set document(author: "a", title: "타입")\n', "타입"),
        ("diagram", "---\ntitle: 흐름\n---\ngraph TD\n", "흐름"),
        ("asciidoc", "= 문서 이름\n:author: x\n\n== 하나\n", "문서 이름"),
        ("records", '{"a": 1}\n', "메모"),
        ("log", "start\n", "메모"),
    ],
)
def test_title_is_what_the_text_states(name: TextFormat, text: str, title: str) -> None:
    assert read(text, name).title == title


@pytest.mark.parametrize("encoding", ["utf-8", "cp949"])
def test_of_a_long_log_the_newest_part_is_read_with_a_warning(encoding: str) -> None:
    lines = [f"{number} 처리 완료" for number in range(1, 20_001)]
    media, content = TextMedia(format="log"), "\n".join(lines).encode(encoding)
    document = EXTRACTORS[-1].extract(make_context(content, path="a.log", media_type=media), content)
    first, last = document.blocks[0], document.blocks[-1]
    assert first.kind == last.kind == "paragraph"
    assert lines[first.source_span.start - 1] == first.text.partition("\n")[0]
    assert (last.source_span.end, last.text.rpartition("\n")[2]) == (20_000, lines[-1])
    assert sum(len(getattr(block, "text", "").encode(encoding)) for block in document.blocks) <= LOG_BYTES
    warning = f"only the newest 256 KB of this log are read, from line {first.source_span.start}"
    assert warning in document.provenance.warnings


def test_a_short_log_is_read_whole_in_blocks_of_some_lines() -> None:
    document = read("\n".join(map(str, range(100))), "log")
    assert [(block.source_span.start, block.source_span.end) for block in document.blocks] == [
        (1, 40),
        (41, 80),
        (81, 100),
    ]
    assert document.provenance.warnings == ()
