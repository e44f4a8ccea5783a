"""The text that stands for a passage, and its hash."""

from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_core import EmbeddingKind, passage_text, text_hash_of
from kebab_testing.tables import walk


@walk(
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


@given(st.lists(st.text(max_size=12), min_size=2, max_size=2))
def test_texts_have_equal_hashes_if_they_are_equal(texts: list[str]) -> None:
    first, second = map(text_hash_of, texts)
    assert (first == second) == (texts[0] == texts[1])
    assert {len(first), len(second)} == {16}


def test_hashes_are_those_of_stored_vectors() -> None:
    assert text_hash_of("Title\nBody.").hex() == "00ce7207df670e49e5c165a4badaca9c"
    assert text_hash_of("Title\nBody.", EmbeddingKind.QUERY) != text_hash_of("Title\nBody.")
