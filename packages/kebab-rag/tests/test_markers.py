from itertools import pairwise

from hypothesis import given, strategies as st
from kebab_rag import find_markers, show_markers
from kebab_rag.markers import Piece, split_markers, strip_markers
from kebab_rag.streaming import MarkerStream
from kebab_testing.tables import walk

texts = st.lists(
    st.sampled_from(["[", "#", "]", "1", "42", "999", "1000", "0", " ", "가", "[#7]", "[1]", "a"])
).map("".join)


@walk(
    ("text", "markers"),
    [
        ("a [#1]", (1,)),
        ("a [#3][#1] b [#3]", (3, 1)),
        ("[#999]", (999,)),
        ("[1] vec![1] [label][1] [^1]", ()),
        ("[foo] [#1a] [ #1 ] [# 1] [#] [#-1] [#1.0]", ()),
        ("[#0] [#01] [#1000] [#0001]", ()),
        ("[#１] [＃1] ［#1］", ()),
        ("[[#2]]", (2,)),
        ("", ()),
    ],
)
def test_only_strict_markers_are_found(text: str, markers: tuple[int, ...]) -> None:
    assert find_markers(text) == markers


def test_markers_are_shown_without_their_sign_and_nothing_else_changes() -> None:
    assert show_markers("a [#1], vec![1] [#0] [# 2]") == "a [1], vec![1] [#0] [# 2]"


def test_stripped_text_has_no_marker_and_no_blank_before_it() -> None:
    assert strip_markers("a [#1][#2], b\t[#3].\n[#4]") == "a, b.\n"


@given(texts, st.lists(st.integers(0, 60)))
def test_stream_shows_the_same_however_the_text_is_cut(text: str, cuts: list[int]) -> None:
    stream = MarkerStream()
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[low:high] for low, high in pairwise(places)]
    shown = [*(each for piece in pieces for each in stream.feed(piece)), *stream.flush()]
    assert "".join(each.text for each in shown) == show_markers(text)
    assert [each for each in shown if each.marker] == [each for each in split_markers(text) if each.marker]
    assert not list(stream.flush())


def test_a_marker_is_told_from_text_that_looks_like_one_when_shown() -> None:
    assert list(split_markers("vec![1] [#1][#2]")) == [
        Piece("vec![1] ", None),
        Piece("[1]", 1),
        Piece("[2]", 2),
    ]


def test_stream_holds_back_no_more_than_may_become_a_marker() -> None:
    stream = MarkerStream()
    said = [[each.text for each in stream.feed(piece)] for piece in ("see [#1", "2", "3", "4")]
    assert said == [["see "], [], [], ["[#1234"]]
