"""Search and what lies over it, at three sizes and in both languages, driven without a terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

SIZES = [(60, 20), (80, 24), (120, 40)]
LANGUAGES = ["en", "ko"]


async def _find(screens: Any, query: str, *seen: str) -> None:
    await screens.type(query)
    await screens.until_seen(*seen)


def _assert_framed(screens: Any) -> None:
    """No row is wider or narrower than the terminal, and the right border is in its last column."""
    width = screens.app.size.width
    for row in screens.lines():
        assert cell_len(row) == width, row
        assert row[-1] in "│╮╯", row


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_hits_come_while_typing_with_the_cited_lines_beside_them(
    size: tuple[int, int], language: str, config: Path, open_screens: Any
) -> None:
    async def run() -> None:
        async with open_screens(config, size, language) as screens:
            await screens.until_seen("retention.pdf")
            await _find(screens, "백업은 매주", "회의/백업.md#L1-L6", "▌5 - 백업은")
            _assert_framed(screens)
            assert {"en": "by words", "ko": "낱말"}[language] in screens.text
            await screens.press("ctrl+p")
            await screens.until_seen("Ctrl+R")
            await screens.type("network")
            await screens.until_seen("ops/network.md")
            assert {"en": "Related documents", "ko": "관련 문서"}[language] not in screens.text
            _assert_framed(screens)
            await screens.press("escape")
            await screens.until_seen("백업은 매주")
            await screens.press("escape")
            await screens.until(lambda: not screens.app.screen.box.value)
            await screens.until_seen("retention.pdf")
            await screens.press("escape")
            await screens.until(lambda: not screens.app.is_running)
        assert screens.app.return_value is None

    asyncio.run(run())
