"""Lines for the tagger."""

from __future__ import annotations

from collections.abc import Iterator

_MAX_LINE = 4_000
"""Code points of a line for the tagger, whose time grows with the square of a run of unknown letters."""


def cut_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its offset; one that is very long and not ASCII is cut at a blank, else anywhere."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        while end - start > _MAX_LINE and not line.isascii():
            blank = text.rfind(" ", start + 1, start + _MAX_LINE)
            cut = blank if blank > 0 else start + _MAX_LINE
            yield start, text[start:cut]
            start = cut
        yield start, text[start:end]
        start = end + 1
