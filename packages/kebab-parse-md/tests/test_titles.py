from __future__ import annotations

import pytest
from kebab_core import shorten

LONG = "낱말 " * 40


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 앞\n---\n# 하나\n", "앞"),
        ("본문\n\n## 둘\n\n# 하나\n", "하나"),
        ("본문\n\n### 셋\n\n## 둘\n", "둘"),
        ("### 셋\n\n첫 *문단*\n둘째 줄\n", "첫 문단 둘째 줄"),
        ("```\ncode\n```\n", "sample"),
        ("", "sample"),
        (LONG, ("낱말 " * 27).strip()),
    ],
)
def test_title_is_the_first_of_its_sources(read, text, title):
    assert read(text).title == title


def test_title_of_a_file_without_words_is_its_stem(read):
    assert read("", path="폴더/회의록 2024.01.md").title == "회의록 2024.01"


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("짧다", 80, "짧다"),
        ("one two three", 8, "one two"),
        ("a" * 100, 80, "a" * 80),
        ("aaa\u0301\u0302b", 4, "aa"),
        ("👩\u200d👩\u200d👧x", 2, "👩"),
        ("\u0301\u0301\u0301", 2, "\u0301"),
    ],
)
def test_shortening_cuts_at_a_word_or_between_characters(text, limit, expected):
    assert shorten(text, limit) == expected
