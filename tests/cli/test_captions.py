"""Captions of pictures by a chat model on a server of this machine: found, said to be a model's on every face, and never an answer."""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from io import BytesIO

import pytest
from kebab_store_sqlite import SqliteDocumentStore
from kebab_testing.pdf_files import Line, PageSpec, write_pdf
from PIL import Image

from tests.cli.test_mcp import GREETING, start
from tests.cli.test_picture_text import call
from tests.frame_server import OLLAMA, Reply, chat_replies, ollama_frames, serve_frames

pytestmark = pytest.mark.enable_socket
BOATS = ("rowing boat", "blue ferry", "old barge", "fast yacht", "grey tug", "wooden raft")
CAPTION = "A wooden rowing boat lies on a beach. 나무배가 모래밭에 놓여 있다."


def test_a_caption_is_found_and_named_as_one_and_is_no_evidence(kb, inside) -> None:  # type: ignore[no-untyped-def]
    with serve_frames(chat_replies(OLLAMA, tokens=[CAPTION], model="llava:7b")) as server:
        base = inside(kb)
        base.write("trip.md", "# Trip\n\n![boat](boat.png)\n")
        base.write("boat.png", draw_hill())
        base.write("loose.png", draw_hill() + b"\0")
        settings = f'provider = "ollama"\nmodel = "qwen3:4b"\nendpoint = "{server.address}"\n'
        more = f'[ingest.caption]\nmodel = "llava:7b"\n[models.llm]\n{settings}'
        kb.config.write_text(f"{kb.config.read_text('utf-8')}\n{more}", encoding="utf-8")

        assert base("--json", "ingest").last["ocr"]["captioned"] == 1

        (body,) = server.bodies("/api/chat")
        assert body["model"] == "llava:7b"
        sent = b64decode(body["messages"][0]["images"][0])
        assert Image.open(BytesIO(sent)).size == (1024, 146)
        assert base("--json", "ingest").last["ocr"]["captioned"] == 0
        assert len(server.bodies("/api/chat")) == 1

        hits = base("--json", "search", "rowing boat").last["hits"]
        hit = next(hit for hit in hits if hit["citation"]["kind"] == "caption")
        assert (hit["citation"]["model"], hit["snippet"]) == ("llava:7b", CAPTION)
        assert base("fetch", hit["citation"]["address"]).stdout.strip() == CAPTION
        assert "rowing" not in base("fetch", "boat.png").stdout
        for language, said in (("en", "written by the model llava:7b"), ("ko", "llava:7b 모델이 쓴")):
            assert said in base("search", "rowing boat", env={"KEBAB_LANG": language}).stdout
        with start(base) as agent:
            assert agent.stdin is not None
            agent.stdin.write(GREETING)
            found = call(agent, "search", query="rowing boat")[0]["hits"]
            assert "llava:7b" in {each.get("written_by") for each in found}
            agent.stdin.close()

        kb.config.write_text(kb.config.read_text("utf-8").replace(settings, ""), encoding="utf-8")
        answer = base("--json", "ask", "What lies on the beach?").last
        assert answer["grounded"] is False
        assert "rowing" not in answer["answer"]
        for before, after, kinds in (
            ('model = "llava:7b"', "", set()),  # without a second look at any picture
            ("[ingest.caption]", '[ingest.caption]\nmodel = "llava:7b"', {"caption"}),
            ("llava:7b", "other", set()),
        ):
            kb.config.write_text(kb.config.read_text("utf-8").replace(before, after), encoding="utf-8")
            done = base("ingest")
            assert done.code == 0
            hits = base("--json", "search", "rowing").last["hits"]
            assert {hit["citation"]["kind"] for hit in hits} == kinds
        assert "ingest.caption.model needs `models.llm.provider`" in done.stdout + done.stderr
        assert len(server.bodies("/api/chat")) == 1


def test_captions_are_of_a_page_or_frame_up_to_a_bound_and_a_run_without_news_reads_no_document(  # type: ignore[no-untyped-def]
    kb, inside, monkeypatch
) -> None:
    seen: list[str] = []

    def reply(body) -> Reply:  # type: ignore[no-untyped-def]
        seen.append(body["messages"][0]["images"][0])
        return Reply(ollama_frames([f"In the harbour lies a {BOATS[len(seen) - 1]}."]))

    replies = {**chat_replies(OLLAMA, model="llava:7b"), "/api/chat": reply}
    with serve_frames(replies) as server:
        base = inside(kb)
        base.write("report.pdf", write_report())
        base.write("trip.md", "# Trip\n\n![frames](frames.tif)\n")
        base.write("frames.tif", draw_frames(3))
        settings = f'provider = "ollama"\nmodel = "qwen3:4b"\nendpoint = "{server.address}"\n'
        more = f'[ingest.caption]\nmodel = "llava:7b"\nmax_pages = 2\n[models.llm]\n{settings}'
        kb.config.write_text(f"{kb.config.read_text('utf-8')}\n{more}", encoding="utf-8")

        run = base("ingest", env={"KEBAB_PROGRESS": "plain"})
        assert "captions by a model: 4 pictures" in run.stdout
        assert "captions: 1/4" in run.stderr
        cited = {}
        for boat in BOATS[:4]:
            hits = base("--json", "search", boat).last["hits"]
            hit = next(hit for hit in hits if hit["citation"]["kind"] == "caption" and boat in hit["snippet"])
            cited[hit["citation"]["address"]] = hit
        assert cited.keys() == {
            f"{path}#caption&p={page}&model=llava%3A7b"
            for path, page in (("report.pdf", 2), ("report.pdf", 4), ("frames.tif", 1), ("frames.tif", 2))
        }

        for address, hit in cited.items():
            assert base("fetch", address).stdout.strip() == hit["snippet"]
            if (page := hit["citation"]["page"]) != 2:
                continue
            drawn = [kb.folder / "drawn.png", kb.folder / "page.png"]
            base("render", address, "--output", str(drawn[0]))
            base("render", f"{address.partition('#')[0]}#p={page}", "--output", str(drawn[1]))
            assert drawn[0].read_bytes() == drawn[1].read_bytes()

        read = Counter[str]()
        for name in ("get_document", "read_asset"):
            whole_read = getattr(SqliteDocumentStore, name)

            def counted(store, wanted, name=name, whole_read=whole_read):  # type: ignore[no-untyped-def]
                read[name] += 1
                return whole_read(store, wanted)

            monkeypatch.setattr(SqliteDocumentStore, name, counted)
        assert base("ingest").code == 0
        assert (read, len(seen)) == (Counter(), 4)

        kb.config.write_text(kb.config.read_text("utf-8").replace("= 2", "= 3"), encoding="utf-8")
        assert base("--json", "ingest").last["ocr"]["captioned"] == 2
        assert len(seen) == 6


def write_report() -> bytes:
    """Five pages: the second and the last are scanned, the fourth has a picture beside its text."""
    text = [
        Line(50, 60 + 14 * row, "The harbour master reports on the berths of this year.") for row in range(8)
    ]
    picture = "q 300 0 0 300 100 100 cm /P Do Q"
    return write_pdf(
        PageSpec(text),
        PageSpec(picture=True),
        PageSpec(text),
        PageSpec(text, commands=picture),
        PageSpec(picture=True),
    )


def draw_frames(count: int) -> bytes:
    """A TIFF of pictures without text, each of another height."""
    content = BytesIO()
    first, *others = [Image.linear_gradient("L").resize((400, 200 + 20 * each)) for each in range(count)]
    first.save(content, "TIFF", save_all=True, append_images=others)
    return content.getvalue()


def draw_hill() -> bytes:
    """A picture without text."""
    content = BytesIO()
    Image.linear_gradient("L").resize((1400, 200)).save(content, "PNG")
    return content.getvalue()
