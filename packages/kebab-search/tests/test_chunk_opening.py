"""Snippets begin where a chunk's own words do."""

from __future__ import annotations

from kebab_search.snippets import body_start
from kebab_testing.tables import walk


@walk(
    ("text", "headings", "shown"),
    [
        ("규칙\n\n청크는 제목에서 나눈다.", ("문서", "규칙"), "청크는 제목에서 나눈다."),
        ("A\n\nB\n\nbody", ("A", "B"), "body"),
        ("body without heading", ("A",), "body without heading"),
        ("A", ("A",), "A"),
        ("", (), ""),
        ("A and more\n\nbody", ("A",), "A and more\n\nbody"),
        ("## A\nbody", ("A",), "body"),
    ],
)
def test_leading_headings_are_left_out_unless_there_is_nothing_else(
    text: str, headings: tuple[str, ...], shown: str
) -> None:
    assert text[body_start(text, headings) :] == shown
