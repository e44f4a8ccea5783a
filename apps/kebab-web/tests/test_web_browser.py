"""The page in a real browser: typing, choosing, asking and following a citation, without one foreign request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import RefusalReason

from tests import chromium
from tests.frame_server import OLLAMA, Reply, chat_replies, ollama_frames, serve_frames
from tests.tui_terminal import open_base, write_notes
from tests.web_server import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.web_server import Server

pytestmark = chromium.MARKS
BACKSPACE, ENTER, ESCAPE, UP, DOWN = 8, 13, 27, 38, 40
ALT, CTRL = 1, 2
PATIENCE_S = 60


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


def test_places_of_one_document_follow_each_other_by_button_and_by_key(
    server: Server, browser: chromium.Browser
) -> None:
    browser.open(f"{server.origin}/?q=retained+retention")
    browser.run("document.querySelector('#hits a.hit[data-d^=\"retention.pdf\"]').click()")
    browser.wait("document.querySelector('#places span')?.textContent === '1/2'")
    first = browser.run("new URLSearchParams(location.search).get('d')")
    browser.run("(() => { const b = document.querySelector('[data-step=\"1\"]'); b.focus(); b.click(); })()")
    browser.wait("document.querySelector('#places span')?.textContent === '2/2'")
    assert browser.run("new URLSearchParams(location.search).get('d')") != first
    assert browser.run("document.activeElement.dataset.step") == "1"
    browser.press("ArrowUp", code=UP, modifiers=ALT)
    browser.wait("document.querySelector('#places span')?.textContent === '1/2'")
    assert browser.run("new URLSearchParams(location.search).get('d')") == first


def test_an_answer_is_stopped_by_a_key_and_a_server_that_is_gone_is_told(
    tmp_path: Path, browser: chromium.Browser
) -> None:
    config = write_notes(
        tmp_path, {"a.md": "# Backup\n\nThe whole server is backed up every Sunday at 03:00.\n"}
    )
    begun = ollama_frames(["The whole server is backed up ", "every Sunday at 03:00. [#2]\n", "It"])[:3]
    with serve_frames(chat_replies(OLLAMA) | {"/api/chat": Reply(begun, ending="silent")}) as model:
        config.write_text(
            config.read_text("utf-8")
            + f'[models.llm]\nprovider = "ollama"\nmodel = "qwen3:4b"\nendpoint = "{model.address}"\n',
            "utf-8",
        )
        with open_base(config) as app:
            app.ingest()
        with serve(tmp_path) as server:
            _enter(browser, server)
            browser.run("document.getElementById('q').focus()")
            browser.type("When is the whole server backed up?")
            browser.wait("document.querySelector('#hits .hit mark')")
            browser.press("Enter", code=ENTER, modifiers=CTRL)
            browser.wait("document.querySelector('#answer .written')?.textContent.includes('every Sunday')")
            browser.press("Escape", code=ESCAPE)
            browser.wait("document.querySelector('#answer .stopped')")
            assert "Stopped; kept so far" in browser.run("document.getElementById('answer').textContent")
            assert "every Sunday" in browser.run("document.getElementById('answer').textContent")
            assert browser.run("document.querySelector('#hits .hit mark') !== null")
            assert model.hung_up.wait(PATIENCE_S)
            with open_base(config) as app:
                assert [answer.refusal_reason for _, answer in app.list_answers(limit=2)] == [
                    RefusalReason.LLM_STREAM_ABORTED
                ]

            server.process.kill()
            server.process.wait()
            browser.press("Enter", code=ENTER, modifiers=CTRL)
            browser.wait("!document.getElementById('lost').hidden")
            lost = browser.run("document.getElementById('lost').textContent")
            assert lost == "Run kebab web again in a terminal"
            assert browser.run("document.querySelector('#hits .hit mark') !== null")
            assert browser.run("document.getElementById('answer').childElementCount") == 0


@pytest.fixture
def _no_scripts(browser: chromium.Browser) -> Iterator[None]:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    yield
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.usefixtures("_no_scripts")
def test_without_scripts_one_searches_reads_asks_and_looks_for_what_is_wrong(
    server: Server, browser: chromium.Browser
) -> None:
    browser.open(f"{server.origin}/")
    assert not browser.run("document.documentElement.classList.contains('scripted')")

    def follow(script: str) -> str:
        """Press something of the page, and return the text of the page that follows."""
        seen = len(browser.events)
        browser.run(script)
        browser.wait_for_event("Page.loadEventFired", seen)
        return str(browser.run("document.body.innerText"))

    box = "document.getElementById('q').value = "
    found = follow(f"{box}'backed up every Sunday'; document.getElementById('form').requestSubmit()")
    assert "Backup procedure" in found
    read = follow("document.querySelector('#hits a.hit').click()")
    assert "Copies are kept for 90 days." in read
    assert browser.run("document.querySelector('#doc .cited mark') !== null")
    why = follow("document.getElementById('why-link').click()")
    assert "Words of the query" in why
    asked = follow(f"{box}'How long is mail retained?'; document.getElementById('ask').click()")
    assert "Mail is retained for seven years." in asked
    cited = follow("document.querySelector('#answer a.cite').click()")
    assert "Page 2 of 2" in cited
    assert "Page 1 of 2" in follow("document.querySelector('[aria-label=\"Previous page\"]').click()")
    health = follow("document.querySelector('nav a[href=\"/health\"]').click()")
    assert "Damage in the database" in health


def test_a_long_document_goes_on_while_it_is_scrolled(tmp_path: Path, browser: chromium.Browser) -> None:
    lines = "\n".join(f"line {n} of the log" for n in range(5000))
    with open_base(write_notes(tmp_path, {"long.txt": lines})) as app:
        app.ingest()
    with serve(tmp_path) as server:
        _enter(browser, server)
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


def _enter(browser: chromium.Browser, server: Server) -> None:
    """Enter another server, and wait for its first page."""
    browser.open(server.make_address())
    browser.wait("location.pathname === '/' && document.documentElement.classList.contains('scripted')")
