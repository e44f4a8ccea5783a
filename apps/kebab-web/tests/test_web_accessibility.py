"""axe-core finds nothing on any page, in either theme and language: a sample of them, all with `-m thorough`."""

from __future__ import annotations

from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING
from urllib.parse import quote

from kebab_testing.families import sample

from tests import chromium
from tests.web_server import serve

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

    from tests.web_server import Server

pytestmark = chromium.MARKS
_AXE = files("axe_playwright_python").joinpath("axe.min.js")
_CHECK = """axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.flatMap(
    each => each.nodes.map(node => `${each.id}: ${node.html} ${node.any.map(one => one.message)}`)))"""
PAGES = (
    "/",
    "/?q=backup",
    "/?q=backup&tag=ops",
    "/filters?q=backup&tag=ops",
    "/?q=wolpertinger&d=hostile.md",
    "/?q=server&d=ops/backup.md%23L11",
    "/?q=mail&d=retention.pdf%23p%3D2",
    "/?q=rotate_copies&d=tool.py%23L1",
    "/?q=tapes&d=costs.csv",
    "/?q=zzqqzz&m=words",
    "/d/ops/network.md",
    "/a",
    "/library",
    "/health",
    "/settings",
    "/settings?key=search.snippet_chars",
    "/start",
    "/start?folder=.",
    "/s",
    "/name?q=net",
    "/why?q=backup&file=ops/backup.md",
    "/nothing",
    "/enter?code=used",
    f"/?q={quote('백업 담당자')}",
)
QUESTIONS = ("백업 담당자는 누구입니까?", "When is the whole server backed up?", "zzqqzz")


LOOKS = tuple(product(("en", "ko"), ("light", "dark")))


def test_no_page_has_a_finding(server: Server, browser: chromium.Browser, client: httpx.Client) -> None:
    headers = {"Origin": server.origin}
    asked = [client.post("/ask", data={"q": each}, headers=headers).headers["location"] for each in QUESTIONS]
    begun = client.post("/s", data={"trace": asked[0].rpartition("/")[2]}, headers=headers)
    findings = []
    for path in (*PAGES, *asked, begun.headers["location"]):
        for language, theme in _looks_of(path):
            browser.set_look(language=language, theme=theme)
            browser.open(f"{server.origin}{path}")
            assert browser.run("document.documentElement.lang") == language
            findings += _find(browser, f"{path}, {language}, {theme}")
    browser.open(f"{server.origin}{asked[0]}")
    browser.run("document.getElementById('keys-button').click()")
    browser.run("document.querySelector('#answer a.cite').focus()")
    browser.wait("!document.getElementById('popover').hidden")
    findings += _find(browser, "keys and popover")
    assert not findings, "\n".join(findings)


def test_the_first_run_has_no_finding(tmp_path: Path, browser: chromium.Browser) -> None:
    (tmp_path / "Documents").mkdir()
    with serve(tmp_path, config=None) as server:
        browser.set_look(language="ko", theme="light")
        browser.open(server.make_address())
        browser.wait("document.querySelector('form.folder')")
        findings = _find(browser, "the first run")
        assert not findings, "\n".join(findings)


def _looks_of(path: str) -> list[tuple[str, str]]:
    """Return the languages and themes in which a page is looked at: one of the four, all in a thorough run."""
    return sample(LOOKS, key=lambda each: f"{path} {each}")


def _find(browser: chromium.Browser, page: str) -> list[str]:
    """Return the findings of axe on the open page."""
    browser.run(f"{_AXE.read_text('utf-8')};0")
    return [f"{page}: {each}" for each in browser.run(_CHECK)]
