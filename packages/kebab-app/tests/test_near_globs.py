"""Globs that let no document through, and what was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import NoHitReason, SearchFilters, SearchQuery

if TYPE_CHECKING:
    from conftest import Base


@pytest.fixture
def shelf(base: Base) -> Base:
    base.write("finance/2026/invoice.md", "the invoice of spring")
    base.write("설계/색인.md", "the invoice of autumn")
    base.ingest()
    return base


def near(base: Base, glob: str) -> dict[str, str]:
    filters = SearchFilters(path_glob=(glob,))
    response = base.app.search(SearchQuery(text="invoice", filters=filters))
    assert response.no_hit_reason is NoHitReason.FILTERED_OUT
    return base.app.find_near_values(response)


@pytest.mark.parametrize(
    ("inside", "meant"),
    [
        ("finance/**", "finance/**"),
        ("finance", "finance/**"),
        ("finance/", "finance/**"),
        ("finanse/2026/*.md", "finance/2026/*.md"),
        ("", "**"),
    ],
)
def test_path_on_disk_is_told_as_one_inside_its_source(shelf: Base, inside: str, meant: str) -> None:
    glob = f"{shelf.root}/{inside}"
    assert near(shelf, glob) == {glob: meant}


@pytest.mark.parametrize(
    ("glob", "meant"),
    [
        ("finanse/**", "finance/**"),
        ("finanse/2026/*", "finance/2026/*"),
        ("finance", "finance/**"),
        ("Finance/2026/invoices.md", "finance/2026/invoice.md"),
        ("설게/**", "설계/**"),
    ],
)
def test_misspelt_folder_is_told_with_the_one_that_there_is(shelf: Base, glob: str, meant: str) -> None:
    assert near(shelf, glob) == {glob: meant}


@pytest.mark.parametrize(
    "glob", ["/elsewhere/**", "finance/2025/*", "~nobody/x.md", "letters/**", "finance/*.txt", "[", "\\"]
)
def test_glob_that_is_near_to_nothing_is_left_alone(shelf: Base, glob: str) -> None:
    assert near(shelf, glob) == {}


def test_glob_that_lets_documents_through_is_not_corrected(shelf: Base) -> None:
    filters = SearchFilters(path_glob=("finance/**",))
    response = shelf.app.search(SearchQuery(text="autumn", filters=filters))
    assert response.filtered_out_by == ("path_glob",)
    assert shelf.app.find_near_values(response) == {}
