"""Words at the end of a line are joined where the hyphen divides them, and keep it where it is theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_testing.pdf_files import PageSpec, block_texts, column, write_pdf
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Extract

DIVIDED = "con|tinent infor|mation geogra|phy democ|racy photo|graph under|standing Verwen|dung INFOR|MATION crystallo|graphic"
COMPOUNDS = (
    "self|made user|friendly two|thirds long|term North|South COVID|19 1990|1995 A|380 e|mail state-of|the-art "
    "2024-05|03 www.my|site.example foo_bar|baz"
)


@walk(
    ("word", "glue"),
    [*((word, "") for word in DIVIDED.split()), *((word, "-") for word in COMPOUNDS.split())],
)
def test_both_columns_tell_divided_words_from_compounds(word: str, glue: str, extract: Extract) -> None:
    end, _, start = word.partition("|")
    lines = [f"here it stands {end}-", f"{start} and more", "some other words", "and a last line"]

    document = extract(write_pdf(PageSpec([*column(50, 100, *lines), *column(320, 106, *lines)])))

    whole = f"here it stands {end}{glue}{start}\nand more\nsome other words\nand a last line"
    assert block_texts(document) == [whole, whole]


def test_document_that_divides_no_word_keeps_its_hyphens(extract: Extract) -> None:
    own = column(60, 100, "a well-", "known man of the far-", "off hills had a half-", "hearted friend")
    known = column(60, 300, "some well-known men, far-off lands and half-hearted ways are here")
    unsure = column(60, 400, "and it is a re-", "elected chair")

    texts = block_texts(extract(write_pdf(PageSpec([*own, *known, *unsure]))))

    assert texts[-1] == "and it is a re-elected\nchair"


def test_korean_words_of_few_line_ends_are_not_taken_for_divided(extract: Extract) -> None:
    lines = column(60, 100, "초기 시위의 초점이 된", "다라에 군대를 보내어", "도시를 막았다")
    known = column(60, 300, "그 뒤 된다라에 라는 말은 없다")
    text = block_texts(extract(write_pdf(PageSpec([*lines, *known]))))[0]
    assert text == "초기 시위의 초점이 된\n다라에 군대를 보내어\n도시를 막았다"
