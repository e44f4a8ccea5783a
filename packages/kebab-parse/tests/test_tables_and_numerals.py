"""Header rows of tables, and numerals of numbered paragraphs."""

from __future__ import annotations

from kebab_parse import TableCell, join_headers, roman_numeral, split_header, spread_cells
from kebab_testing.tables import walk


def test_header_rows_are_joined_by_column_with_equal_texts_once() -> None:
    assert join_headers([["예산", "예산", ""], ["본예산", "추경", "비고"], ["", "", "비고"]]) == [
        "예산 본예산",
        "예산 추경",
        "비고",
    ]


def test_merged_cells_stand_in_each_row_and_column_but_once_over_the_whole_width() -> None:
    cells = [
        TableCell(0, 0, "연간", columns=9),
        TableCell(1, 0, "서울", rows=2),
        TableCell(1, 4, "휴무", rows=2, columns=5),
        TableCell(2, 7, "개점"),
        TableCell(7, 0, "부산"),
        TableCell(7, 0, "지점"),
    ]
    assert spread_cells(cells) == [
        ["연간", "", ""],
        ["서울", "휴무", "휴무"],
        ["서울", "휴무", "개점"],
        ["부산 지점"],
    ]
    assert spread_cells([]) == []


def test_what_merged_cells_repeat_is_bounded() -> None:
    tall = [TableCell(0, at, "긴 말 " * 1000, rows=10**6) for at in range(100)]
    rows = spread_cells([*tall, *(TableCell(row, 0, "값") for row in range(1, 500))])
    assert sum(len(text) for row in rows for text in row) < 3_000_000
    assert all(rows[0])


def test_short_and_missing_header_rows_are_empty_cells() -> None:
    assert join_headers([["a"], ["", "b"]]) == ["a", "b"]
    assert join_headers([]) == []


@walk(
    "first",
    [
        ["성명:", "홍길동"],
        ["연락처", "010-1234-5678"],
        ["성명", "", "소속", ""],
        ["성명", "홍길동", "생년월일", "1990. 1. 1."],
        ["E-mail", "hong@example.org", "소속", "연구소"],
    ],
)
def test_the_first_row_of_a_form_is_no_header(first: list[str]) -> None:
    rows = [first, ["주소", "서울"]]
    assert split_header(rows) == ([""] * len(first), rows)


@walk(
    "first",
    [
        ["항목", "내용"],
        ["부서", "예산", "비고", ""],
        ["", "2024"],
        ["구분", "2023", "2024"],
        ["구분", "2022-2023", "2023-2024"],
        ["이름", "1월", "2월", "3월"],
    ],
)
def test_names_of_columns_are_the_header(first: list[str]) -> None:
    rows = [first, ["전화", "010-1234-5678"]]
    assert split_header(rows) == (first, rows[1:])


def test_rows_that_the_file_marks_are_the_header_whatever_they_hold() -> None:
    rows = [["일시", "2024-01-01"], ["장소", "서울"], ["값", "1"]]
    assert split_header(rows, marked=2) == (["일시 장소", "2024-01-01 서울"], rows[2:])


@walk(("number", "shown"), [(1, "I"), (4, "IV"), (19, "XIX"), (2026, "MMXXVI"), (4000, "MMMM")])
def test_numbers_are_roman_numerals(number: int, shown: str) -> None:
    assert roman_numeral(number) == shown
