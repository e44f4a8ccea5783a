"""Letters that stand by themselves on a page and are parts of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_testing.pdf_files import Line, PageSpec, block_texts, column, write_pdf
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Extract

PROSE = [f"line {number:02} of a paragraph with some words" for number in range(1, 4)]


@walk(
    ("letter", "first", "text"),
    [
        ("O", "nce upon a time in a village by the sea", "Once upon a time in a village by the sea"),
        ("A", "dog that belonged to nobody sat there", "A dog that belonged to nobody sat there"),
        ("옛", "날 옛적에 바닷가 마을에 어부가 살았다", "옛날 옛적에 바닷가 마을에 어부가 살았다"),
    ],
)
def test_an_initial_is_the_first_letter_of_its_paragraph(
    letter: str, first: str, text: str, extract: Extract
) -> None:
    rest = ["and nobody knew from where it had come", "for it had lived there for many a year now"]
    x = 98 if letter == "옛" else 80
    lines = [Line(60, 125, f"{letter} ", 36), *column(x, 106, first, rest[0]), *column(60, 130, rest[1])]
    assert block_texts(extract(write_pdf(PageSpec(lines)))) == ["\n".join([text, *rest])]


@walk(
    ("text", "read"),
    [
        ("R E S U L T S   A N D   D I S C U S S I O N", "RESULTS AND DISCUSSION"),
        ("연 구   결 과", "연구 결과"),
        ("연 구 결 과", "연구결과"),
        ("목 차", "목차"),
        ("x y z w", "x y z w"),
        ("1 2 3 4", "1 2 3 4"),
        ("목차 나", "목차 나"),
    ],
)
def test_letters_that_stand_apart_are_words(text: str, read: str, extract: Extract) -> None:
    page = PageSpec([Line(60, 100, text, 12), *column(60, 160, *PROSE)])
    assert block_texts(extract(write_pdf(page)))[0] == read
