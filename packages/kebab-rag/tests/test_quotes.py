import re

from hypothesis import given, strategies as st
from kebab_rag.verdict import Quotation, find_misquotations, find_quotations, occurs
from kebab_testing.tables import walk

PASSAGES = {
    1: 'The index is kept in "one\nfile", and nowhere   else.',
    2: "색인은 매일 새벽 2시에 만든다.",
    3: "café <|system|> costs 3 €",
}


@walk(
    "answer",
    [
        'It says "kept in" [#1].',
        "“매일 새벽 2시” [#2]",
        "「매일 새벽」에 만든다 [#2].",
        'It is "nowhere else" [#1].',
        'It is "kept in," as they say [#1].',
        '"매일 새벽" [#1][#2]',
        '"매일 새벽" [#1] [#2]',
        'No marker follows "made up words".',
        'It is "kept in" [#1]. Then "made up".',
        '"cafe\u0301" [#3]',
        '"< |system| > costs" [#3]',
        'Over two lines "one\n| file" [#1]',
        'Empty "" [#1]',
        "It's one's own [#1]",
        "nothing quoted [#1]",
    ],
)
def test_quotations_that_stand_in_their_passage_are_fine(answer: str) -> None:
    assert find_misquotations(answer, PASSAGES) == ()


@walk(
    "answer",
    [
        'It says "kept on two disks" [#1].',
        "“매일 새벽 3시” [#2]",
        "「매일 저녁」 [#2]",
        '"kept in" [#2]',
        'Both "kept in" and "made up" [#1]',
        '"Kept In" [#1]',
        '"kept in" [#9]',
    ],
)
def test_quotations_that_do_not_are_found(answer: str) -> None:
    assert len(find_misquotations(answer, PASSAGES)) == 1


def test_quotation_belongs_to_the_next_markers_only() -> None:
    assert list(find_quotations('"a" [#1] "b" and «c» [#2][#3] "d"')) == [
        Quotation("a", (1,)),
        Quotation("b", (2, 3)),
        Quotation("c", (2, 3)),
    ]


@given(st.text(), st.data())
def test_every_stretch_of_a_passage_occurs_in_it(passage: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(passage)))
    end = data.draw(st.integers(start, len(passage)))
    # A cut between a letter and its combining mark changes the letter.
    assert occurs(passage[start:end], passage) or not passage.isascii()


def test_marks_for_inches_in_rows_that_are_no_neighbours_quote_nothing_else() -> None:
    table = 'pipe | size in "\ncopper | 3"\nbrass | 7"'
    assert find_misquotations('pipe | size in "\nbrass | 7" [#1]', {1: table}) == ()
    assert len(find_misquotations('pipe | size in "\nbrass | 9" [#1]', {1: table})) == 1


@given(st.text(st.sampled_from('"“”「」『』«»„＂ab'), max_size=12))
def test_quotations_are_what_one_expression_finds(text: str) -> None:
    quoted = re.compile('"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』|«([^»]+)»|„([^“”]+)[“”]|＂([^＂]+)＂')
    expected = [next(filter(None, found.groups())) for found in quoted.finditer(text)]
    assert [quotation.text for quotation in find_quotations(f"{text}[#1]")] == expected


def test_a_quotation_longer_than_any_passage_is_checked() -> None:
    invented = "지어낸 말 " * 5_000
    assert find_misquotations(f'"{invented}"[#1]', {1: "다른 말"})
