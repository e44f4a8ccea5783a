"""Text in pictures on every face: found, quoted with its place and where it was read, drawn, and with the notes that show it."""

from __future__ import annotations

import json
import re
import shutil
from base64 import b64decode
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFont

from tests import chromium
from tests.cli.test_addresses import run_in_terminal
from tests.cli.test_mcp import GREETING, ask, start
from tests.web_server import serve

HANGUL = (Path(__file__).parents[1] / "integration" / "hangul.png").read_bytes()
"""다음 회의는 3월 14일 Studio 5에서 한다. / 합계 26,000"""
FEE = "The mooring fee is 40 euros."
LINES = ("Harbour office", FEE, "Open from 9 to 17")
NOTE = "# Trip\n\nWe moored at the new pier.\n\n- ![the board](img/board.png) beside the gate\n"
BERTHS = ("Rules of the berths", "No anchor is dropped near the ferry.")
READ_EN, READ_KO = "read from a picture", "그림에서 읽음"


def draw_board(*lines: str, kind: str = "PNG", **options: float) -> bytes:
    """Light text on a dark ground."""
    image = Image.new("RGB", (560, 220), "#102030")
    for row, line in enumerate(lines or LINES):
        ImageDraw.Draw(image).text((30, 20 + 65 * row), line, font=ImageFont.load_default(26), fill="white")
    content = BytesIO()
    image.save(content, kind, **options)
    return content.getvalue()


@pytest.fixture(scope="module")
def pictures_once(tmp_path_factory: pytest.TempPathFactory, make_inside) -> Path:  # type: ignore[no-untyped-def]
    base = make_inside(tmp_path_factory.mktemp("pictures"))
    base.notes.mkdir(parents=True, exist_ok=True)
    base.write("trip.md", NOTE)
    base.write("img/board.png", draw_board())
    base.write("회의.md", "# 회의\n\n![[hangul.png]]\n")
    base.write("img/hangul.png", HANGUL)
    base.write("scan.pdf", draw_board(*BERTHS, kind="PDF", resolution=96))
    done = base("ingest")
    assert done.code == 0, done.stderr
    folder: Path = base.folder
    return folder


@pytest.fixture
def pictures(kb, inside, pictures_once: Path):  # type: ignore[no-untyped-def]
    shutil.copytree(pictures_once, kb.folder, dirs_exist_ok=True)
    return inside(kb)


def test_a_hit_of_a_picture_names_the_note_that_shows_it_also_from_inside_of_a_list(pictures) -> None:  # type: ignore[no-untyped-def]
    for query, note in (("mooring fee", "trip.md"), ("다음 회의", "회의.md")):
        hit = next(
            h for h in pictures("--json", "search", query).last["hits"] if h["doc_path"].endswith(".png")
        )
        assert (hit["shown_in"], hit["shown_in_count"]) == ([note], 1)
        assert hit["citation"]["read_from_picture"] is True
    shown = pictures("search", "mooring fee")
    assert READ_EN in shown.stdout
    assert "a picture in trip.md" in shown.stdout
    shown = pictures("search", "다음 회의", env={"KEBAB_LANG": "ko"})
    assert READ_KO in shown.stdout
    assert "회의.md에 있는 그림" in shown.stdout


def test_a_picture_passes_filters_by_path_language_and_date_of_a_note_that_shows_it(pictures) -> None:  # type: ignore[no-untyped-def]
    pictures.write(
        "trips/2024 섬.md", "---\ndate: 2024-05-03\n---\n# 섬 여행\n\n배를 댄 곳이다.\n\n![[board.png]]\n"
    )
    pictures.write("other.md", "![[board.png]]")
    assert pictures("ingest").code == 0
    for flags in (
        ["--path-glob", "trips/**"],
        ["--lang", "ko"],
        ["--until", "2024-06", "--since", "2024-05-03", "--media", "image"],
    ):
        hits = pictures("--json", "search", "mooring fee", *flags).last["hits"]
        hit = next(h for h in hits if h["doc_path"] == "img/board.png")
        assert (hit["shown_in"][0], hit["shown_in_count"]) == ("trips/2024 섬.md", 3)
    for flags in (
        ["--path-glob", "trips/**", "--media", "pdf"],
        ["--path-glob", "trips/**", "--since", "2025"],
    ):
        assert pictures("--json", "search", "mooring fee", *flags).last["hits"] == []
    listed = pictures("--json", "list", "docs", "--path-glob", "trips/**").last["documents"]
    assert [each["doc_path"] for each in listed] == ["trips/2024 섬.md"]


def test_an_answer_from_a_picture_is_cited_by_its_line_and_says_where_it_was_read(pictures) -> None:  # type: ignore[no-untyped-def]
    asked = (
        ("How much is the mooring fee?", FEE, READ_EN, "en"),
        ("다음 회의는 언제 하나요?", "3월 14일", READ_KO, "ko"),
    )
    for question, quote, said, language in asked:
        answer = pictures("--json", "ask", question).last
        cited = next(c["citation"] for c in answer["citations"] if c["marker"])
        assert quote in answer["answer"]
        assert cited["read_from_picture"] is True
        assert cited["h"] < 80  # not the whole picture
        assert quote in pictures("fetch", cited["address"]).stdout
        for flags in ((), ("--hide-citations",)):
            assert said in pictures("ask", question, *flags, env={"KEBAB_LANG": language}).stdout


def test_the_cited_line_is_marked_in_the_picture_and_no_other(pictures) -> None:  # type: ignore[no-untyped-def]
    answer = pictures("--json", "ask", "How much is the mooring fee?").last
    address = next(c["citation"]["address"] for c in answer["citations"] if c["marker"])
    report = pictures("--json", "render", address, "-o", "board.png").last
    (rectangle,) = report["rectangles"]
    assert 60 < rectangle["y"] < 110
    drawn, plain = Image.open(report["file"]), Image.open(BytesIO(draw_board()))
    assert drawn.size == plain.size
    middle = rectangle["y"] + rectangle["h"] // 2
    assert drawn.getpixel((rectangle["x"] - 4, middle)) == (230, 90, 0)
    assert [drawn.getpixel((x, 33)) for x in range(560)] == [plain.getpixel((x, 33)) for x in range(560)]


def test_the_cited_line_of_a_scanned_page_is_marked_on_the_page(pictures) -> None:  # type: ignore[no-untyped-def]
    answer = pictures("--json", "ask", "Where is no anchor dropped?").last
    cited = next(c["citation"] for c in answer["citations"] if c["marker"])
    assert (cited["path"], cited["page"], cited["read_from_picture"]) == ("scan.pdf", 1, True)
    report = pictures("--json", "render", cited["address"], "-o", "scan.png").last
    assert report["page_size"] == {"width": 420, "height": 165}
    (rectangle,) = report["rectangles"]
    assert 0.75 * 85 < rectangle["y"] + rectangle["h"] / 2 < 0.75 * 115
    assert BERTHS[1] in pictures("fetch", cited["address"]).stdout
    assert pictures("--json", "open", cited["address"]).last["page"] == 1


@pytest.mark.enable_socket
def test_the_words_of_a_query_are_marked_on_a_scanned_page_that_is_shown_whole(pictures) -> None:  # type: ignore[no-untyped-def]
    with serve(pictures.folder) as server, closing(server.connect()) as client:
        page = client.get("/x/doc", params={"d": "scan.pdf#p=1", "q": "anchor ferry"}).text
    words = re.findall(r'<rect class="word" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', page)
    boxes = [tuple(map(int, each)) for each in words]
    assert len(boxes) == 2
    assert all(0.75 * 85 < y + h / 2 < 0.75 * 115 and w < 100 for _, y, w, h in boxes)
    assert boxes[0][0] + boxes[0][2] < boxes[1][0]


@pytest.mark.enable_socket
def test_render_marks_the_words_of_a_query_or_a_quote_that_the_page_in_the_browser_marks(pictures) -> None:  # type: ignore[no-untyped-def]
    with serve(pictures.folder) as server, closing(server.connect()) as client:
        page = client.get("/x/doc", params={"d": "scan.pdf#p=1", "q": "anchor ferry"}).text
    shown = re.findall(r'<rect class="word" x="(-?\d+)" y="(-?\d+)"', page)
    report = pictures("--json", "render", "scan.pdf#p=1", "--words", "anchor ferry", "-o", "words.png").last
    words = report["word_rectangles"]
    assert [(int(x) + 1, int(y) + 1) for x, y in shown] == [(each["x"], each["y"]) for each in words]
    drawn = Image.open(report["file"])
    for each in words:
        assert drawn.getpixel((2 * each["x"] + 1, 2 * (each["y"] + each["h"]) + 1)) == (230, 90, 0)

    board = pictures("--json", "render", "img/board.png", "--words", FEE, "-o", "quote.png").last
    assert len(board["word_rectangles"]) == len(FEE.split())
    assert pictures("--json", "render", "img/board.png", "-o", "none.png").last["word_rectangles"] == []
    plain = Image.open(
        pictures("--json", "render", "img/board.png", "--unmarked", "-o", "plain.png").last["file"]
    )
    box = board["word_rectangles"][0]
    assert Image.open(board["file"]).getpixel((box["x"] - 1, box["y"])) == (230, 90, 0)
    assert plain.getpixel((box["x"] - 1, box["y"])) != (230, 90, 0)


def test_a_hit_or_citation_that_is_drawn_by_its_number_has_the_words_of_its_query_or_claim_marked(
    pictures,
) -> None:  # type: ignore[no-untyped-def]
    shown = run_in_terminal(
        pictures,
        "search anchor --mode lexical -k 1 --brief > /dev/null",
        "render @1 --json",
        "ask 'How much is the mooring fee?' > /dev/null",
        "render @1 --json",
    )
    drawn = [json.loads(line) for line in shown.splitlines() if line.startswith("{")]
    assert [(each["address"].partition("#")[0], len(each["word_rectangles"])) for each in drawn] == [
        ("scan.pdf", 1),
        ("img/board.png", len(FEE.split())),
    ]


def test_related_lists_pictures_with_the_notes_that_show_them(pictures) -> None:  # type: ignore[no-untyped-def]
    shown = pictures("--json", "related", "trip.md").last["documents"]
    assert [each["address"] for each in shown if each["relation"] == "links_to"] == ["img/board.png"]
    shown = pictures("--json", "related", "img/hangul.png").last["documents"]
    assert [each["address"] for each in shown if each["relation"] == "linked_from"] == ["회의.md#L3"]


@pytest.mark.browser
@pytest.mark.enable_socket
@pytest.mark.skipif(chromium.PROGRAM is None, reason="Chromium is not installed (apt-get install chromium)")
def test_the_page_in_the_browser_frames_the_line_in_the_picture_beside_the_answer(pictures) -> None:  # type: ignore[no-untyped-def]
    with serve(pictures.folder) as server, chromium.start_chromium("--accept-lang=en") as browser:
        browser.open(server.make_address())
        browser.wait("document.documentElement.classList.contains('scripted')")
        browser.run("document.getElementById('q').focus()")
        browser.type("How much is the mooring fee?")
        browser.press("Enter", code=13, modifiers=2)
        browser.wait("document.querySelector('#answer a.cite')")
        said = "document.querySelector('#answer .cites .warning').textContent"
        assert browser.run(said) == READ_EN
        browser.run("document.querySelector('#answer a.cite').click()")
        browser.wait("document.querySelector('.photo svg')?.getAttribute('viewBox')")
        place = browser.run(
            "(() => { const of = (s) => document.querySelector(s).getBoundingClientRect();"
            " const line = of('.photo rect'), picture = of('.photo img');"
            " return [line.top - picture.top, line.bottom - picture.top].map((y) => y * 220 / picture.height) })()"
        )
        top, bottom = place  # the line's ink is between 91 and 117
        assert 85 < top < 91
        assert 117 < bottom < 123
        address = browser.run("location.pathname + location.search")
        browser.set_look(language="ko")
        browser.open(f"{server.origin}{address}")
        assert browser.run(said) == READ_KO


def test_an_agent_gets_the_picture_with_the_line_marked_and_what_was_read_from_it(pictures) -> None:  # type: ignore[no-untyped-def]
    with start(pictures) as server:
        assert server.stdin is not None
        server.stdin.write(GREETING)
        answer = call(server, "ask", question="How much is the mooring fee?")[0]
        (cited,) = answer["citations"]
        assert cited["read_from_picture"] is True
        hit = call(server, "search", query="mooring fee")[0]["hits"][0]
        assert (hit["read_from_picture"], hit["shown_in"]) == (True, ["trip.md"])
        read, drawn = call(server, "fetch", address=cited["address"], picture=True)
        assert read["text"].strip() == FEE
        marked, plain = Image.open(BytesIO(b64decode(drawn["data"]))), Image.open(BytesIO(draw_board()))
        assert marked.size == plain.size
        assert ImageChops.difference(marked, plain.convert("RGB")).getbbox() is not None
        server.stdin.close()


def call(server, tool: str, **arguments: object):  # type: ignore[no-untyped-def]
    """Return the object of a result, and the picture that comes with it."""
    content = ask(server, "tools/call", name=tool, arguments=arguments)["content"]
    return [json.loads(each["text"]) if each["type"] == "text" else each for each in content]  # type: ignore[attr-defined]
