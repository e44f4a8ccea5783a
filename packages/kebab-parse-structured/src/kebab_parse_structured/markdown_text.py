"""Markdown inside of other files: headings, code, lists and paragraphs, each line as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_parse import Item

if TYPE_CHECKING:
    from kebab_parse import TextWriter

_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^`]*")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|(\d{1,9}[.)]))[ \t]+(\S.*)")
_PICTURE_DATA = re.compile(r"!\[([^\]\[]*)\]\(data:[^)\s]*\)")
"""A picture that stands in the text itself: its alternative text stays."""


def write_markdown(writer: TextWriter, text: str, *, level_offset: int = 0) -> None:
    """Write a text that is Markdown.

    Args:
        writer: Gets the blocks.
        text: The text.
        level_offset: Added to the levels of its headings.
    """
    run: list[str] = []
    fence, lang = "", ""
    for line in [*_PICTURE_DATA.sub(r"\1", text).split("\n"), ""]:
        found = _FENCE.fullmatch(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2]:
                writer.code("\n".join(run), lang)
                run, fence = [], ""
            else:
                run.append(line)
        elif found:
            _write_run(writer, run)
            run, fence, lang = [], found[1], found[2]
        elif heading := _HEADING.fullmatch(line):
            _write_run(writer, run)
            run = []
            writer.heading(len(heading[1]) + level_offset, heading[2])
        elif line.strip():
            run.append(line)
        else:
            _write_run(writer, run)
            run = []
    if fence:
        writer.code("\n".join(run), lang)


def _write_run(writer: TextWriter, run: list[str]) -> None:
    """Write lines without an empty one between them: a list if each is an item."""
    items = [_ITEM.fullmatch(line) for line in run]
    if run and all(items):
        writer.items([
            Item(found[3], level=len(found[1].expandtabs(4)) // 2, number=found[2] or "")
            for found in items
            if found is not None
        ])
    elif run:
        writer.paragraph("\n".join(run))
