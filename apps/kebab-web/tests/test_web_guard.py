"""Nobody but the user's browser gets in, and no page lets anything of a document run."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from tests.web_server import Server

pytestmark = pytest.mark.enable_socket

CHANGE = {"X-Kebab": "1"}


def test_a_code_lets_one_browser_in_once_and_the_next_code_ends_the_one_before(server: Server) -> None:
    first, second = server.make_address(), server.make_address()
    with httpx.Client() as browser:
        assert browser.get(first).status_code == 403
        assert browser.get(f"{server.origin}/").status_code == 403
        entered = browser.get(second)
        assert (entered.status_code, browser.get(f"{server.origin}/").status_code) == (200, 200)
        assert "HttpOnly" in entered.headers["set-cookie"]
        assert "samesite=strict" in entered.headers["set-cookie"].lower()
    assert httpx.get(second).status_code == 403


@walk(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"Host": "example.org"}, 421),
        ("GET", "/", {"Host": "127.0.0.1"}, 421),
        ("GET", "/", {"Origin": "https://example.org"}, 403),
        ("GET", "/", {"Origin": "null"}, 403),
        ("GET", "/", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("GET", "/", {"Sec-Fetch-Site": "same-site"}, 403),
        ("GET", "/", {"Sec-Fetch-Site": "none"}, 200),
        ("POST", "/x/ask", {}, 403),
        ("POST", "/ask", {}, 403),
        ("POST", "/library/read", {"Origin": "https://example.org"}, 403),
        ("DELETE", "/x/ask/none", {}, 403),
        ("DELETE", "/x/ask/none", CHANGE, 204),
        ("POST", "/x/ask", {**CHANGE, "Content-Length": "70000"}, 413),
        ("GET", "/static/../process.py", {}, 404),
        ("GET", "/nothing", {}, 404),
        ("GET", "/x/ask/none", {}, 404),
        ("GET", "/a/ret_0000000000000000", {}, 400),
        ("GET", f"/?q={'a' * 2001}", {}, 400),
        ("GET", f"/x/hits?q={'a' * 2001}", {}, 400),
        ("GET", "/x/hits?q=a&since=yesterday-ish", {}, 400),
        ("GET", "/d/%2Fetc%2Fpasswd", {}, 404),
        ("GET", "/d/..%2F..%2Fkebab.toml", {}, 404),
        ("GET", "/page/retention.pdf/9.png", {}, 400),
        ("GET", "/page/tool.py/1.png", {}, 400),
    ],
)
def test_a_request_is_answered_by_who_sends_it_and_what_it_asks(
    client: httpx.Client, *, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    content = b"q=" + b"a" * 69_998 if headers.get("Content-Length") else None
    got = client.request(method, path, headers=headers, content=content)
    assert (got.status_code, method, path) == (status, method, path)
    assert "default-src 'none'" in got.headers["content-security-policy"]
    assert "Traceback" not in got.text


def test_nothing_but_the_style_is_seen_without_the_cookie(server: Server, client: httpx.Client) -> None:
    page = client.get("/").text
    style = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    for path in ("/", "/?q=backup", "/d/ops/backup.md", "/x/work", "/page/retention.pdf/1.png", "/library"):
        got = httpx.get(f"{server.origin}{path}")
        assert (got.status_code, "backup" in got.text.lower()) == (403, False)
    kept = httpx.get(f"{server.origin}{style}")
    assert (kept.status_code, "immutable" in kept.headers["cache-control"]) == (200, True)
    missing = httpx.get(f"{server.origin}{style.rpartition('/')[0]}/no.css")
    assert (missing.status_code, missing.headers["cache-control"]) == (404, "no-store")


@walk(
    ("document", "word"),
    [
        ("hostile.md", "wolpertinger"),
        ("hostile.html", "jackalope"),
        ("hostile.eml", "basilisk"),
        ("hostile.ipynb", "chimera"),
        ("hostile.svg", "griffin"),
    ],
)
def test_a_hostile_document_is_text_without_a_script_a_foreign_picture_or_a_dead_link(
    client: httpx.Client, *, document: str, word: str
) -> None:
    found = client.get("/x/hits", params={"q": word}).text
    assert document in found
    body = client.get(f"/d/{document}").text.partition('<div class="doc-body')[2]
    assert body
    for page in (found, body):
        assert "\u202e" not in page
        tags = Tags(page)
        assert tags.names & {"script", "iframe", "style", "object", "embed"} == set()
        assert [name for name, _ in tags.attributes if name.startswith("on")] == []
        targets = [value for name, value in tags.attributes if name in {"href", "src"}]
        assert [
            each for each in targets if not each.startswith(("/", "#", "mailto:", "https://example.org"))
        ] == []
        assert [each for each in tags.pictures if not each.startswith("/picture?")] == []


class Tags(HTMLParser):
    """Tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names = set[str]()
        self.attributes: list[tuple[str, str]] = []
        self.pictures: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.pictures += [value or "" for name, value in attrs if (tag, name) == ("img", "src")]


def test_what_could_turn_a_line_round_is_seen(client: httpx.Client) -> None:
    body = client.get("/d/hostile.md").text.partition('<div class="doc-body')[2]
    assert "&lt;script&gt;" in body
    assert "\ufffd drow" in body


def test_markup_of_the_product_is_marked_safe_in_three_places_only() -> None:
    source = Path(__file__).parents[1] / "src" / "kebab_web"
    using = {path.name for path in source.rglob("*.py") if "Markup(" in path.read_text("utf-8")}
    assert using == {"marks.py", "panes.py", "answer_view.py"}
    templates = [path.read_text("utf-8") for path in source.glob("templates/*.html")]
    assert not [
        text
        for text in templates
        if "|safe" in text or "autoescape false" in text or "style=" in text or " onclick" in text
    ]
