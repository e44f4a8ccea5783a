"""Tables with lines round their cells."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kebab_core import TableBlock
from kebab_testing.pdf_files import HEIGHT, PageSpec, block_texts, column, write_pdf
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Extract


CELLS = [
    *column(70, 115, "Step"),
    *column(150, 109, "What is done and who", "does it"),
    *column(322, 115, "Team"),
    *column(74, 151, "one"),
    *column(140, 145, "The present system is read", "and its duties written down"),
    *column(312, 139, "Planning", "department", "line 4821"),
    *column(74, 187, "two"),
    *column(146, 187, "The plan is carried out"),
    *column(312, 181, "Department", "of works"),
]
"""A table whose cells are wrapped and stand in the middle of their rows."""
ROWS, COLUMNS = (90, 126, 162, 198), (60, 130, 300, 380)
TABLE = [
    ("Step", "What is done and who does it", "Team"),
    ("one", "The present system is read and its duties written down", "Planning department line 4821"),
    ("two", "The plan is carried out", "Department of works"),
]


def _rule(x: float, y: float, to_x: float, to_y: float) -> str:
    return f"{x} {HEIGHT - y} m {to_x} {HEIGHT - to_y} l S\n"


ACROSS = "".join(_rule(COLUMNS[0], y, COLUMNS[-1], y) for y in ROWS)


@walk(
    "rules",
    [
        ACROSS + "".join(_rule(x, ROWS[0], x, ROWS[-1]) for x in COLUMNS),
        ACROSS + "".join(_rule(x, ROWS[0], x, ROWS[-1]) for x in COLUMNS[1:-1]),
        "".join(
            f"{left} {HEIGHT - bottom} {right - left} {bottom - top} re S\n"
            for left, right in pairwise(COLUMNS)
            for top, bottom in pairwise(ROWS)
        ),
        "".join(f"{x} {HEIGHT - ROWS[-1]} 1 {ROWS[-1] - ROWS[0]} re f\n" for x in COLUMNS)
        + "".join(f"{COLUMNS[0]} {HEIGHT - y} {COLUMNS[-1] - COLUMNS[0]} 1 re f\n" for y in ROWS),
    ],
)
def test_lines_of_a_table_are_the_edges_of_its_cells(rules: str, extract: Extract) -> None:
    page = PageSpec([*CELLS, *column(60, 230, "a line below the table")], commands=rules)
    document = extract(write_pdf(page))

    table = next(block for block in document.blocks if isinstance(block, TableBlock))
    assert [table.headers, *table.rows] == TABLE
    assert block_texts(document)[1:] == ["a line below the table"]


def test_a_cell_over_several_rows_stands_in_each_of_them(extract: Extract) -> None:
    lines = [*column(70, 127, "north"), *column(140, 109, "sales"), *column(140, 145, "costs")]
    lines += [
        *column(310, 109, "12"),
        *column(310, 145, "34"),
        *column(70, 181, "south"),
        *column(140, 181, "sales"),
    ]
    lines += [*column(310, 181, "56")]
    rules = _rule(COLUMNS[1], ROWS[1], COLUMNS[-1], ROWS[1])
    rules += "".join(_rule(COLUMNS[0], y, COLUMNS[-1], y) for y in (ROWS[0], *ROWS[2:]))
    rules += "".join(_rule(x, ROWS[0], x, ROWS[-1]) for x in COLUMNS)
    document = extract(write_pdf(PageSpec(lines, commands=rules)))

    table = next(block for block in document.blocks if isinstance(block, TableBlock))
    assert [table.headers, *table.rows] == [
        ("north", "sales", "12"),
        ("north", "costs", "34"),
        ("south", "sales", "56"),
    ]


@walk(
    "rules",
    [
        _rule(100, 80, 100, 300)
        + _rule(80, 280, 400, 280)
        + _rule(100, 180, 300, 180)
        + _rule(300, 180, 300, 280),
        "".join(_rule(x, 90, x, 300) for x in (60, 170, 400))
        + _rule(60, 90, 400, 90)
        + _rule(60, 300, 400, 300),
    ],
)
def test_axes_and_frames_make_no_table(rules: str, extract: Extract) -> None:
    lines = [*column(62, 180, "height"), *column(290, 294, "time"), *column(200, 170, "of the curve")]
    document = extract(write_pdf(PageSpec(lines, commands=rules)))
    assert not [block for block in document.blocks if isinstance(block, TableBlock)]
