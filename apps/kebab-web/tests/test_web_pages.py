"""The pages without scripts: search, documents with what is cited, answers, library and health, in both languages."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import cast

import httpx
import pytest
from kebab_app import AnswerChoice, App, SystemClock
from kebab_config import load_settings
from kebab_core import AssetStarted, IngestEvent, ScanCompleted
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.tables import walk
from kebab_web import Entrance
from kebab_web.options import Options
from kebab_web.pages import library
from kebab_web.site import STATIC, Site, Suggestions
from kebab_words import Words
from PIL import Image
from starlette.requests import Request
from starlette.responses import StreamingResponse

from tests.tui_terminal import open_base, write_notes
from tests.web_server import Server, serve, wait_for_work

pytestmark = pytest.mark.enable_socket


def test_a_search_shows_hits_and_beside_them_the_document_with_the_cited_lines(client: httpx.Client) -> None:
    page = client.get("/", params={"q": "backed up every Sunday", "d": "ops/backup.md#L11"}).text
    assert re.search(r"<mark>backed up</mark>|<mark>backed</mark>", page)
    cited = re.findall(r'<li data-l="([\d-]+)" class="cited" id="cited">(.*?)</li>', page)
    assert cited == [
        (
            "11-11",
            "The whole server is <mark>backed</mark> <mark>up</mark> <mark>every</mark> <mark>Sunday</mark> at 03:00.",
        )
    ]
    assert 'href="/d/restore-drill"' in page
    assert 'href="/d/ops/network.md"' in page
    drill = client.get("/d/restore-drill").text
    assert drill.count("first Monday of each quarter") == 1
    assert re.search(r'<time datetime="2020-02-0\d" title="2020-02-0\d">\d years ago</time>', drill)


def test_further_passages_without_headings_are_named_by_their_places(client: httpx.Client) -> None:
    got = client.get("/x/hits", params={"q": "retained retention"})
    assert got.status_code == 200
    assert re.search(r'href="[^"]*retention\.pdf[^>]*>› retention\.pdf#p=\d', got.text), got.text


def test_a_snippet_begins_on_the_line_that_matches(client: httpx.Client) -> None:
    page = client.get("/", params={"q": "grandtotal"}).text
    snippet = page.partition('class="snippet"')[2].partition("</span>")[0]
    assert "soup" not in snippet
    assert "… " in snippet
    assert "<mark>grandtotal</mark>" in snippet


@walk(
    ("address", "cited"),
    [
        ("retention.pdf#p=2&char=0,33", r'<rect [^>]*id="cited"'),
        ("costs.csv#L3", r"archive storage"),
        ("tool.py#L2", r'class="line cited" id="cited" data-l="2"'),
        ("tool.py#L1", r'class="line cited" id="cited" data-l="1"'),
        ("회의/백업.md#L6", r'class="cited" id="cited">담당자는 김지수'),
    ],
)
def test_each_kind_of_document_marks_what_is_cited(client: httpx.Client, address: str, cited: str) -> None:
    got = client.get("/x/doc", params={"d": address})
    assert got.status_code == 200, got.text
    assert re.search(cited, got.text), got.text


def test_lines_of_code_stand_one_below_the_other(client: httpx.Client) -> None:
    lines = re.findall(r"</i>(.*?)</span>", client.get("/d/tool.py").text, re.DOTALL)
    assert lines == ["def rotate_copies(folder):\n", "    return sorted(folder)\n"]


def test_a_page_of_a_pdf_is_a_picture_that_the_browser_keeps(client: httpx.Client) -> None:
    got = client.get("/page/retention.pdf/2.png?w=300")
    assert (got.headers["content-type"], got.content[:4]) == ("image/png", b"\x89PNG")
    assert got.headers["cache-control"].startswith("private")


@walk(
    ("question", "look", "said"),
    [
        ("How long is mail retained?", "grounded", "seven years"),
        ("xyzzyqwv", "refused", "Nothing in your documents"),
    ],
)
def test_a_question_of_a_form_leads_to_the_page_of_its_answer(
    server: Server, client: httpx.Client, *, question: str, look: str, said: str
) -> None:
    got = client.post("/ask", data={"q": question}, headers={"Origin": server.origin}, follow_redirects=True)
    assert got.status_code == 200
    assert got.url.path.startswith("/a/ret_")
    assert f'class="answer {look}"' in got.text
    assert said in got.text
    assert ("quoted word for word" in got.text) == (look == "grounded")
    assert question in client.get("/a").text


def test_a_citation_leads_to_its_exact_words_in_the_document(server: Server, client: httpx.Client) -> None:
    headers = {"Origin": server.origin}
    page = client.post(
        "/ask", data={"q": "What does the firewall allow?"}, headers=headers, follow_redirects=True
    )
    quote = re.search(r'<blockquote class="cited">(.*?)</blockquote>', page.text, re.DOTALL)
    assert quote is not None
    assert ">The firewall allows port 443 only.</p>" in quote[1]
    link = re.findall(r'class="cite open" href="([^"#]*c=[^"#]*)', page.text)[0].replace("&amp;", "&")
    shown = client.get(link).text
    assert "<mark>The firewall allows port 443 only.</mark>" in shown
    assert (
        "<mark>"
        not in client.get(re.sub("c=ret_[0-9a-f]*", "c=ret_0000000000000000", link)).text.partition(
            "doc-body"
        )[2]
    )


def test_an_answer_streams_what_was_found_its_text_and_then_itself(client: httpx.Client) -> None:
    headers = {"X-Kebab": "1"}
    job = client.post("/x/ask", data={"q": "백업은 언제 받습니까?"}, headers=headers).json()["id"]
    stream = client.get(f"/x/ask/{job}").text
    kinds = re.findall(r"^event: (\w+)$", stream, re.MULTILINE)
    assert kinds[0] == "found"
    assert kinds[-2:] == ["final", "end"]
    assert "매주 일요일 새벽 3시" in stream
    assert client.get(f"/x/ask/{job}").text == stream


def test_a_form_may_have_letters_that_are_not_encoded(server: Server, client: httpx.Client) -> None:
    headers = {"Origin": server.origin, "Content-Type": "application/x-www-form-urlencoded"}
    got = client.post(
        "/ask", content="q=백업은 언제 받습니까?".encode(), headers=headers, follow_redirects=True
    )
    assert '<h1 class="question">백업은 언제 받습니까?</h1>' in got.text


def test_a_conversation_begins_with_an_answer_and_goes_on_with_what_is_asked_there(
    server: Server, client: httpx.Client
) -> None:
    headers = {"Origin": server.origin}
    page = client.post(
        "/ask", data={"q": "How long is mail retained?"}, headers=headers, follow_redirects=True
    )
    trace = page.url.path.removeprefix("/a/")
    begun = client.post("/s", data={"trace": trace}, headers=headers, follow_redirects=True)
    assert begun.url.path == "/s/How long is mail retained?"
    assert begun.text.count('class="answer grounded"') == 1
    data = {"q": "What does the firewall allow?", "session": "How long is mail retained?"}
    gone_on = client.post("/ask", data=data, headers=headers, follow_redirects=True)
    assert gone_on.url.path == begun.url.path
    assert gone_on.text.count('class="question"') == 2
    assert "port 443 only" in gone_on.text
    assert "How long is mail retained?" in client.get("/s").text
    assert client.get("/s/none").status_code == 400


def test_a_turn_whose_answer_is_deleted_does_not_say_that_documents_support_it(
    server: Server, client: httpx.Client
) -> None:
    headers = {"Origin": server.origin}
    page = client.post(
        "/ask", data={"q": "What does the firewall allow?"}, headers=headers, follow_redirects=True
    )
    trace = page.url.path.removeprefix("/a/")
    begun = client.post("/s", data={"trace": trace}, headers=headers, follow_redirects=True)
    assert "answer grounded" in begun.text
    with App(
        load_settings(config_path=server.folder / "kebab.toml", environ={"HOME": str(server.folder)})
    ) as app:
        app.delete_answers(app.find_answers(AnswerChoice(ids=(trace,))))
    left = client.get(str(begun.url)).text
    assert "answer grounded" not in left
    assert "no longer stored" in left


def test_what_keeps_files_from_being_found_is_told_with_a_button_for_what_helps(
    server: Server, client: httpx.Client
) -> None:
    broken = server.folder / "notes" / "broken.docx"
    broken.write_bytes(b"no office file")
    client.post("/library/read", headers={"Origin": server.origin})
    wait_for_work(client)
    library = client.get("/library").text
    assert re.search(r'id="failed".*broken\.docx.*no Office file', library, re.DOTALL)
    assert "1 file could not be read" in client.get("/x/work").json()["html"]
    broken.unlink()
    health = client.get("/health").text
    assert re.search(r'<li class="bad">.*files_readable.*<li class="ok">', health, re.DOTALL)
    named = re.findall(r'class="name" title="(\w+)">([^<]*)<', health)
    assert [check for check, name in named if check == name] == []
    assert "`" not in health.partition("<main")[2]
    for do in ("verify_files", "embed", "ingest"):
        client.post("/library/read", data={"do": do}, headers={"Origin": server.origin})
        wait_for_work(client)
    assert 'id="failed"' not in client.get("/library").text


def test_what_several_checks_find_is_one_row_with_one_button(tmp_path: Path) -> None:
    with open_base(write_notes(tmp_path, {"a.md": "# A\n\nOn tapirs.\n"})) as app:
        app.ingest()
        database = app.base.loaded.paths.data_dir / "kebab.sqlite"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE schema_meta SET value = '11' WHERE key = 'schema_version'")
    with serve(tmp_path) as server:
        client = server.connect()
        page = client.get("/health").text
        assert page.count('class="bad"') == page.count("Repair</button>") == 1
        assert "Also found by: Damage in the database, Search by words" in page
        mended = client.post("/health/repair", headers={"Origin": server.origin}).text
        assert "Also found by" not in mended
        assert 'class="bad"' not in mended
        client.close()


def test_a_run_of_another_process_is_shown_with_the_file_in_hand(
    server: Server, client: httpx.Client
) -> None:
    (server.folder / "notes" / "slow.md").write_text("# Slow\n\nOn sloths.\n", encoding="utf-8")
    clock, seen = FixedClock(SystemClock().now()), []

    def look(event: IngestEvent) -> None:
        if isinstance(event, ScanCompleted):
            clock.advance(timedelta(seconds=2))
        elif isinstance(event, AssetStarted):
            seen.append(client.get("/x/work").json())

    settings = load_settings(config_path=server.folder / "kebab.toml", environ={"HOME": str(server.folder)})
    with App(settings, clock=clock) as app:
        app.ingest(sink=look)
    (shown,) = seen
    assert shown["running"]
    assert f"Another kebab is writing (pid {os.getpid()})" in shown["html"]
    assert '<span class="path">slow.md</span>' in shown["html"]


def test_the_health_page_shows_each_check_before_the_next_one_runs(tmp_path: Path) -> None:
    config = write_notes(tmp_path, {"a.md": "# A\n\nOn tapirs.\n"})
    head = {"type": "http", "method": "GET", "path": "/health", "headers": [], "query_string": b""}

    async def read(site: Site) -> str:
        sent = ""
        async for part in cast("StreamingResponse", library.health(site, Request(head))).body_iterator:
            sent += str(part)
            if "Settings" in sent and sent.endswith("</li>\n"):
                shutil.rmtree(tmp_path / "notes", ignore_errors=True)
        return sent

    with open_base(config) as app:
        app.ingest()
        site = Site(
            app, Entrance(tmp_path, app.base.clock), Options(config=config, readonly=False, debug=False)
        )
        page = asyncio.run(read(site))
        site.stop()
    assert re.search(
        r'<li class="ok">.*title="config_loaded".*<li class="bad">.*"workspace_readable"', page, re.DOTALL
    )
    assert "Something needs attention" in page


@walk(
    ("language", "words"),
    [
        ("ko-KR,ko;q=0.9", ("서재", "질문", "최근에 바뀐 문서")),
        ("en", ("Library", "Ask", "Recently changed")),
    ],
)
def test_pages_speak_the_language_of_the_browser(
    client: httpx.Client, language: str, words: tuple[str, ...]
) -> None:
    page = client.get("/", headers={"Accept-Language": language}).text
    assert [word for word in words if word not in page] == []
    for path in ("/library", "/a", "/health", "/settings", "/nothing", "/?q=backup", "/d/tool.py"):
        got = client.get(path, headers={"Accept-Language": language})
        assert f'<html lang="{language[:2]}"' in got.text


def test_filters_are_chips_that_can_be_taken_out(client: httpx.Client) -> None:
    page = client.get("/", params={"q": "port", "path_glob": "ops/"}).text
    assert 'class="chip on" href="/?q=port"' in page
    assert "Network" in page
    page = client.get("/", params={"q": "port", "tag": "ops", "path_glob": "회의/"}).text
    assert "The filters leave nothing" in page
    assert re.search(r'<a href="/\?q=port&amp;tag=ops">\d without 회의/</a>', page)


def test_filters_are_offered_with_their_numbers_under_those_in_force(client: httpx.Client) -> None:
    for path in ("/filters", "/x/filters"):
        page = client.get(path, params={"q": "backup", "tag": "ops"}).text
        offered = re.findall(r'class="chip" href="([^"]*)">([^<]*)(?: <small>(\d+)</small>)?</a>', page)
        assert ("/?q=backup&amp;tag=ops&amp;media=markdown", "Markdown", "1") in offered
        assert ("/?q=backup&amp;tag=ops&amp;lang=en", "English", "1") in offered
        assert ("/?q=backup&amp;tag=ops&amp;since=7d", "Last 7 days", "") in offered
        assert not [label for _, label, _ in offered if label == "#ops"]
    korean = client.get("/?q=backup&lang=ko&media=office", headers={"Accept-Language": "ko"}).text
    assert re.findall(r'class="chip on"[^>]*>([^<]*)<', korean) == ["한국어", "오피스 문서"]


def test_a_long_document_is_shown_around_its_place_with_links_to_what_is_before_and_after(
    tmp_path: Path,
) -> None:
    sections = "".join(
        f"## Section {n}\n\n```sh\n# no heading\n```\n\nText {n} tells of tapirs.\n\n" for n in range(400)
    )
    rows = "".join(f"<tr><td>row {n}</td><td>{n}</td></tr>" for n in range(3000))
    notes = {"long.md": f"# Long\n\n{sections}", "rows.html": f"<p>Rows</p><table>{rows}</table>"}
    with open_base(write_notes(tmp_path, notes)) as app:
        app.ingest()
    with serve(tmp_path) as server, closing(server.connect()) as client:
        for address, pattern, count in (
            ("long.md#L1001", r">Section (\d+)</h2>", 400),
            ("rows.html#L1", r"<td>row (\d+)</td>", 3000),
        ):
            around = client.get("/x/doc", params={"d": address}).text
            seen = [*map(int, re.findall(pattern, around))]
            assert 'id="cited"' in around or 'class="cited"' in around
            for rel, joined in (("prev", lambda old, new: new + old), ("next", lambda old, new: old + new)):
                page = around
                while link := re.search(rf'rel="{rel}" href="([^"]*)" data-part="([^"]*)"', page):
                    alone, page = (client.get(unescape(each)).text for each in link.groups())
                    part = [*map(int, re.findall(pattern, page))]
                    assert part
                    assert part == [*map(int, re.findall(pattern, alone))]
                    seen = joined(seen, part)
            assert seen == [*range(count)]
        outline = client.get("/outline", params={"d": "long.md"}).text
        assert [*map(int, re.findall(r">Section (\d+)</a>", outline))] == [*range(400)]


def test_further_passages_of_one_section_are_told_apart(tmp_path: Path) -> None:
    notes = {
        "a.md": "# A\n\n## Tapirs\n\n"
        + "\n\n".join(f"On tapirs, {n}. {'They eat leaves. ' * 90}" for n in range(3))
    }
    with open_base(write_notes(tmp_path, notes)) as app:
        app.ingest()
    with serve(tmp_path) as server:
        client = server.connect()
        hits = client.get("/x/hits", params={"q": "tapirs", "stage": "words"}).text
        client.close()
    further = [" ".join(name.split()) for name in re.findall(r"› ([^<]*)</a>", hits)]
    assert len(further) == len(set(further)) > 1
    assert all(re.fullmatch(r"Tapirs L\d+(-L\d+)?", name) for name in further)


def test_more_results_follow_the_first_and_a_filter_alone_lists_what_passes_it(tmp_path: Path) -> None:
    notes = {f"{'old' if n < 3 else 'new'}/{n:02}.md": f"# Note {n:02}\n\nOn tapirs.\n" for n in range(11)}
    with open_base(write_notes(tmp_path, notes)) as app:
        app.ingest()
    with serve(tmp_path) as server:
        client = server.connect()
        first = client.get("/x/hits", params={"q": "tapir", "stage": "words", "unfinished": "1"}).text
        assert "first 8 documents" in first
        found = re.search(r'href="(/\?[^"]*)" data-part="(/x/hits[^"]*)"', first)
        assert found is not None
        for target in map(unescape, found.groups()):
            more = client.get(target).text
            assert "3 documents" in more
            assert 'id="next"' not in more
            seen = re.findall(r'class="hit open[^>]*data-d="([^"#]*)', first + more)
            assert sorted(seen) == sorted(notes)
        page = client.get("/", params={"path_glob": "old/"}).text
        assert sorted(re.findall(r'class="open"[^>]*data-d="([^"]*)"', page)) == [
            f"old/{n:02}.md" for n in range(3)
        ]
        client.close()


def test_changed_files_are_read_from_the_library(server: Server, client: httpx.Client) -> None:
    (server.folder / "notes" / "new.md").write_text(
        "# New\n\nThe umbrella stand is green.\n", encoding="utf-8"
    )
    got = client.post("/library/read", headers={"Origin": server.origin}, follow_redirects=True)
    assert got.status_code == 200
    wait_for_work(client)
    assert "stand is green" in client.get("/x/hits", params={"q": "umbrella"}).text


def test_a_picture_in_a_note_is_shown_from_the_base_and_no_other_is_asked_for(client: httpx.Client) -> None:
    page = client.get("/d/ops/network.md").text
    assert re.findall(r"<img src=\"(/picture[^\"]*)\"", page) == [
        "/picture?d=ops%2Fnetwork.md&amp;src=rack.png"
    ]
    for asked in ("d=ops/rack.png", "d=ops/network.md&src=rack.png", "d=회의/백업.md&src=rack.png"):
        got = client.get(f"/picture?{asked}")
        assert (got.headers["content-type"], got.content[:4]) == ("image/png", b"\x89PNG")
        assert "sandbox" in got.headers["content-security-policy"]
    for refused, status in (
        ("d=ops/backup.md", 400),
        ("d=ops/network.md&src=../../kebab.toml", 404),
        ("d=ops/network.md&src=/etc/passwd", 404),
    ):
        got = client.get(f"/picture?{refused}")
        assert (got.status_code, got.headers["content-type"]) == (status, "text/html; charset=utf-8")


def test_a_region_of_a_picture_is_marked_in_it_and_what_browsers_do_not_show_is_drawn(
    client: httpx.Client,
) -> None:
    page = client.get("/d/ops/scan.tif%23p=2%26xywh=10,20,30,8").text
    assert '<rect x="6" y="16" width="38" height="16"' in page
    shown = re.search(r'<img src="(/picture[^"]*)"', page)
    assert shown is not None
    got = client.get(shown[1].replace("&amp;", "&"))
    assert got.headers["content-type"] == "image/png"
    assert Image.open(BytesIO(got.content)).getpixel((0, 0)) == (0, 0, 255)


@walk(
    ("typed", "found"),
    [
        ("restore dr", "Restore drill"),
        ("firew", "Network"),
        ("백업 담ㄷ", "백업 회의록"),
        ("backup ", "Backup procedure"),
    ],
)
def test_half_a_word_finds_while_it_is_typed(client: httpx.Client, typed: str, found: str) -> None:
    got = client.get("/x/hits", params={"q": typed, "stage": "words", "unfinished": "1"})
    assert found in got.text


@walk(
    ("query", "marked"),
    [
        ("umbrellastand", "<li>the <mark>umbrellastand</mark> for twelve</li>"),
        ("wheelbarrow", "<td><mark>wheelbarrow</mark></td>"),
    ],
)
def test_words_are_marked_in_items_and_cells(client: httpx.Client, *, query: str, marked: str) -> None:
    found = client.get("/x/hits", params={"q": query}).text
    link = re.search(r'href="(/\?q=[^"]*prices[^"]*)#cited"', found)
    assert link is not None
    assert marked in client.get(link[1].replace("&amp;", "&")).text


def test_the_first_run_takes_a_folder_of_this_machine_and_reads_it(tmp_path: Path) -> None:
    notes = tmp_path / "Documents"
    notes.mkdir()
    (notes / "a.md").write_text("# Teapot\n\nThe teapot is blue.\n", encoding="utf-8")
    (tmp_path / "Papers" / "2026").mkdir(parents=True)
    (tmp_path / "Papers" / "2026" / "b.md").write_text("# Ladder\n\nThe ladder is red.\n", encoding="utf-8")
    (tmp_path / "Papers" / ".git").mkdir()
    with serve(tmp_path, config=None, settings={"KEBAB_MODELS_EMBEDDING_PROVIDER": "none"}) as server:
        client = server.connect()
        first = client.get("/").text
        assert f'value="{notes}"' in first
        assert "Markdown 1" in first
        inside = client.get("/start", params={"folder": str(tmp_path / "Papers")}).text
        assert re.findall(r'href="/start[^>]*>([^<]*)<', inside) == [f"← {tmp_path.name}", "2026/"]
        assert "Markdown 1" in inside
        for outside in ("/etc", str(tmp_path.parent), f"{tmp_path}/.."):
            assert "Markdown 1" in client.get("/start", params={"folder": outside}).text
        headers = {"Origin": server.origin}
        assert client.post("/start", data={"folder": "nowhere"}, headers=headers).status_code == 400
        assert client.post("/start", data={"folder": str(notes)}, headers=headers).status_code == 303
        wait_for_work(client)
        assert "The <mark>teapot</mark> is blue" in client.get("/", params={"q": "teapot"}).text
        for again in (notes, tmp_path):
            assert client.post("/start", data={"folder": str(again)}, headers=headers).status_code == 400
        assert "Papers/" in client.get("/start", params={"folder": str(tmp_path)}).text
        added = client.post("/start", data={"folder": str(tmp_path / "Papers")}, headers=headers)
        assert added.status_code == 303
        wait_for_work(client)
        assert "The <mark>ladder</mark> is red" in client.get("/", params={"q": "ladder"}).text
        client.close()


def test_a_setting_is_changed_in_the_file_and_in_force_at_once(tmp_path: Path) -> None:
    with open_base(write_notes(tmp_path, {f"{n}.md": f"# {n}\n\nOn tapirs.\n" for n in range(3)})) as app:
        app.ingest()
    with (
        serve(tmp_path, settings={"KEBAB_SEARCH_DEFAULT_K": "9"}) as server,
        closing(server.connect()) as client,
    ):
        headers = {"Origin": server.origin}
        form = client.get("/settings", params={"key": "search.snippet_chars"}).text
        assert re.findall(r'name="key" value="([^"]*)"', form) == ["search.snippet_chars"]
        refused = client.post(
            "/settings", data={"key": "search.snippet_chars", "value": "many"}, headers=headers
        )
        assert (refused.status_code, "many" in refused.text) == (400, True)
        for key, value in (("search.snippet_chars", "120"), ("models.embedding.provider", "none")):
            got = client.post("/settings", data={"key": key, "value": value}, headers=headers)
            assert (got.status_code, got.headers["location"]) == (303, f"/settings#{key}")
        assert "snippet_chars = 120" in (tmp_path / "kebab.toml").read_text("utf-8")
        page = client.get("/settings").text
        assert re.search(r'id="search.snippet_chars" class="set".*?>120</a>.*?from the file', page, re.DOTALL)
        assert "key=search.default_k" not in page
        assert "tapirs" in client.get("/x/hits", params={"q": "tapirs"}).text


@walk(
    ("typed", "found"),
    [
        ("restore dr", "ops/restore-drill.md"),
        ("ㅂㅇ", "회의/백업.md"),
        ("heal", 'href="/health"'),
        ("", 'class="open" data-d='),
    ],
)
def test_the_switcher_finds_documents_and_pages_by_name(
    client: httpx.Client, *, typed: str, found: str
) -> None:
    for path in ("/name", "/x/name"):
        assert found in client.get(path, params={"q": typed}).text


def test_related_documents_are_those_that_a_document_links_to_and_that_link_to_it(
    client: httpx.Client,
) -> None:
    for path in ("/related", "/x/related"):
        page = client.get(path, params={"d": "ops/backup.md"}).text
        assert re.search(r"Restore drill.*linked from here", page)
    assert re.search(r"Backup procedure.*links here", client.get("/related?d=ops/network.md").text)


def test_a_file_is_opened_in_the_editor_at_its_line_without_a_shell(
    server: Server, client: httpx.Client
) -> None:
    editor, opened = server.folder / "kate", server.folder / "opened"
    editor.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >"{opened}.new"\nmv "{opened}.new" "{opened}"\n', encoding="utf-8"
    )
    editor.chmod(0o755)
    headers = {"Origin": server.origin}
    assert client.post("/open", data={"d": "ops/$(touch x).md"}, headers=headers).status_code == 404
    assert client.post("/open", data={"d": "/etc/passwd"}, headers=headers).status_code == 404
    assert client.post("/open", data={"d": "ops/backup.md#L11"}, headers=headers).status_code == 204
    while not opened.exists():
        pass
    assert opened.read_text("utf-8").split() == ["--line", "11", str(server.folder / "notes/ops/backup.md")]


def test_a_site_at_rest_opens_the_knowledge_base_anew(tmp_path: Path) -> None:
    config = write_notes(tmp_path, {"a.md": "# A\n\nOn tapirs.\n"})
    with open_base(config) as app:
        app.ingest()
        options = Options(config=config, readonly=False, debug=False)
        site = Site(app, Entrance(tmp_path, app.base.clock), options)
        assert site.app.search("tapirs").hits
        site.rest()
        assert site.app is not app
        assert site.app.search("tapirs").hits
        site.stop()


def test_script_and_style_are_at_most_30_kb() -> None:
    assert sum(each.stat().st_size for each in STATIC.iterdir() if each.suffix in {".js", ".css"}) <= 30_000


def test_nothing_found_leads_to_why(client: httpx.Client) -> None:
    page = client.get("/", params={"q": "xyzzyqwv"}).text
    assert 'href="/why?q=xyzzyqwv"' in page
    told = client.get("/why", params={"q": "xyzzyqwv", "file": "ops/backup.md"}).text
    assert "not in the file" in told
    assert client.get("/why", params={"file": "/etc/passwd"}).text.count("etc/passwd") > 0


def test_a_first_run_suggests_questions_that_the_documents_answer(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for name, text in {
        "Teapot": "The teapot is blue and stands in the kitchen.",
        "Ladder": "The ladder is in the shed.",
    }.items():
        (tmp_path / "notes" / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    (tmp_path / "kebab.toml").write_text(
        f'[storage]\ndata_dir = "{tmp_path}/data"\n[models.embedding]\nprovider = "none"\n'
        f'[[workspace.sources]]\nid = "default"\nroot = "{tmp_path}/notes"\n',
        encoding="utf-8",
    )
    settings = load_settings(config_path=tmp_path / "kebab.toml", environ={"HOME": str(tmp_path)})
    with App(settings) as app:
        app.ingest()
        questions = Suggestions(app)
        questions.find(Words("en"), 2)
        questions.wait()
        found = questions.find(Words("en"), 2)
        assert found
        assert all(app.ask(each).grounded for each in found)
        assert app.list_answers(limit=5)[0][0] == found[-1]
