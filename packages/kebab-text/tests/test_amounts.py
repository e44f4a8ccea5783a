"""Amounts in units of numbers."""

from __future__ import annotations

from kebab_testing.tables import walk
from kebab_text import find_amounts, spell_amounts


@walk(
    ("written", "digits"),
    [
        ("보증금 3천만원", "30000000"),
        ("3000만 원", "30000000"),
        ("0.3억원", "30000000"),
        ("1억 5천만원", "150000000"),
        ("3천5백만원", "35000000"),
        ("1억 2345만 6789원", "123456789"),
        ("12만3천원", "123000"),
        ("1만5000 원", "15000"),
        ("5천 명", "5000"),
        ("200만여 명", "2000000"),
        ("10조원", "10000000000000"),
        ("$2.5 million", "2500000"),
        ("a three-2 Billion loan", "2000000000"),
    ],
)
def test_an_amount_is_its_digits(written: str, digits: str) -> None:
    assert [amount.digits for amount in find_amounts(f"그때 {written} 이다")] == [digits]


@walk(
    "text",
    ["제3조 원칙", "3만 넣는다", "500원", "1.00005만원", "5만큼", "a millionaire of 3 millions"],
)
def test_other_numbers_are_no_amounts(text: str) -> None:
    assert not list(find_amounts(text))


def test_amounts_that_follow_each_other_stay_apart() -> None:
    text = "1만 원, 2만 원 3만원 4천원"
    assert [text[each.start : each.end] for each in find_amounts(text)] == ["1만", "2만", "3만", "4천"]


def test_digits_are_spelled_behind_the_word_of_an_amount() -> None:
    assert (
        spell_amounts("보증금 3천만원, 2 million\nand 5")
        == "보증금 3천만원, 30000000 2 million 2000000\nand 5"
    )
