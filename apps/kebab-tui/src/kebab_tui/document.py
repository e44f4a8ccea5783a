"""Lines of a document: its text with line numbers, or its blocks; cited lines and words are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_words import Phrases
from rich.text import Text

import kebab_tui.phrases as say
from kebab_tui.texts import CITED, MATCH, QUIET, STRONG, join, show, wrap
from kebab_tui.widgets.lines import Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kebab_app import DocumentView
    from kebab_core import Block, Message, SourceSpan, TableBlock
    from kebab_words import Words

_MAX_LINES = 3000
"""Most lines of a document that are shown whole."""
_AROUND = 600
"""Lines before and after the place of a longer one."""
_CONTEXT = 2
"""Lines above the first cited one that stay in sight."""


class Line(NamedTuple):
    """A line of a document."""

    number: str
    text: Text
    is_cited: bool = False


def list_lines(view: DocumentView, words: Words) -> list[Line]:
    """List the lines of a document; of a long one those around the place, after a line that says so."""
    lines = list(_text_lines(view, view.source) if view.source is not None else _block_lines(view, words))
    if len(lines) <= _MAX_LINES:
        return lines
    at = next((n for n, each in enumerate(lines) if each.is_cited), 0)
    shown = lines[max(0, at - _AROUND) : at + _AROUND]
    return [Line("", Text(words.localize(Phrases.LONG_DOCUMENT), QUIET)), *shown]


def lay_out(lines: Sequence[Line], width: int) -> Page:
    """Wrap lines for a number of columns, and put the cited ones and the first mark in sight; without any the first that is not empty."""
    digits = max((len(each.number) for each in lines), default=0)
    gutter = digits + 2 if digits else 2
    rows, top = list[Line](), -1
    for line in lines:
        if line.is_cited and top < 0:
            top = len(rows)
        first, *others = wrap(line.text, max(width - gutter, 1))
        rows += [line._replace(text=first), *(Line("", other, line.is_cited) for other in others)]

    def draw(at: int) -> Text:
        number, text, is_cited = rows[at]
        gutter = f"{number:>{digits}} " if digits else " "
        return join(Text("▌" if is_cited else " ", CITED), Text(gutter, QUIET), text)

    if top < 0:
        return Page(len(rows), draw, next((n for n, each in enumerate(rows) if each.text.plain), 0))
    marked = (
        n for n, each in enumerate(rows) if each.is_cited and MATCH in (one.style for one in each.text.spans)
    )
    return Page(len(rows), draw, max(top - _CONTEXT, 0), next(marked, 0))


def _text_lines(view: DocumentView, source: str) -> Iterator[Line]:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    low, high = view.found.lines or (0, 0)
    marks = dict[int, list[tuple[int, int]]]()
    for word in view.words:
        marks.setdefault(word.line, []).append((word.start, word.end))
    is_markdown = view.document.media == "markdown"
    for number, text in enumerate(lines, 1):
        style = STRONG if is_markdown and text.startswith("#") else ""
        shown = show(text, marks=marks.get(number, ()))
        shown.style = style
        yield Line(str(number), shown, low <= number <= high)


def _block_lines(view: DocumentView, words: Words) -> Iterator[Line]:
    part = None
    for at, block in enumerate(view.blocks):
        now = _part_of(block.source_span)
        if now is not None and now != part:
            yield Line("", Text(f"── {words.localize(now)} ──", QUIET))
        part = now
        yield from _show_block(view, block, at)
        yield Line("", Text())


def _show_block(view: DocumentView, block: Block, at: int) -> Iterator[Line]:
    from kebab_core import TableBlock

    is_cited = view.is_cited(block.source_span)
    if isinstance(block, TableBlock):
        yield from _show_table(view, block, is_cited=is_cited)
        return
    marks = [(each.start, each.end) for each in view.words if each.line == at] if is_cited else []
    match block.kind:
        case "list":
            texts = [show(f"- {item.text}") for item in block.items]
        case "code":
            texts = [show(block.code)]
        case "image_ref":
            texts = [show(f"[{block.alt or block.src}]", QUIET)]
            texts += [show(block.ocr.joined)] if block.ocr else []
        case "audio_ref":
            texts = [show(each.text) for each in block.transcript.segments] if block.transcript else []
        case "heading":
            texts = [show(block.text, STRONG, marks=marks)]
        case _:
            texts = [show(block.text, marks=marks)]
    for text in texts:
        yield Line("", text, is_cited)


def _show_table(view: DocumentView, block: TableBlock, *, is_cited: bool) -> Iterator[Line]:
    rows = view.number_rows(block)
    if any(block.headers):
        is_head = is_cited and not any(cited for _, cited in rows)
        yield Line("", show(" │ ".join(block.headers), STRONG), is_head)
    for (number, cited), cells in zip(rows, block.rows, strict=True):
        yield Line(str(number or ""), show(" │ ".join(cells)), cited)


def _part_of(span: SourceSpan) -> Message | None:
    from kebab_core import CellSpan, PageSpan, RegionSpan, SlideSpan

    match span:
        case CellSpan():
            return Phrases.sheet(span.sheet)
        case SlideSpan():
            return Phrases.slide(span.slide)
        case PageSpan(page=page) | RegionSpan(page=int() as page):
            return say.page(page)
        case _:
            return None
