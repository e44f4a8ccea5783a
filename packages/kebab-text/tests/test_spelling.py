"""Distance between spellings, and the words that a misspelt one may stand for."""

from __future__ import annotations

from functools import cache

from hypothesis import given, strategies as st
from kebab_testing.tables import walk
from kebab_text import edit_distance, near_beginnings, near_spellings

words = st.text("ab가각", max_size=6)


def plain_distance(one: str, other: str) -> int:
    """Compute optimal string alignment from its definition, for letters that are no syllables."""

    @cache
    def of(at: int, place: int) -> int:
        if not at or not place:
            return at + place
        best = min(
            of(at - 1, place) + 1,
            of(at, place - 1) + 1,
            of(at - 1, place - 1) + (one[at - 1] != other[place - 1]),
        )
        is_swapped = at > 1 and place > 1 and one[at - 2 : at] == other[place - 1] + other[place - 2]
        return min(best, of(at - 2, place - 2) + 1) if is_swapped else best

    return of(len(one), len(other))


@given(st.text("abc", max_size=8), st.text("abc", max_size=8), st.integers(0, 3))
def test_a_distance_is_that_of_the_definition_up_to_the_most_that_is_asked_for(
    one: str, other: str, most: int
) -> None:
    assert edit_distance(one, other, most=most) == min(plain_distance(one, other), most + 1)


@walk(
    ("word", "others", "near"),
    [
        ("asyncronous", ["asynchronous", "synchronous", "asynchrony"], {"asynchronous": 1, "synchronous": 2}),
        ("프로그래밈", ["프로그래밍", "프로그램", "회의록"], {"프로그래밍": 1, "프로그램": 2}),
        ("hepl", ["help", "heap"], {"help": 1}),  # a short word only with two letters swapped
        ("pyton", ["python", "piton"], {"python": 1}),
        ("cat", ["cart", "act"], {}),
        ("민수", ["민주"], {}),
        ("cat", ["cat"], {"cat": 0}),
        ("", ["a", ""], {"": 0}),
    ],
)
def test_words_are_near_by_their_letters(word: str, others: list[str], near: dict[str, int]) -> None:
    assert near_spellings(word, others) == near


@walk("word", ["iterator", "kubernetes", "쿠버네티스", "환불", "회의록", "프로그래밍", "인덱스", "embedding"])
def test_a_word_with_one_wrong_letter_begins_like_one_of_the_beginnings(word: str) -> None:
    letters = "aeiknrst" if word.isascii() else "가고쿠버환회프인"
    typed = {
        word[:at] + letter + word[at + skipped :]
        for at in range(len(word))
        for letter in ("", *letters)
        for skipped in (0, 1)
    }
    for one in typed:
        if word in near_spellings(one, [word]) and edit_distance(one, word) == 1:
            right, wrong = near_beginnings(one)
            assert word.startswith((*right, *wrong)), one
