"""Search and what lies over it, at three sizes and in both languages, driven without a terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from kebab_tui.document import Line, lay_out
from kebab_tui.texts import show, squeeze
from kebab_tui.widgets.lines import Item
from rich.cells import cell_len

from tests.tui_terminal import open_base, write_notes

SIZES = [(60, 20), (80, 24), (120, 40)]
LANGUAGES = ["en", "ko"]


async def _find(screens: Any, query: str, *seen: str) -> None:
    await screens.type(query)
    await screens.until_seen(*seen)


def _assert_framed(screens: Any) -> None:
    """No row is wider or narrower than the terminal, and the right border is in its last column."""
    width = screens.app.size.width
    for row in screens.lines():
        assert cell_len(row) == width, row
        assert row[-1] in "│╮╯", row


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_hits_come_while_typing_with_the_cited_lines_beside_them(
    size: tuple[int, int], language: str, config: Path, open_screens: Any
) -> None:
    async def run() -> None:
        async with open_screens(config, size, language) as screens:
            await screens.until_seen("retention.pdf")
            await _find(screens, "백업은 매주", "회의/백업.md#L1-L6", "▌5 - 백업은")
            _assert_framed(screens)
            assert {"en": "by words", "ko": "낱말"}[language] in screens.text
            await screens.press("ctrl+p")
            await screens.until_seen("Ctrl+R")
            await screens.type("network")
            await screens.until_seen("ops/network.md")
            assert {"en": "Related documents", "ko": "관련 문서"}[language] not in screens.text
            _assert_framed(screens)
            await screens.press("escape")
            await screens.until_seen("백업은 매주")
            await screens.press("escape")
            await screens.until(lambda: not screens.app.screen.box.value)
            await screens.until_seen("retention.pdf")
            await screens.press("escape")
            await screens.until(lambda: not screens.app.is_running)
        assert screens.app.return_value is None

    asyncio.run(run())


def test_the_words_of_the_query_are_in_sight_though_they_stand_at_the_end_of_a_long_passage(
    tmp_path: Path, open_screens: Any
) -> None:
    config = write_notes(tmp_path, {"long.md": "# Log\n\n" + "- an entry\n" * 30 + "- a tapir\n"})
    with open_base(config) as app:
        app.ingest()

    async def run() -> None:
        async with open_screens(config) as screens:
            await _find(screens, "tapir", "▌33 - a tapir")

    asyncio.run(run())


@pytest.mark.parametrize(("cited", "top"), [(None, 8), (20, 18)])
def test_a_document_begins_at_the_cited_line_else_below_its_front_matter(cited: int | None, top: int) -> None:
    texts = ["", *[""] * 7, *map(str, range(8, 40))]
    page = lay_out([Line(str(n), show(text), is_cited=n == cited) for n, text in enumerate(texts)], 40)
    assert page.top == top


def test_more_hits_come_at_the_end_of_the_list_also_where_the_index_has_changed_meanwhile(
    tmp_path: Path, open_screens: Any
) -> None:
    notes = {f"{number:02}.md": f"# Note {number}\n\nOn tapirs.\n" for number in range(30)}
    config = write_notes(tmp_path, notes)
    with open_base(config) as app:
        app.ingest()

    async def run() -> None:
        async with open_screens(config) as screens:
            await _find(screens, "tapirs", "first 8 documents", "▌3 On tapirs.")
            await screens.press(*["pagedown"] * 2)
            await screens.until(lambda: len(screens.app.screen._response.hits) == 16)
            (tmp_path / "notes" / "30.md").write_text("# Note 30\n\nOn tapirs.\n")
            with open_base(config) as app:
                app.ingest()
            while (response := screens.app.screen._response).next_cursor:
                await screens.press(*["pagedown"] * 2)
                await screens.until(lambda before=response: screens.app.screen._response is not before)
            assert len({hit.doc_id for hit in screens.app.screen._response.hits}) == 31
            _assert_framed(screens)

    asyncio.run(run())


def test_no_colour_is_drawn_for_a_reader_who_wants_none(
    config: Path, open_screens: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def run() -> None:
        async with open_screens(config) as screens:
            await _find(screens, "Sunday", "▌10")
            strips = screens.app.screen._compositor.render_strips()
            styles = [segment.style for strip in strips for segment in strip if segment.style]
            colours = {colour for style in styles for colour in (style.color, style.bgcolor) if colour}
            assert {colour.name for colour in colours} == {"default"}
            assert any(style.bold for style in styles)

    asyncio.run(run())


@pytest.mark.parametrize("language", LANGUAGES)
def test_twenty_columns_show_one_pane_and_a_click_does_what_a_hint_says(
    language: str, config: Path, open_screens: Any
) -> None:
    async def run() -> None:
        async with open_screens(config, (20, 10), language) as screens:
            await _find(screens, "Sunday", "#L9-L12")
            _assert_framed(screens)
            await screens.press("tab")
            await screens.until_seen("▌   every Sunday")
            _assert_framed(screens)
            await screens.pilot.resize_terminal(40, 10)
            await screens.until_seen("━", {"en": "Tab list", "ko": "Tab 목록"}[language])
            await screens.press("tab")
            await screens.until_seen("#L9-L12", {"en": "Tab text", "ko": "Tab 본문"}[language])
            await screens.pilot.resize_terminal(20, 10)
            await screens.until(lambda: all(cell_len(row) == 20 for row in screens.lines()))
            row = next(at for at, line in enumerate(screens.lines()) if "F1" in line)
            await screens.pilot.click(offset=(screens.lines()[row].index("F1"), row))
            await screens.until_seen({"en": "Copy the address", "ko": "주소 복사"}[language][:8])
            await screens.pilot.resize_terminal(100, 30)
            await screens.until(lambda: all(cell_len(row) == 100 for row in screens.lines()))
            _assert_framed(screens)

    asyncio.run(run())


@pytest.mark.parametrize("width", [9, 20, 30, 60])
def test_a_long_address_keeps_its_place_in_the_file_whatever_is_cut(width: int) -> None:
    address = "guides/설치와 설정/한국어 안내서.md#L120-L134"
    shown = squeeze(show(address), width)
    assert shown.cell_len <= width
    assert shown.plain == address or (
        ".." in shown.plain and address.endswith(shown.plain.partition("..")[2])
    )
    assert shown.plain.endswith("-L134"[-width // 3 :])


def test_of_ten_thousand_hits_those_in_the_window_are_drawn(config: Path, open_screens: Any) -> None:
    drawn: set[int] = set()

    def make(number: int) -> Item:
        return Item(
            lambda _: [drawn.add(number) or show(f"hit {number}"), show("text"), show("place")],
            str(number),
            None,
            3,
        )

    async def run() -> None:
        async with open_screens(config) as screens:
            await screens.until_seen("retention.pdf")
            listing = screens.app.screen.listing
            listing.show_items([make(number) for number in range(10_000)], keeps=False)
            await screens.until_seen("hit 0")
            listing.move(9_999)
            await screens.until_seen("hit 9999")
            _assert_framed(screens)
            listing.move(-9_999)
            await screens.until_seen("hit 0")

    asyncio.run(run())
    assert len(drawn) < 100
