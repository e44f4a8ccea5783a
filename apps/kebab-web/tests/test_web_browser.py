"""The page in a real browser: typing, choosing, asking and following a citation, without one foreign request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import chromium
from tests.tui_terminal import open_base, write_notes
from tests.web_server import serve

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web_server import Server

pytestmark = chromium.MARKS
BACKSPACE, ENTER, ESCAPE, DOWN = 8, 13, 27, 40
CTRL = 2


@pytest.fixture(autouse=True)
def _home(browser: chromium.Browser, server: Server) -> None:
    """Begin each test at the first page, whichever came before."""
    browser.set_look(language="en")
    browser.open(f"{server.origin}/")
    browser.wait("document.querySelector('#q') && document.documentElement.classList.contains('scripted')")
    browser.events.clear()


def test_words_find_while_typing_a_hit_opens_beside_and_an_answer_leads_to_its_place(
    browser: chromium.Browser,
) -> None:
    browser.run("document.getElementById('q').focus()")
    browser.type("whole server backed up every Sunday")
    browser.wait("document.querySelector('#hits .hit mark')")
    browser.wait("document.getElementById('status').dataset.stage === 'both'")
    browser.press("ArrowDown", code=DOWN)
    browser.press("Enter", code=ENTER)
    browser.wait("document.querySelector('#doc .cited')")
    assert browser.run("new URLSearchParams(location.search).get('d')").startswith("ops/backup.md#L")
    assert browser.run("document.querySelector('#hits .hit.chosen') !== null")
    browser.press("Escape", code=ESCAPE)
    browser.wait("!document.querySelector('#doc .doc')")

    browser.run("(() => { const q = document.getElementById('q'); q.value = ''; q.focus(); })()")
    browser.type("백업 담당자는 누구입니까?")
    browser.press("Enter", code=ENTER, modifiers=CTRL)
    browser.wait("document.querySelector('#answer .grounded, #answer .unsure')")
    browser.run("document.querySelector('#answer a.cite').focus()")
    browser.wait("!document.getElementById('popover').hidden")
    assert "김지수" in browser.run("document.getElementById('popover').textContent")
    browser.run("document.querySelector('#answer a.cite').click()")
    browser.wait("document.querySelector('#doc .cited mark')?.textContent.includes('김지수')")
    browser.run("history.back()")
    browser.wait(
        "document.querySelector('#answer footer form button') && !document.querySelector('#doc .doc')"
    )
    browser.run("document.querySelector('#answer footer form button').click()")
    browser.wait("location.pathname.startsWith('/s/') && document.querySelector('.talk .answer')")


def test_keys_lead_to_names_related_documents_and_back_one_step_at_a_time(browser: chromium.Browser) -> None:
    browser.run("document.getElementById('q').focus()")
    browser.press("k", code=ord("K"), modifiers=CTRL)
    browser.wait("document.querySelector('#switcher[open] #names a.chosen')")
    browser.type("network")
    browser.wait("document.querySelector('#names a.chosen')?.dataset.d === 'ops/network.md'")
    browser.press("Enter", code=ENTER)
    browser.wait("document.querySelector('#doc .doc')?.dataset.address === 'ops/network.md'")
    assert not browser.run("document.getElementById('switcher').open")
    browser.run("document.activeElement.blur()")
    browser.press("r", code=ord("R"))
    browser.wait("document.querySelector('#related li')")
    browser.press("?", code=ord("?"))
    browser.wait("document.querySelector('#keys:popover-open')")
    browser.press("Escape", code=ESCAPE)
    browser.wait("!document.querySelector('#keys:popover-open')")
    browser.press("Escape", code=ESCAPE)
    browser.wait("!document.querySelector('#doc .doc')")


def test_filters_belong_to_what_is_typed_and_stay_when_the_box_is_emptied(browser: chromium.Browser) -> None:
    browser.run("document.getElementById('q').focus()")
    browser.type("backup")
    browser.wait("document.getElementById('status')?.dataset.stage === 'both'")
    browser.run("document.querySelector('a[data-into=choices]').click()")
    browser.wait("document.querySelector('#choices a[href*=\"tag=ops\"]')")
    browser.run("document.querySelector('#choices a[href*=\"tag=ops\"]').click()")
    browser.wait(
        "document.querySelector('.chip.on') && document.documentElement.classList.contains('scripted')"
    )
    assert browser.run("location.search") == "?q=backup&tag=ops"
    browser.run("(() => { const q = document.getElementById('q'); q.focus(); q.select(); })()")
    browser.type("restore")
    browser.wait("new URLSearchParams(location.search).get('q') === 'restore'")
    assert browser.run("document.querySelector('.chip.on').search") == "?q=restore"
    browser.run("(() => { const q = document.getElementById('q'); q.focus(); q.select(); })()")
    browser.press("Backspace", code=BACKSPACE)
    browser.wait("document.querySelector('.home .chip.on')")
    assert browser.run("new URLSearchParams(location.search).get('tag')") == "ops"


def test_a_server_that_is_gone_is_told_and_the_page_stays(tmp_path: Path) -> None:
    with open_base(write_notes(tmp_path, {"a.md": "# A\n\nOn tapirs.\n"})) as app:
        app.ingest()
    with chromium.start_chromium("--lang=en") as browser, serve(tmp_path) as server:
        browser.open(server.make_address())
        browser.wait("location.pathname === '/' && document.documentElement.classList.contains('scripted')")
        browser.run("document.getElementById('q').focus()")
        browser.type("tapirs")
        browser.wait("document.querySelector('#hits .hit mark')")
        server.process.kill()
        server.process.wait()
        browser.press("Enter", code=ENTER, modifiers=CTRL)
        browser.wait("!document.getElementById('lost').hidden")
        assert (
            browser.run("document.getElementById('lost').textContent") == "Run kebab web again in a terminal"
        )
        assert browser.run("document.querySelector('#hits .hit mark') !== null")
        assert browser.run("document.getElementById('answer').childElementCount") == 0


def test_a_long_document_goes_on_while_it_is_scrolled(tmp_path: Path) -> None:
    lines = "\n".join(f"line {n} of the log" for n in range(5000))
    with open_base(write_notes(tmp_path, {"long.txt": lines})) as app:
        app.ingest()
    with chromium.start_chromium("--lang=en") as browser, serve(tmp_path) as server:
        browser.open(server.make_address())
        browser.wait("location.pathname === '/' && document.documentElement.classList.contains('scripted')")
        browser.open(f"{server.origin}/?d=long.txt%23L2500")
        browser.wait("document.querySelector('#cited') && document.querySelector('#doc a[rel=next]')")
        browser.wait(
            "[document.querySelector('#doc').scrollTo(0, 1e9), !document.querySelector('#doc a[rel=next]')][1]"
        )
        for first in (701, 1):
            browser.run("document.querySelector('#doc a[rel=prev]').click()")
            browser.wait(f"document.querySelector('#doc [data-l]').dataset.l === '{first}'")
        numbers = "[...document.querySelectorAll('#doc [data-l]')].map((each) => Number(each.dataset.l))"
        assert browser.run(numbers) == [*range(1, 5001)]


def test_words_of_the_query_are_marked_on_the_picture_of_a_page(
    server: Server, browser: chromium.Browser
) -> None:
    for address, count in (("retention.pdf%23p=2%26char=0,33", 2), ("retention.pdf%23p=2", 1)):
        browser.open(f"{server.origin}/?q=retained&d={address}")
        browser.wait("document.querySelector('#doc .page img')?.complete")
        rectangles = browser.run(
            "[...document.querySelectorAll('#doc .page rect')].map((each) => each.getBoundingClientRect().toJSON())"
        )
        picture = browser.run("document.querySelector('#doc .page img').getBoundingClientRect().toJSON()")
        assert len(rectangles) == count
        word, whole = rectangles[-1], rectangles[0] if count > 1 else picture
        assert whole["left"] < word["left"] < word["right"] < whole["right"]
        assert 0 < word["width"] < picture["width"] / 4
        assert picture["top"] < word["top"] < word["bottom"] < picture["top"] + picture["height"] / 4


def test_a_syllable_that_is_being_composed_is_searched_and_its_keys_belong_to_the_input_method(
    browser: chromium.Browser,
) -> None:
    browser.run("(() => { const q = document.getElementById('q'); q.value = ''; q.focus(); })()")
    browser.call("Input.imeSetComposition", text="백업", selectionStart=2, selectionEnd=2)
    browser.wait("document.querySelector('#hits')?.textContent.includes('백업 회의록')")
    assert browser.run("document.getElementById('q').value") == "백업"
    browser.call("Input.insertText", text="백업")
    browser.call("Input.imeSetComposition", text=" 담당", selectionStart=3, selectionEnd=3)
    browser.call(
        "Input.imeSetComposition", text=" 담", selectionStart=2, selectionEnd=2
    )  # a syllable taken back
    browser.call("Input.insertText", text=" 담")
    browser.type("당자 backup")
    assert browser.run("document.getElementById('q').value") == "백업 담당자 backup"
    browser.wait("document.querySelector('#hits')?.textContent.includes('백업 회의록')")


def test_nothing_of_a_hostile_note_runs_and_nothing_foreign_is_asked_for(
    server: Server, browser: chromium.Browser
) -> None:
    for document in ("hostile.md", "hostile.html", "hostile.eml", "hostile.ipynb", "hostile.svg"):
        browser.open(f"{server.origin}/?q=trap&d={document}")
        browser.wait("document.querySelector('#doc .doc-body')")
        assert browser.run("document.title") != "owned"
        assert browser.run("getComputedStyle(document.body).display") != "none"
    assert browser.complaints == []
    assert not [each for each in browser.addresses if not each.startswith((server.origin, "about:", "data:"))]


def test_a_narrow_window_shows_one_pane_and_never_scrolls_sideways(
    server: Server, browser: chromium.Browser
) -> None:
    browser.call(
        "Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True
    )
    for path, shown, hidden in (
        ("/?q=backup", ".left", ".right"),
        ("/?q=backup&d=ops/backup.md%23L11", ".right", ".left"),
    ):
        browser.open(f"{server.origin}{path}")
        visible = "getComputedStyle(document.querySelector('{}')).display !== 'none'"
        assert browser.run(visible.format(shown))
        assert not browser.run(visible.format(hidden))
        assert browser.run("document.documentElement.scrollWidth <= 390")
    browser.call("Emulation.clearDeviceMetricsOverride")
