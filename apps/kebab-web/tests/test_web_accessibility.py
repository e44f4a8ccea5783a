"""axe-core finds nothing on any page, in either theme and language."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from kebab_testing.tables import walk

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
    "/why?q=backup&file=ops/backup.md",
    "/nothing",
    "/enter?code=used",
    f"/?q={quote('백업 담당자')}",
)
QUESTIONS = ("백업 담당자는 누구입니까?", "When is the whole server backed up?", "zzqqzz")


@pytest.fixture(scope="module")
def browser(server: Server) -> Iterator[chromium.Browser]:
    with chromium.start_chromium("--lang=en") as started:
        started.open(server.start_again())
        yield started


@pytest.fixture(scope="module")
def answers(server: Server, client: httpx.Client) -> list[str]:
    headers = {"Origin": server.origin}
    return [client.post("/ask", data={"q": each}, headers=headers).headers["location"] for each in QUESTIONS]


@walk("language", ["en", "ko"])
def test_no_page_has_a_finding(
    server: Server, browser: chromium.Browser, answers: list[str], language: str
) -> None:
    _set_language(browser, language)
    findings = []
    for path in (*PAGES, *answers):
        browser.open(f"{server.origin}{path}")
        assert browser.run("document.documentElement.lang") == language
        findings += _find(browser, path)
    browser.open(f"{server.origin}{answers[0]}")
    browser.run("document.getElementById('keys-button').click()")
    browser.run("document.querySelector('#answer a.cite').focus()")
    browser.wait("!document.getElementById('popover').hidden")
    findings += _find(browser, "keys and popover")
    assert not findings, "\n".join(findings)


def test_the_first_run_has_no_finding(tmp_path: Path) -> None:
    (tmp_path / "Documents").mkdir()
    with serve(tmp_path, config=None) as server, chromium.start_chromium() as browser:
        _set_language(browser, "ko")
        browser.open(server.start_again())
        browser.wait("document.querySelector('form.folder')")
        findings = _find(browser, "the first run")
        assert not findings, "\n".join(findings)


def _set_language(browser: chromium.Browser, language: str) -> None:
    agent = browser.run("navigator.userAgent")
    browser.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=language)


def _find(browser: chromium.Browser, page: str) -> list[str]:
    """Return the findings of axe on the open page, in both themes."""
    browser.run(f"{_AXE.read_text('utf-8')};0")
    findings = []
    for theme in ("light", "dark"):
        features = {"prefers-color-scheme": theme, "prefers-reduced-motion": "reduce"}
        browser.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": name, "value": value} for name, value in features.items()],
        )
        findings += [f"{page}, {theme}: {each}" for each in browser.run(_CHECK)]
    return findings
