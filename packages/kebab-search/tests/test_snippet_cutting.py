from itertools import pairwise

from hypothesis import given, strategies as st
from kebab_search.snippets import ELLIPSIS, Match, cut_snippet
from kebab_testing.tables import walk

TEXTS = st.text("가나다 ab\n.漢é…", max_size=120)


@st.composite
def matched_texts(draw: st.DrawFn) -> tuple[str, list[Match]]:
    text = draw(TEXTS)
    matches = []
    for _ in range(draw(st.integers(0, 6)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        matches.append(Match(start, end, draw(st.sampled_from("xyz")), draw(st.floats(0.1, 5))))
    return text, sorted(matches)


@given(matched_texts(), st.integers(20, 60))
def test_snippet_is_a_piece_of_the_text_with_ranges_on_it(case: tuple[str, list[Match]], size: int) -> None:
    text, matches = case
    snippet = cut_snippet(text, matches, max_chars=size)
    assert len(snippet.text) <= size
    assert any(snippet.text[low : len(snippet.text) - high] in text for low in (0, 1) for high in (0, 1))
    assert snippet.is_full_text == (len(text.strip()) <= size)
    assert all(0 <= r.start < r.end <= len(snippet.text) for r in snippet.matched)
    assert all(left.end < right.start for left, right in pairwise(snippet.matched))


@given(matched_texts(), st.integers(20, 60))
def test_highlighted_text_is_what_matched(case: tuple[str, list[Match]], size: int) -> None:
    text, matches = case
    snippet = cut_snippet(text, matches, max_chars=size)
    allowed = {index for match in matches for index in range(match.start, match.end)}
    highlighted = "".join(snippet.text[r.start : r.end] for r in snippet.matched)
    assert len(highlighted) <= len(allowed)
    assert set(highlighted) <= {text[index] for index in allowed}


@given(matched_texts())
def test_snippet_of_a_matching_text_shows_a_match(case: tuple[str, list[Match]]) -> None:
    text, matches = case
    visible = [
        match for match in matches if text[match.start : match.end].strip() == text[match.start : match.end]
    ]
    if visible and visible == matches:
        assert cut_snippet(text, matches, max_chars=20).matched


def test_short_text_is_shown_whole_without_the_blanks_around_it() -> None:
    snippet = cut_snippet(" 짧은 글\n", [Match(1, 3, "짧", 1.0)], max_chars=20)
    assert (snippet.text, snippet.is_full_text) == ("짧은 글", True)
    assert [(r.start, r.end) for r in snippet.matched] == [(0, 2)]


def test_window_holds_the_most_different_words() -> None:
    text = "needle needle needle " + "hay " * 30 + "needle and thread " + "hay " * 30
    matches = [Match(at, at + 6, "needle", 2.0) for at in range(len(text)) if text.startswith("needle", at)]
    at = text.index("thread")
    snippet = cut_snippet(text, sorted([*matches, Match(at, at + 6, "thread", 1.0)]), max_chars=40)
    assert "needle and thread" in snippet.text


def test_window_is_cut_between_words() -> None:
    text = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima"
    at = text.index("foxtrot")
    snippet = cut_snippet(text, [Match(at, at + 7, "foxtrot", 1.0)], max_chars=34)
    assert snippet.text.startswith(ELLIPSIS)
    assert snippet.text.endswith(ELLIPSIS)
    assert set(snippet.text.strip(ELLIPSIS).split()) <= set(text.split())
    (matched,) = snippet.matched
    assert snippet.text[matched.start : matched.end] == "foxtrot"


def test_window_begins_with_a_sentence_where_there_is_room() -> None:
    text = "첫 문장은 길고 아무 관계가 없다. 둘째 문장에 색인이 있다. " + "셋째 문장도 아무 관계가 없다. " * 4
    at = text.index("색인")
    snippet = cut_snippet(text, [Match(at, at + 2, "색인", 1.0)], max_chars=40)
    assert snippet.text.startswith("…둘째 문장에 색인이")


def test_text_without_blanks_is_cut_anywhere() -> None:
    snippet = cut_snippet("가" * 100, [Match(50, 52, "가가", 1.0)], max_chars=20)
    assert len(snippet.text) == 20
    assert snippet.matched


def test_match_longer_than_the_window_is_shown_in_part() -> None:
    snippet = cut_snippet("a" * 100, [Match(0, 100, "a", 1.0)], max_chars=20)
    assert [(r.start, r.end) for r in snippet.matched] == [(0, 18)]


@walk("text", ["", " ", "\n"])
def test_blank_text_gives_an_empty_snippet(text: str) -> None:
    assert cut_snippet(text, [], max_chars=20).text == ""


@given(
    st.lists(st.text("가나다ab漢é.", min_size=1, max_size=18), min_size=1, max_size=30),
    st.sampled_from([" ", "\n", "\t", "\u3000"]),
    st.integers(20, 60),
    st.data(),
)
def test_words_that_have_room_are_never_cut(
    words: list[str], blank: str, size: int, data: st.DataObject
) -> None:
    text = blank.join(words)
    matches = []
    for _ in range(data.draw(st.integers(0, 5))):
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        matches.append(Match(start, end, data.draw(st.sampled_from("xyz")), 1.0))
    snippet = cut_snippet(text, sorted(matches), max_chars=size)
    assert set(snippet.text.strip(ELLIPSIS).split()) <= set(words)


@walk("size", range(20, 50))
def test_match_inside_a_word_shows_the_whole_word(size: int) -> None:
    text = "FastAPI는 연결된 개발 환경에서만 쓰이는 도구를 만드는 데 도움을 줍니다. " * 2
    matches = [
        Match(at, at + len(found), found, 1.0)
        for found in ("API", "연결", "환경", "도움")
        for at in range(len(text))
        if text.startswith(found, at)
    ]
    snippet = cut_snippet(text, sorted(matches), max_chars=size)
    assert set(snippet.text.strip(ELLIPSIS).split()) <= set(text.split())
    assert snippet.matched
