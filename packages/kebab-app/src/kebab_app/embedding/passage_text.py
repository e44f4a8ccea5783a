"""What a model is told of a passage. Any change here is another text to the cache, and needs another model version."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def passage_text(*, title: str, heading_path: Sequence[str], text: str) -> str:
    """Return a chunk's text below its title and headings, one to a line.

    Left out is what is there already: a heading that repeats another word for word, and one that the chunk's own
    opening lines show.

    Args:
        title: Of the document.
        heading_path: From the outermost heading to the innermost.
        text: The chunk.
    """
    headings = dict.fromkeys((title, *heading_path))
    shown = _shown_at_the_start(text, {_fold(heading) for heading in headings})
    return "\n".join([*(heading for heading in headings if _fold(heading) not in shown), text])


def _shown_at_the_start(text: str, headings: Collection[str]) -> set[str]:
    shown = set()
    for line in filter(str.strip, text.splitlines()):
        if _fold(line) not in headings:
            break
        shown.add(_fold(line))
    return shown


def _fold(line: str) -> str:
    """Return a line without what marks it as a heading; search compares headings with lines in the same way."""
    return " ".join(line.lstrip("# ").split())
