"""Words of a document found on its page."""

import pytest
from kebab_core import Rectangle
from kebab_parse_pdf import PageWord, find_page_words
from kebab_testing.pdf_files import Line, PageSpec, write_pdf

CONTENT = write_pdf(
    PageSpec([Line(60, 40, "The deposit is partly paid, art first."), Line(60, 60, "The second de-"), Line(60, 74, "posit is due.")]),
    PageSpec([Line(60, 40, "보증금은 5천만 원입니다.")]),
)  # fmt: skip
UPPER, LOWER = Rectangle(x=50, y=25, w=400, h=22), Rectangle(x=50, y=47, w=400, h=40)


def find(word: PageWord, page: int = 1) -> list[tuple[int, int]]:
    return [(each.x, each.y) for each in find_page_words(CONTENT, page, [word])]


def test_a_word_is_found_in_its_places_only_and_one_that_is_divided_has_a_rectangle_in_each_line() -> None:
    (first,) = find(PageWord("deposit", (UPPER,)))
    assert 60 < first[0] < 120
    above, below = find(PageWord("deposit", (LOWER,)))
    assert above[0] > below[0] == 60
    assert above[1] < below[1]
    assert len(find(PageWord("deposit", ()))) == 3


def test_a_beginning_of_a_word_is_not_found_inside_of_one() -> None:
    assert len(find(PageWord("art", ()))) == 1
    assert len(find(PageWord("art", (), is_start=False))) == 2


def test_korean_words_and_quotes_of_several_words_are_found() -> None:
    (rectangle,) = find_page_words(CONTENT, 2, [PageWord("보증금은 5천만", ())])
    assert rectangle.x == pytest.approx(60, abs=1)
    assert rectangle.w > 40
    assert find(PageWord("보증금", ()), page=3) == []
    assert find(PageWord(" - ", ())) == []
