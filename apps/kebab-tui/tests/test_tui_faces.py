"""Asking, the library, inspection and work, driven without a terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from kebab_words import Phrases, Words

from tests.frame_server import OLLAMA, Reply, chat_replies, ollama_frames, serve_frames
from tests.tui_terminal import NOTES, open_base, write_notes

SIZES = {"en": (60, 20), "ko": (120, 40)}
SAID = {
    "en": (
        "From your documents",
        "Nothing in your documents",
        "Sources",
        "1  Every week",
        "Read: 1 new, 0 changed, 1 failed",
    ),
    "ko": (
        "근거 있음",
        "문서에서 찾지 못했습니다",
        "소스",
        "1  Every week",
        "읽기를 마쳤습니다: 새 파일 1개, 바뀐 파일 0개, 실패 1개",
    ),
}


@pytest.mark.parametrize("language", SIZES)
def test_an_answer_comes_with_its_place_and_is_told_from_nothing_found_and_asked_on(
    language: str, config: Path, open_screens: Any
) -> None:
    async def run() -> None:
        async with open_screens(config, SIZES[language], language) as screens:
            await screens.type("When is the server backed up?")
            await screens.press("f2")
            await screens.until_seen(SAID[language][0], "[1] ops/backup.md#L11", "▌11 - The whole server")
            assert "extractive" not in screens.text
            await screens.type("How long are copies kept?")
            await screens.until(lambda: screens.lines()[1].startswith("│How long are copies kept?"))
            await screens.press("enter")
            await screens.until_seen("90 days", "How long are copies kept?")
            await screens.until(lambda: bool(screens.app.screen._conversation))
            await screens.press("ctrl+n")
            await screens.until_seen("When is the server backed up?")
            await screens.type("zzqq xxvv")
            await screens.press("ctrl+j")
            await screens.until_seen(SAID[language][1])
            assert SAID[language][0] not in screens.text
            await screens.press("escape")
            await screens.until(lambda: type(screens.app.screen).__name__ == "Search")

    asyncio.run(run())


def test_a_question_that_cannot_be_answered_yet_stays_in_the_box_and_is_asked_again(
    tmp_path: Path, open_screens: Any
) -> None:
    config = write_notes(tmp_path, {"a.md": NOTES["ops/backup.md"]})

    async def run() -> None:
        async with open_screens(config) as screens:
            await screens.type("When is the server backed up?")
            await screens.press("f2")
            await screens.until(lambda: screens.lines()[1].startswith("│When is the server backed up?"))
            with open_base(config) as app:
                app.ingest()
            await screens.press("enter")
            await screens.until_seen(SAID["en"][0])

    asyncio.run(run())


@pytest.mark.enable_socket
def test_esc_stops_an_answer_at_once_though_the_model_is_silent(tmp_path: Path, open_screens: Any) -> None:
    config = write_notes(tmp_path, {"a.md": NOTES["ops/backup.md"]})
    replies = chat_replies(OLLAMA)
    replies["/api/chat"] = Reply(ollama_frames(["The whole ", "server "])[:2], ending="silent")

    async def run() -> None:
        async with open_screens(config) as screens:
            await screens.type("When is the server backed up?")
            await screens.press("f2")
            await screens.until(lambda: any(each.path == "/api/chat" for each in server.requests))
            await screens.press("escape")
            await screens.until_seen("Stopped")
            await screens.press("escape")
            await screens.until(lambda: type(screens.app.screen).__name__ == "Search")

    with serve_frames(replies) as server:
        config.write_text(
            config.read_text("utf-8")
            + f'[models.llm]\nprovider = "ollama"\nmodel = "qwen3:4b"\nendpoint = "{server.address}"\n',
            "utf-8",
        )
        with open_base(config) as app:
            app.ingest()
        asyncio.run(run())


@pytest.mark.parametrize("language", SIZES)
def test_the_library_leads_to_a_search_within_and_an_inspection_says_why(
    language: str, config: Path, open_screens: Any
) -> None:
    async def run() -> None:
        async with open_screens(config, SIZES[language], language) as screens:
            await screens.press("f3")
            await screens.until_seen(SAID[language][2])
            await screens.type("ops")
            await screens.until(lambda: "costs" not in screens.text)
            await screens.press("enter")
            await screens.until(lambda: type(screens.app.screen).__name__ == "Search")
            await screens.type("backup")
            face = screens.app.screen
            await screens.until(lambda: face._response is not None and face._response.query.text == "backup")
            await screens.until(lambda: face.address.startswith("ops/backup.md"))
            assert "회의/백업" not in screens.text
            await screens.press("f4")
            steps = [Words(language).localize(Phrases.STEPS[each]) for each in ("source", "rules")]
            await screens.until_seen("ops/backup.md", *(f"✓ {each}" for each in steps))
            await screens.press(*["pagedown"] * 3)
            await screens.until_seen(SAID[language][3])

    asyncio.run(run())


@pytest.mark.parametrize("language", SIZES)
def test_nothing_indexed_is_told_and_work_reads_it_and_names_what_failed(
    language: str, tmp_path: Path, open_screens: Any
) -> None:
    config = write_notes(tmp_path, {"a.md": NOTES["ops/backup.md"]})
    (tmp_path / "notes" / "broken.pdf").write_bytes(b"%PDF-1.4 broken")

    async def run() -> None:
        async with open_screens(config, SIZES[language], language) as screens:
            await screens.until_seen(
                {"en": "Nothing has been read yet", "ko": "아직 읽은 문서가 없습니다"}[language]
            )
            await screens.press("f5", "enter")
            await screens.until(lambda: screens.app.screen._outcome and not screens.app.screen._doing)
            assert screens.app.screen._outcome == SAID[language][4]
            await screens.press("escape")
            await screens.type("Sunday")
            await screens.until_seen("a.md#L")
            await screens.press("f3")
            await screens.until_seen("broken.pdf")

    asyncio.run(run())
