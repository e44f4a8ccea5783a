"""A small knowledge base, and its screens driven without a terminal."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from kebab_testing.pdf_files import Line, PageSpec, write_pdf
from kebab_tui.app import KebabApp
from kebab_tui.options import Options
from kebab_tui.process import list_faces
from kebab_words import Words
from textual.pilot import Pilot

from tests.tui_terminal import NOTES, open_base, write_notes

_PATIENCE_S = 120.0


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tui")
    config = write_notes(folder, NOTES)
    pages = (
        PageSpec([Line(60, 40, "Retention policy")]),
        PageSpec([Line(60, 40, "Mail is retained for seven years.")]),
    )
    (folder / "notes" / "retention.pdf").write_bytes(write_pdf(*pages))
    with open_base(config) as app:
        assert not app.ingest().aborted
    return config


class Screens:
    """The screens of a knowledge base and what is read on them."""

    def __init__(self, app: KebabApp, pilot: Pilot[str]) -> None:
        self.app, self.pilot = app, pilot

    def lines(self) -> list[str]:
        """The rows of the terminal."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.lines())

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type letters, and also those that no key of a test has."""
        from textual.events import Key

        for letter in text:
            self.app.screen.post_message(Key(letter, letter))
        await self.pilot.pause()

    async def until(self, is_so: Callable[[], bool], what: str = "") -> None:
        """Wait for something to be seen."""
        end = time.monotonic() + _PATIENCE_S
        while not is_so():
            assert time.monotonic() < end, f"{what}\n{self.text}"
            await self.pilot.pause(0.05)

    async def until_seen(self, *texts: str) -> None:
        await self.until(lambda: all(each in self.text for each in texts), f"wanted {texts}")


@asynccontextmanager
async def _open(
    config: Path, size: tuple[int, int] = (80, 24), language: str = "en", **options: object
) -> AsyncIterator[Screens]:
    given = Options(config=config, **options)  # type: ignore[arg-type]
    app = KebabApp(given, Words(language), lambda: open_base(config), list_faces(given.query))
    try:
        async with app.run_test(size=size) as pilot:
            yield Screens(app, pilot)
    finally:
        app.close_base()


@pytest.fixture
def open_screens() -> Callable[..., AbstractAsyncContextManager[Screens]]:
    """Given a configuration, a size, a language and options, opens the screens without a terminal."""
    return _open
