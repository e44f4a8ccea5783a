import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st
from kebab_testing.families import examples
from kebab_testing.tables import walk
from kebab_text import Sentence, SentenceKind, split_sentences

_PIECES = [
    "색인은 매일 만든다.", "언제 하나요?", "Dr. Kim left.", "He said \"no.\" Then", "- item", "1. one", "a | b", "c | d", "```", "def f(x):",
    "    return x", "# Heading", "3.14", "U.S.", "…", "...", "[1]", "(a. b)", "\n", "\n\n", "\r\n", "\t", " ", "e\u0301", "👨\u200d👩\u200d👧", "🇰🇷",
    "\u1112\u1161\u11ab", "http://a.b/c?d", "。", "\u3000", "\x0b", "|", "\u0301",
]  # fmt: skip
_written = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=6)), max_size=25)
any_text = st.one_of(_written.map(" ".join), _written.map("".join))


def cut(text: str, *labels: str) -> list[str]:
    return [text[part.start : part.end] for part in split_sentences(text, labels=labels)]


def kinds(text: str, *labels: str) -> list[SentenceKind]:
    return [part.kind for part in split_sentences(text, labels=labels)]


@pytest.mark.thorough
@settings(deadline=None, max_examples=examples(400))
@given(any_text, st.booleans())
def test_sentences_cover_everything_but_white_space_in_order(text: str, is_code: bool) -> None:
    parts = split_sentences(text, is_code=is_code)
    assert all(part.start < part.end for part in parts)
    assert all(first.end <= second.start for first, second in pairwise(parts))
    edges = [0, *(edge for part in parts for edge in (part.start, part.end)), len(text)]
    assert not any(text[low:high].strip() for low, high in zip(edges[::2], edges[1::2], strict=True))


@pytest.mark.thorough
@settings(deadline=None, max_examples=examples(400))
@given(any_text)
def test_no_sentence_begins_inside_what_readers_see_as_one_character(text: str) -> None:
    for part in split_sentences(text):
        for edge in (part.start, part.end):
            if 0 < edge < len(text):
                assert not unicodedata.category(text[edge]).startswith("M")
                assert "\u200d" not in text[edge - 1 : edge + 1]


@walk(
    "lines",
    [
        "--------------- 2026년 2월 7일 토요일 ---------------\n[엄마] [오전 9:12] 설에 몇 시에 오니\n[나] [오전 9:20] 14일 11시쯤 도착해요",
        "07/02/26, 21:14 - Mia: when do we leave tomorrow\n07/02/26, 21:15 - Tom: at nine",
        "[21:14] Mia: when do we leave tomorrow\n[21:15] Tom: at nine, from the station in the old town",
        "From: Paula Brandt <paula@example.org>\nTo: kim@example.org\nDate: Mon, 12 Jan 2026 01:00:00",
        "Owner: Hannah Becker\nDate of the launch: 2026-04-14",
        "**담당**: 김도윤 책임\n**시행**: 2025-01-01",
        "서우： Start에서 전화를 빼자\n동재： 설치비를 없애면 출장비를",
    ],
)
def test_messages_of_a_chat_and_fields_are_a_sentence_each(lines: str) -> None:
    assert cut(lines) == lines.split("\n")


def test_line_that_begins_with_a_day_goes_on_where_no_other_line_does() -> None:
    text = (
        "The move to the new office was put off from the third of May until\n2026-02-07 because of the lease."
    )
    assert cut(text) == [text]


def test_line_that_begins_like_a_field_goes_on_where_no_other_line_does() -> None:
    text = "The lease of the new office has two conditions that we have not met so far, and\none of them: no noise after ten."
    assert cut(text) == [text]


def test_flags_jamo_and_joined_emoji_stay_whole_where_a_text_must_be_cut() -> None:
    for character in ("🇰🇷", "👨\u200d👩\u200d👧", "\u1112\u1161\u11ab", "e\u0301", "👍🏽"):
        assert all(len(part) % len(character) == 0 for part in cut(character * 700))


@walk("unit", [".", '?"', ". ", "(", '"', "\n", "a\n", "```\n", "| ", "1. ", "a = b\n", " ", "\u0301", "A. "])
def test_page_of_one_sign_is_cut_as_fast_as_any(unit: str) -> None:
    # with backtracking over runs it would take hours
    parts = split_sentences("x" + unit * 20_000 + "x")
    assert parts[0].start == 0


def test_text_without_white_space_is_cut_all_the_same() -> None:
    assert max(map(len, cut("가" * 5000))) <= 600
    assert max(map(len, cut("word " * 1000))) <= 600


@walk(
    "sentence",
    [
        "Dr. Kim and Mrs. Lee met J. Smith in the U.S. in 1998.",
        "It is No. 5 of 3.14, see Fig. 3 and Sec. 4.",
        "Use v1.2.3 of Node.js, e.g. from https://nodejs.org/dist/v1.2.3/a.tgz today",
        "Write to kim@example.co.kr or open README.md now.",
        'He said "I came. I saw. I left." and was gone.',
        "The company (founded by A. B. Kim. Now closed.) made cars.",
        "Well... maybe it was so.",
        "They came from the Washington, D.C. area.",
        "2019. 3. 2. 에 시작해 3.14 초가 걸렸다.",
        "그는 “그만하자. 이제 됐다.”라고 말했다.",
        "제3장(2. 설치 참고. 그림 1.)을 먼저 읽는다.",
        "음... 그게 맞는지 모르겠다.",
        "설정은 kebab.toml 파일의 search.default_k 값이다.",
        "It was, incl. tax and approx. 5 km. of road, cheap.",
    ],
)
def test_sentence_with_stops_inside_stays_whole(sentence: str) -> None:
    assert cut(sentence) == [sentence]


@walk(
    ("text", "sentences"),
    [
        ("First one. Second one! Third one? Yes.", ["First one.", "Second one!", "Third one?", "Yes."]),
        ("It was made in the U.S. The rest came later.", ["It was made in the U.S.", "The rest came later."]),
        ("They sell apples, etc. He bought two.", ["They sell apples, etc.", "He bought two."]),
        ("It grew.[1] Then it fell.[2][3] It rose.", ["It grew.[1]", "Then it fell.[2][3]", "It rose."]),
        ("It is done. kebab reads it.", ["It is done.", "kebab reads it."]),
        ('He asked "why?" She left.', ['He asked "why?"', "She left."]),
        ("색인을 만든다. 그 뒤에 찾는다.", ["색인을 만든다.", "그 뒤에 찾는다."]),
        ("색인을 만든다.그 뒤에 찾는다.", ["색인을 만든다.", "그 뒤에 찾는다."]),
        ("됐나요? 네, 됐어요! 끝.", ["됐나요?", "네, 됐어요!", "끝."]),
        ("끝났다… 다시 시작했다.", ["끝났다…", "다시 시작했다."]),
        ("東京です。日本です。", ["東京です。", "日本です。"]),
        ("He left . Then it rained .", ["He left .", "Then it rained ."]),
        ("It held for 1,500 h. Perovskite films last.", ["It held for 1,500 h.", "Perovskite films last."]),
        (
            "Bring 3 l. Water is heavy, says 2 m. J. Kim.",
            ["Bring 3 l.", "Water is heavy, says 2 m.", "J. Kim."],
        ),
    ],
)
def test_sentences_end_where_readers_would_end_them(text: str, sentences: list[str]) -> None:
    assert cut(text) == sentences


def test_sentence_goes_on_over_the_ends_of_wrapped_lines() -> None:
    text = "This paragraph was wrapped by hand so\nthat no line is long, and its first\nsentence ends here. The second\nends there."
    assert cut(text) == [
        "This paragraph was wrapped by hand so\nthat no line is long, and its first\nsentence ends here.",
        "The second\nends there.",
    ]


def test_korean_lines_without_stops_are_sentences() -> None:
    assert cut("문서를 읽는다\n색인을 만들어요\n답을 찾음\n끝") == [
        "문서를 읽는다",
        "색인을 만들어요",
        "답을 찾음",
        "끝",
    ]


def test_korean_sentence_goes_on_after_a_line_that_leaves_it_open() -> None:
    text = "색인은 문서가 바뀔 때마다\n다시 만들어지며\n검색은 그것을 쓴다"
    assert cut(text) == [text]


def test_items_of_lists_are_sentences_of_their_own() -> None:
    text = "준비할 것:\n- 파이썬 3.11\n- uv. 설치는 한 번만 한다.\n  다시 할 필요는 없다.\n1. 첫째\n2) 둘째"
    assert cut(text) == [
        "준비할 것:",
        "- 파이썬 3.11",
        "- uv.",
        "설치는 한 번만 한다.",
        "다시 할 필요는 없다.",
        "1. 첫째",
        "2) 둘째",
    ]
    assert kinds(text) == [SentenceKind.PROSE, *[SentenceKind.ITEM] * 6]


def test_rows_of_tables_keep_their_cells() -> None:
    text = "이름 | 값\nport | 8080. 기본값이다. 바꿀 수 있다.\nhost | localhost"
    assert cut(text) == text.split("\n")
    assert set(kinds(text)) == {SentenceKind.ROW}
    assert kinds("| a | b |\n|---|---|\n| 1 | 2 |") == [SentenceKind.ROW] * 3


def test_bar_in_running_text_makes_no_table() -> None:
    assert kinds("Use a | b to join commands.") == [SentenceKind.PROSE]


@walk(
    "code",
    [
        "def f(x):\n    return x. y",
        "$ uv sync --all-packages\n$ uv run kebab ask",
        "```\nanything. At all\n```",
        "import os\nfrom pathlib import Path\n\nPath.cwd()",
        '[search]\nk = 1\nmode = "lexical"',
        "<p class='a'>One. Two.\n<br>",
        "for (int i = 0; i < n; ++i) {\n  sum += a[i];\n}",
    ],
)
def test_lines_of_code_are_kept_whole(code: str) -> None:
    assert cut(code) == [line.strip() for line in code.split("\n") if line.strip()]
    assert set(kinds(code)) == {SentenceKind.CODE}


def test_passage_known_to_be_code_has_nothing_else() -> None:
    parts = split_sentences("Not. Prose.\n\n- nor a list", is_code=True)
    assert parts == [Sentence(0, 11, SentenceKind.CODE), Sentence(13, 25, SentenceKind.CODE)]


def test_lines_that_open_and_close_boxes_are_no_text() -> None:
    assert kinds("/// note | 참고\n\n먼저 받는다.\n\n///\n\n::: tip") == [
        SentenceKind.HEADING,
        SentenceKind.PROSE,
        SentenceKind.HEADING,
        SentenceKind.HEADING,
    ]


def test_labels_and_marked_lines_are_headings() -> None:
    assert kinds("설치 방법\n\n먼저 받는다.\n\n## 다음\n\n끝낸다.", "설치 방법") == [
        SentenceKind.HEADING,
        SentenceKind.PROSE,
        SentenceKind.HEADING,
        SentenceKind.PROSE,
    ]


def test_empty_text_has_no_sentences() -> None:
    assert split_sentences("") == split_sentences(" \n\t\n") == []


def test_label_fields_are_sentences_of_their_own() -> None:
    text = "오소리 계획을 모은\ntags: [a, b]\nowner: Mina\nand others"
    assert cut(text) == ["오소리 계획을 모은", "tags: [a, b]", "owner: Mina\nand others"]
