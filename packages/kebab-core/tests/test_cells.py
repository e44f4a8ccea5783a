"""Ranges of cells, and the addresses that name them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from kebab_core import (
    CellCitation,
    Cells,
    InvalidInputError,
    SourceId,
    WorkspacePath,
    cite_fragment,
    cover_cells,
    parse_address,
    parse_cells,
    parse_citation,
)
from kebab_testing.tables import walk

PATH = WorkspacePath("표/예산.xlsx")
ranges = st.builds(
    lambda top, left, height, width: Cells(top, left, top + height, left + width),
    st.integers(1, 9_000),
    st.integers(1, 17_000),
    st.integers(0, 900),
    st.integers(0, 900),
)


@given(ranges)
def test_ranges_are_read_as_they_are_written(cells: Cells) -> None:
    assert parse_cells(str(cells)) == cells


@given(st.lists(ranges, min_size=1, max_size=5))
def test_cover_holds_every_range(found: list[Cells]) -> None:
    cover = cover_cells(found)
    assert not any(cover.is_apart(cells) for cells in found)
    assert cover_cells([cover, *found]) == cover


@given(
    st
    .text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60)
    .map(str.strip)
    .filter(bool),
    st.none() | ranges.map(str),
)
def test_sheet_and_cells_survive_uri_and_address(sheet: str, cells: str | None) -> None:
    cited = CellCitation(path=PATH, sheet=sheet, cells=cells)
    assert parse_citation(cited.to_uri()) == cited
    readings = parse_address(cited.to_address()).paths
    assert cited in [
        cite_fragment(SourceId("default"), one.path, one.fragment) for one in readings if one.fragment
    ]


def test_corners_are_put_in_order() -> None:
    assert parse_citation("a.xlsx#sheet=S&cells=D9:B4").to_uri() == "a.xlsx#sheet=S&cells=B4:D9"


@walk("fragment", ["sheet=", "sheet=S&cells=", "sheet=S&cells=4B", "cells=B4", "slide=", "slide=0"])
def test_other_fragments_are_refused(fragment: str) -> None:
    with pytest.raises(InvalidInputError):
        cite_fragment(SourceId("default"), PATH, fragment)


@walk(
    ("typed", "fragment"),
    [
        ("a.pdf#page=3", "p=3"),
        ("a.xlsx#sheet=b2&cells=b2:c3", "sheet=b2&cells=B2:C3"),
        ("a.xlsx#sheet=p", "sheet=p"),
    ],
)
def test_fragments_are_taken_as_people_type_them(typed: str, fragment: str) -> None:
    assert parse_address(typed).paths[0].fragment == fragment
