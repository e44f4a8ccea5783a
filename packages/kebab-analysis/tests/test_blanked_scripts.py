"""Scripts written without spaces, blanked so that what stands between them can be read as words."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st
from kebab_analysis.latin_words import blank_unspaced
from kebab_testing.tables import walk
from kebab_text import HAN, HANGUL, KANA


@walk(
    ("text", "blanked"),
    [
        ("plain, v1.2", "plain, v1.2"),
        ("API를 漢字とcafé", "API     café"),
        ("가\U00020000b", "  b"),
    ],
)
def test_hangul_han_and_kana_become_as_many_blanks(text: str, blanked: str) -> None:
    assert blank_unspaced(text) == blanked


@given(st.text(alphabet=st.sampled_from("aé1_-. 가ㄱ漢々ひカｱ\U0002f800")))
def test_nothing_moves_and_nothing_else_changes(text: str) -> None:
    unspaced = re.compile(f"[{HANGUL}{HAN}{KANA}]")
    assert blank_unspaced(text) == unspaced.sub(" ", text)
