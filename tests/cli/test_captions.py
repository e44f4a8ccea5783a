"""Captions of pictures by a chat model on a server of this machine: found, said to be a model's on every face, and never an answer."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO

import pytest
from PIL import Image

from tests.cli.test_mcp import GREETING, start
from tests.cli.test_picture_text import call
from tests.frame_server import OLLAMA, chat_replies, serve_frames

pytestmark = pytest.mark.enable_socket
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


def draw_hill() -> bytes:
    """A picture without text."""
    content = BytesIO()
    Image.linear_gradient("L").resize((1400, 200)).save(content, "PNG")
    return content.getvalue()
