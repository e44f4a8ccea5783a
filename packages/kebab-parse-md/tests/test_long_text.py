"""A text that is read a few lines at a time comes to what it comes to when it is read whole."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import example, given, strategies as st
from kebab_core import DocumentId, ExtractContext, LongExtractor, UnsupportedMediaError
from kebab_parse import BlockBuilder, TextPieces, decode_text, normalize_text
from kebab_parse_md import MarkdownExtractor, TextExtractor
from kebab_parse_md.blocks import MarkdownBody
from kebab_parse_md.syntax import MarkdownSyntax
from kebab_testing.documents import make_context
from kebab_testing.tables import walk

LINES = [
    *(
        "\n",
        "a\n",
        "한글 `b` #tag\n",
        "# One\n",
        "## Two\n",
        "===\n",
        "---\n",
        "  b\n",
        "    code\n",
        "\tcode\n",
    ),
    *("- item\n", "  - inner\n", "1. one\n", "> quote\n", "> - in quote\n", "```\n", "~~~\n", "| a | b |\n"),
    *(
        "|---|---|\n",
        "[k]: /u\n",
        "[k]:\n",
        "/u\n",
        "'title\n",
        "end'\n",
        "[^n]: note\n",
        "see [k] and [^n]\n",
    ),
    *("<div>\n", "</div>\n", "<!--\n", "-->\n", "<script>\n", "</script>\n", "![a](b.png)\n", "   \n"),
]
texts = st.lists(st.sampled_from(LINES), max_size=30)
sizes = st.integers(min_value=1, max_value=6)
SYNTAX = MarkdownSyntax()


@example(["[k]: /u\n", "'title\n", "end'\n", "see [k]\n"], 2)
@example(["- item\n", "\n", "- item\n", "\n", "a\n"], 2)
@given(texts, sizes)
def test_markdown_in_windows_of_any_size_gives_the_same_blocks_and_tags(lines: list[str], size: int) -> None:
    text = "".join(lines)
    rest = iter(lines)
    pieces = []
    while piece := "".join(islice(rest, size)):
        pieces.append(piece)
    whole, body = (
        MarkdownBody(parts, SYNTAX, BlockBuilder(DocumentId("0" * 32)), has_definitions="]:" in text)
        for parts in ([text], pieces)
    )
    assert tuple(body) == tuple(whole)
    assert body.tags == whole.tags


CONTENTS = [
    b"",
    b"one line",
    b"one line\n",
    "가나다\r\n둘째 줄\r셋째\n\n".encode() * 20,
    b"\xef\xbb\xbfwith a mark\n" * 9,
    "\u1112\u1161\u11ab 한글\n\u0301mark first\n".encode() * 9,
    ("e" + "\u0301\u0316" * 40 + "\n").encode() * 9,
    b"control \x01 and zero \0\n" + b"words of a line\n" * 30,
    "완성형으로 쓴 글\n".encode("cp949") * 9,
    "marked\n한글\n".encode("utf-16") * 1,
    b"text \xed\xa0\x80 and \xed\xb0\x80\n" + b"words of a line\n" * 30,
    "끊\u2028긴 줄 🦓\n".encode() * 9,
]


@walk("content", CONTENTS)
@walk("piece_bytes", [1, 7, 64, 100_000])
def test_pieces_of_a_text_are_whole_lines_and_together_the_text(content: bytes, piece_bytes: int) -> None:
    decoded = decode_text(content)
    pieces = TextPieces(content, piece_bytes)
    assert "".join(pieces) == "".join(pieces) == normalize_text(decoded.text)
    assert pieces.warning == decoded.warning
    assert all(piece.endswith("\n") for piece in list(pieces)[:-1])


@walk("content", [b"\0\1\2" * 100, b"\x89PNG\r\n\x1a\n" + b"\0" * 50, b"\x01\x02 a\n" * 50])
@walk("extractor", [MarkdownExtractor, TextExtractor])
def test_what_is_no_text_is_refused_before_the_first_block(
    extractor: type[MarkdownExtractor | TextExtractor], content: bytes
) -> None:
    with pytest.raises(UnsupportedMediaError):
        extractor().extract_long(make_context(content), content)


MARKDOWN = [
    "",
    "---\ntitle: T\n---\n",
    "---\ntags: [a]\ncreated: nonsense\n---\n\n## Two\n\n# One #b\n",
    "```\ncode\n```\n" * 300 + "## Two\n\n문단이다.\n",
    "문단이다.\n\n" * 2000 + "# One\n",
    "* * *\n\n![a](b)\n",
]


@walk("text", MARKDOWN)
@walk("extractor", [MarkdownExtractor, TextExtractor])
def test_a_document_taken_block_by_block_is_the_document(
    extractor: type[MarkdownExtractor | TextExtractor], text: str
) -> None:
    content = text.encode()
    context: ExtractContext = make_context(content)
    reader = extractor()
    assert isinstance(reader, LongExtractor)
    long = reader.extract_long(context, content)
    assert long.head.blocks == ()
    whole = reader.extract(context, content)
    assert long.head.model_copy(update={"blocks": tuple(long.blocks)}) == whole
