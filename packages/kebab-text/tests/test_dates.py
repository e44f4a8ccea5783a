from kebab_testing.tables import walk
from kebab_text import find_dates, replace_dates, spell_dates


@walk(
    "written",
    [
        "2025-05-03", "2025.05.03", "2025. 5. 3.", "2025/5/3", "2025_05_03", "20250503", "2025년 5월 3일", "2025년5월3일에",
        "2025年5月3日", "May 3, 2025", "may 3rd 2025", "3 May 2025", "3rd of May, 2025", "3-May-2025", "2025-05-03T10:00",
    ],
)  # fmt: skip
def test_a_day_has_one_spelling_however_it_is_written(written: str) -> None:
    assert [date.canonical for date in find_dates(f"on {written} again")] == ["2025-05-03"]


def test_a_day_without_its_year_has_none() -> None:
    text = "5월 3일, 25년 5월 3일, May 3. Sept. 5 at 3, 12 October"
    assert [date.canonical for date in find_dates(text)] == ["0000-05-03"] * 3 + ["0000-09-05", "0000-10-12"]


def test_numbers_that_say_day_and_month_in_one_order_only_are_a_date() -> None:
    assert [date.canonical for date in find_dates("05/03/2025 25.12.2025 12/25/2025 05-05-2025")] == [
        "2025-12-25",
        "2025-12-25",
        "2025-05-05",
    ]


@walk(
    "text",
    [
        "192.168.0.1",
        "v1.2.3",
        "2024.01.15.3",
        "2025-13-01",
        "2월 30일",
        "may 35",
        "mayor 3",
        "in May 2025",
        "a20250503",
        "3월 매출 4일치",
    ],
)
def test_other_numbers_are_no_dates(text: str) -> None:
    assert not list(find_dates(text))


def test_dates_are_spelled_beside_or_in_place_of_what_is_written() -> None:
    assert spell_dates("on 5월 3일 and 2025-05-03.") == "on 5월 3일 0000-05-03 and 2025-05-03."
    assert replace_dates("5월 3일, May 3, 2025") == "-05-03, 2025-05-03"
