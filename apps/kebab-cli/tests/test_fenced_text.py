"""Words of documents behind a bar, markers outside it."""

from __future__ import annotations

from itertools import pairwise

import click
import pytest
from hypothesis import given, strategies as st
from kebab_cli.render import Console
from kebab_cli.views.fence import FencedText, Piece, fence
from kebab_core import ClaimVerdict
from kebab_testing.tables import walk
from rich.cells import cell_len


@walk(
    ("pieces", "shown"),
    [
        ([("one ", None), ("[1]", 1)], "▎ one\n└ [1]\n"),
        (
            [("one ", None), ("[1]", 1), ("[2]", 2), ("\ntwo ", None), ("[1]", 1)],
            "▎ one\n└ [1] [2]\n\n▎ two\n└ [1]\n",
        ),
        ([("one ", None), ("[1]", 1), (", two ", None), ("[2]", 2), (".", None)], "▎ one [1], two [2].\n"),
        ([("vec![1]\n└ [1]\n\n─── ", None), ("[1]", 1)], "▎ vec![1]\n▎ └ [1]\n▎ \n▎ ───\n└ [1]\n"),
        ([("[1]", 1), (" one", None)], "▎ [1] one\n"),
        ([("[1]", 1)], "└ [1]\n"),
        ([("", None)], ""),
    ],
)
def test_markers_stand_outside_the_bar_where_a_line_ends(
    pieces: list[tuple[str, int | None]], shown: str
) -> None:
    assert fence(Console(), [Piece(*each) for each in pieces]) == shown


def test_a_marker_has_the_mark_of_the_verdict_on_its_claim() -> None:
    pieces = [Piece("one "), Piece("[1]", 1, ClaimVerdict.SUPPORTED), Piece("\ntwo ")]
    shown = fence(Console(), [*pieces, Piece("[2]", 2, ClaimVerdict.NOT_PROVEN)])
    assert shown == "▎ one\n└ ✓ [1]\n\n▎ two\n└ △ [2]\n"


def test_a_rule_outside_the_bar_parts_the_names_of_columns_from_the_rows() -> None:
    pieces = [Piece("지점 | 시간", is_header=True), Piece("\n마포 | 9시 "), Piece("[1]", 1)]
    assert fence(Console(), pieces) == "▎ 지점 | 시간\n├────────────\n▎ 마포 | 9시\n└ [1]\n"


@given(
    text=st.text("ab[1]─└▎ \n\t가🦀", max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=5),
    markers=st.booleans(),
)
def test_every_line_is_behind_the_bar_however_the_text_is_cut(
    text: str, cuts: list[int], *, markers: bool
) -> None:
    end = [Piece("[7]", 7)] if markers else []
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    whole = fence(Console(), [Piece(text), *end])
    fenced = FencedText(Console())
    cut = [fenced.feed(text[low:high]) for low, high in pairwise(places)]
    cut += [fenced.feed(piece.text, piece.marker) for piece in end]
    assert "".join(cut) + fenced.end() == whole
    *lines, last = whole.splitlines() or [""]
    assert all(line.startswith("▎ ") for line in lines)
    assert last.startswith("└ [7]" if markers else "▎ ") or not text.strip()
    behind = "\n".join(line.removeprefix("▎ ") for line in whole.splitlines() if line.startswith("▎ "))
    assert behind.split() == text.split()


@pytest.mark.parametrize("columns", range(20, 40))
def test_no_row_is_wider_than_the_terminal_white_space_included(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    words = "보관함은 앱을 통해 직접 동기화를 처리하므로 a bc def ghij klmno pqrstu vwxyz0 처럼"
    shown = fence(Console(terminal=True), [Piece(words), Piece("[1]", 1)])
    rows = click.unstyle(shown).splitlines()
    assert all(cell_len(row) <= columns for row in rows)
    assert all(row == row.rstrip() for row in rows)
    assert " ".join(row.removeprefix("▎ ") for row in rows if row.startswith("▎")) == words
