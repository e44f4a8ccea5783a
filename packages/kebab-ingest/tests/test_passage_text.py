"""What a model is told of a passage."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from kebab_ingest import passage_text


@pytest.mark.parametrize(
    ("title", "headings", "text", "told"),
    [
        ("Title", ("Part", "Section"), "Body.", "Title\nPart\nSection\nBody."),
        ("Title", ("Title", "Section"), "Body.", "Title\nSection\nBody."),
        ("Title", ("Section",), "## Section\n\nBody.", "Title\n## Section\n\nBody."),
        (
            "Title",
            ("Part", "Section"),
            "# Title\n## Part\nBody.\n### Section",
            "Section\n# Title\n## Part\nBody.\n### Section",
        ),
        ("제목", ("큰  제목",), "# 큰 제목\n본문", "제목\n# 큰 제목\n본문"),
        ("Title", (), "", "Title\n"),
        ("Title", (), "Title", "Title"),
    ],
)
def test_headings_stand_above_the_text_unless_it_shows_them(
    title: str, headings: tuple[str, ...], text: str, told: str
) -> None:
    assert passage_text(title=title, heading_path=headings, text=text) == told


@given(st.text(max_size=40), st.lists(st.text(max_size=20), max_size=4), st.text(max_size=80))
def test_the_text_itself_is_always_told_whole(title: str, headings: list[str], text: str) -> None:
    told = passage_text(title=title, heading_path=headings, text=text)
    assert told.endswith(text)
    assert told == passage_text(title=title, heading_path=headings, text=text)
