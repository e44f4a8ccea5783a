"""Text as HTML with a part of it marked: what matches, or what is code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_text import visible
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kebab_core import MatchedRange, SearchHit

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_CODE = re.compile(r"`([^`]+)`")
_LINES = 3
"""Lines of a snippet that a page shows; see `.snippet` of the style."""


def mark_text(text: str, ranges: Iterable[MatchedRange], *, start: int = 0) -> Markup:
    """Mark ranges of a text from a place on; they are in order."""
    html = Markup()
    for each in ranges:
        html += _show(text[start : each.start])
        if marked := _show(text[max(each.start, start) : each.end]):
            html += Markup("<mark>{}</mark>").format(marked)
        start = max(start, each.end)
    return html + _show(text[start:])


def mark_snippet(hit: SearchHit) -> Markup:
    """Mark the words of a snippet; lines before the first of them are left out where they are all that a page shows."""
    start = hit.matched[0].start if hit.matched else 0
    before = _show(hit.snippet[:start])
    if before.count("\n") >= _LINES:
        before = "… " + before.rpartition("\n")[2]
    return escape(before) + mark_text(hit.snippet, hit.matched, start=start)


def mark_code(text: str) -> Markup:
    """Set what stands in backquotes as code; the text is kebab's own."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before


def _show(text: str) -> str:
    return _BLANK_LINES.sub("\n", visible(text))
