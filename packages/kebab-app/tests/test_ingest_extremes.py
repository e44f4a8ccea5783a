"""Files that nobody should write but somebody has; `bench/extremes.py` measures large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import SearchQuery, SkipReason

if TYPE_CHECKING:
    from conftest import Base

_EXTREMES = {
    "table": b"| a | b |\n|---|---|\n" + b"| 1 | 2 |\n" * 3_000 + b"| zebra | 2 |\n",
    "headings": b"".join(b"#" * (1 + n % 6) + b" heading %d\n\n" % n for n in range(1_000)) + b"zebra\n",
    "quotes": b"> " * 500 + b"zebra\n",
    "lists": b"".join(b"  " * n + b"- item\n" for n in range(200)) + b"  " * 200 + b"- zebra\n",
    "line of words": b"word " * 100_000 + b"zebra",
    "line of one letter": b"a" * 200_000 + b" zebra",
    "line ends": b"a\r\nb\rc\nd\n\r\n" * 1_000 + b"zebra\r",
    "separators": "줄\u2028끝 line\u2029 ".encode() * 1_000 + b"zebra",
    "combining marks": b"e" + "\u0301\u0316".encode() * 100_000 + b" zebra",
    "surrogates of UTF-16": b"\xff\xfe"
    + "word and ".encode("utf-16-le") * 50
    + b"\x00\xd8"
    + "zebra\n".encode("utf-16-le"),
    "NUL bytes": b"text \0 more\n" * 100 + b"word\n" * 2_000 + b"zebra\n",
    "surrogates in UTF-8": b"text \xed\xa0\x80 and \xed\xb0\x80\n"
    + "우리는 색인을 만든다.\n".encode() * 90
    + b"zebra\n",
    "front matter": b"---\n" + b"key: value\n" * 20_000 + b"---\nzebra\n",
}


@pytest.mark.thorough
@pytest.mark.parametrize("content", _EXTREMES.values(), ids=_EXTREMES.keys())
def test_the_last_word_of_an_extreme_text_is_found_and_a_second_run_leaves_it_alone(
    content: bytes, base: Base
) -> None:
    base.write("a.md", content)
    assert base.ingest().counts == {"scanned": 1, "new": 1}
    (hit,) = base.app.search(SearchQuery(text="zebra")).hits
    assert "zebra" in hit.snippet
    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}


def test_a_file_of_exactly_the_largest_size_is_taken_and_one_byte_more_is_skipped(base: Base) -> None:
    base.configure("ingest", max_file_mb=1)
    base.write("exact.md", b"word\n" + b"\n" * (1024 * 1024 - 5))
    base.write("over.md", b"word\n" + b"\n" * (1024 * 1024 - 4))
    report = base.ingest().report
    assert base.paths() == ["exact.md"]
    assert report.skipped_by_reason == {SkipReason.SIZE_EXCEEDED: 1}
