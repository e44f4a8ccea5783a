"""Pages of PDFs as pictures: what is cited is inside what is marked, in a file and on a terminal."""

from __future__ import annotations

import re
import shutil
import struct
import zlib
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import pytest
from kebab_testing.pdf_files import HEIGHT, WIDTH, Line, PageSpec, write_pdf
from PIL import Image

ORIENTATION = 0x0112
TREES = ["alder", "birch", "cedar", "ebony", "hazel"]
PLACES = {
    f"{tree} grows in valley {['one', 'two', 'three', 'four'][page - 1]}": (page, Line(60 + 70 * row, 100 + 120 * row, ""))
    for page in (1, 2, 3, 4)
    for row, tree in enumerate(TREES)
}  # fmt: skip
"""Twenty phrases, each with its page and where its line begins."""
PAPER = write_pdf(
    *(
        PageSpec([line._replace(text=text) for text, (own, line) in PLACES.items() if own == page])
        for page in (1, 2, 3, 4)
    )
)
FIRST = "alder grows in valley three"


def read_png(data: bytes) -> tuple[int, int, list[bytes]]:
    """Return width, height and the rows of pixels, three bytes each."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        chunks[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + length]
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    pixels, stride = zlib.decompress(chunks[b"IDAT"]), 3 * width + 1
    return width, height, [pixels[row * stride + 1 : (row + 1) * stride] for row in range(height)]


@pytest.fixture(scope="module")
def papers_once(tmp_path_factory: pytest.TempPathFactory, ingested_once: Path, make_inside) -> Path:  # type: ignore[no-untyped-def]
    base = make_inside(tmp_path_factory.mktemp("papers"))
    shutil.copytree(ingested_once, base.folder, dirs_exist_ok=True)
    base.write("papers/trees & more.pdf", PAPER)
    done = base("ingest")
    assert done.code == 0, done.stderr
    folder: Path = base.folder
    return folder


@pytest.fixture
def papers(kb, inside, papers_once: Path):  # type: ignore[no-untyped-def]
    """A copy that the test may spoil."""
    shutil.copytree(papers_once, kb.folder, dirs_exist_ok=True)
    return inside(kb)


def cited(base, phrase: str) -> dict[str, object]:  # type: ignore[no-untyped-def]
    hit = base("--json", "search", f'"{phrase}"', "--mode", "lexical").last["hits"][0]
    citation: dict[str, object] = hit["citation"]
    return citation


def passage_address(citation: dict[str, object]) -> str:
    return f"{citation['address']}&char={citation['char_start']},{citation['char_end']}"


def covers(rectangle: dict[str, int], line: Line) -> bool:
    across = rectangle["x"] <= line.x + 1 and line.x + 40 <= rectangle["x"] + rectangle["w"]
    return across and rectangle["y"] <= line.y - line.size / 2 <= rectangle["y"] + rectangle["h"]


def test_twenty_phrases_are_cited_to_their_page_and_inside_a_rectangle_on_it(papers) -> None:  # type: ignore[no-untyped-def]
    assert len(PLACES) == 20
    for phrase, (page, line) in PLACES.items():
        found = cited(papers, phrase)
        assert (found["page"], found["page_size"]) == (page, {"width": WIDTH, "height": HEIGHT})
        assert any(covers(each, line) for each in found["rectangles"])  # type: ignore[attr-defined]


def test_what_is_cited_is_marked_in_the_picture_and_nothing_else(papers) -> None:  # type: ignore[no-untyped-def]
    page, line = PLACES[FIRST]
    found = cited(papers, FIRST)
    report = papers(
        "--json", "render", passage_address(found), "-o", str(papers.folder / "page.png"), "--scale", "1"
    ).last
    assert report["schema_version"] == "render_report.v1"
    assert (report["page"], report["width"], report["height"]) == (page, WIDTH, HEIGHT)
    assert report["rectangles"] == found["rectangles"]
    _, _, rows = read_png(Path(str(report["file"])).read_bytes())
    middle = round(line.y - line.size / 2)
    marked = rows[middle][3 * round(line.x) : 3 * round(line.x + 40)]
    assert max(marked[2::3]) < 128
    assert min(marked[0::3]) < 128 < max(marked[0::3])  # ink on yellow
    assert rows[HEIGHT - 20] == b"\xff" * 3 * WIDTH


def test_a_page_alone_and_a_document_alone_are_drawn_without_marks(papers) -> None:  # type: ignore[no-untyped-def]
    for address, page in (("papers/trees & more.pdf#p=4", 4), ("papers/trees & more.pdf", 1)):
        done = papers("--json", "render", address, "-o", str(papers.folder / "p.png"))
        report = done.last
        assert (report["page"], report["rectangles"], report["width"]) == (page, [], 2 * WIDTH)


def test_a_new_file_is_named_after_document_and_page_and_no_file_is_replaced(papers) -> None:  # type: ignore[no-untyped-def]
    address = "papers/trees & more.pdf#p=2"
    first, second = (papers("render", address).stdout.strip() for _ in range(2))
    assert (first, second) == ("trees & more-p2.png", "trees & more-p2-2.png")
    drawn = [(papers.kebab.home / name).read_bytes() for name in (first, second)]
    assert (papers.kebab.home / first).stat().st_mode & 0o777 == 0o600
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["papers/trees & more.pdf#p=5"], "papers/trees & more.pdf has 4 pages, and no page 5"),
        (["english/deployment.md"], "english/deployment.md is markdown: only pages of PDFs and pictures can be drawn"),
        (["papers/trees & more.pdf", "-o", "{folder}/notes/papers/trees & more.pdf"], "the file of -o must end in .png"),
        (["papers/trees & more.pdf", "-o", "{folder}/nowhere/page.png"], "cannot write"),
        (["papers/trees & more.pdf", "--scale", "0"], "--scale"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_an_error_and_leaves_no_file(papers, arguments: list[str], said: str) -> None:  # type: ignore[no-untyped-def]
    before = sorted(papers.folder.rglob("*"))
    done = papers("render", *(each.format(folder=papers.folder) for each in arguments))
    assert (done.code, done.stdout, said in done.stderr) == (2, "", True)
    assert sorted(papers.folder.rglob("*")) == before


def test_a_picture_is_drawn_upright_with_its_region_marked_unless_that_is_turned_off(papers) -> None:  # type: ignore[no-untyped-def]
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    file = BytesIO()
    Image.new("RGB", (40, 60), "white").save(file, "JPEG", exif=exif)
    papers.write("papers/door.jpg", file.getvalue())
    assert papers("ingest").code == 0
    region = {"x": 10, "y": 10, "w": 20, "h": 8}
    for flags, marked in (((), True), (("--unmarked",), False)):
        report = papers("--json", "render", "papers/door.jpg#xywh=10,10,20,8", *flags).last
        assert (report["width"], report["height"]) == (60, 40)
        assert (report["page_size"], report["rectangles"]) == ({"width": 60, "height": 40}, [region])
        _, _, rows = read_png(Path(str(report["file"])).read_bytes())
        assert (rows[14][3 * 15 + 2] < 128) == marked
        assert min(rows[30]) > 250
    whole = papers("--json", "render", "papers/door.jpg", "-o", "door.png", "--scale", "2").last
    assert (whole["rectangles"], whole["width"]) == ([], 120)


def test_a_page_that_takes_too_long_ends_with_its_process(papers) -> None:  # type: ignore[no-untyped-def]
    done = papers("render", "papers/trees & more.pdf", env={"KEBAB_INGEST_EXTRACT_TIMEOUT_S": "0.001"})
    assert done.code != 0
    assert "it took more than 0.001 s of CPU time" in done.stderr
    assert "ingest.extract_timeout_s" in done.stderr


def test_a_pdf_opens_at_its_page_in_the_viewer_of_the_settings(papers) -> None:  # type: ignore[no-untyped-def]
    address, file = "papers/trees & more.pdf#p=3", str(papers.notes / "papers" / "trees & more.pdf")

    def command(**env: str) -> list[str]:
        report = papers("--json", "open", address, env={"EDITOR": "vim", **env}).last
        assert (report["page"], report["line"]) == (3, None)
        return report["command"]  # type: ignore[return-value]

    assert command()[1:] == [file]
    viewer = command(KEBAB_SEARCH_VIEWER="evince --page-index={page} {path}")
    assert viewer == ["evince", "--page-index=3", file]
    link = command(KEBAB_SEARCH_VIEWER="skim://{path}#page={page}")[1]
    assert link == f"skim://{str(papers.notes).replace(' ', '%20')}/papers/trees%20%26%20more.pdf#page=3"
    told = papers("open", address, env={"KEBAB_SEARCH_VIEWER": "echo {page}"})
    assert (told.code, told.stderr) == (0, "")


@pytest.mark.parametrize("value", ["evince {nope}", "evince '{path}", " "])
def test_a_viewer_that_cannot_be_run_is_refused_when_it_is_set(value: str, quick) -> None:  # type: ignore[no-untyped-def]
    assert quick("config", "set", "search.viewer", value).code == 2
    assert "viewer" not in quick.config.read_text("utf-8")


@pytest.fixture
def shown(papers, kb, terminal):  # type: ignore[no-untyped-def]
    """Runs `kebab open --here` on a terminal and returns what it gets, and the same page as a picture of 600 pixels."""
    page = passage_address(cited(papers, FIRST))

    def run(**how):  # type: ignore[no-untyped-def]
        return terminal(kb, "open", page, "--here", columns=75, **{"typed": "", **how})

    picture = papers.folder / "p.png"
    papers("render", page, "-o", str(picture), "--scale", "1")
    return run, picture.read_bytes()


def test_terminals_with_the_protocols_of_kitty_and_iterm_get_the_picture(shown) -> None:  # type: ignore[no-untyped-def]
    run, picture = shown
    kitty = run(env={"TERM": "xterm-kitty"}).stdout
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", kitty)
    assert pieces[0][0] == "f=100,a=T,q=2,c=75,m=1"
    assert [keys for keys, _ in pieces[1:]] == ["m=1"] * (len(pieces) - 2) + ["m=0"]
    assert b64decode("".join(data for _, data in pieces)) == picture
    iterm = run(env={"TERM_PROGRAM": "iTerm.app"}).stdout
    (data,) = re.findall(r"\x1b\]1337;File=inline=1;[^:]*:([^\x07]*)\x07", iterm)
    assert b64decode(data) == picture


def decode_sixel(text: str) -> tuple[dict[tuple[int, int], int], dict[int, tuple[int, ...]]]:
    """Return the colour of each place, and red, green and blue of each colour in percent."""
    pixels, colours = {}, {}
    x, y, colour = 0, 0, 0
    for found in re.finditer(r"#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|(\$)|(-)", text):
        number, red, green, blue, times, repeated, one, start, down = found.groups()
        if number is not None:
            colour = int(number)
            if red is not None:
                colours[colour] = (int(red), int(green), int(blue))
        elif start or down:
            x, y = 0, y + (6 if down else 0)
        else:
            bits = ord(repeated or one) - 63
            end = x + int(times or 1)
            pixels.update({
                (at, y + bit): colour for at in range(x, end) for bit in range(6) if bits >> bit & 1
            })
            x = end
    return pixels, colours


def test_a_terminal_that_answers_that_it_has_sixel_gets_the_same_pixels(shown) -> None:  # type: ignore[no-untyped-def]
    run, picture = shown
    sixel = run(typed="\x1b[?62;4;22c").stdout
    (width, height, data) = re.findall(r'\x1bPq"1;1;(\d+);(\d+)(.*)\x1b\\', sixel, re.DOTALL)[0]
    _, _, rows = read_png(picture)
    assert (int(width), int(height)) == (WIDTH, HEIGHT)
    pixels, colours = decode_sixel(data)
    assert len(pixels) == WIDTH * HEIGHT
    pairs = {(colour, rows[y][3 * x : 3 * x + 3]) for (x, y), colour in pixels.items()}
    wrong = [
        (colours[colour], pixel)
        for colour, pixel in pairs
        if any(
            abs(percent * 255 / 100 - value) > 26
            for percent, value in zip(colours[colour], pixel, strict=True)
        )
    ]
    assert not wrong


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"typed": "\x1b[?62;22c"},
        {"env": {"TERM": "xterm-kitty", "TMUX": "/run/tmux,1,0"}},
        {"env": {"TERM": "dumb"}},
        {"streams": ["stderr"], "env": {"TERM": "xterm-kitty"}},
    ],
    ids=["silent", "without sixel", "in tmux", "dumb", "in a pipe"],
)
def test_where_no_pictures_are_shown_it_says_what_to_do(how: dict[str, object], shown) -> None:  # type: ignore[no-untyped-def]
    run, _ = shown
    done = run(**how)
    assert done.code == 2
    assert "this terminal shows no pictures" in done.stderr
    assert "kebab render 'papers/trees & more.pdf#p=3' -o page.png" in done.stderr
    assert "\x1b_G" not in done.stdout


def test_here_goes_with_neither_of_json_and_reveal(quick) -> None:  # type: ignore[no-untyped-def]
    for flag in ("--json", "--reveal"):
        assert quick("open", "english/deployment.md", "--here", flag).code == 2


def test_a_hit_is_drawn_by_its_rank(papers, kb) -> None:  # type: ignore[no-untyped-def]
    from tests.cli.test_addresses import run_in_terminal

    found = cited(papers, FIRST)
    said = run_in_terminal(
        kb, f"search '\"{FIRST}\"' --mode lexical -k 1 --brief > /dev/null", "render @1 --json"
    )
    assert f'"rectangles":{str(found["rectangles"]).replace(" ", "").replace(chr(39), chr(34))}' in said
