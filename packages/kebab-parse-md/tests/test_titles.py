from __future__ import annotations

from kebab_core import shorten
from kebab_testing.tables import walk


@walk(
    ("text", "title"),
    [
        ("---\ntitle: 앞\n---\n# 하나\n", "앞"),
        ("# *하나*\n\n## 둘\n", "하나"),
        ("![배지](a.png)\n\n* TOC\n{:toc}\n\n# 하나\n", "하나"),
        ("[r]: a.md\n\n[English](en.md) · [![b](b.svg)](c)\n\n# 하나\n", "하나"),
        ("---\ntags: [a]\nsummary: 두 낱말\n---\n# 하나\n", "하나"),
        ("# 하나\n\n# 둘\n", "sample"),
        ("본문\n\n# 하나\n", "sample"),
        ("## 둘\n\n# 하나\n", "sample"),
        ("## 둘\n\n본문\n", "sample"),
        ("첫 *문단*\n둘째 줄\n", "sample"),
        ("```\ncode\n```\n", "sample"),
        ("", "sample"),
    ],
)
def test_title_is_that_of_front_matter_or_a_single_leading_heading_or_the_stem(read, text, title):
    assert read(text).title == title


def test_a_stem_is_shown_as_it_is(read):
    assert read("글\n", path="폴더/회의록_2024.01 (초안).md").title == "회의록_2024.01 (초안)"


@walk(
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
