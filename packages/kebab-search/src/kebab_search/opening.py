"""Where a chunk's own words begin: after the headings that it opens with and that a hit shows anyway."""

from __future__ import annotations

from collections.abc import Collection


def body_start(text: str, heading_path: Collection[str]) -> int:
    """Return the offset after the leading lines that only repeat headings.

    Args:
        text: The chunk.
        heading_path: Its headings.

    Returns:
        Code points; 0 where nothing but headings would be left out.
    """
    headings = {_fold(heading) for heading in heading_path}
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and _fold(line) not in headings:
            return start
        start += len(line)
    return 0


def _fold(line: str) -> str:
    return " ".join(line.lstrip("# ").split())
