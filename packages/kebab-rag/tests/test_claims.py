"""Claims of an answer lead to the lines that hold them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given, strategies as st
from kebab_core import AnswerCitation, AnswerMarker, Citation, LineCitation, SearchHit, WorkspacePath
from kebab_rag.claims import (
    CitedLine,
    CitedPassage,
    CitedQuotes,
    PassageReader,
    cite_claim,
    split_claims,
)
from kebab_rag.quoted_words import find_lines, find_places, find_words
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.tables import walk


@walk(
    ("text", "claims"),
    [
        ("하나. ⟦1⟧ 둘. ⟦2⟧", [("하나.", ["[1]"]), ("둘.", ["[2]"])]),
        ("하나. ⟦1⟧⟦2⟧ ⟦1⟧", [("하나.", ["[1]", "[2]"])]),
        ("하나 `v[1]` 둘. ⟦1⟧", [("하나 `v[1]` 둘.", ["[1]"])]),
        ("각주 [1] ⟦1⟧ 또 [2][1] ⟦2⟧", [("각주 [1]", ["[1]"]), ("또 [2][1]", ["[2]"])]),
        ("하나. ⟦1⟧\n나머지", [("하나.", ["[1]"]), ("나머지", [])]),
        ("표시 없음", [("표시 없음", [])]),
        ("", []),
    ],
)
def test_text_is_split_behind_the_markers_that_are_meant(
    text: str, claims: list[tuple[str, list[str]]]
) -> None:
    shown = text.replace("⟦", "[").replace("⟧", "]")
    markers = [
        AnswerMarker(number=int(match[1]), start=match.start(), end=match.end())
        for match in re.finditer(r"⟦(\d)⟧", text)
    ]
    assert split_claims(shown, markers) == claims


@walk(
    ("claim", "lines"),
    [
        ("둘째 문장이다.", (1, 1)),
        ("둘째 문장이다. 셋째도 있다.", (1, 2)),
        ("kebab ingest를 쓴다", (3, 3)),
        ("- 목록이다.\n\ncode = 1\n끝", (4, 8)),
        ("표시 [1]은 링크다", (9, 9)),
        ("표시 [1]은 링크 (a)다", (9, 9)),
        ("여기 (https://a.b/c)와 글 (쪽) 그림", (10, 10)),
        ("여기와 글 그림", (10, 10)),
        ("[여기](https://a.b/c)와 [[쪽|글]]", (10, 10)),
        ("여기 (https://a.b/d)", None),
        ("없는 말", None),
        ("", None),
    ],
)
def test_a_claim_is_found_in_the_fewest_lines_that_hold_it(claim: str, lines: tuple[int, int] | None) -> None:
    source = ["# 제목", "첫째. 둘째 문장이다.", "셋째도 있다.", "**`kebab ingest`**를 쓴다"]
    source += ["* 목록이다.", "", "```py", "code = 1", "끝", "표시 [1]은 [링크](a.md)다"]
    source += ['여기를 [여기](https://a.b/c "말")와 [[쪽|글]] ![그림](https://a.b/c.png) 끝']
    assert find_lines(claim, source) == lines


@given(
    lines=st.lists(st.text("가나ab ", min_size=1, max_size=6), min_size=1, max_size=6),
    data=st.data(),
)
def test_lines_that_are_found_hold_the_claim_and_no_fewer_do(lines: list[str], data: st.DataObject) -> None:
    whole = "\n".join(lines)
    start = data.draw(st.integers(0, len(whole)))
    claim = whole[start : data.draw(st.integers(start, len(whole)))]
    found = find_lines(claim, lines)
    folded = "".join(claim.split())
    if not folded:
        assert found is None
        return
    assert found is not None
    first, last = found
    assert folded in "".join("".join(lines[first : last + 1]).split())
    if last > first:
        assert folded not in "".join("".join(lines[first + 1 : last + 1]).split())
        assert folded not in "".join("".join(lines[first:last]).split())


@walk(
    ("claim", "line"),
    [
        ("상태 엔진HATEOAS는 모델이다", "상태 엔진<sup>HATEOAS</sup>는 모델이다"),
        ("콘텐츠를 접어요.", "콘텐츠를 [[접기|접어요]]."),
        ("접기를 본다", "[[접기]]를 본다"),
        ("2024-06 Background", "- 2024-06 [Background](https://example.com/a.html )"),
        ("RFC 1925 (https://example.org/rfc1925.html)", "[RFC 1925]( https://example.org/rfc1925.html )"),
        ("인용한 말", "> 인용한 말"),
        ("It's R&D", "It&#39;s R&amp;D"),
        ("dep | link", "| [dep][_dep] | [link][_dep_L] |"),
        (
            "rfc1925 (https://example.org/rfc1925.html) The truths",
            "[rfc1925]: <https://example.org/rfc1925.html> The truths",
        ),
        ("Info: 등급 업그레이드", "> [!info] 등급 업그레이드"),
        ("Warning: *Keep* a copy", "> > [!warning]- Keep a copy"),
        ("Notes on dates", "> [!note] Notes on dates"),
        ("Tip", "> [!tip]"),
    ],
)
def test_a_claim_is_found_behind_the_markup_of_its_line(claim: str, line: str) -> None:
    assert find_lines(claim, ["앞", line, "뒤"]) == (1, 1)


@walk(
    ("claim", "lines"),
    [
        ('그림: <img src="a.png" alt="첫 그림"\n  title="b"> 둘째.', (1, 2)),
        ('<img src="a.png" alt="첫 그림"\n  title="b"> 둘째.', (1, 2)),
        ("<https://a.invalid>\n<b@c.invalid> 끝", (3, 4)),
        ("https://a.invalid (b@c.invalid) 끝", None),
        ("https://a.invalid b@c.invalid 끝", (3, 4)),
    ],
)
def test_a_claim_in_markup_that_was_not_parsed_is_found_with_all_its_lines(
    claim: str, lines: tuple[int, int] | None
) -> None:
    source = ["앞", '그림: <img src="a.png" alt="첫 그림"', '  title="b"> 둘째.']
    source += ["<https://a.invalid>", "<b@c.invalid> 끝"]
    assert find_lines(claim, source) == lines


def test_item_is_found_whatever_number_the_file_gives_it_and_a_date_is_not() -> None:
    lines = ["1. Open the lid.", "", "1. Turn the key.", "", "2024. 3. 2. opened"]
    assert find_lines("2. Turn the key.", lines) == (2, 2)
    assert find_lines("1. Open the lid.\n2. Turn the key.", lines) == (0, 2)
    assert find_lines("2023. 3. 2. opened", lines) is None
    assert find_lines("2024. 5. 2. opened", lines) is None


def test_item_with_its_own_number_is_found_before_one_with_another() -> None:
    assert find_lines("2. again", ["1. again", "2. again"]) == (1, 1)


def test_a_claim_over_lines_of_a_quotation_is_found() -> None:
    assert find_lines("첫째 줄\n\n셋째 줄", ["> 첫째 줄", ">", "> 셋째 줄"]) == (0, 2)


SOURCE = [
    "# 규칙",
    "첫 문단이다.",
    "",
    "<!-- 숨은 말 -->",
    "둘째 문단이다.",
    "| 이름 | 값 |",
    "| --- | --- |",
]
SOURCE += ["| 하나 | 1 |", "| 둘 | 2 |"]


@walk(
    ("claim", "places"),
    [
        ("첫 문단이다.", [(1, 1)]),
        ("첫 문단이다.\n\n둘째 문단이다.", [(1, 1), (4, 4)]),
        ("첫 문단이다.\n \n둘째 문단이다.\n\n지어낸 말", [(1, 1), (4, 4), None]),
        ("| 이름 | 값 |\n| 둘 | 2 |", [(5, 5), (8, 8)]),
        ("둘째 문단이다.\n| 이름 | 값 |", [(4, 5)]),
        ("지어낸 말", [None]),
    ],
)
def test_each_run_of_a_claim_has_a_place_of_its_own(claim: str, places: list[tuple[int, int] | None]) -> None:
    assert find_places(claim, SOURCE) == places


class _Table(PassageReader):
    """Reads rows of a table whose first line is the header that their passage repeats."""

    def __init__(self) -> None:
        pass

    def read(self, citation: Citation, hits: Sequence[SearchHit]) -> CitedPassage:
        rows = [CitedLine(8, 8, "| 하나 | 1 |"), CitedLine(9, 9, "| *&vert* | 2 |")]
        return CitedPassage(rows, [CitedLine(3, 3, "| 이름 | 값 |")], "이름 | 값")


def test_a_header_is_cited_where_a_row_below_it_looks_otherwise_in_the_file() -> None:
    citation = LineCitation(path=WorkspacePath("a.md"), start=8, end=9)
    cited = AnswerCitation(marker="[1]", citation=citation, indexed_at=FixedClock().now(), stale=False)
    text = "이름 | 값\n하나 | 1\n\u2223 | 2"
    claim = cite_claim(text, [(cited, CitedQuotes(1, (text,)))], [], _Table(), is_quote=True)
    found = [source.citation for source in claim.sources]
    assert [(each.start, each.end) for each in found if isinstance(each, LineCitation)] == [(3, 3), (8, 9)]


class _OneLine(PassageReader):
    """Reads a file that is one long line."""

    def __init__(self) -> None:
        pass

    def read(self, citation: Citation, hits: Sequence[SearchHit]) -> CitedPassage:
        filler = "words that say nothing. " * 10_000
        return CitedPassage([CitedLine(1, 1, f"{filler}The **lease** ends in May. {filler}")])


def test_of_a_file_that_is_one_line_the_quote_is_the_sentence() -> None:
    citation = LineCitation(path=WorkspacePath("a.md"), start=1, end=1)
    cited = AnswerCitation(marker="[1]", citation=citation, indexed_at=FixedClock().now(), stale=False)
    text = "The lease ends in May."
    claim = cite_claim(text, [(cited, CitedQuotes(1, (text,)))], [], _OneLine(), is_quote=True)
    assert [source.quote for source in claim.sources] == ["The **lease** ends in May."]


NOTE = [
    "# 백업",
    "- The **whole server** is [backed](x.md) up every `Sunday`.",
    "1. one &amp; two",
    "",
    "> second <b>line</b> of it",
    "| item | 30 |",
]


@walk(
    ("text", "words"),
    [
        (
            "The whole server is backed up every Sunday.",
            ["The **whole server** is [backed](x.md) up every `Sunday`."],
        ),
        ("is backed (x.md) up", []),
        ("server is backed up", ["server** is [backed](x.md) up"]),
        ("one & two\n\nsecond line", ["one &amp; two", "second <b>line"]),
        ("backed up every Sunday.\n1. one & two", ["backed](x.md) up every `Sunday`.", "1. one &amp; two"]),
        ("item | 30", ["item | 30"]),
        ("백업\n\nnot there", ["백업"]),
    ],
)
def test_the_words_of_a_quote_are_found_in_the_lines_to_the_letter(*, text: str, words: list[str]) -> None:
    assert [NOTE[at][start:end] for at, start, end in find_words(text, NOTE)] == words
